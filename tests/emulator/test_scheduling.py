"""Threads that wait for each other: locks, chains of blocks, barriers of the grid, deadlocks."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

SOURCE = """
extern "C" __global__ void chained(const int* a, int* o, volatile int* flag, volatile int* sum,
  int n) {
  __shared__ int s[256]; __shared__ int before;
  int t = threadIdx.x, b = blockIdx.x, i = b * 256 + t;
  s[t] = i < n ? a[i] : 0; __syncthreads();
  for (int k = 1; k < 256; k <<= 1) { int v = t >= k ? s[t - k] : 0; __syncthreads(); s[t] += v;
    __syncthreads(); }
  if (t == 0) {
    int p = 0;
    if (b) { while (flag[b - 1] == 0); __threadfence(); p = sum[b - 1]; }
    sum[b] = p + s[255]; __threadfence(); flag[b] = 1; before = p;
  }
  __syncthreads();
  if (i < n) o[i] = s[t] + before;
}
extern "C" __global__ void reversed(volatile int* flag, int* o) {
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    int v = 0;
    if (b < gridDim.x - 1) { while (flag[b + 1] == 0) __nanosleep(20); v = flag[b + 1]; }
    flag[b] = v + 1; o[b] = v + 1;
  }
}
extern "C" __global__ void patient(volatile int* flag, int* o) {
  int b = blockIdx.x, waited = 0;
  if (threadIdx.x == 0) {
    if (b < gridDim.x - 1) while (flag[b + 1] == 0) waited++;
    flag[b] = 1; o[b] = waited >= 0;
  }
}
extern "C" __global__ void lock_inside(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      int v = *(volatile int*)count; *(volatile int*)count = v + 1;
      __threadfence(); atomicExch(lock, 0); done = true;
    }
  }
}
extern "C" __global__ void lock_around(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0);
  int v = *(volatile int*)count; *(volatile int*)count = v + 1;
  __threadfence(); atomicExch(lock, 0);
}
__device__ __noinline__ void acquire(int* lock) { while (atomicCAS(lock, 0, 1) != 0); }
extern "C" __global__ void lock_in_function(int* lock, int* count) {
  acquire(lock);
  int v = *(volatile int*)count; *(volatile int*)count = v + 1;
  __threadfence(); atomicExch(lock, 0);
}
extern "C" __global__ void grid_barrier(int* bar, const float* a, float* o, float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = a[i] * 2; __syncthreads();
  if (threadIdx.x == 0) { __threadfence(); atomicAdd(bar, 1);
    while (*(volatile int*)bar < gridDim.x); }
  __syncthreads(); p[i] = o[n - 1 - i];
}
extern "C" __global__ void ping_pong(volatile int* q, int* o) {
  int w = threadIdx.x >> 5;
  if ((threadIdx.x & 31) == 0) for (int k = 0; k < 20; k++) {
    if (w == 0) { while (q[0] != 2 * k); q[1] = k * k; __threadfence_block(); q[0] = 2 * k + 1; }
    else { while (q[0] != 2 * k + 1); o[k] = q[1]; __threadfence_block(); q[0] = 2 * k + 2; }
  }
}
extern "C" __global__ void lookback(const int* a, int* o, unsigned long long* state,
  unsigned* ticket, int n) {
  __shared__ unsigned number; __shared__ int before, total;
  if (threadIdx.x == 0) { number = atomicAdd(ticket, 1u); total = 0; }
  __syncthreads();
  unsigned b = number; int i = b * blockDim.x + threadIdx.x, v = i < n ? a[i] : 0;
  atomicAdd(&total, v); __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long w = ((unsigned long long)(b ? 1 : 2) << 32) | (unsigned)total;
    asm volatile("st.release.gpu.global.u64 [%0], %1;" :: "l"(state + b), "l"(w) : "memory");
    int sum = 0;
    for (int p = (int)b - 1; p >= 0; p--) {
      unsigned long long x;
      do { asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(state +
        p) : "memory"); }
      while ((x >> 32) == 0);
      sum += (int)(unsigned)x;
      if ((x >> 32) == 2) break;
    }
    w = (2ull << 32) | (unsigned)(sum + total);
    asm volatile("st.release.gpu.global.u64 [%0], %1;" :: "l"(state + b), "l"(w) : "memory");
    before = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) o[b] = before;
}
extern "C" __global__ void in_order(const int* before, volatile int* flag, int* count, int* o) {
  // Every warp of the grid waits for one other, in an order that knows nothing of blocks.
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) {
    int p = before[w];
    if (p >= 0) while (flag[p] == 0) if (w % 3 == 0) __nanosleep(40);
    o[w] = atomicAdd(count, 1);
    __threadfence(); flag[w] = 1;
  }
  __syncwarp();
}
extern "C" __global__ void words(volatile int* message, int* o) {
  // A message of four words, which are read in turn until all of them have come.
  int b = blockIdx.x, w = threadIdx.x / 32, sum = 0;
  if (threadIdx.x % 32 == 0) {
    volatile int* from = message + (b * 4 + w) * 4;
    if (b < gridDim.x - 1) for (bool all = false; !all;) {
      all = true; sum = 0;
      #pragma unroll 1
      for (int k = 0; k < 4; k++) { int word = from[16 + k]; all &= word != 0; sum += word; }
    }
    for (int k = 0; k < 4; k++) { from[k] = 1 + sum; __threadfence(); }
    o[b * 4 + w] = sum;
  }
}
extern "C" __global__ void pairs(int2* message, int* o) {
  // A number and its flag, which are read as one.
  int b = blockIdx.x, number = 0, flag = b + 1 == gridDim.x;
  if (threadIdx.x == 0) {
    while (!flag)
      asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];"
                   : "=r"(number), "=r"(flag) : "l"(message + b + 1));
    asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};"
                 :: "l"(message + b), "r"(number + b), "r"(1));
    o[b] = number;
  }
}
__device__ __noinline__ bool came(volatile int* flag) { return *flag; }
__device__ __noinline__ bool came_soon(volatile int* flag, int t) {
  for (int k = 0; k < 3; k++) { if (*flag) return true; if (t % 3 == k) __nanosleep(40); }
  return false;
}
extern "C" __global__ void gave_up(volatile int* flag, int* o) {
  // It waits in vain, but not for ever: the turns are counted outside of the function.
  int turns = 0;
  while (turns < 2000 && !came_soon(flag, threadIdx.x)) turns++;
  o[threadIdx.x] = turns;
}
extern "C" __global__ void asked(volatile int* flag, int* o) {
  int b = blockIdx.x, t = threadIdx.x;
  if (b < gridDim.x - 1) while (!came(flag + b + 1)) if (t % 3 == 0) __nanosleep(40);
  __syncthreads();
  flag[b] = 1; o[b] = 1;
}
extern "C" __global__ void stuck(volatile int* f) {
  if (threadIdx.x == 0 && blockIdx.x == 0) while (f[0] == 0); }
