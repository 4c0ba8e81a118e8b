package shmem

import "fmt"

// Cmp compares an element with a value.
type Cmp int

const (
	EQ Cmp = iota
	NE
	GT
	GE
	LT
	LE
)

func holds[T Word](a T, cmp Cmp, b T) bool {
	switch cmp {
	case EQ:
		return a == b
	case NE:
		return a != b
	case GT:
		return a > b
	case GE:
		return a >= b
	case LT:
		return a < b
	default:
		return a <= b
	}
}

// The waits and tests look at this PE's own part of x, which others change by
// atomic operations, signals, or puts of single elements. They return, or report
// true, after the update is complete: what the other PE did before an operation
// that updates atomically synchronizes before the return. They fail if the world
// does, and if no PE is left that could make the update.
//
// In the forms for several elements, those with ignore[i] set are left out; a nil
// ignore leaves out none.

// WaitUntil waits until element i compares with v as cmp says, and returns it.
func WaitUntil[T Word](x Sym[T], i int, cmp Cmp, v T) (T, error) {
	if err := x.bounds("WaitUntil", i, 1, 0); err != nil {
		return 0, err
	}
	var got T
	err := x.piece.pe.conn.Wait("WaitUntil", func() (bool, error) {
		var err error
		got, err = own(x, i)
		return holds(got, cmp, v), err
	})
	return got, err
}

// WaitUntilAll waits until all elements do. Without elements it returns at once.
func WaitUntilAll[T Word](x Sym[T], ignore []bool, cmp Cmp, v T) error {
	if err := x.ignores("WaitUntilAll", ignore); err != nil {
		return err
	}
	next := 0 // those before it did
	return x.piece.pe.conn.Wait("WaitUntilAll", func() (bool, error) {
		for ; next < x.n; next++ {
			if ok, err := one(x, next, ignore, cmp, v); err != nil || !ok && (ignore == nil || !ignore[next]) {
				return false, err
			}
		}
		return true, nil
	})
}

// WaitUntilAny waits until some element does, and returns its index; -1 without
// elements. Of several the next after the one returned last is taken, so that
// each has its turn.
func WaitUntilAny[T Word](x Sym[T], ignore []bool, cmp Cmp, v T) (int, error) {
	if err := x.ignores("WaitUntilAny", ignore); err != nil {
		return -1, err
	}
	if x.empty(ignore) {
		return -1, nil
	}
	found := -1
	err := x.piece.pe.conn.Wait("WaitUntilAny", func() (_ bool, err error) {
		found, err = TestAny(x, ignore, cmp, v)
		return found >= 0, err
	})
	return found, err
}

// WaitUntilSome waits until some elements do, and appends the indices of all that
// do to dst; none without elements.
func WaitUntilSome[T Word](dst []int, x Sym[T], ignore []bool, cmp Cmp, v T) ([]int, error) {
	if err := x.ignores("WaitUntilSome", ignore); err != nil || x.empty(ignore) {
		return dst, err
	}
	n := len(dst)
	err := x.piece.pe.conn.Wait("WaitUntilSome", func() (_ bool, err error) {
		dst, err = TestSome(dst[:n], x, ignore, cmp, v)
		return len(dst) > n, err
	})
	return dst, err
}

// Test reports whether element i compares with v as cmp says.
func Test[T Word](x Sym[T], i int, cmp Cmp, v T) (bool, error) {
	if err := x.bounds("Test", i, 1, 0); err != nil {
		return false, err
	}
	got, err := own(x, i)
	return holds(got, cmp, v), err
}

// TestAll reports whether all elements do: true without elements.
func TestAll[T Word](x Sym[T], ignore []bool, cmp Cmp, v T) (bool, error) {
	if err := x.ignores("TestAll", ignore); err != nil {
		return false, err
	}
	for i := range x.n {
		if ok, err := one(x, i, ignore, cmp, v); err != nil || !ok && (ignore == nil || !ignore[i]) {
			return false, err
		}
	}
	return true, nil
}

// TestAny returns the index of an element that does, as [WaitUntilAny] picks it;
// -1 if there is none.
func TestAny[T Word](x Sym[T], ignore []bool, cmp Cmp, v T) (int, error) {
	if err := x.ignores("TestAny", ignore); err != nil {
		return -1, err
	}
	p := x.piece.pe
	for k := range x.n {
		i := (p.turn + k) % x.n
		if ok, err := one(x, i, ignore, cmp, v); ok || err != nil {
			p.turn = i + 1
			return i, err
		}
	}
	return -1, nil
}

// TestSome appends the indices of all elements that do to dst.
func TestSome[T Word](dst []int, x Sym[T], ignore []bool, cmp Cmp, v T) ([]int, error) {
	if err := x.ignores("TestSome", ignore); err != nil {
		return dst, err
	}
	for i := range x.n {
		ok, err := one(x, i, ignore, cmp, v)
		if err != nil {
			return dst, err
		}
		if ok {
			dst = append(dst, i)
		}
	}
	return dst, nil
}

// own returns element i of this PE's part.
func own[T Word](x Sym[T], i int) (T, error) { return Fetch(x, i, x.piece.pe.id) }

// one reports whether element i is not ignored and compares as wanted.
func one[T Word](x Sym[T], i int, ignore []bool, cmp Cmp, v T) (bool, error) {
	if ignore != nil && ignore[i] {
		return false, nil
	}
	got, err := own(x, i)
	return holds(got, cmp, v), err
}

func (x Sym[T]) ignores(op string, ignore []bool) error {
	if err := x.check(op); err != nil {
		return err
	}
	if ignore != nil && len(ignore) != x.n {
		return fmt.Errorf("shmem: %s: %d elements, but %d to be ignored or not", op, x.n, len(ignore))
	}
	return nil
}

func (x Sym[T]) empty(ignore []bool) bool {
	if ignore == nil {
		return x.n == 0
	}
	for _, out := range ignore {
		if !out {
			return false
		}
	}
	return true
}
