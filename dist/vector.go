package dist

import (
	"fmt"

	"github.com/symsparse/symsparse/dist/shmem"
)

// Vector is a vector spread over the PEs: each has its own elements, and room
// for ghosts after them.
type Vector struct {
	pe   *shmem.PE
	part *Partition
	buf  [2]shmem.Sym[float64] // the second is optional
	cur  int                   // the buffer in use
	data []float64             // of the buffer in use: own elements, then room for ghosts
	own  int
	// readAt is the value of Syncs at which other PEs began to read the own
	// elements. While it has not moved on they may still do so.
	readAt uint64
}

// newVector allocates a vector with room for ghosts elements beside the own
// ones; room is the largest sum of both on any PE.
func newVector(pe *shmem.PE, part *Partition, room, buffers int) (*Vector, error) {
	v := &Vector{pe: pe, part: part, own: part.Len(pe.ID()), readAt: ^uint64(0)}
	for i := range buffers {
		s, err := shmem.Alloc[float64](pe, room)
		if err != nil {
			return nil, err
		}
		v.buf[i] = s
	}
	if v.data = v.buf[0].Local(); v.data == nil && room > 0 {
		return nil, fmt.Errorf("dist: the symmetric heap of this transport is not in the program's memory")
	}
	return v, nil
}

// Free gives the memory back.
func (v *Vector) Free() error {
	if err := shmem.Free(v.buf[0]); err != nil {
		return err
	}
	return shmem.Free(v.buf[1])
}

// N returns the global length.
func (v *Vector) N() int64 { return v.part.N() }

// Partition returns how the elements are spread.
func (v *Vector) Partition() *Partition { return v.part }

// Local returns this PE's own elements for reading. It is local. The slice is
// valid until the vector is next written.
func (v *Vector) Local() []float64 { return v.data[:v.own:v.own] }

// Edit returns this PE's own elements for reading and writing until the vector
// is next used in a product.
func (v *Vector) Edit() ([]float64, error) { return v.write(true) }

// write returns the own elements for writing, after making sure that nobody
// reads them. keep says that their values are still needed.
func (v *Vector) write(keep bool) ([]float64, error) {
	if v.readAt == v.pe.World().Syncs() {
		if v.buf[1].Len() == 0 {
			if err := v.pe.World().Sync(); err != nil {
				return nil, err
			}
		} else {
			// The other buffer was read before the sync of the exchange that
			// reads this one.
			v.cur = 1 - v.cur
			old := v.data
			v.data = v.buf[v.cur].Local()
			if keep {
				copy(v.data[:v.own], old)
			}
		}
		v.readAt = ^uint64(0)
	}
	return v.Local(), nil
}

// Fill sets the own elements to f(i) of their global indices.
func (v *Vector) Fill(f func(i int64) float64) error {
	own, err := v.write(false)
	if err != nil {
		return err
	}
	lo, _ := v.part.Range(v.pe.ID())
	for k := range own {
		own[k] = f(lo + int64(k))
	}
	return nil
}

// Scatter sets v to the values that PE root has in full, which has N elements
// there and is ignored elsewhere.
func (v *Vector) Scatter(root int, full []float64) error {
	if v.pe.ID() == root && int64(len(full)) != v.N() {
		return fmt.Errorf("dist: Scatter of %d elements to a vector of %d", len(full), v.N())
	}
	if _, err := v.write(false); err != nil {
		return err
	}
	if err := v.pe.World().Sync(); err != nil { // everyone has its buffer ready
		return err
	}
	if v.pe.ID() == root {
		for to := range v.pe.N() {
			lo, hi := v.part.Range(to)
			if err := shmem.Put(v.buf[v.cur], 0, to, full[lo:hi]); err != nil {
				return err
			}
		}
	}
	return v.pe.World().Barrier()
}

// Gather copies all elements to full on PE root, where it must have N elements;
// elsewhere it is ignored.
func (v *Vector) Gather(root int, full []float64) error {
	if v.pe.ID() == root && int64(len(full)) != v.N() {
		return fmt.Errorf("dist: Gather of a vector of %d to %d elements", v.N(), len(full))
	}
	if err := v.pe.World().Sync(); err != nil {
		return err
	}
	if v.pe.ID() == root {
		for from := range v.pe.N() {
			lo, hi := v.part.Range(from)
			if err := shmem.Get(full[lo:hi], v.buf[v.cur], 0, from); err != nil {
				return err
			}
		}
	}
	return v.pe.World().Sync()
}
