/* All-reduce of float32 by MPI, measured as all_reduce_benchmark measures Lockstep's: each process
   rewrites its input before each call, a barrier precedes it, and its time is from the moment when
   the last process has called to the moment when the last one has the sum.
   mpicc -O2 all_reduce_mpi.c -o all_reduce_mpi && mpirun -np 2 ./all_reduce_mpi */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double Microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now); /* one clock for all processes of a host */
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int Compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static void Measure(int rank, size_t count) {
  const int repeats = count > 1000000 ? 40 : count > 100000 ? 200 : 2000;
  const int before = repeats / 10 > 5 ? repeats / 10 : 5;
  float* input = malloc(count * sizeof(float));
  float* sum = malloc(count * sizeof(float));
  double* begins = malloc((size_t)repeats * sizeof(double));
  double* times = malloc((size_t)repeats * sizeof(double));
  double total = 0;
  for (int i = -before; i < repeats; ++i) {
    for (size_t j = 0; j < count; ++j) input[j] = (float)(i + (int)j * (rank + 1));
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = Microseconds();
    MPI_Allreduce(input, sum, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    const double end = Microseconds();
    if (i >= 0) begins[i] = begin, times[i] = end;
  }
  MPI_Allreduce(MPI_IN_PLACE, begins, repeats, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, times, repeats, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < repeats; ++i) total += times[i] -= begins[i];
  qsort(times, (size_t)repeats, sizeof(double), Compare);
  if (rank == 0)
    printf(
        "{\"peer\": \"mpi\", \"work\": \"all-reduce\", \"bytes\": %zu, \"us\": %.2f, "
        "\"median\": %.2f}\n",
        count * sizeof(float), total / repeats, times[repeats / 2]);
  free(input), free(sum), free(begins), free(times);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const size_t sizes[] = {4, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
    Measure(rank, sizes[i] / sizeof(float));
  MPI_Finalize();
  return 0;
}
