//go:build race

package shmem

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

const raceDetector = true

func init() {
	for name, barrier := range map[string]bool{"with barrier": true, "without barrier": false} {
		programs[name] = func(pes int, _ uint64) error {
			return Run(context.Background(), Options{PEs: pes}, func(pe *PE) error {
				x, err := Alloc[int64](pe, 1)
				if err != nil {
					return err
				}
				x.Local()[0] = 1
				if barrier {
					if err := pe.World().Barrier(); err != nil {
						return err
					}
				}
				var v [1]int64
				return Get(v[:], x, 0, (pe.ID()+1)%pe.N())
			})
		}
	}
}

// The race detector sees a barrier that is missing, and accepts one that is there.
func TestRaceDetectorSeesAMissingBarrier(t *testing.T) {
	out, err := program(t, "with barrier", 2, 0).CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = program(t, "without barrier", 2, 0).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "DATA RACE")
}
