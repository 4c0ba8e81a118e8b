package shmem

// Get copies elements off to off+len(dst) of x on PE pe to dst. The data are
// there when it returns; they are a snapshot of each element, not of the block.
func Get[T Elem](dst []T, x Sym[T], off, pe int) error {
	if src := x.inReach(off, len(dst), pe); src != nil {
		if len(dst) == 1 { // saves a call of half the cost
			dst[0] = src[0]
			return nil
		}
		copy(dst, src)
		return nil
	}
	if err := x.bounds("Get", off, len(dst), pe); err != nil || len(dst) == 0 {
		return err
	}
	return x.piece.pe.conn.Get(bytesOf(dst), pe, x.off+int64(off)*sizeOf[T]())
}

// GetNBI is Get without waiting: dst must not be touched until Quiet.
func GetNBI[T Elem](dst []T, x Sym[T], off, pe int) error {
	if src := x.inReach(off, len(dst), pe); src != nil {
		copy(dst, src)
		return nil
	}
	if err := x.bounds("GetNBI", off, len(dst), pe); err != nil || len(dst) == 0 {
		return err
	}
	return x.piece.pe.conn.GetNBI(bytesOf(dst), pe, x.off+int64(off)*sizeOf[T]())
}

// Put copies src to elements off to off+len(src) of x on PE pe. src may be
// reused when it returns; the data are visible there after Quiet or Barrier.
func Put[T Elem](x Sym[T], off, pe int, src []T) error {
	if dst := x.inReach(off, len(src), pe); dst != nil {
		copy(dst, src)
		return nil
	}
	if err := x.bounds("Put", off, len(src), pe); err != nil || len(src) == 0 {
		return err
	}
	return x.piece.pe.conn.Put(pe, x.off+int64(off)*sizeOf[T](), bytesOf(src))
}

// PutNBI is Put without waiting: src must not be changed until Quiet.
func PutNBI[T Elem](x Sym[T], off, pe int, src []T) error {
	if dst := x.inReach(off, len(src), pe); dst != nil {
		copy(dst, src)
		return nil
	}
	if err := x.bounds("PutNBI", off, len(src), pe); err != nil || len(src) == 0 {
		return err
	}
	return x.piece.pe.conn.PutNBI(pe, x.off+int64(off)*sizeOf[T](), bytesOf(src))
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

// inReach returns elements off to off+n of x on PE pe as memory, if they exist, n
// is not 0, and one-sided access may go straight there; else nil. It is all that
// a get or put of a mapped transport checks.
func (x Sym[T]) inReach(off, n, pe int) []T {
	p := x.piece
	if p == nil || p.freed || off < 0 || n < 1 || n > x.n-off || uint(pe) >= uint(len(p.pe.reach)) || p.pe.ended {
		return nil
	}
	h := p.pe.reach[pe]
	if h == nil {
		return nil
	}
	return view[T](h, x.off+int64(off)*sizeOf[T](), n)
}
