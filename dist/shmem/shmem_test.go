package shmem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// run runs main on PEs goroutines and returns the error of Run, which must come
// within the time that tests are given for hangs.
func run(t testing.TB, pes int, main func(pe *PE) error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- Run(t.Context(), Options{PEs: pes}, main) }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		buf := make([]byte, 1<<16)
		t.Fatalf("hangs:\n%s", buf[:runtime.Stack(buf, true)])
		return nil
	}
}

var peCounts = []int{1, 2, 3, 4, 7, 16}

func TestGetPutAllPairs(t *testing.T) {
	for _, n := range peCounts {
		require.NoError(t, run(t, n, func(pe *PE) error {
			x, err := Alloc[int32](pe, 34*n)
			if err != nil {
				return err
			}
			// Each PE puts a pattern of every length up to 33 to each PE.
			for to := range n {
				for k := range 34 {
					src := make([]int32, k)
					for i := range src {
						src[i] = int32(1000*pe.ID() + 10*to + i)
					}
					if err := Put(x, 34*pe.ID(), to, src); err != nil {
						return err
					}
					if err := PutNBI(x, 34*pe.ID(), to, src); err != nil {
						return err
					}
				}
			}
			if err := pe.World().Barrier(); err != nil {
				return err
			}
			for from := range n {
				for of := range n {
					var got, later [33]int32
					if err := Get(got[:], x, 34*of, from); err != nil {
						return err
					}
					if err := GetNBI(later[:], x, 34*of, from); err != nil {
						return err
					}
					if err := pe.Quiet(); err != nil {
						return err
					}
					if got != later {
						return fmt.Errorf("Get %v, GetNBI %v", got, later)
					}
					for i, v := range got {
						if v != int32(1000*of+10*from+i) {
							return fmt.Errorf("PE %d from %d of %d: element %d is %d", pe.ID(), from, of, i, v)
						}
					}
				}
			}
			return Free(x)
		}))
	}
}

func TestZeroLengthAndBounds(t *testing.T) {
	require.NoError(t, run(t, 2, func(pe *PE) error {
		x, err := Alloc[float64](pe, 3)
		if err != nil {
			return err
		}
		for _, err := range []error{
			Get(nil, x, 3, 1), Put(x, 0, 0, nil), GetNBI([]float64{}, x, 0, 1), pe.Fence(),
		} {
			if err != nil {
				return err
			}
		}
		var r *RangeError
		buf := make([]float64, 2)
		for _, err := range []error{
			Get(buf, x, 2, 0), Get(buf, x, -1, 0), Put(x, 0, 2, buf), Put(x, 0, -1, buf),
			GetNBI(buf, x, math.MaxInt, 0), PutNBI(x, 4, 0, nil),
		} {
			if !errors.As(err, &r) {
				return fmt.Errorf("want a RangeError, got %v", err)
			}
		}
		if _, ok := x.On(2); ok {
			return fmt.Errorf("On(2) of 2 PEs")
		}
		if err := Free(x.Slice(0, 1)); err == nil {
			return fmt.Errorf("a part was freed")
		}
		if err := Free(x); err != nil {
			return err
		}
		if err := Get(buf, x, 0, 0); !errors.Is(err, ErrEnded) {
			return fmt.Errorf("use after Free: %v", err)
		}
		if err := Get(buf, Sym[float64]{}, 0, 0); err == nil {
			return fmt.Errorf("use of the zero Sym")
		}
		return Free(Sym[float64]{})
	}))
}

func TestAllocIsZeroAlignedAndReused(t *testing.T) {
	require.NoError(t, run(t, 3, func(pe *PE) error {
		var last int64
		for i := range 50 {
			a, err := Alloc[byte](pe, 100+i)
			if err != nil {
				return err
			}
			b, err := Alloc[complex128](pe, 10)
			if err != nil {
				return err
			}
			if a.off%heapAlign != 0 || b.off%heapAlign != 0 {
				return fmt.Errorf("offsets %d, %d", a.off, b.off)
			}
			for _, v := range a.Local() {
				if v != 0 {
					return fmt.Errorf("not zero")
				}
			}
			for k := range a.Local() {
				a.Local()[k] = 255
			}
			last = max(last, b.off)
			if err := errors.Join(Free(a), Free(b)); err != nil {
				return err
			}
		}
		if last > controlBytes+1024 {
			return fmt.Errorf("freed memory is not reused: offset %d", last)
		}
		z, err := Alloc[int64](pe, 0)
		if err != nil || z.Len() != 0 {
			return fmt.Errorf("Alloc of nothing: %v", err)
		}
		return Free(z)
	}))
}

