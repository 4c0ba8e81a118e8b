package solvers

// Space is where vectors of type V live, and the passes over them that the
// methods of this package are made of. A []float64 ([Serial]), a vector spread
// over PEs and a vector on a GPU are three spaces; each method is written once.
//
// All spaces compute with the arithmetic of package sparse/vec, so that a solve
// gives the same bits in each of them. In a space of several PEs every call is
// made by all PEs in the same order, and every PE gets the same results.
//
// An update returns no error: a space that cannot go on (a PE has ended) reports
// it at the next call that returns one. Vectors of a call do not overlap unless
// they are the same vector and the method says that they may be.
//
// A space may also have a method Check(b, x V) error, which says what is wrong
// with the vectors of a solve before anything is computed.
type Space[V any] interface {
	// New returns a vector of zeros; Free gives it back.
	New() (V, error)
	Free(v V)

	Zero(x V)
	Copy(dst, src V)
	Scale(y V, alpha float64, x V) // y = alpha*x; x and y may be the same
	Sub(z, x, y V)                 // z = x-y; z may be x or y
	Mul(z, x, y V)                 // z = x*y, element by element; z may be x or y

	// Reciprocal sets z = 1/x, element by element, and returns the smallest
	// global index whose reciprocal is zero or not finite, or -1.
	Reciprocal(z, x V) (int64, error)

	Dot(x, y V) (float64, error)
	Norm(x V) (float64, error) // 2-norm, without overflow or underflow

	// Dots sets dst[j] = vs[j]·w, in one reduction.
	Dots(dst []float64, vs []V, w V) error

	// AxpyDot sets y = fma(alpha, x, y) and returns y·y.
	AxpyDot(alpha float64, x, y V) (float64, error)
	// AxpyScaledDot sets y = fma(alpha, x, y) and returns y·y and y·(d*y), in one
	// reduction.
	AxpyScaledDot(alpha float64, x, y, d V) (yy, yz float64, err error)
	// AxpyXpby sets x = fma(alpha, p, x), then p = fma(beta, p, z).
	AxpyXpby(alpha float64, p, x V, beta float64, z V)
	// AxpyXpbyScaled sets x = fma(alpha, p, x), then p = fma(beta, p, d*r).
	AxpyXpbyScaled(alpha float64, p, x V, beta float64, d, r V)
	// Axpys sets w = fma(c[j], vs[j], w) for each j in order and returns w·w.
	Axpys(c []float64, vs []V, w V) (float64, error)
	// AxpysDots does the update of Axpys and sets dst[j] = vs[j]·w with the
	// updated w, in one reduction. It may overwrite c.
	AxpysDots(dst, c []float64, vs []V, w V) error

	// Vote adds votes of this PE to the next reduction (any of the methods that
	// return a float64 or fill dst). Votes returns what was voted in the last
	// reduction by any PE: the same on every PE. This is how PEs agree to stop
	// without a reduction of its own. A Norm may need several, and lose votes: who
	// wants to stop votes again.
	Vote(votes Votes)
	Votes() Votes
}

// Votes is a set of reasons to stop.
type Votes = uint64

const (
	VoteCancel    Votes = 1 << iota // the context was cancelled
	VoteTimeLimit                   // the time limit has passed
)

// Operator is a square linear operator.
type Operator[V any] interface {
	// Dims returns the global number of rows and columns.
	Dims() (rows, cols int64)
	// Mul stores A x in y; x and y are different vectors.
	Mul(y, x V) error
}

// DotOperator is an Operator that returns x·y in the same sweep as y = A x.
type DotOperator[V any] interface {
	Operator[V]
	MulDot(y, x V) (float64, error)
}

// Preconditioner approximates the inverse of an operator.
type Preconditioner[V any] interface {
	// Apply stores M⁻¹ r in z; z and r are different vectors.
	Apply(z, r V) error
}

// DiagonalPreconditioner is a Preconditioner whose inverse is a diagonal, which
// methods can fold into their own passes.
type DiagonalPreconditioner[V any] interface {
	Preconditioner[V]
	// Inverse returns the diagonal of M⁻¹. The caller must not change it.
	Inverse() V
}

// System is the equation A x = b without its right-hand side: where the vectors
// live, the operator, and optionally a preconditioner (nil for none).
type System[V any] struct {
	Space Space[V]
	A     Operator[V]
	M     Preconditioner[V]
}
