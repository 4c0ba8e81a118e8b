package kernel

// Segment is the number of entries after which the sum of a row is cut.
const Segment = 256

// Lanes is the number of independent chains of a dot product.
const Lanes = 32

const (
	minBlock = 8    // so that even tiny problems can be spread over several PEs
	maxBlock = 2048 // two blocks of doubles fill a first-level cache
)

// BlockLen returns the length of the blocks of a vector of n elements, a power
// of two in [8, 2048]. It depends on n alone: 8 up to n = 1024, otherwise the
// smallest power of two of at least 32 that makes at most 512 blocks, capped at
// 2048. It is also the unit in which rows are given to PEs.
func BlockLen(n int64) int {
	if n <= 1024 {
		return minBlock
	}
	b := int64(Lanes)
	for b < maxBlock && n > 512*b {
		b *= 2
	}
	return int(b)
}
