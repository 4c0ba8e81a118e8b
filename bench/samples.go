package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// key names what was measured.
type key struct {
	Case  string `json:"case"`
	Bytes int    `json:"bytes"` // of one message; 0 if the case has none
	PEs   int    `json:"pes"`
	Who   string `json:"who"` // the transport or the peer
}

// samples keeps nanoseconds an operation by key, in the order of first use.
type samples struct {
	order []key
	ns    map[key][]float64
}

func (s *samples) add(k key, ns float64) {
	if s.ns == nil {
		s.ns = map[key][]float64{}
	}
	if _, ok := s.ns[k]; !ok {
		s.order = append(s.order, k)
	}
	s.ns[k] = append(s.ns[k], ns)
}

// median of sorted or unsorted values.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// print writes all samples in the given format: table, json or go.
func (s *samples) print(w io.Writer, format string) error {
	switch format {
	case "table":
		return s.table(w)
	case "json":
		type row struct {
			key
			NS []float64 `json:"ns"`
		}
		rows := []row{}
		for _, k := range s.order {
			rows = append(rows, row{k, s.ns[k]})
		}
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH, "processors": runtime.NumCPU(), "samples": rows})
	case "go":
		for _, k := range s.order {
			for _, ns := range s.ns[k] {
				fmt.Fprintf(w, "Benchmark%s/bytes=%d/pes=%d/who=%s 1 %.2f ns/op", strings.ReplaceAll(k.Case, " ", "_"), k.Bytes, k.PEs, k.Who, ns)
				if k.Bytes > 0 {
					fmt.Fprintf(w, " %.2f MB/s", float64(k.Bytes)/ns*1e3)
				}
				fmt.Fprintln(w)
			}
		}
		return nil
	}
	return fmt.Errorf("unknown format %q: table, json or go", format)
}

func (s *samples) table(w io.Writer) error {
	rows := slices.Clone(s.order)
	slices.SortStableFunc(rows, func(a, b key) int { // candidates side by side
		if a.Case != b.Case {
			return strings.Compare(a.Case, b.Case)
		}
		if a.Bytes != b.Bytes {
			return a.Bytes - b.Bytes
		}
		return a.PEs - b.PEs
	})
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "case\tbytes\tPEs\twho\tmedian ns\tmin\tmax\tGB/s\t")
	for _, k := range rows {
		v, rate := s.ns[k], ""
		if k.Bytes > 0 {
			rate = fmt.Sprintf("%.2f", float64(k.Bytes)/median(v))
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%s\t%.1f\t%.1f\t%.1f\t%s\t\n", k.Case, k.Bytes, k.PEs, k.Who, median(v), slices.Min(v), slices.Max(v), rate)
	}
	return tw.Flush()
}
