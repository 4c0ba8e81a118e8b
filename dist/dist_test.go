package dist

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/symsparse/symsparse/dist/shmem"
	"github.com/symsparse/symsparse/sparse"
)

func run(t testing.TB, pes int, main func(pe *shmem.PE) error) error {
	t.Helper()
	return shmem.Run(t.Context(), shmem.Options{PEs: pes}, main)
}

// spread runs main on each PE, with its part of a.
func spread(t testing.TB, pes int, a *sparse.CSR, main func(pe *shmem.PE, m *Matrix) error) error {
	t.Helper()
	return run(t, pes, func(pe *shmem.PE) error {
		m, err := Distribute(pe, 0, a.RawCSR())
		if err != nil {
			return err
		}
		return main(pe, m)
	})
}

// random returns a matrix with empty rows, long rows and duplicates.
func random(r *rand.Rand, rows, cols int64, n int) *sparse.COO {
	a := sparse.NewCOO(rows, cols, n)
	for rows > 0 && cols > 0 && a.Len() < n {
		i := r.Int64N(rows)
		if i%5 == 3 {
			continue
		}
		a.Append(i, r.Int64N(cols), r.NormFloat64())
	}
	return a
}

func element(seed, i int64) float64 {
	return rand.New(rand.NewPCG(uint64(seed), uint64(i))).NormFloat64()
}

func csr(t testing.TB, a *sparse.COO) *sparse.CSR {
	t.Helper()
	c, err := a.ToCSR()
	require.NoError(t, err)
	return c
}

func TestProductsHaveTheBitsOfOnePE(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		rows, cols int64
		n          int
	}{
		{0, 0, 0}, {1, 1, 1}, {1, 1, 0}, {3, 3, 5}, {3, 900, 800}, {900, 3, 800}, {64, 64, 0},
		{200, 200, 3000}, {1500, 1500, 20000}, {5000, 5000, 2500}, {40, 40, 30000}, {0, 5, 0}, {5, 0, 0},
	} {
		coo := random(r, c.rows, c.cols, c.n)
		a := csr(t, coo)
		x := make([]float64, c.cols)
		for j := range x {
			x[j] = element(7, int64(j))
		}
		want := make([]float64, c.rows)
		a.Mul(want, x)
		for _, pes := range []int{1, 2, 3, 7, 9} {
			got := make([]float64, c.rows)
			assembled := make([]float64, c.rows)
			require.NoError(t, run(t, pes, func(pe *shmem.PE) error {
				root := pes / 2
				var raw sparse.RawCSR
				if pe.ID() == root {
					raw = a.RawCSR()
				}
				m, err := Distribute(pe, root, raw)
				if err != nil {
					return err
				}
				if err := multiply(m, root, got); err != nil {
					return err
				}

				// The same entries, added by whoever: in contiguous pieces, so that
				// the order of duplicates stays that of the list.
				b, err := NewBuilder(pe, c.rows, c.cols)
				if err != nil {
					return err
				}
				lo, hi := coo.Len()*pe.ID()/pes, coo.Len()*(pe.ID()+1)/pes
				for k := lo; k < hi; k++ {
					if err := b.Add(coo.I[k], coo.J[k], coo.V[k]); err != nil {
						return err
					}
				}
				if m, err = b.Assemble(); err != nil {
					return err
				}
				if m.Entries() != int64(a.NNZ()) {
					return fmt.Errorf("%d entries, want %d", m.Entries(), a.NNZ())
				}
				if err := m.ReleaseRows(); err != nil {
					return err
				}
				return multiply(m, root, assembled)
			}), "%v on %d PEs", c, pes)
			require.Equal(t, bits(want), bits(got), "%v on %d PEs", c, pes)
			require.Equal(t, bits(want), bits(assembled), "%v on %d PEs", c, pes)
		}
	}
}

func bits(x []float64) []uint64 {
	b := make([]uint64, len(x))
	for i, v := range x {
		b[i] = math.Float64bits(v)
	}
	return b
}

