package formats_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/symsparse/symsparse/formats"
)

// Where GOMAXPROCS is more than one, the benchmarks read in parallel: compare
// -cpu 1,2.

// textOf returns a coordinate file of n entries with the given values.
func textOf(field string, n int, value func(r *rand.Rand) string) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n", field, n, n, n)
	for range n {
		fmt.Fprintf(&b, "%d %d%s\n", 1+r.IntN(n), 1+r.IntN(n), value(r))
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	const n = 400_000
	for _, c := range []struct {
		name, field string
		value       func(r *rand.Rand) string
	}{
		{"17digits", "real", func(r *rand.Rand) string { return fmt.Sprintf(" %.17g", r.Float64()) }},
		{"16digitsExp", "real", func(r *rand.Rand) string { return fmt.Sprintf(" %.16e", r.NormFloat64()) }},
		{"short", "real", func(r *rand.Rand) string { return fmt.Sprintf(" %.3f", 10*r.NormFloat64()) }},
		{"integer", "integer", func(r *rand.Rand) string { return fmt.Sprintf(" %d", r.IntN(1000)) }},
		{"complex", "complex", func(r *rand.Rand) string { return fmt.Sprintf(" %.17g %.17g", r.Float64(), r.Float64()) }},
		{"pattern", "pattern", func(r *rand.Rand) string { return "" }},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := textOf(c.field, n, c.value)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := formats.Read(bytes.NewReader(text)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entry")
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	text := textOf("real", 200_000, func(r *rand.Rand) string { return fmt.Sprintf(" %.17g", r.Float64()) })
	m, err := formats.Read(bytes.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := formats.Write(io.Discard, m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadCompressed(b *testing.B) {
	text := textOf("real", 200_000, func(r *rand.Rand) string { return fmt.Sprintf(" %.17g", r.Float64()) })
	m, err := formats.Read(bytes.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	for _, ext := range []string{".gz", ".zst"} {
		b.Run(ext[1:], func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "a.mtx"+ext)
			if err := formats.WriteFile(path, m); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := formats.ReadFile(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
