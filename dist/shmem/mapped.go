package shmem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// mapped is the connection of a PE whose process has all heaps in its memory. It
// is shared by the transports that differ only in how they get that memory.
type mapped struct {
	pe    int
	heaps [][]byte
	ctx   context.Context
	// fail is called by the first PE to fail; failure returns what it was told.
	fail    func(pe int, err error)
	failure func() error
	// crowded says that there are more PEs than processors, so that spinning
	// keeps another PE from running.
	crowded bool
	// yield lets others run: goroutines or processes.
	yield func()
}

// Values of the status word of a PE.
const (
	statusAbsent = iota // has not come to Run yet
	statusRunning
	statusEnded
	statusFailed
)

func (m *mapped) PE() int                  { return m.pe }
func (m *mapped) PEs() int                 { return len(m.heaps) }
func (m *mapped) HeapBytes() int64         { return int64(len(m.heaps[m.pe])) }
func (m *mapped) Heap(pe int) []byte       { return m.heaps[pe] }
func (m *mapped) Context() context.Context { return m.ctx }

func (m *mapped) Get(dst []byte, pe int, off int64) error {
	copy(dst, m.heaps[pe][off:])
	return nil
}
func (m *mapped) GetNBI(dst []byte, pe int, off int64) error { return m.Get(dst, pe, off) }

func (m *mapped) Put(pe int, off int64, src []byte) error {
	copy(m.heaps[pe][off:], src)
	return nil
}
func (m *mapped) PutNBI(pe int, off int64, src []byte) error { return m.Put(pe, off, src) }

// Fence and Quiet have nothing to wait for: a put is a copy, and the atomic
// operations by which PEs synchronise order it.
func (m *mapped) Fence() error { return nil }
func (m *mapped) Quiet() error { return nil }

func (m *mapped) Store(pe int, off int64, v uint64) error {
	word(m.heaps[pe], off).Store(v)
	return nil
}

// How long a waiter spins before it yields, and yields before it sleeps. A spin
// is about 1 ns, a yield 0.1 us or the time that others run.
const (
	spins  = 4000
	yields = 2000
	nap    = 100 * time.Microsecond
)

func (m *mapped) WaitGE(off int64, v uint64, from int, op string) error {
	w := word(m.heaps[m.pe], off)
	if !m.crowded {
		for range spins {
			if w.Load() >= v {
				return nil
			}
		}
	}
	for i := 0; ; i++ {
		if w.Load() >= v {
			return nil
		}
		if err := m.Err(); err != nil {
			return err
		}
		if from >= 0 && word(m.heaps[from], statusOff).Load() == statusEnded && w.Load() < v {
			return &AbsentError{PE: m.pe, Absent: from, Op: op}
		}
		if i < yields {
			m.yield()
		} else {
			time.Sleep(nap)
		}
	}
}

func (m *mapped) Err() error {
	if word(m.heaps[0], failedOff).Load() == 0 {
		return nil
	}
	return m.failure()
}

func (m *mapped) Close(err error) {
	status := word(m.heaps[m.pe], statusOff)
	if err == nil {
		status.Store(statusEnded)
		return
	}
	m.fail(m.pe, err)
	status.Store(statusFailed)
}

// asPEError gives the error of a PE its number, unless it is only the echo of
// another PE's failure.
func asPEError(pe int, err error) error {
	var p *PEError
	if errors.As(err, &p) {
		return err
	}
	return &PEError{PE: pe, Err: err}
}

// heapSize returns the bytes of one heap with its control area, whole pages.
func heapSize(opt Options) (int64, error) {
	each := (opt.HeapBytes+4095)&^4095 + controlBytes
	if each < 0 || each > math.MaxInt64/int64(opt.PEs) {
		return 0, fmt.Errorf("shmem: %d heaps of %d bytes are too large", opt.PEs, opt.HeapBytes)
	}
	return each, nil
}

// cut divides memory into heaps.
func cut(memory []byte, pes int, each int64) [][]byte {
	heaps := make([][]byte, pes)
	for i := range heaps {
		lo, hi := int64(i)*each, int64(i+1)*each
		heaps[i] = memory[lo:hi:hi]
	}
	return heaps
}
