"""Whole kernels: element-wise, reductions, scans, tiles, sorting, library primitives."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def blocks(n: int, block: int = 256) -> int:
    return -(-n // block)


@pytest.mark.parametrize("n", [1, 31, 256, 257, 5000])
def test_sum_of_two_arrays(build, n):
    module = build(
        'extern "C" __global__ void add(const float* a, const float* b, float* o, int n)'
        f"{{{INDEX} if (i < n) o[i] = a[i] + b[i];}}"
    )
    random = np.random.default_rng(n)
    a, b = random.standard_normal((2, n)).astype("f4")
    out = np.zeros(n, "f4")
    module.run("add", blocks(n), 256, a, b, out, n)
    np.testing.assert_array_equal(out, a + b)


def test_in_place_and_overlapping(build):
    """A load must not share memory with what a later store changes."""
    module = build(
        'extern "C" __global__ void shift(int* a, int n)'
        f"{{{INDEX} int v = i + 1 < n ? a[i + 1] : -1; __syncthreads(); if (i < n) a[i] = v;}}"
        'extern "C" __global__ void swap(int* a, int* b, int n)'
        f"{{{INDEX} if (i < n) {{int t = a[i]; a[i] = b[i]; b[i] = t;}}}}"
        'extern "C" __global__ void twice(int* a, int* b, int n)'
        f"{{{INDEX} if (i < n) {{int t = a[i]; a[i] = 5; b[i] = t + a[i];}}}}"
    )
    a = np.arange(256, dtype="i4")
    module.run("shift", 1, 256, a, 256)
    assert a.tolist() == [*range(1, 256), -1]
    b, c = np.arange(100, dtype="i4"), np.arange(100, 200, dtype="i4")
    module.run("swap", 1, 128, b, c, 100)
    assert b[0] == 100
    assert c[99] == 99
    module.run("twice", 1, 128, b, c, 100)
    np.testing.assert_array_equal(c, np.arange(105, 205))


def test_strided_operands(build):
    module = build("""
struct View { int nd; long long shape[4], strides[3][4]; };
extern "C" __global__ void add(const float* a, const float* b, float* o, View v, long long n) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
       i += (long long)blockDim.x * gridDim.x) {
    long long rest = i, p = 0, q = 0, s = 0;
    for (int d = v.nd - 1; d >= 0; --d) {
      long long k = rest % v.shape[d]; rest /= v.shape[d];
      p += k * v.strides[0][d]; q += k * v.strides[1][d]; s += k * v.strides[2][d];
    }
    *(float*)((char*)o + s) = *(const float*)((const char*)a + p) +
      *(const float*)((const char*)b + q);
  }
}""")
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(s).astype("f4") for s in ((13, 1, 20), (17, 20)))
    out = np.zeros((13, 17, 20), "f4")
    view = np.zeros(17, "i8")
    view[0] = 3
    view[1:4] = out.shape
    for k, x in enumerate((a, b, out)):
        view[5 + 4 * k : 8 + 4 * k] = np.broadcast_to(x, out.shape).strides
    module.run("add", 7, 64, a, b, out, view.tobytes(), out.size)
    np.testing.assert_array_equal(out, a + b)


REDUCE = """
template <class T, class F> __device__ T warp(T v, F f) {
  for (int o = 16; o; o >>= 1) v = f(v, (T)__shfl_down_sync(~0u, v, o));
  return v;
}
template <class T, class F> __device__ void reduce(const T* a, T* o, long long n, T init, F f) {
  __shared__ T s[32];
  T v = init;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
       i += (long long)gridDim.x * blockDim.x) v = f(v, a[i]);
  v = warp(v, f);
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  if (lane == 0) s[w] = v;
  __syncthreads();
  if (w == 0) {
    v = lane < (blockDim.x >> 5) ? s[lane] : init;
    v = warp(v, f);
    if (lane == 0) o[blockIdx.x] = v;
  }
}
struct Add { template <class T> __device__ T operator()(T a, T b) { return a + b; } };
struct Max { template <class T> __device__ T operator()(T a, T b) { return a > b ? a : b; } };
#define K(name, T, F, init) extern "C" __global__ void name(const T* a, T* o, long long n) \\
  { reduce<T>(a, o, n, init, F()); }