// multiply gathers the product of m with the vector of element(7, j).
func multiply(m *Matrix, root int, result []float64) error {
	x, err := m.NewVector()
	if err != nil {
		return err
	}
	y, err := m.NewResult()
	if err != nil {
		return err
	}
	if err := x.Fill(func(j int64) float64 { return element(7, j) }); err != nil {
		return err
	}
	if err := m.Mul(y, x); err != nil {
		return err
	}
	if err := y.Gather(root, result); err != nil {
		return err
	}
	if m.rows == m.cols {
		if err := checkMulDot(m, y, x); err != nil {
			return err
		}
	}
	return errors.Join(x.Free(), y.Free())
}

// checkMulDot compares MulDot with y = A x and a dot product.
func checkMulDot(m *Matrix, y, x *Vector) error {
	s, err := m.Space()
	if err != nil {
		return err
	}
	want, err := s.Dot(x, y)
	if err != nil {
		return err
	}
	z, err := m.NewResult()
	if err != nil {
		return err
	}
	got, err := m.MulDot(z, x)
	if err != nil {
		return err
	}
	if math.Float64bits(got) != math.Float64bits(want) {
		return fmt.Errorf("MulDot gives %v, Dot %v", got, want)
	}
	for i, v := range z.Local() {
		if math.Float64bits(v) != math.Float64bits(y.Local()[i]) {
			return fmt.Errorf("row %d is %v in MulDot, %v in Mul", i, v, y.Local()[i])
		}
	}
	return z.Free()
}

// A vector that is overwritten right after it was multiplied, with no reduction
// in between, must not change what slower PEs read.
func TestOverwriteAfterProduct(t *testing.T) {
	const n, steps = 600, 60
	r := rand.New(rand.NewPCG(3, 4))
	a := csr(t, random(r, n, n, 6000))
	want := make([]float64, n)
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = element(7, int64(i))
	}
	for range steps { // x = A x / 8, elementwise: a power iteration without norms
		a.Mul(y, x)
		for i := range x {
			x[i] = y[i] / 8
		}
	}
	copy(want, x)
	for _, single := range []bool{false, true} {
		for _, pes := range []int{2, 3, 7} {
			got := make([]float64, n)
			require.NoError(t, spread(t, pes, a, func(pe *shmem.PE, m *Matrix) error {
				s, err := m.Space()
				if err != nil {
					return err
				}
				x, err := m.NewVector()
				if single {
					x, err = s.New()
				}
				if err != nil {
					return err
				}
				y, err := m.NewResult()
				if err != nil {
					return err
				}
				if err := x.Fill(func(j int64) float64 { return element(7, j) }); err != nil {
					return err
				}
				syncs := pe.World().Syncs()
				for range steps {
					if err := m.Mul(y, x); err != nil {
						return err
					}
					s.Scale(x, 0.125, y)
				}
				if used := pe.World().Syncs() - syncs; !single && used != steps {
					return fmt.Errorf("%d syncs in %d products", used, steps)
				}
				return x.Gather(0, got)
			}))
			require.Equal(t, bits(want), bits(got), "%d PEs, single buffer %v", pes, single)
		}
	}
}

func TestScatterGatherEdit(t *testing.T) {
	const n = 100
	full := make([]float64, n)
	for i := range full {
		full[i] = float64(i)
	}
	a := csr(t, random(rand.New(rand.NewPCG(5, 6)), n, n, 400))
	for _, pes := range []int{1, 2, 5, 20} {
		back := make([]float64, n)
		require.NoError(t, spread(t, pes, a, func(pe *shmem.PE, m *Matrix) error {
			x, err := m.NewVector()
			if err != nil {
				return err
			}
			if err := x.Scatter(pes-1, full); err != nil {
				return err
			}
			own, err := x.Edit()
			if err != nil {
				return err
			}
			lo, _ := x.Partition().Range(pe.ID())
			for k := range own {
				if own[k] != float64(lo+int64(k)) {
					return fmt.Errorf("element %d is %v", lo+int64(k), own[k])
				}
				own[k]++
			}
			if pe.ID() == pes-1 && x.Scatter(pes-1, full[:3]) == nil {
				return fmt.Errorf("a short vector was scattered")
			}
			return x.Gather(0, back)
		}))
		for i := range back {
			require.Equal(t, float64(i+1), back[i])
		}
	}
}

