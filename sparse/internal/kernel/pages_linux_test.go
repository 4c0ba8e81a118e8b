package kernel

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// pages returns n doubles that end, and n that begin, where memory cannot be read.
func pages(t *testing.T, n int) (last, first []float64) {
	const page = 4096
	size := (8*n + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(m)) })
	require.NoError(t, unix.Mprotect(m[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(m[page+size:], unix.PROT_NONE))
	all := unsafe.Slice((*float64)(unsafe.Pointer(&m[page])), size/8)
	return all[len(all)-n:], all[:n:n]
}

// No function touches memory outside of its vectors, not even to read it.
func TestNothingOutsideIsRead(t *testing.T) {
	const n = 300
	var last, first [4][]float64
	for j := range last {
		last[j], first[j] = pages(t, n)
	}
	eachLevel(t, func(t *testing.T) {
		for _, call := range calls {
			for k := range n + 1 {
				call(1, 2, last[0][n-k:], last[1][n-k:], last[2][n-k:], last[3][n-k:])
				call(1, 2, first[0][:k], first[1][:k], first[2][:k], first[3][:k])
			}
		}
	})
}