K(sum_i4, int, Add, 0) K(sum_i8, long long, Add, 0) K(sum_f4, float, Add, 0) K(sum_f8, double,
  Add, 0)
K(max_f4, float, Max, -1e30f) K(max_i8, long long, Max, -(1ll << 62)) K(sum_u1, unsigned char,
  Add, 0)
"""


@pytest.mark.parametrize(
    "name", ["sum_i4", "sum_i8", "sum_f4", "sum_f8", "max_f4", "max_i8", "sum_u1"]
)
def test_reductions(build, name):
    operation, code = name.split("_")
    module = build(REDUCE)
    x = np.random.default_rng(1).integers(-50, 50, 50003).astype(code)
    for grid in (1, 40):
        out = np.zeros(grid, code)
        module.run(name, grid, 256, x, out, len(x))
        if operation == "sum":
            assert out.sum(dtype=code) == x.sum(dtype=code)
        else:
            assert out.max() == x.max()


def test_votes_of_a_block(build):
    module = build(
        'extern "C" __global__ void k(const int* a, int* o, int n) {' + INDEX +
        "int p = i < n ? a[i] : 0; int any = __syncthreads_or(p), all = __syncthreads_and(p);"
        "int count = __syncthreads_count(p);"
        "int* p3 = o + 3 * blockIdx.x;"
        "if (threadIdx.x == 0) { p3[0] = any; p3[1] = all; p3[2] = count; }}"
    )  # fmt: skip
    x = (np.random.default_rng(0).random(1024) < 0.1).astype("i4")
    x[:256], x[256:512] = 0, 1
    out = np.zeros((4, 3), "i4")
    module.run("k", 4, 256, x, out, 1024)
    rows = x.reshape(4, 256)
    np.testing.assert_array_equal(out[:, 0] != 0, rows.any(1))
    np.testing.assert_array_equal(out[:, 1] != 0, rows.all(1))
    np.testing.assert_array_equal(out[:, 2], rows.sum(1))


def test_inclusive_scan(build):
    module = build("""
