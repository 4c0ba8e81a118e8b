package kernel

import "math"

// portable is the level that every machine has, and the oracle of the others.
var portable = passes{
	level:          Portable,
	dot:            dotGo,
	scaledDot:      scaledDotGo,
	axpy:           axpyGo,
	axpyDot:        axpyDotGo,
	axpyXpby:       axpyXpbyGo,
	axpyXpbyScaled: axpyXpbyScaledGo,
	scale:          scaleGo,
	sub:            subGo,
	mul:            mulGo,
	maxAbs:         maxAbsGo,
}

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

func dotGo(x, y []float64) float64 {
	var t lanes
	y = y[:len(x)]
	for len(x) >= Lanes && len(y) >= Lanes {
		u, v := (*lanes)(x), (*lanes)(y)
		for l := range t {
			t[l] = math.FMA(u[l], v[l], t[l])
		}
		x, y = x[Lanes:], y[Lanes:]
	}
	for l, u := range x {
		t[l%Lanes] = math.FMA(u, y[l], t[l%Lanes])
	}
	return t.fold()
}

func scaledDotGo(y, d []float64) float64 {
	var t lanes
	d = d[:len(y)]
	for len(y) >= Lanes && len(d) >= Lanes {
		u, v := (*lanes)(y), (*lanes)(d)
		for l := range t {
			t[l] = math.FMA(u[l], float64(v[l]*u[l]), t[l])
		}
		y, d = y[Lanes:], d[Lanes:]
	}
	for l, u := range y {
		t[l%Lanes] = math.FMA(u, float64(d[l]*u), t[l%Lanes])
	}
	return t.fold()
}

func axpyGo(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for i, u := range x {
		y[i] = math.FMA(alpha, u, y[i])
	}
}

func axpyDotGo(alpha float64, x, y []float64) float64 {
	axpyGo(alpha, x, y)
	return dotGo(y, y)
}

func axpyXpbyGo(alpha float64, p, x []float64, beta float64, z []float64) {
	x, z = x[:len(p)], z[:len(p)]
	for i, v := range p {
		x[i] = math.FMA(alpha, v, x[i])
		p[i] = math.FMA(beta, v, z[i])
	}
}

func axpyXpbyScaledGo(alpha float64, p, x []float64, beta float64, d, r []float64) {
	x, d, r = x[:len(p)], d[:len(p)], r[:len(p)]
	for i, v := range p {
		x[i] = math.FMA(alpha, v, x[i])
		p[i] = math.FMA(beta, v, float64(d[i]*r[i]))
	}
}

func scaleGo(y []float64, alpha float64, x []float64) {
	y = y[:len(x)]
	for i, u := range x {
		y[i] = alpha * u
	}
}

func subGo(z, x, y []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, u := range x {
		z[i] = u - y[i]
	}
}

func mulGo(z, x, y []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, u := range x {
		z[i] = u * y[i]
	}
}

func maxAbsGo(x []float64) float64 {
	// Without the sign bit, doubles order as integers, and NaNs are above +Inf.
	var m uint64
	for _, u := range x {
		m = max(m, math.Float64bits(u)&^(1<<63))
	}
	return math.Float64frombits(m)
}
