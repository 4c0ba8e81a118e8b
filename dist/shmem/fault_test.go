package shmem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const timeout = 200 * time.Millisecond

// busy computes for some time.
func busy(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}

// faults are what may happen to a PE. Those of processes end the process.
var faults = map[string]func() error{
	"error": func() error { return errors.New("the disk is full") },
	"panic": func() error { panic("out of luck") },
	"exit":  func() error { os.Exit(3); return nil },
	"kill":  func() error { return dieBy(syscall.SIGKILL) },
	"term":  func() error { return dieBy(syscall.SIGTERM) },
	"segv":  func() error { var p *int; return fmt.Errorf("%d", *p) },
	"heap":  nil, // see work
}

// dieBy sends a signal to this process and waits for the end.
func dieBy(s os.Signal) error {
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := p.Signal(s); err != nil {
		return err
	}
	time.Sleep(10 * time.Second)
	return errors.New("still alive")
}

// causes are what others must be told.
var causes = map[string]string{
	"error": "the disk is full", "panic": "out of luck", "exit": "exit status 3", "kill": "killed", "term": "terminated",
	"segv": "nil pointer", "heap": "symmetric heap is full",
}

// work is a loop of what solvers do, in which PE victim comes to grief after some
// steps.
func work(pe *PE, fault string, victim, steps int) error {
	x, err := Alloc[int64](pe, 1000)
	if err != nil {
		return err
	}
	sums := make([]ExactSum, 3)
	for i := 0; ; i++ {
		if pe.ID() == victim && i == steps {
			if fault != "heap" {
				return faults[fault]()
			}
			_, _, err := pe.heap.alloc(1<<50, 1) // as an Alloc by all would
			return err
		}
		var v [1000]int64
		if err := errors.Join(pe.World().Barrier(), GetNBI(v[:], x, 0, (pe.ID()+1)%pe.N()), pe.Quiet()); err != nil {
			return err
		}
		if _, err := SumExact(pe.World(), sums, 0); err != nil {
			return err
		}
	}
}

// TestFaultsOfGoroutines: every other PE gets the error of the one that failed,
// within a second.
func TestFaultsOfGoroutines(t *testing.T) {
	rounds := 20
	if os.Getenv("SYMSPARSE_SOAK") != "" {
		rounds = 300
	}
	r := rand.New(rand.NewPCG(5, 5))
	kinds := []string{"error", "panic", "segv", "heap", "cancel"}
	for range rounds {
		fault, pes := kinds[r.IntN(len(kinds))], 2+r.IntN(5)
		victim, steps := r.IntN(pes), r.IntN(300)
		ctx, cancel := context.WithCancel(t.Context())
		if fault == "cancel" {
			victim = -1
			time.AfterFunc(time.Duration(r.IntN(5000))*time.Microsecond, cancel)
		}
		var failed time.Time
		errs := make([]error, pes)
		err := Run(ctx, Options{PEs: pes, Check: uint64(r.IntN(2))}, func(pe *PE) error {
			errs[pe.ID()] = errors.New("did not end")
			err := work(pe, fault, victim, steps)
			errs[pe.ID()] = err
			if pe.ID() == victim {
				failed = time.Now()
			}
			return err
		})
		cancel()
		if !failed.IsZero() {
			require.Less(t, time.Since(failed), time.Second)
		}
		var p *PEError
		require.ErrorAs(t, err, &p, fault)
		require.Equal(t, victim, p.PE)
		if fault == "cancel" {
			require.ErrorIs(t, err, context.Canceled)
		} else {
			require.ErrorContains(t, err, causes[fault])
		}
		for pe, err := range errs {
			if pe != victim {
				require.ErrorAs(t, err, &p, "%s on PE %d", fault, pe)
				require.Equal(t, victim, p.PE)
			}
		}
	}
}

