package sparse_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
	"github.com/symsparse/symsparse/sparse"
)

// lcg42 is the vector that the corpus's references were computed with.
func lcg42(n int) []float64 {
	x := make([]float64, n)
	s := uint64(42)
	for k := range x {
		s = s*6364136223846793005 + 1442695040888963407
		x[k] = float64(s>>11)*0x1p-52 - 1
	}
	return x
}

func norm2(t testing.TB, x []float64) float64 {
	cols := make([]int32, len(x))
	for j := range cols {
		cols[j] = int32(j)
	}
	return newCSR(t, 1, len(x), []int64{0, int64(len(x))}, cols, x).Norm(2)
}

// TestCorpusProducts compares products with real matrices, which belong to others
// and are not part of the repository, with sums that were rounded once.
func TestCorpusProducts(t *testing.T) {
	dir := os.Getenv("SYMSPARSE_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpus")
	}
	text, err := os.ReadFile(filepath.Join(dir, "spmv_reference.json"))
	if err != nil {
		t.Skip("no corpus of real matrices: set SYMSPARSE_CORPUS to its folder")
	}
	type reference struct {
		Rows, Cols int
		NNZ        int             `json:"nnz_expanded"`
		NormF      float64         `json:"norm_F"`
		OnesNorm   float64         `json:"A_ones_norm2"`
		Ones       json.RawMessage `json:"A_ones_first5"` // numbers, or pairs if complex
		LCGNorm    float64         `json:"A_lcg42_norm2"`
		LCG        json.RawMessage `json:"A_lcg42_first5"`
	}
	var all struct{ Files map[string]reference }
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, all.Files)
	for file, ref := range all.Files {
		t.Run(file, func(t *testing.T) {
			m, err := formats.ReadFile(filepath.Join(dir, "real", file))
			require.NoError(t, err)
			if m.Field == formats.Complex {
				t.Skip("complex")
			}
			list, err := m.COO()
			require.NoError(t, err)
			a := toCSR(t, list)
			rows, cols := a.Dims()
			require.Equal(t, []int{ref.Rows, ref.Cols, ref.NNZ}, []int{rows, cols, a.NNZ()})
			require.InDelta(t, ref.NormF, a.Norm(2), 0x1p-50*ref.NormF)

			ones := make([]float64, cols)
			for j := range ones {
				ones[j] = 1
			}
			requireProduct(t, a, ones, ref.OnesNorm, ref.Ones)
			requireProduct(t, a, lcg42(cols), ref.LCGNorm, ref.LCG)

			tr := a.Transpose()
			require.NoError(t, tr.Check())
			require.Equal(t, a.IsSymmetric(), a.Equal(tr))
			x := lcg42(rows)
			want, got := make([]float64, cols), make([]float64, cols)
			tr.Mul(want, x)
			a.MulTrans(got, x)
			requireBits(t, want, got)
		})
	}
}

// requireProduct compares A x with the reference, up to the error that the
// roundings of a row can add up to: an FMA for each entry, an addition for each
// segment, and the rounding of the reference.
func requireProduct(t *testing.T, a *sparse.CSR, x []float64, norm float64, firstElements json.RawMessage) {
	t.Helper()
	var first []float64
	require.NoError(t, json.Unmarshal(firstElements, &first))
	rows, _ := a.Dims()
	y := make([]float64, rows)
	a.Mul(y, x)
	bound := make([]float64, rows)
	for i := range bound {
		col, val := a.Row(i)
		var sum float64
		for k, j := range col {
			sum += math.Abs(val[k] * x[j])
		}
		roundings := float64(len(col) + len(col)/256 + 1)
		bound[i] = 1.01 * roundings * 0x1p-53 * sum
	}
	require.NotEmpty(t, first)
	for i, want := range first {
		require.LessOrEqual(t, math.Abs(want-y[i]), bound[i], "row %d: want %v, got %v", i, want, y[i])
	}
	got := norm2(t, y)
	require.LessOrEqual(t, math.Abs(norm-got), norm2(t, bound)+0x1p-50*norm, "norm: want %v, got %v", norm, got)
}
