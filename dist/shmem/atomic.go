package shmem

import "fmt"

// Word is what atomic operations and waits work on.
type Word interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

// AtomicOp is an operation of [Conn.Atomic].
type AtomicOp int

const (
	AtomicFetch AtomicOp = iota
	AtomicSet
	AtomicCompareSwap
	AtomicAdd
	AtomicAnd
	AtomicOr
	AtomicXor
)

// apply returns what op makes of a word.
func (op AtomicOp) apply(old, operand, compare uint64) uint64 {
	switch op {
	case AtomicSet:
		return operand
	case AtomicCompareSwap:
		if old == compare {
			return operand
		}
		return old
	case AtomicAdd:
		return old + operand
	case AtomicAnd:
		return old & operand
	case AtomicOr:
		return old | operand
	case AtomicXor:
		return old ^ operand
	default:
		return old
	}
}

// The atomic operations act on element i of x on PE pe, and are atomic with
// respect to each other and to waits, for the same element, not with respect to
// puts, gets and plain loads and stores. In the sense of the Go memory model they
// are sequentially consistent operations on that element: one that changes it
// synchronizes before one that sees the change.

// Fetch returns the element.
func Fetch[T Word](x Sym[T], i, pe int) (T, error) {
	return atomically(x, "Fetch", i, pe, AtomicFetch, 0, 0)
}

// Set stores v.
func Set[T Word](x Sym[T], i, pe int, v T) error {
	_, err := atomically(x, "Set", i, pe, AtomicSet, v, 0)
	return err
}

// Swap stores v and returns the old value.
func Swap[T Word](x Sym[T], i, pe int, v T) (T, error) {
	return atomically(x, "Swap", i, pe, AtomicSet, v, 0)
}

// CompareSwap stores v if the element is cond, and returns the old value.
func CompareSwap[T Word](x Sym[T], i, pe int, cond, v T) (T, error) {
	return atomically(x, "CompareSwap", i, pe, AtomicCompareSwap, v, cond)
}

// Add adds v, with wrap-around, and returns the old value.
func Add[T Word](x Sym[T], i, pe int, v T) (T, error) {
	return atomically(x, "Add", i, pe, AtomicAdd, v, 0)
}

// FetchAnd combines the element with v bit by bit and returns the old value, as
// FetchOr and FetchXor do.
func FetchAnd[T Word](x Sym[T], i, pe int, v T) (T, error) {
	return atomically(x, "FetchAnd", i, pe, AtomicAnd, v, 0)
}

// FetchOr: see [FetchAnd].
func FetchOr[T Word](x Sym[T], i, pe int, v T) (T, error) {
	return atomically(x, "FetchOr", i, pe, AtomicOr, v, 0)
}

// FetchXor: see [FetchAnd].
func FetchXor[T Word](x Sym[T], i, pe int, v T) (T, error) {
	return atomically(x, "FetchXor", i, pe, AtomicXor, v, 0)
}

func atomically[T Word](x Sym[T], name string, i, pe int, op AtomicOp, v, cond T) (T, error) {
	if err := x.bounds(name, i, 1, pe); err != nil {
		return 0, err
	}
	size := sizeOf[T]()
	old, err := x.piece.pe.conn.Atomic(pe, x.off+int64(i)*size, int(size), op, uint64(v), uint64(cond))
	return T(old), err
}

// SignalOp says how [PutSignal] updates the signal.
type SignalOp = AtomicOp

const (
	SignalSet SignalOp = AtomicSet
	SignalAdd SignalOp = AtomicAdd
)

// PutSignal puts src to elements off and on of x on PE pe, and then updates
// element s of sig there by value. Whoever sees the update sees the data: the
// put synchronizes before a wait that the signal ends. It orders nothing but its
// own data. src may be reused when it returns.
func PutSignal[T Elem](x Sym[T], off, pe int, src []T, sig Sym[uint64], s int, op SignalOp, value uint64) error {
	if op != SignalSet && op != SignalAdd {
		return fmt.Errorf("shmem: PutSignal: a signal is set or added to, not %d", op)
	}
	if err := sig.bounds("PutSignal", s, 1, pe); err != nil {
		return err
	}
	if err := x.bounds("PutSignal", off, len(src), pe); err != nil {
		return err
	}
	return x.piece.pe.conn.PutSignal(pe, x.off+int64(off)*sizeOf[T](), bytesOf(src), sig.off+8*int64(s), op, value)
}
