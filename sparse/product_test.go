package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// rowsOf is a matrix as [NewProduct] gets it.
type rowsOf struct {
	cols int
	ptr  []int64
	col  []int32
	val  []float64
}

func (a *rowsOf) row(col []int32, val []float64) {
	if a.ptr == nil {
		a.ptr = []int64{0}
	}
	a.col, a.val = append(a.col, col...), append(a.val, val...)
	a.ptr = append(a.ptr, int64(len(a.col)))
}

// grid is a 7-point matrix with the values that value returns. Ghosts beyond own
// columns follow in any order if ghosts is set, as on a PE that has a slab.
func grid(nx, ny, nz int, ghosts bool, value func(diagonal bool) float64) *rowsOf {
	a := &rowsOf{cols: nx * ny * nz}
	n := a.cols
	if ghosts {
		a.cols += 2 * nx * ny
	}
	for i := range n {
		x, y, z := i%nx, i/nx%ny, i/nx/ny
		var col []int32
		var val []float64
		add := func(ok bool, j int) {
			if ok || ghosts && (j < 0 || j >= n) && j != i-1 && j != i+1 && j != i-nx && j != i+nx {
				if j < 0 {
					j += n + nx*ny
				} else if j >= n {
					j += nx * ny
				}
				col, val = append(col, int32(j)), append(val, value(j == i))
			}
		}
		add(z > 0, i-nx*ny)
		add(y > 0, i-nx)
		add(x > 0, i-1)
		add(true, i)
		add(x < nx-1, i+1)
		add(y < ny-1, i+nx)
		add(z < nz-1, i+nx*ny)
		a.row(col, val)
	}
	return a
}

// scattered has rows of the given lengths with columns anywhere in a band.
func scattered(r *rand.Rand, cols, band int, value func(bool) float64, lengths ...int) *rowsOf {
	a := &rowsOf{cols: cols}
	for _, n := range lengths {
		col, val := make([]int32, n), make([]float64, n)
		base := r.IntN(max(cols-band, 0) + 1)
		for k := range col {
			col[k], val[k] = int32(base+r.IntN(min(band, cols))), value(false)
		}
		a.row(col, val)
	}
	return a
}

