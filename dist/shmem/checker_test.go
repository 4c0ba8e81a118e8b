package shmem

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each program is right, or wrong by one missing call. The right one passes under
// every seed, the wrong one gives a wrong result under some.
var checkedPrograms = []struct {
	name string
	main func(pe *PE, right bool) error
}{
	{"quiet after a get", func(pe *PE, right bool) error {
		x, err := Alloc[float64](pe, 4)
		if err != nil {
			return err
		}
		x.Local()[0] = 1
		if err := pe.World().Barrier(); err != nil {
			return err
		}
		var v [4]float64
		if err := GetNBI(v[:], x, 0, 1-pe.ID()); err != nil {
			return err
		}
		if right {
			if err := pe.Quiet(); err != nil {
				return err
			}
		}
		return expect("got", v, [4]float64{1})
	}},
	{"barrier before a get", func(pe *PE, right bool) error {
		x, err := Alloc[int64](pe, 1)
		if err != nil {
			return err
		}
		for i := range int64(200) {
			x.Local()[0] = i
			if right {
				if err := pe.World().Barrier(); err != nil {
					return err
				}
			} else if _, err := Add(x, 0, pe.ID(), 0); err != nil { // something that takes time
				return err
			}
			v, err := G(x, 0, 1-pe.ID())
			if err := errors.Join(err, expect("got", v, i), pe.World().Sync()); err != nil {
				return err
			}
		}
		return nil
	}},
	{"barrier after a put", func(pe *PE, right bool) error {
		x, err := Alloc[int64](pe, 1)
		if err != nil {
			return err
		}
		if err := P(x, 0, 1-pe.ID(), 7); err != nil {
			return err
		}
		wait := pe.World().Sync // arrival only: the put may be on its way
		if right {
			wait = pe.World().Barrier
		}
		if err := wait(); err != nil {
			return err
		}
		return expect("was put", x.Local()[0], 7)
	}},
	{"fence between data and flag", func(pe *PE, right bool) error {
		x, err := Alloc[int64](pe, 3)
		if err != nil {
			return err
		}
		for i := range int64(100) {
			if err := P(x, 0, 1-pe.ID(), i+1); err != nil {
				return err
			}
			if right {
				if err := pe.Fence(); err != nil {
					return err
				}
			}
			if err := Set(x, 1, 1-pe.ID(), i+1); err != nil {
				return err
			}
			if _, err := WaitUntil(x, 1, GE, i+1); err != nil {
				return err
			}
			if v := x.Local()[0]; v != i+1 {
				return fmt.Errorf("step %d: the flag came before the data: %d", i, v)
			}
			if err := pe.World().Barrier(); err != nil {
				return err
			}
		}
		return nil
	}},
	{"a signal orders only its own data", func(pe *PE, right bool) error {
		x, err := Alloc[int64](pe, 2)
		if err != nil {
			return err
		}
		sig, err := Alloc[uint64](pe, 1)
		if err != nil {
			return err
		}
		for i := range int64(100) {
			if err := P(x, 0, 1-pe.ID(), i+1); err != nil {
				return err
			}
			if right {
				if err := pe.Quiet(); err != nil {
					return err
				}
			}
			if err := PutSignal(x, 1, 1-pe.ID(), []int64{-i}, sig, 0, SignalSet, uint64(i+1)); err != nil {
				return err
			}
			if _, err := WaitUntil(sig, 0, GE, uint64(i+1)); err != nil {
				return err
			}
			if err := errors.Join(expect("own data", x.Local()[1], -i), expect("earlier put", x.Local()[0], i+1), pe.World().Barrier()); err != nil {
				return err
			}
		}
		return nil
	}},
	{"a source that is changed before quiet", func(pe *PE, right bool) error {
		x, err := Alloc[int64](pe, 1)
		if err != nil {
			return err
		}
		src := []int64{5}
		if err := PutNBI(x, 0, 1-pe.ID(), src); err != nil {
			return err
		}
		if right {
			if err := pe.Quiet(); err != nil {
				return err
			}
		}
		src[0] = -5
		if err := pe.World().Barrier(); err != nil {
			return err
		}
		return expect("was put", x.Local()[0], 5)
	}},
}

func TestCheckingFindsMissingCalls(t *testing.T) {
	for _, p := range checkedPrograms {
		t.Run(p.name, func(t *testing.T) {
			caught := 0
			for seed := uint64(1); seed <= 8; seed++ {
				opt := Options{PEs: 2, Check: seed}
				require.NoError(t, Run(t.Context(), opt, func(pe *PE) error { return p.main(pe, true) }), "seed %d", seed)
				if raceDetector { // which sees some of the wrong ones too
					caught++
				} else if Run(t.Context(), opt, func(pe *PE) error { return p.main(pe, false) }) != nil {
					caught++
				}
			}
			require.Positive(t, caught, "the missing call was never noticed")
		})
	}
}

