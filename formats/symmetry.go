package formats

import (
	"cmp"
	"slices"
)

// checkSymmetry checks that the stored entries can be the part of a matrix of
// m's symmetry that a file stores: no value on a skew-symmetric diagonal, no
// imaginary part on a hermitian one, no element beside its mirror image.
func (m *Matrix) checkSymmetry() error {
	switch {
	case m.Symmetry == General:
		return nil
	case m.Format == Array:
		if m.Symmetry == Hermitian {
			k := 0
			for length := int(m.Rows); length > 0; length-- {
				if imag(m.Complex[k]) != 0 {
					return m.errorAt(k, ClassSymmetry, "expected a real diagonal in a hermitian matrix")
				}
				k += length
			}
		}
		return nil
	}
	lower, upper := 0, 0
	for k, i := range m.I {
		switch j := m.J[k]; {
		case i > j:
			lower++
		case i < j:
			upper++
		case m.Symmetry == SkewSymmetric && !m.isZero(k):
			return m.errorAt(k, ClassSymmetry, "expected a zero diagonal in a skew-symmetric matrix")
		case m.Symmetry == Hermitian && imag(m.Complex[k]) != 0:
			return m.errorAt(k, ClassSymmetry, "expected a real diagonal in a hermitian matrix")
		}
	}
	if lower == 0 || upper == 0 {
		return nil
	}
	return m.checkMirrors(lower < upper, min(lower, upper))
}

func (m *Matrix) isZero(k int) bool {
	switch m.Field {
	case Real:
		return m.Real[k] == 0
	case Integer:
		return m.Integer[k] == 0
	}
	return m.Complex[k] == 0
}

// checkMirrors looks for a pair (i,j), (j,i). It sorts the n entries of the
// smaller triangle, and looks up the mirror image of each entry of the other.
func (m *Matrix) checkMirrors(lowerIsSmaller bool, n int) error {
	small := make([]int, 0, n)
	for k, i := range m.I {
		if j := m.J[k]; i != j && (i > j) == lowerIsSmaller {
			small = append(small, k)
		}
	}
	slices.SortFunc(small, m.byPosition)
	for k, i := range m.I {
		j := m.J[k]
		if i == j || (i > j) == lowerIsSmaller {
			continue
		}
		at, found := slices.BinarySearchFunc(small, k, func(s, _ int) int {
			return cmp.Or(cmp.Compare(m.I[s], j), cmp.Compare(m.J[s], i))
		})
		if found {
			return m.errorAt(max(k, small[at]), ClassSymmetry,
				"expected one triangle of a %s matrix, found both (%d,%d) and (%d,%d)", m.Symmetry, i+1, j+1, j+1, i+1)
		}
	}
	return nil
}

// byPosition orders entries by row, column and place in the file.
func (m *Matrix) byPosition(a, b int) int {
	return cmp.Or(cmp.Compare(m.I[a], m.I[b]), cmp.Compare(m.J[a], m.J[b]), cmp.Compare(a, b))
}

// duplicates returns, in ascending order, the entries at whose position an
// earlier entry stands. Files sorted by rows or columns, as nearly all are, cost
// one pass and no memory; others a sort and one int an entry.
func (m *Matrix) duplicates() []int {
	byRows, byCols := true, true
	for k := 1; k < len(m.I); k++ {
		i, j, i0, j0 := m.I[k], m.J[k], m.I[k-1], m.J[k-1]
		byRows = byRows && (i0 < i || i0 == i && j0 < j)
		byCols = byCols && (j0 < j || j0 == j && i0 < i)
	}
	if byRows || byCols {
		return nil
	}
	order := make([]int, len(m.I))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, m.byPosition)
	var dups []int
	for k := 1; k < len(order); k++ {
		a, b := order[k-1], order[k]
		if m.I[a] == m.I[b] && m.J[a] == m.J[b] {
			dups = append(dups, b)
		}
	}
	slices.Sort(dups)
	return dups
}

// CheckDuplicates returns an error of class entry if a coordinate matrix stores
// a position twice. [Matrix.COO] sums such entries (patterns: keeps one), as
// finite-element assembly wants; call CheckDuplicates first where a repeated
// position is a mistake. It may allocate one int an entry.
func (m *Matrix) CheckDuplicates() error {
	if d := m.duplicates(); len(d) > 0 {
		k := d[0]
		return m.errorAt(k, ClassEntry, "expected each position once, found (%d,%d) again", m.I[k]+1, m.J[k]+1)
	}
	return nil
}
