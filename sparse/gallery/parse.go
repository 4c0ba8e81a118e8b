package gallery

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/symsparse/symsparse/sparse"
)

// kind is a generator that [Parse] knows.
type kind struct {
	name   string
	sizes  int       // how many sizes; where one is given, it is used for all
	param  []float64 // the further parameters' defaults
	random bool      // takes a seed itself
	make   func(n []int, c []float64, seed uint64) (*sparse.CSR, error)
}

var kinds = []kind{
	{"poisson2d", 2, nil, false, func(n []int, _ []float64, _ uint64) (*sparse.CSR, error) {
		return Poisson2D(n[0], n[1])
	}},
	{"poisson3d", 3, nil, false, func(n []int, _ []float64, _ uint64) (*sparse.CSR, error) {
		return Poisson3D(n[0], n[1], n[2])
	}},
	{"hpcg", 3, nil, false, func(n []int, _ []float64, _ uint64) (*sparse.CSR, error) {
		return HPCG(n[0], n[1], n[2])
	}},
	{"anisotropic2d", 2, []float64{1, 0.01}, false, func(n []int, c []float64, _ uint64) (*sparse.CSR, error) {
		return Anisotropic2D(n[0], n[1], c[0], c[1])
	}},
	{"anisotropic3d", 3, []float64{1, 1, 0.01}, false, func(n []int, c []float64, _ uint64) (*sparse.CSR, error) {
		return Anisotropic3D(n[0], n[1], n[2], c[0], c[1], c[2])
	}},
	{"convection2d", 2, []float64{2, 1}, false, func(n []int, c []float64, _ uint64) (*sparse.CSR, error) {
		return ConvectionDiffusion2D(n[0], n[1], c[0], c[1])
	}},
	{"convection3d", 3, []float64{2, 1, 0.5}, false, func(n []int, c []float64, _ uint64) (*sparse.CSR, error) {
		return ConvectionDiffusion3D(n[0], n[1], n[2], c[0], c[1], c[2])
	}},
	{"tridiagonal", 1, []float64{-1, 2, -1}, false, func(n []int, c []float64, _ uint64) (*sparse.CSR, error) {
		return Tridiagonal(n[0], c[0], c[1], c[2])
	}},
	{"arrow", 1, nil, false, func(n []int, _ []float64, _ uint64) (*sparse.CSR, error) {
		return Arrow(n[0])
	}},
	{"dominant", 1, []float64{8}, true, func(n []int, c []float64, seed uint64) (*sparse.CSR, error) {
		return DiagonallyDominant(n[0], int(c[0]), seed)
	}},
	{"rmat", 1, []float64{16, 1}, true, func(n []int, c []float64, seed uint64) (*sparse.CSR, error) {
		return RMATLaplacian(n[0], int(c[0]), c[1], seed)
	}},
}

// Names returns the names that [Parse] knows.
func Names() []string {
	var s []string
	for _, k := range kinds {
		s = append(s, k.name)
	}
	return s
}

// Parse returns the matrix that a text describes, as command lines take it:
//
//	poisson3d:64                  a cube
//	poisson2d:100x50:seed=7       with random coefficients
//	anisotropic2d:100:1,0.001     with parameters
//	rmat:14:16,1:seed=3           scale, edge factor, shift
//
// that is, the name, sizes separated by x, parameters separated by commas, and a
// seed. Parameters have defaults. What is random itself has the seed 1 if none
// is given; for all other names a seed asks for [RandomCoefficients].
func Parse(text string) (*sparse.CSR, error) {
	part := strings.Split(text, ":")
	fail := func(format string, args ...any) (*sparse.CSR, error) {
		return nil, fmt.Errorf("gallery: %q: %s", text, fmt.Sprintf(format, args...))
	}
	var k *kind
	for i := range kinds {
		if kinds[i].name == part[0] {
			k = &kinds[i]
		}
	}
	if k == nil {
		return fail("no such matrix; there are %s", strings.Join(Names(), ", "))
	}
	if len(part) < 2 {
		return fail("want %s:SIZE", k.name)
	}
	sizes := strings.Split(part[1], "x")
	if len(sizes) != 1 && len(sizes) != k.sizes {
		return fail("want 1 or %d sizes", k.sizes)
	}
	n := make([]int, k.sizes)
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(sizes[min(i, len(sizes)-1)]); err != nil {
			return fail("%q is not a size", part[1])
		}
	}
	rest := part[2:]
	seed, seeded := uint64(1), false
	if len(rest) > 0 {
		var digits string
		if digits, seeded = strings.CutPrefix(rest[len(rest)-1], "seed="); seeded {
			var err error
			if seed, err = strconv.ParseUint(digits, 10, 64); err != nil {
				return fail("%q is not a seed", digits)
			}
			rest = rest[:len(rest)-1]
		}
	}
	c := k.param
	if len(rest) > 0 {
		numbers := strings.Split(rest[0], ",")
		if len(rest) > 1 || len(numbers) != len(c) {
			return fail("want %d parameters", len(c))
		}
		c = make([]float64, len(numbers))
		for i, s := range numbers {
			var err error
			if c[i], err = strconv.ParseFloat(s, 64); err != nil {
				return fail("%q is not a number", s)
			}
		}
	}
	a, err := k.make(n, c, seed)
	if err != nil || !seeded || k.random {
		return a, err
	}
	return RandomCoefficients(a, seed)
}
