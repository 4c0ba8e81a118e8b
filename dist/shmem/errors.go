package shmem

import (
	"errors"
	"fmt"
)

// ErrEnded is wrapped by the errors of operations on a world that has ended or
// an array that was freed.
var ErrEnded = errors.New("used after its end")

// PEError says that a PE ended the world, and with what.
type PEError struct {
	PE  int // -1 if it was not a PE: the context of Run was cancelled
	Err error
}

func (e *PEError) Error() string {
	if e.PE < 0 {
		return fmt.Sprintf("shmem: the run was ended: %v", e.Err)
	}
	return fmt.Sprintf("shmem: PE %d ended with: %v", e.PE, e.Err)
}

func (e *PEError) Unwrap() error { return e.Err }

// PanicError is the error of a PE that panicked.
type PanicError struct {
	Value any
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// errGoexit is the error of a PE whose goroutine ended by runtime.Goexit, as a
// failed test does.
var errGoexit = errors.New("goroutine exited")

// AbsentError says that this PE waited for one that had ended without an error:
// the PEs did not make the same calls.
type AbsentError struct {
	PE, Absent int // Absent is -1 if any PE could have ended the wait
	Op         string
}

func (e *AbsentError) Error() string {
	if e.Absent < 0 {
		return fmt.Sprintf("shmem: PE %d waits in %s, but all other PEs have ended", e.PE, e.Op)
	}
	return fmt.Sprintf("shmem: PE %d waits in %s for PE %d, which has ended; all PEs of a team must make the same collective calls", e.PE, e.Op, e.Absent)
}

// MismatchError says that the PEs of a team entered different collectives, or
// the same with different sizes.
type MismatchError struct {
	PE, Other    int
	Mine, Theirs string // the calls, with what they must agree on: bytes or elements
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("shmem: PE %d called %s while PE %d called %s; all PEs of a team must make the same collective calls",
		e.PE, e.Mine, e.Other, e.Theirs)
}

// HeapError says that the symmetric heap is full. It is the same on every PE.
type HeapError struct {
	Need, Free, Heap int64 // bytes asked for, in the largest free piece, in all
}

func (e *HeapError) Error() string {
	return fmt.Sprintf("shmem: symmetric heap is full: %d bytes needed, largest free piece %d of %d; set Options.HeapBytes or %s", e.Need, e.Free, e.Heap, heapVariable)
}

// RangeError says that an operation left the bounds of a symmetric array, or
// named a PE that does not exist.
type RangeError struct {
	Op       string
	PE, NPEs int
	Lo, Hi   int // elements asked for
	Len      int // of the array
}

func (e *RangeError) Error() string {
	if e.PE < 0 || e.PE >= e.NPEs {
		return fmt.Sprintf("shmem: %s: PE %d is not one of the %d PEs", e.Op, e.PE, e.NPEs)
	}
	return fmt.Sprintf("shmem: %s: elements %d to %d of an array of %d", e.Op, e.Lo, e.Hi, e.Len)
}
