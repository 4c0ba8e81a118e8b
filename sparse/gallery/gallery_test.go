package gallery_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/symsparse/symsparse/sparse"
	"github.com/symsparse/symsparse/sparse/gallery"
)

func must(t testing.TB, a *sparse.CSR, err error) *sparse.CSR {
	t.Helper()
	require.NoError(t, err)
	require.NoError(t, a.Check())
	return a
}

func parse(t testing.TB, text string) *sparse.CSR {
	t.Helper()
	a, err := gallery.Parse(text)
	return must(t, a, err)
}

// eigenvalues returns those of a symmetric matrix, ascending.
func eigenvalues(t testing.TB, a *sparse.CSR) []float64 {
	t.Helper()
	require.True(t, a.IsSymmetric())
	n, _ := a.Dims()
	var e mat.EigenSym
	require.True(t, e.Factorize(mat.NewSymDense(n, a.ToDense().RawMatrix().Data), false))
	return e.Values(nil)
}

// byGrid makes a grid's matrix the slow way: element by element, from the
// coupling of two points that differ by d.
func byGrid(n [3]int, coupling func(d [3]int) float64) *mat.Dense {
	size := n[0] * n[1] * n[2]
	at := func(i int) [3]int { return [3]int{i % n[0], i / n[0] % n[1], i / n[0] / n[1]} }
	m := mat.NewDense(size, size, nil)
	for i := range size {
		for j := range size {
			p, q := at(i), at(j)
			m.Set(i, j, coupling([3]int{q[0] - p[0], q[1] - p[1], q[2] - p[2]}))
		}
	}
	return m
}

func TestGrids(t *testing.T) {
	star := func(centre float64, face map[[3]int]float64) func([3]int) float64 {
		return func(d [3]int) float64 {
			if d == [3]int{} {
				return centre
			}
			return face[d]
		}
	}
	for _, n := range [][3]int{{1, 1, 1}, {5, 1, 1}, {1, 4, 1}, {4, 3, 1}, {1, 1, 3}, {2, 3, 4}, {3, 1, 2}} {
		name := fmt.Sprint(n)
		equal := func(want *mat.Dense, a *sparse.CSR, err error) {
			t.Helper()
			require.True(t, mat.Equal(want, must(t, a, err)), name)
		}
		if n[2] == 1 {
			a, err := gallery.Poisson2D(n[0], n[1])
			equal(byGrid(n, star(4, map[[3]int]float64{{-1}: -1, {1}: -1, {0, -1}: -1, {0, 1}: -1})), a, err)
			a, err = gallery.Anisotropic2D(n[0], n[1], 0.5, 3)
			equal(byGrid(n, star(7, map[[3]int]float64{{-1}: -0.5, {1}: -0.5, {0, -1}: -3, {0, 1}: -3})), a, err)
			// The wind blows towards +x and -y: upstream is at -x and +y.
			a, err = gallery.ConvectionDiffusion2D(n[0], n[1], 2, -0.5)
			equal(byGrid(n, star(6.5, map[[3]int]float64{{-1}: -3, {1}: -1, {0, -1}: -1, {0, 1}: -1.5})), a, err)
		}
		a, err := gallery.Poisson3D(n[0], n[1], n[2])
		equal(byGrid(n, star(6, map[[3]int]float64{{-1}: -1, {1}: -1, {0, -1}: -1, {0, 1}: -1, {0, 0, -1}: -1, {0, 0, 1}: -1})), a, err)
		a, err = gallery.Anisotropic3D(n[0], n[1], n[2], 0.5, 3, 2)
		equal(byGrid(n, star(11, map[[3]int]float64{{-1}: -0.5, {1}: -0.5, {0, -1}: -3, {0, 1}: -3, {0, 0, -1}: -2, {0, 0, 1}: -2})), a, err)
		a, err = gallery.ConvectionDiffusion3D(n[0], n[1], n[2], 2, 0, -1)
		equal(byGrid(n, star(9, map[[3]int]float64{{-1}: -3, {1}: -1, {0, -1}: -1, {0, 1}: -1, {0, 0, -1}: -1, {0, 0, 1}: -2})), a, err)
		a, err = gallery.HPCG(n[0], n[1], n[2])
		equal(byGrid(n, func(d [3]int) float64 {
			switch {
			case d == [3]int{}:
				return 26
			case max(d[0], -d[0], d[1], -d[1], d[2], -d[2]) == 1:
				return -1
			}
			return 0
		}), a, err)
	}
}

