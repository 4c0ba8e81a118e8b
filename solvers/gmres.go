package solvers

import (
	"context"
	"math"
)

// GMRES solves A x = b for any regular A by the restarted generalised minimal
// residual method, preconditioned from the right: Y. Saad and M. H. Schultz,
// "GMRES: a generalized minimal residual algorithm for solving nonsymmetric
// linear systems", SIAM J. Sci. Stat. Comput. 7, 1986. The basis is made
// orthogonal by classical Gram-Schmidt, done twice (CGS2).
//
// In exact arithmetic the residual never grows, but it may stand still: a whole
// cycle without progress ends with [Stagnated]; a larger Options.Restart, or a
// preconditioner, helps. [BreakdownKrylov] says that A is singular, as far as the
// method can tell.
//
// Memory: min(Restart, n) + 2 vectors beside b and x, one more with a guess, and
// one more with a preconditioner.
//
// Traffic beyond the product, in bytes a row: 24k + 56 in the k-th iteration of a
// cycle, 428 on average with Restart 30; 24 more with a diagonal preconditioner.
// The basis is read three times an iteration, in three reductions. A cycle ends
// with one product more, for the true residual. Nothing is allocated in an
// iteration.
//
// The result is never nil; an error is an [*Error] unless the solve could not
// begin.
func GMRES[V any](ctx context.Context, sys System[V], b, x V, opt Options) (*Result, error) {
	return run(ctx, "GMRES", sys, b, x, opt, gmres[V])
}

// standstill is the part of the residual that a whole cycle must take away.
const standstill = 1e-8

func gmres[V any](s *solve[V]) error {
	g := arnoldi[V]{solve: s}
	if err := g.init(); err != nil {
		return err
	}
	whole := false // the last cycle was one of dim iterations
	for {
		lowest := s.lowest
		if done, err := s.residual(); done || err != nil {
			return err
		}
		if whole && s.norm > lowest*(1-standstill) && s.res.Iterations < s.opt.MaxIterations {
			return s.stop(Stagnated, "a cycle of %d iterations brought nothing", g.dim)
		}
		k, end := g.cycle()
		if s.broken {
			return end
		}
		if err := g.update(k); err != nil {
			return err
		}
		if end != nil {
			return end
		}
		whole = k == g.dim && !s.suspected
	}
}

// arnoldi is the vectors of GMRES: an orthonormal basis v of the Krylov space,
// for which A M⁻¹ v[:k] = v[:k+1] H.
type arnoldi[V any] struct {
	*solve[V]
	dim      int // the largest of the space
	v        []V // dim+1, of which r and t are the first two
	z        V   // for M⁻¹ v
	lsq      *leastSquares
	neg, add []float64
}

func (g *arnoldi[V]) init() error {
	n, _ := g.a.Dims()
	g.dim = int(min(int64(g.opt.Restart), n))
	g.lsq = newLeastSquares(g.dim)
	g.neg, g.add = make([]float64, g.dim), make([]float64, g.dim)
	g.v = make([]V, g.dim+1)
	g.v[0], g.v[1] = g.r, g.t
	for j := 2; j <= g.dim; j++ {
		if err := g.alloc(&g.v[j]); err != nil {
			return err
		}
	}
	if g.m != nil {
		return g.alloc(&g.z)
	}
	return nil
}

// cycle makes the basis larger, beginning with r, until it has dim vectors, or the
// least squares problem promises a solution, or the solve has to end. It returns
// the number of columns that may be used.
func (g *arnoldi[V]) cycle() (k int, end error) {
	beta := g.norm / g.scale
	g.space.Scale(g.v[0], 1/beta, g.v[0])
	g.lsq.start(beta)
	for k < g.dim {
		if err := g.next(); err != nil {
			return k, err
		}
		w := g.v[k+1]
		if err := g.product(w, g.v[k]); err != nil {
			return k, err
		}
		ww, err := g.orthogonalise(k, w)
		if err != nil {
			return k, err
		}
		votes := g.agreed()
		norm := math.Sqrt(ww)
		if !(norm > 0x1p-450 && norm < 0x1p450) { // A is far from 1
			if norm, err = g.value(g.space.Norm(w)); err != nil {
				return k, err
			}
		}
		g.lsq.h[k][k+1] = norm
		residual, dependent := g.lsq.add(k)
		if dependent {
			return k, g.stop(BreakdownKrylov, "A is singular on the Krylov space of iteration %d", g.res.Iterations)
		}
		if err := g.step(residual * g.scale); err != nil {
			return k, err
		}
		k++
		if g.suspected || votes != nil {
			return k, votes
		}
		g.space.Scale(w, 1/norm, w)
	}
	return k, nil
}

// product sets w = A M⁻¹ v.
func (g *arnoldi[V]) product(w, v V) error {
	if g.m == nil {
		return g.mul(w, v)
	}
	if err := g.precondition(g.z, v); err != nil {
		return err
	}
	return g.mul(w, g.z)
}

// orthogonalise takes from w its components in v[:k+1], puts them into column k of
// H, and returns w·w of what is left.
func (g *arnoldi[V]) orthogonalise(k int, w V) (float64, error) {
	v, h := g.v[:k+1], g.lsq.h[k]
	neg, add := g.neg[:k+1], g.add[:k+1]
	if err := g.space.Dots(h[:k+1], v, w); err != nil {
		return 0, g.failed(err)
	}
	for i := range neg {
		neg[i] = -h[i]
	}
	if err := g.space.AxpysDots(add, neg, v, w); err != nil {
		return 0, g.failed(err)
	}
	for i := range neg {
		h[i] += add[i]
		neg[i] = -add[i]
	}
	g.vote()
	return g.value(g.space.Axpys(neg, v, w))
}

// update sets x = x + M⁻¹ v[:k] y with the y that minimises the residual.
func (g *arnoldi[V]) update(k int) error {
	if k == 0 {
		return nil
	}
	y := g.lsq.solve(k)
	if g.m == nil {
		for i := range y {
			y[i] *= g.scale
		}
		_, err := g.value(g.space.Axpys(y, g.v[:k], g.x))
		return err
	}
	u := g.v[k] // no longer needed
	g.space.Zero(u)
	if _, err := g.value(g.space.Axpys(y, g.v[:k], u)); err != nil {
		return err
	}
	if err := g.precondition(g.z, u); err != nil {
		return err
	}
	_, err := g.value(g.space.AxpyDot(g.scale, g.z, g.x))
	return err
}
