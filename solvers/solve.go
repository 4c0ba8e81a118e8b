package solvers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// solve is what all methods share: the tests that decide when a solve ends, and
// the care for the best x. A method is a loop over it, see [CG].
//
// Residuals are kept divided by scale, the power of two that brings the initial
// one to about 1, so that no product of two of them underflows or overflows,
// however small or large b is. Powers of two are exact: b and b/2^k take the same
// iterations, with the same bits.
type solve[V any] struct {
	ctx      context.Context
	method   string
	space    Space[V]
	a        Operator[V]
	m        Preconditioner[V]
	diagonal V // the inverse that m is, if isDiag
	isDiag   bool
	b, x     V
	opt      Options
	deadline time.Time
	vectors  []V // to be freed

	r, t  V // (b - A x)/scale; a vector to work with
	scale float64

	res       Result
	target    float64 // the norm to reach
	limit     float64 // the norm that is divergence
	norm      float64 // of the residual of x
	isTrue    bool    // norm is true, not from the recurrence
	lowest    float64 // of the true norms so far; +Inf before the first
	suspected bool    // the recurrence has reached target
	misses    int     // wrong suspicions in a row that did not halve lowest
	broken    bool    // an operation has failed: nothing more can be computed

	best     V
	bestNorm float64 // +Inf if best is empty

	guess     V       // the x that the solve began with; zero if there was none
	guessNorm float64 // +Inf until it is known
}

const (
	divergence = 1e10
	maxMisses  = 5
	// The recurrence is not believed below this part of the residual that it
	// started from: no true residual follows it there, and r·r would underflow.
	vanished = 0x1p-100
)

// run does what comes before and after the loop of a method. The loop returns nil
// once a true residual has passed, otherwise an *Error.
func run[V any](ctx context.Context, method string, sys System[V], b, x V, opt Options, loop func(*solve[V]) error) (*Result, error) {
	opt, err := opt.withDefaults()
	if err == nil {
		err = check(sys, b, x)
	}
	if err != nil {
		return &Result{}, fmt.Errorf("solvers: %s: %w", method, err)
	}
	none := math.Inf(1)
	s := &solve[V]{ctx: ctx, method: method, space: sys.Space, a: sys.A, m: sys.M, b: b, x: x, opt: opt,
		scale: 1, lowest: none, bestNorm: none, guessNorm: none}
	if d, ok := sys.M.(DiagonalPreconditioner[V]); ok {
		s.diagonal, s.isDiag = d.Inverse(), true
	}
	if opt.TimeLimit > 0 {
		s.deadline = time.Now().Add(opt.TimeLimit)
	}
	defer s.free()
	err = s.start()
	if err == nil && s.res.BNorm != 0 {
		err = loop(s)
	}
	return s.finish(err)
}

func check[V any](sys System[V], b, x V) error {
	if sys.Space == nil || sys.A == nil {
		return errors.New("the system has no space or no operator")
	}
	if rows, cols := sys.A.Dims(); rows != cols {
		return fmt.Errorf("the operator has %d rows and %d columns; it must be square", rows, cols)
	}
	if c, ok := sys.Space.(interface{ Check(b, x V) error }); ok {
		return c.Check(b, x)
	}
	return nil
}

// start computes what the tests need, and x if b is zero.
func (s *solve[V]) start() error {
	vectors := []*V{&s.r, &s.t, &s.best}
	if s.opt.InitialGuess {
		vectors = append(vectors, &s.guess)
	}
	for _, v := range vectors {
		if err := s.alloc(v); err != nil {
			return err
		}
	}
	s.vote()
	bnorm, err := s.value(s.space.Norm(s.b))
	if err != nil {
		return err
	}
	s.res.BNorm, s.norm = bnorm, bnorm
	s.target = max(float64(s.opt.RTol*bnorm), s.opt.ATol)
	if bnorm == 0 || !s.opt.InitialGuess {
		s.space.Zero(s.x)
		s.isTrue = true
	}
	switch {
	case bnorm == 0:
		s.monitor(TrueNorm)
		return nil
	case !finite(bnorm):
		return s.stop(NotFinite, "||b|| = %g", bnorm)
	}
	return s.agreed()
}

func (s *solve[V]) alloc(v *V) error {
	w, err := s.space.New()
	if err != nil {
		return s.failed(err)
	}
	s.vectors = append(s.vectors, w)
	*v = w
	return nil
}

func (s *solve[V]) free() {
	for _, v := range s.vectors {
		s.space.Free(v)
	}
}

// residual sets r to the true residual, scaled, and decides: it is done if that
// passes; otherwise x is kept if it is the best yet. A loop begins with it, and
// comes back when convergence is suspected.
func (s *solve[V]) residual() (done bool, err error) {
	first := math.IsInf(s.lowest, 1)
	if first && !s.opt.InitialGuess { // x is zero
		s.space.Copy(s.r, s.b)
	} else if err := s.measureX(); err != nil {
		return false, err
	}
	s.monitor(TrueNorm)
	if first {
		s.guessNorm = s.norm
		s.limit = divergence * max(s.res.BNorm, s.norm)
	}
	switch {
	case !finite(s.norm):
		return false, s.stop(NotFinite, "b - A x at iteration %d", s.res.Iterations)
	case s.norm <= s.target:
		return true, nil
	case s.norm > s.limit:
		return false, s.stop(Diverged, "at iteration %d", s.res.Iterations)
	}
	if s.suspected {
		s.suspected = false
		if s.misses++; s.norm <= s.lowest/2 {
			s.misses = 0
		}
		if s.misses == maxMisses {
			return false, s.stop(TrueResidualAboveTol, "at iteration %d", s.res.Iterations)
		}
	}
	if first && s.opt.InitialGuess {
		s.space.Copy(s.guess, s.x)
	}
	s.lowest = min(s.lowest, s.norm)
	s.keep()
	// Beyond 2^±1000 the scale itself would leave the range of normal numbers.
	s.scale = math.Ldexp(1, min(max(math.Ilogb(s.norm), -1000), 1000))
	s.space.Scale(s.r, 1/s.scale, s.r)
	return false, nil
}

