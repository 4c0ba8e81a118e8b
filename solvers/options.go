package solvers

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// Defaults of [Options].
const (
	DefaultRTol          = 1e-6
	DefaultMaxIterations = 10000
	DefaultRestart       = 30
)

// Options says when a method stops. The zero value has the defaults. All PEs
// give the same options.
type Options struct {
	// A solution is accepted when ||b - A x|| <= max(RTol*||b||, ATol) in the
	// 2-norm, of the true residual. RTol 0 means 1e-6; to test against ATol
	// alone, set RTol to a negative number.
	RTol, ATol float64

	// MaxIterations bounds the iterations; each makes one product with A. The
	// products that compute true residuals are not counted as iterations.
	// 0 means 10,000.
	MaxIterations int

	// Restart is the largest dimension of GMRES's Krylov space. 0 means 30.
	Restart int

	// InitialGuess says that x holds a guess; otherwise its content is ignored.
	InitialGuess bool

	// TimeLimit ends the solve; 0 means none.
	TimeLimit time.Duration

	// Monitor, if not nil, is called with every residual norm, that of iteration
	// 0 included; on every PE with the same values. It must not block.
	Monitor func(Progress)
}

// withDefaults returns the options in full, or what is wrong with them.
func (o Options) withDefaults() (Options, error) {
	if math.IsNaN(o.RTol) || !(o.ATol >= 0) {
		return o, fmt.Errorf("tolerances RTol %g, ATol %g", o.RTol, o.ATol)
	}
	if o.MaxIterations < 0 || o.Restart < 0 || o.TimeLimit < 0 {
		return o, fmt.Errorf("a negative limit: MaxIterations %d, Restart %d, TimeLimit %v",
			o.MaxIterations, o.Restart, o.TimeLimit)
	}
	o.RTol = max(0, cmp.Or(o.RTol, DefaultRTol))
	o.MaxIterations = cmp.Or(o.MaxIterations, DefaultMaxIterations)
	o.Restart = cmp.Or(o.Restart, DefaultRestart)
	return o, nil
}

// Progress is what a monitor is told. Iteration 0 comes first, with the true
// norm of the initial residual; then each iteration with the norm that its
// recurrence gives, followed by the true one where that is computed.
type Progress struct {
	Iteration int
	Norm      float64 // of the residual, 2-norm
	Kind      NormKind
}

// NormKind says where a residual norm comes from.
type NormKind int

const (
	TrueNorm       NormKind = iota // computed from b - A x
	RecurrenceNorm                 // carried along by the method's recurrence
)

func (k NormKind) String() string {
	if k == TrueNorm {
		return "true"
	}
	return "recurrence"
}