func TestSymmetricGridsArePositiveDefinite(t *testing.T) {
	for _, text := range []string{"poisson2d:7x5", "poisson3d:4x3x5", "hpcg:4", "anisotropic2d:8x6:1,0.001", "anisotropic3d:4:1,2,3"} {
		for _, seed := range []string{"", ":seed=1", ":seed=2"} {
			require.Positive(t, eigenvalues(t, parse(t, text+seed))[0], text+seed)
		}
	}
}

func TestRandomCoefficients(t *testing.T) {
	for _, text := range []string{"poisson2d:9x7", "poisson3d:5", "hpcg:4", "anisotropic2d:6", "convection2d:9:2,-1", "convection3d:4", "rmat:7:4,0.5"} {
		a := parse(t, text)
		b, err := gallery.RandomCoefficients(a, 7)
		must(t, b, err)
		require.Equal(t, a.RawCSR().Col, b.RawCSR().Col, text)
		require.Equal(t, a.IsSymmetric(), b.IsSymmetric(), text)
		n, _ := a.Dims()
		values := map[float64]bool{}
		for i := range n {
			col, old := a.Row(i)
			_, val := b.Row(i)
			var before, after float64
			for k, v := range val {
				before, after = before+old[k], after+v
				if int(col[k]) == i {
					require.Positive(t, v)
					continue
				}
				values[v] = true
				f := v / old[k]
				require.True(t, f >= 0.5 && f < 1.5, "%s: factor %v", text, f)
				require.InDelta(t, f, b.At(int(col[k]), i)/a.At(int(col[k]), i), 1e-15)
			}
			require.InDelta(t, before, after, 1e-12, "%s: row sum %d", text, i)
		}
		require.Greater(t, len(values), a.NNZ()/4)

		c, err := gallery.RandomCoefficients(a, 7)
		require.True(t, b.Equal(must(t, c, err)))
		c, err = gallery.RandomCoefficients(a, 8)
		require.False(t, b.Equal(must(t, c, err)))
	}
	for name, entries := range map[string][][2]int64{
		"not square":    {{0, 2}},
		"no diagonal":   {{0, 0}, {0, 1}, {1, 0}},
		"only in upper": {{0, 0}, {0, 1}, {1, 1}},
		"only in lower": {{0, 0}, {1, 0}, {1, 1}},
	} {
		list := sparse.NewCOO(2, 2, 0)
		if name == "not square" {
			list = sparse.NewCOO(2, 3, 0)
		}
		for _, e := range entries {
			list.Append(e[0], e[1], 1)
		}
		a, err := list.ToCSR()
		require.NoError(t, err)
		_, err = gallery.RandomCoefficients(a, 1)
		require.Error(t, err, name)
	}
}

func TestTridiagonal(t *testing.T) {
	for _, n := range []int{1, 2, 3, 20} {
		a, err := gallery.Tridiagonal(n, -1, 2.5, -1)
		got := eigenvalues(t, must(t, a, err))
		want := gallery.TridiagonalEigenvalues(n, -1, 2.5, -1)
		require.True(t, slices.IsSorted(want))
		require.InDeltaSlice(t, want, got, 1e-13)
	}
	a, err := gallery.Tridiagonal(3, 1, 2, 3)
	require.Equal(t, []float64{2, 3, 0, 1, 2, 3, 0, 1, 2}, must(t, a, err).ToDense().RawMatrix().Data)
	require.True(t, math.IsNaN(gallery.TridiagonalEigenvalues(2, 1, 0, -1)[0]))
}

func TestArrow(t *testing.T) {
	a, err := gallery.Arrow(4)
	require.Equal(t, []float64{4, -1, -1, -1, -1, 2, 0, 0, -1, 0, 2, 0, -1, 0, 0, 2}, must(t, a, err).ToDense().RawMatrix().Data)
	for _, n := range []int{1, 2, 40} {
		a, err := gallery.Arrow(n)
		require.Positive(t, eigenvalues(t, must(t, a, err))[0])
	}
}

