package sparse

import (
	"fmt"
	"math"
)

// COO is a matrix in assembly: a list of entries (row, column, value) in the
// order in which they were added. The same position may occur more than once;
// conversion to [CSR] sums such entries in the order of the list. Entries with
// value zero are kept as entries.
//
// The index slices hold zero-based global indices. All three slices have the
// same length. The zero value is an empty 0 x 0 matrix.
type COO struct {
	Rows, Cols int64
	I, J       []int64
	V          []float64
}

// NewCOO returns an empty rows x cols matrix with room for n entries.
// It panics with mat.ErrNegativeDimension if rows or cols is negative.
func NewCOO(rows, cols int64, n int) *COO {
	if rows < 0 || cols < 0 {
		panic(errNegativeDimension)
	}
	return &COO{Rows: rows, Cols: cols, I: make([]int64, 0, n), J: make([]int64, 0, n), V: make([]float64, 0, n)}
}

// Append adds v to the element (i, j). It panics with mat.ErrRowAccess or
// mat.ErrColAccess if the position is outside of the matrix.
func (a *COO) Append(i, j int64, v float64) {
	if uint64(i) >= uint64(a.Rows) {
		panic(errRowAccess)
	}
	if uint64(j) >= uint64(a.Cols) {
		panic(errColAccess)
	}
	a.I = append(a.I, i)
	a.J = append(a.J, j)
	a.V = append(a.V, v)
}

// Len returns the number of entries in the list, duplicates counted.
func (a *COO) Len() int { return len(a.V) }

// check returns what keeps a from being a CSR.
func (a *COO) check() error {
	n := len(a.V)
	if len(a.I) != n || len(a.J) != n {
		return &StructureError{FaultLength, -1, -1, fmt.Sprintf("%d rows, %d columns, %d values", len(a.I), len(a.J), n)}
	}
	if a.Rows < 0 || a.Cols < 0 {
		panic(errNegativeDimension)
	}
	if err := checkDims(a.Rows, a.Cols); err != nil {
		return err
	}
	// A few entries, perhaps of a file nobody should trust, must not cost
	// gigabytes of row pointers.
	if limit := max(freeRows, rowsPerEntry*int64(n)); a.Rows > limit {
		return &LimitError{What: "CSR", Rows: a.Rows, Cols: a.Cols, Limit: limit,
			Reason: fmt.Sprintf("the row pointers would dwarf its %d entries, which justify %d rows", n, limit)}
	}
	for k, i := range a.I {
		if j := a.J[k]; uint64(i) >= uint64(a.Rows) || uint64(j) >= uint64(a.Cols) {
			return &StructureError{FaultRange, i, int64(k), fmt.Sprintf("column %d of a %d x %d matrix", j, a.Rows, a.Cols)}
		}
	}
	return nil
}

const (
	// maxCSR is the largest dimension of a CSR matrix: its columns are int32.
	maxCSR = math.MaxInt32

	// So many rows (half a GiB of pointers) any matrix may have, and so many more
	// for each entry.
	freeRows     = 1 << 26
	rowsPerEntry = 8
)
