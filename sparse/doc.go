// Package sparse holds matrices in the memory of one process.
//
// Assemble a matrix as a [COO], a list of entries in any order, and convert it
// with [COO.ToCSR]; or take one from package gallery, from a file (package
// formats) or from gonum ([FromMatrix]). A [CSR] is what everything else works
// on: compressed rows, columns ascending, no duplicates.
//
// # gonum
//
// A CSR is a mat.Matrix, and gonum uses its Norm and Trace. But gonum knows
// nothing of sparse storage in its products: mat.VecDense.MulVec, mat.Dense.Mul
// and the like ask for each of the rows*cols elements by At. For a 1600 x 1600
// Laplacian MulVec takes some 1500 times as long as
//
//	a.MulVecTo(y, false, x) // y = A x, for vectors of gonum
//	a.Mul(y, x)             // y = A x, for slices
//
// which give the same result.
//
// # Arithmetic
//
// The bits of a product depend on the matrix and the vector alone, not on the
// processor or on how rows are spread. A row is summed by
//
//	s = fma(a_k, x_k, s)
//
// in ascending column order, from +0, in segments of 256 entries whose sums are
// added in order. Products with the transpose are defined as products with the
// assembled transpose. Which of the NaNs a result is, is not defined.
//
// # Cost
//
// A CSR takes 12 bytes an entry and 8 bytes a row. A product reads all of it
// once, and the vectors: 12 nnz + 20 n bytes for n rows and columns, as long as
// the elements of x stay in cache between uses; memory bandwidth is the limit.
// Products allocate nothing, unless their documentation says so, and use one
// goroutine.
//
// Columns are int32, so that dimensions end at 2^31-1; entries are counted in
// int64. What is beyond is a [*LimitError].
//
// # Errors
//
// Wrong use panics with the values that gonum uses for it (mat.ErrShape,
// mat.ErrRowAccess and so on). What depends on data, such as arrays that are no
// matrix, is returned as an error.
package sparse