// valuesOf are what the entries are drawn from; each fits another form.
func valuesOf(r *rand.Rand) map[string]func(bool) float64 {
	return map[string]func(bool) float64{
		"constant": func(diagonal bool) float64 { return map[bool]float64{true: 6, false: -1}[diagonal] },
		"random":   func(bool) float64 { return r.NormFloat64() },
		"short": func(bool) float64 {
			return []float64{float64(float32(r.NormFloat64())), 0, math.Copysign(0, -1), 0x1p-149, math.Inf(1)}[min(r.IntN(400), 4)*boolInt(r.IntN(9) == 0)]
		},
		"few": func(bool) float64 { return []float64{1.1, -0.3, 0, math.Copysign(0, -1), 1e-200, 5e-324}[r.IntN(6)] },
		"special": func(bool) float64 {
			if r.IntN(60) > 0 {
				return r.NormFloat64()
			}
			return []float64{math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, math.Copysign(0, -1)}[r.IntN(5)]
		},
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func matrices(r *rand.Rand, value func(bool) float64) map[string]*rowsOf {
	irregular := make([]int, 1500)
	for i := range irregular {
		irregular[i] = int(r.ExpFloat64() * 9)
		if r.IntN(100) == 0 {
			irregular[i] = 200 + r.IntN(60)
		}
	}
	return map[string]*rowsOf{
		"empty":     {cols: 3, ptr: []int64{0}},
		"no entry":  scattered(r, 5, 5, value, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		"grid":      grid(9, 11, 10, false, value),
		"line":      grid(403, 1, 1, false, value),
		"slab":      grid(16, 7, 3, true, value),
		"band":      scattered(r, 900, 20, value, irregular...),
		"irregular": scattered(r, 200000, 200000, value, irregular...),
		"long":      scattered(r, 5000, 5000, value, 3, 256, 257, 2048, 2049, 5000, 1, 512, 2304, 7, 0, 300),
		"regular":   scattered(r, 70000, 70000, value, append(make([]int, 8), 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5)...),
	}
}

// Every form at every level gives the bits of kernel.Row, for any range of rows,
// and writes nothing else.
func TestProductsAgainstRows(t *testing.T) {
	const guard = 12345.678
	for _, level := range kernel.Levels() {
		t.Run(string(level), func(t *testing.T) {
			defer kernel.Force(kernel.Force(level))
			r := rand.New(rand.NewPCG(7, 8))
			seen := map[string]bool{}
			for valueName, value := range valuesOf(r) {
				for name, a := range matrices(r, value) {
					n := len(a.ptr) - 1
					x := make([]float64, a.cols)
					for i := range x {
						x[i] = value(r.IntN(2) == 0) + float64(r.IntN(2))
					}
					want := make([]float64, n)
					kernel.Rows(want, a.ptr, a.col, a.val, x, 0, n)
					for _, allow := range []allowed{everything, everything &^ templates, everything &^ (templates | dictionaries),
						everything &^ (templates | dictionaries | float32s), everything &^ (templates | stencils), nearColumns,
						dictionaries | sorting, float32s, 0} {
						var cuts []int
						for i := 0; n > 0 && i < n; i += 1 + r.IntN(n) {
							cuts = append(cuts, i)
						}
						p, err := newProduct(a.cols, a.ptr, a.col, a.val, cuts, allow)
						require.NoError(t, err)
						for k, rows := range p.storage.rows {
							if rows > 0 {
								seen[fmt.Sprint(k, " ", p.storage.values)] = true
							}
						}
						for turn := range 6 {
							lo, hi := 0, n
							if turn > 0 {
								lo = r.IntN(n + 1)
								hi = lo + r.IntN(n+1-lo)
							}
							y := make([]float64, n+16)
							for i := range y {
								y[i] = guard
							}
							p.MulRows(y[8:8+n], x, lo, hi)
							for i, got := range y {
								w := guard
								if i -= 8; i >= lo && i < hi {
									w = want[i]
								}
								if math.Float64bits(w) != math.Float64bits(got) && (w == w || got == got) {
									require.Fail(t, "different bits", "%s %s, allowed %b, rows %d to %d, row %d: want %x, got %x\n%v",
										valueName, name, allow, lo, hi, i, w, got, p)
								}
							}
						}
					}
				}
			}
			require.Len(t, seen, 12, "shapes and forms of values: %v", seen)
		})
	}
}

func TestFormsOfProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	values := valuesOf(r)
	for _, c := range []struct {
		a    *rowsOf
		want string
	}{
		{grid(64, 8, 8, false, values["constant"]),
			"4096 x 4096, 26496 entries at 0.40 bytes; values in templates; rows: 4096 template, 0 stencil, 0 near, 0 far, 0 long; 0 gaps"},
		{grid(64, 8, 8, false, values["random"]),
			"4096 x 4096, 26496 entries at 8.44 bytes; float64 values; rows: 0 template, 4096 stencil, 0 near, 0 far, 0 long; 128 gaps"},
		{scattered(r, 60000, 60000, values["random"], 9, 9, 9, 9, 9, 9, 9, 9),
			"8 x 60000, 72 entries at 11.11 bytes; float64 values; rows: 0 template, 0 stencil, 8 near, 0 far, 0 long; 0 gaps"},
		{scattered(r, 1e6, 1e6, values["random"], 9, 9, 1000, 8, 7),
			"5 x 1000000, 1033 entries at 12.21 bytes; float64 values; rows: 0 template, 0 stencil, 0 near, 4 far, 1 long; 0 gaps"},
	} {
		p, err := NewProduct(c.a.cols, c.a.ptr, c.a.col, c.a.val)
		require.NoError(t, err)
		assert.Equal(t, c.want, p.String())
	}
}

// No slice reads a row on the other side of a cut.
func TestCutsOfProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for name, a := range matrices(r, valuesOf(r)["few"]) {
		n := len(a.ptr) - 1
		var cuts []int
		for i := 0; n > 0 && i <= n; i += 1 + r.IntN(n) {
			cuts = append(cuts, i, i)
		}
		p, err := NewProduct(a.cols, a.ptr, a.col, a.val, cuts...)
		require.NoError(t, err)
		for _, c := range cuts {
			if c < n {
				require.Equal(t, c, int(p.form.Slice[p.slice(c)].Row), name)
			}
		}
	}
}

func TestWrongProducts(t *testing.T) {
	for _, c := range []struct {
		a    rowsOf
		want string
	}{
		{rowsOf{3, nil, nil, nil}, "row pointers"},
		{rowsOf{3, []int64{0, 2}, []int32{1}, []float64{1}}, "row pointers"},
		{rowsOf{3, []int64{0, 1}, []int32{1}, nil}, "row pointers"},
		{rowsOf{3, []int64{0, 2, 1}, []int32{1}, []float64{1}}, "fall at row 1"},
		{rowsOf{3, []int64{0, 1}, []int32{3}, []float64{1}}, "column 3 of 3"},
		{rowsOf{3, []int64{0, 1}, []int32{-1}, []float64{1}}, "column -1 of 3"},
	} {
		_, err := NewProduct(c.a.cols, c.a.ptr, c.a.col, c.a.val)
		require.ErrorContains(t, err, c.want)
	}
	a := grid(10, 1, 1, false, func(bool) float64 { return 1 })
	p, err := NewProduct(10, a.ptr, a.col, a.val)
	require.NoError(t, err)
	v, short := make([]float64, 10), make([]float64, 9)
	for _, f := range []func(){
		func() { p.MulRows(short, v, 0, 10) },
		func() { p.MulRows(v, short, 0, 1) },
		func() { p.MulRows(v, v, -1, 1) },
		func() { p.MulRows(make([]float64, 20), v, 0, 11) },
	} {
		require.PanicsWithValue(t, errShape, f)
	}
	p.MulRows(v, v, 5, 4) // nothing
}

func TestProductsAllocateNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for name, a := range matrices(r, valuesOf(r)["random"]) {
		p, err := NewProduct(a.cols, a.ptr, a.col, a.val)
		require.NoError(t, err)
		n := len(a.ptr) - 1
		x, y := make([]float64, a.cols), make([]float64, n)
		require.Zero(t, testing.AllocsPerRun(3, func() { p.MulRows(y, x, n/5, n-n/7) }), name)
	}
}
