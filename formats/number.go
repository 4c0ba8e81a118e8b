package formats

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// The scanners below read one number that starts at b[pos] and return the
// position after it. They need no bounds: b must end in a newline, which stops
// every loop. A number must be followed by a blank or a newline.

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
	for b[pos] != '\n' && !isBlank(b[pos]) {
		pos++
	}
	return pos
}

// verdict is what a scanner found.
type verdict uint8

const (
	good      verdict = iota
	malformed         // not a number of this kind
	tooLarge          // a number, but not of the type's range
)

// scanInt reads a decimal integer with an optional sign.
func scanInt(b []byte, pos int) (v int64, end int, ok verdict) {
	p := pos
	neg := b[p] == '-'
	if neg || b[p] == '+' {
		p++
	}
	var m uint64
	first := p
	for ; b[p]-'0' <= 9; p++ {
		m = m*10 + uint64(b[p]-'0')
	}
	if p == first || b[p] != '\n' && !isBlank(b[p]) {
		return 0, pos, malformed
	}
	if p-first > 18 {
		for b[first] == '0' {
			first++
		}
		limit := uint64(math.MaxInt64)
		if neg {
			limit++
		}
		// 19 digits always fit uint64, so m has not wrapped.
		if p-first > 19 || m > limit {
			return 0, pos, tooLarge
		}
	}
	if neg {
		m = -m
	}
	return int64(m), p, good
}

// scanFloat reads a decimal number into the nearest float64, ties to even: the
// value is that of [strconv.ParseFloat]. Beside strconv's decimal form it takes
// Fortran's D for the exponent's E, and a sign before nan; hexadecimal numbers
// and underscores are malformed. A number that rounds to infinity is tooLarge.
func scanFloat(b []byte, pos int) (v float64, end int, ok verdict) {
	p := pos
	neg := b[p] == '-'
	if neg || b[p] == '+' {
		p++
	}
	var m uint64 // all digits as one integer; meaningless if they are more than 19
	first := p
	for ; b[p]-'0' <= 9; p++ {
		m = m*10 + uint64(b[p]-'0')
	}
	digits, exp := p-first, 0
	if b[p] == '.' {
		p++
		point := p
		for p+8 < len(b) {
			w := binary.LittleEndian.Uint64(b[p:])
			if !eightDigits(w) {
				break
			}
			m = m*100_000_000 + eightDigitsValue(w)
			p += 8
		}
		for ; b[p]-'0' <= 9; p++ {
			m = m*10 + uint64(b[p]-'0')
		}
		exp = point - p
		digits += p - point
	}
	if digits == 0 {
		return scanSpecial(b, pos)
	}
	if c := b[p] | 0x20; c == 'e' || c == 'd' {
		p++
		expNeg := b[p] == '-'
		if expNeg || b[p] == '+' {
			p++
		}
		if b[p]-'0' > 9 {
			return 0, pos, malformed
		}
		e := 0
		for ; b[p]-'0' <= 9; p++ {
			if e < 1e8 { // far beyond what digits of a line can make up for
				e = e*10 + int(b[p]-'0')
			}
		}
		if expNeg {
			e = -e
		}
		exp += e
	}
	if b[p] != '\n' && !isBlank(b[p]) {
		return 0, pos, malformed
	}
	if digits > 19 {
		for ; b[first] == '0' || b[first] == '.'; first++ {
			if b[first] == '0' {
				digits--
			}
		}
	}
	if digits > 19 || exp < -maxPow5 || exp > maxPow5 {
		return slowFloat(b, pos, p)
	}
	v = decimal(m, exp)
	if neg {
		v = -v
	}
	return v, p, good
}

// slowFloat leaves the token b[pos:end], whose form has been checked, to strconv.
func slowFloat(b []byte, pos, end int) (float64, int, verdict) {
	s := string(b[pos:end])
	if strings.ContainsAny(s, "dD") {
		s = strings.NewReplacer("d", "e", "D", "e").Replace(s)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, pos, tooLarge
	}
	return v, end, good
}

// scanSpecial reads nan, inf and infinity in any case, with an optional sign.
func scanSpecial(b []byte, pos int) (float64, int, verdict) {
	end := tokenEnd(b, pos)
	if end-pos <= len("+infinity") {
		switch lower(b[pos:end]) {
		case "nan", "+nan", "-nan":
			return math.NaN(), end, good
		case "inf", "+inf", "infinity", "+infinity":
			return math.Inf(1), end, good
		case "-inf", "-infinity":
			return math.Inf(-1), end, good
		}
	}
	return 0, pos, malformed
}

// lower is strings.ToLower for ASCII alone: Unicode has capitals of its own that
// turn into ASCII letters.
func lower(word []byte) string {
	s := bytes.Clone(word)
	for i, c := range s {
		if 'A' <= c && c <= 'Z' {
			s[i] = c + 'a' - 'A'
		}
	}
	return string(s)
}

// eightDigits reports whether the bytes of w are all ASCII digits: their high
// halves must be 3, also after adding 6 to their low halves.
func eightDigits(w uint64) bool {
	const high, three, six = 0xf0f0f0f0f0f0f0f0, 0x3030303030303030, 0x0606060606060606
	return w&high == three && (w+six)&high == three
}

// eightDigitsValue folds eight ASCII digits, first digit in the lowest byte,
// into their value: neighbours to pairs, pairs to fours, fours to eight.
func eightDigitsValue(w uint64) uint64 {
	w &= 0x0f0f0f0f0f0f0f0f
	w = (w*10 + w>>8) & 0x00ff00ff00ff00ff
	w = (w*100 + w>>16) & 0x0000ffff0000ffff
	return (w*10000 + w>>32) & 0xffffffff
}

// maxPow5 is the largest power of five below 2^64.
const maxPow5 = 27

var pow5 = func() (t [maxPow5 + 1]uint64) {
	t[0] = 1
	for i := range maxPow5 {
		t[i+1] = 5 * t[i]
	}
	return t
}()

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimal returns m * 10^exp, |exp| <= maxPow5, rounded once, ties to even.
func decimal(m uint64, exp int) float64 {
	// Both factors exact, hence one rounding (W. D. Clinger, How to read floating
	// point numbers accurately, PLDI 1990).
	if m <= 1<<53 && -len(pow10) < exp && exp < len(pow10) {
		if exp < 0 {
			return float64(m) / pow10[-exp]
		}
		return float64(m) * pow10[exp]
	}
	// 10^exp = 5^exp 2^exp, and 5^|exp| fits a word: the leading 63 or 64 bits of
	// the result come from one exact integer product or quotient of two numbers
	// with their highest bits set. Whatever is left over only matters by being
	// non-zero, and is kept as the lowest bit, well below the rounding position.
	var q, rest uint64
	d := pow5[max(exp, -exp)]
	lm, ld := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
	m, d = m<<lm, d<<ld
	if exp < 0 {
		q, rest = bits.Div64(m>>1, m<<63, d) // m 2^63 / d
		exp += ld - lm - 63
	} else {
		q, rest = bits.Mul64(m, d)
		exp += 64 - lm - ld
	}
	if rest != 0 {
		q |= 1
	}
	// The conversion of a signed integer is one correctly rounded instruction.
	v := float64(int64(q>>1 | q&1))
	return v * math.Float64frombits(uint64(1023+exp+1)<<52)
}
