package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachLevel runs a test at every level of this processor.
func eachLevel(t *testing.T, test func(t *testing.T)) {
	for _, l := range Levels() {
		t.Run(string(l), func(t *testing.T) {
			defer Force(Force(l))
			test(t)
		})
	}
}

func TestChoiceOfLevel(t *testing.T) {
	best := levels[len(levels)-1]
	for name, want := range map[string]*passes{"": best, "fastest": best, "portable": &portable} {
		require.Same(t, want, choose(name), name)
	}
	for _, p := range levels {
		require.Same(t, p, choose(string(p.level)))
	}
	require.Equal(t, Portable, Levels()[0])
}

// guard is what surrounds the vectors of a test: a NaN with a payload of its own.
var guard = math.Float64frombits(0x7ff8_0000_dead_beef)

const fence = 40

// fenced is a vector with guards around it that starts at an odd place.
type fenced struct{ all, v []float64 }

func newFenced(r *rand.Rand, n int) fenced {
	before := fence + r.IntN(8)
	all := make([]float64, before+n+fence)
	for i := range all {
		all[i] = guard
	}
	return fenced{all, all[before : before+n]}
}

func (f fenced) requireGuards(t *testing.T, args ...any) {
	t.Helper()
	at := cap(f.all) - cap(f.v)
	for i, u := range f.all {
		if (i < at || i >= at+len(f.v)) && math.Float64bits(u) != math.Float64bits(guard) {
			require.Fail(t, "guard overwritten", "%d of a vector of %d: %v", i-at, len(f.v), args)
		}
	}
}

// Every function at every level gives the bits of the portable one.
func TestLevelsAgree(t *testing.T) {
	lengths := []int{}
	for n := range 2*Lanes + 4 {
		lengths = append(lengths, n)
	}
	for k := 3; k <= 128; k++ { // to 2*2048+3, mostly odd
		lengths = append(lengths, 32*k-1, 32*k+k%7, 32*k+3)
	}
	lengths = append(lengths, stretch-1, stretch, stretch+1, 2*stretch+33)
	eachLevel(t, func(t *testing.T) {
		level := use.level
		for name, draw := range classes {
			r := rand.New(rand.NewPCG(5, 6))
			for k, n := range lengths {
				if n > 200 && (testing.Short() || (k+len(name))%5 > 0) {
					continue // each class takes other lengths
				}
				var v [4]fenced
				for j := range v {
					v[j] = newFenced(r, n)
					for i := range v[j].v {
						v[j].v[i] = draw(r)
					}
				}
				alpha, beta := draw(r), draw(r)
				for f, call := range calls {
					run := func(l Level) (w [4]fenced, sums [2]float64) {
						Force(l)
						for j := range v {
							w[j].all = append([]float64(nil), v[j].all...)
							at := cap(v[j].all) - cap(v[j].v)
							w[j].v = w[j].all[at : at+n]
						}
						sums[0], sums[1] = call(alpha, beta, w[0].v, w[1].v, w[2].v, w[3].v)
						return w, sums
					}
					want, wantSums := run(Portable)
					got, gotSums := run(level)
					requireSame(t, wantSums[0], gotSums[0], f, name, n)
					requireSame(t, wantSums[1], gotSums[1], f, name, n)
					for j := range got {
						for i, u := range got[j].v {
							if bits(want[j].v[i]) != bits(u) {
								requireSame(t, want[j].v[i], u, f, name, n, j, i)
							}
						}
						got[j].requireGuards(t, f, name, n)
					}
				}
			}
		}
		Force(level)
	})
}

