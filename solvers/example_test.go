package solvers_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/symsparse/symsparse/solvers"
	"github.com/symsparse/symsparse/sparse"
	"github.com/symsparse/symsparse/sparse/gallery"
)

func ExampleCG() {
	a, err := gallery.Poisson3D(10, 10, 10)
	if err != nil {
		panic(err)
	}
	n, _ := a.Dims()
	b, x := make([]float64, n), make([]float64, n)
	b[n/2] = 1

	sys := solvers.System[[]float64]{Space: solvers.NewSerial(n), A: solvers.FromCSR(a)}
	res, err := solvers.CG(context.Background(), sys, b, x, solvers.Options{RTol: 1e-9})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Reason, res.RelativeResidual < 1e-9)
	// Output: ConvergedRTol true
}

func ExampleGMRES() {
	entries := sparse.NewCOO(2, 2, 2) // no method but GMRES can begin with this
	entries.Append(0, 1, 1)
	entries.Append(1, 0, -1)
	a, err := entries.ToCSR()
	if err != nil {
		panic(err)
	}
	x := make([]float64, 2)
	sys := solvers.System[[]float64]{Space: solvers.NewSerial(2), A: solvers.FromCSR(a)}
	res, err := solvers.GMRES(context.Background(), sys, []float64{3, 5}, x, solvers.Options{
		Monitor: func(p solvers.Progress) { fmt.Printf("%d %.4f %v\n", p.Iteration, p.Norm, p.Kind) },
	})
	fmt.Printf("%.4f after %d iterations, error %v\n", x, res.Iterations, err)
	// Output:
	// 0 5.8310 true
	// 1 5.8310 recurrence
	// 2 0.0000 recurrence
	// 2 0.0000 true
	// [-5.0000 3.0000] after 2 iterations, error <nil>
}

// An error tells its reason, and x is the best that was found.
func ExampleReason() {
	a, err := gallery.Poisson2D(50, 50)
	if err != nil {
		panic(err)
	}
	n, _ := a.Dims()
	b, x := make([]float64, n), make([]float64, n)
	b[0] = 1

	sys := solvers.System[[]float64]{Space: solvers.NewSerial(n), A: solvers.FromCSR(a)}
	res, err := solvers.CG(context.Background(), sys, b, x, solvers.Options{MaxIterations: 20})
	if errors.Is(err, solvers.MaxIterations) {
		fmt.Printf("not there yet: %.0e\n", res.RelativeResidual)
		_, err = solvers.CG(context.Background(), sys, b, x, solvers.Options{InitialGuess: true})
	}
	fmt.Println(err)
	// Output:
	// not there yet: 3e-03
	// <nil>
}

// A matrix need not be stored: any function will do.
func ExampleOperatorFunc() {
	const n = 100
	laplace := func(y, x []float64) error {
		for i := range x {
			y[i] = 2 * x[i]
			if i > 0 {
				y[i] -= x[i-1]
			}
			if i < n-1 {
				y[i] -= x[i+1]
			}
		}
		return nil
	}
	b, x := make([]float64, n), make([]float64, n)
	b[0], b[n-1] = 1, 1 // x = 1

	sys := solvers.System[[]float64]{Space: solvers.NewSerial(n), A: solvers.OperatorFunc(n, laplace)}
	res, err := solvers.CG(context.Background(), sys, b, x, solvers.Options{})
	fmt.Println(res.Iterations, err)
	// Output: 50 <nil>
}
