package shmem

// Get copies elements off to off+len(dst) of x on PE pe to dst. The data are
// there when it returns; they are a snapshot of each element, not of the block.
func Get[T Elem](dst []T, x Sym[T], off, pe int) error {
	if err := x.bounds("Get", off, len(dst), pe); err != nil || len(dst) == 0 {
		return err
	}
	p, at := x.piece.pe, x.off+int64(off)*sizeOf[T]()
	if h := p.heaps[pe]; h != nil {
		copy(dst, view[T](h, at, len(dst)))
		return nil
	}
	return p.conn.Get(bytesOf(dst), pe, at)
}

// GetNBI is Get without waiting: dst must not be touched until Quiet.
func GetNBI[T Elem](dst []T, x Sym[T], off, pe int) error {
	if err := x.bounds("GetNBI", off, len(dst), pe); err != nil || len(dst) == 0 {
		return err
	}
	p, at := x.piece.pe, x.off+int64(off)*sizeOf[T]()
	if h := p.heaps[pe]; h != nil {
		copy(dst, view[T](h, at, len(dst)))
		return nil
	}
	return p.conn.GetNBI(bytesOf(dst), pe, at)
}

// Put copies src to elements off to off+len(src) of x on PE pe. src may be
// reused when it returns; the data are visible there after Quiet or Barrier.
func Put[T Elem](x Sym[T], off, pe int, src []T) error {
	if err := x.bounds("Put", off, len(src), pe); err != nil || len(src) == 0 {
		return err
	}
	p, at := x.piece.pe, x.off+int64(off)*sizeOf[T]()
	if h := p.heaps[pe]; h != nil {
		copy(view[T](h, at, len(src)), src)
		return nil
	}
	return p.conn.Put(pe, at, bytesOf(src))
}

// PutNBI is Put without waiting: src must not be changed until Quiet.
func PutNBI[T Elem](x Sym[T], off, pe int, src []T) error {
	if err := x.bounds("PutNBI", off, len(src), pe); err != nil || len(src) == 0 {
		return err
	}
	p, at := x.piece.pe, x.off+int64(off)*sizeOf[T]()
	if h := p.heaps[pe]; h != nil {
		copy(view[T](h, at, len(src)), src)
		return nil
	}
	return p.conn.PutNBI(pe, at, bytesOf(src))
}

// bounds checks an access to n elements at off of x on PE pe.
func (x Sym[T]) bounds(op string, off, n, pe int) error {
	if err := x.check(op); err != nil {
		return err
	}
	p := x.piece.pe
	if uint(pe) >= uint(p.n) || off < 0 || off > x.n || n > x.n-off {
		return &RangeError{Op: op, PE: pe, NPEs: p.n, Lo: off, Hi: off + n, Len: x.n}
	}
	return nil
}
