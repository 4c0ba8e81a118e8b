package solvers

import (
	"errors"
	"fmt"
)

// Reason says why a solve ended. It is an error, so that
// errors.Is(err, solvers.Stagnated) tells the reasons of failures apart.
type Reason int

const (
	ConvergedRTol  Reason = iota + 1 // ||b - A x|| <= RTol*||b||
	ConvergedATol                    // ||b - A x|| <= ATol
	ConvergedExact                   // b is zero, or the residual is exactly zero

	MaxIterations
	Diverged                          // the residual grew beyond 1e10 times max(||b||, its start)
	BreakdownIndefiniteOperator       // p·A p <= 0: A is not positive definite
	BreakdownIndefinitePreconditioner // r·M⁻¹ r <= 0
	BreakdownKrylov                   // the Krylov space ended without a solution: A is singular
	Stagnated                         // a whole restart cycle brought nothing
	NotFinite                         // a NaN or an infinity in A, b, the guess, or a result
	PreconditionerFailed
	TrueResidualAboveTol // the recurrence converged, the true residual does not
	Cancelled
	TimeLimit
	PEFailed // a PE ended, or the memory between PEs failed
)

var reasonNames = [...]string{
	ConvergedRTol:                     "ConvergedRTol",
	ConvergedATol:                     "ConvergedATol",
	ConvergedExact:                    "ConvergedExact",
	MaxIterations:                     "MaxIterations",
	Diverged:                          "Diverged",
	BreakdownIndefiniteOperator:       "BreakdownIndefiniteOperator",
	BreakdownIndefinitePreconditioner: "BreakdownIndefinitePreconditioner",
	BreakdownKrylov:                   "BreakdownKrylov",
	Stagnated:                         "Stagnated",
	NotFinite:                         "NotFinite",
	PreconditionerFailed:              "PreconditionerFailed",
	TrueResidualAboveTol:              "TrueResidualAboveTol",
	Cancelled:                         "Cancelled",
	TimeLimit:                         "TimeLimit",
	PEFailed:                          "PEFailed",
}

func (r Reason) String() string {
	if r > 0 && int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return fmt.Sprintf("Reason(%d)", int(r))
}

func (r Reason) Error() string { return r.String() }

// Converged reports whether r is one of the Converged reasons.
func (r Reason) Converged() bool { return r >= ConvergedRTol && r <= ConvergedExact }

// Result is what a solve came to. It is zero if the solve could not begin.
type Result struct {
	Reason     Reason
	Iterations int
	Products   int // with A, those for true residuals included

	// The norms are those of the returned x, computed from it. Only if a call of
	// the space, the operator or the preconditioner failed, so that nothing more
	// can be computed, are they the last that were known, and x is not the best.
	ResidualNorm     float64 // ||b - A x||
	RelativeResidual float64 // ResidualNorm / ||b||, or ResidualNorm if b is zero
	BNorm            float64 // ||b||
}

// ErrNotConverged is wrapped by the error of every solve that began and did not
// converge.
var ErrNotConverged = errors.New("not converged")

// Error is the error of a solve that ended without convergence. It wraps
// [ErrNotConverged], its Reason, and the cause if there is one.
type Error struct {
	Method string // such as "CG"
	Reason Reason
	Detail string // numbers and advice; may be empty
	Err    error  // the cause; may be nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("solvers: %s ended with %s", e.Method, e.Reason)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() []error {
	errs := []error{ErrNotConverged, e.Reason}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}
