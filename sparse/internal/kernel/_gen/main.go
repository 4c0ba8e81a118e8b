// Command gen writes the vector assembly of package kernel and its Go
// declarations. Run it with
//
//	go generate ./sparse/internal/kernel
//
// which must change nothing unless the generator changed.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	part := flag.String("part", "", "vectors or slices")
	flag.Parse()
	ConstraintExpr("!noasm")
	generate, ok := map[string]func(isa){"vectors": vectors, "slices": slices, "csr": csr}[*part]
	if !ok {
		log.Fatalf("no part %q", *part)
	}
	for _, i := range []isa{{"AVX2", 4}, {"AVX512", 8}} {
		generate(i)
	}
	Generate()
}
