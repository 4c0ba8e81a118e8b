package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chunk is the number of elements of one turn of a loop, the lanes of a dot
// product.
const chunk = 32

// pass is a function that is being generated: a loop over slices of one length.
type pass struct {
	isa
	ptr    map[string]reg.Register   // of each slice
	scalar map[string]reg.VecVirtual // in every lane
	acc    []reg.VecVirtual          // 32 lanes
	offset reg.Register              // bytes from the pointers

	// Of the register's worth of elements that is being generated:
	v    int // which one of the chunk
	mask *mask
}

func (p *pass) mem(name string) Mem {
	return Mem{Base: p.ptr[name], Index: p.offset, Scale: 1, Disp: p.v * p.bytes()}
}
func (p *pass) get(name string) reg.VecVirtual    { return p.load(p.mem(name), p.mask) }
func (p *pass) put(name string, v reg.VecVirtual) { p.store(v, p.mem(name), p.mask) }
func (p *pass) accumulate(a, b Op)                { p.fma(a, b, p.acc[p.v], p.mask) }
func (p *pass) plus(a, b Op, v reg.VecVirtual)    { VFMADD231PD(a, b, v) } // stores are masked
func (p *pass) times(a, b Op) (v reg.VecVirtual)  { v = p.register(); VMULPD(a, b, v); return v }
func (p *pass) fused(a, b reg.VecVirtual, c string) reg.VecVirtual {
	v := p.get(c)
	p.plus(a, b, v)
	return v
}

// define generates name with the given parameters, in Go's syntax. The length is
// that of the first slice; the others are pointers or slices of that length.
func define(i isa, name, params, result, doc string, body func(p *pass), end func(p *pass)) {
	sig := "func(" + params + ")"
	if result != "" {
		sig += " " + result
	}
	TEXT(name+i.name, NOSPLIT, sig)
	Doc(name + i.name + " " + doc)
	Pragma("noescape")
	p := &pass{isa: i, ptr: map[string]reg.Register{}, scalar: map[string]reg.VecVirtual{}}
	var n reg.Register
	for _, group := range strings.Split(params, ", ") {
		name, kind, _ := strings.Cut(group, " ")
		switch kind {
		case "float64":
			p.scalar[name] = i.register()
			VBROADCASTSD(paramAddr(name), p.scalar[name])
		case "[]float64":
			p.ptr[name] = Load(Param(name).Base(), GP64())
			if n == nil {
				n = Load(Param(name).Len(), GP64())
			}
		case "*float64":
			p.ptr[name] = Load(Param(name), GP64())
		}
	}
	per := chunk / i.lanes
	if end != nil {
		for range per {
			a := i.register()
			i.zero(a)
			p.acc = append(p.acc, a)
		}
	}
	p.offset = GP64()
	XORQ(p.offset, p.offset)

	Label("chunk")
	CMPQ(n, Imm(chunk))
	JL(LabelRef("tail"))
	for p.v = range per {
		body(p)
	}
	ADDQ(U32(chunk*8), p.offset)
	SUBQ(Imm(chunk), n)
	JMP(LabelRef("chunk"))

	Label("tail")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	mask := tailMask(i, n)
	for p.v = range per {
		if p.v > 0 {
			CMPQ(n, Imm(uint64(p.v*i.lanes)))
			JLE(LabelRef("done"))
		}
		p.mask = mask(p.v)
		body(p)
	}
	Label("done")
	if end != nil {
		end(p)
	}
	VZEROUPPER()
	RET()
}

func paramAddr(name string) Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// tailMask returns a function that generates the masks of the first n of 32
// elements, a register's worth at a time.
func tailMask(i isa, n reg.Register) func(v int) *mask {
	if i.wide() {
		ones, k := GP64(), K()
		MOVQ(I32(-1), ones)
		BZHIQ(n, ones, ones)
		KMOVD(ones.As32(), k)
		return func(v int) *mask {
			part := K()
			KSHIFTRD(Imm(uint64(8*v)), k, part)
			return &mask{k: part}
		}
	}
	at := GP64()
	LEAQ(ones(), at)
	back := GP64()
	MOVQ(n, back)
	SHLQ(Imm(3), back)
	SUBQ(back, at)
	return func(v int) *mask {
		m := YMM()
		VMOVUPD(Mem{Base: at, Disp: chunk*8 + v*32}, m)
		return &mask{v: m}
	}
}

var table Mem

