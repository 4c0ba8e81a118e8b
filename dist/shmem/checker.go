package shmem

import (
	"math/rand/v2"
	"time"
)

// checker is a connection that uses every freedom that the rules leave to a
// transport, so that programs which rely on more fail: data of nbi gets come only
// at quiet, and their destination is filled with 0xFF until then; puts arrive as
// late as they may and in any order that no fence forbids, those of PutNBI with
// what the source holds at that time; calls are delayed at random. The choices
// follow from a seed.
type checker struct {
	Conn
	rnd   *rand.Rand
	epoch int // fences so far
	puts  []latePut
	gets  []lateGet
}

// lateness is how late puts come that no quiet asks for.
const lateness = 2 * time.Millisecond

type latePut struct {
	epoch int
	pe    int
	off   int64
	src   []byte
}

type lateGet struct {
	dst []byte
	pe  int
	off int64
}

func newChecker(c Conn, seed uint64) *checker {
	return &checker{Conn: c, rnd: rand.New(rand.NewPCG(seed, uint64(c.PE())))}
}

// delay keeps the PE back now and then.
func (c *checker) delay() {
	switch c.rnd.IntN(64) {
	case 0:
		time.Sleep(time.Duration(c.rnd.IntN(200)) * time.Microsecond)
	case 1, 2, 3:
		for range c.rnd.IntN(2000) {
			_ = c.Conn.Err()
		}
	}
}

// deliver makes the puts before fence number epoch arrive, in random order
// between two fences, and of the later ones none or some.
func (c *checker) deliver(epoch int, some bool) error {
	c.rnd.Shuffle(len(c.puts), func(i, j int) { c.puts[i], c.puts[j] = c.puts[j], c.puts[i] })
	for now := 0; now <= c.epoch; now++ {
		kept := c.puts[:0]
		for _, p := range c.puts {
			due := p.epoch == now && (now < epoch || some && c.rnd.IntN(2) == 0)
			if !due {
				kept = append(kept, p)
				continue
			}
			if err := c.Conn.Put(p.pe, p.off, p.src); err != nil {
				return err
			}
		}
		c.puts = kept
		if some && now >= epoch && len(kept) > 0 { // no later one may overtake
			break
		}
	}
	return nil
}

func (c *checker) Get(dst []byte, pe int, off int64) error {
	c.delay()
	return c.Conn.Get(dst, pe, off)
}

func (c *checker) GetNBI(dst []byte, pe int, off int64) error {
	for i := range dst {
		dst[i] = 0xFF
	}
	c.gets = append(c.gets, lateGet{dst, pe, off})
	return nil
}

func (c *checker) Put(pe int, off int64, src []byte) error {
	return c.PutNBI(pe, off, append([]byte(nil), src...))
}

func (c *checker) PutNBI(pe int, off int64, src []byte) error {
	c.puts = append(c.puts, latePut{c.epoch, pe, off, src})
	if c.rnd.IntN(8) == 0 {
		return c.deliver(0, true)
	}
	return nil
}

func (c *checker) Fence() error {
	c.epoch++
	return nil
}

func (c *checker) Quiet() error {
	c.delay()
	if err := c.deliver(c.epoch+1, false); err != nil {
		return err
	}
	c.epoch = 0
	c.rnd.Shuffle(len(c.gets), func(i, j int) { c.gets[i], c.gets[j] = c.gets[j], c.gets[i] })
	for _, g := range c.gets {
		if err := c.Conn.Get(g.dst, g.pe, g.off); err != nil {
			return err
		}
	}
	c.gets = c.gets[:0]
	return c.Conn.Quiet()
}

func (c *checker) Atomic(pe int, off int64, size int, op AtomicOp, operand, compare uint64) (uint64, error) {
	c.delay()
	if err := c.deliver(c.epoch, false); err != nil {
		return 0, err
	}
	return c.Conn.Atomic(pe, off, size, op, operand, compare)
}

func (c *checker) Store(pe int, off int64, v uint64) error {
	c.delay()
	return c.Conn.Store(pe, off, v)
}

// PutSignal does not wait for earlier puts: they are not ordered before it.
func (c *checker) PutSignal(pe int, off int64, src []byte, signal int64, op AtomicOp, value uint64) error {
	c.delay()
	return c.Conn.PutSignal(pe, off, src, signal, op, value)
}

// WaitGE lets pending puts arrive in the end, as they do without quiet: what this
// PE waits for may depend on them.
func (c *checker) WaitGE(off int64, v uint64, from int, op string) (uint64, error) {
	if len(c.puts) > 0 {
		err := c.Wait(op, func() (bool, error) {
			got, err := c.Conn.Atomic(c.PE(), off, 8, AtomicFetch, 0, 0)
			return got >= v || len(c.puts) == 0, err
		})
		if err != nil {
			return 0, err
		}
	}
	got, err := c.Conn.WaitGE(off, v, from, op)
	c.delay()
	return got, err
}

func (c *checker) Wait(op string, ready func() (bool, error)) error {
	start := time.Now()
	return c.Conn.Wait(op, func() (bool, error) {
		if ok, err := ready(); ok || err != nil || len(c.puts) == 0 || time.Since(start) < lateness {
			return ok, err
		}
		return false, c.deliver(c.epoch+1, false)
	})
}

// Close completes what is outstanding: a program may end without quiet.
func (c *checker) Close(err error) {
	if err == nil {
		err = c.Quiet()
	}
	c.Conn.Close(err)
}