func TestHeapFullIsTheSameErrorEverywhere(t *testing.T) {
	errs := make([]error, 3)
	err := Run(t.Context(), Options{PEs: 3, HeapBytes: 1 << 20}, func(pe *PE) error {
		for _, n := range []int{1 << 30, math.MaxInt, -1} {
			if _, err := Alloc[float64](pe, n); err == nil {
				return fmt.Errorf("Alloc of %d", n)
			}
		}
		if _, err := Alloc[float64](pe, 1<<16); err != nil { // half fits after all that
			return err
		}
		_, errs[pe.ID()] = Alloc[float64](pe, 1<<17)
		return pe.World().Barrier()
	})
	require.NoError(t, err)
	for _, err := range errs {
		var h *HeapError
		require.ErrorAs(t, err, &h)
		require.Equal(t, int64(1<<20), h.Need)
		require.Equal(t, errs[0].Error(), err.Error())
		require.Contains(t, err.Error(), "SYMSPARSE_HEAP")
	}
}

func TestAllocMismatchIsReported(t *testing.T) {
	err := run(t, 3, func(pe *PE) error {
		n := 10
		if pe.ID() == 1 {
			n = 11
		}
		_, err := Alloc[float64](pe, n)
		return err
	})
	var m *MismatchError
	require.ErrorAs(t, err, &m)
	require.Contains(t, err.Error(), "Alloc of 88")
	require.Contains(t, err.Error(), "Alloc of 80")
}

func TestHeapVariable(t *testing.T) {
	t.Setenv(heapVariable, "3MiB")
	require.NoError(t, run(t, 1, func(pe *PE) error {
		if _, err := Alloc[byte](pe, 4<<20); err == nil {
			return fmt.Errorf("4 MiB in a heap of 3")
		}
		_, err := Alloc[byte](pe, 3<<20)
		return err
	}))
	for _, s := range []string{"3 bytes", "-1", "0", "99999999999GiB", "GiB"} {
		t.Setenv(heapVariable, s)
		require.ErrorContains(t, Run(t.Context(), Options{PEs: 1}, func(*PE) error { return nil }), heapVariable)
	}
}

func TestRunArguments(t *testing.T) {
	ok := func(*PE) error { return nil }
	require.ErrorContains(t, Run(t.Context(), Options{PEs: -1}, ok), "-1 PEs")
	require.ErrorContains(t, Run(t.Context(), Options{Transport: "pigeon"}, ok), "local")
	require.ErrorContains(t, Run(t.Context(), Options{PEs: 4, HeapBytes: math.MaxInt64}, ok), "too large")
	require.Panics(t, func() { Register("local", local{}) })
	require.Contains(t, Transports(), "local")
	require.NoError(t, Run(t.Context(), Options{}, func(pe *PE) error {
		if pe.N() != runtime.GOMAXPROCS(0) {
			return fmt.Errorf("%d PEs", pe.N())
		}
		return nil
	}))
}

func TestUseAfterRun(t *testing.T) {
	var kept *PE
	var x Sym[int64]
	require.NoError(t, run(t, 1, func(pe *PE) (err error) {
		kept = pe
		x, err = Alloc[int64](pe, 1)
		return err
	}))
	_, err := Alloc[int64](kept, 1)
	require.ErrorIs(t, err, ErrEnded)
	require.ErrorIs(t, kept.World().Barrier(), ErrEnded)
	require.ErrorIs(t, kept.Quiet(), ErrEnded)
	require.ErrorIs(t, kept.Fence(), ErrEnded)
	require.ErrorIs(t, kept.Err(), ErrEnded)
	require.ErrorIs(t, Get(make([]int64, 1), x, 0, 0), ErrEnded)
}

