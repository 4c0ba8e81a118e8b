package gallery

import (
	"fmt"
	"math"

	"github.com/symsparse/symsparse/sparse"
)

// Poisson2D returns the 5-point Laplacian of an nx x ny grid: 4 on the diagonal,
// -1 for each neighbour. It is symmetric positive definite.
func Poisson2D(nx, ny int) (*sparse.CSR, error) { return Anisotropic2D(nx, ny, 1, 1) }

// Poisson3D returns the 7-point Laplacian of an nx x ny x nz grid: 6 on the
// diagonal, -1 for each neighbour. It is symmetric positive definite.
func Poisson3D(nx, ny, nz int) (*sparse.CSR, error) { return Anisotropic3D(nx, ny, nz, 1, 1, 1) }

// Anisotropic2D returns 5-point diffusion with the coefficients kx and ky: -kx
// for neighbours in x, -ky in y, and 2(kx+ky) on the diagonal. It is symmetric,
// and positive definite for positive coefficients.
func Anisotropic2D(nx, ny int, kx, ky float64) (*sparse.CSR, error) {
	return cross([3]int{nx, ny, 1}, faces{kx, kx}, faces{ky, ky})
}

// Anisotropic3D is [Anisotropic2D] in three dimensions, with 7 points.
func Anisotropic3D(nx, ny, nz int, kx, ky, kz float64) (*sparse.CSR, error) {
	return cross([3]int{nx, ny, nz}, faces{kx, kx}, faces{ky, ky}, faces{kz, kz})
}

// ConvectionDiffusion2D returns 5-point diffusion with first-order upwind
// convection. px and py are the cell Péclet numbers: velocity times mesh width
// over diffusivity. The neighbour upstream has -(1+|p|), the one downstream -1,
// and the diagonal is minus their sum: an M-matrix, unsymmetric unless both
// numbers are zero.
func ConvectionDiffusion2D(nx, ny int, px, py float64) (*sparse.CSR, error) {
	return cross([3]int{nx, ny, 1}, upwind(px), upwind(py))
}

// ConvectionDiffusion3D is [ConvectionDiffusion2D] in three dimensions, with 7
// points.
func ConvectionDiffusion3D(nx, ny, nz int, px, py, pz float64) (*sparse.CSR, error) {
	return cross([3]int{nx, ny, nz}, upwind(px), upwind(py), upwind(pz))
}

func upwind(p float64) faces { return faces{1 + max(p, 0), 1 + max(-p, 0)} }

// HPCG returns the 27-point matrix of the HPCG benchmark (Dongarra, Heroux and
// Luszczek 2016) on an nx x ny x nz grid: 26 on the diagonal, -1 for each of up
// to 26 neighbours. It is symmetric positive definite.
func HPCG(nx, ny, nz int) (*sparse.CSR, error) {
	var s []point
	for k := -1; k <= 1; k++ {
		for j := -1; j <= 1; j++ {
			for i := -1; i <= 1; i++ {
				p := point{[3]int{i, j, k}, -1}
				if i == 0 && j == 0 && k == 0 {
					p.value = 26
				}
				s = append(s, p)
			}
		}
	}
	return stencil([3]int{nx, ny, nz}, s)
}

// faces are the couplings to the neighbours before and after, in one direction.
type faces struct{ before, after float64 }

// cross returns the matrix in which each point is coupled to its neighbours along
// the axes, and the diagonal is the sum of the couplings.
func cross(n [3]int, along ...faces) (*sparse.CSR, error) {
	var s []point
	centre := point{}
	for d := len(along) - 1; d >= 0; d-- {
		p := point{value: -along[d].before}
		p.at[d] = -1
		s = append(s, p)
		centre.value += along[d].before + along[d].after
	}
	s = append(s, centre)
	for d, f := range along {
		p := point{value: -f.after}
		p.at[d] = 1
		s = append(s, p)
	}
	return stencil(n, s)
}

// point is one point of a stencil, relative to its centre.
type point struct {
	at    [3]int
	value float64
}

// stencil returns the matrix that has the points s, in ascending order of their
// column, around each point of an n[0] x n[1] x n[2] grid.
func stencil(n [3]int, s []point) (*sparse.CSR, error) {
	rows, err := gridSize(n)
	if err != nil {
		return nil, err
	}
	nnz := 0
	shift := make([]int, len(s)) // from a row to the column
	for i, p := range s {
		inside := 1
		for d, o := range p.at {
			inside *= max(0, n[d]-max(o, -o))
		}
		nnz += inside
		shift[i] = p.at[0] + n[0]*(p.at[1]+n[1]*p.at[2])
	}
	ptr := make([]int64, 1, rows+1)
	col := make([]int32, 0, nnz)
	val := make([]float64, 0, nnz)
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				row := len(ptr) - 1
				for i := range s {
					p := &s[i]
					if uint(x+p.at[0]) < uint(n[0]) && uint(y+p.at[1]) < uint(n[1]) && uint(z+p.at[2]) < uint(n[2]) {
						col = append(col, int32(row+shift[i]))
						val = append(val, p.value)
					}
				}
				ptr = append(ptr, int64(len(col)))
			}
		}
	}
	return sparse.NewCSR(rows, rows, ptr, col, val)
}

// gridSize returns the number of points of a grid, if they can be rows.
func gridSize(n [3]int) (int, error) {
	size := 1
	for _, k := range n {
		if k < 1 {
			return 0, fmt.Errorf("gallery: a grid of %d x %d x %d points: sizes start at 1", n[0], n[1], n[2])
		}
		if k > math.MaxInt32/size {
			return 0, fmt.Errorf("gallery: a grid of %d x %d x %d points is too large: at most %d points", n[0], n[1], n[2], math.MaxInt32)
		}
		size *= k
	}
	return size, nil
}