func TestCheckingFromTheEnvironment(t *testing.T) {
	t.Setenv(checkVariable, "3")
	require.NoError(t, Run(t.Context(), Options{PEs: 2}, func(pe *PE) error {
		x, err := Alloc[int64](pe, 1)
		if err != nil {
			return err
		}
		if _, ok := x.On(1 - pe.ID()); ok {
			return errors.New("not checking: another PE's memory is in reach")
		}
		if x.Local() == nil {
			return errors.New("own memory is out of reach")
		}
		return pe.World().Barrier()
	}))
	t.Setenv(checkVariable, "maybe")
	require.ErrorContains(t, Run(t.Context(), Options{PEs: 1}, func(*PE) error { return nil }), checkVariable)
}

// errors of PEs that do not make the same calls.
func TestMismatchedCollectives(t *testing.T) {
	array := func(pe *PE) Sym[int64] {
		x, err := Alloc[int64](pe, 1)
		if err != nil {
			panic(err)
		}
		return x
	}
	for name, c := range map[string]struct {
		main func(pe *PE) error
		want []string // in the error
	}{
		"Barrier and Sync": {func(pe *PE) error {
			if pe.ID() == 1 {
				return pe.World().Sync()
			}
			return pe.World().Barrier()
		}, []string{"Barrier", "Sync", "checker_test.go:"}},
		"Alloc and Barrier": {func(pe *PE) error {
			if pe.ID() == 2 {
				return pe.World().Barrier()
			}
			array(pe)
			return nil
		}, []string{"Alloc", "Barrier"}},
		"lengths of Sum": {func(pe *PE) error {
			v := make([]int64, 2+pe.ID()%2)
			return Sum(pe.World(), v, v)
		}, []string{"Sum of 16", "Sum of 24", "checker_test.go:"}},
		"roots": {func(pe *PE) error {
			return Broadcast(pe.World(), []int64{1}, pe.ID()%2)
		}, []string{"Broadcast"}},
		"operators": {func(pe *PE) error {
			v := []int64{1}
			if pe.ID() == 0 {
				return Max(pe.World(), v, v)
			}
			return Sum(pe.World(), v, v)
		}, []string{"Max", "Sum"}},
		"sizes of elements": {func(pe *PE) error {
			if pe.ID() == 0 {
				return Sum(pe.World(), make([]int32, 2), make([]int32, 2))
			}
			return Sum(pe.World(), make([]float64, 2), make([]float64, 2))
		}, []string{"Sum of 8", "Sum of 16"}},
		"triplets of a split": {func(pe *PE) error {
			_, err := pe.World().SplitStrided(0, 1, 1+pe.ID()%2)
			return err
		}, []string{"a split"}},
		"other teams": {func(pe *PE) error {
			row, _, err := pe.World().Split2D(2)
			if err != nil {
				return err
			}
			if pe.ID() == 0 {
				return row.Barrier()
			}
			return pe.World().Barrier()
		}, []string{"waiting for 200ms", "PE 0 in Barrier at checker_test.go:", "PE 2 in Barrier at checker_test.go:"}},
		"a signal that nobody sends": {func(pe *PE) error {
			x := array(pe)
			_, err := WaitUntil(x, 0, EQ, 5)
			return err
		}, []string{"waiting for 200ms", "PE 1 in WaitUntil at checker_test.go:"}},
		"a signal after all have ended": {func(pe *PE) error {
			x := array(pe)
			if pe.ID() != 0 {
				return nil
			}
			_, err := WaitUntil(x, 0, EQ, 5)
			return err
		}, []string{"WaitUntil", "all other PEs have ended"}},
	} {
		t.Run(name, func(t *testing.T) {
			errs := make([]error, 3)
			err := Run(t.Context(), Options{PEs: 3, Timeout: timeout}, func(pe *PE) (err error) {
				defer func() { errs[pe.ID()] = err }()
				return c.main(pe)
			})
			require.Error(t, err)
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
			var p *PEError
			require.ErrorAs(t, err, &p)
		})
	}
}

// A PE that computes for longer than the time-out is not lost.
func TestLatePEsAreNotLost(t *testing.T) {
	require.NoError(t, Run(t.Context(), Options{PEs: 3, Timeout: timeout}, func(pe *PE) error {
		if pe.ID() == 1 {
			busy(4 * timeout)
		}
		return pe.World().Barrier()
	}))
}