func TestWrongShapesAreErrorsBeforeCommunication(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	a, b := csr(t, random(r, 50, 50, 300)), csr(t, random(r, 60, 40, 300))
	require.NoError(t, spread(t, 3, a, func(pe *shmem.PE, m *Matrix) error {
		k, err := Distribute(pe, 0, b.RawCSR())
		if err != nil {
			return err
		}
		x, err := m.NewVector()
		if err != nil {
			return err
		}
		y, err := k.NewResult()
		if err != nil {
			return err
		}
		syncs := pe.World().Syncs()
		for name, err := range map[string]error{
			"x of another matrix": k.Mul(y, x), "y of another matrix": m.Mul(y, x), "x == y": m.Mul(x, x),
			"diagonal of a rectangle": k.Diagonal(y),
		} {
			if err == nil {
				return fmt.Errorf("%s was accepted", name)
			}
		}
		if _, err := k.Space(); err == nil {
			return fmt.Errorf("a rectangle has a space")
		}
		if pe.World().Syncs() != syncs {
			return fmt.Errorf("communication before the error")
		}
		bad, err := NewBuilder(pe, 4, 4)
		if err != nil {
			return err
		}
		if bad.Add(4, 0, 1) == nil || bad.Add(0, -1, 1) == nil {
			return fmt.Errorf("an entry outside of the matrix was accepted")
		}
		if _, err := NewBuilder(pe, -1, 4); err == nil {
			return fmt.Errorf("a negative size was accepted")
		}
		return nil
	}))
}

func TestDiagonal(t *testing.T) {
	a := csr(t, random(rand.New(rand.NewPCG(9, 1)), 77, 77, 900))
	require.NoError(t, spread(t, 4, a, func(pe *shmem.PE, m *Matrix) error {
		d, err := m.NewVector()
		if err != nil {
			return err
		}
		if err := m.Diagonal(d); err != nil {
			return err
		}
		lo, _ := m.Rows().Range(pe.ID())
		for k, v := range d.Local() {
			if i := int(lo) + k; v != a.At(i, i) {
				return fmt.Errorf("diagonal %d is %v", i, v)
			}
		}
		if err := m.ReleaseRows(); err != nil {
			return err
		}
		if m.Diagonal(d) == nil {
			return fmt.Errorf("diagonal of released rows")
		}
		return nil
	}))
}

// Entries for a row of another PE, also from a PE that owns nothing.
func TestRemoteEntriesAreNeverDropped(t *testing.T) {
	require.NoError(t, run(t, 5, func(pe *shmem.PE) error {
		b, err := NewBuilder(pe, 3, 3)
		if err != nil {
			return err
		}
		if err := b.Add(0, 0, math.Ldexp(1, pe.ID())); err != nil {
			return err
		}
		m, err := b.Assemble()
		if err != nil {
			return err
		}
		d, err := m.NewVector()
		if err != nil {
			return err
		}
		if err := m.Diagonal(d); err != nil {
			return err
		}
		all := make([]float64, 3)
		if err := d.Gather(0, all); err != nil {
			return err
		}
		if pe.ID() == 0 && all[0] != 31 {
			return fmt.Errorf("row 0 has %v, want 31", all[0])
		}
		return nil
	}))
}

