//go:build race

package kernel

import (
	"runtime"
	"unsafe"
)

// The race detector does not see what assembly reads and writes; these tell it.

func reads(vs ...[]float64) {
	for _, v := range vs {
		if len(v) > 0 {
			runtime.RaceReadRange(unsafe.Pointer(&v[0]), 8*len(v))
		}
	}
}

func writes(vs ...[]float64) {
	for _, v := range vs {
		if len(v) > 0 {
			runtime.RaceWriteRange(unsafe.Pointer(&v[0]), 8*len(v))
		}
	}
}

const racing = true
