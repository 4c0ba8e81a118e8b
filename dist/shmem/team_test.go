package shmem

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// world returns the numbers in the world of a team's members.
func world(t *Team) []int {
	m := []int{}
	for r := range t.N() {
		m = append(m, t.World(r))
	}
	return m
}

// sumOfIDs checks that collectives of t reach its members and nobody else.
func sumOfIDs(t *Team) error {
	for range 20 {
		v, want := []int64{int64(t.PE().ID())}, int64(0)
		for _, id := range world(t) {
			want += int64(id)
		}
		if err := Sum(t, v, v); err != nil {
			return err
		}
		if v[0] != want {
			return fmt.Errorf("sum %d, want %d", v[0], want)
		}
	}
	return nil
}

func TestSplitStrided(t *testing.T) {
	for _, c := range []struct {
		n, start, stride, size int
		want                   []int
	}{
		{1, 0, 1, 1, []int{0}},
		{4, 0, 2, 2, []int{0, 2}},
		{7, 1, 3, 2, []int{1, 4}},
		{7, 6, -2, 4, []int{6, 4, 2, 0}},
		{5, 2, 1, 1, []int{2}},
		{5, 0, 1, 5, []int{0, 1, 2, 3, 4}},
	} {
		require.NoError(t, run(t, c.n, func(pe *PE) error {
			team, err := pe.World().SplitStrided(c.start, c.stride, c.size)
			if err != nil {
				return err
			}
			member := false
			for r, id := range c.want {
				if id == pe.ID() {
					member = true
					if team.Rank() != r || team.N() != len(c.want) {
						return fmt.Errorf("rank %d of %d", team.Rank(), team.N())
					}
				}
			}
			if member != (team != nil) {
				return fmt.Errorf("PE %d: %v", pe.ID(), team)
			}
			if team == nil {
				if team.Rank() != -1 || team.N() != 0 {
					return fmt.Errorf("nil team has members")
				}
				return team.Destroy()
			}
			if fmt.Sprint(world(team)) != fmt.Sprint(c.want) {
				return fmt.Errorf("members %v", world(team))
			}
			for r := range pe.N() {
				back := pe.World().Translate(r, team)
				if back >= 0 && team.Translate(back, pe.World()) != r {
					return fmt.Errorf("translate %d: %d", r, back)
				}
				if (back >= 0) != (fmt.Sprint(world(team)) != "" && contains(c.want, r)) {
					return fmt.Errorf("translate %d: %d", r, back)
				}
			}
			if err := sumOfIDs(team); err != nil {
				return err
			}
			if err := team.Destroy(); err != nil {
				return err
			}
			if err := team.Sync(); !errors.Is(err, ErrEnded) {
				return fmt.Errorf("use after Destroy: %v", err)
			}
			return nil
		}))
	}
}

func contains(s []int, v int) bool {
	for _, x := range s {
		if x == v {
			return true
		}
	}
	return false
}

func TestSplitStridedBadTriplets(t *testing.T) {
	require.NoError(t, run(t, 3, func(pe *PE) error {
		for _, c := range [][3]int{{0, 1, 0}, {0, 1, 4}, {0, 0, 2}, {3, 1, 1}, {-1, 1, 1}, {0, 2, 3}, {1, -1, 3}} {
			if team, err := pe.World().SplitStrided(c[0], c[1], c[2]); err == nil || team != nil {
				return fmt.Errorf("SplitStrided%v was accepted", c)
			}
		}
		if _, _, err := pe.World().Split2D(0); err == nil {
			return fmt.Errorf("Split2D(0) was accepted")
		}
		if err := pe.World().Destroy(); err == nil {
			return fmt.Errorf("the world was destroyed")
		}
		return pe.World().Barrier()
	}))
}

