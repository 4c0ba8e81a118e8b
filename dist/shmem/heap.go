package shmem

import "slices"

// allocator hands out pieces of a heap, first fit by address. It is a
// deterministic function of the sequence of calls: PEs that make the same calls
// get the same offsets, which is what makes an array symmetric.
type allocator struct {
	free  []span // by offset; neighbours are merged
	size  int64
	dirty int64 // everything from here on has never been handed out
}

type span struct{ off, n int64 }

const (
	heapAlign = 64   // of every piece: a cache line
	pageBytes = 4096 // of heaps, and the largest alignment of a piece
)

func (a *allocator) init(start, end int64) {
	a.size = end - start
	a.dirty = start
	if end > start {
		a.free = []span{{start, end - start}}
	}
}

func roundUp(n int64) int64 { return (max(n, 1) + heapAlign - 1) &^ (heapAlign - 1) }

// alloc returns the offset of n bytes at a multiple of align, and how many of
// them, from the first, may have been used before and must be cleared.
func (a *allocator) alloc(n, align int64) (off, used int64, err error) {
	full := func() (int64, int64, error) {
		return 0, 0, &HeapError{Need: n, Free: a.largest(), Heap: a.size}
	}
	if n < 0 || n > a.size {
		return full()
	}
	n, align = roundUp(n), max(align, heapAlign)
	for i := range a.free {
		s := a.free[i]
		off = (s.off + align - 1) &^ (align - 1)
		if off+n > s.off+s.n {
			continue
		}
		var rest []span // of s, before and after
		if off > s.off {
			rest = append(rest, span{s.off, off - s.off})
		}
		if end := s.off + s.n; off+n < end {
			rest = append(rest, span{off + n, end - off - n})
		}
		a.free = slices.Replace(a.free, i, i+1, rest...)
		used = min(max(a.dirty-off, 0), n)
		a.dirty = max(a.dirty, off+n)
		return off, used, nil
	}
	return full()
}

// release gives back a piece that alloc returned.
func (a *allocator) release(off, n int64) {
	s := span{off, roundUp(n)}
	i, _ := slices.BinarySearchFunc(a.free, s.off, func(f span, off int64) int { return int(f.off - off) })
	if i < len(a.free) && s.off+s.n == a.free[i].off {
		s.n += a.free[i].n
		a.free = slices.Delete(a.free, i, i+1)
	}
	if i > 0 && a.free[i-1].off+a.free[i-1].n == s.off {
		a.free[i-1].n += s.n
		return
	}
	a.free = slices.Insert(a.free, i, s)
}

func (a *allocator) largest() int64 {
	var m int64
	for _, s := range a.free {
		m = max(m, s.n)
	}
	return m
}
