package shmem

import (
	"encoding/binary"
	"fmt"
)

// A collective with data is one sync: every member writes what it gives to a
// buffer in its own heap, all sync, every member reads the others' buffers. The
// two buffers of a team are used in turn, so that nobody writes to a buffer that
// a slower member still reads: a member that enters collective k+2 knows by the
// sync of k+1 that all have finished k.

// opcode names a collective, so that members that disagree find out.
type opcode uint8

const (
	opSync opcode = iota
	opBarrier
	opSplit
	opAlloc
	opFree
	opSum
	opProd
	opMin
	opMax
	opAnd
	opOr
	opXor
	opExact
	opBroadcast
	opFcollect
	opCollect
	opAlltoall
)

var opNames = [...]string{"Sync", "Barrier", "a split", "Alloc", "Free", "Sum", "Prod", "Min", "Max", "And", "Or", "Xor", "SumExact", "Broadcast", "Fcollect", "Collect", "Alltoall"}

func (o opcode) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "an unknown call"
}

// give publishes data, at most giveBytes, and syncs. Afterwards take reads what
// others gave. size is what all members must agree on.
func (t *Team) give(op opcode, size int64, data []byte) error {
	if err := t.check(op); err != nil {
		return err
	}
	t.seq++
	head := t.pe.head[:] // of the PE, since what goes to Conn would escape
	binary.LittleEndian.PutUint64(head[0:], uint64(op))
	binary.LittleEndian.PutUint64(head[8:], t.seq)
	binary.LittleEndian.PutUint64(head[16:], uint64(size))
	off := giveOff(t.slot, t.seq)
	if h := t.pe.heaps[t.pe.id]; h != nil {
		copy(h[off:], head)
		copy(h[off+giveHeader:], data)
	} else {
		if err := t.pe.conn.Put(t.pe.id, off, head); err != nil {
			return err
		}
		if err := t.pe.conn.Put(t.pe.id, off+giveHeader, data); err != nil {
			return err
		}
		if err := t.pe.conn.Quiet(); err != nil {
			return err
		}
	}
	return t.sync(op)
}

