package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/solvers"
)

// config is the command line.
type config struct {
	matrix, rhs, x0, output string

	pes       int
	transport string
	method    string
	precond   string
	rtol      float64
	atol      float64
	maxit     int
	restart   int
	timeout   time.Duration

	json, monitor, quiet bool
}

const exitCodes = `Exit codes: 0 converged, 1 usage, 2 input, 3 not converged,
4 breakdown or not finite, 5 PE, transport or device failure, 130 interrupted.`

// run is the program. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c config
	code := exitConverged
	root := newCommand(&c)
	root.RunE = func(_ *cobra.Command, args []string) error {
		c.matrix = args[0]
		if len(args) == 2 {
			c.rhs = args[1]
		}
		if err := c.check(); err != nil {
			return err
		}
		code = solveCommand(ctx, &c, stdout, stderr)
		return nil
	}
	root.AddCommand(&cobra.Command{
		Use:   "info A.mtx",
		Short: "Describe a Matrix Market file without solving",
		Args:  arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			c.matrix = args[0]
			code = infoCommand(&c, stdout, stderr)
			return nil
		},
	})
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		fail(&c, &failure{exit: exitUsage, reason: "Usage", err: err}, nil, stdout, stderr)
		if !c.json {
			fmt.Fprintln(stderr, "run mmsolve --help for how to use it")
		}
		return exitUsage
	}
	return code
}

// newCommand returns the command with its flags, which set c.
func newCommand(c *config) *cobra.Command {
	root := &cobra.Command{
		Use:   "mmsolve [flags] A.mtx [b.mtx]",
		Short: "Solve A x = b from Matrix Market files",
		Long: `Solve A x = b from Matrix Market files, which may be compressed with gzip, zstd,
bzip2 or xz, or be a .tar.gz of the SuiteSparse Collection; "-" reads standard
input. Without b.mtx, b is A times the vector of ones, and the error of x is
reported.

` + exitCodes,
		Example: `  mmsolve A.mtx
  mmsolve A.mtx b.mtx -o x.mtx --method gmres --restart 50
  mmsolve --json --pes 4 A.mtx.gz | jq .iterations`,
		Args:          arguments(1, 2),
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	f := root.Flags()
	f.SortFlags = false
	f.IntVar(&c.pes, "pes", runtime.GOMAXPROCS(0), "number of PEs")
	f.StringVar(&c.transport, "transport", "local", "how PEs are run: "+strings.Join(shmem.Transports(), ", "))
	f.StringVar(&c.method, "method", "auto", "auto, cg or gmres")
	f.StringVar(&c.precond, "precond", "auto", "auto, none or jacobi")
	f.Float64Var(&c.rtol, "rtol", solvers.DefaultRTol, "accept ||b - A x|| <= rtol*||b||")
	f.Float64Var(&c.atol, "atol", 0, "accept ||b - A x|| <= atol")
	f.IntVar(&c.maxit, "maxit", solvers.DefaultMaxIterations, "largest number of iterations")
	f.IntVar(&c.restart, "restart", solvers.DefaultRestart, "GMRES: iterations between restarts")
	f.StringVar(&c.x0, "x0", "", "file with an initial guess")
	f.StringVarP(&c.output, "output", "o", "", `write the solution to this file, "-" for standard output`)
	f.DurationVar(&c.timeout, "timeout", 0, "stop after this time, such as 90s, with the best solution found")
	f.BoolVar(&c.monitor, "monitor", false, "print every residual norm to standard error")
	root.PersistentFlags().BoolVar(&c.json, "json", false, "print one JSON object instead of text")
	root.PersistentFlags().BoolVarP(&c.quiet, "quiet", "q", false, "print nothing to standard error but errors")
	return root
}

// arguments checks the number of files, in the program's words.
func arguments(least, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return errors.New("no matrix file given")
		case len(args) > most:
			return fmt.Errorf("%d files given, at most %d wanted", len(args), most)
		}
		return nil
	}
}

// check finds flags that make no sense, before anything is read.
func (c *config) check() error {
	oneOf := func(flag, value string, allowed ...string) error {
		if !slices.Contains(allowed, value) {
			return fmt.Errorf("--%s %s: not one of %s", flag, value, strings.Join(allowed, ", "))
		}
		return nil
	}
	positive := func(flag string, ok bool) error {
		if !ok {
			return fmt.Errorf("--%s: out of range", flag)
		}
		return nil
	}
	fromStdin := 0
	for _, name := range []string{c.matrix, c.rhs, c.x0} {
		if name == "-" {
			fromStdin++
		}
	}
	var err error
	if fromStdin > 1 {
		err = errors.New("standard input can be only one of the files")
	}
	if c.output == "-" && c.json {
		err = errors.New("--output - and --json both want standard output")
	}
	return errors.Join(err,
		oneOf("transport", c.transport, shmem.Transports()...),
		oneOf("method", c.method, "auto", "cg", "gmres"),
		oneOf("precond", c.precond, "auto", "none", "jacobi"),
		positive("pes", c.pes >= 1 && c.pes <= 1<<16),
		positive("rtol", c.rtol >= 0),
		positive("atol", c.atol >= 0),
		positive("maxit", c.maxit >= 1),
		positive("restart", c.restart >= 1),
		positive("timeout", c.timeout >= 0),
	)
}

func version() string {
	v := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		v = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v += " " + s.Value
			}
		}
	}
	return v + " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}
