package dist

import (
	"fmt"

	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/sparse"
	"github.com/symsparse/symsparse/sparse/vec"
)

// Distribute spreads a matrix that PE root has in full; a is ignored elsewhere.
// Rows are balanced by entries plus rows. Each PE's part is put straight into its
// place; beside the matrices themselves it takes 1 MiB of scratch on root.
func Distribute(pe *shmem.PE, root int, a sparse.RawCSR) (*Matrix, error) {
	w := pe.World()
	dims := []int64{int64(a.Rows), int64(a.Cols)}
	if err := shmem.Broadcast(w, dims, root); err != nil {
		return nil, err
	}
	rows, cols := dims[0], dims[1]
	weight := make([]int64, blocks(rows))
	if pe.ID() == root {
		b := vec.Block(rows)
		for i := range weight {
			lo, hi := i*b, min((i+1)*b, a.Rows)
			weight[i] = a.Ptr[hi] - a.Ptr[lo] + int64(hi-lo)
		}
	}
	if err := shmem.Broadcast(w, weight, root); err != nil {
		return nil, err
	}
	rp, cp, err := partitions(rows, cols, pe.N(), weight)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, pe.N())
	if pe.ID() == root {
		for k := range counts {
			lo, hi := rp.Range(k)
			counts[k] = a.Ptr[hi] - a.Ptr[lo]
		}
	}
	if err := shmem.Broadcast(w, counts, root); err != nil {
		return nil, err
	}
	to, err := allocRows(pe, rp.Len(pe.ID()), counts[pe.ID()])
	if err != nil {
		return nil, err
	}
	if pe.ID() == root {
		for k := range pe.N() {
			if err := putRows(to, k, rp, a); err != nil {
				return nil, err
			}
		}
	}
	if err := w.Barrier(); err != nil {
		return nil, err
	}
	return newMatrix(pe, rp, cp, to)
}

// putRows puts the rows of PE k, converting pointers and columns in pieces.
func putRows(to assembled, k int, rp *Partition, a sparse.RawCSR) error {
	lo, hi := rp.Range(k)
	first := a.Ptr[lo]
	var buf [1 << 16]int64
	put := func(x shmem.Sym[int64], n int, at func(i int) int64) error {
		for i := 0; i < n; i += len(buf) {
			piece := buf[:min(len(buf), n-i)]
			for j := range piece {
				piece[j] = at(i + j)
			}
			if err := shmem.Put(x, i, k, piece); err != nil {
				return err
			}
		}
		return nil
	}
	col, val := a.Col[first:a.Ptr[hi]], a.Val[first:a.Ptr[hi]]
	if err := put(to.ptr, int(hi-lo)+1, func(i int) int64 { return a.Ptr[lo+int64(i)] - first }); err != nil {
		return err
	}
	if err := put(to.col, len(col), func(i int) int64 { return int64(col[i]) }); err != nil {
		return err
	}
	return shmem.Put(to.val, 0, k, val)
}

func blocks(n int64) int64 {
	b := int64(vec.Block(n))
	return (n + b - 1) / b
}

// partitions cuts the rows by weight and the columns of a matrix that is not
// square evenly.
func partitions(rows, cols int64, pes int, weight []int64) (rp, cp *Partition, err error) {
	if rp, err = NewPartition(rows, pes, weight); err != nil || rows == cols {
		return rp, rp, err
	}
	cp, err = Uniform(cols, pes)
	return rp, cp, err
}

// Builder assembles a matrix from entries that any PE adds to any row.
type Builder struct {
	pe      *shmem.PE
	entries *sparse.COO
}

// NewBuilder returns a builder for a rows x cols matrix.
func NewBuilder(pe *shmem.PE, rows, cols int64) (*Builder, error) {
	if rows < 0 || cols < 0 {
		return nil, fmt.Errorf("dist: a %d x %d matrix", rows, cols)
	}
	return &Builder{pe: pe, entries: sparse.NewCOO(rows, cols, 0)}, nil
}

// Add adds v to element (i, j). It is local.
func (b *Builder) Add(i, j int64, v float64) error {
	if i < 0 || i >= b.entries.Rows || j < 0 || j >= b.entries.Cols {
		return fmt.Errorf("dist: PE %d adds element (%d, %d) to a %d x %d matrix", b.pe.ID(), i, j, b.entries.Rows, b.entries.Cols)
	}
	b.entries.Append(i, j, v)
	return nil
}

