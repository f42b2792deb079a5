"""Special registers, globals, printf, the device heap."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator


def test_indices_of_three_dimensional_launches(build):
    module = build("""
extern "C" __global__ void k(int* o) {
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int* p = o + 8 * (block * blockDim.x * blockDim.y * blockDim.z + thread);
  p[0] = threadIdx.x; p[1] = threadIdx.y; p[2] = threadIdx.z;
  p[3] = blockIdx.x; p[4] = blockIdx.y; p[5] = blockIdx.z;
  unsigned lane, warp; asm("mov.u32 %0, %laneid;" : "=r"(lane));
    asm("mov.u32 %0, %warpid;" : "=r"(warp));
  p[6] = lane; p[7] = warp;
}""")
    for chunk in (60, 10**6):
        out = np.zeros((4, 3, 2, 5, 4, 3, 8), "i4")
        module.run("k", (2, 3, 4), (3, 4, 5), out, chunk=chunk)
        grid = np.indices(out.shape[:-1])
        for k, axis in enumerate((5, 4, 3, 2, 1, 0)):
            np.testing.assert_array_equal(out[..., k], grid[axis])
        thread = (grid[3] * 4 + grid[4]) * 3 + grid[5]
        np.testing.assert_array_equal(out[..., 6], thread % 32)
        np.testing.assert_array_equal(out[..., 7], thread // 32)


def test_masks_of_lanes(evaluate):
    a = np.zeros(64, "u4")
    k = np.arange(64) % 32
    for name, expected in (
        ("lt", (1 << k) - 1), ("le", (2 << k) - 1), ("eq", 1 << k),
        ("ge", 2**32 - (1 << k)), ("gt", (2**32 - (2 << k))),
    ):  # fmt: skip
        result = evaluate(f"mov.u32 %d, %lanemask_{name};", "u4", a)
        np.testing.assert_array_equal(result, expected, name)
    assert (evaluate("mov.u32 %d, WARP_SZ;", "u4", a) == 32).all()


def test_clocks_run(build):
    module = build("""
extern "C" __global__ void k(long long* o) {
  long long t = clock64(), g, h; unsigned c = clock();
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(g));
  __nanosleep(100);
  while (clock64() - t < 100000);
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(h));
  o[0] = clock64() - t; o[1] = h - g; o[2] = clock() != c;
}""")
    out = np.zeros(3, "i8")
    module.run("k", 1, 1, out)
    assert out[0] >= 100000
    assert out[1] > 0
    assert out[2] == 1


GLOBALS = """
__constant__ float table[4] = {1, 2, 3, 4};
__device__ const double numbers[2] = {1.5, -2.5};
__device__ int counter = 5;
__device__ int zeros[3];
__device__ int* pointer = &zeros[1];
extern "C" __global__ void k(float* o, double* d) {
  int i = threadIdx.x; o[i] = table[i & 3]; d[i] = numbers[i & 1];
  atomicAdd(&counter, 1); if (i == 0) *pointer = 9;
}"""


def test_globals_and_constants(build):
    module = build(GLOBALS)
    out, numbers = np.zeros(32, "f4"), np.zeros(32)
    module.run("k", 1, 32, out, numbers)
    module.run("k", 1, 32, out, numbers)
    np.testing.assert_array_equal(out, np.resize([1, 2, 3, 4], 32))
    np.testing.assert_array_equal(numbers, np.resize([1.5, -2.5], 32))
    address, nbytes = module.program.global_symbol("counter")
    arena = module.device.arena
    assert arena.view(address, nbytes).view("i4")[0] == 5 + 64
    address, nbytes = module.program.global_symbol("zeros")
    assert arena.view(address, nbytes).view("i4").tolist() == [0, 9, 0]
    address, nbytes = module.program.global_symbol("table")
    assert nbytes == 16
    arena.view(address, nbytes).view("f4")[:] = [4, 3, 2, 1]
    module.run("k", 1, 32, out, numbers)
    np.testing.assert_array_equal(out, np.resize([4, 3, 2, 1], 32))
    with pytest.raises(KeyError):
        module.program.global_symbol("absent")


def test_printf(build):
    module = build(r"""
extern "C" __device__ int printf(const char*, ...);
extern "C" __global__ void k(const int* a) {
  int i = threadIdx.x;
  if (a[i] > 1) printf("[%d] %5.2f %s %llu %c %-4x| 100%% h i d %lld\n", i, a[i] * .5, "text",
                       18446744073709551615ull, 'q', 255, -7ll);
  if (i == 0) printf("plain\n");
}""")
    module.run("k", 1, 4, np.arange(4, dtype="i4"))
    text = "".join(module.printed)
    line = "[{}] {:5.2f} text 18446744073709551615 q ff  | 100% h i d -7\n"
    for expected in (line.format(2, 1), line.format(3, 1.5), "plain\n"):
        assert text.count(expected) == 1
    assert len(module.printed) == 3


def test_device_heap(build):
    module = build("""
