package dist

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartition(t *testing.T) {
	for _, n := range []int64{0, 1, 7, 8, 9, 1000, 1025, 100000} {
		for _, pes := range []int{1, 2, 3, 7, 64, 300} {
			p, err := Uniform(n, pes)
			require.NoError(t, err)
			require.Equal(t, n, p.N())
			require.Equal(t, pes, p.PEs())
			var at int64
			for k := range pes {
				lo, hi := p.Range(k)
				require.Equal(t, at, lo)
				require.LessOrEqual(t, lo, hi)
				require.True(t, lo%p.block == 0 || lo == n)
				at = hi
			}
			require.Equal(t, n, at)
			for i := range min(n, 2000) {
				lo, hi := p.Range(p.Owner(i))
				require.True(t, lo <= i && i < hi, "owner of %d of %d on %d", i, n, pes)
			}
		}
	}
	for _, bad := range []func() (*Partition, error){
		func() (*Partition, error) { return Uniform(-1, 2) },
		func() (*Partition, error) { return Uniform(10, 0) },
		func() (*Partition, error) { return NewPartition(10, 2, make([]int64, 1)) },
	} {
		_, err := bad()
		require.Error(t, err)
	}
}

func TestPartitionBalancesByWeight(t *testing.T) {
	weight := make([]int64, 125) // 1000 indices in blocks of 8
	for i := range weight {
		weight[i] = 1
	}
	weight[0] = 125 // half of the work is in the first block
	p, err := NewPartition(1000, 2, weight)
	require.NoError(t, err)
	_, hi := p.Range(0)
	require.Equal(t, int64(8), hi)
	clear(weight) // no work at all: still a partition
	p, err = NewPartition(1000, 3, weight)
	require.NoError(t, err)
	require.Equal(t, int64(1000), p.N())
}

// An empty PE in the middle owns nothing and is never asked.
func TestOwnerSkipsEmptyPEs(t *testing.T) {
	p := &Partition{start: []int64{0, 0, 8, 8, 8, 16, 16}, block: 8}
	for i := range int64(8) {
		require.Equal(t, 1, p.Owner(i))
		require.Equal(t, 4, p.Owner(8+i))
	}
}

func TestHaloPlan(t *testing.T) {
	p := &Partition{start: []int64{0, 8, 8, 16, 24}, block: 8}
	// PE 2 owns 8 to 15. Row 0 is interior; row 1 needs 6, 7 (of PE 0) and 16
	// (of PE 3); row 2 needs 7 and 18; row 3 is empty.
	h, err := NewHalo(p, 2, []int64{0, 2, 6, 9, 9}, []int64{8, 15, 6, 7, 9, 16, 7, 8, 18})
	require.NoError(t, err)
	require.Equal(t, []int64{6, 7, 16, 18}, h.ghosts)
	require.Equal(t, []Run{{PE: 0, Remote: 6, Ghost: 0, N: 2}, {PE: 3, Remote: 0, Ghost: 2, N: 1}, {PE: 3, Remote: 2, Ghost: 3, N: 1}}, h.Runs())
	require.Equal(t, []Span{{0, 1}, {3, 4}}, h.Interior())
	require.Equal(t, []Span{{1, 3}}, h.Boundary())
	require.Equal(t, 2, h.Neighbours())
	require.Equal(t, int64(32), h.Bytes())
	require.Equal(t, []int32{0, 7, 8, 9, 1, 10, 9, 0, 11}, h.localColumns([]int64{8, 15, 6, 7, 9, 16, 7, 8, 18}))
	require.Equal(t, "PE 2 of 4: 2 interior and 2 boundary rows, 4 ghosts in 3 runs from 2 PEs", h.String())

	same, err := NewHalo(p, 2, []int64{0, 2, 6, 9, 9}, []int64{8, 15, 6, 7, 9, 16, 7, 8, 18})
	require.NoError(t, err)
	require.Equal(t, h.Hash(), same.Hash())
	other, err := NewHalo(p, 2, []int64{0, 2, 6, 9, 9}, []int64{8, 15, 6, 7, 9, 16, 7, 8, 19})
	require.NoError(t, err)
	require.NotEqual(t, h.Hash(), other.Hash())
}

// Runs do not cross from one owner to the next, though the columns go on.
func TestRunsEndAtTheOwnersEnd(t *testing.T) {
	p := &Partition{start: []int64{0, 8, 16, 16, 24}, block: 8}
	h, err := NewHalo(p, 0, []int64{0, 4}, []int64{14, 15, 16, 17})
	require.NoError(t, err)
	require.Equal(t, []Run{{PE: 1, Remote: 6, Ghost: 0, N: 2}, {PE: 3, Remote: 0, Ghost: 2, N: 2}}, h.Runs())
}

func TestPlansThatDoNotFitAreRefused(t *testing.T) {
	p := &Partition{start: []int64{0, math.MaxInt32, math.MaxInt32 + 8}, block: 8}
	_, err := NewHalo(p, 0, []int64{0, 1}, []int64{math.MaxInt32})
	require.ErrorContains(t, err, "use more PEs")
}

// A plan for very many PEs takes no memory for each of them but the partition.
func TestPlanOfOneOfManyPEs(t *testing.T) {
	p, err := Uniform(1<<26, 10000)
	require.NoError(t, err)
	lo, hi := p.Range(5000)
	ptr, col := []int64{0}, []int64{}
	for i := lo; i < hi; i++ {
		col = append(col, i-1, i, i+1)
		ptr = append(ptr, int64(len(col)))
	}
	h, err := NewHalo(p, 5000, ptr, col)
	require.NoError(t, err)
	require.Equal(t, 2, h.Ghosts())
	require.Equal(t, 2, h.Neighbours())
}

// Every row is multiplied once, in whole blocks, those that need no ghost early.
func TestScheduleCoversEveryRowOnce(t *testing.T) {
	for _, c := range []struct {
		n           int
		interior    []Span
		early, late []Span
	}{
		{20, []Span{{0, 20}}, []Span{{0, 20}}, nil},
		{20, nil, nil, []Span{{0, 20}}},
		{20, []Span{{3, 18}}, []Span{{8, 16}}, []Span{{0, 8}, {16, 20}}},
		{40, []Span{{0, 9}, {12, 14}, {15, 40}}, []Span{{0, 8}, {16, 40}}, []Span{{8, 16}}},
		{0, nil, nil, nil},
	} {
		s := newSchedule(c.interior, c.n, 8)
		require.Equal(t, c.early, s.early)
		require.Equal(t, c.late, s.late)
	}
}