// Assemble sends the entries to the owners of their rows and returns the matrix.
// Entries of the same position are summed in the order of the PEs that added
// them, and on a PE in the order of the calls: so the matrix depends on the
// number of PEs only as far as the program adds in another order. The builder is
// empty afterwards.
//
// Rows are balanced by entries as they were added, plus rows. It takes 24 bytes
// of symmetric heap for each entry of the PE that added most, for as long as it
// runs.
func (b *Builder) Assemble() (*Matrix, error) {
	pe, w, e := b.pe, b.pe.World(), b.entries
	weight := make([]int64, blocks(e.Rows))
	block := int64(vec.Block(e.Rows))
	for _, i := range e.I {
		weight[i/block]++
	}
	if err := shmem.Sum(w, weight, weight); err != nil {
		return nil, err
	}
	for i := range weight {
		weight[i] += min(block, e.Rows-int64(i)*block)
	}
	rp, cp, err := partitions(e.Rows, e.Cols, pe.N(), weight)
	if err != nil {
		return nil, err
	}

	out, start, err := b.bucket(rp)
	if err != nil {
		return nil, err
	}
	b.entries = sparse.NewCOO(e.Rows, e.Cols, 0)
	mine, err := out.collect(pe, rp, e.Cols, start)
	if err != nil {
		return nil, err
	}
	if err := out.free(); err != nil {
		return nil, err
	}
	a, err := mine.ToCSR()
	if err != nil {
		return nil, err
	}
	raw := a.RawCSR()
	to, err := allocRows(pe, raw.Rows, int64(len(raw.Col)))
	if err != nil {
		return nil, err
	}
	copy(to.ptr.Local(), raw.Ptr)
	for k, j := range raw.Col {
		to.col.Local()[k] = int64(j)
	}
	copy(to.val.Local(), raw.Val)
	if err := w.Sync(); err != nil {
		return nil, err
	}
	return newMatrix(pe, rp, cp, to)
}

// outbox holds entries sorted by the owner of their row, for the owners to get.
type outbox struct {
	i, j shmem.Sym[int64]
	v    shmem.Sym[float64]
}

// bucket sorts this PE's entries by owner, stably, into symmetric memory; those
// for PE k are start[k] to start[k+1], which every PE can get.
func (b *Builder) bucket(rp *Partition) (out outbox, start shmem.Sym[int64], err error) {
	pe, e := b.pe, b.entries
	most := []int64{int64(e.Len())}
	if err = shmem.Max(pe.World(), most, most); err != nil {
		return
	}
	if start, err = shmem.Alloc[int64](pe, pe.N()+1); err != nil {
		return
	}
	if out.i, err = shmem.Alloc[int64](pe, int(most[0])); err != nil {
		return
	}
	if out.j, err = shmem.Alloc[int64](pe, int(most[0])); err != nil {
		return
	}
	if out.v, err = shmem.Alloc[float64](pe, int(most[0])); err != nil {
		return
	}
	next := make([]int64, pe.N()+1)
	for _, i := range e.I {
		next[rp.Owner(i)+1]++
	}
	for k := range pe.N() {
		next[k+1] += next[k]
	}
	copy(start.Local(), next)
	i, j, v := out.i.Local(), out.j.Local(), out.v.Local()
	for k := range e.V {
		to := &next[rp.Owner(e.I[k])]
		i[*to], j[*to], v[*to] = e.I[k], e.J[k], e.V[k]
		*to++
	}
	return out, start, pe.World().Sync()
}

// collect gets the entries of this PE's rows from all PEs, in their order, with
// rows counted from the first own one.
func (out outbox) collect(pe *shmem.PE, rp *Partition, cols int64, start shmem.Sym[int64]) (*sparse.COO, error) {
	mine := sparse.NewCOO(int64(rp.Len(pe.ID())), cols, 0)
	for from := range pe.N() {
		var at [2]int64
		if err := shmem.Get(at[:], start, pe.ID(), from); err != nil {
			return nil, err
		}
		lo, n := int(at[0]), int(at[1]-at[0])
		have := mine.Len()
		mine.I = append(mine.I, make([]int64, n)...)
		mine.J = append(mine.J, make([]int64, n)...)
		mine.V = append(mine.V, make([]float64, n)...)
		if err := shmem.GetNBI(mine.I[have:], out.i, lo, from); err != nil {
			return nil, err
		}
		if err := shmem.GetNBI(mine.J[have:], out.j, lo, from); err != nil {
			return nil, err
		}
		if err := shmem.GetNBI(mine.V[have:], out.v, lo, from); err != nil {
			return nil, err
		}
		if err := pe.Quiet(); err != nil { // before append moves the slices
			return nil, err
		}
	}
	first, _ := rp.Range(pe.ID())
	for k := range mine.I {
		mine.I[k] -= first
	}
	return mine, shmem.Free(start)
}

func (out outbox) free() error {
	if err := shmem.Free(out.i); err != nil {
		return err
	}
	if err := shmem.Free(out.j); err != nil {
		return err
	}
	return shmem.Free(out.v)
}