var calls = map[string]func(alpha, beta float64, a, b, c, d []float64) (float64, float64){
	"Dot":           func(_, _ float64, a, b, _, _ []float64) (float64, float64) { return Dot(a, b), Dot(a, a) },
	"Axpy":          func(s, _ float64, a, b, _, _ []float64) (float64, float64) { Axpy(s, a, b); return 0, 0 },
	"AxpyDot":       func(s, _ float64, a, b, _, _ []float64) (float64, float64) { return AxpyDot(s, a, b), 0 },
	"AxpyScaledDot": func(s, _ float64, a, b, c, _ []float64) (float64, float64) { return AxpyScaledDot(s, a, b, c) },
	"AxpyXpby": func(s, u float64, a, b, c, _ []float64) (float64, float64) {
		AxpyXpby(s, a, b, u, c)
		return 0, 0
	},
	"AxpyXpbyScaled": func(s, u float64, a, b, c, d []float64) (float64, float64) {
		AxpyXpbyScaled(s, a, b, u, c, d)
		return 0, 0
	},
	"Axpys": func(s, u float64, a, b, c, d []float64) (float64, float64) {
		off := min(1, len(d))
		Axpys([]float64{s, u, 1, s, u}, [][]float64{a, b, c, b, a}, off, d[off:])
		return 0, 0
	},
	"Scale": func(s, _ float64, a, b, _, _ []float64) (float64, float64) {
		Scale(a, s, b)
		Scale(b, s, b)
		return 0, 0
	},
	"Sub": func(_, _ float64, a, b, c, _ []float64) (float64, float64) {
		Sub(a, b, c)
		Sub(b, b, c)
		Sub(c, b, c)
		return 0, 0
	},
	"Mul": func(_, _ float64, a, b, c, _ []float64) (float64, float64) {
		Mul(a, b, c)
		Mul(b, b, c)
		Mul(c, b, c)
		return 0, 0
	},
	"MaxAbs": func(_, _ float64, a, b, _, _ []float64) (float64, float64) { return MaxAbs(a), MaxAbs(b) },
}

// A shorter vector than the first must not let assembly past its end.
func TestShortVectorsPanic(t *testing.T) {
	long, short := make([]float64, 40), make([]float64, 39)
	eachLevel(t, func(t *testing.T) {
		for name, call := range calls {
			if name != "Dot" && !strings.HasPrefix(name, "Axpy") || name == "Axpys" {
				continue
			}
			require.Panics(t, func() { call(1, 1, long, short, long, long) }, name)
		}
		require.Panics(t, func() { Scale(short, 1, long) })
		require.Panics(t, func() { Axpys(make([]float64, 4), [][]float64{long, long, short, long}, 0, long) })
	})
}

func BenchmarkPasses(b *testing.B) {
	for _, n := range []int{2048, 1 << 22} {
		v := make([][]float64, 4)
		for j := range v {
			v[j] = make([]float64, n)
			for i := range v[j] {
				v[j][i] = 1 / float64(i+1)
			}
		}
		blocks := func(f func(lo, hi int)) {
			for lo := 0; lo < n; lo += 2048 {
				f(lo, lo+2048)
			}
		}
		for _, c := range []struct {
			name  string
			bytes int
			run   func()
		}{
			{"Dot", 16, func() { blocks(func(l, h int) { Dot(v[0][l:h], v[1][l:h]) }) }},
			{"AxpyDot", 24, func() { blocks(func(l, h int) { AxpyDot(1e-9, v[0][l:h], v[1][l:h]) }) }},
			{"AxpyScaledDot", 32, func() { blocks(func(l, h int) { AxpyScaledDot(1e-9, v[0][l:h], v[1][l:h], v[2][l:h]) }) }},
			{"AxpyXpby", 40, func() { AxpyXpby(1e-9, v[0], v[1], 0.5, v[2]) }},
			{"AxpyXpbyScaled", 48, func() { AxpyXpbyScaled(1e-9, v[0], v[1], 0.5, v[2], v[3]) }},
			{"MaxAbs", 8, func() { MaxAbs(v[0]) }},
		} {
			for _, l := range Levels() {
				b.Run(fmt.Sprintf("%s/%d/%s", c.name, n, l), func(b *testing.B) {
					defer Force(Force(l))
					b.SetBytes(int64(c.bytes * n))
					for b.Loop() {
						c.run()
					}
				})
			}
		}
	}
}
