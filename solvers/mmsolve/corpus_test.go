package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
	"github.com/symsparse/symsparse/solvers"
	"github.com/symsparse/symsparse/solvers/precond"
)

// corpus returns the folder of reference systems, or skips the test.
func corpus(t testing.TB) string {
	for _, dir := range []string{os.Getenv("SYMSPARSE_CORPUS"), filepath.Join("..", "..", "..", "shared", "corpus")} {
		if _, err := os.Stat(filepath.Join(dir, "reference.json")); dir != "" && err == nil {
			return dir
		}
	}
	t.Skip("no corpus of matrices: set SYMSPARSE_CORPUS to its folder")
	return ""
}

// reference is a system whose solution is known.
type reference struct {
	File      string
	Field     string
	N         int     `json:"n"`
	Cond2     float64 `json:"cond2"`
	Cond1     float64 `json:"cond1_estimate"`
	Solutions []struct {
		RHS    string    `json:"rhs"`
		Norm   float64   `json:"norm2_x"`
		X      []float64 `json:"x_first5"`
		NormB  float64   `json:"norm2_b"`
		VsOnes *float64  `json:"error_vs_ones"`
	} `json:"solutions"`
}

// lcg is the right-hand side that the corpus calls lcg42.
func lcg(n int) []float64 {
	s := uint64(42)
	v := make([]float64, n)
	for k := range v {
		s = s*6364136223846793005 + 1442695040888963407
		v[k] = float64(s>>11)/(1<<53)*2 - 1
	}
	return v
}

// Systems that do not converge to 1e-8 in 3000 iterations with what there is,
// and why; where n is at most 1500, not even with a GMRES that is not restarted.
// They are reported as Stagnated, MaxIterations, TrueResidualAboveTol or
// BreakdownKrylov, never as solved, and with the same best x everywhere. (Some do
// converge for one of their right-hand sides.)
var hard = map[string]string{
	"plat362.mtx":          "condition 2e11",
	"west0132.mtx":         "condition 4e11",
	"west0167.mtx":         "condition 5e10",
	"west0479.mtx":         "condition 3e11",
	"west0497.mtx":         "condition 5e11",
	"west2021.mtx":         "condition 8e12, half of the diagonal is zero",
	"lnsp_511.mtx":         "condition 3e15",
	"nnc1374.mtx":          "condition 4e14",
	"fidap007.mtx":         "condition 2e11",
	"watt_2.mtx":           "condition 1e12: the true residual stops 12% above",
	"adder_dcop_05.mtx":    "condition 4e12",
	"bips98_606.mtx":       "condition 9e26: singular in double precision",
	"sherman3.mtx":         "condition 7e16: takes some 6600 iterations",
	"ACTIVSg200_AC_01.mtx": "condition 4e9, indefinite: wants a stronger preconditioner",
	"tols4000.mtx":         "far from normal: 30 vectors are too few",
}

// TestCorpusSystems solves every real reference system from its file, on 1, 2, 3
// and 7 PEs and serially: the solutions are the same to the last bit, and as near
// to the reference as the condition number lets them be.
func TestCorpusSystems(t *testing.T) {
	dir := corpus(t)
	for _, file := range []string{"reference.json", "reference_large.json"} {
		raw, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		var refs struct{ Systems []json.RawMessage }
		require.NoError(t, json.Unmarshal(raw, &refs))
		for _, raw := range refs.Systems {
			var ref reference
			require.NoError(t, json.Unmarshal(raw, &ref))
			if testing.Short() && ref.N > 200 {
				continue
			}
			t.Run(ref.File, func(t *testing.T) {
				if ref.Field == "complex" {
					r, code := mmsolve(t, filepath.Join(dir, "real", ref.File))
					require.Equal(t, exitInput, code)
					require.Contains(t, r.Error, "complex")
					return
				}
				for _, sol := range ref.Solutions {
					checkSystem(t, dir, &ref, sol.RHS, func(x []float64, r *report) {
						if !r.Converged || sol.Norm == 0 {
							return
						}
						// ||x - x*|| <= cond ||r||/||b|| ||x*||, and the reference's own error.
						cond := max(ref.Cond2, ref.Cond1, 1)
						bound := cond * (*r.RelativeResidual*1.1 + 1e-14) * sol.Norm
						if sol.RHS == "A*ones" && sol.VsOnes != nil {
							bound += 2 * *sol.VsOnes * math.Sqrt(float64(ref.N))
						}
						for i, want := range sol.X {
							require.InDelta(t, want, x[i], bound, "%s: x[%d]", sol.RHS, i)
						}
						norm := 0.0
						for _, v := range x {
							norm = math.Hypot(norm, v)
						}
						require.InDelta(t, sol.Norm, norm, bound, "%s: norm of x", sol.RHS)
					})
				}
			})
		}
	}
}

