package formats

import "math"

// TuneParallel has the text cut into blocks of that size, each parsed by a
// goroutine of its own, until restore is called.
func TuneParallel(block int) (restore func()) {
	old := tuning
	tuning.block, tuning.alone, tuning.procs = block, 0, 4
	return func() { tuning = old }
}

// TuneSequential has one goroutine do everything until restore is called.
func TuneSequential() (restore func()) {
	old := tuning
	tuning.alone = math.MaxInt
	return func() { tuning = old }
}

// LineOf returns the line of an entry.
func (m *Matrix) LineOf(entry int) int64 { return m.lines.of(entry) }
