package solvers

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/symsparse/symsparse/sparse"
)

type method = func(context.Context, System[[]float64], []float64, []float64, Options) (*Result, error)

// methods ranges over all methods, in an order on which random numbers can rely.
func methods(yield func(name string, solve method) bool) {
	_ = yield("CG", CG[[]float64]) && yield("GMRES", GMRES[[]float64])
}

var nan, inf = math.NaN(), math.Inf(1)

func csr(t testing.TB, m mat.Matrix) *sparse.CSR {
	a, err := sparse.FromMatrix(m)
	require.NoError(t, err)
	return a
}

func dense(n int, rows ...float64) *mat.Dense { return mat.NewDense(n, n, rows) }

func diag(d ...float64) *mat.DiagDense { return mat.NewDiagDense(len(d), d) }

// system returns A x = b in a space that watches the method.
func system(t testing.TB, m mat.Matrix) System[[]float64] {
	n, _ := m.Dims()
	return System[[]float64]{Space: watch(t, n), A: FromCSR(csr(t, m))}
}

func randomVector(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// randomMatrix returns a sparse matrix that is regular because its diagonal
// dominates; symmetric positive definite if spd.
func randomMatrix(r *rand.Rand, n int, spd bool) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for range 4 * n {
		i, j, v := r.IntN(n), r.IntN(n), r.NormFloat64()
		m.Set(i, j, v)
		if spd {
			m.Set(j, i, v)
		}
	}
	for i := range n {
		var sum float64
		for j := range n {
			if j != i {
				sum += math.Abs(m.At(i, j)) + math.Abs(m.At(j, i))
			}
		}
		m.Set(i, i, 0.1+sum/2+r.Float64())
		if !spd && r.IntN(2) == 0 {
			m.Set(i, i, -m.At(i, i))
		}
	}
	return m
}

func hilbert(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			m.Set(i, j, 1/float64(i+j+1))
		}
	}
	return m
}

// poisson returns the 7-point Laplacian on a grid of k^3 points.
func poisson(t testing.TB, k int) *sparse.CSR {
	ptr, col, val := []int64{0}, []int32{}, []float64{}
	for i := range k * k * k {
		x, y, z := i%k, i/k%k, i/k/k
		for _, e := range []struct {
			ok bool
			d  int
		}{{z > 0, -k * k}, {y > 0, -k}, {x > 0, -1}, {true, 0}, {x < k-1, 1}, {y < k-1, k}, {z < k-1, k * k}} {
			if e.ok {
				v := -1.0
				if e.d == 0 {
					v = 6
				}
				col, val = append(col, int32(i+e.d)), append(val, v)
			}
		}
		ptr = append(ptr, int64(len(col)))
	}
	a, err := sparse.NewCSR(k*k*k, k*k*k, ptr, col, val)
	require.NoError(t, err)
	return a
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// trueResidual is computed without the code under test.
func trueResidual(m mat.Matrix, b, x []float64) float64 {
	if len(b) == 0 {
		return 0
	}
	r := mat.NewVecDense(len(b), nil)
	r.MulVec(m, mat.NewVecDense(len(x), x))
	r.SubVec(mat.NewVecDense(len(b), b), r)
	return mat.Norm(r, 2)
}

// requireFailure checks what every failed solve keeps to.
func requireFailure(t *testing.T, reason Reason, res *Result, err error) {
	t.Helper()
	require.ErrorIs(t, err, reason)
	require.ErrorIs(t, err, ErrNotConverged)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, reason, res.Reason, "%v", err)
	require.False(t, res.Reason.Converged())
}

// watchedSpace is a Serial space that checks how it is used, and can fail or vote.
type watchedSpace struct {
	*Serial
	t         testing.TB
	lent      map[*float64]bool
	calls     int // of those that reduce
	failAt    int // the call that returns errSpace; 0 for none
	failNew   int // likewise for New
	voteAt    int // the call in which another PE votes
	otherVote Votes
	broken    bool
}

var errSpace = errors.New("PE 3 has ended")