template <class T> __device__ T warp_scan(T v) {
  int lane = threadIdx.x & 31;
  for (int o = 1; o < 32; o <<= 1) { T u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
  return v;
}
extern "C" __global__ void scan(const long long* a, long long* o, int n) {
  __shared__ long long s[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  long long v = warp_scan(i < n ? a[i] : 0);
  if (lane == 31) s[w] = v;
  __syncthreads();
  if (w == 0) s[lane] = warp_scan(lane < (blockDim.x >> 5) ? s[lane] : 0);
  __syncthreads();
  if (i < n) o[i] = v + (w ? s[w - 1] : 0);
}""")
    x = np.random.default_rng(2).integers(-(2**40), 2**40, 3000)
    out = np.zeros_like(x)
    module.run("scan", blocks(3000), 256, x, out, 3000)
    expected = np.concatenate([np.cumsum(x[k : k + 256]) for k in range(0, 3000, 256)])
    np.testing.assert_array_equal(out, expected)


TILES = """
template <class T> __device__ void transpose(const T* a, T* o, int m, int n) {
  __shared__ T t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < n && y + j < m) t[threadIdx.y + j][threadIdx.x] =
    a[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < m && y + j < n) o[(y + j) * m + x] =
    t[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_f4(const float* a, float* o, int m, int n) {
  transpose(a, o, m, n); }
extern "C" __global__ void transpose_f8(const double* a, double* o, int m, int n) {
  transpose(a, o, m, n); }
extern "C" __global__ void matmul(const double* A, const double* B, double* C, int M, int N,
  int K) {
  extern __shared__ double a[];
  extern __shared__ char same[];
  double* b = (double*)same + blockDim.x * blockDim.y;
  int T = blockDim.x, tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * T + ty, c =
    blockIdx.x * T + tx;
  double s = 0;
  for (int k = 0; k < K; k += T) {
    a[ty * T + tx] = r < M && k + tx < K ? A[r * K + k + tx] : 0;
    b[ty * T + tx] = k + ty < K && c < N ? B[(k + ty) * N + c] : 0;
    __syncthreads();
    for (int q = 0; q < T; q++) s += a[ty * T + q] * b[q * T + tx];
    __syncthreads();
  }
  if (r < M && c < N) C[r * N + c] = s;
}"""


@pytest.mark.parametrize("code", ["f4", "f8"])
def test_tiled_transpose(build, code):
    module = build(TILES)
    a = np.random.default_rng(0).standard_normal((50, 77)).astype(code)
    out = np.zeros((77, 50), code)
    module.run(f"transpose_{code}", (3, 2), (32, 8), a, out, 50, 77)
    np.testing.assert_array_equal(out, a.T)


def test_matrix_product_with_two_dynamic_arrays(build):
    module = build(TILES)
    random = np.random.default_rng(0)
    a, b = (random.integers(-5, 5, s).astype("f8") for s in ((30, 25), (25, 40)))
    out = np.zeros((30, 40))
    module.run("matmul", (5, 4), (8, 8), a, b, out, 30, 40, 25, shared=2 * 64 * 8)
    np.testing.assert_array_equal(out, a @ b)


def test_vector_accesses(build):
    module = build("""
extern "C" __global__ void k(const float4* a, double2* b, uint4* c, uchar4* d, ushort2* e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 x = a[i]; b[i] = make_double2(x.x + x.y, x.z * x.w);
    uint4 q = c[i]; q.x += q.w; c[i] = q;
    uchar4 f = d[i]; f.x += f.w; d[i] = f;
    ushort2 g = e[i]; g.x ^= g.y; e[i] = g;
  }
}
extern "C" __global__ void gather(const int* ix, const float4* a, float4* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[ix[i]] = a[n - 1 - ix[i]];
}
extern "C" __global__ void hints(const float* a, float* o, int n) {
  int i = threadIdx.x;
  if (i < n) { float x = __ldg(a + i) + __ldcs(a + i) + __ldcg(a + i) + __ldca(a + i) +
    __ldcv(a + i);
    __stcs(o + i, x); __stcg(o + n + i, x); __stwt(o + 2 * n + i, x); __stwb(o + 3 * n + i, x); }
}""")
    random = np.random.default_rng(0)
    n = 300
    a = random.standard_normal((n, 4)).astype("f4")
    b = np.zeros((n, 2))
    kinds = ((4, "u4"), (4, "u1"), (2, "u2"))
    c, d, e = (random.integers(0, 255, (n, k)).astype(t) for k, t in kinds)
    c0, d0, e0 = c.copy(), d.copy(), e.copy()
    module.run("k", 2, 256, a, b, c, d, e, n)
    np.testing.assert_array_equal(b, np.stack([a[:, 0] + a[:, 1], a[:, 2] * a[:, 3]], 1))
    np.testing.assert_array_equal(c[:, 0], c0[:, 0] + c0[:, 3])
    np.testing.assert_array_equal(d[:, 0], d0[:, 0] + d0[:, 3])
    np.testing.assert_array_equal(e[:, 0], e0[:, 0] ^ e0[:, 1])
    order = random.permutation(n).astype("i4")
    out = np.zeros_like(a)
    module.run("gather", 2, 256, order, a, out, n)
    np.testing.assert_array_equal(out, a[::-1])
    out = np.zeros((4, 100), "f4")
    module.run("hints", 1, 128, a[:25].copy(), out, 100)
    x = a[:25].reshape(-1)
    np.testing.assert_array_equal(out, np.tile(((((x + x) + x) + x) + x), (4, 1)))


def test_complex_structures(build):
    module = build("""
template <class T> struct complex { T re, im; };
template <class T> __device__ complex<T> operator*(complex<T> a, complex<T> b)
{ return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
extern "C" __global__ void mul(const complex<double>* a, const complex<double>* b,
  complex<double>* o, int n)
{ int i = threadIdx.x; if (i < n) o[i] = a[i] * b[i]; }""", "--fmad=false")  # fmt: skip
    random = np.random.default_rng(0)
    a, b = random.standard_normal((2, 100)) + 1j * random.standard_normal((2, 100))
    out = np.zeros(100, complex)
    module.run("mul", 1, 128, a, b, out, 100)
    np.testing.assert_allclose(out, a * b, rtol=1e-15)


def test_cub_block_primitives(build):
    module = build("""
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
extern "C" __global__ void sum(const float* a, float* o) {
  typedef cub::BlockReduce<float, 128> B; __shared__ B::TempStorage t;
  float s = B(t).Sum(a[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0) o[blockIdx.x] = s;
}
extern "C" __global__ void scan(int* a) {
  typedef cub::BlockScan<int, 128> B; __shared__ B::TempStorage t;
  int v = a[blockIdx.x * 128 + threadIdx.x]; B(t).InclusiveSum(v, v);
  a[blockIdx.x * 128 + threadIdx.x] = v;
}
extern "C" __global__ void sort(unsigned* a) {
  typedef cub::BlockRadixSort<unsigned, 128, 4> B; __shared__ B::TempStorage t;
  unsigned v[4];
  for (int j = 0; j < 4; j++) v[j] = a[blockIdx.x * 512 + threadIdx.x * 4 + j];
  B(t).Sort(v);
  for (int j = 0; j < 4; j++) a[blockIdx.x * 512 + threadIdx.x * 4 + j] = v[j];
}""")
    random = np.random.default_rng(0)
    x = random.integers(-9, 9, 1024).astype("f4")
    out = np.zeros(8, "f4")
    module.run("sum", 8, 128, x, out)
    np.testing.assert_array_equal(out, x.reshape(8, -1).sum(1))
    y = random.integers(-9, 9, 1024).astype("i4")
    expected = np.cumsum(y.reshape(8, -1), 1).reshape(-1)
    module.run("scan", 8, 128, y)
    np.testing.assert_array_equal(y, expected)
    z = random.integers(0, 2**32, 1024, "u4")
    expected = np.sort(z.reshape(2, -1), 1).reshape(-1)
    module.run("sort", 2, 128, z)
    np.testing.assert_array_equal(z, expected)


def test_cooperative_groups(build):
    module = build("""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const int* a, int* o, int n) {
  auto b = cg::this_thread_block(); auto t = cg::tiled_partition<8>(b);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = cg::reduce(t, i < n ? a[i] : 0, cg::plus<int>());
  if (i < n) o[i] = v;
}
extern "C" __global__ void pack(const int* a, int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] > 0) {
    auto g = cg::coalesced_threads(); int k;
    if (g.thread_rank() == 0) k = atomicAdd(o, g.size());
    k = g.shfl(k, 0); o[1 + k + g.thread_rank()] = i;
  }
}
extern "C" __global__ void grid(const float* a, float* o, int n) {
  auto g = cg::this_grid();
  for (int i = g.thread_rank(); i < n; i += g.size()) o[i] = a[i] * 2;
  g.sync();
  for (int i = g.thread_rank(); i < n; i += g.size()) o[n + i] = o[n - 1 - i];
}""")
    x = np.random.default_rng(0).integers(-50, 50, 512).astype("i4")
    out = np.zeros(512, "i4")
    module.run("tiles", 2, 256, x, out, 512)
    np.testing.assert_array_equal(out, np.repeat(x.reshape(-1, 8).sum(1), 8))
    out = np.zeros(513, "i4")
    module.run("pack", 2, 256, x, out, 512)
    assert sorted(out[1 : 1 + out[0]]) == np.flatnonzero(x > 0).tolist()
    y = np.arange(700, dtype="f4")
    for chunk in (128, 100000):
        out = np.zeros(1400, "f4")
        module.run("grid", 5, 128, y, out, 700, chunk=chunk, cooperative=True)
        np.testing.assert_array_equal(out[700:], y[::-1] * 2)
