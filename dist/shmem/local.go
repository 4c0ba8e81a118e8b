package shmem

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// local runs each PE as a goroutine of this process.
type local struct{}

func (local) Run(ctx context.Context, opt Options, start func(Conn) error) error {
	each, err := heapSize(opt)
	if err != nil {
		return err
	}
	memory, release, err := allocHeap(each * int64(opt.PEs))
	if err != nil {
		return fmt.Errorf("shmem: memory for %d heaps of %d bytes: %w", opt.PEs, opt.HeapBytes, err)
	}
	defer release()
	heaps := cut(memory, opt.PEs, each)

	// The PEs' context ends when the world has failed, not before: a PE that sees
	// it end finds the reason in Err.
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	w := &localWorld{failed: word(heaps[0], failedOff), cancel: cancel}
	defer w.end()
	defer context.AfterFunc(ctx, func() { w.fail(-1, context.Cause(ctx)) })()

	var pes sync.WaitGroup
	for i := range heaps {
		word(heaps[i], statusOff).Store(statusRunning)
		pes.Go(func() {
			start(&mapped{
				pe: i, heaps: heaps, ctx: inner, fail: w.fail, failure: w.err,
				crowded: opt.PEs > runtime.GOMAXPROCS(0), yield: runtime.Gosched, timeout: opt.Timeout,
			})
		})
	}
	pes.Wait()
	return w.err()
}

// localWorld keeps the first error of a world.
type localWorld struct {
	mu     sync.Mutex
	first  error
	failed *atomic.Uint64 // what waiters watch; nil once the heaps are gone
	cancel context.CancelCauseFunc
}

func (w *localWorld) fail(pe int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first != nil || w.failed == nil {
		return
	}
	w.first = asPEError(pe, err)
	w.failed.Store(1)
	w.cancel(w.first)
}

func (w *localWorld) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first
}

// end keeps a context that is cancelled late from touching memory that is gone.
func (w *localWorld) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = nil
}
