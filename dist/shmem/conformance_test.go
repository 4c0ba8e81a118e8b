package shmem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The conformance cases run in every transport, with and without checking. Those
// of worlds use all PEs; those of teams run in teams of every shape.

var worldCases = map[string]func(pe *PE) error{
	"get and put, all pairs":    allPairs,
	"self":                      selfTarget,
	"strided":                   stridedCopies,
	"put, fence, flag":          putFenceFlag,
	"put with signal":           putSignalRing,
	"atomics":                   atomics[int64],
	"atomics of 32 bits":        atomics[uint32],
	"atomics from all":          atomicsFromAll,
	"wait for any, some, all":   waitVectors,
	"single elements":           singleElements,
	"web":                       web,
	"alignment":                 alignment,
	"reuse after free":          reuseAfterFree,
	"circular shift":            circularShift,
	"ping pong":                 pingPong(func(x Sym[uint32], pe int, v uint32) error { return Set(x, 0, pe, v) }),
	"ping pong by puts":         pingPong(func(x Sym[uint32], pe int, v uint32) error { return P(x, 0, pe, v) }),
	"puts pending at the end":   pendingAtEnd,
	"overlapping teams":         overlappingTeams,
	"sums of a flooded barrier": flood,
}

var teamCases = map[string]func(t *Team) error{
	"reductions":     reductions,
	"broadcast":      broadcasts,
	"collect":        collects,
	"alltoall":       alltoalls,
	"in place":       inPlace,
	"many in a row":  backToBack,
	"exact sums":     exactSums,
	"barriers alone": func(t *Team) error { return repeat(50, t.Barrier) },
}

