package dist_test

import (
	"context"
	"fmt"

	"github.com/symsparse/symsparse/dist"
	"github.com/symsparse/symsparse/dist/shmem"
)

// Three PEs assemble a matrix, each adding to whatever rows it likes, and
// multiply with it.
func ExampleBuilder() {
	err := shmem.Run(context.Background(), shmem.Options{PEs: 3}, func(pe *shmem.PE) error {
		b, err := dist.NewBuilder(pe, 24, 24)
		if err != nil {
			return err
		}
		for i := int64(pe.ID()); i < 24; i += int64(pe.N()) { // tridiag(-1, 2, -1)
			if err := b.Add(i, i, 2); err != nil {
				return err
			}
			if i > 0 {
				if err := b.Add(i-1, i, -1); err != nil {
					return err
				}
				if err := b.Add(i, i-1, -1); err != nil {
					return err
				}
			}
		}
		a, err := b.Assemble()
		if err != nil {
			return err
		}
		x, err := a.NewVector()
		if err != nil {
			return err
		}
		y, err := a.NewResult()
		if err != nil {
			return err
		}
		if err := x.Fill(func(i int64) float64 { return float64(i) }); err != nil {
			return err
		}
		if err := a.Mul(y, x); err != nil {
			return err
		}
		all := make([]float64, 24)
		if err := y.Gather(0, all); err != nil {
			return err
		}
		if pe.ID() == 0 {
			fmt.Println(all[0], all[11], all[23])
			fmt.Println(a.Halo())
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// -1 0 24
	// PE 0 of 3: 7 interior and 1 boundary rows, 1 ghosts in 1 runs from 1 PEs
}
