package dist

import (
	"fmt"

	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/sparse"
	"github.com/symsparse/symsparse/sparse/vec"
)

// Matrix is a sparse matrix whose rows are spread over the PEs.
type Matrix struct {
	pe         *shmem.PE
	rows, cols *Partition // the same if the matrix is square
	rowsOf     assembled
	halo       *Halo
	product    *sparse.Product
	room       int   // own elements and ghosts of a vector, the largest of any PE
	entries    int64 // of all PEs

	schedule schedule
	sum      [1]shmem.ExactSum // of MulDot
}

// assembled is a PE's rows on the symmetric heap, where any PE can fetch them:
// row i is ptr[i] to ptr[i+1] of col (global, ascending) and val.
type assembled struct {
	ptr, col shmem.Sym[int64]
	val      shmem.Sym[float64]
}

// allocRows makes room for the largest number of rows and entries of any PE.
func allocRows(pe *shmem.PE, rows int, entries int64) (a assembled, err error) {
	most := []int64{int64(rows), entries}
	if err = shmem.Max(pe.World(), most, most); err != nil {
		return a, err
	}
	if a.ptr, err = shmem.Alloc[int64](pe, int(most[0])+1); err != nil {
		return a, err
	}
	if a.col, err = shmem.Alloc[int64](pe, int(most[1])); err != nil {
		return a, err
	}
	a.val, err = shmem.Alloc[float64](pe, int(most[1]))
	return a, err
}

// newMatrix makes the plan and the product of the rows that are assembled on
// every PE.
func newMatrix(pe *shmem.PE, rows, cols *Partition, a assembled) (*Matrix, error) {
	n := rows.Len(pe.ID())
	ptr := a.ptr.Local()[:n+1]
	entries := ptr[n]
	m := &Matrix{pe: pe, rows: rows, cols: cols, rowsOf: a}
	var err error
	if m.halo, err = NewHalo(cols, pe.ID(), ptr, a.col.Local()[:entries]); err != nil {
		return nil, err
	}
	m.schedule = newSchedule(m.halo.interior, n, vec.Block(rows.N()))
	var cuts []int // the early rows must not read ghosts
	for _, s := range m.schedule.early {
		cuts = append(cuts, s.Lo, s.Hi)
	}
	m.product, err = sparse.NewProduct(m.halo.Own()+m.halo.Ghosts(), ptr,
		m.halo.localColumns(a.col.Local()[:entries]), a.val.Local()[:entries], cuts...)
	if err != nil {
		return nil, err
	}
	room := []int64{int64(m.halo.Own() + m.halo.Ghosts())}
	if err := shmem.Max(pe.World(), room, room); err != nil {
		return nil, err
	}
	m.room = int(room[0])
	total := []int64{entries}
	if err := shmem.Sum(pe.World(), total, total); err != nil {
		return nil, err
	}
	m.entries = total[0]
	return m, nil
}

// Dims returns the global number of rows and columns.
func (m *Matrix) Dims() (rows, cols int64) { return m.rows.N(), m.cols.N() }

// Entries returns the number of entries of all PEs.
func (m *Matrix) Entries() int64 { return m.entries }

// Halo returns this PE's plan.
func (m *Matrix) Halo() *Halo { return m.halo }

// Rows and Cols return how rows and columns are spread.
func (m *Matrix) Rows() *Partition { return m.rows }
func (m *Matrix) Cols() *Partition { return m.cols }

// NewVector returns a vector of zeros that m can be multiplied with, with two
// buffers.
func (m *Matrix) NewVector() (*Vector, error) { return newVector(m.pe, m.cols, m.room, 2) }

// NewResult returns a vector of zeros for products with m. For a square matrix
// it is one that m can be multiplied with.
func (m *Matrix) NewResult() (*Vector, error) {
	if m.rows == m.cols {
		return m.NewVector()
	}
	most := 0
	for pe := range m.rows.PEs() {
		most = max(most, m.rows.Len(pe))
	}
	return newVector(m.pe, m.rows, most, 2)
}

