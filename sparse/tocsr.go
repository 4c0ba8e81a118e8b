package sparse

import (
	"math"
	"slices"
)

// ToCSR returns the matrix in compressed form. Entries of the same position are
// summed in the order of the list, each addition rounded; all others keep their
// bits. Positions whose entries are zero, or add up to zero, remain entries.
//
// A dimension above 2^31-1, or more than 2^26 rows with fewer than one entry in
// eight rows, is a [*LimitError]; a position outside of the matrix is a
// [*StructureError] that names the row and the place in the list.
//
// Time: proportional to rows and entries if the list is sorted by columns, or
// by rows and within them by columns; else every row that is out of order is
// sorted. Memory: the result, with room for the duplicates while they are
// summed, and 16 bytes for each entry of the longest row.
func (a *COO) ToCSR() (*CSR, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	c := &CSR{rows: int(a.Rows), cols: int(a.Cols),
		col: make([]int32, len(a.V)), val: make([]float64, len(a.V))}
	next := rowStarts(c.rows, a.I)
	for k, i := range a.I {
		p := next[i+1]
		c.col[p], c.val[p] = int32(a.J[k]), a.V[k]
		next[i+1]++
	}
	c.ptr = next[:c.rows+1]
	c.sortRows()
	return c, nil
}

// rowStarts returns a slice of n+2 elements of which element r+1 is the number
// of indices below r. Whoever places the entries advances element r+1 with each
// entry of row r; the first n+1 elements are row pointers then.
func rowStarts[I int32 | int64](n int, index []I) []int64 {
	s := make([]int64, n+2)
	for _, i := range index {
		s[i+2]++
	}
	for i := range n {
		s[i+2] += s[i+1]
	}
	return s
}

// sortRows sorts each row by columns and sums duplicates, in the order in which
// they are.
func (a *CSR) sortRows() {
	var s rowSorter
	var b, w int64 // where the row starts, and where its next entry goes
	for i := range a.rows {
		e, start := a.ptr[i+1], w
		s.sort(a.col[b:e], a.val[b:e])
		for ; b < e; b++ {
			if w > start && a.col[w-1] == a.col[b] {
				a.val[w-1] += a.val[b]
				continue
			}
			a.col[w], a.val[w] = a.col[b], a.val[b]
			w++
		}
		a.ptr[i+1] = w
	}
	spare := len(a.val) - int(w)
	a.col, a.val = a.col[:w:w], a.val[:w:w]
	if spare > int(w)/8 { // otherwise not worth a copy
		a.col, a.val = slices.Clone(a.col), slices.Clone(a.val)
	}
}

// rowSorter sorts rows by column, stably, and holds the memory that this takes.
type rowSorter struct {
	key []uint64
	val []float64
}

func (s *rowSorter) sort(col []int32, val []float64) {
	if slices.IsSorted(col) {
		return
	}
	if uint64(len(col)) > math.MaxUint32 {
		panic("sparse: a row has more than 2^32 entries to sum")
	}
	// The place within the row makes keys unique, hence any sort stable.
	s.key, s.val = s.key[:0], append(s.val[:0], val...)
	for k, j := range col {
		s.key = append(s.key, uint64(j)<<32|uint64(k))
	}
	slices.Sort(s.key)
	for k, u := range s.key {
		col[k], val[k] = int32(u>>32), s.val[uint32(u)]
	}
}
