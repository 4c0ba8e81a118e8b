package dist

import (
	"fmt"
	"slices"
	"sort"

	"github.com/symsparse/symsparse/sparse/vec"
)

// Partition gives each PE a contiguous, possibly empty range of the indices 0 to
// N-1. The ranges begin at multiples of the block length of dot products
// ([vec.Block]), so that no block is shared. It is immutable.
type Partition struct {
	start []int64 // of each PE, and N at the end
	block int64
}

// NewPartition balances n indices over pes PEs by weight, which has one value
// for each block of [vec.Block](n) indices, such as the number of matrix entries
// in these rows. The cut before PE k is the block boundary at which the weight
// before it is nearest to k/pes of the total.
func NewPartition(n int64, pes int, weight []int64) (*Partition, error) {
	b := int64(vec.Block(n))
	blocks := (n + b - 1) / b
	if n < 0 || pes < 1 || int64(len(weight)) != blocks {
		return nil, fmt.Errorf("dist: partition of %d indices in %d blocks over %d PEs with %d weights", n, blocks, pes, len(weight))
	}
	before := make([]float64, blocks+1) // weight before a block
	for i, w := range weight {
		before[i+1] = before[i] + float64(w)
	}
	p := &Partition{start: make([]int64, pes+1), block: b}
	for k := 1; k < pes; k++ {
		target := before[blocks] * (float64(k) / float64(pes))
		i := sort.SearchFloat64s(before, target)
		if i > 0 && target-before[i-1] < before[i]-target {
			i--
		}
		p.start[k] = max(p.start[k-1], min(int64(i)*b, n))
	}
	p.start[pes] = n
	return p, nil
}

// Uniform gives all PEs about the same number of indices.
func Uniform(n int64, pes int) (*Partition, error) {
	if n < 0 {
		return nil, fmt.Errorf("dist: partition of %d indices", n)
	}
	b := int64(vec.Block(n))
	weight := make([]int64, (n+b-1)/b)
	for i := range weight {
		weight[i] = min(b, n-int64(i)*b)
	}
	return NewPartition(n, pes, weight)
}

// N returns the number of indices, PEs the number of PEs.
func (p *Partition) N() int64 { return p.start[len(p.start)-1] }
func (p *Partition) PEs() int { return len(p.start) - 1 }

// Range returns the indices of PE pe: lo to hi-1.
func (p *Partition) Range(pe int) (lo, hi int64) { return p.start[pe], p.start[pe+1] }

// Len returns the number of indices of PE pe.
func (p *Partition) Len(pe int) int { return int(p.start[pe+1] - p.start[pe]) }

// Owner returns the PE that owns index i, 0 <= i < N.
func (p *Partition) Owner(i int64) int {
	k, found := slices.BinarySearch(p.start, i)
	if !found {
		return k - 1
	}
	for p.start[k+1] == i { // PEs without indices share their start with the next
		k++
	}
	return k
}

// Equal reports whether p and q are the same partition.
func (p *Partition) Equal(q *Partition) bool { return p == q || slices.Equal(p.start, q.start) }
