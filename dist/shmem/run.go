package shmem

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// Options says what world [Run] makes. The zero value is one goroutine PE for
// each processor.
type Options struct {
	PEs       int    // number of PEs; 0 means runtime.GOMAXPROCS(0)
	Transport string // "" means "local"

	// HeapBytes is the size of each PE's symmetric heap. 0 means the value of the
	// environment variable SYMSPARSE_HEAP (bytes, with an optional suffix KiB, MiB
	// or GiB), or else a default of the transport. Where the operating system
	// allows, only what is used takes memory.
	HeapBytes int64

	// Timeout is how long all PEs may wait, with none that could go on, until that
	// is an error; a PE that computes is not waiting. 0 means 30 seconds.
	Timeout time.Duration

	// Check is a seed other than 0 to run under a checking transport: one that
	// makes use of all that the rules allow (nbi data come at Quiet and not
	// before, puts in any order that no Fence forbids, delays), so that a missing
	// Quiet, Barrier or Fence becomes a wrong result. 0 means the value of the
	// environment variable SYMSPARSE_CHECK, or no checking.
	Check uint64
}

const (
	heapVariable   = "SYMSPARSE_HEAP"
	checkVariable  = "SYMSPARSE_CHECK"
	defaultTimeout = 30 * time.Second
)

// Run starts the PEs, each of which runs main, and returns when all have ended:
// nil if all returned nil, else the first failure, as a [PEError]. If ctx ends
// first, so does the world, and the error wraps ctx.Err().
//
// main's PE is valid until main returns. Goroutines that main started must have
// ended by then.
func Run(ctx context.Context, opt Options, main func(pe *PE) error) error {
	if opt.PEs == 0 {
		opt.PEs = runtime.GOMAXPROCS(0)
	}
	if opt.PEs < 0 {
		return fmt.Errorf("shmem: %d PEs", opt.PEs)
	}
	if opt.Transport == "" {
		opt.Transport = "local"
	}
	if opt.HeapBytes == 0 {
		var err error
		if opt.HeapBytes, err = heapFromEnvironment(); err != nil {
			return err
		}
	}
	if opt.HeapBytes < 0 {
		return fmt.Errorf("shmem: a heap of %d bytes", opt.HeapBytes)
	}
	if opt.Timeout == 0 {
		opt.Timeout = defaultTimeout
	}
	if s := os.Getenv(checkVariable); s != "" && opt.Check == 0 {
		var err error
		if opt.Check, err = strconv.ParseUint(s, 10, 64); err != nil {
			return fmt.Errorf("shmem: %s=%q is not a number", checkVariable, s)
		}
	}
	t, err := transport(opt.Transport)
	if err != nil {
		return err
	}
	return t.Run(ctx, opt, func(c Conn) error {
		if opt.Check != 0 {
			c = newChecker(c, opt.Check)
		}
		return runPE(c, main)
	})
}

// runPE runs main as one PE and tells the connection how it ended.
func runPE(c Conn, main func(pe *PE) error) (err error) {
	pe := newPE(c)
	err = errGoexit // unless main returns or panics
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: string(debug.Stack())}
		}
		pe.ended = true
		c.Close(err)
	}()
	return main(pe)
}

func heapFromEnvironment() (int64, error) {
	s := os.Getenv(heapVariable)
	if s == "" {
		return defaultHeapBytes, nil
	}
	num, shift := s, 0
	for suffix, k := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if n, ok := strings.CutSuffix(s, suffix); ok {
			num, shift = n, k
		}
	}
	v, err := strconv.ParseInt(strings.TrimSpace(num), 10, 64)
	if err != nil || v <= 0 || v > 1<<62>>shift {
		return 0, fmt.Errorf("shmem: %s=%q is not a size in bytes, such as 512MiB", heapVariable, s)
	}
	return v << shift, nil
}
