package precond

import (
	"fmt"

	"github.com/symsparse/symsparse/solvers"
)

// Jacobi is the preconditioner M = diag(A). Methods fold it into their own
// passes, where it costs one more vector read, and no reduction.
type Jacobi[V any] struct {
	space   solvers.Space[V]
	inverse V
}

var _ solvers.DiagonalPreconditioner[[]float64] = (*Jacobi[[]float64])(nil)

// NewJacobi returns the Jacobi preconditioner of a matrix with this diagonal,
// which it does not keep. If an element has no finite inverse, it returns the same
// [*DiagonalError] on every PE.
func NewJacobi[V any](space solvers.Space[V], diagonal V) (*Jacobi[V], error) {
	inverse, err := space.New()
	if err != nil {
		return nil, fmt.Errorf("precond: Jacobi: %w", err)
	}
	row, err := space.Reciprocal(inverse, diagonal)
	switch {
	case err != nil:
		err = fmt.Errorf("precond: Jacobi: %w", err)
	case row >= 0:
		err = &DiagonalError{Row: row}
	default:
		return &Jacobi[V]{space, inverse}, nil
	}
	space.Free(inverse)
	return nil, err
}

// Apply sets z = M⁻¹ r.
func (j *Jacobi[V]) Apply(z, r V) error {
	j.space.Mul(z, j.inverse, r)
	return nil
}

// Inverse returns the diagonal of M⁻¹.
func (j *Jacobi[V]) Inverse() V { return j.inverse }

// Free gives the memory back.
func (j *Jacobi[V]) Free() { j.space.Free(j.inverse) }

// DiagonalError says that a matrix has no Jacobi preconditioner. It is
// [solvers.PreconditionerFailed] to errors.Is.
type DiagonalError struct {
	Row int64 // global, zero-based; the first at fault
}

func (e *DiagonalError) Error() string {
	return fmt.Sprintf("precond: Jacobi: the diagonal element of row %d (global, from 0) is zero or has no finite inverse", e.Row)
}

func (e *DiagonalError) Unwrap() error { return solvers.PreconditionerFailed }
