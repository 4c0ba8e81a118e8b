//go:build !noasm

package kernel

//go:generate go run -C _gen . -part csr -out ../rows_amd64.s -stubs ../rows_stubs_amd64.go -pkg kernel

// manyRows is how many rows, of up to Segment entries, assembly does in a call.
const manyRows = 256

// rowsInAssembly does rows from lo on, and returns how many: it stops before a row
// that is longer than a segment, or one that it must not read. Unlike slices, CSR
// matrices may have been changed after they were checked, so the assembly of
// rows_amd64.s checks each row's end and each column before it uses them; that
// costs a few per cent.
func rowsInAssembly(l Level, y []float64, ptr []int64, col []int32, val, x []float64, lo, hi int) (done int) {
	if racing || l == Portable {
		return 0
	}
	if lo < 0 || lo >= hi || hi > len(y) || hi >= len(ptr) || len(col) == 0 || len(x) == 0 ||
		len(val) < len(col) || uint64(ptr[lo]) > uint64(len(col)) {
		return 0 // Go knows what to do
	}
	for n := manyRows; lo+done < hi && n == manyRows; done += n {
		i := lo + done
		want := min(manyRows, hi-i)
		n = rowsFMA(&y[i], &ptr[i], want, &col[0], &val[0], len(col), &x[0], len(x))
	}
	return done
}