func TestSpaceIsIndependentOfThePartition(t *testing.T) {
	for _, n := range []int64{0, 1, 9, 200, 3000} {
		a := csr(t, random(rand.New(rand.NewPCG(2, 2)), n, n, int(3*n)))
		var want string
		for _, pes := range []int{1, 2, 3, 7} {
			var mu sync.Mutex
			digests := map[string]bool{}
			require.NoError(t, spread(t, pes, a, func(pe *shmem.PE, m *Matrix) error {
				d, err := everyPass(m)
				mu.Lock()
				digests[d] = true
				mu.Unlock()
				return err
			}))
			require.Len(t, digests, 1, "PEs disagree")
			for d := range digests {
				if want == "" {
					want = d
				}
				require.Equal(t, want, d, "n %d on %d PEs", n, pes)
			}
		}
	}
}

// everyPass runs each method of a space and digests all scalars.
func everyPass(m *Matrix) (string, error) {
	s, err := m.Space()
	if err != nil {
		return "", err
	}
	var v [6]*Vector
	for i := range v {
		if v[i], err = s.New(); err != nil {
			return "", err
		}
		if err := v[i].Fill(func(j int64) float64 { return element(int64(i), j) }); err != nil {
			return "", err
		}
	}
	h := sha256.New()
	note := func(xs ...float64) { _ = binary.Write(h, binary.LittleEndian, xs) }
	scalar := func(x float64, e error) {
		note(x)
		err = errors.Join(err, e)
	}
	scalar(s.Dot(v[0], v[1]))
	scalar(s.Norm(v[0]))
	s.Scale(v[2], 1e-200, v[2])
	scalar(s.Norm(v[2]))
	yy, yz, e := s.AxpyScaledDot(0.3, v[0], v[1], v[3])
	note(yy, yz)
	err = errors.Join(err, e)
	scalar(s.AxpyDot(-1.5, v[3], v[4]))
	s.AxpyXpby(0.1, v[0], v[1], 0.2, v[3])
	s.AxpyXpbyScaled(0.7, v[0], v[1], -0.2, v[3], v[4])
	c, dst := []float64{0.1, -0.2, 0.3}, make([]float64, 3)
	err = errors.Join(err, s.Dots(dst, v[:3], v[5]))
	note(dst...)
	scalar(s.Axpys(c, v[:3], v[5]))
	err = errors.Join(err, s.AxpysDots(dst, c, v[:3], v[4]))
	note(dst...)
	s.Copy(v[2], v[4])
	s.Sub(v[3], v[2], v[0])
	s.Mul(v[3], v[3], v[5])
	scalar(s.Norm(v[3]))
	bad, e := s.Reciprocal(v[0], v[3])
	note(float64(bad))
	err = errors.Join(err, e)
	s.Zero(v[1])
	bad, e = s.Reciprocal(v[0], v[1])
	note(float64(bad))
	err = errors.Join(err, e)
	s.Vote(1 << m.pe.ID() & 3)
	scalar(s.Dot(v[1], v[1]))
	if m.pe.N() > 1 && s.Votes() != 3 {
		err = errors.Join(err, fmt.Errorf("votes %b", s.Votes()))
	}
	for i := range v {
		s.Free(v[i])
	}
	_, e = s.New()
	return fmt.Sprintf("%x", h.Sum(nil)), errors.Join(err, e)
}

func TestProductAllocatesNothing(t *testing.T) {
	a := csr(t, random(rand.New(rand.NewPCG(2, 2)), 500, 500, 3000))
	require.NoError(t, spread(t, 1, a, func(pe *shmem.PE, m *Matrix) error {
		s, err := m.Space()
		if err != nil {
			return err
		}
		x, err := m.NewVector()
		if err != nil {
			return err
		}
		y, err := m.NewVector()
		if err != nil {
			return err
		}
		n := testing.AllocsPerRun(20, func() {
			err = errors.Join(m.Mul(y, x))
			_, e := s.AxpyDot(1, x, y)
			err = errors.Join(err, e)
		})
		if n != 0 {
			return fmt.Errorf("%v allocations a product", n)
		}
		return err
	}))
}
