package sparse

import (
	"math"

	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

var valueForms = [...]string{
	kernel.Float64: "float64 values",
	kernel.Float32: "float32 values",
	kernel.Index8:  "values in a dictionary",
}

// dictionary numbers up to 256 distinct values, told apart by their bits.
type dictionary struct {
	value []float64
	slot  [4 * kernel.Dictionary]uint16 // number+1, or 0
}

// number returns the number of v, or false if there are too many values.
func (d *dictionary) number(v float64) (uint8, bool) {
	b := math.Float64bits(v)
	for h := b * 0x9e3779b97f4a7c15 >> 54; ; h = (h + 1) % uint64(len(d.slot)) {
		n := d.slot[h]
		if n == 0 {
			if len(d.value) == kernel.Dictionary {
				return 0, false
			}
			d.value = append(d.value, v)
			d.slot[h] = uint16(len(d.value))
			return uint8(len(d.value) - 1), true
		}
		if math.Float64bits(d.value[n-1]) == b {
			return uint8(n - 1), true
		}
	}
}

// survivesFloat32 reports whether v is a float32, to the last bit.
func survivesFloat32(v float64) bool {
	return math.Float64bits(float64(float32(v))) == math.Float64bits(v)
}

// chooseValues returns the shortest form that all values fit in, and the
// dictionary if that is it.
func chooseValues(val []float64, allow allowed) (form int, d *dictionary) {
	if allow&dictionaries != 0 && len(val) >= 4*kernel.Dictionary { // pays for the dictionary
		d = new(dictionary)
		fit := true
		for k, v := range val {
			if k > 0 && math.Float64bits(v) == math.Float64bits(val[k-1]) {
				continue
			}
			if _, fit = d.number(v); !fit {
				break
			}
		}
		if fit {
			return kernel.Index8, d
		}
	}
	if allow&float32s != 0 {
		fit := true
		for _, v := range val {
			if fit = survivesFloat32(v); !fit {
				break
			}
		}
		if fit {
			return kernel.Float32, nil
		}
	}
	return kernel.Float64, nil
}