extern "C" __global__ void missed(int* o, int k) {
  if (threadIdx.x < k) asm volatile("bar.sync 3, 64;"); else asm volatile("bar.sync 4, 64;");
  o[threadIdx.x] = 1;
}
"""
CHUNKS = [64, 1024, 10**6]


@pytest.fixture(params=["", pytest.param("-G", marks=pytest.mark.slow)])
def module(build, request):
    return build(SOURCE, *filter(None, [request.param]))


@pytest.mark.parametrize("chunk", CHUNKS)
def test_blocks_that_wait_for_their_predecessor(module, chunk):
    a = np.random.default_rng(0).integers(-9, 9, 3000).astype("i4")
    out, flag, sums = np.zeros(3000, "i4"), np.zeros(12, "i4"), np.zeros(12, "i4")
    module.run("chained", 12, 256, a, out, flag, sums, 3000, chunk=chunk)
    np.testing.assert_array_equal(out, np.cumsum(a))


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("name", ["reversed", "patient"])
def test_blocks_that_wait_for_later_ones(module, chunk, name):
    flag, out = np.zeros(20, "i4"), np.zeros(20, "i4")
    module.run(name, 20, 64, flag, out, chunk=chunk)
    expected = np.arange(20, 0, -1) if name == "reversed" else np.ones(20)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("name", ["lock_inside", "lock_around", "lock_in_function"])
def test_spin_locks(module, chunk, name):
    lock, count = np.zeros(1, "i4"), np.zeros(1, "i4")
    module.run(name, 4, 64, lock, count, chunk=chunk)
    assert count[0] == 256


@pytest.mark.parametrize("chunk", CHUNKS)
def test_polls_of_several_words(module, chunk):
    message, out = np.zeros(8 * 16, "i4"), np.zeros((8, 4), "i4")
    module.run("words", 8, 128, message, out, chunk=chunk)
    expected = (4 ** np.arange(8, dtype="i4")[::-1] - 1) // 3 * 4
    np.testing.assert_array_equal(out, np.tile(expected[:, None], 4))


@pytest.mark.parametrize("chunk", CHUNKS)
def test_polls_in_a_function_by_lanes_that_part(module, chunk):
    flag, out = np.zeros(12, "i4"), np.zeros(12, "i4")
    module.run("asked", 12, 64, flag, out, chunk=chunk)
    assert out.all()


@pytest.mark.parametrize("chunk", CHUNKS)
def test_polls_of_vectors(module, chunk):
    message, out = np.zeros((12, 2), "i4"), np.zeros(12, "i4")
    module.run("pairs", 12, 32, message, out, chunk=chunk)
    np.testing.assert_array_equal(out, np.cumsum(np.arange(12)[::-1])[::-1] - np.arange(12))


def test_who_gives_up_is_in_no_deadlock(module):
    out = np.zeros(64, "i4")
    module.run("gave_up", 1, 64, np.zeros(1, "i4"), out)
    np.testing.assert_array_equal(out, 2000)


def test_code_that_is_not_optimised_waits_as_well(build):
    """Its variables lie in local memory: what a loop stores there is no progress of others."""
    from gpuarray._ffi.emulator.simt import DeviceFault

    module = build(SOURCE, "-G")
    lock, count = np.zeros(1, "i4"), np.zeros(1, "i4")
    module.run("lock_in_function", 2, 64, lock, count, chunk=64)
    assert count[0] == 128
    test_polls_of_several_words(module, 10**6)
    with pytest.raises(DeviceFault, match="deadlock.*stuck.*polls"):
        module.run("stuck", 4, 64, np.zeros(1, "i4"))


@pytest.mark.parametrize("chunk", CHUNKS)
def test_barrier_of_the_grid(module, chunk):
    a = np.random.default_rng(0).random(2048).astype("f4")
    bar, out, back = np.zeros(1, "i4"), np.zeros(2048, "f4"), np.zeros(2048, "f4")
    module.run("grid_barrier", 8, 256, bar, a, out, back, 2048, chunk=chunk)
    np.testing.assert_array_equal(back, a[::-1] * 2)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_look_back(module, chunk):
    a = np.random.default_rng(0).integers(-9, 9, 1000).astype("i4")
    out, state, ticket = np.zeros(16, "i4"), np.zeros(16, "u8"), np.zeros(1, "u4")
    module.run("lookback", 16, 64, a, out, state, ticket, 1000, chunk=chunk)
    sums = np.add.reduceat(a, np.arange(0, 1000, 64))
    np.testing.assert_array_equal(out, np.cumsum(sums) - sums)


def test_no_false_deadlock_whatever_the_order(module):
    """A random order of all warps, random blocks and chunks: whatever can end, does."""
    random = np.random.default_rng(20)
    for _ in range(100):
        blocks, warps = int(random.integers(1, 12)), int(random.integers(1, 5))
        order = random.permutation(blocks * warps)
        before = np.full(len(order), -1, "i4")
        before[order[1:]] = order[:-1]
        flag, count, out = np.zeros(len(order), "i4"), np.zeros(1, "i4"), np.zeros(len(order), "i4")
        chunk = int(random.choice([1, 32, 33, 64, 100, 256, 1000, 10**6]))
        module.run("in_order", blocks, 32 * warps, before, flag, count, out, chunk=chunk)
        np.testing.assert_array_equal(out[order], np.arange(len(order)))


def test_warps_that_take_turns(module):
    q, out = np.zeros(2, "i4"), np.zeros(20, "i4")
    module.run("ping_pong", 1, 64, q, out)
    np.testing.assert_array_equal(out, np.arange(20) ** 2)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_waiting_in_vain_is_reported(module, chunk):
    from gpuarray._ffi.emulator.simt import DeviceFault

    with pytest.raises(DeviceFault, match="deadlock.*stuck.*polls"):
        module.run("stuck", 4, 64, np.zeros(1, "i4"), chunk=chunk)


def test_a_barrier_that_nobody_completes_is_reported(module):
    from gpuarray._ffi.emulator.simt import DeviceFault

    with pytest.raises(DeviceFault, match=r"deadlock: 20 threads at barrier 3 \(.*\), 44 threads"):
        module.run("missed", 1, 64, np.zeros(64, "i4"), 20)
