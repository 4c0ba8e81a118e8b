package formats_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
)

// rowsOf reads a tab-separated manifest into one map a line.
func rowsOf(t *testing.T, path string) []map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimRight(string(text), "\r\n"), "\n")
	head := strings.Split(lines[0], "\t")
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(strings.TrimRight(line, "\r"), "\t") {
			row[head[i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func requireClass(t *testing.T, class formats.Class, err error) *formats.ParseError {
	t.Helper()
	var e *formats.ParseError
	require.ErrorAs(t, err, &e)
	require.Equal(t, class, e.Class, "%v", err)
	return e
}

// expected is one file of EXPECTED.json: the expanded content, duplicates summed.
type expected struct {
	Rows, Cols              int64
	Stored                  int
	Format, Field, Symmetry string
	Entries                 [][3]json.RawMessage
}

func TestTricky(t *testing.T) {
	dir := filepath.Join("testdata", "tricky")
	var contents map[string]expected
	text, err := os.ReadFile(filepath.Join(dir, "EXPECTED.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &contents))

	for _, row := range rowsOf(t, filepath.Join(dir, "MANIFEST.tsv")) {
		t.Run(row["file"], func(t *testing.T) {
			path := filepath.Join(dir, row["file"])
			m, err := formats.ReadFile(path)
			if class, isError := strings.CutPrefix(row["expected"], "error:"); isError {
				e := requireClass(t, formats.Class(class), err)
				require.Contains(t, err.Error(), path)
				require.NotEmpty(t, e.Expected)
				require.LessOrEqual(t, len(err.Error()), 400)
				return
			}
			require.NoError(t, err)
			want := contents[row["file"]]
			require.Equal(t, []any{want.Rows, want.Cols, want.Stored, want.Format, want.Field, want.Symmetry},
				[]any{m.Rows, m.Cols, m.Len(), m.Format.String(), m.Field.String(), m.Symmetry.String()})
			requireContent(t, want, m)
			requireRoundTrip(t, m)
		})
	}
}

type position struct{ i, j int64 }

// requireContent compares every element, bit for bit.
func requireContent(t *testing.T, want expected, m *formats.Matrix) {
	t.Helper()
	switch m.Field {
	case formats.Complex:
		_, err := m.COO()
		requireClass(t, formats.ClassUnsupported, err)
		requireParts(t, want, m)
		return
	case formats.Integer: // exact, beyond what COO can give
		got := map[position]string{}
		for k, v := range m.Integer {
			i, j := m.I[k]+1, m.J[k]+1
			got[position{i, j}] = strconv.FormatInt(v, 10)
			if m.Symmetry == formats.Symmetric {
				got[position{j, i}] = strconv.FormatInt(v, 10)
			}
		}
		require.Len(t, got, len(want.Entries))
		for _, e := range want.Entries {
			var s string
			require.NoError(t, json.Unmarshal(e[2], &s))
			require.Equal(t, s, got[positionOf(t, e)])
		}
		return
	}
	a, err := m.COO()
	require.NoError(t, err)
	got := map[position]float64{}
	for k, v := range a.V {
		at := position{a.I[k] + 1, a.J[k] + 1}
		if sum, ok := got[at]; ok {
			v += sum
		}
		got[at] = v
	}
	require.Len(t, got, len(want.Entries))
	for _, e := range want.Entries {
		at := positionOf(t, e)
		require.Contains(t, got, at)
		requireBits(t, hexFloat(t, e[2]), got[at])
	}
}

// requireParts checks a complex matrix, which this test has to expand itself.
func requireParts(t *testing.T, want expected, m *formats.Matrix) {
	t.Helper()
	I, J := m.I, m.J
	if m.Format == formats.Array {
		require.Equal(t, formats.Hermitian, m.Symmetry)
		for j := range m.Cols {
			for i := j; i < m.Rows; i++ {
				I, J = append(I, i), append(J, j)
			}
		}
	}
	got := map[position]complex128{}
	for k, z := range m.Complex {
		i, j := I[k]+1, J[k]+1
		got[position{i, j}] = z
		switch {
		case i == j || m.Symmetry == formats.General:
		case m.Symmetry == formats.Symmetric:
			got[position{j, i}] = z
		case m.Symmetry == formats.SkewSymmetric:
			got[position{j, i}] = -z
		case m.Symmetry == formats.Hermitian:
			got[position{j, i}] = cmplx.Conj(z)
		}
	}
	require.Len(t, got, len(want.Entries))
	for _, e := range want.Entries {
		var z [2]json.RawMessage
		require.NoError(t, json.Unmarshal(e[2], &z))
		require.Equal(t, complex(hexFloat(t, z[0]), hexFloat(t, z[1])), got[positionOf(t, e)])
	}
}

func positionOf(t *testing.T, e [3]json.RawMessage) (p position) {
	t.Helper()
	require.NoError(t, json.Unmarshal(e[0], &p.i))
	require.NoError(t, json.Unmarshal(e[1], &p.j))
	return p
}

func hexFloat(t *testing.T, raw json.RawMessage) float64 {
	t.Helper()
	var s string
	require.NoError(t, json.Unmarshal(raw, &s))
	v, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return v
}

func requireBits(t *testing.T, want, got float64) {
	t.Helper()
	require.Equal(t, math.Float64bits(want), math.Float64bits(got), "want %v, got %v", want, got)
}

// requireRoundTrip writes m, reads it back and demands the same content.
func requireRoundTrip(t *testing.T, m *formats.Matrix) {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, formats.Write(&text, m))
	back, err := formats.Read(&text)
	require.NoError(t, err)
	requireSame(t, m, back)
}

// requireSame compares what two matrices store. Bits are compared through
// integers, because NaN differs from itself and 0 equals -0.
func requireSame(t *testing.T, a, b *formats.Matrix) {
	t.Helper()
	require.Equal(t, header(a), header(b))
	require.Equal(t, append([]string{}, a.Comments...), append([]string{}, b.Comments...))
	require.Equal(t, append([]int64{}, a.I...), append([]int64{}, b.I...))
	require.Equal(t, append([]int64{}, a.J...), append([]int64{}, b.J...))
	require.Equal(t, append([]int64{}, a.Integer...), append([]int64{}, b.Integer...))
	require.Equal(t, bitsOf(a), bitsOf(b))
}

func header(m *formats.Matrix) []any {
	return []any{m.Format, m.Field, m.Symmetry, m.Rows, m.Cols, m.Len()}
}

func bitsOf(m *formats.Matrix) []uint64 {
	bits := []uint64{}
	for _, v := range m.Real {
		bits = append(bits, math.Float64bits(v))
	}
	for _, z := range m.Complex {
		bits = append(bits, math.Float64bits(real(z)), math.Float64bits(imag(z)))
	}
	return bits
}
