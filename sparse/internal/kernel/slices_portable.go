package kernel

import "math"

// one does one slice. It is the oracle of the assembly.
func (s *Slices) one(y, x []float64, row int, d *Slice) {
	var sum [SliceRows]float64
	at := int(d.Row) - row
	rows := int(d.Rows &^ Ragged)
	switch kind := d.Kind &^ Long; {
	case kind == Template:
		s.template(&sum, x, d)
		copy(y[at:], sum[:rows])
	case kind < Near:
		s.stencil(&sum, x, d, int(kind-Stencil))
		copy(y[at:], sum[:rows])
	default:
		lane := s.gather(&sum, x, d, kind >= Far, int(kind-Near)%3)
		for l, v := range sum[:rows] {
			y[at+int(byte(lane>>(8*l)))] = v
		}
	}
}

func (s *Slices) template(sum *[SliceRows]float64, x []float64, d *Slice) {
	for _, p := range s.Step[d.First : d.First+uint32(d.Steps)] {
		b := int(d.Row) + int(p.Delta)
		if p.Mask == 0xff {
			for l, u := range (*[SliceRows]float64)(x[b : b+SliceRows]) {
				sum[l] = math.FMA(p.Value, u, sum[l])
			}
			continue
		}
		for l := range sum {
			if p.Mask>>l&1 != 0 {
				sum[l] = math.FMA(p.Value, x[b+l], sum[l])
			}
		}
	}
}

func (s *Slices) stencil(sum *[SliceRows]float64, x []float64, d *Slice, values int) {
	data := s.Data[d.At:]
	for k, p := range s.Step[d.First : d.First+uint32(d.Steps)] {
		b := int(d.Row) + int(p.Delta)
		if p.Mask == 0xff {
			for l, u := range (*[SliceRows]float64)(x[b : b+SliceRows]) {
				sum[l] = math.FMA(s.value(data, values, SliceRows*k+l), u, sum[l])
			}
			continue
		}
		for l := range sum {
			if p.Mask>>l&1 != 0 {
				sum[l] = math.FMA(s.value(data, values, SliceRows*k+l), x[b+l], sum[l])
			}
		}
	}
}

// gather returns the lanes' rows, a byte each.
func (s *Slices) gather(sum *[SliceRows]float64, x []float64, d *Slice, far bool, values int) (lane uint64) {
	data := s.Data[d.At:]
	steps := [SliceRows]int{int(d.Steps)} // with 8 lanes, with 7, ...
	n := SliceRows * int(d.Steps)
	lane = 0x0706050403020100
	if d.Rows&Ragged != 0 {
		for l := range steps {
			steps[l] = int(uint16(data[l/4] >> (16 * (l % 4))))
		}
		lane, n = data[2], int(data[3])
		data = data[4:]
	}
	perWord := 4
	if far {
		perWord = 2
	}
	val := data[(n+perWord-1)/perWord:]
	k := 0
	for gone, steps := range steps {
		for range steps {
			for l := range SliceRows - gone {
				var j int
				if far {
					j = int(uint32(data[k/2] >> (32 * (k % 2))))
				} else {
					j = int(d.First) + int(uint16(data[k/4]>>(16*(k%4))))
				}
				sum[l] = math.FMA(s.value(val, values, k), x[j], sum[l])
				k++
			}
		}
	}
	return lane
}

func (s *Slices) value(data []uint64, form, k int) float64 {
	switch form {
	case Float64:
		return math.Float64frombits(data[k])
	case Float32:
		return float64(math.Float32frombits(uint32(data[k/2] >> (32 * (k % 2)))))
	default:
		return s.Dict[byte(data[k/8]>>(8*(k%8)))]
	}
}
