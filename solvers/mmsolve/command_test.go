package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
	"github.com/symsparse/symsparse/sparse"
	"github.com/symsparse/symsparse/sparse/gallery"
)

var poisson = filepath.Join("testdata", "poisson.mtx")

// write makes a Matrix Market file of text.
func write(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "a.mtx")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestExitCodes(t *testing.T) {
	const coordinate = "%%MatrixMarket matrix coordinate real general\n"
	identity := write(t, coordinate+"2 2 2\n1 1 1\n2 2 1\n")
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		reason string
	}{
		{"converged", []string{poisson}, exitConverged, "ConvergedRTol"},
		{"identity", []string{identity}, exitConverged, "ConvergedExact"},
		{"flags after the file", []string{poisson, "--pes", "3", "--method=gmres", "--precond", "none"}, exitConverged, "ConvergedRTol"},
		{"too few iterations", []string{poisson, "--maxit", "3"}, exitNotConverged, "MaxIterations"},
		{"no time", []string{poisson, "--timeout", "1ns"}, exitNotConverged, "TimeLimit"},
		{"no file", nil, exitUsage, "Usage"},
		{"three files", []string{"a", "b", "c"}, exitUsage, "Usage"},
		{"unknown flag", []string{poisson, "--colour"}, exitUsage, "Usage"},
		{"unknown method", []string{poisson, "--method", "lu"}, exitUsage, "Usage"},
		{"unknown transport", []string{poisson, "--transport", "pigeon"}, exitUsage, "Usage"},
		{"no PEs", []string{poisson, "--pes", "0"}, exitUsage, "Usage"},
		{"bad tolerance", []string{poisson, "--rtol", "-1"}, exitUsage, "Usage"},
		{"NaN tolerance", []string{poisson, "--rtol", "nan"}, exitUsage, "Usage"},
		{"two on standard input", []string{"-", "-"}, exitUsage, "Usage"},
		{"missing file", []string{filepath.Join(t.TempDir(), "none.mtx")}, exitInput, "InvalidInput"},
		{"a folder", []string{t.TempDir()}, exitInput, "InvalidInput"},
		{"not a matrix", []string{write(t, "hello\n")}, exitInput, "InvalidInput"},
		{"rectangle", []string{write(t, coordinate+"2 3 1\n1 1 1\n")}, exitInput, "InvalidInput"},
		{"complex", []string{write(t, "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n")}, exitInput, "InvalidInput"},
		{"too large for CSR", []string{write(t, coordinate+"3000000000 3000000000 1\n1 1 1\n")}, exitInput, "InvalidInput"},
		{"b of another length", []string{poisson, identity}, exitInput, "InvalidInput"},
		{"indefinite", []string{write(t, coordinate+"2 2 2\n1 1 1\n2 2 -1\n"), "--method", "cg", "--precond", "none", write(t, "%%MatrixMarket matrix array real general\n2 1\n1\n1\n")}, exitBreakdown, "BreakdownIndefiniteOperator"},
		{"singular", []string{write(t, coordinate+"2 2 1\n1 2 1\n"), write(t, "%%MatrixMarket matrix array real general\n2 1\n0\n1\n")}, exitBreakdown, "BreakdownKrylov"},
		{"NaN", []string{write(t, coordinate+"2 2 2\n1 1 nan\n2 2 1\n")}, exitBreakdown, "NotFinite"},
		{"zero diagonal", []string{write(t, coordinate+"2 2 2\n1 2 1\n2 1 1\n"), "--precond", "jacobi"}, exitBreakdown, "PreconditionerFailed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, code := mmsolve(t, c.args...)
			require.Equal(t, c.code, code, r.Error)
			require.Equal(t, c.reason, r.Reason, r.Error)
			require.Equal(t, code == exitConverged, r.Converged)
			require.Equal(t, code == exitConverged, r.Error == "")

			var stdout, stderr bytes.Buffer // and in words
			require.Equal(t, c.code, run(t.Context(), c.args, &stdout, &stderr))
			if code != exitConverged {
				require.Contains(t, stderr.String(), "mmsolve: ")
				require.NotContains(t, stderr.String(), "goroutine")
			}
		})
	}
}

func TestZeroDiagonalNamesTheRow(t *testing.T) {
	text := "%%MatrixMarket matrix coordinate real general\n40 40 40\n"
	for i := 1; i <= 40; i++ {
		j := i
		if i == 33 {
			j = 32
		}
		text += fmt.Sprintln(i, j, 1)
	}
	r, code := mmsolve(t, write(t, text), "--precond", "jacobi", "--pes", "4")
	require.Equal(t, exitBreakdown, code)
	require.Contains(t, r.Error, "32") // counted from 0
}

func TestIndefiniteSymmetricGoesOnWithGMRES(t *testing.T) {
	// diag(1..50) with a coupling that makes it indefinite, though its diagonal
	// is positive.
	a := sparse.NewCOO(50, 50, 0)
	for i := range int64(50) {
		a.Append(i, i, float64(1+i))
		if i > 0 {
			a.Append(i, i-1, 20)
			a.Append(i-1, i, 20)
		}
	}
	name := filepath.Join(t.TempDir(), "a.mtx")
	require.NoError(t, formats.WriteFile(name, formats.FromCOO(a)))
	r, code := mmsolve(t, name, "--restart", "50")
	require.Equal(t, exitConverged, code)
	require.Equal(t, "gmres", r.Method)
	_, code = mmsolve(t, name, "--method", "cg")
	require.Equal(t, exitBreakdown, code)
}

func TestSolutionIsWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "x.mtx")
	require.NoError(t, os.WriteFile(out, []byte("precious"), 0o600))
	_, code := mmsolve(t, write(t, "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n"), "-o", out)
	require.Equal(t, exitInput, code)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))

	r, code := mmsolve(t, poisson, "-o", out, "--maxit", "5") // the best found
	require.Equal(t, exitNotConverged, code)
	m, err := formats.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, r.SolutionSHA256, digest(m.Real))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "a temporary file was left")

	_, code = mmsolve(t, poisson, "-o", filepath.Join(dir, "none", "x.mtx"))
	require.Equal(t, exitInput, code)
}

func TestGuessThatSolvesComesBack(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.mtx")
	first, _ := mmsolve(t, poisson, "-o", out, "--rtol", "1e-10")
	again, code := mmsolve(t, poisson, "--x0", out, "--rtol", "1e-9")
	require.Equal(t, exitConverged, code)
	require.Equal(t, 0, again.Iterations)
	require.Equal(t, first.SolutionSHA256, again.SolutionSHA256)
}

func TestInterruptKeepsTheBestSolution(t *testing.T) {
	a, err := gallery.Poisson2D(300, 300)
	require.NoError(t, err)
	name, out := filepath.Join(t.TempDir(), "a.mtx"), filepath.Join(t.TempDir(), "x.mtx")
	require.NoError(t, formats.WriteFile(name, formats.FromCOO(a.ToCOO())))
	ctx, cancel := context.WithCancel(t.Context())
	monitor := &cancelling{after: 20, cancel: cancel}
	var stdout bytes.Buffer
	code := run(ctx, []string{name, "--json", "--monitor", "--rtol", "1e-13", "-o", out}, &stdout, monitor)
	require.Equal(t, exitInterrupted, code)
	var r report
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &r))
	require.Equal(t, "Cancelled", r.Reason)
	m, err := formats.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, r.SolutionSHA256, digest(m.Real))
}

// cancelling cancels after some lines of --monitor.
type cancelling struct {
	lines, after int
	cancel       func()
}

func (c *cancelling) Write(p []byte) (int, error) {
	if c.lines++; c.lines == c.after {
		c.cancel()
	}
	return len(p), nil
}

func TestOutputStreams(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitConverged, run(t.Context(), []string{poisson, "-q", "-o", "-"}, &stdout, &stderr))
	m, err := formats.Read(&stdout) // the solution and nothing else
	require.NoError(t, err)
	require.Equal(t, int64(1600), m.Rows)
	require.Contains(t, stderr.String(), "ConvergedRTol")

	stdout.Reset()
	stderr.Reset()
	require.Equal(t, exitConverged, run(t.Context(), []string{poisson, "-q"}, &stdout, &stderr))
	require.Empty(t, stderr.String())
	require.Contains(t, stdout.String(), "sha256")

	stdout.Reset()
	require.Equal(t, exitConverged, run(t.Context(), []string{poisson, "--monitor"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "recurrence")
	require.Contains(t, stderr.String(), "because the matrix is symmetric")

	for _, args := range [][]string{{"--version"}, {"--help"}, {"info", poisson}, {"completion", "bash"}} {
		stdout.Reset()
		require.Equal(t, exitConverged, run(t.Context(), args, &stdout, &stderr), args)
		require.NotEmpty(t, stdout.String())
	}
}

func TestInfo(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitConverged, run(t.Context(), []string{"info", "--json", poisson}, &stdout, &stderr))
	var r infoReport
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &r))
	require.Equal(t, infoReport{
		matrixInfo: matrixInfo{Rows: 1600, Cols: 1600, NNZ: 7840, Field: "real", Symmetry: "symmetric"},
		Format:     "coordinate", Stored: 4720, Symmetric: true, PositiveDiagonal: true, LongestRow: 5, Method: "cg", Precond: "jacobi",
	}, r)
	for _, text := range []string{
		"%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 2\n",
		"%%MatrixMarket matrix coordinate pattern general\n2 3 1\n2 1\n",
		"%%MatrixMarket matrix array real general\n2 1\n2\n1\n",
	} {
		require.Equal(t, exitConverged, run(t.Context(), []string{"info", write(t, text)}, &stdout, &stderr))
	}
	require.Equal(t, exitInput, run(t.Context(), []string{"info", write(t, "x")}, &stdout, &stderr))
}

func TestTheTimeLimitHolds(t *testing.T) {
	a, err := gallery.Poisson2D(400, 400)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "a.mtx")
	require.NoError(t, formats.WriteFile(name, formats.FromCOO(a.ToCOO())))
	start := time.Now()
	r, code := mmsolve(t, name, "--timeout", "500ms", "--rtol", "1e-15", "--maxit", "10000000")
	require.Equal(t, exitNotConverged, code)
	require.Contains(t, []string{"TimeLimit", "TrueResidualAboveTol"}, r.Reason)
	require.Less(t, time.Since(start), 5*time.Second)
	require.False(t, math.IsNaN(deref(r.ResidualNorm)))
}