// ones is a table of 32 words of ones followed by 32 of zeros.
func ones() Mem {
	if table.Symbol.Name == "" {
		table = GLOBL("ones", RODATA|NOPTR)
		for k := range 2 * chunk {
			DATA(8*k, U64([2]uint64{1<<64 - 1, 0}[k/chunk]))
		}
	}
	return table
}

func add(from, to reg.Register) { VADDPD(from, to, to) }

func sum(p *pass) {
	Store(p.fold(p.acc, add), ReturnIndex(0))
}

func vectors(i isa) {
	define(i, "dot", "x []float64, y []float64", "float64", "is [Dot].", func(p *pass) {
		p.accumulate(p.get("x"), p.get("y"))
	}, sum)
	define(i, "scaledDot", "y []float64, d []float64", "float64", "returns y·z with z = d*y, rounded.", func(p *pass) {
		y := p.get("y")
		p.accumulate(y, p.times(y, p.get("d")))
	}, sum)
	define(i, "axpy", "alpha float64, x []float64, y []float64", "", "is [Axpy].", func(p *pass) {
		p.put("y", p.fused(p.scalar["alpha"], p.get("x"), "y"))
	}, nil)
	define(i, "axpyDot", "alpha float64, x []float64, y []float64", "float64", "is [AxpyDot].", func(p *pass) {
		y := p.fused(p.scalar["alpha"], p.get("x"), "y")
		p.put("y", y)
		p.accumulate(y, y)
	}, sum)
	define(i, "axpyXpby", "alpha float64, p []float64, x []float64, beta float64, z []float64", "", "is [AxpyXpby].", func(p *pass) {
		v := p.get("p")
		p.put("x", p.fused(p.scalar["alpha"], v, "x"))
		p.put("p", p.fused(p.scalar["beta"], v, "z"))
	}, nil)
	define(i, "axpyXpbyScaled", "alpha float64, p []float64, x []float64, beta float64, d []float64, r []float64", "", "is [AxpyXpbyScaled].", func(p *pass) {
		v := p.get("p")
		p.put("x", p.fused(p.scalar["alpha"], v, "x"))
		z := p.times(p.get("d"), p.get("r"))
		p.plus(p.scalar["beta"], v, z)
		p.put("p", z)
	}, nil)
	define(i, "axpy4", "w []float64, c0 float64, c1 float64, c2 float64, c3 float64, v0 *float64, v1 *float64, v2 *float64, v3 *float64", "",
		"sets w = fma(c, v, w) for four vectors in order.", func(p *pass) {
			w := p.get("w")
			for _, j := range []string{"0", "1", "2", "3"} {
				p.plus(p.scalar["c"+j], p.get("v"+j), w)
			}
			p.put("w", w)
		}, nil)
	define(i, "scale", "y []float64, alpha float64, x []float64", "", "is [Scale].", func(p *pass) {
		p.put("y", p.times(p.scalar["alpha"], p.get("x")))
	}, nil)
	define(i, "sub", "z []float64, x []float64, y []float64", "", "is [Sub].", func(p *pass) {
		v := p.register()
		VSUBPD(p.get("y"), p.get("x"), v)
		p.put("z", v)
	}, nil)
	define(i, "mul", "z []float64, x []float64, y []float64", "", "is [Mul].", func(p *pass) {
		p.put("z", p.times(p.get("x"), p.get("y")))
	}, nil)
	maxAbs(i)
}

// maxAbs compares as integers, which order as magnitudes do, with NaN on top.
func maxAbs(i isa) {
	var sign reg.VecVirtual // all bits but the sign
	most := func(from, to reg.Register) {
		if i.wide() {
			VPMAXUQ(from, to, to)
			return
		}
		var above reg.VecVirtual
		if to.Size() == 16 {
			above = XMM()
		} else {
			above = YMM()
		}
		VPCMPGTQ(to, from, above)
		VBLENDVPD(above, from, to, to)
	}
	define(i, "maxAbs", "x []float64", "float64", "is [MaxAbs].", func(p *pass) {
		if sign == nil {
			sign = p.register() // in the loop: it costs nothing there
		}
		if i.wide() {
			VPTERNLOGQ(Imm(0xff), sign, sign, sign)
		} else {
			VPCMPEQQ(sign, sign, sign)
		}
		VPSRLQ(Imm(1), sign, sign)
		x := p.get("x")
		VANDPD(sign, x, x)
		most(x, p.acc[p.v]) // masked lanes are zero
	}, func(p *pass) {
		Store(p.fold(p.acc, most), ReturnIndex(0))
	})
}
