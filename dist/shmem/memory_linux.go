//go:build linux && !race

package shmem

import "golang.org/x/sys/unix"

// Only touched pages take memory, so the default can be generous.
const defaultHeapBytes = 1 << 30

// allocHeap returns n zero bytes outside of the Go heap, so that they neither
// count for the garbage collector's pacing nor are touched before use.
func allocHeap(n int64) (b []byte, release func(), err error) {
	b, err = unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, nil, err
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // fewer TLB misses, where there are huge pages
	return b, func() { _ = unix.Munmap(b) }, nil
}
