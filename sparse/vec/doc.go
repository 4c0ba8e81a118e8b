// Package vec holds the passes over vectors that Krylov methods are made of:
// exact dot products, and updates that are fused with the dot products that
// follow them, because an iteration is nothing but memory traffic.
//
// The functions work on one PE's contiguous part of a vector. Dot products are
// added to a [Sum], which is exact; the parts of several PEs are merged and
// rounded once, so that the result depends neither on the number of PEs nor on
// the order in which they add. The part must begin at a multiple of the block
// length [Block](n) of the whole vector of n elements; blocks are what makes the
// sum inside a PE independent of the partition. The arithmetic is that of
// package sparse/internal/kernel, to the last bit.
//
// For vectors in one process's memory [Dot] and [Norm] give the rounded result
// at once.
//
// Costs are given in bytes of memory traffic for vectors of n elements that do
// not fit in a cache. Nothing allocates. All vectors of a call have the length
// of the first, else the call panics with mat.ErrShape; they must not overlap
// unless they are the same vector and the function says so.
package vec
