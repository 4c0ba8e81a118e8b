package formats

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// The scanners below read one number that starts at b[pos] and return the
// position after it. They need no bounds: b must end in a newline, which stops
// every loop, and have slack. A number must be followed by a blank or a newline.

// verdict is what a scanner found.
type verdict uint8

const (
	good      verdict = iota
	malformed         // not a number of this kind
	tooLarge          // a number, but not of the type's range
)

// scanInt reads a decimal integer with an optional sign.
func scanInt(b []byte, pos int) (v int64, end int, ok verdict) {
	if m, n := digits(load(b, pos)); n-1 < 7 && n > 0 && isEnd(b[pos+n]) {
		return int64(m), pos + n, good
	}
	return scanLongInt(b, pos)
}

// scanLongInt is scanInt for integers of eight digits and more, and signs.
func scanLongInt(b []byte, pos int) (v int64, end int, ok verdict) {
	p := pos
	neg := b[p] == '-'
	if neg || b[p] == '+' {
		p++
	}
	first := p
	m, p := scanDigits(b, first, 0)
	if p == first || !isEnd(b[p]) {
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

// scanDigits reads digits from pos on and appends them to those of m. More than
// 19 in all wrap.
func scanDigits(b []byte, pos int, m uint64) (uint64, int) {
	w := load(b, pos)
	for others(w^zeros) == 0 { // a branch, so that the next word is loaded meanwhile
		m = m*1e8 + eight(w^zeros)
		pos += 8
		w = load(b, pos)
	}
	v, n := digits(w)
	return m*pow10[n] + v, pos + n
}

// scanFloat reads a decimal number into the nearest float64, ties to even: the
// value is that of [strconv.ParseFloat]. Beside strconv's decimal form it takes
// Fortran's D for the exponent's E, and a sign before nan; hexadecimal numbers
// and underscores are malformed. A number that rounds to infinity is tooLarge.
func scanFloat(b []byte, pos int) (v float64, end int, ok verdict) {
	p := pos
	neg := uint64(0)
	if b[p] == '-' { // half of all numbers: compiled without a branch
		neg = 1
	}
	p += int(neg)
	w := load(b, p) ^ zeros
	ends := others(w)
	point := bits.TrailingZeros64(ends) / 8
	if ends &= ends - 1; ends != 0 && b[p+point] == '.' {
		n := bits.TrailingZeros64(ends) / 8
		if isEnd(b[p+n]) && n > 1 {
			v = oneWord(w, uint(point), uint(n))
			return math.Float64frombits(math.Float64bits(v) | neg<<63), p + n, good
		}
	}
	return scanLongFloat(b, pos)
}

// scanLongFloat is scanFloat for all other forms.
func scanLongFloat(b []byte, pos int) (v float64, end int, ok verdict) {
	p := pos
	neg := uint64(0)
	if b[p] == '-' { // as above
		neg = 1
	}
	p += int(neg)
	if b[p] == '+' && neg == 0 {
		p++
	}
	first := p
	m, p := scanDigits(b, p, 0)
	return finishFloat(b, pos, first, p, m, neg)
}

// finishFloat reads what follows the digits b[first:p] of a number that starts at
// b[pos]. Their value is m.
func finishFloat(b []byte, pos, first, p int, m, neg uint64) (v float64, end int, ok verdict) {
	// All digits are taken as one integer, which is meaningless if they are more than 19.
	count, exp := p-first, 0
	if b[p] == '.' {
		p++
		point := p
		w := load(b, p) // scanDigits, inlined: this is where most digits are
		for others(w^zeros) == 0 {
			m = m*1e8 + eight(w^zeros)
			p += 8
			w = load(b, p)
		}
		v, n := digits(w)
		m, p = m*pow10[n]+v, p+n
		exp = point - p
		count += p - point
	}
	if count == 0 {
		return scanSpecial(b, pos)
	}
	if c := b[p]; !isEnd(c) {
		if c |= 0x20; c != 'e' && c != 'd' {
			return 0, pos, malformed
		}
		p++
		expNeg, expPos := 0, 0
		if b[p] == '-' { // without a branch, as above
			expNeg = 1
		}
		if b[p] == '+' {
			expPos = 1
		}
		p += expNeg | expPos
		e, n := digits(load(b, p))
		if p += n; n == 0 {
			return 0, pos, malformed
		}
		if n == 8 { // 8 digits are far beyond what the others of a line can make up for
			for ; b[p]-'0' <= 9; p++ {
				e = max(e, min(e*10+uint64(b[p]-'0'), 1e8))
			}
		}
		if !isEnd(b[p]) {
			return 0, pos, malformed
		}
		exp += int(e) ^ -expNeg + expNeg
	}
	if count > 19 {
		for ; b[first] == '0' || b[first] == '.'; first++ {
			if b[first] == '0' {
				count--
			}
		}
	}
	if v, ok := decimal(m, exp); ok && count <= 19 {
		return math.Float64frombits(math.Float64bits(v) | neg<<63), p, good
	}
	return slowFloat(b, pos, p)
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
