package formats

import (
	"errors"
	"io"
	"os"
)

// Read reads one Matrix Market file, to its end. Compression (gzip, zstd, bzip2,
// xz) and tar archives are recognised by their content.
//
// A fault of the content is returned as a [*ParseError]; an error of r is
// returned wrapped. If r has a method Name, as *os.File does, errors use it.
//
// All cores parse a large file; r is used by the calling goroutine alone.
//
// Peak memory is that of the result, half as much again while the slices grow,
// and buffers of about 1 MiB a core, at worst 4; lines are limited to 8 MiB, and
// decompressors to a window of 64 MiB.
func Read(r io.Reader) (*Matrix, error) {
	a, _, err := read(r, false)
	return a, err
}

// ReadFile reads the file at path, or standard input if path is "-". See [Read].
func ReadFile(path string) (*Matrix, error) {
	a, _, err := readFile(path, false)
	return a, err
}

// ReadSystem is like [Read], and also returns the right-hand side if r is an
// archive that holds one, NAME/NAME_b.mtx beside NAME/NAME.mtx; else b is nil.
func ReadSystem(r io.Reader) (a, b *Matrix, err error) { return read(r, true) }

// ReadSystemFile is like [ReadFile] and [ReadSystem].
func ReadSystemFile(path string) (a, b *Matrix, err error) { return readFile(path, true) }

func readFile(path string, wantRHS bool) (a, b *Matrix, err error) {
	if path == "-" {
		return read(stdin{os.Stdin}, wantRHS)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return read(f, wantRHS)
}

type stdin struct{ io.Reader }

func (stdin) Name() string { return "standard input" }

func read(r io.Reader, wantRHS bool) (a, b *Matrix, err error) {
	name := "input"
	if n, ok := r.(interface{ Name() string }); ok {
		name = n.Name()
	}
	defer func() {
		if e, ok := errors.AsType[*ParseError](err); ok && e.Name == "" {
			e.Name = name
		}
	}()
	o, err := open(r)
	if err != nil {
		return nil, nil, err
	}
	defer o.close()
	if o.tar {
		return readArchive(o, name, wantRHS)
	}
	a, err = parse(o, name)
	return a, nil, err
}
