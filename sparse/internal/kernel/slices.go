package kernel

// SliceRows is the number of rows of a slice, one a lane.
const SliceRows = 8

// Slices is a matrix cut into slices of up to [SliceRows] rows (the form SELL of
// Kreutzer et al. 2014, without its padding). The lanes of a vector register each
// sum one row, in the order of its entries; a lane stops where its row does. What
// is kept in memory is as short as the matrix allows:
//
//   - A template is a list of steps, shared by any number of slices. Step k adds
//     Value times x[row+Delta] to each row of the slice whose bit is in Mask.
//   - A stencil is a list of steps without values: 8 values a step are in the
//     slice's data, those of lanes without an entry being zeros.
//   - Other slices are gathers: the data hold the column of each entry and the
//     value of each, and have no gaps. Lanes are sorted by the length of their
//     rows, longest first, so that step k has entries in lanes 0 to c_k-1, and
//     the rows may come from anywhere in a window of up to [Window] rows. A near
//     slice has 16 bits a column, from First, a far one 32 bits.
//
// Values are float64, or float32 where all of the matrix are, or numbers in a
// dictionary of up to 256.
//
// Rows of more than [Segment] entries are slices of their own, in which a lane is
// a segment; see [Long].
//
// The data of a gather are, each part filled up to whole 64-bit words, low bits
// first: if it is ragged, 8 numbers of 16 bits (for how many steps 8 lanes have
// an entry, then 7, and so on to 1), 8 of 8 bits (the row of each lane, from Row)
// and the number of entries; the columns; the values.
//
// The assembly trusts a Slices. Whoever makes one answers for the columns being
// in x, and for [DataPad] words and [Dictionary] numbers being there.
type Slices struct {
	Slice []Slice
	Step  []Step
	Data  []uint64  // ends with DataPad words that belong to no slice
	Dict  []float64 // empty or Dictionary numbers
}

const (
	Window     = 256
	Dictionary = 256
	DataPad    = SliceRows // a register is read where the last lane's entry is
)

// Slice describes a slice. Assembly knows its layout.
type Slice struct {
	At    uint32 // of its data
	Row   uint32 // first row, or first row of the window
	First uint32 // first step; first column that a near slice's columns count from
	Steps uint16 // how many; of a gather: entries of the longest row
	Kind  uint8  // shape and values, and perhaps Long
	Rows  uint8  // 1 to 8, and perhaps Ragged
}

// Step is a step of a template or a stencil. Assembly knows its layout.
type Step struct {
	Value float64
	Delta int32
	Mask  uint32
}

// Kinds of slices: Template, or the sum of a shape and a form of the values.
const (
	Template = 0
	Stencil  = 1
	Near     = 4
	Far      = 7

	Float64 = 0
	Float32 = 1
	Index8  = 2

	Kinds = 10

	// Long is set in the kind of slices that hold segments of one row. Their
	// lanes' sums are added in order, over all slices with that Row.
	Long = 0x80

	// Ragged is set in Rows if not all of 8 rows have an entry in every step. A
	// gather then has a header; a template or stencil has masks.
	Ragged = 0x80
)

// budget is the number of steps, and of slices, after which assembly returns. It
// takes some 10 us, and ten times that if every element of x is far away.
const budget = 2048

// Mul stores the products of the rows of slices lo to hi with x: that of row i in
// y[i-row].
func (s *Slices) Mul(y, x []float64, row, lo, hi int) {
	for lo < hi {
		d := &s.Slice[lo]
		if d.Kind&Long == 0 {
			lo += s.some(y, x, row, lo, hi)
			continue
		}
		var sum float64
		for first := true; lo < hi && s.Slice[lo].Row == d.Row; lo++ {
			var segments [SliceRows]float64
			s.some(segments[:], x, int(d.Row), lo, lo+1)
			for _, v := range segments[:s.Slice[lo].Rows&^Ragged] {
				if first {
					sum, first = v, false
				} else {
					sum += v
				}
			}
		}
		y[int(d.Row)-row] = sum
	}
}

// some does slice lo, and then as many of the same kind as it likes. It returns
// their number.
func (s *Slices) some(y, x []float64, row, lo, hi int) int {
	// The race detector must know which elements of x are read: others may be
	// written at that time.
	if !racing {
		if n := someInAssembly(use.level, s, y, x, row, lo, hi); n > 0 {
			return n
		}
	}
	s.one(y, x, row, &s.Slice[lo])
	return 1
}
