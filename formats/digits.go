package formats

import (
	"encoding/binary"
	"math/bits"
)

// The scanners look at eight bytes at once, because a loop over the digits of a
// number ends in a branch that no processor can predict. They may load bytes
// beyond the block, though never use them: the newline that ends it stops them.

// slack is how much capacity a block must have beyond its length.
const slack = window + 8

// load returns the eight bytes at b[pos], the first one lowest.
func load(b []byte, pos int) uint64 { return binary.LittleEndian.Uint64(b[pos : pos+8]) }

// zeros are eight ASCII zeros: exclusive or with them turns digits into values.
const zeros = 0x3030303030303030

// digits returns the number n of ASCII digits that w starts with, and their value.
func digits(w uint64) (v uint64, n int) {
	w ^= zeros
	n = bits.TrailingZeros64(others(w)) / 8
	// With the first digit in front of zeros, n digits are eight. Half the shift,
	// twice: a shift by 64, for none, takes longer than two.
	half := uint(32-4*n) & 63
	return eight(w << half << half), n
}

// others sets the highest bit of each byte of w that is no digit's value. What
// follows a byte above 0x89 may be wrong: it does not count.
func others(w uint64) uint64 {
	const sevens, highest = 0x7676767676767676, 0x8080808080808080
	return (w + sevens | w) & highest // 0x76 + 9 is 0x7f
}

// eight folds eight digits, the first one in the lowest byte, into their value:
// neighbours to pairs, pairs to fours, fours to eight.
func eight(w uint64) uint64 {
	w = (w*10 + w>>8) & 0x00ff00ff00ff00ff
	w = (w*100 + w>>16) & 0x0000ffff0000ffff
	return (w*10000 + w>>32) & 0xffffffff
}

// oneWord returns the value of a number of up to eight bytes, without sign or
// exponent, with a point. It is the start of w, which was exclusive-ored with zeros.
func oneWord(w uint64, point, size uint) float64 {
	after := ^uint64(0) << (8 * point & 63)
	m := eight((w&^after | w>>8&after) << ((72 - 8*size) & 63))
	return float64(int64(m)) / exact10[(size-1-point)&7]
}

// isEnd reports whether c ends a number: a blank or the newline.
func isEnd(c byte) bool { return c == ' ' || c-'\t' < 5 }

// isBlank reports whether c separates tokens: C's isspace, less the newline.
func isBlank(c byte) bool { return c == ' ' || c-'\t' < 5 && c != '\n' }

// skipBlanks returns the first position from pos on that is not blank.
func skipBlanks(b []byte, pos int) int {
	for isBlank(b[pos]) {
		pos++
	}
	return pos
}

// tokenEnd returns the end of the token at pos.
func tokenEnd(b []byte, pos int) int {
	for !isEnd(b[pos]) {
		pos++
	}
	return pos
}
