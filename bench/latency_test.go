package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLatencyMeasuresAllCases(t *testing.T) {
	l := latency{transports: []string{"local"}, pes: []int{1, 2, 3}, largest: 64, rounds: 2}
	s, err := l.run(t.Context())
	require.NoError(t, err)
	cases := map[string]int{}
	for _, k := range s.order {
		cases[k.Case]++
		require.Len(t, s.ns[k], 2)
		require.Positive(t, s.ns[k][0])
	}
	// Three numbers of PEs, with messages of 8 and of 64 bytes.
	require.Equal(t, map[string]int{"get": 6, "put+quiet": 6, "halo step": 6, "barrier": 3, "sum": 3, "exact sum": 3, "signal ping-pong": 2}, cases)
}

func TestFormats(t *testing.T) {
	var s samples
	for _, ns := range []float64{30, 10, 20} {
		s.add(key{"get", 8, 2, "local"}, ns)
	}
	s.add(key{"barrier", 0, 2, "mpi"}, 300)
	var out bytes.Buffer
	require.NoError(t, s.print(&out, "table"))
	require.Contains(t, strings.Join(strings.Fields(out.String()), " "), "get 8 2 local 20.0 10.0 30.0 0.40")
	out.Reset()
	require.NoError(t, s.print(&out, "go"))
	require.Contains(t, out.String(), "Benchmarkget/bytes=8/pes=2/who=local 1 30.00 ns/op")
	out.Reset()
	require.NoError(t, s.print(&out, "json"))
	var v struct{ Samples []map[string]any }
	require.NoError(t, json.Unmarshal(out.Bytes(), &v))
	require.Len(t, v.Samples, 2)
	require.Error(t, s.print(&out, "xml"))
}

func TestPeersThatAreMissing(t *testing.T) {
	require.ErrorContains(t, runPeers(t.Context(), t.TempDir(), 64, &samples{}), "build.sh")
}
