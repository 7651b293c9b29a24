/* SPDX-License-Identifier: MIT
 *
 * The Fourier transform of a complex N x N array that lies on GPUs, by cuFFT's of one
 * dimension: each process transforms rows, all change from rows to columns, and each
 * transforms columns (fft2d.c is the same with FFTW, and says more).
 *
 *   [N,N] (block,*)    redist_execute    [N,N] (*,block) order column-major
 *
 * Transforms and redistribution are in one stream: the host waits for nothing but what
 * the library waits for. Process k takes device k, modulo their number.
 *
 *   mpirun -n 4 gpu_transpose [N]
 *
 * The run checks itself: f is a plane wave, so that F is 0 but for one element. The exit
 * status is 1 if it is wrong, and 77 if there is no device.
 */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cufft.h>
#include <mpi.h>
#include <redist/redist.h>

static int rank, nranks;

static void check(redist_err err)
{
    if (!err) return;
    if (rank == 0) fprintf(stderr, "%s\n", redist_error_message());
    MPI_Finalize(); /* the error is one of all processes */
    exit(EXIT_FAILURE);
}

static void check_cuda(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "rank %d: %s: %s\n", rank, what,
            cudaGetErrorString(cudaGetLastError()));
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* What this process holds in one of the two distributions: `lines` whole rows or columns
 * of n elements, one behind the other; line j is line first + j of all. */
struct pencil {
    redist_dist *dist;
    redist_view view;
    int64_t lines, first;
    cufftDoubleComplex *f; /* on the device */
    cufftHandle transform; /* of all its lines */
};

static pencil make_pencil(const char *format, int n, cudaStream_t stream)
{
    pencil p = {};
    char text[96];
    int64_t local[2], zero[2] = {0, 0}, index[2] = {0, 0};
    (void)snprintf(text, sizeof text, format, n, n, nranks);
    check(redist_view_parse(text, &p.dist, &p.view));
    check(redist_dist_local_extents(p.dist, rank, local));
    p.lines = local[0] * local[1] / n;
    if (p.lines == 0) return p;
    check(redist_dist_index(p.dist, rank, zero, index));
    p.first = index[0] + index[1]; /* one of them is 0 */
    check_cuda(cudaMalloc(&p.f, sizeof *p.f * static_cast<size_t>(p.lines * n)) ==
                   cudaSuccess,
               "cudaMalloc");
    check_cuda(cufftPlanMany(&p.transform, 1, &n, nullptr, 1, n, nullptr, 1, n, CUFFT_Z2Z,
                             static_cast<int>(p.lines)) == CUFFT_SUCCESS &&
                   cufftSetStream(p.transform, stream) == CUFFT_SUCCESS,
               "cuFFT");
    return p;
}

static void free_pencil(pencil *p)
{
    if (p->lines > 0) cufftDestroy(p->transform);
    cudaFree(p->f);
    redist_dist_destroy(&p->dist);
}

static void transform(const pencil &p)
{
    if (p.lines > 0)
        check_cuda(cufftExecZ2Z(p.transform, p.f, p.f, CUFFT_FORWARD) == CUFFT_SUCCESS,
                   "cufftExecZ2Z");
}

/* The wave e^(2 pi I (i k + j l) / N). */
enum { K = 3, L = 5 };

__global__ void fill(cufftDoubleComplex *f, int64_t lines, int64_t first, int n)
{
    int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (e >= lines * n) return;
    int64_t i = first + e / n, j = e % n;
    sincospi(2.0 * static_cast<double>((i * K + j * L) % n) / n, &f[e].y, &f[e].x);
}

/* Count the elements of F, in columns, that are further off than they may. */
__global__ void count_wrong(const cufftDoubleComplex *f, int64_t lines, int64_t first,
                            int n, unsigned long long *wrong)
{
    int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (e >= lines * n) return;
    int64_t l = first + e / n, k = e % n;
    double due = k == K % n && l == L % n ? (double)n * n : 0;
    if (!(hypot(f[e].x - due, f[e].y) <= 1e-10 * n * n)) atomicAdd(wrong, 1ull);
}

static unsigned blocks_for(int64_t elements)
{
    return static_cast<unsigned>((elements + 255) / 256);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    int n = argc > 1 ? atoi(argv[1]) : 4096, devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 || n < 1) {
        if (rank == 0) fprintf(stderr, n < 1 ? "N must be >= 1\n" : "no CUDA device\n");
        MPI_Finalize();
        return n < 1 ? EXIT_FAILURE : 77;
    }
    cudaStream_t stream;
    check_cuda(cudaSetDevice(rank % devices) == cudaSuccess &&
                   cudaStreamCreate(&stream) == cudaSuccess,
               "a stream");
    pencil rows = make_pencil("[%d,%d] (block,*) onto %d", n, stream);
    pencil columns =
        make_pencil("[%d,%d] (*,block) onto %d order column-major", n, stream);

    redist_options options = REDIST_OPTIONS_INIT;
    redist_plan *to_columns = nullptr;
    options.stream = stream;
    check(redist_plan_create(MPI_COMM_WORLD, MPI_C_DOUBLE_COMPLEX, &rows.view,
                             &columns.view, &options, &to_columns));

    double seconds = 0;
    for (int run = 0; run < 2; run++) { /* the first warms up */
        if (rows.lines > 0)
            fill<<<blocks_for(rows.lines * n), 256, 0, stream>>>(rows.f, rows.lines,
                                                                 rows.first, n);
        cudaStreamSynchronize(stream);
        MPI_Barrier(MPI_COMM_WORLD);
        seconds = -MPI_Wtime();
        transform(rows);
        check(redist_execute(to_columns, rows.f, columns.f));
        transform(columns);
        cudaStreamSynchronize(stream);
        seconds += MPI_Wtime();
    }

    unsigned long long *wrong = nullptr, all = 0;
    check_cuda(cudaMallocManaged(&wrong, sizeof *wrong) == cudaSuccess, "cudaMalloc");
    *wrong = 0;
    if (columns.lines > 0)
        count_wrong<<<blocks_for(columns.lines * n), 256, 0, stream>>>(
            columns.f, columns.lines, columns.first, n, wrong);
    check_cuda(cudaStreamSynchronize(stream) == cudaSuccess, "the check");
    MPI_Allreduce(wrong, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("gpu_transpose: %d x %d elements, %d processes, %.3f ms: %s\n", n, n,
               nranks, 1e3 * seconds, all == 0 ? "right" : "WRONG");
    check(redist_plan_destroy(&to_columns));
    free_pencil(&rows);
    free_pencil(&columns);
    cudaFree(wrong);
    cudaStreamDestroy(stream);
    MPI_Finalize();
    return all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
