package formats_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/formats"
)

func TestHeaderFaults(t *testing.T) {
	long := strings.Repeat("a ", 1<<20)
	for _, c := range []struct {
		text  string
		class formats.Class
		line  int64
		says  string
	}{
		{"", formats.ClassEmpty, 1, "no text"},
		{" \n\t\n", formats.ClassEmpty, 2, "no text"},
		{"\xef\xbb\xbf\n", formats.ClassBanner, 1, "%%MatrixMarket"},
		{"\xef\xbb\xbf", formats.ClassBanner, 1, "%%MatrixMarket"},
		{long, formats.ClassBanner, 1, "%%MatrixMarket"},
		{"%MatrixMarket matrix coordinate real general\n", formats.ClassBanner, 1, "two per cent signs"},
		{"version https://git-lfs.github.com/spec/v1\n", formats.ClassBanner, 1, "git lfs pull"},
		{"<!DOCTYPE html>\n", formats.ClassBanner, 1, "web page"},
		{"3 3 9\n", formats.ClassBanner, 1, "size line"},
		{"%%MatrixMarket matrix array pattern general\n", formats.ClassBanner, 1, "with values"},
		{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", formats.ClassBanner, 1, "with values"},
		{"%%MatrixMarket matrix coordinate real\n", formats.ClassBanner, 1, "hermitian"},
		{"%%MatrixMarket matrix coordinate real general\r1 1 0\r", formats.ClassSize, 1, "carriage returns"},
		{realGeneral + "% a\x00b\n1 1 0\n", formats.ClassEncoding, 2, "NUL"},
		{realGeneral + "1 1 0\n% a\x00b\n", formats.ClassEncoding, 3, "NUL"},
		{realGeneral + "1 1 0 0\n", formats.ClassSize, 2, "three integers"},
		{realGeneral + "0 1 1\n1 1 1\n", formats.ClassIndex, 3, "without a row"},
		{realGeneral + "1 1 1\n1\n", formats.ClassEntry, 3, "column index before the end"},
	} {
		requireFault(t, c.text, c.class, c.line, c.says)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.mtx")
	require.NoError(t, os.WriteFile(path, []byte(realGeneral+"1 1 1\n2 1 1\n"), 0o666))
	_, _, err := formats.ReadSystemFile(path)
	require.ErrorContains(t, err, path+":3:1: ")

	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	stdin := os.Stdin
	os.Stdin = f
	defer func() { os.Stdin = stdin }()
	_, err = formats.ReadFile("-")
	require.ErrorContains(t, err, "formats: standard input:3:1: ")
}

func TestWords(t *testing.T) {
	require.Equal(t, "array", formats.Array.String())
	require.Equal(t, "unknown(7)", formats.Field(7).String())
	require.Equal(t, "skew-symmetric", formats.SkewSymmetric.String())
}
