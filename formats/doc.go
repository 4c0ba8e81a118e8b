// Package formats reads and writes matrices and vectors in files: Matrix Market,
// plain, compressed, or packed as the SuiteSparse Matrix Collection packs it.
//
//	m, err := formats.ReadFile("A.mtx.gz")      // the exact content
//	a, err := m.COO()                           // the whole matrix, to compute with
//	b, err := rhs.Vector(a.Rows)                // a right-hand side
//	err = formats.WriteFile("x.mtx", formats.FromVector(x))
//
// A [Matrix] keeps what the file stores: one triangle of a symmetric matrix, all
// 64 bits of an integer, complex numbers, duplicates, the order. Writing it and
// reading it back gives the same bits. Faults of a file are a [ParseError] with
// a [Class], a line, a column, and what was expected there.
//
// # Cost
//
// Reading is one pass over blocks of 256 KiB; the text is never held. From 1 MiB of
// entries on, each block is parsed by a goroutine of its own, GOMAXPROCS of them
// running at a time, while the calling goroutine reads and decompresses: the caller's
// reader is never used by another. How many parse makes no difference to the result,
// nor to the fault that is reported, which is the first in the text; a fault may be
// reported one call of the reader late. No goroutine outlives the call.
//
// Digits are looked at eight at a time, and floats of up to 19 digits are rounded by
// one integer product, so that a core reads 600 MB/s of text and more. gzip allows
// about 130 MB/s, zstd 350, and bzip2 and xz less. Writing is slower than reading,
// most of it to find the shortest decimals.
//
// A real coordinate entry takes 24 bytes, and [Matrix.COO] takes them over without
// copying. Memory follows what has been read, not what the size line promises: a
// promise is trusted once an eighth of it has been kept. Slices are copied as they
// grow, which takes up to half as much memory again for a moment. Matrices that are
// not general get room for their mirror image at once.
//
// # Caveats
//
// Lines that are not comments may have 8 MiB. Decompressors may use windows of
// 64 MiB. Files are read to their end, so that a bad checksum or trailing text is
// noticed; reading from a terminal or pipe waits for that end. Complex matrices
// can be read and written, not expanded. Values are never -nan: the sign and
// payload of a NaN are lost.
//
// # Dialect
//
// Where Matrix Market leaves a choice, or files take liberties:
//
//	accepted                                  read as
//	any case of the banner, blanks before it  the same
//	double; unsigned-integer                  real; integer
//	words after the four of the banner        ignored, but 0-base is unsupported
//	byte order mark of UTF-8                  ignored
//	CRLF, tabs, form feeds                    blanks
//	blank lines and comments, anywhere        ignored
//	+ signs, leading zeros                    decimal
//	1.5D+3                                    1500
//	nan, inf, infinity, any case, any sign    NaN, infinity
//	1e-400                                    0
//	duplicates                                kept, for CSR to sum; one of a pattern
//	entries of both triangles, no pair twice  one triangle
//	zeros on a skew-symmetric diagonal        entries
//	more entries than rows x cols             duplicates
//
//	refused                                   class
//	carriage returns alone as line ends       size
//	a size line split over lines              size
//	an entry split over lines                 entry
//	text or a comment after an entry          entry
//	a value in a pattern, two in a real file  entry
//	the object vector                         unsupported
//	skew for skew-symmetric                   banner
//	a skew-symmetric pattern                  banner
//	1.25+102, 0x1.8p1, 1.#INF, nan(1)         value
//	1e400 and above                           value
//	1e3 or 1.0 in an integer file             value
//	integers outside of int64                 value
//	both triangles, even if consistent        symmetry
//	a diagonal in a skew-symmetric array      count
//	text, Ctrl-Z or a second matrix at the end  count
//	NUL bytes, UTF-16, zip archives           encoding
//	an archive with several matrices          compress
package formats
