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
func (a *Acc) SetMerged() { a.normalise() }

// Pack writes a normalised accumulator without its zero limbs to dst and returns
// the number of words written, at most [PackedMax]. Merging what was packed with
// [Acc.MergePacked] is merging the accumulator. The first word is the position
// of the first limb, the number of limbs, and the specials.
func (a *Acc) Pack(dst []int64) int {
	a.normalise()
	lo, hi := 0, Words
	for hi > 0 && a.w[hi-1] == 0 {
		hi--
	}
	for lo < hi && a.w[lo] == 0 {
		lo++
	}
	dst[0] = int64(lo)<<32 | int64(hi-lo)
	return 1 + copy(dst[1:], a.w[lo:hi])
}

// PackedMax is the largest number of words that [Acc.Pack] writes.
const PackedMax = Words + 1

// MergePacked adds an accumulator written by [Acc.Pack] and returns the number
// of words read, or -1 if src does not hold one.
func (a *Acc) MergePacked(src []int64) int {
	if len(src) == 0 {
		return -1
	}
	lo, n := src[0]>>32, src[0]&0xffffffff
	if lo < 0 || lo+n > Words || int64(len(src)) < 1+n {
		return -1
	}
	if a.pending >= maxPending {
		a.normalise()
	}
	for i, v := range src[1 : 1+n] {
		a.w[int(lo)+i] += v
	}
	a.pending++
	return int(1 + n)
}
