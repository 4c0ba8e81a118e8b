package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/symsparse/symsparse/dist/shmem"
)

// latency is what `bench latency` was asked for.
type latency struct {
	transports []string
	pes        []int
	largest    int
	rounds     int
	format     string
	peers      string
}

func latencyCommand() *cobra.Command {
	var l latency
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "latency",
		Short: "What get, put, barrier, reductions and a halo step cost",
		Long: `What get, put, barrier, reductions and a halo step cost, for each transport and
number of PEs. The times are those of PE 0, an operation at a time, in a loop.

get, put+quiet       one message from or to the next PE
barrier              of all PEs
sum, exact sum       reduction of one int64, and of one exact sum of doubles
signal ping-pong     round trip of an element that is put and waited for
halo step            sync, a get from either neighbour in a ring, quiet`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				l.format = "json"
			}
			s, err := l.run(cmd.Context())
			if err != nil {
				return err
			}
			return s.print(os.Stdout, l.format)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&l.transports, "transport", []string{"local", "process"}, "transports to compare")
	f.IntSliceVar(&l.pes, "pes", []int{2}, "numbers of PEs")
	f.IntVar(&l.largest, "largest", 16<<20, "bytes of the largest message")
	f.IntVar(&l.rounds, "rounds", 9, "rounds, in each of which all take their turn")
	f.StringVar(&l.format, "format", "table", "table, json or go")
	f.BoolVar(&asJSON, "json", false, "the same as --format json")
	f.StringVar(&l.peers, "peers", "", "folder with the peers that bench/peers/build.sh made; they take their turns with 2 PEs")
	return cmd
}

func (l *latency) run(ctx context.Context) (*samples, error) {
	var s samples
	for range l.rounds {
		for _, pes := range l.pes {
			for _, transport := range l.transports {
				err := shmem.Run(ctx, shmem.Options{PEs: pes, Transport: transport, HeapBytes: int64(4*l.largest + 1<<20)}, func(pe *shmem.PE) error {
					return l.world(pe, func(name string, bytes int, ns float64) {
						s.add(key{name, bytes, pes, transport}, ns)
					})
				})
				if err != nil {
					return nil, err
				}
			}
		}
		if l.peers != "" {
			if err := runPeers(ctx, l.peers, l.largest, &s); err != nil {
				return nil, err
			}
		}
	}
	return &s, nil
}

// world measures all cases in one world. PE 0 notes the times.
func (l *latency) world(pe *shmem.PE, note func(name string, bytes int, ns float64)) error {
	w, next, prev := pe.World(), (pe.ID()+1)%pe.N(), (pe.ID()+pe.N()-1)%pe.N()
	x, err := shmem.Alloc[uint64](pe, l.largest/8)
	if err != nil {
		return err
	}
	// Twice the room: one half for each neighbour, or for odd and even steps.
	halo, err := shmem.Alloc[uint64](pe, 2*(l.largest/8))
	if err != nil {
		return err
	}
	buf := make([]uint64, 2*(l.largest/8))
	for i := range x.Local() {
		x.Local()[i] = uint64(pe.ID())<<32 | uint64(i)
	}

	measure := func(name string, bytes, n int, op func(i int) error) error {
		for i := range n/10 + 1 { // warm up
			if err := op(i); err != nil {
				return err
			}
		}
		if err := w.Barrier(); err != nil {
			return err
		}
		start := time.Now()
		for i := range n {
			if err := op(i); err != nil {
				return err
			}
		}
		t := time.Since(start)
		if pe.ID() == 0 {
			note(name, bytes, float64(t.Nanoseconds())/float64(n))
		}
		return w.Barrier()
	}

	for bytes := 8; bytes <= l.largest; bytes *= 8 {
		n, k := repeats(bytes), bytes/8
		// The answers first.
		if err := w.Barrier(); err != nil {
			return err
		}
		if err := shmem.Get(buf[:k], x, 0, next); err != nil {
			return err
		}
		for i, v := range buf[:k] {
			if v != uint64(next)<<32|uint64(i) {
				return fmt.Errorf("get of %d bytes from PE %d: element %d is %#x", bytes, next, i, v)
			}
		}
		if err := measure("get", bytes, n, func(int) error { return shmem.Get(buf[:k], x, 0, next) }); err != nil {
			return err
		}
		if err := measure("put+quiet", bytes, n, func(int) error {
			if err := shmem.Put(halo, 0, next, buf[:k]); err != nil {
				return err
			}
			return pe.Quiet()
		}); err != nil {
			return err
		}
		// Every step the boundary is new, in one of two halves by turns, and must
		// arrive.
		if err := measure("halo step", bytes, min(n, 20000), func(i int) error {
			at := (i & 1) * (l.largest / 8)
			mine := halo.Local()[at : at+k]
			mine[0], mine[k-1] = uint64(i), uint64(i)
			if err := w.Sync(); err != nil {
				return err
			}
			if err := shmem.GetNBI(buf[:k], halo, at, prev); err != nil {
				return err
			}
			if err := shmem.GetNBI(buf[l.largest/8:][:k], halo, at, next); err != nil {
				return err
			}
			if err := pe.Quiet(); err != nil {
				return err
			}
			if buf[0] != uint64(i) || buf[l.largest/8+k-1] != uint64(i) {
				return fmt.Errorf("halo step %d of %d bytes: got those of steps %d and %d", i, bytes, buf[0], buf[l.largest/8+k-1])
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if err := measure("barrier", 0, 20000, func(int) error { return w.Barrier() }); err != nil {
		return err
	}
	v := []int64{0}
	if err := measure("sum", 0, 10000, func(int) error {
		v[0] = int64(pe.ID())
		if err := shmem.Sum(w, v, v); err != nil {
			return err
		}
		if v[0] != int64(pe.N()*(pe.N()-1)/2) {
			return fmt.Errorf("the sum of the PE numbers is %d", v[0])
		}
		return nil
	}); err != nil {
		return err
	}
	if err := l.pingPong(pe, measure); err != nil {
		return err
	}
	sums := make([]shmem.ExactSum, 1)
	return measure("exact sum", 0, 10000, func(i int) error {
		sums[0].Reset()
		sums[0].Add(float64(i) / 3)
		if _, err := shmem.SumExact(w, sums, 0); err != nil {
			return err
		}
		if sums[0].Float64() == 0 && i > 0 {
			return fmt.Errorf("exact sum is lost")
		}
		return nil
	})
}

// pingPong measures round trips of a signal between PE 0 and PE 1.
func (l *latency) pingPong(pe *shmem.PE, measure func(name string, bytes, n int, op func(i int) error) error) error {
	if pe.N() < 2 {
		return nil
	}
	sig, err := shmem.Alloc[uint64](pe, 1)
	if err != nil {
		return err
	}
	sent := uint64(0)
	return measure("signal ping-pong", 0, 10000, func(int) error {
		sent++
		if pe.ID() == 0 {
			if err := shmem.P(sig, 0, 1, sent); err != nil {
				return err
			}
		}
		if pe.ID() < 2 {
			if _, err := shmem.WaitUntil(sig, 0, shmem.EQ, sent); err != nil {
				return err
			}
		}
		if pe.ID() == 1 {
			return shmem.P(sig, 0, 0, sent)
		}
		return nil
	})
}

// repeats bounds what one sample moves, the same on every PE.
func repeats(bytes int) int { return max(8, min(50000, 256<<20/bytes)) }
