package solvers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// The functions of this file make the errors with which a loop ends.

// vote says in the next reduction whether this PE wants to stop.
func (s *solve[V]) vote() {
	if s.ctx.Err() != nil {
		s.space.Vote(VoteCancel)
	}
	if !s.deadline.IsZero() && !time.Now().Before(s.deadline) {
		s.space.Vote(VoteTimeLimit)
	}
}

// agreed ends the solve if any PE voted so in the last reduction.
func (s *solve[V]) agreed() error {
	switch votes := s.space.Votes(); {
	case votes&VoteCancel != 0:
		err := context.Cause(s.ctx)
		if err == nil { // the context of another PE
			err = context.Canceled
		}
		return s.end(Cancelled, err, "at iteration %d", s.res.Iterations)
	case votes&VoteTimeLimit != 0:
		return s.stop(TimeLimit, "%v are over at iteration %d", s.opt.TimeLimit, s.res.Iterations)
	}
	return nil
}

func (s *solve[V]) stop(reason Reason, format string, args ...any) error {
	return s.end(reason, nil, format, args...)
}

func (s *solve[V]) end(reason Reason, cause error, format string, args ...any) error {
	return &Error{Method: s.method, Reason: reason, Detail: fmt.Sprintf(format, args...), Err: cause}
}

// positive ends the solve if v is not a positive number.
func (s *solve[V]) positive(v float64, otherwise Reason, what string) error {
	if !finite(v) {
		otherwise = NotFinite
	} else if v > 0 {
		return nil
	}
	return s.stop(otherwise, "%s = %g at iteration %d", what, v, s.res.Iterations)
}

// failed ends the solve after an operation that returned err. PEs may have
// stopped anywhere, so that no more calls are made.
func (s *solve[V]) failed(err error) error {
	s.broken = true
	reason := PEFailed
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		reason = Cancelled
	}
	return s.end(reason, err, "at iteration %d", s.res.Iterations)
}

// value passes v on, and turns an error of the space into the end of the solve.
func (s *solve[V]) value(v float64, err error) (float64, error) {
	if err != nil {
		err = s.failed(err)
	}
	return v, err
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
