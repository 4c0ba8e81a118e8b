package solvers

import (
	"fmt"

	"github.com/symsparse/symsparse/sparse"
	"github.com/symsparse/symsparse/sparse/vec"
)

// CSR is a sparse.CSR as an [Operator], for vectors of a [Serial] space. It
// returns p·A p in the sweep of the product, while the rows are in the cache.
type CSR struct {
	a    *sparse.CSR
	rows *sparse.Product
}

var _ DotOperator[[]float64] = (*CSR)(nil)

// FromCSR returns a as an operator. It holds a copy of a in the form that products
// run on, see [sparse.Product].
func FromCSR(a *sparse.CSR) *CSR {
	raw := a.RawCSR()
	rows, err := sparse.NewProduct(raw.Cols, raw.Ptr, raw.Col, raw.Val)
	if err != nil {
		panic(err) // a CSR has been checked
	}
	return &CSR{a, rows}
}

func (c *CSR) Dims() (rows, cols int64) {
	m, n := c.a.Dims()
	return int64(m), int64(n)
}

func (c *CSR) Mul(y, x []float64) error {
	m, n := c.a.Dims()
	if len(y) != m || len(x) != n {
		return fmt.Errorf("solvers: product of a %d x %d matrix with %d elements, for %d", m, n, len(x), len(y))
	}
	c.rows.MulRows(y, x, 0, m)
	return nil
}

// MulDot stores A x in y and returns x·y. A must be square.
func (c *CSR) MulDot(y, x []float64) (float64, error) {
	n, cols := c.a.Dims()
	if len(y) != n || len(x) != n || n != cols {
		return 0, fmt.Errorf("solvers: x·A x of a %d x %d matrix and %d elements, for %d", n, cols, len(x), len(y))
	}
	const chunk = 2048 // a multiple of every block length
	var sum vec.Sum
	for lo := 0; lo < n; lo += chunk {
		hi := min(lo+chunk, n)
		c.rows.MulRows(y, x, lo, hi)
		vec.AddDot(&sum, vec.Block(int64(n)), x[lo:hi], y[lo:hi])
	}
	return sum.Float64(), nil
}
