package shmem

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Transport starts the PEs of a world. It is what an engine, such as OS
// processes, MPI or NVSHMEM, implements, with its [Conn].
type Transport interface {
	// Run starts opt.PEs PEs (all fields of opt are set), calls start once for
	// each PE of this process with its connection, and returns when all PEs have
	// ended: nil, or the first error of any PE. start returns what the PE's
	// program returned, after Conn.Close.
	Run(ctx context.Context, opt Options, start func(Conn) error) error
}

// Conn is one PE's access to the symmetric heap. Offsets are in bytes from the
// start of a heap and the same on all PEs; all arguments have been checked by
// the caller. A Conn is used by one goroutine.
//
// A transport whose heap can be loaded and stored (Heap is not nil for any PE)
// is used mostly through that memory. One whose heap is elsewhere, on a device
// or another host, returns nil there and moves everything by the calls.
type Conn interface {
	PE() int
	PEs() int
	HeapBytes() int64         // of each PE
	Heap(pe int) []byte       // memory of the heap of pe, nil if out of reach
	Context() context.Context // ends when the world fails

	Get(dst []byte, pe int, off int64) error
	GetNBI(dst []byte, pe int, off int64) error
	Put(pe int, off int64, src []byte) error
	PutNBI(pe int, off int64, src []byte) error
	Fence() error
	Quiet() error

	// Atomic does op on the word of size 4 or 8 bytes at off of PE pe and returns
	// its old value. Puts that a Fence has ordered before it arrive first.
	Atomic(pe int, off int64, size int, op AtomicOp, operand, compare uint64) (uint64, error)

	// PutSignal is Put, and then an Atomic set or add to the 64-bit word at signal
	// of the same PE, which orders nothing but this Put.
	PutSignal(pe int, off int64, src []byte, signal int64, op AtomicOp, value uint64) error

	// Store sets the 64-bit word at off of PE pe, atomically with respect to
	// WaitGE; everything that this PE wrote to its own heap before is visible to
	// whoever sees the word.
	Store(pe int, off int64, v uint64) error
	// WaitGE blocks until the word at off of this PE's heap is at least v, and
	// returns it, or until the world fails. from is the PE that will store it; op
	// names the caller's call.
	WaitGE(off int64, v uint64, from int, op string) (uint64, error)
	// Wait blocks until ready returns true or an error, or the world fails, or no
	// other PE is left.
	Wait(op string, ready func() (bool, error)) error

	// Err returns the error with which the world failed, nil if it has not.
	Err() error
	// Close says how this PE's program ended. An error ends the world.
	Close(err error)
}

var transports = struct {
	sync.Mutex
	m map[string]Transport
}{m: map[string]Transport{"local": local{}}}

// Register makes a transport known under a name. It panics if the name is taken;
// packages call it in init.
func Register(name string, t Transport) {
	transports.Lock()
	defer transports.Unlock()
	if _, ok := transports.m[name]; ok {
		panic("shmem: transport registered twice: " + name)
	}
	transports.m[name] = t
}

// Transports returns the names of the known transports, sorted.
func Transports() []string {
	transports.Lock()
	defer transports.Unlock()
	return slices.Sorted(maps.Keys(transports.m))
}

func transport(name string) (Transport, error) {
	transports.Lock()
	defer transports.Unlock()
	t, ok := transports.m[name]
	if !ok {
		return nil, fmt.Errorf("shmem: unknown transport %q; this program has %s", name, strings.Join(slices.Sorted(maps.Keys(transports.m)), ", "))
	}
	return t, nil
}
