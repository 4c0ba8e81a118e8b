package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// peers are the programs of bench/peers, with how they are started. Each prints
// lines of: case, bytes, nanoseconds.
var peers = []struct {
	name, file string
	start      []string
}{
	{"mpi", "mpi_latency", []string{"mpirun", "--allow-run-as-root", "--bind-to", "core", "-n", "2"}},
	{"openshmem", "shmem_latency", []string{"oshrun", "--allow-run-as-root", "--bind-to", "core",
		"--mca", "pml", "ucx", "--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any", "-n", "2"}},
}

// runPeers gives each peer that was built its turn.
func runPeers(ctx context.Context, dir string, largest int, s *samples) error {
	ran := 0
	for _, p := range peers {
		program, err := filepath.Abs(filepath.Join(dir, p.file))
		if err != nil {
			return err
		}
		if _, err := os.Stat(program); err != nil {
			continue
		}
		ran++
		cmd := exec.CommandContext(ctx, p.start[0], append(p.start[1:], program, strconv.Itoa(largest))...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		// Debian's OpenSHMEM crashes in finalize, after its last line.
		if !strings.HasSuffix(string(out), "end\n") {
			return fmt.Errorf("peer %s: %w\n%s%s", p.name, err, out, stderr.Bytes())
		}
		for sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan(); {
			f := strings.Split(sc.Text(), "\t")
			if len(f) != 3 {
				continue
			}
			size, err1 := strconv.Atoi(f[1])
			ns, err2 := strconv.ParseFloat(f[2], 64)
			if err1 != nil || err2 != nil {
				return fmt.Errorf("peer %s printed %q", p.name, sc.Text())
			}
			s.add(key{f[0], size, 2, p.name}, ns)
		}
	}
	if ran == 0 {
		return fmt.Errorf("no peers in %s: run bench/peers/build.sh %s", dir, dir)
	}
	return nil
}
