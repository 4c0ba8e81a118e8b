package main

import (
	"fmt"
	"io"
	"math"

	"github.com/symsparse/symsparse/formats"
	"github.com/symsparse/symsparse/sparse"
)

// input is what PE 0 reads.
type input struct {
	info  matrixInfo
	a     *sparse.CSR
	b, x0 []float64 // nil if not given

	method, precond string
	why             string // for people
}

// read reads and checks the files of c.
func read(c *config) (*input, error) {
	bad := func(err error) error { return &failure{exitInput, "InvalidInput", err} }
	ma, mb, err := formats.ReadSystemFile(c.matrix)
	if err != nil {
		return nil, bad(err)
	}
	in := &input{info: describe(ma)}
	if in.info.Rows != in.info.Cols {
		return in, bad(fmt.Errorf("%s: a %d x %d matrix is not square, no method here solves it", c.matrix, ma.Rows, ma.Cols))
	}
	if in.a, err = csr(ma); err != nil {
		return in, bad(fmt.Errorf("%s: %w", c.matrix, err))
	}
	in.info.NNZ = int64(in.a.NNZ())
	if c.rhs != "" {
		if mb, err = formats.ReadFile(c.rhs); err != nil {
			return in, bad(err)
		}
	}
	if mb != nil {
		if in.b, err = mb.Vector(ma.Rows); err != nil {
			return in, bad(fmt.Errorf("right-hand side: %w", err))
		}
	}
	if c.x0 != "" {
		mx, err := formats.ReadFile(c.x0)
		if err != nil {
			return in, bad(err)
		}
		if in.x0, err = mx.Vector(ma.Rows); err != nil {
			return in, bad(fmt.Errorf("initial guess: %w", err))
		}
	}
	in.choose(c)
	return in, nil
}

func describe(m *formats.Matrix) matrixInfo {
	return matrixInfo{Rows: m.Rows, Cols: m.Cols, Field: m.Field.String(), Symmetry: m.Symmetry.String()}
}

func csr(m *formats.Matrix) (*sparse.CSR, error) {
	coo, err := m.COO()
	if err != nil {
		return nil, err
	}
	return coo.ToCSR()
}

// choose sets the method and the preconditioner where the command line leaves
// them open: CG if the matrix is symmetric with a positive diagonal, else GMRES;
// Jacobi if the diagonal has an inverse.
func (in *input) choose(c *config) {
	in.method, in.precond = c.method, c.precond
	d := make([]float64, in.info.Rows)
	in.a.Diagonal(d)
	positive, invertible := true, true
	for _, v := range d {
		positive = positive && v > 0
		inverse := math.Abs(1 / v)
		invertible = invertible && inverse > 0 && inverse <= math.MaxFloat64
	}
	if in.method == "auto" {
		switch {
		case !positive:
			in.method, in.why = "gmres", "the diagonal is not positive"
		case !in.a.IsSymmetric():
			in.method, in.why = "gmres", "the matrix is not symmetric"
		default:
			in.method, in.why = "cg", "the matrix is symmetric with a positive diagonal"
		}
	}
	if in.precond == "auto" {
		in.precond = "none"
		if invertible {
			in.precond = "jacobi"
		}
	}
}

// infoReport is what info prints.
type infoReport struct {
	matrixInfo
	Format           string `json:"format"`
	Stored           int    `json:"stored"` // entries in the file
	Symmetric        bool   `json:"symmetric"`
	PositiveDiagonal bool   `json:"positive_diagonal"`
	EmptyRows        int    `json:"empty_rows"`
	LongestRow       int    `json:"longest_row"`
	Method           string `json:"method,omitempty"` // that would be chosen
	Precond          string `json:"precond,omitempty"`
}

// infoCommand describes a file.
func infoCommand(c *config, stdout, stderr io.Writer) int {
	m, err := formats.ReadFile(c.matrix)
	if err != nil {
		return fail(c, &failure{exitInput, "InvalidInput", err}, nil, stdout, stderr)
	}
	r := infoReport{matrixInfo: describe(m), Format: m.Format.String(), Stored: m.Len()}
	if m.Field == formats.Complex {
		r.NNZ = int64(m.Len())
	} else if err := r.structure(m); err != nil {
		return fail(c, &failure{exitInput, "InvalidInput", fmt.Errorf("%s: %w", c.matrix, err)}, nil, stdout, stderr)
	}
	if c.json {
		printJSON(stdout, r)
		return exitConverged
	}
	fmt.Fprintf(stdout, "%s: %s %s %s, %d x %d, %d entries stored\n", c.matrix, r.Format, r.Field, r.Symmetry, r.Rows, r.Cols, r.Stored)
	if m.Field == formats.Complex {
		fmt.Fprintln(stdout, "complex matrices can be read and written, not yet solved")
		return exitConverged
	}
	fmt.Fprintf(stdout, "%d entries in all, longest row %d, %d empty rows\n", r.NNZ, r.LongestRow, r.EmptyRows)
	fmt.Fprintf(stdout, "symmetric %v, positive diagonal %v\n", r.Symmetric, r.PositiveDiagonal)
	if r.Method != "" {
		fmt.Fprintf(stdout, "would be solved by %s, preconditioner %s\n", r.Method, r.Precond)
	}
	return exitConverged
}

func (r *infoReport) structure(m *formats.Matrix) error {
	a, err := csr(m)
	if err != nil {
		return err
	}
	r.NNZ = int64(a.NNZ())
	for i := range int(r.Rows) {
		col, _ := a.Row(i)
		r.LongestRow = max(r.LongestRow, len(col))
		if len(col) == 0 {
			r.EmptyRows++
		}
	}
	if r.Rows != r.Cols {
		return nil
	}
	r.Symmetric = a.IsSymmetric()
	d := make([]float64, r.Rows)
	a.Diagonal(d)
	r.PositiveDiagonal = true
	for _, v := range d {
		r.PositiveDiagonal = r.PositiveDiagonal && v > 0
	}
	in := &input{info: r.matrixInfo, a: a}
	in.choose(&config{method: "auto", precond: "auto"})
	r.Method, r.Precond = in.method, in.precond
	return nil
}

// raw returns the matrix that PE 0 has, nothing elsewhere.
func (in *input) raw() sparse.RawCSR {
	if in.a == nil {
		return sparse.RawCSR{}
	}
	return in.a.RawCSR()
}
