package sparse

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// BenchmarkProduct counts the bytes of CSR whatever the form, so that rates
// compare.
func BenchmarkProduct(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	values := valuesOf(r)
	lengths := make([]int, 200000)
	for i := range lengths {
		lengths[i] = min(int(4/(r.Float64()+1e-3)), 2000)
	}
	for _, m := range []struct {
		name string
		make func() *rowsOf
	}{
		{"64^3 constant", func() *rowsOf { return grid(64, 64, 64, false, values["constant"]) }},
		{"64^3 random", func() *rowsOf { return grid(64, 64, 64, false, values["random"]) }},
		{"128^3 constant", func() *rowsOf { return grid(128, 128, 128, false, values["constant"]) }},
		{"128^3 random", func() *rowsOf { return grid(128, 128, 128, false, values["random"]) }},
		{"power law", func() *rowsOf { return scattered(r, len(lengths), len(lengths), values["random"], lengths...) }},
	} {
		a := m.make()
		n := len(a.ptr) - 1
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		bytes := int64(12*len(a.col) + 20*n)
		for _, level := range kernel.Levels() {
			b.Run(fmt.Sprintf("%s/csr/%s", m.name, level), func(b *testing.B) {
				defer kernel.Force(kernel.Force(level))
				b.SetBytes(bytes)
				for b.Loop() {
					kernel.Rows(y, a.ptr, a.col, a.val, x, 0, n)
				}
			})
		}
		b.Run(m.name+"/make", func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				if _, err := NewProduct(n, a.ptr, a.col, a.val); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, form := range []struct {
			name  string
			allow allowed
		}{
			{"best", everything},
			{"stencil", everything &^ templates},
			{"near", everything &^ (templates | stencils)},
			{"near64", nearColumns | sorting},
			{"far64", sorting},
		} {
			p, err := newProduct(n, a.ptr, a.col, a.val, nil, form.allow)
			if err != nil {
				b.Fatal(err)
			}
			for _, level := range kernel.Levels() {
				b.Run(fmt.Sprintf("%s/%s/%s", m.name, form.name, level), func(b *testing.B) {
					defer kernel.Force(kernel.Force(level))
					b.SetBytes(bytes)
					b.ReportMetric(float64(p.Bytes()+16*int64(n))/float64(n), "B/row")
					for b.Loop() {
						p.MulRows(y, x, 0, n)
					}
				})
			}
		}
	}
}
