package shmem

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// A PE that waits for long says so in its control page, with the call that it
// made and where, so that PEs which wait for each other in different calls can be
// told from one that is only late:
//
//	256  lock of the record
//	264  time since which it waits, in nanoseconds since 1970; 0 if it does not
//	272  length of the text, the text
const (
	waitLockOff  = 256
	waitSinceOff = 264
	waitLenOff   = 272
	waitTextOff  = 280
	waitTextMax  = 1024 - waitTextOff
)

// locked runs f while it holds the record of PE pe. A PE that was killed may have
// left it locked; then f does not run.
func (m *mapped) locked(pe int, f func(h []byte)) {
	h := m.heaps[pe]
	lock := word(h, waitLockOff)
	for range 10000 {
		if lock.CompareAndSwap(0, 1) {
			f(h)
			lock.Store(0)
			return
		}
		m.yield()
	}
}

// announce publishes that this PE waits in op.
func (m *mapped) announce(op string) {
	text := op + " at " + caller()
	m.locked(m.pe, func(h []byte) {
		n := copy(h[waitTextOff:waitTextOff+waitTextMax], text)
		word(h, waitLenOff).Store(uint64(n))
		word(h, waitSinceOff).Store(uint64(time.Now().UnixNano()))
	})
}

// resume takes the announcement back.
func (m *mapped) resume() {
	m.locked(m.pe, func(h []byte) { word(h, waitSinceOff).Store(0) })
}

// deadlock returns an error if every PE that has not ended has been waiting for
// the time-out. A PE that computes is not waiting.
func (m *mapped) deadlock() error {
	e := &DeadlockError{}
	limit := uint64(time.Now().Add(-m.timeout).UnixNano())
	for pe, h := range m.heaps {
		switch word(h, statusOff).Load() {
		case statusEnded:
			e.Calls = append(e.Calls, "ended")
		case statusRunning:
			stuck, text := false, ""
			m.locked(pe, func(h []byte) {
				since := word(h, waitSinceOff).Load()
				stuck = since != 0 && since <= limit
				text = string(h[waitTextOff : waitTextOff+min(int64(word(h, waitLenOff).Load()), waitTextMax)])
			})
			if !stuck {
				return nil
			}
			e.Calls = append(e.Calls, text)
		default:
			return nil // it starts, or has failed
		}
	}
	e.After = m.timeout
	return e
}

// DeadlockError says that all PEs wait and none can go on: they did not make the
// same collective calls, or wait for something that nobody will do.
type DeadlockError struct {
	Calls []string // of each PE, with file and line
	After time.Duration
}

func (e *DeadlockError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "shmem: all PEs have been waiting for %v:", e.After)
	for pe, call := range e.Calls {
		fmt.Fprintf(&b, " PE %d in %s;", pe, call)
	}
	b.WriteString(" all PEs of a team must make the same collective calls")
	return b.String()
}

// caller returns file and line of the nearest call from outside of this package.
func caller() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "/dist/shmem.") || strings.HasSuffix(f.File, "_test.go") {
			file := f.File[strings.LastIndexByte(f.File, '/')+1:]
			return fmt.Sprintf("%s:%d", file, f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
