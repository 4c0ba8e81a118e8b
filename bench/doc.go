// Command bench measures symsparse, one subcommand a question. Every answer is
// checked before anything is timed, candidates take turns round by round, and a
// table gives medians with their spread; --json gives all samples, --format go
// text for benchstat.
//
//	bench latency    what get, put, barrier, reductions and a halo step cost
//
// Times on shared machines mean little by themselves: compare what one run
// measured. Peers in C, for MPI and OpenSHMEM, are in peers/ and built on request
// only, see peers/build.sh.
package main
