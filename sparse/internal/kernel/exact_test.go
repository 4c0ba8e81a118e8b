package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file states the package comment once more, in exact arithmetic and with
// its numbers written out, and compares the functions with it.

// fma is a*b+c in exact arithmetic, rounded once.
func fma(a, b, c float64) float64 {
	special := func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }
	if special(a) || special(b) {
		return float64(a*b) + c // a*b is special too, so nothing is rounded
	}
	if special(c) {
		return c
	}
	x := func(v float64) *big.Float { return new(big.Float).SetPrec(8192).SetFloat64(v) }
	p := x(a)
	p.Mul(p, x(b))
	v, _ := p.Add(p, x(c)).Float64()
	return v
}

func add(a, b float64) float64 { return fma(a, 1, b) }
func mul(a, b float64) float64 { return fma(a, b, math.Copysign(0, -1)) }

func wantDot(x, y []float64) float64 {
	var t [32]float64
	for i := range x {
		t[i%32] = fma(x[i], y[i], t[i%32])
	}
	for _, h := range []int{16, 8, 4, 2, 1} {
		for l := range h {
			t[l] = add(t[l], t[l+h])
		}
	}
	return t[0]
}

func wantRow(val, x []float64) float64 {
	var sums []float64
	for k := range val {
		if k%256 == 0 {
			sums = append(sums, 0)
		}
		s := &sums[len(sums)-1]
		*s = fma(val[k], x[k], *s)
	}
	if len(sums) == 0 {
		return 0
	}
	sum := sums[0]
	for _, s := range sums[1:] {
		sum = add(sum, s)
	}
	return sum
}

// bits makes all NaNs equal: which one it is, is not defined.
func bits(x float64) uint64 {
	if x != x {
		return 0x7ff8 << 48
	}
	return math.Float64bits(x)
}

func requireSame(t *testing.T, want, got float64, args ...any) {
	t.Helper()
	if bits(want) != bits(got) {
		require.Fail(t, "different bits", "want %x, got %x: %v", want, got, args)
	}
}

// classes are what the elements of a vector are drawn from. Few are special, lest
// every sum be NaN.
var classes = map[string]func(r *rand.Rand) float64{
	"ordinary": (*rand.Rand).NormFloat64,
	"cancelling": func(r *rand.Rand) float64 {
		return []float64{1, -1, 1 + 0x1p-52, -1 + 0x1p-53, 0x1p53, -0x1p53}[r.IntN(6)]
	},
	"subnormal": func(r *rand.Rand) float64 {
		return math.Ldexp(r.NormFloat64(), []int{-1070, -540, -510, 0}[r.IntN(4)])
	},
	"tiny and signed zeros": func(r *rand.Rand) float64 {
		return []float64{0, math.Copysign(0, -1), 1e-200, -1e-200, 5e-324, -5e-324}[r.IntN(6)]
	},
	"overflowing": func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), 511+r.IntN(3)) },
	"special": func(r *rand.Rand) float64 {
		if r.IntN(80) > 0 {
			return r.NormFloat64()
		}
		return []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0}[r.IntN(4)]
	},
}

func eachClass(t *testing.T, test func(t *testing.T, vector func(n int) []float64, r *rand.Rand)) {
	for name, draw := range classes {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			test(t, func(n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = draw(r)
				}
				return x
			}, r)
		})
	}
}

func TestRowsAgainstExactArithmetic(t *testing.T) { eachLevel(t, testRows) }

func testRows(t *testing.T) {
	eachClass(t, func(t *testing.T, vector func(int) []float64, r *rand.Rand) {
		x := vector(97)
		lengths := []int{0, 1, 2, 3, 7, 8, 31, 255, 256, 257, 511, 512, 513, 800}
		ptr := []int64{0}
		for _, n := range lengths {
			ptr = append(ptr, ptr[len(ptr)-1]+int64(n))
		}
		val := vector(int(ptr[len(lengths)]))
		col := make([]int32, len(val))
		gathered := make([]float64, len(val))
		for k := range col {
			col[k] = int32(r.IntN(len(x))) // the order of columns is not the kernel's business
			gathered[k] = x[col[k]]
		}
		y := make([]float64, len(lengths))
		y[0], y[len(y)-1] = 7, 8
		Rows(y, ptr, col, val, x, 1, len(y)-1)
		require.Equal(t, []float64{7, 8}, []float64{y[0], y[len(y)-1]}, "rows outside of the range")
		Rows(y, ptr, col, val, x, 0, len(y))
		for i, n := range lengths {
			b, e := ptr[i], ptr[i+1]
			want := wantRow(val[b:e], gathered[b:e])
			requireSame(t, want, y[i], n)
			requireSame(t, want, Row(col[b:e], val[b:e], x), n)
		}
	})
}

