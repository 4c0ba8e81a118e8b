package formats_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
	"github.com/symsparse/symsparse/sparse"
)

// The faults that other readers of Matrix Market had, each as its smallest case.

func readString(t *testing.T, text string) *formats.Matrix {
	t.Helper()
	m, err := formats.Read(strings.NewReader(text))
	require.NoError(t, err)
	return m
}

func cooOf(t *testing.T, text string) *sparse.COO {
	t.Helper()
	a, err := readString(t, text).COO()
	require.NoError(t, err)
	return a
}

// requireFault demands an error of a class, at a line, with a text.
func requireFault(t *testing.T, text string, class formats.Class, line int64, says string) {
	t.Helper()
	_, err := formats.Read(strings.NewReader(text))
	e := requireClass(t, class, err)
	require.Equal(t, line, e.Line, "%v", err)
	require.ErrorContains(t, err, says)
}

const (
	realGeneral   = "%%MatrixMarket matrix coordinate real general\n"
	realSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n"
	realArray     = "%%MatrixMarket matrix array real general\n"
)

func TestFaultBannerWithRunsOfBlanks(t *testing.T) { // Trilinos#892
	a := cooOf(t, "%%MatrixMarket matrix  coordinate \t real  GENERAL \n1 1 1\n1 1 2\n")
	require.Equal(t, []float64{2}, a.V)
}

func TestFaultBlankLines(t *testing.T) { // fast_matrix_market#10
	a := cooOf(t, realGeneral+"\n3 3 3\n1 1 1\n\n \t\n2 2 1\n3 3 1\n\n")
	require.Equal(t, []int64{0, 1, 2}, a.I)
	require.Equal(t, []int64{0, 1, 2}, a.J)
	require.Equal(t, []float64{1, 1, 1}, a.V)
}

func TestFaultMirroredDiagonal(t *testing.T) { // clSPARSE#79, ginkgo PR#1272
	a := cooOf(t, realSymmetric+"2 2 2\n1 1 4\n2 2 5\n")
	require.Equal(t, []float64{4, 5}, a.V)

	const skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n"
	a = cooOf(t, skew+"2 2 2\n1 1 0\n2 1 3\n")
	require.Equal(t, []int64{0, 1, 0}, a.I)
	require.Equal(t, []int64{0, 0, 1}, a.J)
	require.Equal(t, []float64{0, 3, -3}, a.V)
	requireFault(t, skew+"2 2 2\n2 1 3\n\n2 2 1\n", formats.ClassSymmetry, 5, "zero diagonal")
}

func TestFaultTrustedHeader(t *testing.T) { // HeCBench PR#318, LAGraph#403
	requireFault(t, realGeneral+"2 2 18446744073709551615\n", formats.ClassLimit, 2, "below 2^63")
	requireFault(t, realGeneral+"2 2 1\n3 1 1\n", formats.ClassIndex, 3, `row index from 1 to 2, found "3"`)
	requireFault(t, realSymmetric+"2 3 1\n2 3 1\n", formats.ClassSymmetry, 2, "square")
	requireFault(t, realGeneral+"^ ^ ^\n", formats.ClassSize, 2, "three integers")
}

func TestFaultCounts(t *testing.T) { // scipy#11209, kokkos-kernels PR#761
	requireFault(t, realGeneral+"2 2 3\n1 1 1\n2 2 2\n", formats.ClassCount, 4, "expected 3 entries, found 2")
	requireFault(t, realGeneral+"2 2 2\n1 1 1\n2 2 2\n1 2 3\n", formats.ClassCount, 5, "end of the file after 2 entries")
	requireFault(t, realGeneral+"2 2 2\n1 1 1\n2 2\n", formats.ClassEntry, 4, "decimal number before the end of the line")
	requireFault(t, realGeneral+"2 2 2\n1 1 1\n"+realGeneral+"1 1 1\n1 1 1\n", formats.ClassCount, 4, "second banner")
}

func TestFaultNumberForms(t *testing.T) { // nalgebra PR#1578
	a := cooOf(t, realGeneral+"5 5 5\n2 5 .45\n1 1 -.03\n1 1 1.\n1 1 +3\n1 1 1D+03\n")
	require.Equal(t, []float64{.45, -.03, 1, 3, 1000}, a.V)
}

