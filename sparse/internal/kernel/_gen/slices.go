package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	rows   = 8    // of a slice
	ragged = 0x80 // in Slice.Rows
)

// kernel is a function that is being generated: a loop over slices of one kind.
type kernel struct {
	isa
	values string // "64", "32" or "8" bits; "" in a template

	args, slice, n, y reg.Register // y is where row 0 would be
	dict              reg.Register // nil unless there is one
	row, steps        reg.Register // of the slice
	acc               []reg.VecVirtual
}

// The fields of sliceArgs, 8 bytes each.
const (
	argSlice = iota
	argN
	argStep
	argData
	argDict
	argX
	argY
	argRow
	argBudget
)

func (k *kernel) arg(field int) reg.GPVirtual {
	r := GP64()
	MOVQ(ptr(k.args, 8*field), r)
	return r
}

func (k *kernel) halves() int { return rows / k.lanes }

func ptr(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

func at(base, index reg.Register, scale uint8, disp int) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

func slices(i isa) {
	kind := 0
	loop(i, "template", kind, "", (*kernel).stencil)
	for _, shape := range []struct {
		name string
		body func(*kernel)
	}{
		{"stencil", (*kernel).stencil},
		{"near", func(k *kernel) { k.gather(2) }},
		{"far", func(k *kernel) { k.gather(4) }},
	} {
		for _, values := range []string{"64", "32", "8"} {
			kind++
			loop(i, shape.name+values, kind, values, shape.body)
		}
	}
}

// loop generates the function for one kind.
func loop(i isa, name string, kind int, values string, body func(*kernel)) {
	TEXT(name+i.name, NOSPLIT, "func(args *byte)")
	Doc(fmt.Sprintf("%s%s does slices of kind %d; args are [sliceArgs].", name, i.name, kind))
	Pragma("noescape")
	k := &kernel{isa: i, values: values, args: Load(Param("args"), GP64())}
	k.slice, k.n, k.y = k.arg(argSlice), k.arg(argN), k.arg(argY)
	if values == "8" {
		k.dict = k.arg(argDict)
	}
	first := k.arg(argRow)
	SHLQ(Imm(3), first)
	SUBQ(first, k.y)

	Label("slice")
	k.row, k.steps = GP64(), GP64()
	MOVL(ptr(k.slice, 4), k.row.(reg.GPVirtual).As32())
	MOVWLZX(ptr(k.slice, 12), k.steps.(reg.GPVirtual).As32())
	SUBQ(k.steps, ptr(k.args, 8*argBudget))
	k.acc = nil
	for range k.halves() {
		a := i.register()
		i.zero(a)
		k.acc = append(k.acc, a)
	}
	body(k)
	Label("next")
	ADDQ(Imm(16), k.slice)
	DECQ(k.n)
	JZ(LabelRef("return"))
	CMPQ(ptr(k.args, 8*argBudget), Imm(0))
	JLE(LabelRef("return"))
	CMPB(ptr(k.slice, 14), Imm(uint64(kind)))
	JEQ(LabelRef("slice"))
	Label("return")
	MOVQ(k.n, ptr(k.args, 8*argN))
	VZEROUPPER()
	RET()
}

// storeRows stores the sums in order, those of the mask.
func (k *kernel) storeRows(mask func(h int) *mask) {
	for h, a := range k.acc {
		k.store(a, at(k.y, k.row, 8, h*k.bytes()), mask(h))
	}
}

func all(int) *mask { return nil }

// firstLanes returns the masks of the first n lanes.
func (k *kernel) firstLanes(n reg.Register) func(h int) *mask {
	if k.wide() {
		bits, m := GP64(), K()
		MOVQ(I32(-1), bits)
		BZHIQ(n, bits, bits)
		KMOVB(bits.As32(), m)
		return func(int) *mask { return &mask{k: m} }
	}
	table, back := GP64(), GP64()
	LEAQ(ones(), table)
	MOVQ(n, back)
	SHLQ(Imm(3), back)
	SUBQ(back, table)
	var m [2]*mask
	for h := range m {
		m[h] = &mask{v: YMM()}
		VMOVUPD(ptr(table, 8*chunk+32*h), m[h].v)
	}
	return func(h int) *mask { return m[h] }
}

// rowCount returns the number of rows of the slice.
func (k *kernel) rowCount() reg.GPVirtual {
	n := GP64()
	MOVBLZX(ptr(k.slice, 15), n.As32())
	ANDL(Imm(15), n.As32())
	return n
}

// dataOf returns where the slice's data are.
func (k *kernel) dataOf() reg.GPVirtual {
	r := GP64()
	MOVL(ptr(k.slice, 0), r.As32())
	SHLQ(Imm(3), r)
	ADDQ(ptr(k.args, 8*argData), r)
	return r
}

// value loads a register of values from v on, the half h of 8.
func (k *kernel) value(v reg.Register, h int) reg.VecVirtual {
	r := k.register()
	switch k.values {
	case "64":
		VMOVUPD(ptr(v, 8*k.lanes*h), r)
	case "32":
		VCVTPS2PD(ptr(v, 4*k.lanes*h), r)
	case "8":
		n := k.indices(ptr(v, k.lanes*h), 1)
		k.gatherFrom(k.dict, n, r, nil)
	}
	return r
}

func (k *kernel) valueBytes() int {
	return map[string]int{"64": 8, "32": 4, "8": 1}[k.values]
}

// indices loads as many integers as there are lanes, of the given width.
func (k *kernel) indices(m Mem, width int) reg.VecVirtual {
	var n reg.VecVirtual = XMM()
	if k.wide() {
		n = YMM()
	}
	switch width {
	case 1:
		VPMOVZXBD(m, n)
	case 2:
		VPMOVZXWD(m, n)
	default:
		VMOVDQU(m, n)
	}
	return n
}

// gatherFrom loads base[n] for each lane of the mask, which it keeps.
func (k *kernel) gatherFrom(base reg.Register, n, r reg.VecVirtual, m *mask) {
	k.zero(r) // lanes without an element would make it wait for the last use of r
	from := Mem{Base: base, Index: n, Scale: 8}
	if k.wide() {
		used := K()
		if m == nil {
			KXNORB(used, used, used)
		} else {
			KMOVB(m.k, used)
		}
		VGATHERDPD(from, used, r)
		return
	}
	used := YMM()
	if m == nil {
		VPCMPEQD(used, used, used)
	} else {
		VMOVAPD(m.v, used)
	}
	VGATHERDPD(used, from, r)
}

// stencil is the body of templates and stencils.
func (k *kernel) stencil() {
	p, x, v := GP64(), k.arg(argX), reg.GPVirtual(nil)
	MOVL(ptr(k.slice, 8), p.As32())
	SHLQ(Imm(4), p)
	ADDQ(ptr(k.args, 8*argStep), p)
	LEAQ(at(x, k.row, 8, 0), x)
	if k.values != "" {
		v = k.dataOf()
	}
	step := func(m func(h int) *mask) {
		d := GP64()
		MOVLQSX(ptr(p, 8), d)
		for h, a := range k.acc {
			mh := m(h)
			u := k.load(at(x, d, 8, h*k.bytes()), mh)
			var val reg.VecVirtual
			if k.values == "" {
				if h == 0 || k.wide() {
					val = k.register()
					VBROADCASTSD(ptr(p, 0), val)
					broadcast = val
				}
				val = broadcast
			} else {
				val = k.value(v, h)
			}
			k.fma(u, val, a, mh)
		}
		ADDQ(Imm(16), p)
		if k.values != "" {
			ADDQ(Imm(uint64(rows*k.valueBytes())), v)
		}
		DECQ(k.steps)
	}
	CMPB(ptr(k.slice, 15), Imm(ragged))
	JCC(LabelRef("masked"))
	Label("step")
	step(all)
	JNZ(LabelRef("step"))
	k.storeRows(all)
	JMP(LabelRef("next"))

	Label("masked")
	var shift [2]reg.VecVirtual
	if !k.wide() {
		for h := range shift {
			shift[h] = YMM()
			VMOVDQU(shifts().Offset(32*h), shift[h])
		}
	}
	Label("maskedStep")
	step(func(h int) *mask {
		if k.wide() {
			m := K()
			KMOVB(ptr(p, 12), m)
			return &mask{k: m}
		}
		m := YMM()
		VPBROADCASTQ(ptr(p, 8), m) // bit 32+l is lane l's; move it to bit 63
		VPSLLVQ(shift[h], m, m)
		return &mask{v: m}
	})
	JNZ(LabelRef("maskedStep"))
	k.storeRows(k.firstLanes(k.rowCount()))
}

var broadcast reg.VecVirtual

// gather is the body of near and far slices, with columns of width bytes.
func (k *kernel) gather(width int) {
	x := k.arg(argX)
	if width == 2 {
		first := GP64()
		MOVL(ptr(k.slice, 8), first.As32())
		LEAQ(at(x, first, 8, 0), x)
	}
	col, val := k.dataOf(), GP64()
	step := func(m func(h int) *mask) {
		for h, a := range k.acc {
			u := k.register()
			n := k.indices(ptr(col, width*k.lanes*h), width)
			k.gatherFrom(x, n, u, m(h))
			k.fma(u, k.value(val, h), a, m(h))
		}
	}
	CMPB(ptr(k.slice, 15), Imm(ragged))
	JCC(LabelRef("ragged"))
	MOVQ(k.steps, val)
	SHLQ(Imm(map[int]uint64{2: 4, 4: 5}[width]), val) // bytes of 8 columns a step
	ADDQ(col, val)
	Label("step")
	step(all)
	ADDQ(Imm(uint64(rows*width)), col)
	ADDQ(Imm(uint64(rows*k.valueBytes())), val)
	DECQ(k.steps)
	JNZ(LabelRef("step"))
	k.storeRows(all)
	JMP(LabelRef("next"))

	Label("ragged")
	header := GP64()
	MOVQ(col, header)
	ADDQ(Imm(32), col)
	MOVQ(ptr(header, 24), val)
	perWord := 8 / width
	ADDQ(Imm(uint64(perWord-1)), val)
	SHRQ(Imm(map[int]uint64{4: 2, 2: 1}[perWord]), val)
	LEAQ(at(col, val, 8, 0), val)
	lanes := GP64()
	MOVQ(U32(rows), lanes)
	Label("lanes")
	MOVWLZX(ptr(header, 0), k.steps.(reg.GPVirtual).As32())
	ADDQ(Imm(2), header)
	TESTQ(k.steps, k.steps)
	JZ(LabelRef("fewer"))
	m := k.firstLanes(lanes)
	Label("raggedStep")
	step(m)
	LEAQ(at(col, lanes, uint8(width), 0), col)
	LEAQ(at(val, lanes, uint8(k.valueBytes()), 0), val)
	DECQ(k.steps)
	JNZ(LabelRef("raggedStep"))
	Label("fewer")
	DECQ(lanes)
	JNZ(LabelRef("lanes"))
	k.scatter(header)
}

// scatter stores the sums in the rows, relative to the slice's, that the bytes at
// to tell.
func (k *kernel) scatter(to reg.Register) {
	y := GP64()
	LEAQ(at(k.y, k.row, 8, 0), y)
	n := k.rowCount()
	if k.wide() {
		m, row := k.firstLanes(n)(0), YMM()
		VPMOVZXBD(ptr(to, 0), row)
		VSCATTERDPD(k.acc[0], m.k, Mem{Base: y, Index: row, Scale: 8})
		return
	}
	sums := AllocLocal(8 * rows)
	for h, a := range k.acc {
		VMOVUPD(a, sums.Offset(32*h))
	}
	from, row, sum := GP64(), GP64(), GP64()
	LEAQ(sums, from)
	Label("store")
	MOVBLZX(ptr(to, 0), row.As32())
	MOVQ(ptr(from, 0), sum)
	MOVQ(sum, at(y, row, 8, 0))
	INCQ(to)
	ADDQ(Imm(8), from)
	DECQ(n)
	JNZ(LabelRef("store"))
}

var shiftTable Mem

// shifts moves bits 32 to 39 to the sign of lanes 0 to 7.
func shifts() Mem {
	if shiftTable.Symbol.Name == "" {
		shiftTable = GLOBL("shifts", RODATA|NOPTR)
		for l := range rows {
			DATA(8*l, U64(31-l))
		}
	}
	return shiftTable
}
