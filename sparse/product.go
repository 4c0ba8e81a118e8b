package sparse

import (
	"fmt"
	"sort"

	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// Product is a matrix in the form that products run on. Unlike [CSR] it does not
// ask for ascending columns: the entries of a row are summed in the order in
// which they are given, so that columns may have been renumbered without
// changing a bit of the result.
//
// Rows are done eight at a time, one a lane of a vector register. How they are
// stored is chosen by the bytes that a product reads, and loses nothing: values
// in 4 bytes or 1 where all of them fit, columns in 16 bits near each other, no
// columns for rows that form a stencil, and neither values nor columns for rows
// that repeat. [Product.String] tells what was found.
//
// Making one costs ten to twenty products of the rows as they are given.
type Product struct {
	rows, cols int
	entries    int64
	form       kernel.Slices
	storage    packing
}

// NewProduct returns the product form of a matrix with len(ptr)-1 rows, the
// entries of row i being ptr[i] to ptr[i+1] of col and val. It does not keep the
// slices. An error names the first entry that is outside of the matrix.
//
// [Product.MulRows] takes any range of rows, but is fastest on ranges that begin
// and end at multiples of 256, or at one of the cuts, in ascending order. At a
// cut nothing is read of rows on its other side.
func NewProduct(cols int, ptr []int64, col []int32, val []float64, cuts ...int) (*Product, error) {
	return newProduct(cols, ptr, col, val, cuts, everything)
}

func newProduct(cols int, ptr []int64, col []int32, val []float64, cuts []int, allow allowed) (*Product, error) {
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
	p := &Product{rows: len(ptr) - 1, cols: cols, entries: int64(len(col))}
	b := packer{ptr: ptr, col: col, val: val, allowed: allow}
	if err := b.pack(cuts); err != nil {
		return nil, err
	}
	p.form, p.storage = b.form, b.packing
	return p, nil
}

// Dims returns the number of rows and columns.
func (p *Product) Dims() (rows, cols int) { return p.rows, p.cols }

// Bytes returns what the matrix takes in memory, all of which a product of more
// than a few rows reads.
func (p *Product) Bytes() int64 {
	f := &p.form
	return 16*int64(len(f.Slice)+len(f.Step)) + 8*int64(len(f.Data)+len(f.Dict))
}

// MulRows sets y[i] to the product of row i with x for lo <= i < hi. It panics
// with mat.ErrShape if x or y is too short. It allocates nothing.
func (p *Product) MulRows(y, x []float64, lo, hi int) {
	if lo > hi {
		return
	}
	if len(x) < p.cols || len(y) < hi || lo < 0 || hi > p.rows {
		panic(errShape)
	}
	if lo == hi {
		return
	}
	// Slices first to last-1 begin at lo or later and end at hi or earlier.
	first, last := p.slice(lo), p.slice(hi)
	if first == len(p.form.Slice) || int(p.form.Slice[first].Row) > lo {
		p.part(y, x, first-1, lo, hi)
	}
	if last == len(p.form.Slice) && hi < p.rows || last < len(p.form.Slice) && int(p.form.Slice[last].Row) > hi {
		last = p.begin(last - 1)
		if last >= first {
			p.part(y, x, last, lo, hi)
		}
	}
	if first < last {
		p.form.Mul(y, x, 0, first, last)
	}
}

// slice returns the first slice whose Row is not less than i.
func (p *Product) slice(i int) int {
	s := p.form.Slice
	if g := i / kernel.SliceRows; g < len(s) && int(s[g].Row) == i && (g == 0 || int(s[g-1].Row) < i) {
		return g // where no row is missing or out of order
	}
	return sort.Search(len(s), func(k int) bool { return int(s[k].Row) >= i })
}

// begin returns the first slice with the Row of slice k.
func (p *Product) begin(k int) int {
	for k > 0 && p.form.Slice[k-1].Row == p.form.Slice[k].Row {
		k--
	}
	return k
}

// part does those rows from lo to hi that are in the window, or the slice, that
// slice k belongs to.
func (p *Product) part(y, x []float64, k, lo, hi int) {
	var buf [kernel.Window]float64
	s := p.form.Slice
	from, row, end := p.begin(k), int(s[k].Row), p.rows
	for k++; k < len(s); k++ {
		if s[k].Row != s[from].Row {
			end = int(s[k].Row)
			break
		}
	}
	p.form.Mul(buf[:], x, row, from, k)
	lo, hi = max(lo, row), min(hi, end)
	copy(y[lo:hi], buf[lo-row:])
}

// String describes how the matrix is stored.
func (p *Product) String() string {
	f := &p.storage
	per := 0.0
	if p.entries > 0 {
		per = float64(p.Bytes()) / float64(p.entries)
	}
	values := valueForms[f.values]
	if f.rows[0] == p.rows {
		values = "values in templates"
	}
	return fmt.Sprintf("%d x %d, %d entries at %.2f bytes; %s; rows: %d template, %d stencil, %d near, %d far, %d long; %d gaps",
		p.rows, p.cols, p.entries, per, values, f.rows[0], f.rows[1], f.rows[2], f.rows[3], f.long, f.gaps)
}
