// Package solvers solves A x = b by Krylov methods: [CG] for symmetric positive
// definite matrices, [GMRES] for all others.
//
// A method is written once, over an [Operator] and the [Space] where its vectors
// live: [Serial] is this process's memory; package dist has vectors that are
// spread over PEs. A solve has the same bits in each of them, on any number of
// PEs, as long as the preconditioner depends on the matrix alone.
//
// # What is promised
//
// Converged means that the true residual of the returned x, computed from
// b - A x at the end, satisfies ||b - A x|| <= max(RTol*||b||, ATol). The residual
// that a method carries along only raises the suspicion; if the true one is larger,
// the method goes on from there, and gives up with [TrueResidualAboveTol] after
// five such restarts that did not halve it.
//
// Every other ending is an error, and x is the best that was found: the one with
// the smallest residual among those that the solve went through, as far as the
// recurrence tells, never worse than what it began with, and never a NaN. The norms of the [Result] are those
// of that x.
//
// If b is zero, so is x, whatever the guess. A guess that solves comes back
// untouched, after 0 iterations. Without a guess, the content of x is ignored. A
// scaling of b by a power of two changes no bit but the scale of x, as long as x
// and b stay normal numbers.
//
//	Reason                             what to do
//	ConvergedRTol, -ATol, -Exact       nothing: the error is nil
//	MaxIterations, TimeLimit           go on with x as the guess; precondition
//	Cancelled                          the context's cause is wrapped
//	Diverged                           CG: A is not symmetric; else precondition
//	BreakdownIndefiniteOperator        CG: p·A p <= 0; use GMRES
//	BreakdownIndefinitePreconditioner  CG: r·M⁻¹ r <= 0; repair M, or use GMRES
//	BreakdownKrylov                    GMRES: A is singular, at least numerically
//	Stagnated                          GMRES: a larger Restart; precondition
//	TrueResidualAboveTol               the tolerance is below what rounding allows
//	NotFinite                          look for NaN, infinities, overflow in A, b, x
//	PreconditionerFailed, PEFailed     the cause is wrapped
//
// # Cost
//
// An iteration is memory traffic, and the comments of the methods give it in bytes
// a row. A product with a matrix of k entries a row moves 12k + 20 bytes a row in
// CSR form. All memory is allocated before the first iteration; iterations
// allocate nothing. Each solve computes one product more than it has iterations,
// and one for each restart, to know the true residual.
//
// # Caveats
//
// Every PE calls a method with the same options, and everything that it calls is
// called on all PEs in the same order: operators and preconditioners may
// communicate, monitors must not. A context may be cancelled on one PE only; all
// PEs leave at the same iteration, and each sees its own time limit likewise.
// Neither interrupts a product or a preconditioner.
package solvers