func TestDiagonallyDominant(t *testing.T) {
	for _, c := range [][2]int{{1, 0}, {2, 1}, {50, 5}, {50, 200}} {
		a, err := gallery.DiagonallyDominant(c[0], c[1], 3)
		must(t, a, err)
		for i := range c[0] {
			col, val := a.Row(i)
			require.LessOrEqual(t, len(col), c[1]+1)
			var beside float64
			for k, j := range col {
				if int(j) != i {
					beside += math.Abs(val[k])
				}
			}
			require.InDelta(t, 1+beside, a.At(i, i), 1e-13)
		}
	}
	for _, c := range [][2]int{{0, 0}, {5, -1}} {
		_, err := gallery.DiagonallyDominant(c[0], c[1], 3)
		require.Error(t, err)
	}
}

func TestRMATLaplacian(t *testing.T) {
	a, err := gallery.RMATLaplacian(8, 8, 0, 5)
	must(t, a, err)
	e := eigenvalues(t, a)
	require.InDelta(t, 0, e[0], 1e-10, "a Laplacian is singular")
	longest := 0
	for i := range 256 {
		col, val := a.Row(i)
		longest = max(longest, len(col))
		var sum float64
		for k, j := range col {
			sum += val[k]
			require.True(t, int(j) == i || val[k] == -1)
		}
		require.Zero(t, sum)
	}
	require.Greater(t, longest, 4*a.NNZ()/256, "degrees vary")

	a, err = gallery.RMATLaplacian(8, 8, 0.5, 5)
	require.InDelta(t, 0.5, eigenvalues(t, must(t, a, err))[0], 1e-10)
	a, err = gallery.RMATLaplacian(0, 3, 2, 1)
	require.Equal(t, []float64{2}, must(t, a, err).RawCSR().Val)
	for _, scale := range []int{-1, 31, 64} {
		_, err := gallery.RMATLaplacian(scale, 1, 0, 1)
		require.Error(t, err)
	}
}

// The number of points must not wrap: 73270^2 does so to a positive int32.
func TestSizesBeyondInt32(t *testing.T) {
	for _, text := range []string{
		"poisson2d:73270", "poisson2d:46341", "poisson3d:1291", "poisson3d:2147483647", "hpcg:4294967296",
		"poisson2d:9223372036854775807", "poisson3d:65536x65536x4", "tridiagonal:2147483648", "arrow:2147483648", "dominant:2147483648",
		"poisson2d:0", "poisson2d:-3", "poisson2d:-3x-3", "arrow:0", "tridiagonal:0", "hpcg:4x0x4",
	} {
		_, err := gallery.Parse(text)
		require.Error(t, err, text)
	}
}

func TestParse(t *testing.T) {
	for _, name := range gallery.Names() {
		parse(t, name+":4")
		parse(t, name+":4:seed=2")
	}
	a, err := gallery.ConvectionDiffusion2D(4, 3, 5, 6)
	require.True(t, parse(t, "convection2d:4x3:5,6").Equal(must(t, a, err)))
	a, err = gallery.RMATLaplacian(5, 3, 0.25, 9)
	require.True(t, parse(t, "rmat:5:3,0.25:seed=9").Equal(must(t, a, err)))
	for _, text := range []string{
		"", ":", "poisson", "poisson2d", "poisson2d:", "poisson2d:x", "poisson2d:3x4x5", "poisson2d:3:1", "poisson2d:3:seed=", "poisson2d:3:seed=-1",
		"convection2d:3:1", "convection2d:3:1,b", "convection2d:3:seed=1:1,1", "convection2d:3:1,1:2", "rmat:5:NaN,0", "dominant:9:1e300",
	} {
		_, err := gallery.Parse(text)
		require.Error(t, err, text)
	}
}

// Values seen once, so that a change of the generators is noticed.
func TestRandomNumbersStay(t *testing.T) {
	require.Equal(t, -1.0982609488236688, parse(t, "poisson2d:2:seed=1").At(0, 1))
	require.Equal(t, 13012, parse(t, "rmat:10:8,1:seed=1").NNZ())
	_, val := parse(t, "dominant:9:2:seed=1").Row(0)
	require.Equal(t, []float64{1.9526470086455823, -0.9526470086455823}, val)
}

func ExampleParse() {
	a, err := gallery.Parse("poisson3d:64")
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := a.Dims()
	fmt.Println(rows, cols, a.NNZ())
	// Output: 262144 262144 1810432
}

func BenchmarkHPCG(b *testing.B) {
	for b.Loop() {
		a, err := gallery.HPCG(64, 64, 64)
		require.NoError(b, err)
		b.SetBytes(12 * int64(a.NNZ()))
	}
}
