package sparse

import (
	"encoding/binary"
	"math"

	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// A pattern is a list of steps that slices share: the union, over their rows, of
// the distances of the columns from the row, in an order that agrees with that of
// the entries of each row. The steps of a template have a value as well.

// manySteps is how many steps of patterns stay in a cache and hence are free.
const manySteps = 2048

// patterns are those found so far.
type patterns struct {
	step   []kernel.Step
	known  map[string]pattern
	recent [2][6]pattern // stencils and templates, the last used first
	failed int           // slices without a pattern, since one with it
}

type pattern struct {
	first, n uint32
	ragged   bool
}

// stencil packs the rows from row on as a template or a stencil if that takes
// fewer bytes than the columns would.
func (b *packer) stencil(row int, lanes []lane) bool {
	p := &b.patterns
	if b.allowed&(templates|stencils) == 0 {
		return false
	}
	if b.allowed&templates != 0 {
		if t, ok := b.recall(1, row, lanes); ok {
			b.addTemplate(row, lanes, t)
			return true
		}
	}
	if s, ok := b.recall(0, row, lanes); ok && b.allowed&stencils != 0 && b.gapsPay(lanes, s.n, 0) {
		if b.allowed&templates != 0 && len(p.step) < manySteps {
			if t, ok := b.learn(row, lanes, true); ok {
				b.addTemplate(row, lanes, t)
				return true
			}
		}
		b.addStencil(row, lanes, s)
		return true
	}
	// Where there is no pattern, look for one in some of the slices only.
	if p.failed > 32 && p.failed%16 != 0 {
		p.failed++
		return false
	}
	if b.allowed&templates != 0 && len(p.step) < manySteps {
		if t, ok := b.learn(row, lanes, true); ok {
			b.addTemplate(row, lanes, t)
			return true
		}
	}
	if b.allowed&stencils != 0 {
		if s, ok := b.learn(row, lanes, false); ok {
			b.addStencil(row, lanes, s)
			return true
		}
	}
	p.failed++
	return false
}

// gapsPay reports whether a stencil of n steps, some of them perhaps new, takes no
// more bytes than columns of 16 bits.
func (b *packer) gapsPay(lanes []lane, n uint32, newSteps int) bool {
	entries := 0
	for _, r := range lanes {
		entries += r.length()
	}
	bytes := valueBits[b.values] / 8
	return int(n)*kernel.SliceRows*bytes+16*newSteps <= entries*(bytes+2)
}

// recall looks for a recently used pattern that fits.
func (b *packer) recall(template, row int, lanes []lane) (pattern, bool) {
	recent := &b.patterns.recent[template]
	for k, p := range recent {
		if p.n > 0 && b.fits(p, template == 1, row, lanes) {
			copy(recent[1:k+1], recent[:k])
			recent[0] = p
			return p, true
		}
	}
	return pattern{}, false
}

func (b *packer) fits(p pattern, values bool, row int, lanes []lane) bool {
	steps := b.patterns.step[p.first : p.first+p.n]
	if !p.ragged && len(lanes) < kernel.SliceRows {
		return false
	}
	for _, s := range steps {
		if s.Mask>>len(lanes) != 0 {
			return false
		}
	}
	for l, r := range lanes {
		k := r.b
		for _, s := range steps {
			if s.Mask>>l&1 == 0 {
				continue
			}
			if k == r.e || int(b.col[k]) != row+l+int(s.Delta) ||
				values && math.Float64bits(b.val[k]) != math.Float64bits(s.Value) {
				return false
			}
			k++
		}
		if k != r.e {
			return false
		}
	}
	return true
}

// learn makes the pattern of a slice, or finds that it is known.
func (b *packer) learn(row int, lanes []lane, values bool) (pattern, bool) {
	var buf [2 * kernel.Segment]kernel.Step
	steps, ok := b.union(buf[:0], row, lanes, values)
	if !ok || len(steps) == 0 {
		return pattern{}, false
	}
	p := &b.patterns
	var key []byte
	for _, s := range steps {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(s.Value))
		key = binary.LittleEndian.AppendUint64(key, uint64(s.Mask)<<32|uint64(uint32(s.Delta)))
	}
	template := 0
	if values {
		key, template = append(key, 1), 1
	}
	found, known := p.known[string(key)]
	if !known {
		charged := 0
		if len(p.step) >= manySteps {
			charged = len(steps)
		}
		if !values && !b.gapsPay(lanes, uint32(len(steps)), charged) {
			return pattern{}, false
		}
		found = pattern{first: uint32(len(p.step)), n: uint32(len(steps))}
		for _, s := range steps {
			found.ragged = found.ragged || s.Mask != 0xff
		}
		p.step = append(p.step, steps...)
		if p.known == nil {
			p.known = map[string]pattern{}
		}
		p.known[string(key)] = found
	} else if !values && !b.gapsPay(lanes, found.n, 0) {
		return pattern{}, false
	}
	recent := &p.recent[template]
	copy(recent[1:], recent[:])
	recent[0] = found
	return found, true
}

