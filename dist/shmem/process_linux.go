package shmem

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

func init() { Register("process", &process{}) }

// process runs PE 0 in the calling process and each other PE in a process of its
// own, which executes the same program with the same arguments up to the same
// call of Run. All map one memfd, which vanishes with the last of them.
type process struct {
	calls atomic.Int64 // of Run, in this process
}

// grace is how long processes may take to end by themselves after a failure.
const grace = 2 * time.Second

func (p *process) Run(ctx context.Context, opt Options, start func(Conn) error) error {
	call := p.calls.Add(1)
	if me, ok, err := joining(); err != nil {
		return err
	} else if ok {
		if call < me.Call {
			return nil // an earlier world, which has ended in the first process
		}
		os.Exit(runChild(ctx, me, opt.Timeout, start))
	}

	each, err := heapSize(opt)
	if err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("symsparse", unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("shmem: shared memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "symmetric heap")
	defer file.Close()
	if err := file.Truncate(each * int64(opt.PEs)); err != nil {
		return fmt.Errorf("shmem: %d heaps of %d bytes: %w", opt.PEs, opt.HeapBytes, err)
	}
	w, err := mapWorld(file, 0, opt.PEs, each)
	if err != nil {
		return err
	}
	word(w.heaps[0], statusOff).Store(statusRunning)
	children, err := startChildren(w, file, call, opt)
	if err == nil {
		err = w.runPE(ctx, 0, opt.Timeout, start)
	} else {
		w.fail(-1, err)
	}
	children.wait(w)
	w.end()
	if own := w.failure(); own != nil && !isTyped(err) {
		return own
	}
	return err
}

// isTyped reports whether err is an error of PE 0's own program, which is worth
// more than the text that another PE left for the same fault.
func isTyped(err error) bool {
	var p *PEError
	return errors.As(err, &p) && p.PE == 0
}

// children are the processes of PEs 1 and up.
type children struct {
	lifeline *os.File // closed, or gone with this process, when they must end
	exited   sync.WaitGroup
	output   sync.WaitGroup
	pipes    []*os.File // that output is read from
	started  []*os.Process
}

func startChildren(w *processWorld, heap *os.File, call int64, opt Options) (*children, error) {
	program, err := os.Executable()
	if err != nil {
		return &children{}, fmt.Errorf("shmem: cannot find the program to start PEs: %w", err)
	}
	ends, lifeline, err := os.Pipe()
	if err != nil {
		return &children{}, fmt.Errorf("shmem: starting PEs: %w", err)
	}
	defer ends.Close()
	c := &children{lifeline: lifeline}
	var stdout, stderr = &lines{to: os.Stdout}, &lines{to: os.Stderr}
	for pe := 1; pe < opt.PEs; pe++ {
		me := identity{Call: call, PE: pe, PEs: opt.PEs, Each: int64(len(w.heaps[0]))}
		cmd := exec.Command(program, os.Args[1:]...)
		cmd.Args[0] = os.Args[0]
		cmd.Env = append(os.Environ(), me.variable())
		cmd.Stdin = os.Stdin
		early := &tail{}
		cmd.Stderr = early // until it joins; standard output of that time is dropped
		files := []*os.File{heap, ends}
		for _, to := range []*lines{stdout, stderr} {
			r, send, err := os.Pipe()
			if err != nil {
				return c, fmt.Errorf("shmem: starting PE %d: %w", pe, err)
			}
			defer send.Close()
			files = append(files, send)
			c.pipes = append(c.pipes, r)
			c.output.Go(func() { to.copy(r) })
		}
		cmd.ExtraFiles = files // descriptors 3 and up, see runChild
		if err := cmd.Start(); err != nil {
			return c, fmt.Errorf("shmem: starting PE %d: %w", pe, err)
		}
		c.started = append(c.started, cmd.Process)
		c.exited.Go(func() {
			err := cmd.Wait()
			if s := word(w.heaps[pe], statusOff).Load(); s != statusEnded && s != statusFailed {
				w.fail(pe, deathError(err, s, early.String()))
			}
		})
	}
	return c, nil
}

// deathError says how a process ended that did not say it itself.
func deathError(err error, status uint64, output string) error {
	if err == nil {
		err = errors.New("exit status 0")
	}
	if status == statusAbsent {
		return fmt.Errorf("its process ended before it came to Run: %w; the program must come to the same call of Run in every process: %s", err, output)
	}
	return fmt.Errorf("its process ended: %w", err)
}

// wait waits for the processes to end; after a failure it ends those that do not
// do so by themselves.
func (c *children) wait(w *processWorld) {
	done := make(chan struct{})
	go func() {
		c.exited.Wait()
		close(done)
	}()
	var failed time.Time
	for {
		select {
		case <-done:
			if c.lifeline != nil {
				c.lifeline.Close()
			}
			// What a PE has started may still hold its output, and outlive it.
			late := time.AfterFunc(grace/2, func() {
				for _, r := range c.pipes {
					r.Close()
				}
			})
			c.output.Wait()
			late.Stop()
			return
		case <-time.After(10 * time.Millisecond):
		}
		if failed.IsZero() && w.Err() != nil {
			failed = time.Now()
		}
		if !failed.IsZero() && time.Since(failed) > grace {
			for _, p := range c.started {
				_ = p.Kill()
			}
		}
	}
}

// lines writes whole lines of several processes to one file.
type lines struct {
	mu sync.Mutex
	to io.Writer
}

func (l *lines) copy(r *os.File) {
	defer r.Close()
	br := bufio.NewReader(r)
	for {
		s, err := br.ReadString('\n')
		if s != "" {
			l.mu.Lock()
			_, _ = io.WriteString(l.to, s)
			l.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	t.b = t.b[max(0, len(t.b)-1000):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.b))
}

// pin keeps the calling thread on the pe-th of the processors that this process
// may use, if there are enough for all PEs.
func pin(pe, pes int) (undo func()) {
	runtime.LockOSThread()
	var all, one unix.CPUSet
	if unix.SchedGetaffinity(0, &all) == nil && all.Count() >= pes {
		for cpu, k := 0, -1; k < pe && cpu < 1024; cpu++ {
			if all.IsSet(cpu) {
				if k++; k == pe {
					one.Set(cpu)
				}
			}
		}
		_ = unix.SchedSetaffinity(0, &one)
	}
	return func() {
		_ = unix.SchedSetaffinity(0, &all)
		runtime.UnlockOSThread()
	}
}
