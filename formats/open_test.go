package formats_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/symsparse/symsparse/formats"
)

const (
	small    = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 -1\n"
	smallRHS = "%%MatrixMarket matrix array real general\n2 1\n1\n2\n"
)

// compress returns text as each supported compressor writes it.
func compress(t *testing.T, text string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	with := func(name string, open func(io.Writer) (io.WriteCloser, error)) {
		var b bytes.Buffer
		z, err := open(&b)
		require.NoError(t, err)
		_, err = io.WriteString(z, text)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		out[name] = b.Bytes()
	}
	with("gzip", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	with("zstd", func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	with("xz", func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
	return out
}

func TestCompressionByContent(t *testing.T) {
	want := readString(t, small)
	for name, data := range compress(t, small) {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
				m, err := formats.Read(r)
				require.NoError(t, err)
				requireSame(t, want, m)
			}
			// Cut anywhere after the first bytes, it is an error, never a short file.
			for n := 12; n < len(data); n++ {
				_, err := formats.Read(bytes.NewReader(data[:n]))
				e := requireClass(t, formats.ClassCompress, err)
				require.Error(t, e.Err)
			}
		})
	}
}

// Damage must give an error or the same matrix, and no panic.
func TestDamagedCompression(t *testing.T) {
	want := readString(t, small)
	data := compress(t, small)
	bz, err := os.ReadFile(filepath.Join("testdata", "tricky", "z_bzip2.mtx.bz2"))
	require.NoError(t, err)
	data["bzip2"] = bz
	for name, data := range data {
		for i := range data {
			for _, flip := range []byte{1, 0x80, 0xff} {
				bad := bytes.Clone(data)
				bad[i] ^= flip
				var m *formats.Matrix
				var err error
				got := allocated(func() { m, err = formats.Read(bytes.NewReader(bad)) })
				require.Less(t, got, int64(2*memoryCap), "%s, byte %d", name, i)
				if err == nil && name != "bzip2" {
					requireSame(t, want, m)
				}
			}
		}
	}
}

// The windows that headers ask for are limited.
func TestHugeWindows(t *testing.T) {
	var z bytes.Buffer
	w, err := zstd.NewWriter(&z, zstd.WithWindowSize(128<<20))
	require.NoError(t, err)
	_, err = io.Copy(w, io.MultiReader(strings.NewReader(small), strings.NewReader(strings.Repeat("%\n", 1<<20))))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, err = formats.Read(&z)
	requireClass(t, formats.ClassCompress, err)

	var x bytes.Buffer
	xw, err := xz.WriterConfig{DictCap: 128 << 20}.NewWriter(&x)
	require.NoError(t, err)
	_, err = io.WriteString(xw, small)
	require.NoError(t, err)
	require.NoError(t, xw.Close())
	got := allocated(func() { _, err = formats.Read(&x) })
	requireClass(t, formats.ClassCompress, err)
	require.Less(t, got, int64(1<<20))
}

// A failing source is reported as what it is, not as a damaged file.
func TestSourceErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, data := range append([][]byte{[]byte(small)}, compress(t, small)["gzip"], compress(t, small)["xz"]) {
		for _, n := range []int{0, 5, 30, len(data) - 1} {
			_, err := formats.Read(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken)))
			require.ErrorIs(t, err, broken)
			var e *formats.ParseError
			require.False(t, errors.As(err, &e), "%v", err)
		}
	}
	_, err := formats.ReadFile(filepath.Join(t.TempDir(), "none.mtx"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = formats.ReadFile(t.TempDir())
	require.Error(t, err)
}

// archiveOf packs name, content, name, content, ...
func archiveOf(t *testing.T, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(members); i += 2 {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: members[i], Mode: 0o644, Size: int64(len(members[i+1]))}))
		_, err := io.WriteString(w, members[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestArchives(t *testing.T) {
	t.Run("system", func(t *testing.T) {
		for _, members := range [][]string{
			{"s/s_b.mtx", smallRHS, "s/s.mtx", small},
			{"./s/s.mtx", small, "./s/s_coord.mtx", "not a matrix", "./s/readme.txt", "", "./s/s_b.mtx", smallRHS},
			{"s/._s.mtx", "\x00\x05\x16\x07", "s/s_coord.mtx", "not a matrix", "s/s.mtx", small, "s/s_b.mtx", smallRHS},
		} {
			data := archiveOf(t, members...)
			a, b, err := formats.ReadSystem(bytes.NewReader(data))
			require.NoError(t, err)
			requireSame(t, readString(t, small), a)
			requireSame(t, readString(t, smallRHS), b)
			a, err = formats.Read(bytes.NewReader(data))
			require.NoError(t, err)
			requireSame(t, readString(t, small), a)
		}
	})
	t.Run("no right-hand side", func(t *testing.T) {
		a, b, err := formats.ReadSystem(bytes.NewReader(archiveOf(t, "s/s.mtx", small)))
		require.NoError(t, err)
		require.NotNil(t, a)
		require.Nil(t, b)
		_, b, err = formats.ReadSystem(strings.NewReader(small))
		require.NoError(t, err)
		require.Nil(t, b)
	})
	t.Run("errors", func(t *testing.T) {
		for _, c := range []struct {
			class   formats.Class
			says    string
			members []string
		}{
			{formats.ClassCompress, "found a/a.mtx, b/b.mtx", []string{"a/a.mtx", small, "b/b.mtx", small}},
			{formats.ClassCompress, "found x.mtx, y.mtx", []string{"x.mtx", small, "y.mtx", small}},
			{formats.ClassCompress, "NAME/NAME.mtx", []string{"readme.txt", "hello"}},
			{formats.ClassIndex, "input:s/s.mtx:3:1", []string{"s/s.mtx", realGeneral + "1 1 1\n2 1 1\n"}},
			{formats.ClassBanner, "input:s/s_b.mtx:1:1", []string{"s/s_b.mtx", "hello", "s/s.mtx", small}},
			{formats.ClassBanner, "input:only.mtx:1:1", []string{"only.mtx", "hello"}},
		} {
			_, _, err := formats.ReadSystem(bytes.NewReader(archiveOf(t, c.members...)))
			requireClass(t, c.class, err)
			require.ErrorContains(t, err, c.says)
		}
	})
	t.Run("cut", func(t *testing.T) {
		data := archiveOf(t, "s/s.mtx", small)
		for n := 20; n < len(data); n += 7 {
			_, err := formats.Read(bytes.NewReader(data[:n]))
			requireClass(t, formats.ClassCompress, err)
		}
	})
}

// Lines longer than the read buffer, at every offset to its end.
func TestLongLines(t *testing.T) {
	const n = 300_000
	zeros, blanks := strings.Repeat("0", n), strings.Repeat(" ", n)
	m := readString(t, "%%MatrixMarket matrix coordinate real general\n% "+blanks+"\n"+
		"2 2 2\n  %"+strings.Repeat("x", 2*n)+"\n1 1 "+zeros+"1.5\n"+blanks+"2 2 2"+blanks+"\n%"+blanks)
	require.Equal(t, []float64{1.5, 2}, m.Real)

	for pad := range 40 {
		text := realGeneral + "%" + strings.Repeat("x", 1<<18-60-pad) + "\n3 3 3\n1 1 1.25\n2 2 2.25\n3 3 3.25"
		require.Equal(t, []float64{1.25, 2.25, 3.25}, readString(t, text).Real)
	}
}
