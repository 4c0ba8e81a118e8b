package shmem

import (
	"fmt"
	"math/bits"
)

// Team is an ordered set of PEs that do collectives together: those with world
// numbers start, start+stride, and so on. A Team is a PE's own handle; a PE that
// is not a member of the team that it helped to split off holds nil.
//
// All members call a team's collectives in the same order.
type Team struct {
	pe            *PE
	start, stride int // in the world
	size, rank    int
	slot          int    // of the control area
	epoch         uint64 // syncs that this PE has entered
	seq           uint64 // collectives with data that this PE has entered
	gone          bool
}

func newTeam(pe *PE, start, stride, size, slot int) *Team {
	return &Team{pe: pe, start: start, stride: stride, size: size, slot: slot, rank: (pe.id - start) / stride}
}

// N returns the number of members. It is 0 for nil.
func (t *Team) N() int {
	if t == nil {
		return 0
	}
	return t.size
}

// Rank returns this PE's number in the team, -1 for nil.
func (t *Team) Rank() int {
	if t == nil {
		return -1
	}
	return t.rank
}

// World returns the number in the world of the member with number rank.
func (t *Team) World(rank int) int { return t.start + rank*t.stride }

// Translate returns the number in team to of the member with number rank in t,
// or -1 if there is none.
func (t *Team) Translate(rank int, to *Team) int {
	if t == nil || to == nil || rank < 0 || rank >= t.size {
		return -1
	}
	d := t.World(rank) - to.start
	if d%to.stride != 0 || d/to.stride < 0 || d/to.stride >= to.size {
		return -1
	}
	return d / to.stride
}

// PE returns the PE whose handle t is.
func (t *Team) PE() *PE { return t.pe }

// SplitStrided makes a team of size members of t: those with numbers start,
// start+stride, and so on. It is a collective of t, called with the same
// arguments by all its members; those that are not in the new team get nil. The
// stride may be negative but not zero; size is at least 1. At most 64 teams can
// exist at once on a PE, the world's included.
func (t *Team) SplitStrided(start, stride, size int) (*Team, error) {
	last := start + (size-1)*stride
	if size < 1 || size > t.size || stride == 0 || start < 0 || start >= t.size || last < 0 || last >= t.size {
		return nil, fmt.Errorf("shmem: SplitStrided(%d, %d, %d) of a team of %d PEs", start, stride, size, t.size)
	}
	if err := t.agree(opSplit, int64(start)<<42^int64(stride)<<21^int64(size)); err != nil {
		return nil, err
	}
	d := t.rank - start
	member := d%stride == 0 && d/stride >= 0 && d/stride < size
	return t.split(member, t.World(start), t.stride*stride, size)
}

// Split2D arranges the members of t in rows of xrange PEs (the last row may be
// shorter; more than N is taken as N) and returns the team of this PE's row and
// that of its column. It is a collective of t.
func (t *Team) Split2D(xrange int) (row, col *Team, err error) {
	if xrange < 1 {
		return nil, nil, fmt.Errorf("shmem: Split2D with rows of %d PEs", xrange)
	}
	if err := t.agree(opSplit, int64(xrange)); err != nil {
		return nil, nil, err
	}
	xrange = min(xrange, t.size)
	x, y := t.rank%xrange, t.rank/xrange
	row, err = t.split(true, t.World(y*xrange), t.stride, min(xrange, t.size-y*xrange))
	if err != nil {
		return nil, nil, err
	}
	col, err = t.split(true, t.World(x), t.stride*xrange, (t.size-x+xrange-1)/xrange)
	return row, col, err
}

// split makes disjoint teams, of which this PE enters one if member is set.
// They share a slot that is free on all PEs of t.
func (t *Team) split(member bool, start, stride, size int) (*Team, error) {
	if err := t.check(opSplit); err != nil {
		return nil, err
	}
	free := []uint64{t.pe.free}
	if err := And(t, free, free); err != nil {
		return nil, err
	}
	if free[0] == 0 {
		return nil, fmt.Errorf("shmem: more than %d teams; destroy some", teamSlots)
	}
	slot := bits.TrailingZeros64(free[0])
	var n *Team
	if member {
		t.pe.free &^= 1 << slot
		n = newTeam(t.pe, start, stride, size, slot)
		for k := range maxRounds { // the flags of the slot's last team
			if err := t.pe.conn.Store(t.pe.id, flagOff(slot, k), 0); err != nil {
				return nil, err
			}
		}
	}
	return n, t.sync(opSplit) // all flags are reset before anyone signals
}

// Destroy gives the team back. It is a collective of the team; the world cannot
// be destroyed, and destroying nil does nothing.
func (t *Team) Destroy() error {
	if t == nil {
		return nil
	}
	if t.slot == 0 {
		return fmt.Errorf("shmem: the world cannot be destroyed")
	}
	if err := t.Barrier(); err != nil {
		return err
	}
	t.gone = true
	t.pe.free |= 1 << t.slot
	return nil
}

func (t *Team) check(op opcode) error {
	if t == nil {
		return fmt.Errorf("shmem: %v: this PE is not a member of the team", op)
	}
	if t.gone {
		return fmt.Errorf("shmem: %v: team: %w", op, ErrEnded)
	}
	return t.pe.check(op.String())
}

// Sync waits until all members have entered. What any PE stored in its own heap
// before is visible to all after: a call to Sync synchronizes before the return
// of every member's corresponding call. Puts to others are not completed.
func (t *Team) Sync() error {
	if err := t.check(opSync); err != nil {
		return err
	}
	return t.sync(opSync)
}

// Barrier is [PE.Quiet], then [Team.Sync]: all members' puts before it are
// visible to all after it.
func (t *Team) Barrier() error {
	if err := t.check(opBarrier); err != nil {
		return err
	}
	if err := t.pe.conn.Quiet(); err != nil {
		return err
	}
	return t.sync(opBarrier)
}

// sync is a dissemination barrier (Hensgen, Finkel, Manber 1988): in round k each
// member signals the one 2^k after it and waits for the one 2^k before it. The
// flags count syncs and are never reset, so one that comes early is not lost. The
// low byte of a flag says for what the member syncs: members that entered
// different collectives find out here.
func (t *Team) sync(op opcode) error {
	t.epoch++
	flag := t.epoch<<8 | uint64(op)
	for k, d := 0, 1; d < t.size; k, d = k+1, 2*d {
		to, from := t.rank+d, t.rank-d
		if to >= t.size {
			to -= t.size
		}
		if from < 0 {
			from += t.size
		}
		if err := t.pe.conn.Store(t.World(to), flagOff(t.slot, k), flag); err != nil {
			return err
		}
		got, err := t.pe.conn.WaitGE(flagOff(t.slot, k), t.epoch<<8, t.World(from), opNames[op])
		if err != nil {
			return err
		}
		if got != flag && got>>8 == t.epoch {
			return &MismatchError{PE: t.pe.id, Other: t.World(from), Mine: op.String() + " at " + caller(), Theirs: opcode(got & 0xff).String()}
		}
	}
	return nil
}

// Syncs returns the number of syncs, barriers and other collectives of the team
// that this PE has completed. Two equal values mean that the PEs of the team have
// not synchronised in between.
func (t *Team) Syncs() uint64 { return t.epoch }
