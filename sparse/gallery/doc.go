// Package gallery makes test problems: matrices of known structure, in any size,
// for tests, examples and benchmarks.
//
// All matrices are made in compressed form at once, row by row, in time and
// memory proportional to the result. They depend on the arguments alone: the
// same on every machine, bit by bit, as random numbers come from the PCG
// generator and nothing but additions, multiplications and comparisons is done
// with them.
//
// Grids are numbered with x fastest: point (x, y, z) is row x + nx*(y + ny*z).
// Differences are not divided by the mesh width. The boundary is of Dirichlet's
// kind: neighbours outside of the grid are zero and have no entries.
//
// Constant coefficients compress better than those of real problems do; measure
// with [RandomCoefficients] too.
//
// Sizes below 1, and those for which int32 columns do not suffice, are errors.
package gallery
