package formats

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// window is how much of a line plainReals looks at at once: beyond it lie at most
// digits and an exponent.
const window = 32

// plainReals parses real entries of the form that nearly all have: two indices of
// up to eight digits, and a number with up to eight before its point, if it has
// one, one blank before each of the last two. It returns the start of the first
// line that is of another form or has a fault.
//
// The ends of all words are looked for at once: looking for each from the end of
// the one before makes the processor wait five times a line. No branch depends on
// a sign or a number of digits, which no processor could predict.
func (p *parser) plainReals(b []byte, start int) int {
	m := p.m
	rows, cols := uint64(m.Rows), uint64(m.Cols)
	last := int(min(int64(len(m.I)), p.want))
	I := m.I[p.n:last]
	J, V := m.J[p.n:][:len(I)], m.Real[p.n:][:len(I)]
	k := 0
	for k < len(I) && start < len(b) {
		s := (*[window + 8]byte)(b[start : start+window+8])
		w := binary.LittleEndian.Uint64(s[:]) ^ zeros
		ends := mark(w) |
			mark(binary.LittleEndian.Uint64(s[8:])^zeros)<<8 |
			mark(binary.LittleEndian.Uint64(s[16:])^zeros)<<16 |
			mark(binary.LittleEndian.Uint64(s[24:])^zeros)<<24
		// The masks below change nothing. They spare checks of bounds and shifts.
		iEnd := uint(bits.TrailingZeros32(ends))
		ends &= ends - 1
		jEnd := uint(bits.TrailingZeros32(ends))
		ends &= ends - 1
		jStart := iEnd + 1
		if iEnd-1 > 7 || jEnd-jStart-1 > 7 || s[iEnd&31] != ' ' || s[jEnd&31] != ' ' {
			break
		}
		i := eight(w << ((64 - 8*iEnd) & 63))
		w = binary.LittleEndian.Uint64(s[jStart&31:][:8]) ^ zeros
		j := eight(w << ((64 - 8*(jEnd-jStart)) & 63))

		first := jEnd + 1
		minus := uint32(0)
		if s[first&31] == '-' {
			minus = 1
		}
		if ends>>(first&31)&1 != minus {
			break
		}
		ends &^= minus << (first & 31)
		first += uint(minus)
		point := uint(bits.TrailingZeros32(ends))
		ends &= ends - 1
		end := uint(bits.TrailingZeros32(ends))
		if point-first-1 > 7 || i-1 >= rows || j-1 >= cols {
			break
		}
		w = binary.LittleEndian.Uint64(s[first&31:][:8]) ^ zeros
		var v float64
		switch after := s[point&31]; {
		case after == '.' && end-first <= 8 && s[end&31] == '\n':
			v = oneWord(w, point-first, end-first)
			v = math.Float64frombits(math.Float64bits(v) | uint64(minus)<<63)
			start += int(end) + 1
		case after == '.':
			digits := eight(w << ((64 - 8*(point-first)) & 63))
			from := start + int(first)
			stop, ok := 0, good
			v, stop, ok = finishFloat(b, from-int(minus), from, start+int(point), digits, uint64(minus))
			if stop = skipBlanks(b, stop); ok != good || b[stop] != '\n' {
				return p.took(k, start)
			}
			start = stop + 1
		case after == '\n':
			digits := eight(w << ((64 - 8*(point-first)) & 63))
			v = math.Float64frombits(math.Float64bits(float64(int64(digits))) | uint64(minus)<<63)
			start += int(point) + 1
		default:
			return p.took(k, start)
		}
		I[k], J[k], V[k] = int64(i-1), int64(j-1), v
		k++
	}
	return p.took(k, start)
}

// took counts entries in, and passes on where the next line starts.
func (p *parser) took(entries, start int) int {
	p.n += entries
	p.line += int64(entries)
	return start
}

// mark returns others(w) as one bit a byte.
func mark(w uint64) uint32 { return uint32(others(w) >> 7 * 0x0102040810204080 >> 56) }
