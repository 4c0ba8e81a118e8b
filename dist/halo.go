package dist

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

// Halo is the plan of one PE's exchange: which elements of a vector it needs
// from others and where they go. It is immutable, and free of any transport: the
// plan of any PE of any number of PEs can be made without starting them.
type Halo struct {
	part     *Partition
	pe       int
	ghosts   []int64 // global indices, ascending, hence grouped by owner
	runs     []Run
	interior []Span
	boundary []Span
}

// Run is a piece of the halo that is consecutive both in its owner's part of a
// vector and among the ghosts.
type Run struct {
	PE     int // the owner
	Remote int // first element in the owner's part
	Ghost  int // first element among the ghosts
	N      int // elements
}

// Span is a range of local rows, Lo to Hi-1.
type Span struct{ Lo, Hi int }

// NewHalo makes the plan of PE pe for the rows whose columns, ascending in each
// row, are col[ptr[i]:ptr[i+1]]. part is the partition of the columns. Cost:
// O(entries + ghosts log ghosts) time, and 8 bytes for each entry outside of the
// PE's columns while it runs.
func NewHalo(part *Partition, pe int, ptr, col []int64) (*Halo, error) {
	lo, hi := part.Range(pe)
	h := &Halo{part: part, pe: pe}
	for i := range len(ptr) - 1 {
		spans := &h.interior
		for _, j := range col[ptr[i]:ptr[i+1]] {
			if j < lo || j >= hi {
				h.ghosts = append(h.ghosts, j)
				spans = &h.boundary
			}
		}
		if k := len(*spans); k > 0 && (*spans)[k-1].Hi == i {
			(*spans)[k-1].Hi = i + 1
		} else {
			*spans = append(*spans, Span{i, i + 1})
		}
	}
	slices.Sort(h.ghosts)
	h.ghosts = slices.Clip(slices.Compact(h.ghosts))
	if n := hi - lo + int64(len(h.ghosts)); n > math.MaxInt32 {
		return nil, fmt.Errorf("dist: PE %d would have %d own elements and ghosts; at most %d fit, use more PEs", pe, n, math.MaxInt32)
	}
	for g, j := range h.ghosts {
		if g > 0 && j == h.ghosts[g-1]+1 {
			last := &h.runs[len(h.runs)-1]
			if _, end := part.Range(last.PE); j < end {
				last.N++
				continue
			}
		}
		owner := part.Owner(j)
		first, _ := part.Range(owner)
		h.runs = append(h.runs, Run{PE: owner, Remote: int(j - first), Ghost: g, N: 1})
	}
	return h, nil
}

// localColumns renumbers global columns: own columns come first, ghosts after.
func (h *Halo) localColumns(col []int64) []int32 {
	lo, hi := h.part.Range(h.pe)
	local := make([]int32, len(col))
	for k, j := range col {
		if j >= lo && j < hi {
			local[k] = int32(j - lo)
		} else {
			g, _ := slices.BinarySearch(h.ghosts, j)
			local[k] = int32(hi-lo) + int32(g)
		}
	}
	return local
}

// Own and Ghosts return the number of elements that the PE owns and fetches.
func (h *Halo) Own() int    { return h.part.Len(h.pe) }
func (h *Halo) Ghosts() int { return len(h.ghosts) }

// Runs, Interior and Boundary return the pieces to fetch, and the rows that need
// no ghost and those that do. The caller must not change them.
func (h *Halo) Runs() []Run      { return h.runs }
func (h *Halo) Interior() []Span { return h.interior }
func (h *Halo) Boundary() []Span { return h.boundary }

// Neighbours returns the number of PEs that ghosts come from.
func (h *Halo) Neighbours() int {
	n, last := 0, -1
	for _, r := range h.runs {
		if r.PE != last {
			n, last = n+1, r.PE
		}
	}
	return n
}

// Bytes returns what one exchange of vectors of float64 fetches.
func (h *Halo) Bytes() int64 { return 8 * int64(len(h.ghosts)) }

// Hash returns a digest of the plan, equal for equal plans.
func (h *Halo) Hash() string {
	d := sha256.New()
	put := func(v ...int64) { _ = binary.Write(d, binary.LittleEndian, v) }
	lo, hi := h.part.Range(h.pe)
	put(int64(h.pe), h.part.N(), lo, hi)
	for _, r := range h.runs {
		put(int64(r.PE), int64(r.Remote), int64(r.Ghost), int64(r.N))
	}
	for _, spans := range [][]Span{h.interior, h.boundary} {
		for _, s := range spans {
			put(int64(s.Lo), int64(s.Hi))
		}
	}
	return hex.EncodeToString(d.Sum(nil))
}

func count(spans []Span) int {
	n := 0
	for _, s := range spans {
		n += s.Hi - s.Lo
	}
	return n
}

// String summarises the plan in one line.
func (h *Halo) String() string {
	return fmt.Sprintf("PE %d of %d: %d interior and %d boundary rows, %d ghosts in %d runs from %d PEs",
		h.pe, h.part.PEs(), count(h.interior), count(h.boundary), h.Ghosts(), len(h.runs), h.Neighbours())
}
