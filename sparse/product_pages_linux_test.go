package sparse

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/symsparse/symsparse/sparse/internal/kernel"
)

// Products read nothing before or after x, although templates and stencils load
// eight elements at a time, and write nothing before or after y.
func TestProductsStayInVectors(t *testing.T) {
	const page = 4096
	guarded := func(n int, atEnd bool) []float64 {
		size := (8*n + page - 1) / page * page
		m, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, unix.Munmap(m)) })
		require.NoError(t, unix.Mprotect(m[:page], unix.PROT_NONE))
		require.NoError(t, unix.Mprotect(m[page+size:], unix.PROT_NONE))
		all := unsafe.Slice((*float64)(unsafe.Pointer(&m[page])), size/8)
		if atEnd {
			return all[len(all)-n:]
		}
		return all[:n:n]
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, value := range valuesOf(r) {
		for _, a := range matrices(r, value) {
			n := len(a.ptr) - 1
			for _, allow := range []allowed{everything, everything &^ templates, everything &^ (templates | stencils), 0} {
				p, err := newProduct(a.cols, a.ptr, a.col, a.val, nil, allow)
				require.NoError(t, err)
				for _, atEnd := range []bool{false, true} {
					x, y := guarded(a.cols, atEnd), guarded(n, atEnd)
					for _, level := range kernel.Levels() {
						was := kernel.Force(level)
						p.MulRows(y, x, 0, n)
						kernel.Force(was)
					}
				}
			}
		}
	}
}
