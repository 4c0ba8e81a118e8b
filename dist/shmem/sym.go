package shmem

import (
	"fmt"
	"math"
)

// Elem is what a symmetric array may hold: plain data without pointers.
type Elem interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// Sym is a symmetric array: n elements at the same offset of every PE's heap, or
// a part of one. It is a PE's own handle and is not passed between PEs.
type Sym[T Elem] struct {
	piece *piece
	off   int64
	n     int
}

// piece is an allocation of the heap, shared by the arrays made of it.
type piece struct {
	pe     *PE
	off, n int64
	freed  bool
}

// Alloc returns a symmetric array of n zeros, at a multiple of 64 bytes. It is a
// collective of all PEs of the world, which must ask for the same element size
// and n; if they do not, or the heap is full, every PE gets the error and nothing
// is allocated. All PEs have the array when it returns; the call synchronizes
// before the return of the others' calls.
func Alloc[T Elem](pe *PE, n int) (Sym[T], error) { return AllocAligned[T](pe, n, heapAlign) }

// AllocAligned is [Alloc] at a multiple of align bytes, a power of two of at most
// 4096.
func AllocAligned[T Elem](pe *PE, n, align int) (Sym[T], error) {
	if err := pe.check("Alloc"); err != nil {
		return Sym[T]{}, err
	}
	size := int64(math.MaxInt64) // more than any heap
	if n >= 0 && int64(n) <= math.MaxInt64/sizeOf[T]() {
		size = int64(n) * sizeOf[T]()
	}
	if err := pe.world.agree(opAlloc, size); err != nil {
		return Sym[T]{}, err
	}
	if n < 0 || align < 1 || align > pageBytes || align&(align-1) != 0 {
		return Sym[T]{}, fmt.Errorf("shmem: Alloc of %d elements at multiples of %d bytes", n, align)
	}
	off, used, err := pe.heap.alloc(size, int64(align))
	if err != nil {
		return Sym[T]{}, err
	}
	if h := pe.heaps[pe.id]; h != nil {
		clear(h[off : off+used])
	} else if err := pe.putZeros(off, used); err != nil {
		return Sym[T]{}, err
	}
	return Sym[T]{piece: &piece{pe: pe, off: off, n: size}, off: off, n: n}, pe.world.sync(opAlloc)
}

// putZeros clears memory of this PE's heap that it cannot store to.
func (pe *PE) putZeros(off, n int64) error {
	var zeros [4096]byte
	for n > 0 {
		k := min(n, int64(len(zeros)))
		if err := pe.conn.Put(pe.id, off, zeros[:k]); err != nil {
			return err
		}
		off, n = off+k, n-k
	}
	return pe.conn.Quiet()
}

// Free gives back an array that Alloc returned, not a part of one. It is a
// collective of all PEs of the world; no PE's memory is reused before all have
// entered. Freeing the zero Sym does nothing and is no collective.
func Free[T Elem](x Sym[T]) error {
	p := x.piece
	if p == nil {
		return nil
	}
	if err := x.check("Free"); err != nil {
		return err
	}
	if x.off != p.off || int64(x.n)*sizeOf[T]() != p.n {
		return fmt.Errorf("shmem: Free of a part of an array")
	}
	if err := p.pe.Quiet(); err != nil {
		return err
	}
	if err := p.pe.world.agree(opFree, p.off); err != nil {
		return err
	}
	p.freed = true
	p.pe.heap.release(p.off, p.n)
	return nil
}

// Len returns the number of elements of each PE's part.
func (x Sym[T]) Len() int { return x.n }

// Slice returns elements lo to hi of every PE's part, lo <= hi <= Len. It panics
// as slicing does.
func (x Sym[T]) Slice(lo, hi int) Sym[T] {
	if lo < 0 || hi < lo || hi > x.n {
		panic(fmt.Sprintf("shmem: Slice(%d, %d) of an array of %d", lo, hi, x.n))
	}
	return Sym[T]{piece: x.piece, off: x.off + int64(lo)*sizeOf[T](), n: hi - lo}
}

// Local returns this PE's part as memory. It is nil if the heap is not in this
// process's reach (a device heap); then use Get and Put with the PE's own number.
// It panics if the array was freed.
func (x Sym[T]) Local() []T {
	s, _ := x.On(x.piece.pe.id)
	return s
}

// On returns the part of PE pe as memory, where loads and stores reach it
// (OpenSHMEM's shmem_ptr); otherwise ok is false. Accesses by several PEs need
// synchronisation as any shared memory does. It panics if the array was freed.
func (x Sym[T]) On(pe int) (part []T, ok bool) {
	if err := x.check("On"); err != nil {
		panic(err)
	}
	if pe < 0 || pe >= x.piece.pe.n {
		return nil, false
	}
	h := x.piece.pe.heaps[pe]
	if h == nil || pe != x.piece.pe.id && x.piece.pe.checked() {
		return nil, false
	}
	return view[T](h, x.off, x.n), true
}

func (x Sym[T]) check(op string) error {
	switch {
	case x.piece == nil:
		return fmt.Errorf("shmem: %s: array was not allocated", op)
	case x.piece.freed:
		return fmt.Errorf("shmem: %s: array: %w", op, ErrEnded)
	default:
		return x.piece.pe.check(op)
	}
}