// checkSystem solves with the defaults, and if that does not converge, and the
// matrix is small, with a GMRES that is not restarted.
func checkSystem(t *testing.T, dir string, ref *reference, rhs string, compare func(x []float64, r *report)) {
	why, isHard := hard[ref.File]
	maxit := "3000"
	if isHard {
		maxit = "500" // enough to see the same bits everywhere
	}
	args := []string{filepath.Join(dir, "real", ref.File), "--rtol", "1e-8", "--maxit", maxit, "-q"}
	switch rhs {
	case "A*ones":
	case "lcg42":
		b := filepath.Join(t.TempDir(), "b.mtx")
		require.NoError(t, formats.WriteFile(b, formats.FromVector(lcg(ref.N))))
		args = append(args, b)
	default:
		b := filepath.Join(dir, "real", rhs)
		if _, err := os.Stat(b); err != nil {
			t.Logf("%s is not in the corpus", rhs)
			return
		}
		args = append(args, b)
	}
	x, r := everywhere(t, args)
	if !r.Converged && !isHard {
		t.Logf("%s: defaults: %s after %d iterations, relative residual %.1e", rhs, r.Reason, r.Iterations, deref(r.RelativeResidual))
		x, r = everywhere(t, append(args, "--method", "gmres", "--restart", strconv.Itoa(ref.N), "--maxit", strconv.Itoa(ref.N+200)))
	}
	compare(x, r)
	require.True(t, r.Converged || isHard, "%s: %s", rhs, r.Error)
	if !r.Converged {
		t.Logf("%s: %s after %d iterations, relative residual %.1e: %s", rhs, r.Reason, r.Iterations, deref(r.RelativeResidual), why)
	}
}

func deref(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}

// everywhere solves on several numbers of PEs, and serially, and returns the
// solution that all of them must agree on.
func everywhere(t *testing.T, args []string) (x []float64, r *report) {
	out := filepath.Join(t.TempDir(), "x.mtx")
	for _, pes := range []string{"1", "2", "3", "7"} {
		got, code := mmsolve(t, append(args, "--pes", pes, "-o", out)...)
		require.Equal(t, got.Converged, code == exitConverged)
		if r == nil {
			r = got
			m, err := formats.ReadFile(out)
			require.NoError(t, err)
			x, err = m.Vector(got.Matrix.Rows)
			require.NoError(t, err)
			require.Equal(t, r.SolutionSHA256, digest(x), "the file has not the bits of the solution")
		}
		require.Equal(t, r.SolutionSHA256, got.SolutionSHA256, "%s PEs", pes)
		require.Equal(t, r.Reason, got.Reason)
		require.Equal(t, r.Iterations, got.Iterations)
		require.Equal(t, r.ResidualNorm, got.ResidualNorm)
	}
	require.Equal(t, r.SolutionSHA256, digest(serially(t, args)), "serially")
	return x, r
}

// serially solves what the command line says on []float64 vectors.
func serially(t *testing.T, args []string) []float64 {
	var c config
	cmd := newCommand(&c)
	require.NoError(t, cmd.ParseFlags(args))
	c.matrix = cmd.Flags().Arg(0)
	c.rhs = cmd.Flags().Arg(1)
	in, err := read(&c)
	require.NoError(t, err)
	n := int(in.info.Rows)
	space := solvers.NewSerial(n)
	sys := solvers.System[[]float64]{Space: space, A: solvers.FromCSR(in.a)}
	if in.precond == "jacobi" {
		d := make([]float64, n)
		in.a.Diagonal(d)
		sys.M, err = precond.NewJacobi(space, d)
		require.NoError(t, err)
	}
	if in.b == nil {
		ones := make([]float64, n)
		for i := range ones {
			ones[i] = 1
		}
		in.b = make([]float64, n)
		in.a.Mul(in.b, ones)
	}
	x := make([]float64, n)
	_, _ = iterate(t.Context(), &c, in.method == "cg", sys, in.b, x, solvers.Options{}, func() {})
	return x
}

// mmsolve runs the command with --json.
func mmsolve(t *testing.T, args ...string) (*report, int) {
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), append([]string{"--json"}, args...), &stdout, &stderr)
	var r report
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &r), "%s%s", stdout.String(), stderr.String())
	return &r, code
}

func TestTwentyRunsGiveTheSameBits(t *testing.T) {
	args := []string{filepath.Join("testdata", "poisson.mtx")}
	first, _ := mmsolve(t, args...)
	for i := range 20 {
		r, code := mmsolve(t, append(args, "--pes", fmt.Sprint(1+i%5))...)
		require.Equal(t, exitConverged, code)
		require.Equal(t, first.SolutionSHA256, r.SolutionSHA256)
	}
}
