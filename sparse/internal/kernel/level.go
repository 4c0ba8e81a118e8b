package kernel

import "os"

// Level is an instruction set that the functions of this package use.
type Level string

const (
	Portable Level = "portable" // Go
	AVX2     Level = "avx2"     // with FMA and BMI2
	AVX512   Level = "avx512"   // F, DQ, BW, VL
)

// passes are the passes over vectors of one level, without the checks that the
// exported functions make.
type passes struct {
	level          Level
	dot            func(x, y []float64) float64
	scaledDot      func(y, d []float64) float64
	axpy           func(alpha float64, x, y []float64)
	axpyDot        func(alpha float64, x, y []float64) float64
	axpyXpby       func(alpha float64, p, x []float64, beta float64, z []float64)
	axpyXpbyScaled func(alpha float64, p, x []float64, beta float64, d, r []float64)
	axpy4          func(w []float64, c0, c1, c2, c3 float64, v0, v1, v2, v3 *float64) // nil: axpy four times
	scale          func(y []float64, alpha float64, x []float64)
	sub, mul       func(z, x, y []float64)
	maxAbs         func(x []float64) float64
}

// levels are those that this processor has, the best last.
var levels = append([]*passes{&portable}, assembly()...)

// use is the level in use. It is set at init, and by tests.
var use = choose(os.Getenv("SYMSPARSE_CPU"))

// choose returns the named level, or the best one if this processor does not have
// it or there is no such level.
func choose(name string) *passes {
	for _, p := range levels {
		if string(p.level) == name {
			return p
		}
	}
	return levels[len(levels)-1]
}

// Levels returns the levels that this processor has, the best last.
func Levels() []Level {
	var names []Level
	for _, p := range levels {
		names = append(names, p.level)
	}
	return names
}

// Force makes all goroutines use a level, and returns the one that was in use. It
// is for tests, while nothing else runs; programs set SYMSPARSE_CPU instead.
func Force(l Level) (was Level) {
	was = use.level
	use = choose(string(l))
	return was
}
