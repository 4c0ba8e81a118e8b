package dist

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/sparse/gallery"
)

// BenchmarkProduct times products with their exchange. Bytes are those of CSR:
// 12 an entry and 20 a row.
func BenchmarkProduct(b *testing.B) {
	for _, name := range []string{"poisson3d:16", "poisson3d:64", "rmat:16"} {
		a, err := gallery.Parse(name)
		require.NoError(b, err)
		n, _ := a.Dims()
		for _, pes := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/pes=%d", name, pes), func(b *testing.B) {
				b.SetBytes(int64(12*a.NNZ() + 20*n))
				require.NoError(b, spread(b, pes, a, func(pe *shmem.PE, m *Matrix) error {
					x, err := m.NewVector()
					if err != nil {
						return err
					}
					y, err := m.NewResult()
					if err != nil {
						return err
					}
					if err := m.Mul(y, x); err != nil {
						return err
					}
					if pe.ID() == 0 {
						b.ResetTimer()
						b.ReportMetric(float64(m.Halo().Ghosts()), "ghosts")
						b.ReportMetric(float64(len(m.Halo().Runs())), "runs")
					}
					for range b.N {
						if err := m.Mul(y, x); err != nil {
							return err
						}
					}
					return nil
				}))
			})
		}
	}
}
