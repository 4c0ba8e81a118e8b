package exact

// Normalise brings a into the form in which every sum has one representation
// whose limbs can be added as integers, limb by limb, over up to 2^31
// accumulators.
func (a *Acc) Normalise() { a.normalise() }

// Words returns the accumulator as a vector of integers. Vectors of normalised
// accumulators may be added elementwise, in any order, by anything that adds
// integers; the slice aliases a.
func (a *Acc) Words() []int64 { return a.w[:] }

// SetMerged tells a that its Words were overwritten by a sum of normalised
// vectors.
func (a *Acc) SetMerged() {
	a.low, a.high = limbs, limbs
	a.normalise()
}

// Pack writes an accumulator without its zero limbs to dst and returns the number
// of words written, at most [PackedMax]. Merging what was packed with
// [Acc.MergePacked] is merging the accumulator. The first word says which limbs
// follow, and whether the specials do.
func (a *Acc) Pack(dst []int64) int {
	a.normalise()
	lo, hi := limbs-a.low, a.high
	for hi > lo && a.w[hi-1] == 0 {
		hi--
	}
	n := 1 + copy(dst[1:], a.w[lo:max(lo, hi)])
	head := int64(lo)<<32 | int64(n-1)
	if a.w[nan]|a.w[posInf]|a.w[negInf] != 0 {
		head |= hasSpecials
		n += copy(dst[n:], a.w[nan:])
	}
	dst[0] = head
	return n
}

const hasSpecials = 1 << 62

// PackedMax is the largest number of words that [Acc.Pack] writes.
const PackedMax = Words + 1

// MergePacked adds an accumulator written by [Acc.Pack] and returns the number
// of words read, or -1 if src does not hold one.
func (a *Acc) MergePacked(src []int64) int {
	if len(src) == 0 {
		return -1
	}
	head := src[0] &^ hasSpecials
	lo, n := head>>32, head&0xffffffff
	total := 1 + n
	if src[0]&hasSpecials != 0 {
		total += Words - limbs
	}
	if lo < 0 || lo+n > limbs || int64(len(src)) < total {
		return -1
	}
	if a.pending >= maxPending {
		a.normalise()
	}
	for i, v := range src[1 : 1+n] {
		a.w[int(lo)+i] += v
	}
	for i, v := range src[1+n : total] {
		a.w[nan+i] += v
	}
	a.low, a.high = max(a.low, limbs-int(lo)), max(a.high, int(lo+n))
	a.pending++
	return int(total)
}
