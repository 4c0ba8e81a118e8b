package formats_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/symsparse/symsparse/formats"
)

// A symmetric file stores one triangle; COO gives the whole matrix.
func ExampleRead() {
	const file = `%%MatrixMarket matrix coordinate real symmetric
% a small Laplacian
3 3 5
1 1 2
2 1 -1
2 2 2
3 2 -1
3 3 2
`
	m, err := formats.Read(strings.NewReader(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := m.COO()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Format, m.Field, m.Symmetry, m.Len(), "stored")
	fmt.Println(a.Rows, a.Cols, a.Len(), "in all")
	// Output:
	// coordinate real symmetric 5 stored
	// 3 3 7 in all
}

// An error says what was found where, and its class can be told apart.
func ExampleParseError() {
	_, err := formats.Read(strings.NewReader("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 0.5\n"))
	fmt.Println(err)
	var fault *formats.ParseError
	if errors.As(err, &fault) {
		fmt.Println(fault.Class, "fault on line", fault.Line)
	}
	// Output:
	// formats: input:3:1: expected a row index from 1 to 2, found "3"
	// index fault on line 3
}

// A solution is written as an array with one column, and read back as it was.
func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.mtx.gz")
	if err := formats.WriteFile(path, formats.FromVector([]float64{0.1, -0.25, 3})); err != nil {
		fmt.Println(err)
		return
	}
	m, err := formats.ReadFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := m.Vector(3)
	fmt.Println(x, err)
	// Output:
	// [0.1 -0.25 3] <nil>
}
