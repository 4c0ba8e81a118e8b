package shmem

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// This file holds every unsafe conversion of the package. Invariants: heap
// memory is at least 8-byte aligned at offset 0, allocations start at multiples
// of their element's alignment, callers have checked the bounds, and elements
// hold no pointers (see Elem).

// view returns n elements of T at byte off of b.
func view[T Elem](b []byte, off int64, n int) []T {
	if n == 0 {
		return []T{}
	}
	var z T
	p := b[off : off+int64(n)*int64(unsafe.Sizeof(z))]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(p))), n)
}

// bytesOf returns the memory of s.
func bytesOf[T Elem](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	var z T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(z)))
}

func sizeOf[T Elem]() int64 {
	var z T
	return int64(unsafe.Sizeof(z))
}

// word returns the 64-bit word at byte off of b, to be used atomically.
func word(b []byte, off int64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(b[off : off+8])))
}

// storeElement stores one aligned element of 4 or 8 bytes atomically, so that it
// may be waited for; it reports whether src is one.
func storeElement(h []byte, off int64, src []byte) bool {
	switch n := int64(len(src)); {
	case n == 8 && off%8 == 0:
		word(h, off).Store(binary.NativeEndian.Uint64(src))
	case n == 4 && off%4 == 0:
		halfWord(h, off).Store(binary.NativeEndian.Uint32(src))
	default:
		return false
	}
	return true
}

// halfWord returns the 32-bit word at byte off of b, to be used atomically.
func halfWord(b []byte, off int64) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(unsafe.SliceData(b[off : off+4])))
}
