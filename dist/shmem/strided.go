package shmem

import "fmt"

// IGet copies n elements of x on PE pe, off, off+xStride, and so on, to elements
// 0, dstStride, and so on of dst. Strides are at least 1.
func IGet[T Elem](dst []T, dstStride int, x Sym[T], off, xStride, n, pe int) error {
	if err := x.strided("IGet", len(dst), dstStride, off, xStride, n, pe); err != nil || n == 0 {
		return err
	}
	if part := x.inReach(off, (n-1)*xStride+1, pe); part != nil {
		for k := range n {
			dst[k*dstStride] = part[k*xStride]
		}
		return nil
	}
	for k := range n {
		if err := Get(dst[k*dstStride:k*dstStride+1], x, off+k*xStride, pe); err != nil {
			return err
		}
	}
	return nil
}

// IPut copies elements 0, srcStride, and so on of src, n of them, to elements off,
// off+xStride, and so on of x on PE pe. As with [Put], they are visible there
// after Quiet.
func IPut[T Elem](x Sym[T], off, xStride, pe int, src []T, srcStride, n int) error {
	if err := x.strided("IPut", len(src), srcStride, off, xStride, n, pe); err != nil || n == 0 {
		return err
	}
	if part := x.inReach(off, (n-1)*xStride+1, pe); part != nil {
		for k := range n {
			part[k*xStride] = src[k*srcStride]
		}
		return nil
	}
	for k := range n {
		if err := Put(x, off+k*xStride, pe, src[k*srcStride:k*srcStride+1]); err != nil {
			return err
		}
	}
	return nil
}

// G returns element i of x on PE pe.
func G[T Elem](x Sym[T], i, pe int) (T, error) {
	var v [1]T
	err := Get(v[:], x, i, pe)
	return v[0], err
}

// P puts v to element i of x on PE pe. Elements of 4 and 8 bytes may be waited
// for.
func P[T Elem](x Sym[T], i, pe int, v T) error {
	if err := x.bounds("P", i, 1, pe); err != nil {
		return err
	}
	src := [1]T{v}
	if h := x.piece.pe.reach[pe]; h != nil && storeElement(h, x.off+int64(i)*sizeOf[T](), bytesOf(src[:])) {
		return nil
	}
	return x.piece.pe.conn.Put(pe, x.off+int64(i)*sizeOf[T](), append([]byte(nil), bytesOf(src[:])...))
}

// strided checks both sides of a strided copy of n elements.
func (x Sym[T]) strided(op string, private, stride, off, xStride, n, pe int) error {
	if err := x.check(op); err != nil {
		return err
	}
	if stride < 1 || xStride < 1 || n < 0 {
		return fmt.Errorf("shmem: %s of %d elements with strides %d and %d", op, n, stride, xStride)
	}
	last := max(n-1, 0)
	if n > 0 && (last > (private-1)/stride || private == 0) {
		return fmt.Errorf("shmem: %s: %d elements with stride %d of a slice of %d", op, n, stride, private)
	}
	if n > 0 && last > x.n/xStride {
		return &RangeError{Op: op, PE: pe, NPEs: x.piece.pe.n, Lo: off, Hi: off + last, Len: x.n}
	}
	return x.bounds(op, off, min(n, 1)+last*xStride, pe)
}
