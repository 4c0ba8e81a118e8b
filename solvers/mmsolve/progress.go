package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/symsparse/symsparse/solvers"
)

// progress tells people how a solve goes: a bar on a terminal, lines with
// --monitor, nothing with --quiet.
type progress struct {
	c     *config
	w     io.Writer
	bar   *progressbar.ProgressBar
	first float64 // residual norm of iteration 0
}

func newProgress(c *config, w io.Writer) *progress {
	p := &progress{c: c, w: w}
	if f, ok := w.(*os.File); ok && !c.quiet && !c.monitor && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.bar = progressbar.NewOptions(100, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetDescription("residual"))
	}
	return p
}

// say prints a line, unless it is to be quiet.
func (p *progress) say(format string, args ...any) {
	if !p.c.quiet {
		fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// monitor is called by the solver with each residual norm.
func (p *progress) monitor(m solvers.Progress) {
	switch {
	case p.c.monitor:
		fmt.Fprintf(p.w, "%6d  %.6e  %s\n", m.Iteration, m.Norm, m.Kind)
	case p.bar != nil:
		if m.Iteration == 0 {
			p.first = m.Norm
		}
		// The way to go is measured in orders of magnitude, as if b were the
		// first residual.
		done := math.Log(p.first/m.Norm) / -math.Log(max(p.c.rtol, 1e-16))
		p.bar.Describe(fmt.Sprintf("iteration %d, residual %.2e", m.Iteration, m.Norm))
		_ = p.bar.Set(int(100 * min(max(done, 0), 0.99)))
	}
}

func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
