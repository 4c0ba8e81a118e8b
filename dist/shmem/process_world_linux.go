package shmem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// processWorld is one process's view of a world of processes. How it failed is
// kept in control pages, for all to see. In that of PE 0:
//
//	64   the PE that failed, plus 2 (1: the context of Run), and in the upper half
//	     the PE whose process noticed; 0 while none has
//
// and in the page of the PE that noticed, written before:
//
//	1024 kind of the error, length of its text, the text
type processWorld struct {
	me     int // the PE of this process
	mem    []byte
	heaps  [][]byte
	failed *atomic.Uint64
	mu     sync.Mutex
	first  error // the failure, once this process knows of it
	ended  atomic.Bool
}

const (
	failKindOff = 1024
	failLenOff  = 1032
	failTextOff = 1040
	failTextMax = teamOff - failTextOff
)

// Kinds of errors that keep their identity across processes.
var failKinds = []error{nil, context.Canceled, context.DeadlineExceeded}

// remoteError is the text of an error of another process.
type remoteError struct {
	text string
	kind error
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.kind }

func mapWorld(file *os.File, me, pes int, each int64) (*processWorld, error) {
	mem, err := unix.Mmap(int(file.Fd()), 0, int(each)*pes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("shmem: mapping %d heaps of %d bytes: %w", pes, each, err)
	}
	_ = unix.Madvise(mem, unix.MADV_HUGEPAGE) // where shared memory may have them
	w := &processWorld{me: me, mem: mem, heaps: cut(mem, pes, each)}
	w.failed = word(w.heaps[0], failedOff)
	return w, nil
}

// end unmaps the heaps, which no goroutine uses any more but late watchers.
func (w *processWorld) end() {
	_ = w.failure()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended.Store(true)
	_ = unix.Munmap(w.mem)
}

func (w *processWorld) fail(pe int, err error) {
	err = asPEError(pe, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended.Load() || w.first != nil {
		return
	}
	h := w.heaps[w.me]
	var p *PEError
	errors.As(err, &p)
	for k, kind := range failKinds {
		if kind != nil && errors.Is(err, kind) {
			word(h, failKindOff).Store(uint64(k))
		}
	}
	n := copy(h[failTextOff:failTextOff+failTextMax], p.Err.Error())
	word(h, failLenOff).Store(uint64(n))
	if w.failed.CompareAndSwap(0, uint64(w.me)<<32|uint64(p.PE+2)) {
		w.first = err
	}
}

// failure returns how the world failed, nil if it has not.
func (w *processWorld) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first != nil || w.ended.Load() {
		return w.first
	}
	failed := w.failed.Load()
	if failed == 0 {
		return nil
	}
	h := w.heaps[failed>>32]
	n := min(word(h, failLenOff).Load(), failTextMax)
	e := &remoteError{text: string(h[failTextOff : failTextOff+n])}
	if k := word(h, failKindOff).Load(); k < uint64(len(failKinds)) {
		e.kind = failKinds[k]
	}
	w.first = &PEError{PE: int(failed&0xffffffff) - 2, Err: e}
	return w.first
}

func (w *processWorld) Err() error { return w.failure() }

// runPE runs PE pe of the world in this process. ctx ending ends the world.
func (w *processWorld) runPE(ctx context.Context, pe int, timeout time.Duration, start func(Conn) error) error {
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { w.fail(-1, context.Cause(ctx)) })()
	stop := make(chan struct{})
	defer close(stop)
	go func() { // ends inner when another process fails
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				if err := w.failure(); err != nil {
					cancel(err)
					return
				}
			}
		}
	}()
	var err error
	var done sync.WaitGroup
	done.Go(func() { // a goroutine of its own, which may end by Goexit
		defer pin(pe, len(w.heaps))()
		err = errGoexit
		err = start(&mapped{
			pe: pe, heaps: w.heaps, ctx: inner, fail: w.fail, failure: w.failure,
			crowded: len(w.heaps) > runtime.NumCPU(), timeout: timeout,
			yield: func() { _, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) },
		})
	})
	done.Wait()
	if err == nil {
		return nil
	}
	return asPEError(pe, err)
}

// identity tells a process which PE it is. It travels in the environment.
type identity struct {
	Call    int64 // the call of Run to join
	PE, PEs int
	Each    int64 // bytes of a heap, control area included
}

const identityVariable = "SYMSPARSE_PE"

func (i identity) variable() string {
	return fmt.Sprintf("%s=%d,%d,%d,%d", identityVariable, i.Call, i.PE, i.PEs, i.Each)
}

// joining reports whether this process was started as a PE.
func joining() (me identity, ok bool, err error) {
	s := os.Getenv(identityVariable)
	if s == "" {
		return me, false, nil
	}
	if _, err := fmt.Sscanf(s, "%d,%d,%d,%d", &me.Call, &me.PE, &me.PEs, &me.Each); err != nil || me.PE < 1 || me.PE >= me.PEs {
		return me, false, fmt.Errorf("shmem: %s=%q was not set by this package; unset it", identityVariable, s)
	}
	return me, true, nil
}

// Descriptors that a child is started with.
const (
	fdHeap = 3 + iota
	fdLifeline
	fdStdout
	fdStderr
)

// runChild runs a PE in the process that was started for it and returns the exit
// code.
func runChild(ctx context.Context, me identity, timeout time.Duration, start func(Conn) error) int {
	_ = os.Unsetenv(identityVariable) // programs that this one starts are no PEs
	for fd := fdHeap; fd <= fdStderr; fd++ {
		unix.CloseOnExec(fd)
	}
	// From here on the output is the program's; until now it repeated what the
	// first process printed.
	if err := errors.Join(unix.Dup3(fdStdout, 1, 0), unix.Dup3(fdStderr, 2, 0)); err != nil {
		fmt.Fprintln(os.Stderr, "shmem: PE", me.PE, "has no output:", err)
	}
	w, err := mapWorld(os.NewFile(fdHeap, "symmetric heap"), me.PE, me.PEs, me.Each)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	status := word(w.heaps[me.PE], statusOff)
	status.Store(statusRunning)
	go func() { // the first process closes its end when it dies
		_, _ = io.ReadAll(os.NewFile(fdLifeline, "lifeline"))
		if status.Load() == statusRunning {
			w.fail(0, errors.New("its process ended"))
			time.Sleep(grace)
			os.Exit(1)
		}
	}()
	runtime.GOMAXPROCS(max(2, runtime.NumCPU()/me.PEs))
	if err := w.runPE(ctx, me.PE, timeout, start); err != nil {
		return 1
	}
	return 0
}