func watch(t testing.TB, n int) *watchedSpace {
	w := &watchedSpace{Serial: NewSerial(n), t: t, lent: map[*float64]bool{}}
	t.Cleanup(func() { require.Empty(t, w.lent, "vectors were not freed") })
	return w
}

func (w *watchedSpace) New() ([]float64, error) {
	if w.failNew--; w.failNew == 0 {
		return nil, errSpace
	}
	v := make([]float64, w.n)
	if w.n > 0 {
		w.lent[&v[0]] = true
	}
	return v, nil
}

func (w *watchedSpace) Free(v []float64) {
	if w.n > 0 {
		require.True(w.t, w.lent[&v[0]], "freed what was not allocated")
		delete(w.lent, &v[0])
	}
}

func (w *watchedSpace) apart(vs ...[]float64) {
	require.False(w.t, w.broken, "a call after an error")
	seen := map[*float64]bool{}
	for _, v := range vs {
		require.False(w.t, seen[&v[0]], "vectors overlap")
		seen[&v[0]] = true
	}
}

func (w *watchedSpace) reduces(vs ...[]float64) error {
	w.apart(vs...)
	w.calls++
	if w.calls == w.voteAt {
		w.Vote(w.otherVote)
	}
	if w.calls == w.failAt {
		w.broken = true
		return errSpace
	}
	return nil
}

func (w *watchedSpace) Copy(dst, src []float64) {
	w.apart(dst, src)
	w.Serial.Copy(dst, src)
}

func (w *watchedSpace) Dot(x, y []float64) (float64, error) {
	if err := w.reduces(); err != nil {
		return nan, err
	}
	return w.Serial.Dot(x, y)
}

func (w *watchedSpace) Norm(x []float64) (float64, error) {
	if err := w.reduces(); err != nil {
		return nan, err
	}
	return w.Serial.Norm(x)
}

func (w *watchedSpace) Dots(dst []float64, vs [][]float64, v []float64) error {
	if err := w.reduces(append([][]float64{v}, vs...)...); err != nil {
		return err
	}
	return w.Serial.Dots(dst, vs, v)
}

func (w *watchedSpace) AxpyDot(alpha float64, x, y []float64) (float64, error) {
	if err := w.reduces(x, y); err != nil {
		return nan, err
	}
	return w.Serial.AxpyDot(alpha, x, y)
}

func (w *watchedSpace) AxpyScaledDot(alpha float64, x, y, d []float64) (yy, yz float64, err error) {
	if err := w.reduces(x, y, d); err != nil {
		return nan, nan, err
	}
	return w.Serial.AxpyScaledDot(alpha, x, y, d)
}

func (w *watchedSpace) AxpyXpby(alpha float64, p, x []float64, beta float64, z []float64) {
	w.apart(p, x, z)
	w.Serial.AxpyXpby(alpha, p, x, beta, z)
}

func (w *watchedSpace) AxpyXpbyScaled(alpha float64, p, x []float64, beta float64, d, r []float64) {
	w.apart(p, x, d, r)
	w.Serial.AxpyXpbyScaled(alpha, p, x, beta, d, r)
}

func (w *watchedSpace) Axpys(c []float64, vs [][]float64, v []float64) (float64, error) {
	if err := w.reduces(append([][]float64{v}, vs...)...); err != nil {
		return nan, err
	}
	require.Len(w.t, c, len(vs))
	return w.Serial.Axpys(c, vs, v)
}

func (w *watchedSpace) AxpysDots(dst, c []float64, vs [][]float64, v []float64) error {
	if err := w.reduces(append([][]float64{v}, vs...)...); err != nil {
		return err
	}
	err := w.Serial.AxpysDots(dst, c, vs, v)
	for j := range c {
		c[j] = nan // it may be overwritten
	}
	return err
}

// jacobi is package precond's, which this package's tests cannot import.
type jacobi []float64

func newJacobi(m mat.Matrix) jacobi {
	n, _ := m.Dims()
	d := make(jacobi, n)
	for i := range d {
		d[i] = 1 / m.At(i, i)
	}
	return d
}

func (d jacobi) Inverse() []float64 { return d }
func (d jacobi) Apply(z, r []float64) error {
	for i := range z {
		z[i] = d[i] * r[i]
	}
	return nil
}
