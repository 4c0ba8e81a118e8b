package precond_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/solvers"
	"github.com/symsparse/symsparse/solvers/precond"
	"github.com/symsparse/symsparse/sparse"
	"github.com/symsparse/symsparse/sparse/gallery"
)

func TestJacobi(t *testing.T) {
	space := solvers.NewSerial(3)
	d := []float64{2, -4, 0.5}
	m, err := precond.NewJacobi(space, d)
	require.NoError(t, err)
	require.Equal(t, []float64{0.5, -0.25, 2}, m.Inverse())
	z := make([]float64, 3)
	require.NoError(t, m.Apply(z, []float64{2, 4, 3}))
	require.Equal(t, []float64{1, -1, 6}, z)
	require.Equal(t, []float64{2, -4, 0.5}, d)
	m.Free()
}

func TestDiagonalWithoutInverse(t *testing.T) {
	for _, bad := range []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(-1), 5e-324} {
		_, err := precond.NewJacobi(solvers.NewSerial(4), []float64{1, 2, bad, bad})
		var diagonal *precond.DiagonalError
		require.ErrorAs(t, err, &diagonal)
		require.Equal(t, int64(2), diagonal.Row)
		require.ErrorIs(t, err, solvers.PreconditionerFailed)
		require.ErrorContains(t, err, "row 2")
	}
}

// brokenSpace counts the vectors that are lent.
type brokenSpace struct {
	*solvers.Serial
	lent     int
	noMemory bool
}

var errBroken = errors.New("PE 1 has ended")

func (s *brokenSpace) New() ([]float64, error) {
	if s.noMemory {
		return nil, errBroken
	}
	s.lent++
	return s.Serial.New()
}
func (s *brokenSpace) Free([]float64)                           { s.lent-- }
func (s *brokenSpace) Reciprocal(z, x []float64) (int64, error) { return 0, errBroken }

func TestErrorsOfTheSpace(t *testing.T) {
	for _, noMemory := range []bool{false, true} {
		s := &brokenSpace{Serial: solvers.NewSerial(1), noMemory: noMemory}
		_, err := precond.NewJacobi(s, []float64{1})
		require.ErrorIs(t, err, errBroken)
		require.Zero(t, s.lent)
	}
}

// Jacobi repairs bad scaling: the same problem in other units takes as long.
func TestJacobiRepairsScaling(t *testing.T) {
	a, err := gallery.Poisson2D(20, 20)
	require.NoError(t, err)
	raw := a.RawCSR()
	n := raw.Rows
	for i := range n {
		for k := raw.Ptr[i]; k < raw.Ptr[i+1]; k++ {
			raw.Val[k] = math.Ldexp(raw.Val[k], i%7*3+int(raw.Col[k])%7*3)
		}
	}
	b := make([]float64, n)
	for i := range b {
		b[i] = math.Ldexp(1, i%7*3)
	}
	sys := solvers.System[[]float64]{Space: solvers.NewSerial(n), A: solvers.FromCSR(a)}
	d := make([]float64, n)
	a.Diagonal(d)
	sys.M, err = precond.NewJacobi(sys.Space, d)
	require.NoError(t, err)
	res, err := solvers.CG(t.Context(), sys, b, make([]float64, n), solvers.Options{})
	require.NoError(t, err)
	require.Less(t, res.Iterations, 80)
	sys.M = nil
	res, err = solvers.CG(t.Context(), sys, b, make([]float64, n), solvers.Options{MaxIterations: 200})
	require.ErrorIs(t, err, solvers.MaxIterations)
	require.Equal(t, 200, res.Iterations)
}

func ExampleNewJacobi() {
	entries := sparse.NewCOO(2, 2, 4)
	entries.Append(0, 0, 1000)
	entries.Append(0, 1, 1)
	entries.Append(1, 0, 1)
	entries.Append(1, 1, 2)
	a, err := entries.ToCSR()
	if err != nil {
		panic(err)
	}
	diagonal := make([]float64, 2)
	a.Diagonal(diagonal)

	sys := solvers.System[[]float64]{Space: solvers.NewSerial(2), A: solvers.FromCSR(a)}
	sys.M, err = precond.NewJacobi(sys.Space, diagonal)
	if err != nil {
		panic(err) // such as a zero on the diagonal
	}
	x := make([]float64, 2)
	res, err := solvers.CG(context.Background(), sys, []float64{1001, 3}, x, solvers.Options{})
	fmt.Printf("%.3f %v %v\n", x, res.Reason, err)
	// Output: [1.000 1.000] ConvergedExact <nil>
}
