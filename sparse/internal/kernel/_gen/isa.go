package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set: AVX2 with FMA, or AVX-512 (F, DQ, BW, VL).
type isa struct {
	name  string
	lanes int // doubles in a register
}

func (i isa) wide() bool { return i.lanes == 8 }

// bytes is the length of a register.
func (i isa) bytes() int { return 8 * i.lanes }

func (i isa) register() reg.VecVirtual {
	if i.wide() {
		return ZMM()
	}
	return YMM()
}

func (i isa) zero(v reg.VecVirtual) {
	if i.wide() {
		VPXORQ(v, v, v)
	} else {
		VXORPD(v, v, v)
	}
}

// mask selects lanes. AVX-512 has it in a mask register, AVX2 in the sign bits of
// a vector. nil is all lanes.
type mask struct {
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

// load loads the lanes of the mask; others are zero and their memory is not read.
func (i isa) load(m Mem, k *mask) reg.VecVirtual {
	v := i.register()
	switch {
	case k == nil:
		VMOVUPD(m, v)
	case i.wide():
		VMOVUPD_Z(m, k.k, v)
	default:
		VMASKMOVPD(m, k.v, v)
	}
	return v
}

// store stores the lanes of the mask and leaves the memory of others alone.
func (i isa) store(v reg.VecVirtual, m Mem, k *mask) {
	switch {
	case k == nil:
		VMOVUPD(v, m)
	case i.wide():
		VMOVUPD(v, k.k, m)
	default:
		VMASKMOVPD(v, k.v, m)
	}
}

// fma sets acc = fma(a, b, acc) in the lanes of the mask. Others keep every bit,
// which adding a zero would not: -0 + 0 is +0.
func (i isa) fma(a, b Op, acc reg.VecVirtual, k *mask) {
	switch {
	case k == nil:
		VFMADD231PD(a, b, acc)
	case i.wide():
		VFMADD231PD(a, b, k.k, acc)
	default:
		t := i.register()
		VMOVAPD(acc, t)
		VFMADD231PD(a, b, t)
		VBLENDVPD(k.v, t, acc, acc)
	}
}

// fold combines the lanes of the registers, l with l+h for h = 16, 8, 4, 2, 1 if
// there are 32, and returns the one that remains.
func (i isa) fold(acc []reg.VecVirtual, op func(from, to reg.Register)) reg.Register {
	for h := len(acc) / 2; h > 0; h /= 2 {
		for l := range h {
			op(acc[l+h], acc[l])
		}
	}
	sum := acc[0]
	if i.wide() {
		high := YMM()
		VEXTRACTF64X4(Imm(1), sum, high)
		op(high, sum.AsY())
	}
	high := XMM()
	VEXTRACTF128(Imm(1), sum.AsY(), high)
	op(high, sum.AsX())
	VUNPCKHPD(sum.AsX(), sum.AsX(), high)
	op(high, sum.AsX())
	return sum.AsX()
}