// take returns the first n bytes that member rank gave in the collective that
// this PE entered last, after checking that it is the same collective. The bytes
// are valid until the next take.
func (t *Team) take(op opcode, size int64, rank, n int) ([]byte, error) {
	pe, off := t.World(rank), giveOff(t.slot, t.seq)
	var b []byte
	if h := t.pe.heaps[pe]; h != nil {
		b = h[off : off+giveHeader+int64(n)]
	} else {
		if t.pe.scratch == nil {
			t.pe.scratch = make([]byte, giveHeader+giveBytes)
		}
		b = t.pe.scratch[:giveHeader+n]
		if err := t.pe.conn.Get(b, pe, off); err != nil {
			return nil, err
		}
	}
	theirOp, theirSeq := opcode(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint64(b[8:])
	theirSize := int64(binary.LittleEndian.Uint64(b[16:]))
	if theirOp != op || theirSeq != t.seq || theirSize != size {
		return nil, &MismatchError{PE: t.pe.id, Other: pe, Mine: fmt.Sprintf("%v of %d at %s", op, size, caller()), Theirs: fmt.Sprintf("%v of %d", theirOp, theirSize)}
	}
	return b[giveHeader:], nil
}

// agree returns an error if the members do not all call it with the same op and
// size.
func (t *Team) agree(op opcode, size int64) error {
	if err := t.give(op, size, nil); err != nil {
		return err
	}
	for r := range t.size {
		if _, err := t.take(op, size, r, 0); err != nil {
			return err
		}
	}
	return nil
}

// Broadcast copies data of the member root to data of all others. All give the
// same length.
func Broadcast[T Elem](t *Team, data []T, root int) error {
	agreed := bytesAndRoot[T](len(data), root)
	return inChunks(t, opBroadcast, len(data), root, func(lo, hi int) error {
		var mine []byte
		if t.rank == root {
			mine = bytesOf(data[lo:hi])
		}
		if err := t.give(opBroadcast, agreed, mine); err != nil {
			return err
		}
		// The next member is asked too, since two that think they are the root
		// would not ask anybody.
		if _, err := t.take(opBroadcast, agreed, (t.rank+1)%t.size, 0); err != nil || t.rank == root {
			return err
		}
		b, err := t.take(opBroadcast, agreed, root, (hi-lo)*int(sizeOf[T]()))
		copy(bytesOf(data[lo:hi]), b)
		return err
	}, sizeOf[T]())
}

// bytesAndRoot is what the members of a broadcast agree on; the root is in the
// upper bits.
func bytesAndRoot[T Elem](n, root int) int64 { return int64(root)<<44 ^ int64(n)*sizeOf[T]() }

// Fcollect concatenates src of all members, in the order of their numbers, into
// dst of every member. All give the same length; dst has N times that.
func Fcollect[T Elem](t *Team, dst, src []T) error {
	if err := t.check(opFcollect); err != nil {
		return err
	}
	if len(dst) != t.size*len(src) {
		return &RangeError{Op: "Fcollect", NPEs: 1, Hi: t.size * len(src), Len: len(dst)}
	}
	return inChunks(t, opFcollect, len(src), 0, func(lo, hi int) error {
		if err := t.give(opFcollect, int64(len(src))*sizeOf[T](), bytesOf(src[lo:hi])); err != nil {
			return err
		}
		for r := range t.size {
			b, err := t.take(opFcollect, int64(len(src))*sizeOf[T](), r, (hi-lo)*int(sizeOf[T]()))
			if err != nil {
				return err
			}
			copy(bytesOf(dst[r*len(src)+lo:r*len(src)+hi]), b)
		}
		return nil
	}, sizeOf[T]())
}

// Collect concatenates src of all members, in the order of their numbers, into
// dst of every member. The lengths may differ; dst has their sum.
func Collect[T Elem](t *Team, dst, src []T) error {
	if err := t.check(opCollect); err != nil {
		return err
	}
	lengths := make([]int64, t.size)
	if err := Fcollect(t, lengths, []int64{int64(len(src))}); err != nil {
		return err
	}
	total, longest := 0, 0
	for _, n := range lengths {
		total, longest = total+int(n), max(longest, int(n))
	}
	if len(dst) != total {
		return &RangeError{Op: "Collect", NPEs: 1, Hi: total, Len: len(dst)}
	}
	return inChunks(t, opCollect, longest, 0, func(lo, hi int) error {
		if err := t.give(opCollect, int64(total), bytesOf(src[min(lo, len(src)):min(hi, len(src))])); err != nil {
			return err
		}
		at := 0
		for r, n := range lengths {
			if piece := dst[at:][min(lo, int(n)):min(hi, int(n))]; len(piece) > 0 {
				b, err := t.take(opCollect, int64(total), r, len(piece)*int(sizeOf[T]()))
				if err != nil {
					return err
				}
				copy(bytesOf(piece), b)
			}
			at += int(n)
		}
		return nil
	}, sizeOf[T]())
}

// Alltoall cuts src of every member into as many equal pieces as there are
// members, and sends piece i to member i: dst gets the pieces for this member, in
// the order of the senders. dst and src have the same length and do not overlap.
func Alltoall[T Elem](t *Team, dst, src []T) error {
	if err := t.check(opAlltoall); err != nil {
		return err
	}
	if len(dst) != len(src) || len(src)%t.size != 0 {
		return &RangeError{Op: "Alltoall", NPEs: 1, Hi: len(src), Len: len(dst)}
	}
	k := len(src) / t.size
	mine := t.rank * k // what is for this member begins there in each src
	return inChunks(t, opAlltoall, len(src), 0, func(lo, hi int) error {
		if err := t.give(opAlltoall, int64(len(src))*sizeOf[T](), bytesOf(src[lo:hi])); err != nil {
			return err
		}
		from, to := max(lo, mine), min(hi, mine+k)
		for r := range t.size {
			b, err := t.take(opAlltoall, int64(len(src))*sizeOf[T](), r, (hi-lo)*int(sizeOf[T]()))
			if err != nil {
				return err
			}
			if from < to {
				copy(bytesOf(dst[r*k+from-mine:r*k+to-mine]), b[(from-lo)*int(sizeOf[T]()):])
			}
		}
		return nil
	}, sizeOf[T]())
}

// inChunks calls f for pieces of n elements that fit in the buffers, at least
// once, so that an empty collective still is one.
func inChunks(t *Team, op opcode, n, root int, f func(lo, hi int) error, size int64) error {
	if err := t.check(op); err != nil {
		return err
	}
	if root < 0 || root >= t.size {
		return &RangeError{Op: op.String(), PE: root, NPEs: t.size}
	}
	step := int(giveBytes / size)
	for lo := 0; lo == 0 || lo < n; lo += step {
		if err := f(lo, min(lo+step, n)); err != nil {
			return err
		}
	}
	return nil
}
