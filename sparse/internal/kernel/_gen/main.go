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
	switch *part {
	case "vectors":
		for _, i := range []isa{{"AVX2", 4}, {"AVX512", 8}} {
			vectors(i)
		}
	default:
		log.Fatalf("no part %q", *part)
	}
	Generate()
}