func init() {
	programs["fault"] = func(pes int, _ uint64) error {
		return Run(context.Background(), Options{PEs: pes, Transport: "process"}, func(pe *PE) error {
			f := strings.Split(os.Getenv("SHMEM_TEST_FAULT"), " ")
			var victim, steps int
			if _, err := fmt.Sscan(f[1]+" "+f[2], &victim, &steps); err != nil {
				return err
			}
			err := work(pe, f[0], victim, steps)
			fmt.Fprintf(os.Stderr, "PE %d got: %v\n", pe.ID(), err)
			return err
		})
	}
	programs["output"] = func(pes int, _ uint64) error {
		fmt.Println("once")
		return Run(context.Background(), Options{PEs: pes, Transport: "process"}, func(pe *PE) error {
			dir, _ := os.Getwd()
			for range 200 {
				fmt.Printf("%d %s\n", pe.ID(), strings.Repeat("x", 300))
			}
			if pe.ID() == 1 { // the standard input is the same for all: one reads it
				in, err := io.ReadAll(os.Stdin)
				fmt.Printf("1 read %s in %s with %s %s\n", in, filepath.Base(dir), os.Getenv("SHMEM_TEST_GREETING"), os.Args[1])
				return err
			}
			return nil
		})
	}
	programs["twice"] = func(pes int, _ uint64) error {
		for round := range 2 {
			err := Run(context.Background(), Options{PEs: pes, Transport: "process"}, func(pe *PE) error {
				v := []int64{int64(pe.ID())}
				if err := Sum(pe.World(), v, v); err != nil {
					return err
				}
				if pe.ID() == pe.N()-1 {
					fmt.Println("round", round, "sum", v[0])
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		fmt.Println("end")
		return nil
	}
	programs["patient"] = func(pes int, _ uint64) error { // ends by a signal only
		signal.Ignore(syscall.SIGINT)
		return Run(context.Background(), Options{PEs: pes, Transport: "process"}, func(pe *PE) error {
			fmt.Println("pid", os.Getpid())
			for {
				if err := pe.World().Barrier(); err != nil {
					fmt.Fprintln(os.Stderr, "PE", pe.ID(), "got:", err)
					return err
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// TestFaultsOfProcesses is the same with processes, which may also be killed.
func TestFaultsOfProcesses(t *testing.T) {
	rounds := 14
	if os.Getenv("SYMSPARSE_SOAK") != "" {
		rounds = 300
	}
	r := rand.New(rand.NewPCG(6, 6))
	kinds := []string{"error", "panic", "exit", "kill", "term", "segv", "heap"}
	for i := range rounds {
		fault, pes := kinds[i%len(kinds)], 2+r.IntN(4)
		victim := 1 + r.IntN(pes-1) // PE 0 is this package's user; see below
		cmd := program(t, "fault", pes, 0)
		cmd.Env = append(cmd.Env, fmt.Sprintf("SHMEM_TEST_FAULT=%s %d %d", fault, victim, r.IntN(300)))
		start := time.Now()
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Less(t, time.Since(start), 4*time.Second)
		for pe := range pes {
			if pe != victim {
				require.Regexp(t, fmt.Sprintf(`PE %d got: .*PE %d ended with: .*%s`, pe, victim, causes[fault]), string(out), fault)
			}
		}
	}
}

func TestOutputInputAndEnvironmentOfProcesses(t *testing.T) {
	cmd := program(t, "output", 3, 0)
	cmd.Stdin = strings.NewReader("hello")
	cmd.Env = append(cmd.Env, "SHMEM_TEST_GREETING=good morning")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	counts := map[string]int{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 2 && f[1] == strings.Repeat("x", 300) {
			line = f[0]
		}
		counts[strings.TrimSpace(line)]++
	}
	require.Equal(t, map[string]int{"once": 1, "0": 200, "1": 200, "2": 200,
		"1 read hello in " + filepath.Base(cmd.Dir) + " with good morning an argument": 1}, counts)
}

func TestRunTwiceWithProcesses(t *testing.T) {
	out, err := program(t, "twice", 3, 0).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "round 0 sum 3\nround 1 sum 3\nend\n", string(out))
}

// When the first process is killed, the others end with an error that names it.
func TestTheFirstProcessIsKilled(t *testing.T) {
	cmd := program(t, "patient", 4, 0)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var pids []int
	for len(pids) < 4 {
		var pid int
		_, err := fmt.Fscanf(stdout, "pid %d\n", &pid)
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Eventually(t, func() bool {
		for _, pid := range pids {
			if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
				return false
			}
		}
		return true
	}, 4*time.Second, 10*time.Millisecond, "a process is left")
}

// Nothing of a world is left in the file system.
func TestNothingIsLeftBehind(t *testing.T) {
	list := func() string {
		names, _ := filepath.Glob("/dev/shm/*")
		temp, _ := filepath.Glob(filepath.Join(os.TempDir(), "symsparse*"))
		return fmt.Sprint(names, temp)
	}
	before := list()
	_, err := program(t, "twice", 3, 0).CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, before, list())
}
