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
	yield   func()
	timeout time.Duration // of waits that nobody can end

	// For waiting.go: the number of this PE's long waits, and what it has seen of
	// those of others, since when, and whether that is longer than the time-out.
	waits     uint64
	seen      []sighting
	seenSince time.Time
	expired   bool
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
	if !storeElement(m.heaps[pe], off, src) {
		copy(m.heaps[pe][off:], src)
	}
	return nil
}

func (m *mapped) PutSignal(pe int, off int64, src []byte, signal int64, op AtomicOp, value uint64) error {
	copy(m.heaps[pe][off:], src)
	_, err := m.Atomic(pe, signal, 8, op, value, 0)
	return err
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

func (m *mapped) Atomic(pe int, off int64, size int, op AtomicOp, operand, compare uint64) (uint64, error) {
	if size == 4 {
		w := halfWord(m.heaps[pe], off)
		for {
			old := w.Load()
			if op == AtomicFetch || w.CompareAndSwap(old, uint32(op.apply(uint64(old), operand, uint64(uint32(compare))))) {
				return uint64(old), nil
			}
		}
	}
	w := word(m.heaps[pe], off)
	for {
		old := w.Load()
		if op == AtomicFetch || w.CompareAndSwap(old, op.apply(old, operand, compare)) {
			return old, nil
		}
	}
}

// How long a waiter spins before it yields, and yields before it sleeps. A spin
// is about 1 ns, a yield 0.1 us or the time that others run.
const (
	spins  = 4000
	yields = 2000
	nap    = 100 * time.Microsecond
)

func (m *mapped) WaitGE(off int64, v uint64, from int, op string) (uint64, error) {
	w := word(m.heaps[m.pe], off)
	if !m.crowded {
		for range spins {
			if got := w.Load(); got >= v {
				return got, nil
			}
		}
	}
	var got uint64
	err := m.wait(op, func() (bool, error) {
		if got = w.Load(); got >= v {
			return true, nil
		}
		if word(m.heaps[from], statusOff).Load() == statusEnded {
			if got = w.Load(); got < v {
				return false, &AbsentError{PE: m.pe, Absent: from, Op: op}
			}
		}
		return got >= v, nil
	})
	return got, err
}

func (m *mapped) Wait(op string, ready func() (bool, error)) error {
	if !m.crowded {
		for range spins / 8 {
			if ok, err := ready(); ok || err != nil {
				return err
			}
		}
	}
	return m.wait(op, func() (bool, error) {
		alone := m.alone()
		if ok, err := ready(); ok || err != nil {
			return ok, err
		}
		if alone {
			return false, &AbsentError{PE: m.pe, Absent: -1, Op: op}
		}
		return false, nil
	})
}

// alone reports whether all other PEs have ended.
func (m *mapped) alone() bool {
	for pe, h := range m.heaps {
		if pe != m.pe && word(h, statusOff).Load() != statusEnded {
			return false
		}
	}
	return true
}

// wait yields, then sleeps until ready; it watches for failures.
func (m *mapped) wait(op string, ready func() (bool, error)) error {
	announced := false
	defer func() {
		if announced {
			m.resume()
		}
	}()
	for i := 0; ; i++ {
		if ok, err := ready(); ok || err != nil {
			return err
		}
		if err := m.Err(); err != nil {
			return err
		}
		if i < yields {
			m.yield()
			continue
		}
		time.Sleep(nap)
		if i%128 != 0 { // some 13 ms
			continue
		}
		if !announced {
			announced = true
			m.announce(op)
		}
		m.looked()
		if err := m.deadlock(); err != nil {
			return err
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