func TestSplit2DRagged(t *testing.T) {
	for _, n := range peCounts {
		for x := 1; x <= n+1; x++ {
			require.NoError(t, run(t, n, func(pe *PE) error {
				row, col, err := pe.World().Split2D(x)
				if err != nil {
					return err
				}
				w := min(x, n)
				if row.Rank() != pe.ID()%w || col.Rank() != pe.ID()/w {
					return fmt.Errorf("PE %d of %d in rows of %d: %d, %d", pe.ID(), n, w, row.Rank(), col.Rank())
				}
				if err := errors.Join(sumOfIDs(row), sumOfIDs(col), sumOfIDs(pe.World())); err != nil {
					return err
				}
				// A team of a team.
				sub, err := row.SplitStrided(0, 1, (row.N()+1)/2)
				if err != nil {
					return err
				}
				if sub != nil {
					if err := errors.Join(sumOfIDs(sub), sub.Destroy()); err != nil {
						return err
					}
				}
				return errors.Join(row.Destroy(), col.Destroy())
			}))
		}
	}
}

func TestTeamSlotsRunOutAndComeBack(t *testing.T) {
	require.NoError(t, run(t, 2, func(pe *PE) error {
		var teams []*Team
		for {
			team, err := pe.World().SplitStrided(0, 1, 2)
			if err != nil {
				break
			}
			teams = append(teams, team)
		}
		if len(teams) != teamSlots-1 {
			return fmt.Errorf("%d teams", len(teams))
		}
		for _, team := range teams {
			if err := errors.Join(sumOfIDs(team), team.Destroy()); err != nil {
				return err
			}
		}
		for range 200 { // the slots' flags start over
			team, err := pe.World().SplitStrided(0, 1, 1+len(teams)%2)
			if err != nil {
				return err
			}
			if team != nil {
				if err := errors.Join(sumOfIDs(team), team.Destroy()); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

func TestReductionsBroadcastFcollect(t *testing.T) {
	for _, n := range peCounts {
		for _, k := range []int{0, 1, 3, 5000} { // 5000 needs several buffers
			require.NoError(t, run(t, n, func(pe *PE) error {
				w := pe.World()
				f, i := make([]float64, k), make([]int32, k)
				for j := range k {
					f[j] = float64(pe.ID()*j) / 3
					i[j] = int32((pe.ID()*7+j)%11 - 5)
				}
				fs, is := make([]float64, k), make([]int32, k)
				check := func(name string, err error, want func(j int) bool) error {
					if err != nil {
						return err
					}
					for j := range k {
						if !want(j) {
							return fmt.Errorf("%s: element %d: %v %v", name, j, fs[j], is[j])
						}
					}
					return nil
				}
				ref := func(j int, f func(a, b int32) int32) int32 {
					v := int32((0*7+j)%11 - 5)
					for p := 1; p < n; p++ {
						v = f(v, int32((p*7+j)%11-5))
					}
					return v
				}
				all := make([]int32, n*k)
				b := append([]float64(nil), f...)
				return errors.Join(
					check("min", Min(w, is, i), func(j int) bool { return is[j] == ref(j, func(a, b int32) int32 { return min(a, b) }) }),
					check("max", Max(w, is, i), func(j int) bool { return is[j] == ref(j, func(a, b int32) int32 { return max(a, b) }) }),
					check("and", And(w, is, i), func(j int) bool { return is[j] == ref(j, func(a, b int32) int32 { return a & b }) }),
					check("or", Or(w, is, i), func(j int) bool { return is[j] == ref(j, func(a, b int32) int32 { return a | b }) }),
					check("sum", Sum(w, is, i), func(j int) bool { return is[j] == ref(j, func(a, b int32) int32 { return a + b }) }),
					check("float sum", Sum(w, fs, f), func(j int) bool {
						var s ExactSum
						for p := range n {
							s.Add(float64(p*j) / 3)
						}
						return fs[j] == s.Float64()
					}),
					check("in place", Sum(w, i, i), func(j int) bool { return i[j] == is[j] }),
					check("fcollect", Fcollect(w, all, is), func(j int) bool {
						for p := range n {
							if all[p*k+j] != is[j] {
								return false
							}
						}
						return true
					}),
					check("broadcast", Broadcast(w, b, n-1), func(j int) bool { return b[j] == float64((n-1)*j)/3 }),
				)
			}))
		}
	}
}

func TestReductionArguments(t *testing.T) {
	require.NoError(t, run(t, 2, func(pe *PE) error {
		w := pe.World()
		var r *RangeError
		for _, err := range []error{
			Sum(w, make([]int64, 1), make([]int64, 2)), Broadcast(w, []int64{1}, 2), Broadcast(w, []int64{1}, -1),
			Fcollect(w, make([]int64, 3), make([]int64, 2)),
		} {
			if !errors.As(err, &r) {
				return fmt.Errorf("want a RangeError, got %v", err)
			}
		}
		var none *Team
		if none.Barrier() == nil || Sum(none, []int64{1}, []int64{1}) == nil {
			return fmt.Errorf("nil team took part")
		}
		return nil
	}))
	err := run(t, 2, func(pe *PE) error {
		v := make([]int64, 1+pe.ID())
		return Sum(pe.World(), v, v)
	})
	var m *MismatchError
	require.ErrorAs(t, err, &m)
}

func TestFloatReductionSpecials(t *testing.T) {
	in := [][]float64{{math.NaN(), 0, math.Inf(1), 1e308, 1}, {1, math.Copysign(0, -1), math.Inf(-1), 1e308, 1e-300}, {2, 0, 0, -1e308, -1}}
	require.NoError(t, run(t, 3, func(pe *PE) error {
		var sum, lo, hi [5]float64
		src, w := in[pe.ID()], pe.World()
		if err := errors.Join(Sum(w, sum[:], src), Min(w, lo[:], src), Max(w, hi[:], src)); err != nil {
			return err
		}
		if !math.IsNaN(sum[0]) || !math.IsNaN(lo[0]) || !math.IsNaN(hi[0]) || !math.IsNaN(sum[2]) {
			return fmt.Errorf("NaN is lost: %v %v %v", sum, lo, hi)
		}
		if sum[3] != 1e308 || sum[4] != 1e-300 || !math.Signbit(lo[1]) || math.Signbit(hi[1]) || lo[2] != math.Inf(-1) {
			return fmt.Errorf("%v %v %v", sum, lo, hi)
		}
		return nil
	}))
}

func TestSumExactManyAndFlags(t *testing.T) {
	const k = 2*sumsPerRound + 3 // several rounds
	for _, n := range peCounts {
		require.NoError(t, run(t, n, func(pe *PE) error {
			sums := make([]ExactSum, k)
			for j := range sums {
				sums[j].Add(float64(j) / 7)
				sums[j].Add(math.Ldexp(float64(pe.ID()+1), 10*j-300))
			}
			flags, err := SumExact(pe.World(), sums, 1<<pe.ID())
			if err != nil {
				return err
			}
			if flags != 1<<n-1 {
				return fmt.Errorf("flags %b", flags)
			}
			for j := range sums {
				var want ExactSum
				for p := range n {
					want.Add(float64(j) / 7)
					want.Add(math.Ldexp(float64(p+1), 10*j-300))
				}
				if sums[j].Float64() != want.Float64() {
					return fmt.Errorf("sum %d: %v, want %v", j, sums[j].Float64(), want.Float64())
				}
			}
			return nil
		}))
	}
}

func TestRepeatedBarriersKeepPEsInStep(t *testing.T) {
	const rounds = 2000
	for _, n := range []int{2, 3, 7} {
		require.NoError(t, run(t, n, func(pe *PE) error {
			x, err := Alloc[int64](pe, 1)
			if err != nil {
				return err
			}
			for i := range int64(rounds) {
				x.Local()[0] = i
				if err := pe.World().Barrier(); err != nil {
					return err
				}
				var v [1]int64
				if err := Get(v[:], x, 0, (pe.ID()+1)%n); err != nil {
					return err
				}
				if v[0] != i {
					return fmt.Errorf("round %d: %d", i, v[0])
				}
				if err := pe.World().Sync(); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}
