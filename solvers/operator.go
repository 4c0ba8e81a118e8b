package solvers

// OperatorFunc returns the operator of n rows and columns whose product is mul.
func OperatorFunc[V any](n int64, mul func(y, x V) error) Operator[V] {
	return operatorFunc[V]{n, mul}
}

type operatorFunc[V any] struct {
	n   int64
	mul func(y, x V) error
}

func (f operatorFunc[V]) Dims() (rows, cols int64) { return f.n, f.n }
func (f operatorFunc[V]) Mul(y, x V) error         { return f.mul(y, x) }

// PreconditionerFunc is a function that stores M⁻¹ r in z.
type PreconditionerFunc[V any] func(z, r V) error

func (f PreconditionerFunc[V]) Apply(z, r V) error { return f(z, r) }
