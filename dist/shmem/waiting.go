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
//	264  number of the wait, 0 if it does not wait
//	272  how often it has looked in vain in this wait
//	280  length of the text, the text
const (
	waitLockOff  = 256
	waitOff      = 264
	waitLooksOff = 272
	waitLenOff   = 280
	waitTextOff  = 288
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
		m.waits++
		word(h, waitOff).Store(m.waits)
	})
}

// looked says that this PE has looked again, and still waits.
func (m *mapped) looked() { word(m.heaps[m.pe], waitLooksOff).Add(1) }

// resume takes the announcement back.
func (m *mapped) resume() {
	m.locked(m.pe, func(h []byte) { word(h, waitOff).Store(0) })
}

// sighting is what a PE has seen of another that waits.
type sighting struct{ wait, looks uint64 }

// deadlock returns an error if every PE that has not ended has been seen waiting,
// in the same call, for the time-out, and has then looked in vain again. A PE that
// computes is not waiting; one whose process is stopped does not look.
func (m *mapped) deadlock() error {
	if m.seen == nil {
		m.seen = make([]sighting, len(m.heaps))
	}
	e := &DeadlockError{After: m.timeout}
	same, again := true, true
	late := time.Since(m.seenSince) >= m.timeout
	for pe, h := range m.heaps {
		call := "ended"
		switch word(h, statusOff).Load() {
		case statusEnded:
		case statusRunning:
			m.locked(pe, func(h []byte) {
				now := sighting{word(h, waitOff).Load(), word(h, waitLooksOff).Load()}
				same = same && now.wait != 0 && now.wait == m.seen[pe].wait
				again = again && now.looks > m.seen[pe].looks+1
				if !m.expired || !same {
					m.seen[pe] = now
				}
				call = string(h[waitTextOff : waitTextOff+min(int64(word(h, waitLenOff).Load()), waitTextMax)])
			})
		default: // it starts, or has failed
			same = false
		}
		e.Calls = append(e.Calls, call)
	}
	switch {
	case !same: // somebody goes on: the time begins again
		m.seenSince, m.expired = time.Now(), false
	case late && !m.expired: // from now on each must look again
		m.expired = true
	case m.expired && again:
		return e
	}
	return nil
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