func TestRowSigns(t *testing.T) {
	for _, c := range []struct {
		val, x []float64
		want   float64
	}{
		{nil, nil, 0},
		{[]float64{-1}, []float64{0}, 0}, // +0 + -0
		{[]float64{-1e-200}, []float64{1e-200}, math.Copysign(0, -1)}, // underflow keeps the sign
		{[]float64{1, -1}, []float64{1, 1}, 0},
		{[]float64{0}, []float64{math.Inf(1)}, math.NaN()},
	} {
		col := []int32{0, 1}[:len(c.val)]
		requireSame(t, c.want, Row(col, c.val, c.x), c)
	}
}

func TestVectorsAgainstExactArithmetic(t *testing.T) { eachLevel(t, testVectors) }

func testVectors(t *testing.T) {
	eachClass(t, func(t *testing.T, vector func(int) []float64, _ *rand.Rand) {
		for _, n := range []int{0, 1, 15, 31, 32, 33, 63, 64, 65, 257} {
			x, y, z, d := vector(n), vector(n), vector(n), vector(n)
			c := vector(3)
			copyOf := func(v []float64) []float64 { return append([]float64(nil), v...) }
			check := func(got []float64, want func(i int) float64) {
				t.Helper()
				for i, v := range got {
					requireSame(t, want(i), v, n, i)
				}
			}
			axpy := func(i int) float64 { return fma(c[0], x[i], y[i]) }

			requireSame(t, wantDot(x, y), Dot(x, y), n)

			u := copyOf(y)
			Axpy(c[0], x, u)
			check(u, axpy)

			u = copyOf(y)
			uu := AxpyDot(c[0], x, u)
			check(u, axpy)
			requireSame(t, wantDot(u, u), uu, n)

			u = copyOf(y)
			uu, uz := AxpyScaledDot(c[0], x, u, d)
			check(u, axpy)
			requireSame(t, wantDot(u, u), uu, n)
			scaled := make([]float64, n)
			for i := range scaled {
				scaled[i] = mul(d[i], u[i])
			}
			requireSame(t, wantDot(u, scaled), uz, n)

			p, u := copyOf(x), copyOf(y)
			AxpyXpby(c[0], p, u, c[1], z)
			check(u, axpy)
			check(p, func(i int) float64 { return fma(c[1], x[i], z[i]) })

			p, u = copyOf(x), copyOf(y)
			AxpyXpbyScaled(c[0], p, u, c[1], d, z)
			check(u, axpy)
			check(p, func(i int) float64 { return fma(c[1], x[i], mul(d[i], z[i])) })

			const off = 2
			vs := [][]float64{vector(n + off), vector(n + off + 1), vector(n + off)}
			u = copyOf(y)
			Axpys(c, vs, off, u)
			check(u, func(i int) float64 {
				w := y[i]
				for j, v := range vs {
					w = fma(c[j], v[off+i], w)
				}
				return w
			})

			u = make([]float64, n)
			Scale(u, c[0], x)
			check(u, func(i int) float64 { return mul(c[0], x[i]) })
			Sub(u, x, y)
			check(u, func(i int) float64 { return add(x[i], -y[i]) })
			Mul(u, x, y)
			check(u, func(i int) float64 { return mul(x[i], y[i]) })

			var most float64
			for _, v := range x {
				most = max(most, math.Abs(v))
			}
			requireSame(t, most, MaxAbs(x), n)
		}
	})
}

func TestBlockLen(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want int
	}{
		{0, 8}, {1, 8}, {1024, 8},
		{1025, 32}, {512 * 32, 32},
		{512*32 + 1, 64}, {512 * 64, 64},
		{512*64 + 1, 128}, {512 * 1024, 1024},
		{512*1024 + 1, 2048}, {512 * 2048, 2048},
		{512*2048 + 1, 2048}, {math.MaxInt32, 2048}, {math.MaxInt64, 2048},
	} {
		require.Equal(t, c.want, BlockLen(c.n), c.n)
	}
}

func BenchmarkRows(b *testing.B) {
	const n, width = 1 << 16, 7
	r := rand.New(rand.NewPCG(1, 2))
	ptr := make([]int64, n+1)
	col := make([]int32, n*width)
	val := make([]float64, n*width)
	for i := range n {
		ptr[i+1] = int64((i + 1) * width)
		for k := range width {
			col[i*width+k] = int32(min(max(i+k-width/2, 0), n-1))
			val[i*width+k] = r.Float64()
		}
	}
	x, y := make([]float64, n), make([]float64, n)
	for _, l := range Levels() {
		b.Run(string(l), func(b *testing.B) {
			defer Force(Force(l))
			b.SetBytes(12*n*width + 20*n)
			for b.Loop() {
				Rows(y, ptr, col, val, x, 0, n)
			}
		})
	}
}
