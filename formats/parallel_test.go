package formats_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
)

// outcome is all that reading gives: the matrices, or the error's text, which has
// the line, the column, the token and what was expected there.
type outcome struct {
	a, b  *formats.Matrix
	class formats.Class
	err   string
}

func outcomeOf(data []byte, restore func()) outcome {
	defer restore()
	a, b, err := formats.ReadSystem(bytes.NewReader(data))
	o := outcome{a: a, b: b}
	if err != nil {
		o.err = err.Error()
	}
	if e, ok := errors.AsType[*formats.ParseError](err); ok {
		o.class = e.Class
	}
	return o
}

// requireParallel demands that blocks of each size, which are cut at other lines
// and parsed by several goroutines, give what one goroutine gives.
func requireParallel(t *testing.T, data []byte, blocks ...int) {
	t.Helper()
	want := outcomeOf(data, formats.TuneSequential())
	for _, size := range blocks {
		got := outcomeOf(data, formats.TuneParallel(size))
		require.Equal(t, want.err, got.err, "blocks of %d", size)
		require.Equal(t, want.class, got.class, "blocks of %d", size)
		requireSameLines(t, want.a, got.a)
		requireSameLines(t, want.b, got.b)
	}
}

func requireSameLines(t *testing.T, want, got *formats.Matrix) {
	t.Helper()
	require.Equal(t, want == nil, got == nil)
	if want == nil {
		return
	}
	requireSame(t, want, got)
	for k := 0; k < want.Len(); k += 1 + k/64 {
		require.Equal(t, want.LineOf(k), got.LineOf(k), "entry %d", k)
	}
}

func TestParallelReadsTheSame(t *testing.T) {
	t.Run("tricky", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join("testdata", "tricky", "*.*"))
		require.NoError(t, err)
		for _, path := range files {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			t.Run(filepath.Base(path), func(t *testing.T) { requireParallel(t, data, 2, 32, 100, 4096) })
		}
	})
	t.Run("corpus", func(t *testing.T) {
		dir := corpus(t)
		for _, row := range rowsOf(t, filepath.Join(dir, "MANIFEST.tsv")) {
			data, err := os.ReadFile(filepath.Join(dir, "real", row["file"]))
			require.NoError(t, err)
			t.Run(row["file"], func(t *testing.T) { requireParallel(t, data, 512, 10_000) })
		}
	})
}

// randomText returns a matrix of any kind, with comments, blank lines and CRLF.
func randomText(r *rand.Rand) []byte {
	field := []string{"real", "integer", "complex", "pattern"}[r.IntN(4)]
	format := "coordinate"
	if field != "pattern" && r.IntN(4) == 0 {
		format = "array"
	}
	symmetry := []string{"general", "symmetric"}[r.IntN(2)]
	n := 1 + r.IntN(60)
	lines := n
	var b bytes.Buffer
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix %s %s %s\n%% note\n", format, field, symmetry)
	if format == "array" {
		n = 1 + r.IntN(8)
		if lines = n * n; symmetry == "symmetric" {
			lines = n * (n + 1) / 2
		}
		fmt.Fprintf(&b, "%d %d\n", n, n)
	} else {
		fmt.Fprintf(&b, "%d %d %d\n", n, n, lines)
	}
	value := func() string {
		return fmt.Sprintf(" %.*g", 1+r.IntN(19), r.NormFloat64()*float64(uint64(1)<<r.IntN(64)))
	}
	for range lines {
		switch r.IntN(12) {
		case 0:
			b.WriteString("  % " + strings.Repeat("x", r.IntN(80)) + "\n")
		case 1:
			b.WriteString(" \t\n")
		}
		if format == "coordinate" {
			i := 1 + r.IntN(n)
			fmt.Fprintf(&b, "%*d %d", r.IntN(10), i, 1+r.IntN(i))
		}
		switch field {
		case "real":
			b.WriteString(value())
		case "integer":
			fmt.Fprintf(&b, " %d", r.Int64()>>r.IntN(64)-r.Int64N(99))
		case "complex":
			b.WriteString(value() + value())
		}
		b.WriteString([]string{"\n", "\r\n", " \n"}[max(0, r.IntN(8)-5)])
	}
	return b.Bytes()
}

