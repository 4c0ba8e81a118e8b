package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/symsparse/symsparse/formats"
	"github.com/symsparse/symsparse/solvers"
	"github.com/symsparse/symsparse/solvers/precond"
	"github.com/symsparse/symsparse/sparse"
)

// Exit codes.
const (
	exitConverged    = 0
	exitUsage        = 1
	exitInput        = 2
	exitNotConverged = 3
	exitBreakdown    = 4
	exitPE           = 5
	exitInterrupted  = 130
)

// report is the JSON object; its keys are stable. Numbers that are not finite
// are null.
type report struct {
	Converged        bool       `json:"converged"`
	Reason           string     `json:"reason"`
	Error            string     `json:"error,omitempty"`
	Iterations       int        `json:"iterations"`
	ResidualNorm     *float64   `json:"residual_norm"`
	RelativeResidual *float64   `json:"relative_residual"`
	ErrorVsOnes      *float64   `json:"error_vs_ones,omitempty"` // largest |x_i - 1|, if b is A*ones
	Method           string     `json:"method"`
	Precond          string     `json:"precond"`
	PEs              int        `json:"pes"`
	Transport        string     `json:"transport"`
	Matrix           matrixInfo `json:"matrix"`
	Seconds          seconds    `json:"seconds"`
	SolutionSHA256   string     `json:"solution_sha256"`
}

type matrixInfo struct {
	Rows     int64  `json:"rows"`
	Cols     int64  `json:"cols"`
	NNZ      int64  `json:"nnz"` // mirrored and summed
	Field    string `json:"field"`
	Symmetry string `json:"symmetry"` // of the file's banner
}

type seconds struct {
	Read  float64 `json:"read"`
	Setup float64 `json:"setup"`
	Solve float64 `json:"solve"`
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// digest returns the sha256 of x as little-endian doubles.
func digest(x []float64) string {
	h := sha256.New()
	var b [8]byte
	for _, v := range x {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		h.Write(b[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// failure is an error with its exit code and the reason given in JSON.
type failure struct {
	exit   int
	reason string
	err    error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// classify finds the exit code of an error of a run.
func classify(err error) *failure {
	var f *failure
	var p *formats.ParseError
	var l *sparse.LimitError
	var s *solvers.Error
	var d *precond.DiagonalError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &p):
		return &failure{exitInput, "InvalidInput", err}
	case errors.As(err, &l):
		return &failure{exitInput, "InvalidInput", err}
	case errors.As(err, &d):
		return &failure{exitBreakdown, solvers.PreconditionerFailed.String(), err}
	case errors.As(err, &s):
		return &failure{exitOf(s.Reason), s.Reason.String(), err}
	default:
		return &failure{exitPE, "PEFailed", err}
	}
}

func exitOf(r solvers.Reason) int {
	switch r {
	case solvers.MaxIterations, solvers.Diverged, solvers.Stagnated, solvers.TrueResidualAboveTol, solvers.TimeLimit:
		return exitNotConverged
	case solvers.Cancelled:
		return exitInterrupted
	case solvers.PEFailed:
		return exitPE
	case solvers.ConvergedRTol, solvers.ConvergedATol, solvers.ConvergedExact:
		return exitConverged
	default:
		return exitBreakdown
	}
}

// fail reports a failure, with what is known of the run in r, and returns the
// exit code.
func fail(c *config, f *failure, r *report, stdout, stderr io.Writer) int {
	if c.json {
		if r == nil {
			r = &report{PEs: c.pes, Transport: c.transport}
		}
		r.Converged, r.Reason, r.Error = false, f.reason, f.err.Error()
		printJSON(stdout, r)
	}
	fmt.Fprintln(stderr, "mmsolve:", f.err)
	return f.exit
}

func printJSON(w io.Writer, v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil { // the reports hold nothing that cannot be encoded
		panic(err)
	}
	fmt.Fprintf(w, "%s\n", b)
}

// text prints a report for people.
func (r *report) text(w io.Writer) {
	num := func(v *float64) string {
		if v == nil {
			return "not finite"
		}
		return fmt.Sprintf("%.3e", *v)
	}
	fmt.Fprintf(w, "%s after %d iterations of %s, preconditioner %s, on %d PEs (%s)\n", r.Reason, r.Iterations, r.Method, r.Precond, r.PEs, r.Transport)
	fmt.Fprintf(w, "residual norm      %s, relative %s\n", num(r.ResidualNorm), num(r.RelativeResidual))
	if r.ErrorVsOnes != nil {
		fmt.Fprintf(w, "error of x         %s (b is A*ones)\n", num(r.ErrorVsOnes))
	}
	fmt.Fprintf(w, "seconds            read %.3f, setup %.3f, solve %.3f\n", r.Seconds.Read, r.Seconds.Setup, r.Seconds.Solve)
	fmt.Fprintf(w, "solution sha256    %s\n", r.SolutionSHA256)
}
