//go:build !noasm

package kernel

import "unsafe"

//go:generate go run -C _gen . -part slices -out ../slices_amd64.s -stubs ../slices_stubs_amd64.go -pkg kernel

// The assembly of slices_amd64.s and its invariants: it does at least one slice,
// and then others as long as they are of the same kind, the count allows and the
// budget is not used up. It reads x only where a row has an entry, and writes y
// only where a slice has a row. Every slice has a step, unless it is ragged and a
// gather. Beyond the data of a slice it reads up to DataPad words, and beyond a
// dictionary's last value nothing, as that has a value for each byte.

// sliceArgs is what assembly gets. It updates n and budget.
type sliceArgs struct {
	slice  *Slice
	n      int // slices that may be done, at least 1; on return those left
	step   *Step
	data   *uint64
	dict   *float64
	x, y   *float64
	row    int // of y[0]
	budget int
}

// someInAssembly does some slices and returns their number, 0 if the level is not
// one of assembly.
func someInAssembly(l Level, s *Slices, y, x []float64, row, lo, hi int) int {
	n := min(hi-lo, budget)
	a := sliceArgs{&s.Slice[lo], n, unsafe.SliceData(s.Step), unsafe.SliceData(s.Data),
		unsafe.SliceData(s.Dict), unsafe.SliceData(x), unsafe.SliceData(y), row, budget}
	args := (*byte)(unsafe.Pointer(&a))
	kind := s.Slice[lo].Kind &^ Long
	switch l {
	case AVX512:
		someAVX512(kind, args)
	case AVX2:
		someAVX2(kind, args)
	default:
		return 0
	}
	return n - a.n
}

func someAVX512(kind uint8, args *byte) {
	switch kind {
	case Template:
		templateAVX512(args)
	case Stencil + Float64:
		stencil64AVX512(args)
	case Stencil + Float32:
		stencil32AVX512(args)
	case Stencil + Index8:
		stencil8AVX512(args)
	case Near + Float64:
		near64AVX512(args)
	case Near + Float32:
		near32AVX512(args)
	case Near + Index8:
		near8AVX512(args)
	case Far + Float64:
		far64AVX512(args)
	case Far + Float32:
		far32AVX512(args)
	case Far + Index8:
		far8AVX512(args)
	}
}

func someAVX2(kind uint8, args *byte) {
	switch kind {
	case Template:
		templateAVX2(args)
	case Stencil + Float64:
		stencil64AVX2(args)
	case Stencil + Float32:
		stencil32AVX2(args)
	case Stencil + Index8:
		stencil8AVX2(args)
	case Near + Float64:
		near64AVX2(args)
	case Near + Float32:
		near32AVX2(args)
	case Near + Index8:
		near8AVX2(args)
	case Far + Float64:
		far64AVX2(args)
	case Far + Float32:
		far32AVX2(args)
	case Far + Index8:
		far8AVX2(args)
	}
}
