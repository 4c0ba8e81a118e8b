package shmem

import (
	"context"
	"fmt"
)

// PE is a processing element: the calling program's place in the world. It is
// used by one goroutine at a time.
type PE struct {
	conn  Conn
	id, n int
	heaps [][]byte // by PE; nil where loads and stores do not reach
	reach [][]byte // those that one-sided operations may use without conn
	heap  allocator
	world *Team
	free  uint64 // team slots that are not in use on this PE, bit by bit
	ended bool

	turn    int // where TestAny begins
	head    [giveHeader]byte
	scratch []byte  // for reading what is not mapped
	packed  []int64 // for giving exact sums
}

func newPE(c Conn) *PE {
	pe := &PE{conn: c, id: c.PE(), n: c.PEs(), heaps: make([][]byte, c.PEs()), free: ^uint64(0)}
	for i := range pe.heaps {
		pe.heaps[i] = c.Heap(i)
	}
	if pe.reach = pe.heaps; pe.checked() {
		pe.reach = make([][]byte, pe.n)
	}
	pe.heap.init(controlBytes, c.HeapBytes())
	pe.free &^= 1
	pe.world = newTeam(pe, 0, 1, pe.n, 0)
	return pe
}

// checked reports whether one-sided operations go through a [checker].
func (pe *PE) checked() bool {
	_, ok := pe.conn.(*checker)
	return ok
}

// ID returns this PE's number, from 0.
func (pe *PE) ID() int { return pe.id }

// N returns the number of PEs.
func (pe *PE) N() int { return pe.n }

// World returns the team of all PEs.
func (pe *PE) World() *Team { return pe.world }

// Context returns a context that ends when the world fails, for parts of a
// program that compute for long without talking to other PEs.
func (pe *PE) Context() context.Context { return pe.conn.Context() }

// Err returns the error with which the world failed, nil while it has not.
func (pe *PE) Err() error {
	if err := pe.check("Err"); err != nil {
		return err
	}
	return pe.conn.Err()
}

// Fence orders the puts that this PE made to any one PE before the fence before
// those made after it. It does not order gets, and completes nothing.
func (pe *PE) Fence() error {
	if err := pe.check("Fence"); err != nil {
		return err
	}
	return pe.conn.Fence()
}

// Quiet completes all operations of this PE: its puts are visible to all PEs,
// the buffers of its nbi operations may be used.
func (pe *PE) Quiet() error {
	if err := pe.check("Quiet"); err != nil {
		return err
	}
	return pe.conn.Quiet()
}

func (pe *PE) check(op string) error {
	if pe.ended {
		return fmt.Errorf("shmem: %s: PE %d: %w", op, pe.id, ErrEnded)
	}
	return nil
}