// measure returns ||b - A x|| and leaves the residual, not scaled, in r.
func (s *solve[V]) measure(x V) (float64, error) {
	if err := s.mul(s.t, x); err != nil {
		return 0, err
	}
	s.space.Sub(s.r, s.b, s.t)
	return s.value(s.space.Norm(s.r))
}

func (s *solve[V]) measureX() error {
	norm, err := s.measure(s.x)
	if err == nil {
		s.norm, s.isTrue = norm, true
	}
	return err
}

func (s *solve[V]) mul(y, x V) error {
	s.res.Products++
	if err := s.a.Mul(y, x); err != nil {
		return s.failed(err)
	}
	return nil
}

// precondition sets z = M⁻¹ r.
func (s *solve[V]) precondition(z, r V) error {
	switch {
	case s.m == nil:
		s.space.Copy(z, r)
	case s.isDiag:
		s.space.Mul(z, s.diagonal, r)
	default:
		if err := s.m.Apply(z, r); err != nil {
			s.broken = true
			return s.end(PreconditionerFailed, err, "at iteration %d", s.res.Iterations)
		}
	}
	return nil
}

// next begins an iteration, if there may be one more.
func (s *solve[V]) next() error {
	if s.res.Iterations == s.opt.MaxIterations {
		return s.stop(MaxIterations, "after %d", s.res.Iterations)
	}
	s.res.Iterations++
	return nil
}

// step is told the norm that the recurrence gives to the x of this iteration,
// before x is updated: when the residual rises, x is kept if it is the best yet.
// It costs nothing while the residual falls.
func (s *solve[V]) step(norm float64) error {
	if !finite(norm) {
		return s.stop(NotFinite, "||r|| = %g at iteration %d", norm, s.res.Iterations)
	}
	if norm > s.norm {
		s.keep()
	}
	s.norm, s.isTrue = norm, false
	s.suspected = norm <= max(s.target, float64(vanished*s.scale))
	s.monitor(RecurrenceNorm)
	if norm > s.limit {
		return s.stop(Diverged, "at iteration %d", s.res.Iterations)
	}
	return nil
}

// keep saves x if it is the best yet.
func (s *solve[V]) keep() {
	if s.norm < s.bestNorm {
		s.space.Copy(s.best, s.x)
		s.bestNorm = s.norm
	}
}

func (s *solve[V]) monitor(kind NormKind) {
	if s.opt.Monitor != nil {
		s.opt.Monitor(Progress{Iteration: s.res.Iterations, Norm: s.norm, Kind: kind})
	}
}

// finish makes x the best that was found, and the result true to it.
func (s *solve[V]) finish(err error) (*Result, error) {
	if err != nil && !s.broken && finite(s.res.BNorm) {
		err = s.settle(err.(*Error))
	}
	s.res.ResidualNorm, s.res.RelativeResidual = s.norm, s.norm
	if s.res.BNorm != 0 {
		s.res.RelativeResidual /= s.res.BNorm
	}
	switch {
	case err != nil:
		s.res.Reason = err.(*Error).Reason
	case s.norm == 0:
		s.res.Reason = ConvergedExact
	case s.norm <= s.opt.RTol*s.res.BNorm:
		s.res.Reason = ConvergedRTol
	default:
		s.res.Reason = ConvergedATol
	}
	return &s.res, err
}

// settle chooses the x to return from a solve that ended with end, which is
// forgotten if that x passes.
func (s *solve[V]) settle(end *Error) error {
	if err := s.choose(); err != nil {
		end.Err = errors.Join(end.Err, err)
		return end
	}
	if s.norm <= s.target {
		return nil
	}
	end.Detail += fmt.Sprintf(": ||b - A x|| = %.3g, not %.3g", s.norm, s.target)
	return end
}

// choose puts the best of three into x: x, the best that was kept, whose norm may
// be one of a recurrence that went wrong, and what the solve began with. If none
// has a finite residual, x becomes zero.
func (s *solve[V]) choose() error {
	if !s.isTrue {
		if err := s.measureX(); err != nil {
			return err
		}
	}
	if s.bestNorm < s.norm || !finite(s.norm) && finite(s.bestNorm) {
		norm, err := s.measure(s.best)
		if err != nil {
			return err
		}
		if norm < s.norm || !finite(s.norm) {
			s.space.Copy(s.x, s.best)
			s.norm = norm
		}
	}
	switch {
	case finite(s.norm) && s.norm <= s.guessNorm:
	case s.opt.InitialGuess && finite(s.guessNorm):
		s.space.Copy(s.x, s.guess)
		s.norm = s.guessNorm
	default:
		s.space.Zero(s.x)
		s.norm = s.res.BNorm
	}
	return nil
}
