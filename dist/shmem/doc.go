// Package shmem is symmetric memory for Go: processing elements (PEs) that run
// the same program, each with a heap of the same layout that all others can
// read and write one-sidedly, in the words of OpenSHMEM 1.5.
//
//	err := shmem.Run(ctx, shmem.Options{PEs: 4}, func(pe *shmem.PE) error {
//		x, err := shmem.Alloc[float64](pe, 100) // the same array on every PE
//		if err != nil {
//			return err
//		}
//		x.Local()[0] = float64(pe.ID())
//		if err := pe.World().Barrier(); err != nil {
//			return err
//		}
//		var v [1]float64
//		return shmem.Get(v[:], x, 0, (pe.ID()+1)%pe.N()) // from the next PE
//	})
//
// # Transports
//
// How PEs are started and how they reach each other's heaps is a [Transport].
// "local", the default, runs each PE as a goroutine of this process. Other
// packages register further ones, as database drivers do.
//
// # What is promised
//
// The weaker of OpenSHMEM 1.5 and NVSHMEM 3.4, so that a program which is right
// here is right on every transport:
//
//   - Put returns when the source may be reused; the data arrive at Quiet or
//     Barrier. Get returns with the data. After GetNBI and PutNBI neither buffer
//     may be touched until Quiet.
//   - Fence orders earlier puts before later puts to the same PE. It does not
//     order gets.
//   - Quiet completes everything this PE has started.
//   - Sync waits for the arrival of all PEs of a team. Barrier is Quiet, then Sync.
//   - Collectives are called by all PEs of a team in the same order. What was
//     written before a PE entered Sync, Barrier or any collective is visible to
//     the others after they leave it (it synchronizes before, in the sense of
//     the Go memory model), puts being subject to Quiet.
//
// Reductions of floating point numbers are exact sums, rounded once: the same
// bits for any number of PEs.
//
// # Failure
//
// A PE that returns an error, panics or whose context is cancelled ends the
// world: every operation in which another PE waits, now or later, returns a
// [PEError] that names it. So does waiting for a PE that has ended. Run returns
// the first error.
//
// # Costs
//
// On mapped transports (local is one) get and put are copies and On gives direct
// access. A barrier of two PEs takes 0.2 to 0.3 us, of P PEs log2(P) times that;
// a reduction is one barrier and P short reads. With more PEs than processors a
// waiting PE yields, then sleeps. Barrier, Sync, Get, Put, the atomics and SumExact
// allocate nothing.
//
// # Caveats
//
// A PE is used by one goroutine at a time. Memory of the heap, that is, what
// Local and On return, must not be used after Run has returned or after Free.
// The heap holds plain data without pointers.
package shmem
