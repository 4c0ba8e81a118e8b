package formats_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
)

// corpus returns the folder of real matrices, which belong to others and are not
// part of the repository.
func corpus(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SYMSPARSE_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(filepath.Join(dir, "MANIFEST.tsv")); err != nil {
		t.Skip("no corpus of real matrices: set SYMSPARSE_CORPUS to its folder")
	}
	return dir
}

func TestCorpus(t *testing.T) {
	dir := corpus(t)
	for _, row := range rowsOf(t, filepath.Join(dir, "MANIFEST.tsv")) {
		t.Run(row["file"], func(t *testing.T) {
			number := func(key string) int64 {
				v, err := strconv.ParseInt(row[key], 10, 64)
				require.NoError(t, err)
				return v
			}
			m, err := formats.ReadFile(filepath.Join(dir, "real", row["file"]))
			require.NoError(t, err)
			require.Equal(t, []any{row["format"], row["field"], row["symmetry"], number("rows"), number("cols"), number("nnz_stored")},
				[]any{m.Format.String(), m.Field.String(), m.Symmetry.String(), m.Rows, m.Cols, int64(m.Len())})
			requireRoundTrip(t, m)
			require.NoError(t, m.CheckDuplicates())

			a, err := m.COO()
			if m.Field == formats.Complex {
				requireClass(t, formats.ClassUnsupported, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, number("nnz_expanded"), int64(a.Len()))
		})
	}
}
