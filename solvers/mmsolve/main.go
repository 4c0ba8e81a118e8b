// Command mmsolve solves linear systems in Matrix Market files with the Krylov
// methods of symsparse, on as many PEs as wanted, and says honestly how it went.
//
// Usage:
//
//	mmsolve [flags] A.mtx [b.mtx]
//	mmsolve info [flags] A.mtx
//
// Run mmsolve --help for the flags. Results go to standard output, everything
// meant for people to standard error. The solution has the same bits for any
// number of PEs and any transport.
//
// Exit codes: 0 converged, 1 usage, 2 input, 3 not converged, 4 breakdown or not
// finite, 5 PE, transport or device failure, 130 interrupted.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
