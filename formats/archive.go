package formats

import (
	"archive/tar"
	"errors"
	"io"
	"path"
	"strings"
)

// readArchive finds the matrix in an archive as the SuiteSparse Matrix Collection
// packs it: NAME/NAME.mtx, and NAME/NAME_b.mtx for the right-hand side if there
// is one and it is wanted. An archive without such names may hold any one .mtx
// file. The archive is a stream and the names come in any order, so the first
// file of another name is read too, in case it turns out to be the only one.
func readArchive(o *opened, name string, wantRHS bool) (a, b *Matrix, err error) {
	var (
		other    *Matrix
		otherErr error
		matrices []string // named after their folder
		others   []string
	)
	archive := tar.NewReader(o)
	for {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, archiveError(err)
		}
		base := path.Base(h.Name)
		stem, isMTX := strings.CutSuffix(base, ".mtx")
		if h.Typeflag != tar.TypeReg || !isMTX || strings.HasPrefix(base, "._") { // ._x is macOS metadata
			continue
		}
		member := func() (*Matrix, error) { return parse(&members{archive}, name+":"+h.Name) }
		switch folder := path.Base(path.Dir(path.Clean(h.Name))); {
		case stem == folder:
			if matrices = append(matrices, h.Name); len(matrices) == 1 {
				if a, err = member(); err != nil {
					return nil, nil, err
				}
			}
		case stem == folder+"_b":
			if wantRHS && b == nil {
				if b, err = member(); err != nil {
					return nil, nil, err
				}
			}
		default:
			if others = append(others, h.Name); len(others) == 1 && a == nil {
				if other, otherErr = member(); otherErr != nil && !isFault(otherErr) {
					return nil, nil, otherErr
				}
			}
		}
	}
	// The checksum of the compressed data follows the archive's end.
	if _, err := io.Copy(io.Discard, o); err != nil {
		return nil, nil, err
	}
	switch {
	case len(matrices) == 1:
		return a, b, nil
	case len(matrices) == 0 && len(others) == 1:
		return other, nil, otherErr
	}
	e := &ParseError{Class: ClassCompress, Expected: "expected an archive with a file NAME/NAME.mtx, or with one .mtx file"}
	if found := append(matrices, others...); len(found) > 0 {
		e.Expected += ", found " + strings.Join(found[:min(len(found), 3)], ", ")
		if len(found) > 3 {
			e.Expected += ", ..."
		}
	}
	return nil, nil, e
}

// members reads the archive's current member.
type members struct{ r *tar.Reader }

func (m *members) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		err = archiveError(err)
	}
	return n, err
}

// archiveError gives tar's own complaints the class compress.
func archiveError(err error) error {
	if errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &ParseError{Class: ClassCompress, Err: err, Expected: "expected an intact tar archive"}
	}
	return err
}