extern "C" __global__ void make(int** p) { int* q = (int*)malloc(16); q[0] = threadIdx.x;
  p[threadIdx.x] = q; }
extern "C" __global__ void take(int** p, int* o) { int i = threadIdx.x; o[i] = *p[i]; free(p[i]);
  }""")
    pointers, out = np.zeros(32, "u8"), np.zeros(32, "i4")
    module.run("make", 1, 32, pointers)
    assert len(set(pointers.tolist())) == 32
    module.run("take", 1, 32, pointers, out)
    np.testing.assert_array_equal(out, np.arange(32))


def test_asynchronous_copies(build):
    module = build("""
#include <cuda_pipeline.h>
extern "C" __global__ void k(const float4* a, float4* o) {
  __shared__ float4 s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], a + threadIdx.x, 16);
  __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();
  o[threadIdx.x] = s[63 - threadIdx.x];
}""")
    a = np.arange(256, dtype="f4").reshape(64, 4)
    out = np.zeros_like(a)
    module.run("k", 2, 64, a, out)
    np.testing.assert_array_equal(out, a[::-1])


def test_address_spaces(build):
    module = build("""
__device__ int g;
extern "C" __global__ void k(int* o, int* p) {
  __shared__ int s[4]; int l[4]; l[o[0] & 3] = 1; int i = threadIdx.x; s[i & 3] = l[i & 3];
  o[4 * i] = __isShared(s + 1); o[4 * i + 1] = __isGlobal(&g) + 2 * __isGlobal(p) +
    4 * __isGlobal(s);
  o[4 * i + 2] = __isLocal(l + 1); o[4 * i + 3] = s[i & 3];
}""")
    out = np.zeros((32, 4), "i4")
    module.run("k", 1, 32, out, np.zeros(1, "i4"))
    assert (out[:, :3] == [1, 3, 1]).all()


def test_structures_as_kernel_parameters_indexed_at_run_time(build):
    module = build("""
struct S { int n; float v[8]; double d[3]; };
extern "C" __global__ void k(S s, float* o) {
  int i = threadIdx.x; o[i] = s.v[i % s.n] + s.d[i % 3];
}""")
    s = np.zeros(1, np.dtype([("n", "i4"), ("v", "f4", 8), ("d", "f8", 3)], align=True))
    s["n"], s["v"], s["d"] = 8, np.arange(8), [10, 20, 30]
    out = np.zeros(48, "f4")
    module.run("k", 1, 48, s.tobytes(), out)
    i = np.arange(48)
    np.testing.assert_array_equal(out, i % 8 + (i % 3 + 1) * 10)


def test_dynamic_shared_memory_in_functions(build):
    module = build("""
__device__ __noinline__ void fill(int k)
{ extern __shared__ int s[]; s[threadIdx.x] = k * threadIdx.x; }
extern "C" __global__ void k(int* o) {
  extern __shared__ int s[]; __shared__ int t[5];
  if (threadIdx.x < 5) t[threadIdx.x] = 100;
  fill(blockIdx.x + 1); __syncthreads();
  o[blockIdx.x * blockDim.x + threadIdx.x] = s[31 - threadIdx.x] + t[threadIdx.x % 5];
}""")
    out = np.zeros((4, 32), "i4")
    module.run("k", 4, 32, out, shared=128)
    expected = (31 - np.arange(32)) * np.arange(1, 5)[:, None] + 100
    np.testing.assert_array_equal(out, expected)


def test_tiles_of_several_warps(build):
    """Cooperative groups ask where the system's part of shared memory is."""
    module = build("""
#define _CG_ABI_EXPERIMENTAL
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int* o) {
  __shared__ cg::block_tile_memory<128> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x; tile.sync();
  o[threadIdx.x] = s[threadIdx.x ^ 63] + 1000 * tile.meta_group_rank();
}""")
    out = np.zeros(128, "i4")
    module.run("k", 1, 128, out)
    i = np.arange(128)
    np.testing.assert_array_equal(out, (i ^ 63) + 1000 * (i // 64))


def test_large_amounts_of_dynamic_shared_memory(build):
    module = build("""
extern "C" __global__ void k(int* o) {
  extern __shared__ int s[];
  for (int j = threadIdx.x; j < 40000; j += blockDim.x) s[j] = j;
  __syncthreads();
  o[threadIdx.x] = s[39999 - threadIdx.x];
}""")
    out = np.zeros(64, "i4")
    module.run("k", 1, 64, out, shared=160000)
    np.testing.assert_array_equal(out, 39999 - np.arange(64))
