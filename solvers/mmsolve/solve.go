package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/symsparse/symsparse/dist"
	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/formats"
	"github.com/symsparse/symsparse/solvers"
	"github.com/symsparse/symsparse/solvers/precond"
)

// session is one solve. PE 0 reads, reports and writes; all PEs compute.
type session struct {
	*config
	ctx   context.Context
	start time.Time
	bar   *progress

	// Of PE 0:
	in    *input
	rep   report
	x     []float64
	ended error // how the solve ended, if not by convergence
}

// solveCommand solves and reports; it returns the exit code.
func solveCommand(ctx context.Context, c *config, stdout, stderr io.Writer) int {
	s := &session{config: c, ctx: ctx, start: time.Now(), bar: newProgress(c, stderr)}
	s.rep.PEs, s.rep.Transport = c.pes, c.transport
	// The context is not given to Run: an interrupt ends the iteration, and the
	// best solution so far is still gathered and written.
	err := shmem.Run(context.WithoutCancel(ctx), shmem.Options{PEs: c.pes, Transport: c.transport}, s.pe)
	s.bar.done()

	if err != nil {
		return fail(c, classify(err), &s.rep, stdout, stderr)
	}
	if c.output != "" {
		if werr := s.write(stdout); werr != nil {
			return fail(c, &failure{exitInput, "OutputFailed", fmt.Errorf("writing the solution: %w", werr)}, &s.rep, stdout, stderr)
		}
	}
	code := exitConverged
	if s.ended != nil {
		code = fail(c, classify(s.ended), &s.rep, stdout, stderr)
	} else if c.json {
		printJSON(stdout, &s.rep)
	}
	if !c.json {
		to := stdout
		if c.output == "-" {
			to = stderr
		}
		s.rep.text(to)
	}
	return code
}

// write writes the solution to where --output says.
func (s *session) write(stdout io.Writer) error {
	m := formats.FromVector(s.x)
	if s.output == "-" {
		return formats.Write(stdout, m)
	}
	return formats.WriteFile(s.output, m)
}

// pe is the program of one PE.
func (s *session) pe(pe *shmem.PE) error {
	in := &input{}
	if pe.ID() == 0 {
		var err error
		if in, err = read(s.config); in != nil {
			s.in, s.rep.Matrix, s.rep.Method, s.rep.Precond = in, in.info, in.method, in.precond
		}
		if err != nil {
			return err
		}
		s.rep.Seconds.Read = time.Since(s.start).Seconds()
		if in.why != "" {
			s.bar.say("%d x %d, %d entries: %s, because %s; preconditioner %s", in.info.Rows, in.info.Cols, in.info.NNZ, in.method, in.why, in.precond)
		}
	}
	sys, b, x, err := s.setUp(pe, in)
	if err != nil {
		return err
	}
	if pe.ID() == 0 {
		s.rep.Seconds.Setup = time.Since(s.start).Seconds() - s.rep.Seconds.Read
	}
	return s.solve(pe, sys, b, x)
}

// system is the equation and what of it only PE 0 knew.
type system struct {
	solvers.System[*dist.Vector]
	cg, guess, ones bool
}

// setUp spreads what PE 0 has read.
func (s *session) setUp(pe *shmem.PE, in *input) (sys system, b, x *dist.Vector, err error) {
	flag := func(v bool) int64 {
		if v {
			return 1
		}
		return 0
	}
	flags := []int64{flag(in.method == "cg"), flag(in.precond == "jacobi"), flag(in.x0 != nil), flag(in.b == nil)}
	if err = shmem.Broadcast(pe.World(), flags, 0); err != nil {
		return
	}
	sys.cg, sys.guess, sys.ones = flags[0] == 1, flags[2] == 1, flags[3] == 1

	m, err := dist.Distribute(pe, 0, in.raw())
	if err != nil {
		return
	}
	in.a = nil
	space, err := m.Space()
	if err != nil {
		return
	}
	sys.Space, sys.A = space, m
	if flags[1] == 1 {
		d, err := space.New()
		if err != nil {
			return sys, nil, nil, err
		}
		if err := m.Diagonal(d); err != nil {
			return sys, nil, nil, err
		}
		if sys.M, err = precond.NewJacobi(space, d); err != nil {
			return sys, nil, nil, err
		}
	}
	if err = m.ReleaseRows(); err != nil {
		return
	}
	if b, err = space.New(); err != nil {
		return
	}
	if x, err = space.New(); err != nil {
		return
	}
	if sys.guess {
		if err = x.Scatter(0, in.x0); err != nil {
			return
		}
	}
	if !sys.ones {
		return sys, b, x, b.Scatter(0, in.b)
	}
	ones, err := space.New()
	if err != nil {
		return
	}
	if err = ones.Fill(func(int64) float64 { return 1 }); err != nil {
		return
	}
	if err = m.Mul(b, ones); err != nil {
		return
	}
	space.Free(ones)
	return
}

func (s *session) solve(pe *shmem.PE, sys system, b, x *dist.Vector) error {
	opt := solvers.Options{InitialGuess: sys.guess}
	if s.timeout > 0 { // of which reading has taken its part
		opt.TimeLimit = max(s.timeout-time.Since(s.start), 1)
	}
	if pe.ID() == 0 {
		opt.Monitor = s.bar.monitor
	}
	began := time.Now()
	res, err := iterate(s.ctx, s.config, sys.cg, sys.System, b, x, opt, func() {
		if pe.ID() == 0 {
			s.bar.say("the matrix is not positive definite: gmres goes on from there")
			s.rep.Method = "gmres"
		}
	})
	if errors.Is(err, solvers.PEFailed) {
		return err
	}
	var full []float64
	if pe.ID() == 0 {
		full = make([]float64, x.N())
		s.rep.Seconds.Solve = time.Since(began).Seconds()
	}
	if gerr := x.Gather(0, full); gerr != nil {
		return gerr
	}
	if pe.ID() == 0 {
		s.finish(res, full, sys.ones)
		s.ended = err // the same on all; it is no failure of a PE
	}
	return nil
}

// iterate runs the method, in whatever space. If it was chosen automatically and
// CG finds that the matrix is not positive definite, GMRES goes on with what CG
// has found, after a call of switched.
func iterate[V any](ctx context.Context, c *config, cg bool, sys solvers.System[V], b, x V, opt solvers.Options, switched func()) (*solvers.Result, error) {
	opt.RTol, opt.ATol, opt.MaxIterations, opt.Restart = c.rtol, c.atol, c.maxit, c.restart
	if c.rtol == 0 {
		opt.RTol = -1 // in Options, 0 is the default
	}
	if cg {
		res, err := solvers.CG(ctx, sys, b, x, opt)
		if c.method != "auto" || !errors.Is(err, solvers.BreakdownIndefiniteOperator) {
			return res, err
		}
		switched()
		opt.InitialGuess = true
	}
	return solvers.GMRES(ctx, sys, b, x, opt)
}

// finish fills the report.
func (s *session) finish(res *solvers.Result, x []float64, ones bool) {
	s.x = x
	r := &s.rep
	r.Converged, r.Reason, r.Iterations = res.Reason.Converged(), res.Reason.String(), res.Iterations
	r.ResidualNorm, r.RelativeResidual = finite(res.ResidualNorm), finite(res.RelativeResidual)
	r.SolutionSHA256 = digest(x)
	if ones {
		worst := 0.0
		for _, v := range x {
			worst = max(worst, math.Abs(v-1))
		}
		r.ErrorVsOnes = finite(worst)
	}
}
