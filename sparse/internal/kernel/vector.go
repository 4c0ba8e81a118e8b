package kernel

import "math"

// The functions of this file work on one block: at most [BlockLen] elements of
// each vector, all of one length, starting at a block boundary. Dot products
// are sums of that block, to be added exactly by the caller.

type lanes [Lanes]float64

// fold adds the lanes as the package comment says.
func (t *lanes) fold() float64 {
	for h := Lanes / 2; h > 0; h /= 2 {
		for l := range h {
			t[l] += t[l+h]
		}
	}
	return t[0]
}

// Dot returns x·y.
func Dot(x, y []float64) float64 {
	var t lanes
	y = y[:len(x)]
	for len(x) >= Lanes {
		u, v := (*lanes)(x), (*lanes)(y)
		for l := range t {
			t[l] = math.FMA(u[l], v[l], t[l])
		}
		x, y = x[Lanes:], y[Lanes:]
	}
	for l, u := range x {
		t[l] = math.FMA(u, y[l], t[l])
	}
	return t.fold()
}

// Axpy sets y = fma(alpha, x, y).
func Axpy(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for i, u := range x {
		y[i] = math.FMA(alpha, u, y[i])
	}
}

// AxpyDot sets y = fma(alpha, x, y) and returns y·y.
func AxpyDot(alpha float64, x, y []float64) float64 {
	Axpy(alpha, x, y)
	return Dot(y, y)
}

// AxpyScaledDot sets y = fma(alpha, x, y) and returns y·y and y·z with
// z = d*y, rounded; z is not stored.
func AxpyScaledDot(alpha float64, x, y, d []float64) (yy, yz float64) {
	Axpy(alpha, x, y)
	var t lanes
	d = d[:len(y)]
	for i, v := range y {
		l := i % Lanes
		t[l] = math.FMA(v, d[i]*v, t[l])
	}
	return Dot(y, y), t.fold()
}

// AxpyXpby sets x = fma(alpha, p, x), then p = fma(beta, p, z).
func AxpyXpby(alpha float64, p, x []float64, beta float64, z []float64) {
	x, z = x[:len(p)], z[:len(p)]
	for i, v := range p {
		x[i] = math.FMA(alpha, v, x[i])
		p[i] = math.FMA(beta, v, z[i])
	}
}

// AxpyXpbyScaled sets x = fma(alpha, p, x), then p = fma(beta, p, z) with
// z = d*r, rounded.
func AxpyXpbyScaled(alpha float64, p, x []float64, beta float64, d, r []float64) {
	x, d, r = x[:len(p)], d[:len(p)], r[:len(p)]
	for i, v := range p {
		x[i] = math.FMA(alpha, v, x[i])
		p[i] = math.FMA(beta, v, float64(d[i]*r[i]))
	}
}

// Axpys sets w = fma(c[j], vs[j], w) for each j in order, at elements off to
// off+len(w) of the vs.
func Axpys(c []float64, vs [][]float64, off int, w []float64) {
	for j, v := range vs {
		Axpy(c[j], v[off:off+len(w)], w)
	}
}

// Scale sets y = alpha*x.
func Scale(y []float64, alpha float64, x []float64) {
	y = y[:len(x)]
	for i, u := range x {
		y[i] = alpha * u
	}
}

// Sub sets z = x-y.
func Sub(z, x, y []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, u := range x {
		z[i] = u - y[i]
	}
}

// Mul sets z = x*y, element by element.
func Mul(z, x, y []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, u := range x {
		z[i] = u * y[i]
	}
}

// MaxAbs returns the largest magnitude in x, 0 if x is empty, NaN if x has one.
func MaxAbs(x []float64) float64 {
	// Without the sign bit, doubles order as integers, and NaNs are above +Inf.
	var m uint64
	for _, u := range x {
		m = max(m, math.Float64bits(u)&^(1<<63))
	}
	return math.Float64frombits(m)
}
