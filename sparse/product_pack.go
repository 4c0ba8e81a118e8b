package sparse

import (
	"fmt"
	"math"
	"slices"

	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// allowed is what a product may be stored as. Tests take some of it away.
type allowed uint

const (
	templates allowed = 1 << iota
	stencils
	nearColumns
	dictionaries
	float32s
	sorting

	everything = 1<<iota - 1
)

// packing is what became of a matrix.
type packing struct {
	values int    // the form of all values
	rows   [4]int // by shape: template, stencil, near, far
	long   int    // rows
	gaps   int64  // values stored in place of entries that do not exist
}

// packer makes the form of a product.
type packer struct {
	ptr []int64
	col []int32
	val []float64
	allowed
	packing
	form     kernel.Slices
	dict     *dictionary
	packed   int64 // entries before the window
	patterns patterns
}

// maxWords is the length of the data that slices can address.
const maxWords = math.MaxUint32

func (b *packer) pack(cuts []int) error {
	n := len(b.ptr) - 1
	b.values, b.dict = chooseValues(b.val, b.allowed)
	b.form.Slice = make([]kernel.Slice, 0, n/kernel.SliceRows+len(cuts)+1)
	for lo := 0; lo < n; {
		hi := min(lo+kernel.Window-lo%kernel.Window, n)
		for len(cuts) > 0 && cuts[0] <= lo {
			cuts = cuts[1:]
		}
		if len(cuts) > 0 {
			hi = min(hi, cuts[0])
		}
		for i := lo; i < hi; i++ {
			if b.length(i) > kernel.Segment {
				hi = i
				break
			}
		}
		b.packed = b.ptr[lo]
		if lo == hi {
			b.longRow(lo)
			hi++
		} else {
			b.window(lo, hi)
		}
		if len(b.form.Data) > maxWords {
			return fmt.Errorf("sparse: the product form of %d rows with %d entries is too large: spread the rows", n, len(b.col))
		}
		lo = hi
	}
	b.packed = int64(len(b.col))
	b.room(kernel.DataPad, 64)
	b.form.Step = b.patterns.step
	if b.dict != nil && b.rows[0] < n {
		b.form.Dict = make([]float64, kernel.Dictionary)
		copy(b.form.Dict, b.dict.value)
	}
	return nil
}

func (b *packer) length(i int) int { return int(b.ptr[i+1] - b.ptr[i]) }

// lane is a row, or a segment of one: its entries, and where its sum goes.
type lane struct {
	b, e int64
	row  uint8
}

func (l lane) length() int { return int(l.e - l.b) }

// window packs the rows lo to hi, at most a Window. They are sorted by length if
// that saves a tenth of the steps, and stay in order otherwise.
func (b *packer) window(lo, hi int) {
	var rows, sorted [kernel.Window]lane
	n := hi - lo
	var count [kernel.Segment + 1]int
	steps := 0
	for i := range n {
		rows[i] = lane{b.ptr[lo+i], b.ptr[lo+i+1], uint8(i)}
	}
	for i := 0; i < n; i += kernel.SliceRows {
		longest := 0
		for _, r := range rows[i:min(i+kernel.SliceRows, n)] {
			count[r.length()]++
			longest = max(longest, r.length())
		}
		steps += longest
	}
	if b.allowed&sorting != 0 {
		at := 0
		for length := kernel.Segment; length >= 0; length-- {
			count[length], at = at, at+count[length]
		}
		for _, r := range rows[:n] {
			sorted[count[r.length()]] = r
			count[r.length()]++
		}
		after := 0
		for i := 0; i < n; i += kernel.SliceRows {
			after += sorted[i].length()
		}
		if 10*after <= 9*steps {
			for i := 0; i < n; i += kernel.SliceRows {
				b.gather(lo, sorted[i:min(i+kernel.SliceRows, n)], 0)
			}
			return
		}
	}
	for i := 0; i < n; i += kernel.SliceRows {
		slice := rows[i:min(i+kernel.SliceRows, n)]
		if !b.stencil(lo+i, slice) {
			for l := range slice {
				slice[l].row = uint8(l)
			}
			sortLanes(slice)
			b.gather(lo+i, slice, 0)
		}
	}
}

// sortLanes puts long lanes first and keeps the order of equals.
func sortLanes(s []lane) {
	for i := 1; i < len(s); i++ {
		for k := i; k > 0 && s[k].length() > s[k-1].length(); k-- {
			s[k], s[k-1] = s[k-1], s[k]
		}
	}
}

// longRow packs a row by its segments.
func (b *packer) longRow(i int) {
	b.long++
	for k, e := b.ptr[i], b.ptr[i+1]; k < e; {
		var s [kernel.SliceRows]lane
		n := 0
		for ; n < len(s) && k < e; n++ {
			s[n] = lane{k, min(k+kernel.Segment, e), uint8(n)}
			k = s[n].e
		}
		b.gather(i, s[:n], kernel.Long)
	}
}

// gather packs lanes, longest first, with the column of each entry.
func (b *packer) gather(row int, lanes []lane, long uint8) {
	d := kernel.Slice{At: uint32(len(b.form.Data)), Row: uint32(row), Steps: uint16(lanes[0].length()), Rows: uint8(len(lanes))}
	least, most, n := int32(math.MaxInt32), int32(0), 0
	ragged := len(lanes) < kernel.SliceRows || d.Steps == 0
	for l, r := range lanes {
		ragged = ragged || r.length() < int(d.Steps) || int(r.row) != l
		n += r.length()
		for _, j := range b.col[r.b:r.e] {
			least, most = min(least, j), max(most, j)
		}
	}
	if ragged {
		d.Rows |= kernel.Ragged
		var h [4]uint64
		done := 0
		for l := len(lanes) - 1; l >= 0; l-- { // l+1 lanes
			h[(kernel.SliceRows-1-l)/4] |= uint64(lanes[l].length()-done) << (16 * ((kernel.SliceRows - 1 - l) % 4))
			done = lanes[l].length()
			h[2] |= uint64(lanes[l].row) << (8 * l)
		}
		h[3] = uint64(n)
		copy(b.form.Data[b.room(len(h), 64):], h[:])
	}
	shape, width := kernel.Far, 32
	if b.allowed&nearColumns != 0 && (n == 0 || most-least < 1<<16) {
		shape, width = kernel.Near, 16
		if n > 0 {
			d.First = uint32(least)
		}
	}
	d.Kind = uint8(shape+b.values) | long
	c := b.room(n, width)
	v := b.room(n, valueBits[b.values])
	cols, vals := b.form.Data[c:], b.form.Data[v:]
	p := 0
	for k := range int64(d.Steps) {
		for _, r := range lanes {
			at := r.b + k
			if at >= r.e {
				break
			}
			put(cols, p, width, uint64(uint32(b.col[at])-d.First))
			if b.values == kernel.Float64 {
				vals[p] = math.Float64bits(b.val[at])
			} else {
				b.putValue(vals, p, b.val[at])
			}
			p++
		}
	}
	b.form.Slice = append(b.form.Slice, d)
	if long == 0 {
		b.rows[2+shape/kernel.Far] += len(lanes)
	}
}

var valueBits = [...]int{kernel.Float64: 64, kernel.Float32: 32, kernel.Index8: 8}

// room appends words for n numbers to the data and returns where they are.
func (b *packer) room(n, bits int) (at int) {
	at = len(b.form.Data)
	end := at + (n*bits+63)/64
	if end > cap(b.form.Data) {
		more := max(end, 1024)
		if all := float64(len(b.col)); float64(b.packed) > all/100 {
			// The rest of the matrix will be like what is done.
			more = int(float64(end)*(1.02*all/float64(b.packed)-1)) + 1024
		}
		b.form.Data = slices.Grow(b.form.Data, end-at+more)
	}
	b.form.Data = b.form.Data[:end]
	return at
}

// put stores number k of those of the given width; what was there is zero.
func put(words []uint64, k, bits int, v uint64) {
	words[k*bits/64] |= v << (k * bits % 64)
}

func (b *packer) putValue(words []uint64, k int, v float64) {
	switch b.values {
	case kernel.Float64:
		words[k] = math.Float64bits(v)
	case kernel.Float32:
		put(words, k, 32, uint64(math.Float32bits(float32(v))))
	default:
		n, _ := b.dict.number(v)
		put(words, k, 8, uint64(n))
	}
}
