package sparse

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Wrong use panics with gonum's own values, so that mat.Maybe recovers it.
var (
	errRowAccess         = mat.ErrRowAccess
	errColAccess         = mat.ErrColAccess
	errNegativeDimension = mat.ErrNegativeDimension
	errShape             = mat.ErrShape
	errSquare            = mat.ErrSquare
	errNormOrder         = mat.ErrNormOrder
)

// LimitError says that a matrix is too large for the form that was asked for.
type LimitError struct {
	What   string // what was to be made, such as "CSR"
	Rows   int64
	Cols   int64
	Limit  int64 // the largest dimension that would have been accepted
	Reason string
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("sparse: a %d x %d matrix cannot be a %s: %s", e.Rows, e.Cols, e.What, e.Reason)
}

// checkDims returns a *LimitError if a CSR cannot have these dimensions.
func checkDims(rows, cols int64) error {
	if max(rows, cols) > maxCSR {
		return &LimitError{What: "CSR", Rows: rows, Cols: cols, Limit: maxCSR,
			Reason: fmt.Sprintf("at most %d rows and columns", maxCSR)}
	}
	return nil
}

// Fault is a broken invariant of a matrix's arrays.
type Fault uint8

// The faults, in the order in which [CSR.Check] looks for them.
const (
	FaultLength    Fault = iota // arrays whose lengths do not belong together
	FaultStart                  // the first row pointer is not 0
	FaultOrder                  // a row ends before it starts
	FaultEnd                    // the last row pointer is not the number of entries
	FaultRange                  // an entry outside of the matrix
	FaultUnsorted               // columns of a row that do not ascend
	FaultDuplicate              // the same column twice in a row
)

var faultNames = [...]string{
	"lengths do not match", "first row pointer is not 0", "row pointers fall", "last row pointer is not the number of entries",
	"entry outside of the matrix", "columns do not ascend", "duplicate entry",
}

func (f Fault) String() string {
	if int(f) < len(faultNames) {
		return faultNames[f]
	}
	return fmt.Sprintf("fault %d", uint8(f))
}

// StructureError says what is wrong with the arrays of a matrix, and where.
type StructureError struct {
	Fault  Fault
	Row    int64 // zero-based, -1 if no row is at fault
	Entry  int64 // position in the arrays of columns and values, -1 if none is
	Detail string
}

func (e *StructureError) Error() string {
	where := ""
	if e.Row >= 0 {
		where += fmt.Sprintf("row %d: ", e.Row)
	}
	if e.Entry >= 0 {
		where += fmt.Sprintf("entry %d: ", e.Entry)
	}
	return fmt.Sprintf("sparse: %s%v: %s", where, e.Fault, e.Detail)
}
