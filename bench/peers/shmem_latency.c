/* The cases of "bench latency" in OpenSHMEM 1.4. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int me, size;

static int repeats(long bytes)
{
	long n = (256L << 20) / bytes;
	return n > 50000 ? 50000 : n < 8 ? 8 : (int)n;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double start;
static void begin(void) { shmem_barrier_all(); start = now(); }
static void end(const char *name, long bytes, int n)
{
	double t = now() - start;
	if (me == 0)
		printf("%s\t%ld\t%.2f\n", name, bytes, t / n);
	shmem_barrier_all();
}

static void wrong(const char *what)
{
	fprintf(stderr, "wrong answer: %s\n", what);
	shmem_global_exit(1);
}

static long psync[SHMEM_REDUCE_SYNC_SIZE];
static long pwrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE], one, sum;

int main(int argc, char **argv)
{
	long largest = argc > 1 ? atol(argv[1]) : 16 << 20;
	shmem_init();
	me = shmem_my_pe();
	size = shmem_n_pes();
	int next = (me + 1) % size, prev = (me + size - 1) % size;
	uint64_t *x = shmem_malloc(largest), *halo = shmem_malloc(2 * largest), *buf = malloc(2 * largest);
	if (!x || !halo)
		wrong("no memory: set SHMEM_SYMMETRIC_SIZE");
	for (long i = 0; i < largest / 8; i++)
		x[i] = (uint64_t)me << 32 | i;
	for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
		psync[i] = SHMEM_SYNC_VALUE;
	shmem_barrier_all();

	for (long bytes = 8; bytes <= largest; bytes *= 8) {
		int n = repeats(bytes), k = bytes / 8;
		for (int w = n / 10 + 1; w-- > 0;)
			shmem_uint64_get(buf, x, k, next);
		if (buf[k - 1] != ((uint64_t)next << 32 | (k - 1)))
			wrong("get");
		begin();
		for (int i = 0; i < n; i++)
			shmem_uint64_get(buf, x, k, next);
		end("get", bytes, n);
		begin();
		for (int i = 0; i < n; i++) {
			shmem_uint64_put(halo, buf, k, next);
			shmem_quiet();
		}
		end("put+quiet", bytes, n);
		if (n > 20000)
			n = 20000;
		for (int warm = 1; warm >= 0; warm--) {
			int steps = warm ? n / 10 + 1 : n;
			if (!warm)
				begin();
			for (int i = 0; i < steps; i++) {
				uint64_t *at = halo + (i & 1) * (largest / 8), *other = buf + largest / 8;
				at[0] = at[k - 1] = i;
				shmem_sync_all();
				shmem_uint64_get_nbi(buf, at, k, prev);
				shmem_uint64_get_nbi(other, at, k, next);
				shmem_quiet();
				if (buf[0] != (uint64_t)i || other[k - 1] != (uint64_t)i)
					wrong("halo step");
			}
			if (!warm)
				end("halo step", bytes, n);
		}
	}

	int n = 20000;
	for (int i = 0; i < n / 10; i++)
		shmem_barrier_all();
	begin();
	for (int i = 0; i < n; i++)
		shmem_barrier_all();
	end("barrier", 0, n);
	begin();
	for (int i = 0; i < n; i++) {
		one = me;
		shmem_long_sum_to_all(&sum, &one, 1, 0, 0, size, pwrk, psync);
		if (sum != size * (size - 1) / 2)
			wrong("sum");
		shmem_barrier_all(); /* psync and the work array are used again */
	}
	end("sum", 0, n);
	static uint64_t sig;
	begin();
	for (int i = 0; i < n; i++) {
		if (me == 0)
			shmem_uint64_p(&sig, i + 1, 1);
		shmem_uint64_wait_until(&sig, SHMEM_CMP_EQ, i + 1);
		if (me == 1)
			shmem_uint64_p(&sig, i + 1, 0);
	}
	end("signal ping-pong", 0, n);
	if (me == 0) {
		printf("end\n");
		fflush(stdout);
	}
	shmem_finalize();
	return 0;
}
