#!/bin/sh
# Builds the peers of "bench latency" into the folder that is given, those whose
# compiler is installed. On Debian: apt-get install openmpi-bin libopenmpi-dev
set -eu
to=${1:?usage: build.sh FOLDER}
here=$(dirname "$0")
mkdir -p "$to"
if command -v mpicc >/dev/null; then
	mpicc -O3 -march=native -o "$to/mpi_latency" "$here/mpi_latency.c"
else
	echo "no mpicc: MPI is left out" >&2
fi
if command -v oshcc >/dev/null; then
	oshcc -O3 -march=native -o "$to/shmem_latency" "$here/shmem_latency.c"
else
	echo "no oshcc: OpenSHMEM is left out" >&2
fi
