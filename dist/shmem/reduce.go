package shmem

import "github.com/symsparse/symsparse/internal/exact"

// Integer and Number are the element types of reductions.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Number is an [Integer] or a floating point type.
type Number interface {
	Integer | ~float32 | ~float64
}

// The reductions combine src of all members, element by element, into dst of
// every member. All give the same length; dst may be src.

// Sum adds. Integers wrap around; floating point sums are exact and rounded once
// (to float64, from there to float32), so the number of PEs does not show.
func Sum[T Number](t *Team, dst, src []T) error {
	var one, two T = 1, 2
	if one/two == 0 {
		return reduce(t, opSum, dst, src, func(a, b T) T { return a + b })
	}
	var acc exact.Acc
	return columns(t, opSum, dst, src, func(n int, at func(rank int) T) T {
		acc.Reset()
		for r := range n {
			acc.Add(float64(at(r)))
		}
		return T(acc.Float64())
	})
}

// Min takes the smallest; NaN if there is one, -0 before +0.
func Min[T Number](t *Team, dst, src []T) error {
	return reduce(t, opMin, dst, src, func(a, b T) T { return min(a, b) })
}

// Max takes the largest; NaN if there is one, +0 before -0.
func Max[T Number](t *Team, dst, src []T) error {
	return reduce(t, opMax, dst, src, func(a, b T) T { return max(a, b) })
}

// Prod multiplies, in the order of the members' numbers. Integers wrap around;
// floating point products are rounded after each factor, so that, unlike a sum,
// a product may depend on how the factors are spread.
func Prod[T Number](t *Team, dst, src []T) error {
	return reduce(t, opProd, dst, src, func(a, b T) T { return a * b })
}

// And combines bit by bit, as Or and Xor do.
func And[T Integer](t *Team, dst, src []T) error {
	return reduce(t, opAnd, dst, src, func(a, b T) T { return a & b })
}

// Or: see [And].
func Or[T Integer](t *Team, dst, src []T) error {
	return reduce(t, opOr, dst, src, func(a, b T) T { return a | b })
}

// Xor: see [And].
func Xor[T Integer](t *Team, dst, src []T) error {
	return reduce(t, opXor, dst, src, func(a, b T) T { return a ^ b })
}

// reduce combines in the order of the members' numbers.
func reduce[T Number](t *Team, op opcode, dst, src []T, f func(a, b T) T) error {
	return columns(t, op, dst, src, func(n int, at func(rank int) T) T {
		v := at(0)
		for r := 1; r < n; r++ {
			v = f(v, at(r))
		}
		return v
	})
}

// columns sets each element of dst to what f makes of that element of src of the
// n members.
func columns[T Number](t *Team, op opcode, dst, src []T, f func(n int, at func(rank int) T) T) error {
	if len(dst) != len(src) {
		return &RangeError{Op: "reduction", NPEs: 1, Hi: len(src), Len: len(dst)}
	}
	return inChunks(t, op, len(src), 0, func(lo, hi int) error {
		if err := t.give(op, int64(len(src))*sizeOf[T](), bytesOf(src[lo:hi])); err != nil {
			return err
		}
		given := make([][]T, t.size)
		for r := range given {
			b, err := t.take(op, int64(len(src))*sizeOf[T](), r, (hi-lo)*int(sizeOf[T]()))
			if err != nil {
				return err
			}
			given[r] = view[T](b, 0, hi-lo)
			if t.pe.heaps[t.World(r)] == nil { // b is reused by the next take
				given[r] = append([]T(nil), given[r]...)
			}
		}
		for i := range hi - lo {
			dst[lo+i] = f(t.size, func(r int) T { return given[r][i] })
		}
		return nil
	}, sizeOf[T]())
}

// ExactSum is the exact sum of float64 values. The zero value is an empty sum.
type ExactSum = exact.Acc

// sumsPerRound is how many sums fit in a buffer whatever they hold.
const sumsPerRound = (giveBytes/8 - 1) / exact.PackedMax

// SumExact merges sums of all members, one by one, into sums of every member,
// and returns the union of their flags. It is one sync for up to 28 sums, as it
// is what the inner products of a solver wait for. It allocates nothing.
func SumExact(t *Team, sums []ExactSum, flags uint64) (uint64, error) {
	var union uint64
	for lo := 0; lo == 0 || lo < len(sums); lo += sumsPerRound {
		f, err := t.sumExact(sums[lo:min(lo+sumsPerRound, len(sums))], flags)
		if err != nil {
			return 0, err
		}
		union |= f
	}
	return union, nil
}

func (t *Team) sumExact(sums []exact.Acc, flags uint64) (uint64, error) {
	if err := t.check(opExact); err != nil {
		return 0, err
	}
	if t.size == 1 {
		t.epoch++
		return flags, nil
	}
	if t.pe.packed == nil {
		t.pe.packed = make([]int64, giveBytes/8)
	}
	words := t.pe.packed
	words[0] = int64(flags)
	n := 1
	for i := range sums {
		n += sums[i].Pack(words[n:])
	}
	size := int64(len(sums))
	if err := t.give(opExact, size, bytesOf(words[:n])); err != nil {
		return 0, err
	}
	for r := range t.size {
		if r == t.rank {
			continue
		}
		// Only the words that were given are read: their number is in them.
		b, err := t.take(opExact, size, r, giveBytes)
		if err != nil {
			return 0, err
		}
		given := view[int64](b, 0, giveBytes/8)
		flags |= uint64(given[0])
		given = given[1:]
		for i := range sums {
			given = given[sums[i].MergePacked(given):]
		}
	}
	return flags, nil
}