func TestFailureReachesEveryWaiter(t *testing.T) {
	boom := errors.New("boom")
	for name, end := range map[string]func() error{
		"error":  func() error { return boom },
		"panic":  func() error { panic(boom) },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		for _, n := range []int{2, 3, 7} {
			got := make([]error, n)
			before := runtime.NumGoroutine()
			start := time.Now()
			err := run(t, n, func(pe *PE) error {
				if pe.ID() == n-1 {
					time.Sleep(20 * time.Millisecond)
					return end()
				}
				for {
					if err := pe.World().Barrier(); err != nil {
						got[pe.ID()] = err
						if pe.Err() == nil || pe.Context().Err() == nil {
							return fmt.Errorf("the world does not know")
						}
						return err
					}
				}
			})
			require.Less(t, time.Since(start), time.Second)
			var p *PEError
			require.ErrorAs(t, err, &p, name)
			require.Equal(t, n-1, p.PE)
			if name == "error" {
				require.ErrorIs(t, err, boom)
			}
			if name == "panic" {
				var v *PanicError
				require.ErrorAs(t, err, &v)
				require.Contains(t, v.Stack, "shmem_test.go")
			}
			for i := range n - 1 {
				require.ErrorAs(t, got[i], &p)
				require.Equal(t, n-1, p.PE)
			}
			require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, time.Second, time.Millisecond)
		}
	}
}

func TestCancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	start := time.Now()
	err := Run(ctx, Options{PEs: 3}, func(pe *PE) error {
		if pe.ID() == 0 { // computes, and never waits
			<-pe.Context().Done()
			return pe.Err()
		}
		for {
			if err := pe.World().Barrier(); err != nil {
				return err
			}
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, time.Since(start), time.Second)
}

func TestWaitingForAPEThatEnded(t *testing.T) {
	err := run(t, 3, func(pe *PE) error {
		if pe.ID() == 2 {
			return nil
		}
		return pe.World().Barrier()
	})
	var a *AbsentError
	require.ErrorAs(t, err, &a)
	require.Equal(t, "Barrier", a.Op)
}

func TestTwoWorldsAtOnce(t *testing.T) {
	require.NoError(t, run(t, 2, func(outer *PE) error {
		return Run(outer.Context(), Options{PEs: 3}, func(inner *PE) error {
			v := []int64{int64(inner.ID() + 10*outer.ID())}
			if err := Sum(inner.World(), v, v); err != nil {
				return err
			}
			if v[0] != int64(3+30*outer.ID()) {
				return fmt.Errorf("sum is %d", v[0])
			}
			return nil
		})
	}))
}

func BenchmarkBarrier(b *testing.B) {
	for _, n := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("pes=%d", n), func(b *testing.B) {
			require.NoError(b, Run(b.Context(), Options{PEs: n}, func(pe *PE) error {
				if err := pe.World().Barrier(); err != nil {
					return err
				}
				if pe.ID() == 0 {
					b.ResetTimer()
				}
				for range b.N {
					if err := pe.World().Barrier(); err != nil {
						return err
					}
				}
				return nil
			}))
		})
	}
}

func BenchmarkSumExact(b *testing.B) {
	for _, k := range []int{1, 28} {
		b.Run(fmt.Sprintf("pes=2/sums=%d", k), func(b *testing.B) {
			require.NoError(b, Run(b.Context(), Options{PEs: 2}, func(pe *PE) error {
				s := make([]ExactSum, k)
				for i := range b.N {
					for j := range s {
						s[j].Reset()
						s[j].Add(float64(i))
					}
					if _, err := SumExact(pe.World(), s, 0); err != nil {
						return err
					}
				}
				return nil
			}))
		})
	}
}

func BenchmarkGet(b *testing.B) {
	require.NoError(b, Run(b.Context(), Options{PEs: 2}, func(pe *PE) error {
		x, err := Alloc[float64](pe, 1)
		if err != nil {
			return err
		}
		var v [1]float64
		for range b.N {
			if err := Get(v[:], x, 0, 1-pe.ID()); err != nil {
				return err
			}
		}
		return nil
	}))
}
