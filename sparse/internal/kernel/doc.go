// Package kernel holds the inner loops, and the definition of the arithmetic
// that all of symsparse shares. Every implementation (portable Go, vector
// assembly, a GPU) returns the bits that this page defines; the portable Go
// functions of this package are its executable form and the oracle in tests.
//
// # Notation
//
// All numbers are IEEE 754 binary64, rounding is to nearest, ties to even,
// subnormals are kept. fma(a, b, c) is a*b+c rounded once. A NaN is a NaN: its
// sign and payload are not part of the definition, every other bit is.
//
// # Row times vector
//
// The entries a_0, a_1, ... of a row are in ascending global column order, x_k
// is the element of the vector that belongs to a_k. The row is cut, counted in
// entries, into segments of [Segment] entries (the last may be shorter). Each
// segment is summed sequentially,
//
//	s = +0;  s = fma(a_k, x_k, s)  for each k of the segment in order,
//
// and the result is the first segment's sum, to which the other segments' sums
// are added in order, each addition rounded. A row without entries gives +0.
//
// # Dot products
//
// The global index range [0, n) is cut into blocks of [BlockLen](n) elements,
// starting at 0; the last may be shorter. In a block, lane l of [Lanes]
// accumulates the products of elements l, l+Lanes, l+2*Lanes, ... of the block:
//
//	t_l = +0;  t_l = fma(x_i, y_i, t_l)  for each i of the lane in order.
//
// The lanes are folded by t_l = t_l + t_(l+h) for l < h, with h = 16, 8, 4, 2, 1,
// and t_0 is the block's sum. Lanes that had no element count as +0. The sums of
// the blocks are added exactly (package internal/exact) and the total is rounded
// once; hence neither the order of the blocks nor who adds them matters.
//
// # Vector updates
//
// Elementwise, in the form that each function states. Products that are not
// part of an fma are rounded before they are used. Where a pass also returns a
// dot product, that is the dot product of the vectors after the update.
//
// # Why this definition
//
// A row is sequential, so that lanes of a vector unit, or of a warp, can each
// take a row. A dot product is 32 independent chains, so that it runs at memory
// speed on every machine. What is exact is only the sum of the blocks: one
// addition of an integer accumulator in up to 2048 elements.
//
// # Instruction sets
//
// The functions use the best instruction set of the processor. The environment
// variable SYMSPARSE_CPU, one of portable, avx2 and avx512, asks for another; if
// the processor does not have it, or it is none of these, it is ignored. The
// assembly is generated: "go generate ./sparse/internal/kernel" runs the generator
// in _gen, a module of its own, and changes nothing unless the generator changed.
// The build tag noasm leaves the assembly out.
//
// Cost: the functions allocate nothing. They check no lengths beyond what the
// language does; their callers do.
package kernel