// Whatever the damage, the first fault in the text is the one that is reported.
func TestParallelFindsTheSameFault(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		data := randomText(r)
		requireParallel(t, data, 40)
		start := bytes.IndexByte(data, '\n')
		for range 1 + r.IntN(3) {
			at := start + r.IntN(len(data)-start)
			switch r.IntN(5) {
			case 0:
				data[at] = byte(r.Uint32())
			case 1:
				data[at] = "0 9\n-.e%+x"[r.IntN(10)]
			case 2:
				data = append(data[:at], data[min(len(data), at+r.IntN(40)):]...)
			case 3:
				data = append(data[:at:at], append([]byte("7 7 7\n"), data[at:]...)...)
			case 4:
				data = data[:at+1]
			}
			if len(data) == start {
				break
			}
		}
		requireParallel(t, data, 33, 64, 150)
	}
}

// requireNoGoroutines demands that f leaves none behind. Those that have done
// all but return may take a moment to be gone.
func requireNoGoroutines(t *testing.T, f func()) {
	t.Helper()
	before := runtime.NumGoroutine()
	f()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func TestParallelLeavesNothingRunning(t *testing.T) {
	defer formats.TuneParallel(256)()
	head := realGeneral + "9 9 2000\n"
	lines := strings.Repeat("9 9 1.25\n", 1000)
	broken := errors.New("broken pipe")
	for _, c := range []struct {
		name  string
		r     io.Reader
		class formats.Class // or broken
	}{
		{"fault in the middle", strings.NewReader(head + lines + "x\n" + lines), formats.ClassEntry},
		{"too few", strings.NewReader(head + lines), formats.ClassCount},
		{"too many", strings.NewReader(head + lines + lines + lines), formats.ClassCount},
		{"long line", strings.NewReader(head + lines + strings.Repeat(" ", 9<<20)), formats.ClassLimit},
		{"broken source", io.MultiReader(strings.NewReader(head+lines+"9 9"), iotest.ErrReader(broken)), ""},
		{"fault before a broken source", io.MultiReader(strings.NewReader(head+lines+"9\n"), iotest.ErrReader(broken)), formats.ClassEntry},
		{"source without progress", io.MultiReader(strings.NewReader(head+lines+"9\n"), stuck{}), formats.ClassEntry},
	} {
		t.Run(c.name, func(t *testing.T) {
			var err error
			requireNoGoroutines(t, func() { _, err = formats.Read(c.r) })
			if c.class == "" {
				require.ErrorIs(t, err, broken)
				require.ErrorContains(t, err, "reading line 1003")
				return
			}
			requireClass(t, c.class, err)
		})
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// A source that blocks holds Read up no longer than its call takes, and is used
// by the caller's goroutine alone, also when it panics.
func TestParallelAndTheCallersReader(t *testing.T) {
	defer formats.TuneParallel(256)()
	text := realGeneral + "9 9 2000\n" + strings.Repeat("9 9 1.25\n", 1000) + "fault\n"
	r, w := io.Pipe()
	go func() {
		io.WriteString(w, text)
		time.Sleep(20 * time.Millisecond)
		w.CloseWithError(errors.New("late"))
	}()
	requireNoGoroutines(t, func() {
		_, err := formats.Read(r)
		requireClass(t, formats.ClassEntry, err)
	})
	requireNoGoroutines(t, func() {
		require.PanicsWithValue(t, "at the source", func() {
			formats.Read(io.MultiReader(strings.NewReader(text), panicking{}))
		})
	})
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("at the source") }

// What the pieces take is bounded, however long the text and its lines are.
func TestParallelTakesLittleMemory(t *testing.T) {
	defer formats.TuneParallel(256 << 10)()
	for name, line := range map[string]string{
		"short lines": "1 1 1\n",
		"blank lines": strings.Repeat("\n", 4096),
		"long lines":  "1 1" + strings.Repeat(" ", 3<<20) + "1\n",
	} {
		t.Run(name, func(t *testing.T) {
			body := strings.Repeat(line, 1+(6<<20)/len(line))
			var rest []io.Reader
			for range 10 {
				rest = append(rest, strings.NewReader(body))
			}
			n := 10 * (1 + (6<<20)/len(line))
			if name == "blank lines" {
				n = 1
			}
			var err error
			got := allocated(func() {
				_, err = formats.Read(io.MultiReader(append([]io.Reader{strings.NewReader(fmt.Sprintf("%s1 1 %d\n", realGeneral, n))}, rest...)...))
			})
			if name == "blank lines" {
				requireClass(t, formats.ClassCount, err)
			} else {
				require.NoError(t, err)
			}
			limit := int64(24*4*n + 40<<20)
			if name == "long lines" { // a buffer may be doubled up to the length for each
				limit = int64(4 * 10 * len(body))
			}
			require.Less(t, got, limit)
		})
	}
}
