package formats

import (
	"math"
	"runtime"
	"sync"
)

// tuning is what decides how the text is cut and when several goroutines parse
// it. None of it changes a result, which the tests show by changing it.
var tuning = struct {
	block int // size of the blocks, each of which a goroutine of its own may parse
	alone int // bytes of entries that the calling goroutine parses at first
	procs int // how many goroutines should be running; 0 for GOMAXPROCS
}{block: blockSize, alone: 256 << 10}

// procs returns how many goroutines should parse what is left: more than one if,
// as far as the part that was read can tell, there are 1 MiB of entries in all.
func (p *parser) procs() int {
	if p.bytes < tuning.alone || float64(p.want)*float64(p.bytes) < 4*float64(tuning.alone)*float64(p.n) {
		return 1
	}
	if tuning.procs > 0 {
		return tuning.procs
	}
	return runtime.GOMAXPROCS(0)
}

// parallel parses the rest of the text, block by block, until an error, which may
// be io.EOF. The calling goroutine reads (and decompresses), so that the source is
// never used by another; each block is parsed by a goroutine of its own. The
// parser, which knows how many lines and entries came before, goes from block to
// block in their order. It takes over what was parsed, or finds the fault in a
// block that seems to have one, with the result that is the first in the text.
func (p *parser) parallel(procs int) error {
	var (
		running sync.WaitGroup
		made    int
		free    = make(chan *piece, 2*procs) // twice, so that no core idles while some wait for their turn
		turn    = make(chan error, 1)        // holds the first fault so far whenever the parser is free
	)
	turn <- nil
	defer running.Wait()
	for !p.faulty.Load() {
		block, err := p.src.nextFull()
		if err != nil {
			if fault := <-turn; fault != nil {
				return fault
			}
			return err
		}
		if len(p.src.buf) > tuning.block { // for a long line: one is enough
			err := <-turn
			if err == nil {
				err = p.block(block)
			}
			turn <- err
			p.faulty.Store(err != nil)
			p.src.shrink(tuning.block)
			continue
		}
		var c *piece
		if made < cap(free) {
			c = p.newPiece()
			made++
		} else {
			c = <-free
		}
		c.text, c.buf = block, p.src.swap(c.buf)
		before, after := turn, make(chan error, 1)
		turn = after
		running.Go(func() {
			c.run(p, before, after)
			free <- c
		})
	}
	return <-turn
}

// piece is a block that is parsed by itself, into a matrix of its own: entries and
// lines are counted from its start, and nothing is known of the promise.
type piece struct {
	parser
	buf, text []byte
}

func (p *parser) newPiece() *piece {
	m := &Matrix{Format: p.m.Format, Field: p.m.Field, Rows: p.m.Rows, Cols: p.m.Cols}
	return &piece{parser: parser{m: m, want: math.MaxInt64}, buf: newBuffer(tuning.block)}
}

// run parses the piece, waits for the turn of its block, and moves what it found
// to its place in the whole. The entries are still in the cache.
func (c *piece) run(p *parser, before <-chan error, after chan<- error) {
	c.n, c.line, c.m.lines = 0, 0, c.m.lines[:0]
	if most := c.m.mostEntries(c.text); most > c.room {
		c.resize(most + most/8) // the next pieces are hardly ever denser
	}
	err := c.entries(c.text)
	fault := <-before
	switch {
	case fault != nil:
	case err != nil || int64(c.n) > p.want-int64(p.n):
		fault = p.block(c.text) // p knows the line, the number of entries, the promise
		p.faulty.Store(fault != nil)
	default:
		m, n := p.take(c)
		after <- nil // the next may go on, so that all copy at the same time
		c.place(m, n)
		p.placing.Done()
		return
	}
	after <- fault
}

// take counts a piece in, and returns where its entries belong. The slices are
// not moved again before placing is done.
func (p *parser) take(c *piece) (m Matrix, n int) {
	p.reserve(c.n)
	for _, l := range c.m.lines {
		p.m.lines.start(p.n+l.entry, p.line+l.line)
	}
	m, n = *p.m, p.n
	p.n += c.n
	p.line += c.line
	p.placing.Add(1)
	return m, n
}

// place copies the entries of the piece to those of m from n on.
func (c *piece) place(m Matrix, n int) {
	place(m.I, n, c.m.I, c.n)
	place(m.J, n, c.m.J, c.n)
	place(m.Real, n, c.m.Real, c.n)
	place(m.Integer, n, c.m.Integer, c.n)
	place(m.Complex, n, c.m.Complex, c.n)
}

func place[T any](to []T, n int, from []T, count int) {
	if from != nil { // one of the fields that the matrix has
		copy(to[n:], from[:count])
	}
}
