// Package precond holds preconditioners for the methods of package solvers. No
// preconditioner is a nil one.
//
// A preconditioner is defined by the matrix, not by how it is spread over PEs, so
// that a solve keeps its bits; one that depends on the partition says so in its
// name. Whatever fails, fails when it is made: with the same error on every PE,
// naming the global row.
//
// Cost: [Jacobi] needs one vector of memory, and 16 to 24 bytes of memory traffic
// a row and iteration.
package precond