// conformance runs all cases.
func conformance(pe *PE) error {
	for _, name := range sortedKeys(worldCases) {
		if err := worldCases[name](pe); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	shapes, err := teamShapes(pe)
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(teamCases) {
		for shape, t := range shapes {
			if t == nil {
				continue
			}
			if err := teamCases[name](t); err != nil {
				return fmt.Errorf("%s in team %d of %d PEs: %w", name, shape, t.N(), err)
			}
		}
		if err := pe.World().Barrier(); err != nil {
			return err
		}
	}
	for _, t := range shapes[1:] {
		if err := t.Destroy(); err != nil {
			return err
		}
	}
	return nil
}

// sortedKeys gives all PEs the same order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// teamShapes returns the world, every other PE, all in reverse, and this PE's row
// and column.
func teamShapes(pe *PE) ([]*Team, error) {
	w := pe.World()
	evens, err := w.SplitStrided(0, min(2, w.N()), (w.N()+1)/2)
	if err != nil {
		return nil, err
	}
	reverse, err := w.SplitStrided(w.N()-1, -1, w.N())
	if err != nil {
		return nil, err
	}
	row, col, err := w.Split2D(2)
	return []*Team{w, evens, reverse, row, col}, err
}

func repeat(n int, f func() error) error {
	for range n {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func TestConformanceOfGoroutines(t *testing.T) {
	counts, checks := []int{1, 2, 3, 5, 8}, []uint64{0, 1, 2, 3}
	if testing.Short() {
		counts, checks = []int{1, 3}, []uint64{0, 1}
	}
	for _, pes := range counts {
		for _, check := range checks {
			err := Run(t.Context(), Options{PEs: pes, Check: check}, conformance)
			require.NoError(t, err, "%d PEs, check %d", pes, check)
		}
	}
}

// programs are what TestMain runs in processes that tests start; each calls Run
// once, so that the processes of its PEs come to the same call.
var programs = map[string]func(pes int, check uint64) error{
	"conformance": func(pes int, check uint64) error {
		return Run(context.Background(), Options{PEs: pes, Transport: "process", Check: check}, conformance)
	},
}

const programVariable = "SHMEM_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if name := os.Getenv(programVariable); name != "" {
		pes, _ := strconv.Atoi(os.Getenv(programVariable + "_PES"))
		check, _ := strconv.ParseUint(os.Getenv(programVariable+"_CHECK"), 10, 64)
		if err := programs[name](pes, check); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program returns the command that runs one of the programs.
func program(t *testing.T, name string, pes int, check uint64) *exec.Cmd {
	if runtime.GOOS != "linux" {
		t.Skip("the transport process needs Linux")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "an argument")
	cmd.Env = append(os.Environ(), programVariable+"="+name, fmt.Sprintf("%s_PES=%d", programVariable, pes), fmt.Sprintf("%s_CHECK=%d", programVariable, check))
	return cmd
}

func TestConformanceOfProcesses(t *testing.T) {
	counts := []int{1, 2, 3, 5}
	if testing.Short() {
		counts = []int{3}
	}
	for _, pes := range counts {
		for _, check := range []uint64{0, 4} {
			out, err := program(t, "conformance", pes, check).CombinedOutput()
			require.NoError(t, err, "%d PEs, check %d: %s", pes, check, out)
			require.Empty(t, string(out))
		}
	}
}

// expect compares what a case got.
func expect[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// withArray runs f with a symmetric array, all PEs having come before and after.
func withArray[T Elem](pe *PE, n int, f func(x Sym[T]) error) error {
	x, err := Alloc[T](pe, n)
	if err != nil {
		return err
	}
	if err := f(x); err != nil {
		return err
	}
	if err := pe.World().Barrier(); err != nil {
		return err
	}
	return Free(x)
}

func allPairs(pe *PE) error {
	n, w := pe.N(), pe.World()
	return withArray(pe, 34*n, func(x Sym[uint8]) error { // odd sizes and offsets of bytes
		for to := range n {
			for k := range 34 {
				src := make([]uint8, k)
				for i := range src {
					src[i] = uint8(7*pe.ID() + 3*to + i)
				}
				if err := Put(x, 34*pe.ID(), to, src); err != nil {
					return err
				}
				if err := pe.Quiet(); err != nil { // the next one overlaps
					return err
				}
			}
		}
		if err := w.Barrier(); err != nil {
			return err
		}
		for from := range n {
			for of := range n {
				var now, later [33]uint8
				if err := errors.Join(Get(now[:], x, 34*of, from), GetNBI(later[:], x, 34*of, from), pe.Quiet()); err != nil {
					return err
				}
				for i := range now {
					if err := errors.Join(expect("get", now[i], uint8(7*of+3*from+i)), expect("nbi", later[i], now[i])); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

func selfTarget(pe *PE) error {
	return withArray(pe, 4, func(x Sym[float64]) error {
		if err := errors.Join(Put(x, 1, pe.ID(), []float64{1, 2}), pe.Quiet()); err != nil {
			return err
		}
		var v [4]float64
		if err := Get(v[:], x, 0, pe.ID()); err != nil {
			return err
		}
		return expect("self", v, [4]float64{0, 1, 2, 0})
	})
}

func stridedCopies(pe *PE) error {
	next := (pe.ID() + 1) % pe.N()
	return withArray(pe, 20, func(x Sym[int32]) error {
		src := []int32{1, -1, 2, -1, 3, -1, 4}
		if err := errors.Join(IPut(x, 2, 5, next, src, 2, 4), pe.World().Barrier()); err != nil {
			return err
		}
		var all [20]int32
		copy(all[:], x.Local())
		if err := expect("iput", all, [20]int32{2: 1, 7: 2, 12: 3, 17: 4}); err != nil {
			return err
		}
		var got [7]int32
		if err := IGet(got[:], 3, x, 2, 5, 3, next); err != nil {
			return err
		}
		if err := expect("iget", got, [7]int32{0: 1, 3: 2, 6: 3}); err != nil {
			return err
		}
		for name, err := range map[string]error{
			"stride 0": IGet(got[:], 0, x, 0, 1, 2, next), "too long": IGet(got[:], 1, x, 18, 2, 2, next),
			"slice too short": IPut(x, 0, 1, next, src, 4, 3), "huge": IGet(got[:], 1, x, 0, math.MaxInt/2, 3, next), "no PE": IPut(x, 0, 1, pe.N(), src, 1, 1),
		} {
			if err == nil {
				return fmt.Errorf("%s was accepted", name)
			}
		}
		if IGet(got[:], 1, Sym[int32]{}, 0, 1, 1, next) == nil || IPut(Sym[int32]{}, 0, 1, next, src, 1, 1) == nil {
			return fmt.Errorf("the zero Sym was accepted")
		}
		return IGet(nil, 1, x, 0, 1, 0, next)
	})
}

func putFenceFlag(pe *PE) error {
	next := (pe.ID() + 1) % pe.N()
	return withArray(pe, 101, func(x Sym[int64]) error {
		for round := int64(1); round <= 20; round++ {
			src := make([]int64, 100)
			for i := range src {
				src[i] = round * int64(i+1)
			}
			if err := errors.Join(Put(x, 0, next, src), pe.Fence(), Set(x, 100, next, round)); err != nil {
				return err
			}
			if _, err := WaitUntil(x, 100, GE, round); err != nil {
				return err
			}
			for i, v := range x.Local()[:100] {
				if v != round*int64(i+1) {
					return fmt.Errorf("round %d: element %d is %d", round, i, v)
				}
			}
			if err := pe.World().Barrier(); err != nil {
				return err
			}
		}
		return nil
	})
}

func putSignalRing(pe *PE) error {
	next := (pe.ID() + 1) % pe.N()
	return withArray(pe, 1000, func(x Sym[float64]) error {
		return withArray(pe, 2, func(sig Sym[uint64]) error {
			for round := uint64(1); round <= 20; round++ {
				src := make([]float64, 1000)
				for i := range src {
					src[i] = float64(round) + float64(i)/1000
				}
				op, s, value := SignalSet, 0, round
				if round%2 == 0 {
					op, s, value = SignalAdd, 1, 2
				}
				if err := PutSignal(x, 0, next, src, sig, s, op, value); err != nil {
					return err
				}
				if got, err := WaitUntil(sig, s, GE, round); err != nil || got != round {
					return fmt.Errorf("signal %d in round %d: %w", got, round, err)
				}
				for i, v := range x.Local() {
					if v != src[i] {
						return fmt.Errorf("round %d: element %d is %v", round, i, v)
					}
				}
				if err := pe.World().Barrier(); err != nil {
					return err
				}
			}
			if PutSignal(x, 0, next, nil, sig, 0, AtomicXor, 1) == nil || PutSignal(x, 0, next, nil, sig, 2, SignalSet, 1) == nil {
				return fmt.Errorf("a bad signal was accepted")
			}
			return nil
		})
	})
}

func atomics[T Word](pe *PE) error {
	next := (pe.ID() + 1) % pe.N()
	return withArray(pe, 2, func(x Sym[T]) error {
		old := func(what string, want T) func(got T, err error) error {
			return func(got T, err error) error { return errors.Join(err, expect(what, got, want)) }
		}
		return errors.Join(
			Set(x, 1, next, 6),
			old("fetch", 6)(Fetch(x, 1, next)),
			old("swap", 6)(Swap(x, 1, next, 12)),
			old("compare, no", 12)(CompareSwap(x, 1, next, 11, 1)),
			old("compare, yes", 12)(CompareSwap(x, 1, next, 12, 5)),
			old("add", 5)(Add(x, 1, next, ^T(0))), // minus one
			old("and", 4)(FetchAnd(x, 1, next, 6)),
			old("or", 4)(FetchOr(x, 1, next, 3)),
			old("xor", 7)(FetchXor(x, 1, next, 2)),
			old("end", 5)(Fetch(x, 1, next)),
			old("neighbour", 0)(Fetch(x, 0, next)),
			pe.World().Barrier(),
		)
	})
}

func atomicsFromAll(pe *PE) error {
	const times = 200
	return withArray(pe, 2, func(x Sym[int32]) error {
		for i := range times {
			if _, err := Add(x, 0, 0, 1); err != nil {
				return err
			}
			if _, err := FetchXor(x, 1, 0, int32(1)<<(i%31)); err != nil {
				return err
			}
		}
		if err := pe.World().Barrier(); err != nil {
			return err
		}
		v, err := Fetch(x, 0, 0)
		return errors.Join(err, expect("sum", v, int32(times*pe.N())))
	})
}

func waitVectors(pe *PE) error {
	const n = 6
	next := (pe.ID() + 1) % pe.N()
	return withArray(pe, n, func(x Sym[int64]) error {
		ignore := []bool{false, true, false, false, true, false}
		for i := range n {
			if err := P(x, i, next, 0); err != nil {
				return err
			}
		}
		if err := pe.World().Barrier(); err != nil {
			return err
		}
		if ok, err := TestAll(x, nil, EQ, 0); !ok || err != nil {
			return fmt.Errorf("TestAll: %v %w", ok, err)
		}
		if err := pe.World().Sync(); err != nil { // before it is changed
			return err
		}
		for _, i := range []int{3, 0, 5, 2} {
			if err := Set(x, i, next, int64(10+i)); err != nil {
				return err
			}
		}
		seen := map[int]bool{} // every satisfied element has its turn
		for len(seen) < 4 {
			i, err := WaitUntilAny(x, ignore, GT, 0)
			if err != nil {
				return err
			}
			if i < 0 || ignore[i] {
				return fmt.Errorf("WaitUntilAny: %d", i)
			}
			seen[i] = true
		}
		if err := WaitUntilAll(x, ignore, GE, 10); err != nil {
			return err
		}
		some, err := WaitUntilSome(nil, x, ignore, LE, 13)
		if err != nil {
			return err
		}
		if err := expect("some", fmt.Sprint(some), "[0 2 3]"); err != nil {
			return err
		}
		// Nothing to wait for: at once.
		all := []bool{true, true, true, true, true, true}
		any, err1 := WaitUntilAny(x, all, EQ, 99)
		none, err2 := WaitUntilSome(nil, x, all, EQ, 99)
		ok, err3 := TestAll(x, all, EQ, 99)
		tested, err4 := TestAny(x, nil, EQ, 99)
		yes, err5 := Test(x, 3, NE, 0)
		return errors.Join(err1, err2, err3, err4, err5, WaitUntilAll(x, all, EQ, 99),
			expect("any of none", any, -1), expect("some of none", len(none), 0), expect("all of none", ok, true),
			expect("TestAny", tested, -1), expect("Test", yes, true), pe.World().Barrier())
	})
}

func singleElements(pe *PE) error {
	next := (pe.ID() + 1) % pe.N()
	return withArray(pe, 3, func(x Sym[complex128]) error {
		if err := errors.Join(P(x, 2, next, complex(float64(pe.ID()), -1)), pe.World().Barrier()); err != nil {
			return err
		}
		v, err := G(x, 2, next)
		return errors.Join(err, expect("g", v, complex(float64(pe.ID()), -1)))
	})
}

// web: every PE puts to every other at once, many times.
func web(pe *PE) error {
	n := pe.N()
	return withArray(pe, n, func(x Sym[int64]) error {
		for round := range int64(30) {
			for to := range n {
				if err := PutNBI(x, pe.ID(), to, []int64{round}); err != nil {
					return err
				}
			}
			if err := pe.World().Barrier(); err != nil {
				return err
			}
			for from, v := range x.Local() {
				if v != round {
					return fmt.Errorf("round %d: PE %d has %d", round, from, v)
				}
			}
			if err := pe.World().Barrier(); err != nil {
				return err
			}
		}
		return nil
	})
}

func alignment(pe *PE) error {
	for _, align := range []int{1, 8, 64, 256, 4096} {
		x, err := AllocAligned[int32](pe, 5, align)
		if err != nil {
			return err
		}
		if x.off%int64(align) != 0 {
			return fmt.Errorf("offset %d for alignment %d", x.off, align)
		}
		defer Free(x)
	}
	for _, align := range []int{0, -8, 3, 8192} {
		if _, err := AllocAligned[int32](pe, 5, align); err == nil {
			return fmt.Errorf("alignment %d was accepted", align)
		}
	}
	return nil
}

func reuseAfterFree(pe *PE) error {
	var first int64
	for i := range 10 {
		err := withArray(pe, 1000, func(x Sym[int64]) error {
			if i == 0 {
				first = x.off
			}
			for k, v := range x.Local() {
				if v != 0 {
					return fmt.Errorf("element %d is %d after Alloc", k, v)
				}
				x.Local()[k] = -1
			}
			return expect("offset", x.off, first)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func circularShift(pe *PE) error {
	return withArray(pe, 1, func(x Sym[int64]) error {
		v := int64(pe.ID())
		for range pe.N() {
			if err := errors.Join(P(x, 0, (pe.ID()+1)%pe.N(), v), pe.World().Barrier()); err != nil {
				return err
			}
			v = x.Local()[0]
			if err := pe.World().Barrier(); err != nil {
				return err
			}
		}
		return expect("after a full circle", v, int64(pe.ID()))
	})
}

// pingPong sends a count to and fro between two PEs, by what changes an element.
func pingPong(send func(x Sym[uint32], pe int, v uint32) error) func(pe *PE) error {
	return func(pe *PE) error {
		return withArray(pe, 1, func(x Sym[uint32]) error {
			if pe.N() < 2 || pe.ID() > 1 {
				return nil
			}
			for i := range uint32(100) {
				if pe.ID() == 0 {
					if err := send(x, 1, i+1); err != nil {
						return err
					}
				}
				if _, err := WaitUntil(x, 0, EQ, i+1); err != nil {
					return err
				}
				if pe.ID() == 1 {
					if err := send(x, 0, i+1); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}

func pendingAtEnd(pe *PE) error {
	x, err := Alloc[int64](pe, 1)
	if err != nil {
		return err
	}
	return PutNBI(x, 0, (pe.ID()+1)%pe.N(), []int64{1})
}

func overlappingTeams(pe *PE) error {
	teams, err := teamShapes(pe)
	if err != nil {
		return err
	}
	for range 30 { // interleaved, in the same order on all
		for _, t := range teams {
			if t != nil {
				if err := sumOfIDs(t); err != nil {
					return err
				}
			}
		}
	}
	for _, t := range teams[1:] {
		if err := t.Destroy(); err != nil {
			return err
		}
	}
	return nil
}

func flood(pe *PE) error {
	return repeat(300, func() error {
		v := []int64{1}
		if err := Sum(pe.World(), v, v); err != nil {
			return err
		}
		return expect("sum", v[0], int64(pe.N()))
	})
}

func reductions(t *Team) error {
	for _, n := range []int{0, 1, 7, 3000} {
		src, dst := make([]int64, n), make([]int64, n)
		for i := range src {
			src[i] = int64(t.Rank()+1) * int64(i%5+1)
		}
		over := func(f func(a, b int64) int64) func(i int) int64 {
			return func(i int) int64 {
				v := int64(i%5 + 1)
				for r := 1; r < t.N(); r++ {
					v = f(v, int64(r+1)*int64(i%5+1))
				}
				return v
			}
		}
		for _, c := range []struct {
			f    func(t *Team, dst, src []int64) error
			want func(i int) int64
		}{
			{Sum[int64], over(func(a, b int64) int64 { return a + b })},
			{Prod[int64], over(func(a, b int64) int64 { return a * b })},
			{Min[int64], over(func(a, b int64) int64 { return min(a, b) })},
			{Max[int64], over(func(a, b int64) int64 { return max(a, b) })},
			{And[int64], over(func(a, b int64) int64 { return a & b })},
			{Or[int64], over(func(a, b int64) int64 { return a | b })},
			{Xor[int64], over(func(a, b int64) int64 { return a ^ b })},
		} {
			if err := c.f(t, dst, src); err != nil {
				return err
			}
			for i, v := range dst {
				if v != c.want(i) {
					return fmt.Errorf("element %d of %d is %d, want %d", i, n, v, c.want(i))
				}
			}
		}
	}
	return nil
}

func broadcasts(t *Team) error {
	for root := range t.N() {
		for _, n := range []int{0, 1, 5000} {
			v := make([]float32, n)
			for i := range v {
				v[i] = float32(t.Rank()*1000 + i)
			}
			if err := Broadcast(t, v, root); err != nil {
				return err
			}
			for i := range v {
				if v[i] != float32(root*1000+i) {
					return fmt.Errorf("element %d from %d is %v", i, root, v[i])
				}
			}
		}
	}
	return nil
}

func collects(t *Team) error {
	for _, scale := range []int{0, 1, 3000} {
		src := make([]int32, scale*(t.Rank()%3)) // some have none
		for i := range src {
			src[i] = int32(t.Rank()*10000 + i)
		}
		total := 0
		for r := range t.N() {
			total += scale * (r % 3)
		}
		dst := make([]int32, total)
		if err := Collect(t, dst, src); err != nil {
			return err
		}
		at := 0
		for r := range t.N() {
			for i := range scale * (r % 3) {
				if dst[at] != int32(r*10000+i) {
					return fmt.Errorf("element %d is %d", at, dst[at])
				}
				at++
			}
		}
	}
	return nil
}

func alltoalls(t *Team) error {
	for _, k := range []int{0, 1, 5, 2500} {
		src, dst := make([]int64, k*t.N()), make([]int64, k*t.N())
		for i := range src {
			src[i] = int64(t.Rank())<<32 | int64(i)
		}
		if err := Alltoall(t, dst, src); err != nil {
			return err
		}
		for r := range t.N() {
			for i := range k {
				if want := int64(r)<<32 | int64(t.Rank()*k+i); dst[r*k+i] != want {
					return fmt.Errorf("piece of %d, element %d: %x, want %x", r, i, dst[r*k+i], want)
				}
			}
		}
	}
	return nil
}

func inPlace(t *Team) error {
	v := []float64{float64(t.Rank()), math.Inf(1), math.Copysign(0, -1)}
	if err := Max(t, v, v); err != nil {
		return err
	}
	return errors.Join(expect("max", v[0], float64(t.N()-1)), expect("inf", v[1], math.Inf(1)))
}

func backToBack(t *Team) error {
	return repeat(40, func() error {
		v, all := []int32{int32(t.Rank())}, make([]int32, t.N())
		if err := errors.Join(Fcollect(t, all, v), Broadcast(t, v, t.N()-1), Sum(t, v, v)); err != nil {
			return err
		}
		for r, x := range all {
			if x != int32(r) {
				return fmt.Errorf("fcollect: %v", all)
			}
		}
		return expect("sum of the last", v[0], int32((t.N()-1)*t.N()))
	})
}

func exactSums(t *Team) error {
	sums := make([]ExactSum, 40)
	for i := range sums {
		sums[i].Add(1e300)
		sums[i].Add(float64(t.Rank() * i))
		sums[i].Add(-1e300)
	}
	flags, err := SumExact(t, sums, 1<<(t.Rank()%64))
	if err != nil {
		return err
	}
	for i := range sums {
		if v := sums[i].Float64(); v != float64(t.N()*(t.N()-1)/2*i) {
			return fmt.Errorf("sum %d is %v", i, v)
		}
	}
	return expect("flags", flags, uint64(1)<<t.N()-1)
}
