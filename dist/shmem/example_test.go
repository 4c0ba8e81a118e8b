package shmem_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/symsparse/symsparse/dist/shmem"
)

// Each PE writes to its own part of a symmetric array and reads its neighbour's.
func ExampleGet() {
	err := shmem.Run(context.Background(), shmem.Options{PEs: 4}, func(pe *shmem.PE) error {
		x, err := shmem.Alloc[float64](pe, 1)
		if err != nil {
			return err
		}
		x.Local()[0] = float64(10 * pe.ID())
		if err := pe.World().Barrier(); err != nil {
			return err
		}
		var v [1]float64
		if err := shmem.Get(v[:], x, 0, (pe.ID()+1)%pe.N()); err != nil {
			return err
		}
		if pe.ID() == 0 {
			fmt.Println(v[0])
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 10
	// <nil>
}

// A sum of floating point numbers is exact: it does not depend on the number of
// PEs, nor on their order.
func ExampleSum() {
	err := shmem.Run(context.Background(), shmem.Options{PEs: 3}, func(pe *shmem.PE) error {
		v := []float64{[]float64{1e300, 1, -1e300}[pe.ID()]}
		if err := shmem.Sum(pe.World(), v, v); err != nil {
			return err
		}
		if pe.ID() == 0 {
			fmt.Println(v[0])
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 1
	// <nil>
}

// A PE that fails ends the wait of all others, with its error.
func ExampleRun_failure() {
	err := shmem.Run(context.Background(), shmem.Options{PEs: 3}, func(pe *shmem.PE) error {
		if pe.ID() == 2 {
			return errors.New("disk full")
		}
		return pe.World().Barrier()
	})
	fmt.Println(err)
	// Output:
	// shmem: PE 2 ended with: disk full
}
