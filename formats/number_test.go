package formats

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block returns a block of one line; what lies behind it looks like digits.
func block(token string) []byte {
	b := []byte(token + "\n" + strings.Repeat("12345678", slack/8))
	return b[:len(token)+1]
}

// requireLikeStrconv demands that scanFloat gives what strconv gives, bit for
// bit, for a token that holds neither a blank nor a newline.
func requireLikeStrconv(t *testing.T, token string) {
	t.Helper()
	v, end, ok := scanFloat(block(token), 0)
	want, err := strconv.ParseFloat(like(token), 64)
	line := requireLineLike(t, token, err)
	if errors.Is(err, strconv.ErrSyntax) {
		require.Equal(t, malformed, ok, "%q", token)
		return
	}
	if err != nil {
		require.Equal(t, tooLarge, ok, "%q", token)
		return
	}
	require.Equal(t, good, ok, "%q", token)
	require.Equal(t, len(token), end, "%q", token)
	require.Equal(t, math.Float64bits(want), math.Float64bits(v), "%q: want %v, got %v", token, want, v)
	require.Equal(t, math.Float64bits(want), math.Float64bits(line), "%q: want %v, got %v", token, want, line)
}

// requireLineLike reads the token as the value of an entry, in lines of several
// forms, and demands that this fails if and only if strconv does.
func requireLineLike(t *testing.T, token string, err error) float64 {
	t.Helper()
	var v [3]float64
	for k, line := range []string{"1234 5678 " + token, "1 2 " + token + "\r", " 12  345\t" + token + " "} {
		p := &parser{m: &Matrix{Rows: 1234, Cols: 5678}, want: 1}
		lineErr := p.block(block(line))
		require.Equal(t, err == nil, lineErr == nil, "%q: %v, %v", line, err, lineErr)
		v[k] = p.m.Real[0]
	}
	if err == nil {
		require.Equal(t, math.Float64bits(v[0]), math.Float64bits(v[1]), "%q", token)
		require.Equal(t, math.Float64bits(v[0]), math.Float64bits(v[2]), "%q", token)
	}
	return v[0]
}

// like translates what scanFloat and strconv take differently.
func like(token string) string {
	s := lower([]byte(token))
	switch {
	case s == "+nan" || s == "-nan":
		return "nan"
	case strings.ContainsAny(s, "_xp"):
		return "malformed"
	case strings.ContainsAny(s, "in"):
		return s
	}
	return strings.ReplaceAll(s, "d", "e")
}

var floatSeeds = []string{
	"0", "-0", "1", "+1", ".5", "5.", "-.03", "1D+03", "1d-3", "1e5", "1e", "e5", ".", "", "-", "+", "1e+", "1.2.3", "--1",
	"9007199254740993", "9007199254740992.99999999999999", "18446744073709551615", "18446744073709551616", "99999999999999999999",
	"0.000000000000000000000000012345678901234567", "1e27", "1e28", "1e-27", "1e-28", "1e22", "1e23", "12345678901234567e11",
	"4.9406564584124654e-324", "2.2250738585072014e-308", "2.2250738585072011e-308", "1.7976931348623157e308", "1.7976931348623159e308",
	"1e400", "1e-400", "0e99999", "1e99999999999999999999", "1e+0000000000000000000005", "nan", "-NaN", "+inf", "-Infinity", "infinit",
	"0x10", "1_000", "1.5f", "50%", "12345678", "0.12345678", "0.123456781234567", "123456789.12345678", "0.1234567/", "0.1234567:",
}

func TestScanFloatSeeds(t *testing.T) {
	for _, s := range floatSeeds {
		requireLikeStrconv(t, s)
	}
	requireLikeStrconv(t, "0."+strings.Repeat("0", 400)+"123e398")
	requireLikeStrconv(t, strings.Repeat("9", 400))
	requireLikeStrconv(t, strings.Repeat("0", 400)+"1.5")
}

func TestScanFloatRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		v := math.Float64frombits(r.Uint64())
		if math.IsNaN(v) {
			continue
		}
		requireLikeStrconv(t, strconv.FormatFloat(v, 'g', r.IntN(20)-1, 64))
		m := r.Uint64() >> r.IntN(64)
		requireLikeStrconv(t, fmt.Sprintf("%de%d", m, r.IntN(60)-30))
		// Halfway between two floats, and one digit beside it.
		half := uint64(1)<<53 + 2*uint64(r.Int64N(1<<52)) + 1
		e := r.IntN(10)
		requireLikeStrconv(t, fmt.Sprintf("%de%d", half, e))
		requireLikeStrconv(t, fmt.Sprintf("%d.%018de%d", half, r.IntN(2), -e))
	}
}

func TestTens(t *testing.T) {
	for e := minTen; e <= maxTen; e++ {
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
		if e < 0 {
			power.Quo(new(big.Int).Lsh(big.NewInt(1), 1200), power)
		}
		power.Lsh(power, 64)
		top := power.Rsh(power, uint(power.BitLen()-64)).Uint64()
		require.Equal(t, top, tens[e-minTen], "10^%d", e)
		_, exp := math.Frexp(math.Pow(10, float64(e)))
		require.Equal(t, exp-1, e*217706>>16, "10^%d", e)
	}
}

func TestScanInt(t *testing.T) {
	for _, c := range []struct {
		token string
		v     int64
		ok    verdict
	}{
		{"0", 0, good}, {"-0", 0, good}, {"+7", 7, good}, {"000000000000000000000000000012", 12, good},
		{"9223372036854775807", math.MaxInt64, good}, {"9223372036854775808", 0, tooLarge},
		{"-9223372036854775808", math.MinInt64, good}, {"-9223372036854775809", 0, tooLarge},
		{"18446744073709551617", 0, tooLarge}, {"99999999999999999999", 0, tooLarge},
		{"", 0, malformed}, {"-", 0, malformed}, {"1.0", 0, malformed}, {"1e3", 0, malformed}, {"0x10", 0, malformed}, {"--1", 0, malformed},
	} {
		v, end, ok := scanInt(block(c.token), 0)
		require.Equal(t, c.ok, ok, "%q", c.token)
		require.Equal(t, c.v, v, "%q", c.token)
		if ok == good {
			require.Equal(t, len(c.token), end)
		}
	}
}

func FuzzScanFloat(f *testing.F) {
	for _, s := range floatSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, " \t\n\v\f\r") {
			t.Skip("not one token")
		}
		requireLikeStrconv(t, s)
	})
}
