package kernel

// The functions of this file that return dot products work on one block: at most
// [BlockLen] elements of each vector, starting at a block boundary; the sums are
// to be added exactly by the caller. The others take vectors of any length. All
// vectors of a call have the length of the first.

// stretch is the number of elements that are given to a pass at a time. Six
// vectors of that length stream from memory in some 30 us.
const stretch = 8192

// Dot returns x·y.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	reads(x, y)
	return use.dot(x, y)
}

// AxpyDot sets y = fma(alpha, x, y) and returns y·y.
func AxpyDot(alpha float64, x, y []float64) float64 {
	y = y[:len(x)]
	reads(x)
	writes(y)
	return use.axpyDot(alpha, x, y)
}

// AxpyScaledDot sets y = fma(alpha, x, y) and returns y·y and y·z with
// z = d*y, rounded; z is not stored.
func AxpyScaledDot(alpha float64, x, y, d []float64) (yy, yz float64) {
	y, d = y[:len(x)], d[:len(x)]
	reads(x, d)
	writes(y)
	yy = use.axpyDot(alpha, x, y)
	return yy, use.scaledDot(y, d) // y is in the first-level cache
}

// Axpys sets w = fma(c[j], vs[j], w) for each j in order, at elements off to
// off+len(w) of the vs.
func Axpys(c []float64, vs [][]float64, off int, w []float64) {
	writes(w)
	if use.axpy4 != nil && len(w) > 0 {
		for ; len(vs) >= 4; c, vs = c[4:], vs[4:] { // a quarter of the traffic of w
			v0, v1, v2, v3 := vs[0][off:off+len(w)], vs[1][off:off+len(w)], vs[2][off:off+len(w)], vs[3][off:off+len(w)]
			reads(v0, v1, v2, v3)
			use.axpy4(w, c[0], c[1], c[2], c[3], &v0[0], &v1[0], &v2[0], &v3[0])
		}
	}
	for j, v := range vs {
		v = v[off : off+len(w)]
		reads(v)
		use.axpy(c[j], v, w)
	}
}

// Axpy sets y = fma(alpha, x, y).
func Axpy(alpha float64, x, y []float64) {
	y = y[:len(x)]
	reads(x)
	writes(y)
	for lo := 0; lo < len(x); lo += stretch {
		hi := min(lo+stretch, len(x))
		use.axpy(alpha, x[lo:hi], y[lo:hi])
	}
}

// AxpyXpby sets x = fma(alpha, p, x), then p = fma(beta, p, z).
func AxpyXpby(alpha float64, p, x []float64, beta float64, z []float64) {
	x, z = x[:len(p)], z[:len(p)]
	reads(z)
	writes(p, x)
	for lo := 0; lo < len(p); lo += stretch {
		hi := min(lo+stretch, len(p))
		use.axpyXpby(alpha, p[lo:hi], x[lo:hi], beta, z[lo:hi])
	}
}

// AxpyXpbyScaled sets x = fma(alpha, p, x), then p = fma(beta, p, z) with
// z = d*r, rounded.
func AxpyXpbyScaled(alpha float64, p, x []float64, beta float64, d, r []float64) {
	x, d, r = x[:len(p)], d[:len(p)], r[:len(p)]
	reads(d, r)
	writes(p, x)
	for lo := 0; lo < len(p); lo += stretch {
		hi := min(lo+stretch, len(p))
		use.axpyXpbyScaled(alpha, p[lo:hi], x[lo:hi], beta, d[lo:hi], r[lo:hi])
	}
}

// Scale sets y = alpha*x; y may be x.
func Scale(y []float64, alpha float64, x []float64) {
	y = y[:len(x)]
	reads(x)
	writes(y)
	for lo := 0; lo < len(x); lo += stretch {
		hi := min(lo+stretch, len(x))
		use.scale(y[lo:hi], alpha, x[lo:hi])
	}
}

// Sub sets z = x-y; z may be x or y.
func Sub(z, x, y []float64) {
	y, z = y[:len(x)], z[:len(x)]
	reads(x, y)
	writes(z)
	for lo := 0; lo < len(x); lo += stretch {
		hi := min(lo+stretch, len(x))
		use.sub(z[lo:hi], x[lo:hi], y[lo:hi])
	}
}

// Mul sets z = x*y, element by element; z may be x or y.
func Mul(z, x, y []float64) {
	y, z = y[:len(x)], z[:len(x)]
	reads(x, y)
	writes(z)
	for lo := 0; lo < len(x); lo += stretch {
		hi := min(lo+stretch, len(x))
		use.mul(z[lo:hi], x[lo:hi], y[lo:hi])
	}
}

// MaxAbs returns the largest magnitude in x, 0 if x is empty, NaN if x has one.
func MaxAbs(x []float64) float64 {
	reads(x)
	var m float64
	for lo := 0; lo < len(x); lo += stretch {
		s := use.maxAbs(x[lo:min(lo+stretch, len(x))])
		if s != s {
			return s
		}
		m = max(m, s)
	}
	return m
}
