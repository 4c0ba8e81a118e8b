package formats_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
)

// FuzzRead feeds arbitrary bytes: reading never panics, gives the same whether one
// goroutine reads or many, and what it accepts can be expanded, written, and read
// back to the same content.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "tricky", "*.*"))
	require.NoError(f, err)
	for _, path := range files {
		if data, err := os.ReadFile(path); err == nil && len(data) < 2000 {
			f.Add(data)
		}
	}
	f.Add([]byte("\xef\xbb\xbf\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		requireParallel(t, data, 33)
		a, b, err := formats.ReadSystem(bytes.NewReader(data))
		if err != nil {
			requireParseError(t, err)
			return
		}
		for _, m := range []*formats.Matrix{a, b} {
			if m == nil {
				continue
			}
			requireRoundTrip(t, m)
			if err := m.CheckDuplicates(); err != nil {
				requireParseError(t, err)
			}
			if m.Format == formats.Array {
				if _, err := m.Dense(); err != nil {
					requireParseError(t, err)
				}
			}
			coo, err := m.COO()
			if err != nil {
				requireParseError(t, err)
				continue
			}
			for k := range coo.V {
				require.Less(t, uint64(coo.I[k]), uint64(coo.Rows))
				require.Less(t, uint64(coo.J[k]), uint64(coo.Cols))
			}
		}
	})
}

func requireParseError(t *testing.T, err error) {
	t.Helper()
	var e *formats.ParseError
	require.ErrorAs(t, err, &e)
	require.NotEmpty(t, e.Class)
	require.NotEmpty(t, e.Name)
}
