package formats

import (
	"slices"

	"github.com/symsparse/symsparse/sparse"
)

// COO returns the whole matrix as entries to compute with: the stored entries in
// the order of the file, then the mirror images of those off the diagonal, in the
// same order. Duplicates are kept, to be summed by the conversion to CSR.
// Pattern entries become 1, each position once, because a pattern is a set.
// Of an array every element becomes an entry, zeros too.
//
// It returns an error of class unsupported if the field is complex, and of class
// value if an integer is not exactly a float64.
//
// The result shares memory with m where their types agree, and with the results
// of other calls: take it once, and then leave m alone. A real general matrix
// is taken over without allocation; mirror images go into the room that reading
// has left for them.
func (m *Matrix) COO() (*sparse.COO, error) {
	v, err := m.float64s()
	if err != nil {
		return nil, err
	}
	a := &sparse.COO{Rows: m.Rows, Cols: m.Cols, I: m.I, J: m.J, V: v}
	switch {
	case m.Format == Array:
		a.I, a.J = m.arrayPositions()
	case m.Field == Pattern:
		if dups := m.duplicates(); dups != nil {
			a.I, a.J = without(m.I, dups), without(m.J, dups)
		}
		a.V = make([]float64, len(a.I), cap(a.I))
		for k := range a.V {
			a.V[k] = 1
		}
	}
	if m.Symmetry != General {
		mirror(a, m.Symmetry == SkewSymmetric)
	}
	return a, nil
}

// mirror appends the mirror image of every entry off the diagonal.
func mirror(a *sparse.COO, negate bool) {
	n, extra := len(a.I), 0
	for k, i := range a.I {
		if i != a.J[k] {
			extra++
		}
	}
	// One slice after the other, so that at most one old one is held.
	a.I = slices.Grow(a.I, extra)
	a.J = slices.Grow(a.J, extra)
	a.V = slices.Grow(a.V, extra)
	for k := range n {
		if i, j, v := a.I[k], a.J[k], a.V[k]; i != j {
			if negate {
				v = -v
			}
			a.I, a.J, a.V = append(a.I, j), append(a.J, i), append(a.V, v)
		}
	}
}

// without returns a copy of s that lacks the elements with the given ascending indices.
func without(s []int64, drop []int) []int64 {
	t := make([]int64, 0, len(s)-len(drop))
	from := 0
	for _, k := range drop {
		t = append(t, s[from:k]...)
		from = k + 1
	}
	return append(t, s[from:]...)
}

// arrayPositions returns the positions of an array's stored values. Their number
// bounds the loop: the dimensions alone may be anything, if the other one is 0.
func (m *Matrix) arrayPositions() (I, J []int64) {
	n := m.Len()
	I, J = make([]int64, n), make([]int64, n)
	i, j := m.firstRow(0), int64(0)
	for k := range n {
		I[k], J[k] = i, j
		if i++; i == m.Rows {
			j++
			i = m.firstRow(j)
		}
	}
	return I, J
}

// firstRow returns the first row that an array stores of column j.
func (m *Matrix) firstRow(j int64) int64 {
	switch m.Symmetry {
	case General:
		return 0
	case SkewSymmetric:
		return j + 1
	}
	return j
}

// float64s returns the values as float64: Real itself, Integer converted, nil
// for a pattern.
func (m *Matrix) float64s() ([]float64, error) {
	switch m.Field {
	case Real:
		return m.Real, nil
	case Integer:
		v := make([]float64, len(m.Integer), max(len(m.Integer), cap(m.I)))
		for k, x := range m.Integer {
			// 2^63 is a float64 but no int64: converting it back would not tell.
			if v[k] = float64(x); v[k] == 1<<63 || int64(v[k]) != x {
				return nil, m.errorAt(k, ClassValue,
					"expected an integer that is exactly a float64, found %d (to have it rounded, say real in the banner)", x)
			}
		}
		return v, nil
	case Complex:
		return nil, m.errorAt(-1, ClassUnsupported, "expected a real matrix (solving with complex matrices is not available)")
	}
	return nil, nil
}

// Dense returns all elements of an array, column by column: element (i, j) is at
// j*Rows + i. A general real array is returned without allocation and shares
// memory with m. Errors are those of [Matrix.COO], and one of class size if m is
// in coordinate format, where the elements could be far more than the entries.
func (m *Matrix) Dense() ([]float64, error) {
	if m.Format != Array {
		return nil, m.errorAt(-1, ClassSize, "expected an array, found coordinates")
	}
	v, err := m.float64s()
	if err != nil || m.Symmetry == General {
		return v, err
	}
	d := make([]float64, m.Rows*m.Rows)
	i, j := m.firstRow(0), int64(0)
	for _, x := range v {
		d[j*m.Rows+i] = x
		if i != j {
			if m.Symmetry == SkewSymmetric {
				x = -x
			}
			d[i*m.Rows+j] = x
		}
		if i++; i == m.Rows {
			j++
			i = m.firstRow(j)
		}
	}
	return d, nil
}

// Vector returns an n x 1 matrix, such as a right-hand side, as a vector of
// length n; m may be in either format. The caller gives n, which a file in
// coordinate format could set to anything. A real array is returned without
// allocation and shares memory with m. Errors are those of [Matrix.COO], and one
// of class size if m is not n x 1.
func (m *Matrix) Vector(n int64) ([]float64, error) {
	if m.Rows != n || m.Cols != 1 {
		return nil, m.errorAt(-1, ClassSize, "expected a vector of size %d x 1, found %d x %d", n, m.Rows, m.Cols)
	}
	if m.Format == Array {
		return m.Dense()
	}
	a, err := m.COO()
	if err != nil {
		return nil, err
	}
	x := make([]float64, n)
	for k, i := range a.I {
		x[i] += a.V[k]
	}
	return x, nil
}