// ReleaseRows gives the assembled rows back to the symmetric heap. Afterwards
// other PEs cannot fetch them and [Matrix.Diagonal] fails; products go on.
func (m *Matrix) ReleaseRows() error {
	a := m.rowsOf
	m.rowsOf = assembled{}
	for _, free := range []func() error{
		func() error { return shmem.Free(a.ptr) },
		func() error { return shmem.Free(a.col) },
		func() error { return shmem.Free(a.val) },
	} {
		if err := free(); err != nil {
			return err
		}
	}
	return nil
}

// Mul sets y = A x. x and y are different vectors; x has room for the ghosts of
// m, as those that m or its [Space] made do. It allocates nothing.
func (m *Matrix) Mul(y, x *Vector) error {
	out, err := m.start(y, x)
	if err != nil {
		return err
	}
	m.multiply(out, x, m.schedule.early)
	if err := m.pe.Quiet(); err != nil {
		return err
	}
	m.multiply(out, x, m.schedule.late)
	return nil
}

// start checks the vectors of a product, returns y's own elements for writing and
// starts to fetch x's ghosts.
func (m *Matrix) start(y, x *Vector) ([]float64, error) {
	switch {
	case x == y:
		return nil, fmt.Errorf("dist: Mul: x and y are the same vector")
	case !x.part.Equal(m.cols) || len(x.data) < m.room:
		return nil, fmt.Errorf("dist: Mul: x has %d elements spread in another way, or lacks room for the ghosts; it must come from the matrix's NewVector or Space", x.N())
	case !y.part.Equal(m.rows):
		return nil, fmt.Errorf("dist: Mul: y has %d elements spread in another way; it must come from the matrix's NewResult or Space", y.N())
	}
	out, err := y.write(false)
	if err != nil {
		return nil, err
	}
	return out, m.fetch(x)
}

func (m *Matrix) multiply(out []float64, x *Vector, rows []Span) {
	for _, s := range rows {
		m.product.MulRows(out, x.data, s.Lo, s.Hi)
	}
}

// fetch starts the gets of x's ghosts, which are there after Quiet. Where an
// owner's part can be loaded, that is a get too, without a call for each of what
// may be very many runs of one element.
func (m *Matrix) fetch(x *Vector) error {
	if err := m.pe.World().Sync(); err != nil { // every owner's elements are ready
		return err
	}
	x.readAt = m.pe.World().Syncs()
	ghosts, from := x.data[x.own:], x.buf[x.cur]
	for runs := m.halo.runs; len(runs) > 0; {
		owner := runs[0].PE
		part, mapped := from.On(owner)
		for ; len(runs) > 0 && runs[0].PE == owner; runs = runs[1:] {
			r := &runs[0]
			if mapped {
				copy(ghosts[r.Ghost:r.Ghost+r.N], part[r.Remote:r.Remote+r.N])
			} else if err := shmem.GetNBI(ghosts[r.Ghost:r.Ghost+r.N], from, r.Remote, owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// Diagonal sets d to the diagonal of m, zero where there is no entry.
func (m *Matrix) Diagonal(d *Vector) error {
	if m.rowsOf.ptr.Len() == 0 {
		return fmt.Errorf("dist: Diagonal: the assembled rows were released")
	}
	if m.rows != m.cols || !d.part.Equal(m.rows) {
		return fmt.Errorf("dist: Diagonal: the matrix is not square, or d is not one of its vectors")
	}
	out, err := d.write(false)
	if err != nil {
		return err
	}
	lo, _ := m.rows.Range(m.pe.ID())
	ptr, col, val := m.rowsOf.ptr.Local(), m.rowsOf.col.Local(), m.rowsOf.val.Local()
	for i := range out {
		out[i] = 0
		for k := ptr[i]; k < ptr[i+1]; k++ {
			if col[k] == lo+int64(i) {
				out[i] = val[k]
			}
		}
	}
	return nil
}
