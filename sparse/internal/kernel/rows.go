package kernel

import "math"

// Row returns the product of one row with x, as the package comment defines it.
// col[k] is the position in x of entry k; col and val have the same length.
func Row(col []int32, val, x []float64) float64 {
	val = val[:len(col)]
	if len(col) <= Segment {
		return segment(col, val, x)
	}
	sum := segment(col[:Segment], val[:Segment], x)
	for k := Segment; k < len(col); k += Segment {
		e := min(k+Segment, len(col))
		sum += segment(col[k:e], val[k:e], x)
	}
	return sum
}

func segment(col []int32, val, x []float64) float64 {
	var s float64
	val = val[:len(col)]
	for k, j := range col {
		s = math.FMA(val[k], x[j], s)
	}
	return s
}

// Rows stores the products of rows lo to hi of a CSR matrix with x: y[i] for
// lo <= i < hi. Entries of row i are ptr[i] to ptr[i+1]. It panics, as Go does,
// if a column is outside of x or a row outside of col and val.
func Rows(y []float64, ptr []int64, col []int32, val, x []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		if i += rowsInAssembly(use.level, y, ptr, col, val, x, i, hi); i == hi {
			return
		}
		b, e := ptr[i], ptr[i+1]
		y[i] = Row(col[b:e], val[b:e], x)
	}
}
