package formats

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// WriteFile writes m to path, or to standard output if path is "-". A name that
// ends in .gz or .zst is compressed. See [Write].
//
// The content goes to a temporary file beside path, is flushed to the disk and
// takes path's place at once: whatever goes wrong, path holds its old content or
// all of the new. An existing file keeps its permissions, and a symbolic link
// stays one. A path that is no regular file, such as a pipe or a device, is
// written to directly.
func WriteFile(path string, m *Matrix) error {
	if path == "-" {
		return Write(os.Stdout, m)
	}
	mode := fs.FileMode(0o666) // less the umask
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	keepMode := false
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("is a directory")}
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(writeAs(f, path, m), f.Close())
	case err == nil:
		mode, keepMode = info.Mode().Perm(), true
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := createBeside(path, mode)
	if err != nil {
		return err
	}
	err = writeAs(f, path, m)
	if err == nil && keepMode {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// createBeside creates a new file in the folder of path. Unlike os.CreateTemp it
// leaves the permissions to mode and the umask.
func createBeside(path string, mode fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// writeAs writes m with the compression that the name asks for.
func writeAs(w io.Writer, name string, m *Matrix) error {
	switch filepath.Ext(name) {
	case ".gz":
		z := gzip.NewWriter(w)
		return errors.Join(Write(z, m), z.Close())
	case ".zst":
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		return errors.Join(Write(z, m), z.Close())
	}
	return Write(w, m)
}
