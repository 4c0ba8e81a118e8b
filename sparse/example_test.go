package sparse_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/symsparse/symsparse/sparse"
)

func Example() {
	list := sparse.NewCOO(3, 3, 0)
	for i := range int64(3) {
		list.Append(i, i, 2)
		if i > 0 {
			list.Append(i, i-1, -1)
			list.Append(i-1, i, -1)
		}
	}
	a, err := list.ToCSR()
	if err != nil {
		fmt.Println(err)
		return
	}
	y := make([]float64, 3)
	a.Mul(y, []float64{1, 1, 1})
	fmt.Println(a.NNZ(), y)
	// Output: 7 [1 0 1]
}

// Elements are assembled by adding to the same position.
func ExampleCOO_ToCSR() {
	list := sparse.NewCOO(2, 2, 0)
	list.Append(1, 0, 2)
	list.Append(0, 1, 1)
	list.Append(1, 0, 3.5)
	a, err := list.ToCSR()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(a))
	// Output:
	// ⎡  0    1⎤
	// ⎣5.5    0⎦
}

// MulVecTo is the product for gonum's vectors. VecDense.MulVec gives the same
// answer in thousands of times the time, as it looks at every element.
func ExampleCSR_MulVecTo() {
	a, err := sparse.NewCSR(2, 3, []int64{0, 2, 3}, []int32{0, 2, 1}, []float64{1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := mat.NewVecDense(3, []float64{1, 2, 3})
	var y, slow mat.VecDense
	a.MulVecTo(&y, false, x)
	slow.MulVec(a, x)
	fmt.Println(y.RawVector().Data, slow.RawVector().Data)
	// Output: [7 6] [7 6]
}

func ExampleNewCSR_fault() {
	_, err := sparse.NewCSR(2, 2, []int64{0, 1, 2}, []int32{0, 7}, []float64{1, 1})
	fmt.Println(err)
	// Output: sparse: row 1: entry 1: entry outside of the matrix: column 7 of 2
}

func ExampleCSR_Row() {
	a, err := sparse.NewCSR(2, 3, []int64{0, 2, 3}, []int32{0, 2, 1}, []float64{1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	cols, vals := a.Row(0)
	for k, j := range cols {
		fmt.Println(j, vals[k])
	}
	// Output:
	// 0 1
	// 2 2
}
