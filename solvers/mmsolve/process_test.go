package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asMain makes the test binary be mmsolve, in processes that are started with it.
const asMain = "MMSOLVE_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
	}
	os.Exit(m.Run())
}

// program runs mmsolve as a process of its own.
func program(t *testing.T, stdin string, args ...string) (*report, int) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"--json", "-q"}, args...)...)
	cmd.Env = append(os.Environ(), asMain+"=1")
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
	}
	var r report
	require.NoError(t, json.Unmarshal(stdout, &r), "%s%s", stdout, stderr.String())
	return &r, cmd.ProcessState.ExitCode()
}

func needProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the transport process needs Linux")
	}
}

// TestProcessesHaveTheBitsOfGoroutines compares the transports on the corpus.
func TestProcessesHaveTheBitsOfGoroutines(t *testing.T) {
	needProcesses(t)
	files := []string{poisson}
	if dir := os.Getenv("SYMSPARSE_CORPUS"); dir != "" || !testing.Short() {
		real := filepath.Join(corpus(t), "real")
		for _, name := range []string{"1138_bus", "bcsstk09", "orsirr_1", "sherman5", "e05r0000", "gko_simple_A", "lap3D_7pt_n20", "add32", "west0067", "ani4", "LFAT5"} {
			files = append(files, filepath.Join(real, name+".mtx"))
		}
	}
	for _, file := range files {
		want, code := mmsolve(t, file, "--maxit", "2000")
		for _, pes := range []string{"1", "2", "3", "7", "16"} {
			got, gotCode := program(t, "", file, "--maxit", "2000", "--transport", "process", "--pes", pes)
			require.Equal(t, code, gotCode, got.Error)
			require.Equal(t, want.SolutionSHA256, got.SolutionSHA256, "%s on %s processes", file, pes)
			require.Equal(t, want.Reason, got.Reason)
			require.Equal(t, want.Iterations, got.Iterations)
		}
	}
}

func TestProcessesReadStandardInputOnce(t *testing.T) {
	needProcesses(t)
	text, err := os.ReadFile(poisson)
	require.NoError(t, err)
	want, _ := mmsolve(t, poisson)
	got, code := program(t, string(text), "-", "--transport", "process", "--pes", "3")
	require.Equal(t, exitConverged, code, got.Error)
	require.Equal(t, want.SolutionSHA256, got.SolutionSHA256)
}

func TestProcessesReportInputErrors(t *testing.T) {
	needProcesses(t)
	r, code := program(t, "", "none.mtx", "--transport", "process", "--pes", "3")
	require.Equal(t, exitInput, code)
	require.Contains(t, r.Error, "none.mtx")
	r, code = program(t, "", poisson, "--transport", "process", "--pes", "3", "--maxit", "2")
	require.Equal(t, exitNotConverged, code)
	require.Equal(t, "MaxIterations", r.Reason)
}
