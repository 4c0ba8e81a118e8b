//go:build !noasm

package kernel

import "github.com/klauspost/cpuid/v2"

//go:generate go run -C _gen . -part vectors -out ../vector_amd64.s -stubs ../vector_stubs_amd64.go -pkg kernel

// The assembly of vector_amd64.s and its invariants: the first slice gives the
// length, the others are at least as long; nothing outside of the slices is read
// or written (the elements after the last 32 are loaded and stored under a mask);
// lanes of a dot product that got no element keep their bits. The functions of a
// block run for less than a microsecond, the others are called with at most
// [stretch] elements, as they cannot be preempted.

// assembly returns the levels of this processor that are in assembly.
func assembly() (found []*passes) {
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.BMI2) {
		found = append(found, &passes{
			level:          AVX2,
			dot:            dotAVX2,
			scaledDot:      scaledDotAVX2,
			axpy:           axpyAVX2,
			axpyDot:        axpyDotAVX2,
			axpyXpby:       axpyXpbyAVX2,
			axpyXpbyScaled: axpyXpbyScaledAVX2,
			axpy4:          axpy4AVX2,
			scale:          scaleAVX2,
			sub:            subAVX2,
			mul:            mulAVX2,
			maxAbs:         maxAbsAVX2,
		})
		if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL) {
			found = append(found, &passes{
				level:          AVX512,
				dot:            dotAVX512,
				scaledDot:      scaledDotAVX512,
				axpy:           axpyAVX512,
				axpyDot:        axpyDotAVX512,
				axpyXpby:       axpyXpbyAVX512,
				axpyXpbyScaled: axpyXpbyScaledAVX512,
				axpy4:          axpy4AVX512,
				scale:          scaleAVX512,
				sub:            subAVX512,
				mul:            mulAVX512,
				maxAbs:         maxAbsAVX512,
			})
		}
	}
	return found
}
