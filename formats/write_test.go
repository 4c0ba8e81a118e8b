package formats_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/symsparse/symsparse/formats"
	"github.com/symsparse/symsparse/sparse"
)

var extremes = []float64{0, math.Copysign(0, -1), 1, -1.5, 0.1, math.NaN(), math.Inf(1), math.Inf(-1),
	math.MaxFloat64, -math.SmallestNonzeroFloat64, 2.2250738585072014e-308, 1e21, 1e-7, 9007199254740993}

// TestRoundTrip writes random matrices of every kind and reads them back.
func TestRoundTrip(t *testing.T) {
	float := rapid.OneOf(rapid.SampledFrom(extremes), rapid.Float64())
	rapid.Check(t, func(rt *rapid.T) {
		m := &formats.Matrix{
			Format:   formats.Format(rapid.IntRange(0, 1).Draw(rt, "format")),
			Field:    formats.Field(rapid.IntRange(0, 3).Draw(rt, "field")),
			Symmetry: formats.Symmetry(rapid.IntRange(0, 3).Draw(rt, "symmetry")),
			Rows:     rapid.Int64Range(0, 6).Draw(rt, "rows"),
			Comments: rapid.SliceOfN(rapid.StringMatching(`[ -~]{0,20}`), 0, 3).Draw(rt, "comments"),
		}
		m.Cols = m.Rows
		if m.Symmetry == formats.General {
			m.Cols = rapid.Int64Range(0, 6).Draw(rt, "cols")
		}
		add := func(i, j int64) {
			if m.Format == formats.Coordinate {
				m.I, m.J = append(m.I, i), append(m.J, j)
			}
			zero := i == j && m.Symmetry == formats.SkewSymmetric
			switch m.Field {
			case formats.Real:
				v := float.Draw(rt, "v")
				if zero {
					v = 0
				}
				m.Real = append(m.Real, v)
			case formats.Integer:
				v := rapid.Int64().Draw(rt, "v")
				if zero {
					v = 0
				}
				m.Integer = append(m.Integer, v)
			case formats.Complex:
				z := complex(float.Draw(rt, "re"), float.Draw(rt, "im"))
				if zero {
					z = 0
				} else if i == j && m.Symmetry == formats.Hermitian {
					z = complex(real(z), 0)
				}
				m.Complex = append(m.Complex, z)
			}
		}
		if m.Format == formats.Array {
			for j := range m.Cols {
				for i := range m.Rows {
					if m.Symmetry == formats.General || i > j || i == j && m.Symmetry != formats.SkewSymmetric {
						add(i, j)
					}
				}
			}
		} else if m.Rows > 0 && m.Cols > 0 {
			for range rapid.IntRange(0, 12).Draw(rt, "entries") {
				i, j := rapid.Int64Range(0, m.Rows-1).Draw(rt, "i"), rapid.Int64Range(0, m.Cols-1).Draw(rt, "j")
				if m.Symmetry != formats.General && i < j {
					i, j = j, i
				}
				add(i, j)
			}
		}
		var text bytes.Buffer
		err := formats.Write(&text, m)
		if m.Field == formats.Pattern && (m.Format == formats.Array || m.Symmetry > formats.Symmetric) ||
			m.Symmetry == formats.Hermitian && m.Field != formats.Complex {
			requireClass(t, formats.ClassBanner, err)
			require.Zero(t, text.Len())
			return
		}
		require.NoError(t, err)
		requireRoundTrip(t, m)
	})
}

func TestWriteChecks(t *testing.T) {
	for _, c := range []struct {
		class formats.Class
		m     formats.Matrix
	}{
		{formats.ClassIndex, formats.Matrix{Rows: 1, Cols: 1, I: []int64{1}, J: []int64{0}, Real: []float64{1}}},
		{formats.ClassIndex, formats.Matrix{Rows: 1, Cols: 1, I: []int64{0}, J: []int64{-1}, Real: []float64{1}}},
		{formats.ClassCount, formats.Matrix{Rows: 1, Cols: 1, I: []int64{0}, J: []int64{0}}},
		{formats.ClassCount, formats.Matrix{Rows: 1, Cols: 1, I: []int64{0}, Real: []float64{1}}},
		{formats.ClassCount, formats.Matrix{Format: formats.Array, Rows: 2, Cols: 1, Real: []float64{1}}},
		{formats.ClassSize, formats.Matrix{Rows: -1}},
		{formats.ClassLimit, formats.Matrix{Format: formats.Array, Rows: 1 << 40, Cols: 1 << 40}},
		{formats.ClassBanner, formats.Matrix{Field: 9}},
		{formats.ClassSymmetry, formats.Matrix{Symmetry: formats.Symmetric, Rows: 1}},
		{formats.ClassSymmetry, formats.Matrix{Symmetry: formats.SkewSymmetric, Rows: 1, Cols: 1, I: []int64{0}, J: []int64{0}, Real: []float64{1}}},
	} {
		var b bytes.Buffer
		requireClass(t, c.class, formats.Write(&b, &c.m))
		require.Zero(t, b.Len())
	}
}

type fullDisk struct{ room int }

var errFull = errors.New("disk full")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteReportsErrors(t *testing.T) {
	m := formats.FromVector(make([]float64, 100_000))
	for _, room := range []int{0, 1, 70_000, 190_000} {
		require.ErrorIs(t, formats.Write(&fullDisk{room}, m), errFull)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	x := []float64{1, math.Copysign(0, -1), math.NaN(), 0.1}
	for _, name := range []string{"x.mtx", "x.mtx.gz", "x.mtx.zst"} {
		path := filepath.Join(dir, name)
		require.NoError(t, formats.WriteFile(path, formats.FromVector(x)))
		m, err := formats.ReadFile(path)
		require.NoError(t, err)
		y, err := m.Vector(4)
		require.NoError(t, err)
		for i := range x {
			requireBits(t, x[i], y[i])
		}
	}
	gz, err := os.ReadFile(filepath.Join(dir, "x.mtx.gz"))
	require.NoError(t, err)
	require.Equal(t, "\x1f\x8b", string(gz[:2]))

	// A failure leaves the old file, and nothing else.
	path := filepath.Join(dir, "x.mtx")
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Error(t, formats.WriteFile(path, &formats.Matrix{Rows: -1}))
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 3)

	require.Error(t, formats.WriteFile(dir, formats.FromVector(x)))
	require.Error(t, formats.WriteFile(filepath.Join(dir, "none", "x.mtx"), formats.FromVector(x)))
	require.NoError(t, formats.WriteFile(os.DevNull, formats.FromVector(x)))
}

func TestWriteFileKeepsLinkAndMode(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.mtx"), filepath.Join(dir, "link.mtx")
	require.NoError(t, os.WriteFile(target, nil, 0o600))
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	before, err := os.Stat(target)
	require.NoError(t, err)
	require.NoError(t, formats.WriteFile(link, formats.FromVector([]float64{1})))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	info, err = os.Stat(target)
	require.NoError(t, err)
	require.Equal(t, before.Mode(), info.Mode())
	require.NotZero(t, info.Size())
}

func TestFromCOO(t *testing.T) {
	a := sparse.NewCOO(2, 3, 2)
	a.Append(1, 2, 0.5)
	a.Append(0, 0, 1e300)
	var text bytes.Buffer
	require.NoError(t, formats.Write(&text, formats.FromCOO(a)))
	require.Equal(t, "%%MatrixMarket matrix coordinate real general\n2 3 2\n2 3 0.5\n1 1 1e+300\n", text.String())
}
