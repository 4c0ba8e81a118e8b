/* The cases of "bench latency" in MPI: two-sided with persistent requests for the
 * halo step, RMA in a passive epoch for get and put. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static int repeats(long bytes)
{
	long n = (256L << 20) / bytes;
	return n > 50000 ? 50000 : n < 8 ? 8 : (int)n;
}

static double start;
static void begin(void) { MPI_Barrier(MPI_COMM_WORLD); start = MPI_Wtime(); }
static void end(const char *name, long bytes, int n)
{
	double t = MPI_Wtime() - start;
	if (rank == 0)
		printf("%s\t%ld\t%.2f\n", name, bytes, t * 1e9 / n);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong(const char *what)
{
	fprintf(stderr, "wrong answer: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	long largest = argc > 1 ? atol(argv[1]) : 16 << 20;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;

	uint64_t *x, *buf = malloc(largest), *out[2], *in[2];
	MPI_Win win;
	MPI_Win_allocate(largest, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
	for (int k = 0; k < 2; k++) {
		out[k] = calloc(1, largest);
		in[k] = calloc(1, largest);
	}
	for (long i = 0; i < largest / 8; i++)
		x[i] = (uint64_t)rank << 32 | i;
	MPI_Win_lock_all(0, win);
	MPI_Barrier(MPI_COMM_WORLD);

	for (long bytes = 8; bytes <= largest; bytes *= 8) {
		int n = repeats(bytes), k = bytes / 8;
		for (int w = n / 10 + 1; w-- > 0;) {
			MPI_Get(buf, k, MPI_UINT64_T, next, 0, k, MPI_UINT64_T, win);
			MPI_Win_flush(next, win);
		}
		if (buf[k - 1] != ((uint64_t)next << 32 | (k - 1)))
			wrong("get");
		begin();
		for (int i = 0; i < n; i++) {
			MPI_Get(buf, k, MPI_UINT64_T, next, 0, k, MPI_UINT64_T, win);
			MPI_Win_flush(next, win);
		}
		end("get", bytes, n);
		/* what was got is put back, so the content stays */
		begin();
		for (int i = 0; i < n; i++) {
			MPI_Put(buf, k, MPI_UINT64_T, next, 0, k, MPI_UINT64_T, win);
			MPI_Win_flush(next, win);
		}
		end("put+quiet", bytes, n);

		MPI_Request r[4];
		MPI_Recv_init(in[0], k, MPI_UINT64_T, prev, 0, MPI_COMM_WORLD, &r[0]);
		MPI_Recv_init(in[1], k, MPI_UINT64_T, next, 1, MPI_COMM_WORLD, &r[1]);
		MPI_Send_init(out[0], k, MPI_UINT64_T, next, 0, MPI_COMM_WORLD, &r[2]);
		MPI_Send_init(out[1], k, MPI_UINT64_T, prev, 1, MPI_COMM_WORLD, &r[3]);
		if (n > 20000)
			n = 20000;
		for (int warm = 1; warm >= 0; warm--) {
			int steps = warm ? n / 10 + 1 : n;
			if (!warm)
				begin();
			for (int i = 0; i < steps; i++) {
				out[0][0] = out[0][k - 1] = out[1][0] = out[1][k - 1] = i;
				MPI_Startall(4, r);
				MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
				if (in[0][0] != (uint64_t)i || in[1][k - 1] != (uint64_t)i)
					wrong("halo step");
			}
			if (!warm)
				end("halo step", bytes, n);
		}
		for (int k = 0; k < 4; k++)
			MPI_Request_free(&r[k]);
	}

	int n = 20000;
	for (int i = 0; i < n / 10; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	begin();
	for (int i = 0; i < n; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	end("barrier", 0, n);
	int64_t sum, one;
	begin();
	for (int i = 0; i < n; i++) {
		one = rank;
		MPI_Allreduce(&one, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
		if (sum != size * (size - 1) / 2)
			wrong("allreduce");
	}
	end("sum", 0, n);
	uint64_t token = 0;
	begin();
	for (int i = 0; i < n; i++) {
		if (rank == 0)
			MPI_Send(&token, 1, MPI_UINT64_T, 1, 2, MPI_COMM_WORLD);
		MPI_Recv(&token, 1, MPI_UINT64_T, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(&token, 1, MPI_UINT64_T, 0, 2, MPI_COMM_WORLD);
	}
	end("signal ping-pong", 0, n);
	if (rank == 0) {
		printf("end\n");
		fflush(stdout);
	}
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