// union merges the rows by the distance from the row. It fails if the order of
// the entries does not allow that, if a step would have several values where a
// template is asked for, or if there are far more steps than entries.
func (b *packer) union(steps []kernel.Step, row int, lanes []lane, values bool) ([]kernel.Step, bool) {
	var at [kernel.SliceRows]int64
	longest := 0
	for l, r := range lanes {
		at[l] = r.b
		longest = max(longest, r.length())
	}
	limit := min(longest+longest/2+1, cap(steps)-1)
	for last := int64(math.MinInt64); ; {
		least := int64(math.MaxInt64)
		for l, r := range lanes {
			if at[l] < r.e {
				least = min(least, int64(b.col[at[l]])-int64(row+l))
			}
		}
		if least == math.MaxInt64 {
			return steps, true
		}
		if least <= last || len(steps) == limit {
			return nil, false
		}
		last = least
		s := kernel.Step{Delta: int32(least)}
		for l, r := range lanes {
			if at[l] == r.e || int64(b.col[at[l]])-int64(row+l) != least {
				continue
			}
			if values {
				v := b.val[at[l]]
				if s.Mask != 0 && math.Float64bits(v) != math.Float64bits(s.Value) {
					return nil, false
				}
				s.Value = v
			}
			s.Mask |= 1 << l
			at[l]++
		}
		steps = append(steps, s)
	}
}

func (b *packer) addTemplate(row int, lanes []lane, t pattern) {
	b.add(row, lanes, t, kernel.Template)
	b.rows[0] += len(lanes)
}

func (b *packer) addStencil(row int, lanes []lane, s pattern) {
	at := b.room(int(s.n)*kernel.SliceRows, valueBits[b.values])
	vals := b.form.Data[at:]
	b.add(row, lanes, s, kernel.Stencil+b.values)
	b.form.Slice[len(b.form.Slice)-1].At = uint32(at)
	b.rows[1] += len(lanes)
	b.gaps += int64(s.n) * kernel.SliceRows
	for l, r := range lanes {
		v := b.val[r.b:r.e]
		b.gaps -= int64(len(v))
		for i, p := range b.patterns.step[s.first : s.first+s.n] {
			if p.Mask>>l&1 == 0 {
				continue
			}
			if b.values == kernel.Float64 {
				vals[i*kernel.SliceRows+l] = math.Float64bits(v[0])
			} else {
				b.putValue(vals, i*kernel.SliceRows+l, v[0])
			}
			v = v[1:]
		}
	}
}

func (b *packer) add(row int, lanes []lane, p pattern, kind int) {
	d := kernel.Slice{Row: uint32(row), First: p.first, Steps: uint16(p.n), Kind: uint8(kind), Rows: uint8(len(lanes))}
	if p.ragged {
		d.Rows |= kernel.Ragged
	}
	b.form.Slice = append(b.form.Slice, d)
	b.patterns.failed = 0
}
