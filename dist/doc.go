// Package dist spreads matrices and vectors over the PEs of a symmetric memory.
//
// A [Partition] gives each PE a contiguous range of rows. A [Matrix] keeps, on
// each PE, the rows that it owns, and a [Halo]: the plan by which the elements of
// a vector that other PEs own, its ghosts, are fetched before a product. A
// [Vector] keeps a PE's own elements on the symmetric heap, with room for the
// ghosts after them, so that gets land where the product reads.
//
// A product is: sync (every owner's elements are ready), one get_nbi for each run
// of ghosts that are consecutive in their owner's memory, the rows that need no
// ghost, quiet, the other rows. The order of the entries in a row stays that of
// the global columns, so the result has the same bits for any number of PEs.
//
// A [Space] holds the vector passes of Krylov methods; its reductions are exact.
//
// # Rules
//
// Every function and method that takes a PE's part of something spread is called
// by all PEs in the same order, unless its comment says "local".
//
// Between a product and the next collective of any kind other PEs may still read
// the vector that was multiplied. The methods of Vector and Space see to that: a
// vector that is written in this time moves to its second buffer if it has one
// (those of [Matrix.NewVector] do), else the PEs sync first. So a product costs
// one sync.
//
// # Costs
//
// A matrix takes 16 bytes an entry on the symmetric heap for the assembled rows,
// until [Matrix.ReleaseRows], and 12 bytes an entry of private memory for the
// product; a plan 8 bytes a ghost and 32 bytes a run. Nothing has a size in
// proportion to PEs times rows. A vector takes the largest number of own elements
// and ghosts of any PE, since it is symmetric.
//
// # Limits
//
// Matrices have at most 2^31-1 rows and columns where they come from sparse
// matrices or are assembled here; own elements and ghosts of one PE together are
// at most 2^31-1.
package dist
