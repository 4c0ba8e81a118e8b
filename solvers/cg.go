package solvers

import (
	"context"
	"math"
)

// CG solves A x = b for a symmetric positive definite A by the method of
// conjugate gradients: M. R. Hestenes and E. Stiefel, "Methods of conjugate
// gradients for solving linear systems", J. Res. Nat. Bur. Standards 49, 1952.
// A preconditioner must be symmetric positive definite too.
//
// Memory: 4 vectors beside b and x, one more with a guess, and one more with a
// preconditioner that is no diagonal.
//
// Traffic beyond the product, in bytes a row and iteration: 64 without
// preconditioner, 80 with a diagonal one, 80 and its own with another; 16 more
// where the operator is no [DotOperator]. The update of x waits for that of p, so
// that p is read once for both. The method makes two reductions an iteration,
// three with a preconditioner that is no diagonal. It allocates nothing in an
// iteration.
//
// The result is never nil; an error is an [*Error] unless the solve could not
// begin. Reasons that CG has of its own: [BreakdownIndefiniteOperator] and
// [BreakdownIndefinitePreconditioner]. CG does not see that A is not symmetric;
// it then goes astray, and says so at the end.
func CG[V any](ctx context.Context, sys System[V], b, x V, opt Options) (*Result, error) {
	return run(ctx, "CG", sys, b, x, opt, cg[V])
}

func cg[V any](s *solve[V]) error {
	c := conjugate[V]{solve: s}
	if err := c.init(); err != nil {
		return err
	}
	for {
		// Start, and start again whenever the recurrence has converged and the
		// true residual has not.
		if done, err := s.residual(); done || err != nil {
			return err
		}
		rz, err := c.direct() // p = z = M⁻¹ r
		if err != nil {
			return err
		}
		for !s.suspected {
			if err := s.positive(rz, BreakdownIndefinitePreconditioner, "r·M⁻¹ r"); err != nil {
				return err
			}
			if err := s.next(); err != nil {
				return err
			}
			pq, err := c.product() // q = A p
			if err != nil {
				return err
			}
			if err := s.positive(pq, BreakdownIndefiniteOperator, "p·A p"); err != nil {
				return err
			}
			alpha := rz / pq
			rr, rzNew, err := c.descend(alpha) // r -= alpha q, z = M⁻¹ r
			if err != nil {
				return err
			}
			votes := s.agreed()
			if err := s.step(float64(math.Sqrt(rr) * s.scale)); err != nil {
				return err
			}
			c.advance(alpha, rzNew/rz) // x += alpha p, p = z + beta p
			rz = rzNew
			if votes != nil {
				return votes
			}
		}
	}
}

// conjugate is the vectors of CG, and its passes over them, which depend on the
// kind of preconditioner.
type conjugate[V any] struct {
	*solve[V]
	p, q, z V // z is r if there is no preconditioner, and none if M is diagonal
	dot     DotOperator[V]
}

func (c *conjugate[V]) init() error {
	c.q, c.z = c.t, c.r
	c.dot, _ = c.a.(DotOperator[V])
	if err := c.alloc(&c.p); err != nil {
		return err
	}
	if c.m != nil && !c.isDiag {
		return c.alloc(&c.z)
	}
	return nil
}

// direct sets p = M⁻¹ r and returns r·p.
func (c *conjugate[V]) direct() (float64, error) {
	if err := c.precondition(c.p, c.r); err != nil {
		return 0, err
	}
	return c.value(c.space.Dot(c.r, c.p))
}

// product sets q = A p and returns p·q.
func (c *conjugate[V]) product() (float64, error) {
	if c.dot != nil {
		c.res.Products++
		return c.value(c.dot.MulDot(c.q, c.p))
	}
	if err := c.mul(c.q, c.p); err != nil {
		return 0, err
	}
	return c.value(c.space.Dot(c.p, c.q))
}

// descend sets r = r - alpha q and z = M⁻¹ r, and returns r·r and r·z.
func (c *conjugate[V]) descend(alpha float64) (rr, rz float64, err error) {
	c.vote()
	if c.isDiag {
		if rr, rz, err = c.space.AxpyScaledDot(-alpha, c.q, c.r, c.diagonal); err != nil {
			err = c.failed(err)
		}
		return rr, rz, err
	}
	rr, err = c.value(c.space.AxpyDot(-alpha, c.q, c.r))
	if err != nil || c.m == nil {
		return rr, rr, err
	}
	if err := c.precondition(c.z, c.r); err != nil {
		return 0, 0, err
	}
	c.vote()
	rz, err = c.value(c.space.Dot(c.r, c.z))
	return rr, rz, err
}

// advance sets x = x + alpha p, then p = z + beta p.
func (c *conjugate[V]) advance(alpha, beta float64) {
	alpha *= c.scale
	if c.isDiag {
		c.space.AxpyXpbyScaled(alpha, c.p, c.x, beta, c.diagonal, c.r)
	} else {
		c.space.AxpyXpby(alpha, c.p, c.x, beta, c.z)
	}
}
