package formats

import (
	"fmt"
	"strconv"
	"strings"
)

// Class says what kind of fault a [ParseError] is. The list is complete: every
// fault of a file's content belongs to exactly one class.
type Class string

// The classes of faults.
const (
	ClassEmpty       Class = "empty"       // no content at all
	ClassEncoding    Class = "encoding"    // not ASCII-based text: UTF-16, NUL bytes, a zip archive
	ClassCompress    Class = "compress"    // damaged compression, or an archive without one clear matrix
	ClassLimit       Class = "limit"       // a number too large to be counted, or a line too long
	ClassBanner      Class = "banner"      // the first line is not a legal Matrix Market banner
	ClassUnsupported Class = "unsupported" // legal, understood, and not available here
	ClassSize        Class = "size"        // the size line, or a shape that does not fit its use
	ClassEntry       Class = "entry"       // an entry line with too few, too many or unusable words
	ClassIndex       Class = "index"       // a row or column outside of the matrix
	ClassValue       Class = "value"       // a value that is no number of the field, or out of its range
	ClassCount       Class = "count"       // more or fewer entries than the size line promises
	ClassSymmetry    Class = "symmetry"    // content that contradicts the symmetry of the banner
)

// ParseError describes one fault of a file. Fields that are not known are zero.
type ParseError struct {
	Name     string // the file, as the caller named it, with the archive member if any
	Line     int64  // from 1
	Col      int    // byte in the line, from 1
	Class    Class
	Token    string // what was found there, shortened
	Expected string // what should have been there, and what can be done
	Err      error  // the cause, if another package reported one
}

// Error gives what, where and what to do on one line.
func (e *ParseError) Error() string {
	var s strings.Builder
	s.WriteString("formats: ")
	if e.Name != "" {
		s.WriteString(e.Name)
		s.WriteByte(':')
	}
	if e.Line > 0 {
		fmt.Fprintf(&s, "%d:", e.Line)
		if e.Col > 0 {
			fmt.Fprintf(&s, "%d:", e.Col)
		}
	}
	if s.Len() > len("formats: ") {
		s.WriteByte(' ')
	}
	s.WriteString(e.Expected)
	if e.Token != "" {
		s.WriteString(", found ")
		s.WriteString(strconv.Quote(e.Token))
	}
	if e.Err != nil {
		s.WriteString(": ")
		s.WriteString(e.Err.Error())
	}
	return s.String()
}

// Unwrap returns the cause, or nil.
func (e *ParseError) Unwrap() error { return e.Err }

// maxToken is the length to which a token is cut in a message: a fault may sit
// in a token of megabytes.
const maxToken = 40

func shorten(token []byte) string {
	if len(token) <= maxToken {
		return string(token)
	}
	return string(token[:maxToken]) + "..."
}
