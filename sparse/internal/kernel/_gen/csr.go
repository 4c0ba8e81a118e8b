package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// csr generates the product of rows that are stored one after the other. A row is
// one chain of scalar FMAs; what runs side by side are the chains of several rows,
// which the processor finds itself. It needs FMA only, so that there is one.
func csr(i isa) {
	if i.wide() {
		return
	}
	TEXT("rowsFMA", NOSPLIT, "func(y *float64, ptr *int64, n int, col *int32, val *float64, entries int, x *float64, cols int) int")
	Doc("rowsFMA does up to n rows and returns how many; see [Rows].")
	Pragma("noescape")
	y, ptrs, n := Load(Param("y"), GP64()), Load(Param("ptr"), GP64()), Load(Param("n"), GP64())
	col, val, entries := Load(Param("col"), GP64()), Load(Param("val"), GP64()), Load(Param("entries"), GP64())
	x, cols := Load(Param("x"), GP64()), Load(Param("cols"), GP64())
	row, k, end, j := GP64(), GP64(), GP64(), GP64()
	XORQ(row, row)
	MOVQ(ptr(ptrs, 0), k)

	Label("row")
	MOVQ(at(ptrs, row, 8, 8), end)
	CMPQ(end, entries) // unsigned, as all that guard a load
	JHI(LabelRef("return"))
	length := GP64()
	MOVQ(end, length)
	SUBQ(k, length)
	CMPQ(length, U32(segment))
	JHI(LabelRef("return"))
	s, v := XMM(), XMM()
	VXORPD(s, s, s)
	CMPQ(k, end)
	JEQ(LabelRef("store"))

	Label("entry")
	MOVL(at(col, k, 4, 0), j.As32())
	CMPQ(j, cols)
	JCC(LabelRef("return"))
	VMOVSD(at(val, k, 8, 0), v)
	VFMADD231SD(at(x, j, 8, 0), v, s)
	INCQ(k)
	CMPQ(k, end)
	JNE(LabelRef("entry"))

	Label("store")
	VMOVSD(s, at(y, row, 8, 0))
	INCQ(row)
	CMPQ(row, n)
	JNE(LabelRef("row"))
	Label("return")
	Store(row, ReturnIndex(0))
	RET()
}

// segment is the longest row that is summed in one go.
const segment = 256
