package sparse

import (
	"fmt"

	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// Product is a matrix in the form that products run on. Unlike [CSR] it does not
// ask for ascending columns: the entries of a row are summed in the order in
// which they are given, so that columns may have been renumbered without
// changing a bit of the result.
type Product struct {
	ptr  []int64
	col  []int32
	val  []float64
	cols int
}

// NewProduct returns the product form of a matrix with len(ptr)-1 rows, the
// entries of row i being ptr[i] to ptr[i+1] of col and val. It keeps the slices.
// An error names the first entry that is outside of the matrix.
func NewProduct(cols int, ptr []int64, col []int32, val []float64) (*Product, error) {
	if len(ptr) == 0 || ptr[0] != 0 || ptr[len(ptr)-1] != int64(len(col)) || len(col) != len(val) {
		return nil, fmt.Errorf("sparse: row pointers do not fit %d columns and %d values", len(col), len(val))
	}
	for i := range len(ptr) - 1 {
		if ptr[i] > ptr[i+1] {
			return nil, fmt.Errorf("sparse: row pointers fall at row %d", i)
		}
	}
	for k, j := range col {
		if j < 0 || int(j) >= cols {
			return nil, fmt.Errorf("sparse: entry %d is in column %d of %d", k, j, cols)
		}
	}
	return &Product{ptr: ptr, col: col, val: val, cols: cols}, nil
}

// Dims returns the number of rows and columns.
func (p *Product) Dims() (rows, cols int) { return len(p.ptr) - 1, p.cols }

// MulRows sets y[i] to the product of row i with x for lo <= i < hi. It panics
// with mat.ErrShape if x or y is too short. It allocates nothing.
func (p *Product) MulRows(y, x []float64, lo, hi int) {
	if lo > hi {
		return
	}
	if len(x) < p.cols || len(y) < hi || lo < 0 || hi >= len(p.ptr) {
		panic(errShape)
	}
	kernel.Rows(y, p.ptr, p.col, p.val, x, lo, hi)
}
