package formats

import (
	"math"
	"math/bits"
)

// decimal returns m * 10^exp, rounded once, ties to even. It gives up, ok being
// false, on one of a thousand numbers and on those that are too large or too small
// for its tables.
func decimal(m uint64, exp int) (v float64, ok bool) {
	// Both factors exact, hence one rounding (W. D. Clinger, How to read floating
	// point numbers accurately, PLDI 1990).
	if m <= 1<<53 && -len(exact10) < exp && exp < len(exact10) {
		if exp < 0 {
			return float64(int64(m)) / exact10[-exp], true
		}
		return float64(int64(m)) * exact10[exp], true
	}
	// The leading bits of the product with the leading 64 bits of the power. What
	// the power lacks is less than one unit of its last bit, so that the product
	// lacks less than m. A float64 is q without its last 10 or 11 bits. What is
	// missing behind q only matters by not being zero, and is kept as q's last bit;
	// unless it carries through the 9 last bits, to where rounding looks.
	if m == 0 || uint(exp-minTen) > maxTen-minTen {
		return 0, m == 0
	}
	zeros := bits.LeadingZeros64(m)
	m <<= zeros
	q, rest := bits.Mul64(m, tens[exp-minTen])
	if uint(exp) > exactTen {
		if (q+1)&0x1ff == 0 && rest > ^m {
			return 0, false
		}
		rest = 1
	}
	if rest != 0 {
		q |= 1
	}
	// 217706 / 2^16 is the binary logarithm of ten, closely enough to be rounded down.
	scale := exp*217706>>16 + 2 - zeros
	if uint(scale+1022) > 2*1022 {
		return 0, false
	}
	// The conversion of a signed integer is one correctly rounded instruction.
	v = float64(int64(q>>1 | q&1))
	return v * math.Float64frombits(uint64(1023+scale)<<52), true
}

// pow10 holds the powers of ten that a word can.
var pow10 = [20]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// exact10 holds the powers of ten that a float64 can.
var exact10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// The powers of ten whose leading bits are in tens.
const minTen, maxTen = -300, 288

// exactTen is the largest exponent for which nothing is cut off.
const exactTen = 27

// tens holds the leading 64 bits of 10^minTen to 10^maxTen, the rest cut off. They
// are computed with 128 bits, of which the last ten or so come out wrong.
var tens = func() (t [maxTen - minTen + 1]uint64) {
	hi, lo := uint64(1)<<63, uint64(0)
	for e := range maxTen + 1 {
		t[e-minTen] = hi
		h, l := bits.Mul64(lo, 10)
		top, mid := bits.Mul64(hi, 10)
		mid, carry := bits.Add64(mid, h, 0)
		top += carry
		n := bits.Len64(top)
		hi, lo = top<<(64-n)|mid>>n, mid<<(64-n)|l>>n
	}
	hi, lo = 1<<63, 0
	for e := -1; e >= minTen; e-- {
		top, rest := hi/10, hi%10
		mid, rest := bits.Div64(rest, lo, 10)
		low, _ := bits.Div64(rest, 0, 10)
		n := bits.LeadingZeros64(top)
		hi, lo = top<<n|mid>>(64-n), mid<<n|low>>(64-n)
		t[e-minTen] = hi
	}
	return t
}()
