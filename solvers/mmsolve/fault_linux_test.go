package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
	"github.com/symsparse/symsparse/sparse/gallery"
)

// childrenOf returns the processes that pid has started.
func childrenOf(t *testing.T, pid int) []int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil
	}
	var pids []int
	for _, f := range strings.Fields(string(text)) {
		p, err := strconv.Atoi(f)
		require.NoError(t, err)
		pids = append(pids, p)
	}
	// Other threads may have started some.
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, f := range strings.Fields(string(text)) {
			if p, err := strconv.Atoi(f); err == nil && p != pid {
				pids = append(pids, p)
			}
		}
	}
	return pids
}

// alive reports whether a process runs (a zombie does not).
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	rest := text[bytes.LastIndexByte(text, ')')+1:]
	return !bytes.HasPrefix(bytes.TrimSpace(rest), []byte("Z"))
}

// A process that is killed in the middle of a solve ends all others: with the
// error where one is left to report it, and within a second.
func TestKilledProcessEndsTheSolve(t *testing.T) {
	needProcesses(t)
	a, err := gallery.Poisson3D(60, 60, 60)
	require.NoError(t, err)
	matrix, out := filepath.Join(t.TempDir(), "a.mtx"), filepath.Join(t.TempDir(), "x.mtx")
	require.NoError(t, formats.WriteFile(matrix, formats.FromCOO(a.ToCOO())))
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSEGV} {
		for _, victim := range []string{"PE 0", "another"} {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "--json", "--monitor", "--transport", "process", "--pes", "3",
				"--rtol", "0", "--atol", "1e-300", "--maxit", "10000000", matrix, "-o", out)
			cmd.Env = append(os.Environ(), asMain+"=1")
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			progress, err := cmd.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			var first [1 << 12]byte
			for seen := 0; seen < 2000; { // iterations are going on
				n, err := progress.Read(first[:])
				require.NoError(t, err)
				seen += n
			}
			go func() { // keep reading, so that it does not block
				for {
					if _, err := progress.Read(first[:]); err != nil {
						return
					}
				}
			}()
			pids := childrenOf(t, cmd.Process.Pid)
			require.NotEmpty(t, pids)
			target := cmd.Process.Pid
			if victim != "PE 0" {
				target = pids[0]
			}
			start := time.Now()
			require.NoError(t, syscall.Kill(target, signal))
			_ = cmd.Wait()
			require.Less(t, time.Since(start), 4*time.Second)
			if victim != "PE 0" {
				require.Less(t, time.Since(start), 1500*time.Millisecond)
				require.Equal(t, exitPE, cmd.ProcessState.ExitCode(), stdout.String())
				var r report
				require.NoError(t, json.Unmarshal(stdout.Bytes(), &r))
				require.Equal(t, "PEFailed", r.Reason)
				require.Contains(t, r.Error, "its process ended")
			}
			require.NoFileExists(t, out)
			require.Eventually(t, func() bool {
				for _, pid := range pids {
					if alive(pid) {
						return false
					}
				}
				return true
			}, 4*time.Second, 10*time.Millisecond, "a process is left")
		}
	}
}