func TestFaultExtraColumns(t *testing.T) { // ginkgo PR#1628, scipy#16119
	requireFault(t, realArray+"2 2\n1 2\n3 4\n", formats.ClassEntry, 3, "one value a line")
	requireFault(t, realGeneral+"2 2 1\n1 1 1 0\n", formats.ClassEntry, 3, "one value")

	m := readString(t, "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n")
	d, err := m.Dense()
	require.NoError(t, err)
	require.Equal(t, []float64{0, 1, 2, -1, 0, 3, -2, -3, 0}, d)
}

func TestFaultOpaqueError(t *testing.T) { // sprs#308
	_, err := formats.Read(strings.NewReader(realGeneral + "2 2 2\n% note\n1 1 1\n2  x 1\n"))
	e := requireClass(t, formats.ClassEntry, err)
	require.Equal(t, int64(5), e.Line)
	require.Equal(t, 4, e.Col)
	require.Equal(t, "x", e.Token)
	require.EqualError(t, err, `formats: input:5:4: expected a column index, a decimal integer, found "x"`)
}

func TestFaultPatternAndDuplicates(t *testing.T) { // Trilinos#185, hypre
	const pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n2 1\n1 1\n"
	a := cooOf(t, pattern)
	require.Equal(t, []int64{0, 1}, a.I)
	require.Equal(t, []float64{1, 1}, a.V)

	m := readString(t, pattern)
	e := requireClass(t, formats.ClassEntry, m.CheckDuplicates())
	require.Equal(t, int64(5), e.Line)
	require.ErrorContains(t, e, "(1,1) again")

	m = readString(t, realGeneral+"2 2 2\n1 1 1\n1 1 2\n")
	a, err := m.COO()
	require.NoError(t, err)
	require.Equal(t, []float64{1, 2}, a.V, "duplicates stay, for CSR to sum")
	require.Error(t, m.CheckDuplicates())
	require.NoError(t, readString(t, realGeneral+"2 2 2\n2 2 1\n1 1 2\n").CheckDuplicates())
}

func TestIntegersThatAreNoFloats(t *testing.T) {
	const integer = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 "
	for _, s := range []string{"9007199254740993", "9223372036854775807"} {
		m := readString(t, integer+s+"\n")
		_, err := m.COO()
		e := requireClass(t, formats.ClassValue, err)
		require.Equal(t, int64(3), e.Line)
		require.ErrorContains(t, err, s)
	}
	require.Equal(t, []float64{math.MinInt64}, cooOf(t, integer+"-9223372036854775808\n").V)
}

func TestVector(t *testing.T) {
	m := readString(t, realArray+"3 1\n1\n2\n3\n")
	x, err := m.Vector(3)
	require.NoError(t, err)
	require.Equal(t, []float64{1, 2, 3}, x)
	_, err = m.Vector(4)
	requireClass(t, formats.ClassSize, err)

	x, err = readString(t, realGeneral+"3 1 3\n3 1 5\n1 1 2\n3 1 1\n").Vector(3)
	require.NoError(t, err)
	require.Equal(t, []float64{2, 0, 6}, x)

	_, err = readString(t, realArray+"1 3\n1\n2\n3\n").Vector(3)
	requireClass(t, formats.ClassSize, err)
	_, err = readString(t, "%%MatrixMarket matrix array complex general\n1 1\n1 0\n").Vector(1)
	requireClass(t, formats.ClassUnsupported, err)
	_, err = readString(t, realGeneral+"3 1 0\n").Dense()
	requireClass(t, formats.ClassSize, err)
}

// A dimension may be anything while the other is 0: nothing may loop over it.
func TestEmptyArrayOfHugeDimension(t *testing.T) {
	for _, size := range []string{"0 9223372036854775807", "9223372036854775807 0"} {
		m := readString(t, realArray+size+"\n")
		a, err := m.COO()
		require.NoError(t, err)
		require.Zero(t, a.Len())
		d, err := m.Dense()
		require.NoError(t, err)
		require.Empty(t, d)
		requireRoundTrip(t, m)
	}
}

func TestCommentsAreKept(t *testing.T) {
	m := readString(t, realGeneral+"% one\r\n%\n  %%two\n1 1 0\n%three\n")
	require.Equal(t, []string{" one", "", "%two"}, m.Comments)
	requireRoundTrip(t, m)
}
