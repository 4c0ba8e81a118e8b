package sparse

import "fmt"

// Check looks for broken invariants, in time proportional to rows and entries.
// It returns nil, a [*LimitError], or a [*StructureError] for the first that is
// found. What the constructors return passes; Check is for code that has
// written to what [CSR.RawCSR] returned.
func (a *CSR) Check() error {
	if err := checkDims(int64(a.rows), int64(a.cols)); err != nil {
		return err
	}
	raw := a.RawCSR()
	ptr, col, n := raw.Ptr, raw.Col, int64(len(raw.Col))
	switch {
	case len(ptr) != a.rows+1:
		return &StructureError{FaultLength, -1, -1, fmt.Sprintf("%d row pointers for %d rows", len(ptr), a.rows)}
	case len(raw.Val) != len(col):
		return &StructureError{FaultLength, -1, -1, fmt.Sprintf("%d columns, %d values", n, len(raw.Val))}
	case ptr[0] != 0:
		return &StructureError{FaultStart, 0, -1, fmt.Sprintf("%d", ptr[0])}
	}
	for i := range a.rows {
		if ptr[i] > ptr[i+1] {
			return &StructureError{FaultOrder, int64(i), -1, fmt.Sprintf("from %d to %d", ptr[i], ptr[i+1])}
		}
	}
	if ptr[a.rows] != n {
		return &StructureError{FaultEnd, int64(a.rows), -1, fmt.Sprintf("%d, with %d entries", ptr[a.rows], n)}
	}
	for i := range a.rows {
		last := int32(-1)
		for k, j := range col[ptr[i]:ptr[i+1]] {
			if j <= last || int(j) >= a.cols {
				return a.entryError(i, ptr[i]+int64(k), last)
			}
			last = j
		}
	}
	return nil
}

// entryError says what is wrong with entry k of row i, which follows column last.
func (a *CSR) entryError(i int, k int64, last int32) error {
	j := a.col[k]
	e := &StructureError{FaultUnsorted, int64(i), k, fmt.Sprintf("column %d after %d", j, last)}
	switch {
	case j < 0 || int(j) >= a.cols:
		e.Fault, e.Detail = FaultRange, fmt.Sprintf("column %d of %d", j, a.cols)
	case j == last:
		e.Fault, e.Detail = FaultDuplicate, fmt.Sprintf("column %d", j)
	}
	return e
}
