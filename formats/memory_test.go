package formats_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
)

// memoryCap is what hostile files must be read within.
const memoryCap = 64 << 20

// allocated returns how many bytes f allocates in all, freed or not: a bound on
// its peak that no garbage collection can hide.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

func TestHostileFilesTakeLittleMemory(t *testing.T) {
	dir := filepath.Join("testdata", "tricky")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		got := allocated(func() { formats.ReadFile(filepath.Join(dir, f.Name())) })
		limit := int64(1 << 20)
		switch { // decompressors allocate their windows
		case strings.HasPrefix(f.Name(), "z_"):
			limit = 16 << 20
		case strings.HasPrefix(f.Name(), "line_long"):
			limit = 2 << 20
		}
		require.Less(t, got, limit, f.Name())
	}
}

// bomb is a gzip stream that inflates to head, then body 400 times over.
func bomb(head string, body []byte) io.Reader {
	deflate := func(text []byte) []byte {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		z.Write(text)
		z.Close()
		return b.Bytes()
	}
	member := bytes.NewReader(deflate(body))
	parts := []io.Reader{bytes.NewReader(deflate([]byte(head)))}
	for range 400 {
		parts = append(parts, io.NewSectionReader(member, 0, member.Size()))
	}
	return io.MultiReader(parts...)
}

func TestGzipBombsTakeLittleMemory(t *testing.T) {
	chunk := func(s string) []byte { return bytes.Repeat([]byte(s), (256<<10)/len(s)) }
	for _, c := range []struct {
		name, head string
		body       []byte
		class      formats.Class
	}{
		{"one comment", realGeneral + "%", chunk("a"), formats.ClassSize},
		{"many comments", realGeneral, chunk("%a\n"), formats.ClassSize},
		{"blank lines", realGeneral + "1 1 1\n", chunk("\n"), formats.ClassCount},
		{"one entry line of blanks", realGeneral + "1 1 1\n1", chunk(" "), formats.ClassLimit},
		{"one number of zeros", realGeneral + "1 1 1\n1 1 ", chunk("0"), formats.ClassLimit},
		{"banner of blanks", "%%MatrixMarket", chunk(" "), formats.ClassBanner},
		{"line without end", "", chunk("x"), formats.ClassLimit},
		{"more entries than promised", realGeneral + "1 1 1\n", chunk("1 1 1\n"), formats.ClassCount},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := bomb(c.head, c.body)
			var err error
			got := allocated(func() { _, err = formats.Read(r) })
			requireClass(t, c.class, err)
			require.Less(t, got, int64(memoryCap))
		})
	}
}

// A lying header may cost at most a fixed multiple of what was read.
func TestAllocationFollowsInput(t *testing.T) {
	const n = 20_000
	body := strings.Repeat("1 1 1\n", n)
	for _, promise := range []int64{n + 1, 8 * n, 1 << 40, 1<<63 - 1} {
		for _, banner := range []string{realGeneral, realSymmetric} {
			text := fmt.Sprintf("%s2 2 %d\n%s", banner, promise, body)
			var err error
			got := allocated(func() { _, err = formats.Read(strings.NewReader(text)) })
			requireClass(t, formats.ClassCount, err)
			require.Less(t, got, int64(1<<20+24*16*n), "%s%d", banner, promise)
		}
	}
}

// A real file is taken over by COO without a copy, and a symmetric one finds
// room for its mirror image.
func TestCOOTakesOver(t *testing.T) {
	const n = 100_000
	for _, banner := range []string{realGeneral, realSymmetric} {
		var text bytes.Buffer
		fmt.Fprintf(&text, "%s%d %d %d\n", banner, n, n, n)
		for i := range n {
			fmt.Fprintf(&text, "%d %d 1.5\n", i+1, i/2+1)
		}
		m, err := formats.Read(&text)
		require.NoError(t, err)
		got := allocated(func() { _, err = m.COO() })
		require.NoError(t, err)
		require.Less(t, got, int64(4096), banner)
	}
}
