"""Atomic operations, contended and not."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator


@pytest.mark.parametrize("chunk", [64, 100000])
def test_histogram(build, chunk):
    module = build(
        'extern "C" __global__ void k(const int* a, int* h, int n)'
        "{int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(h + a[i], 1);}"
    )
    x = np.random.default_rng(0).integers(0, 50, 3000).astype("i4")
    h = np.zeros(50, "i4")
    module.run("k", 12, 256, x, h, 3000, chunk=chunk)
    np.testing.assert_array_equal(h, np.bincount(x, minlength=50))


@pytest.mark.parametrize("type_", ["int", "unsigned", "long long", "unsigned long long"])
def test_integer_operations_without_and_with_results(build, type_):
    code = {"int": "i4", "unsigned": "u4", "long long": "i8", "unsigned long long": "u8"}[type_]
    names = ["Add", "Min", "Max", "And", "Or", "Xor", "Exch"]
    if type_ == "long long":
        names = ["Min", "Max"]
    source = "".join(
        f'extern "C" __global__ void {name}_{wants}({type_}* p, const int* ix, const {type_}* v,'
        f" {type_}* o)"
        f"{{int i = blockIdx.x * blockDim.x + threadIdx.x; "
        f"{'o[i] = ' * wants}atomic{name}(p + ix[i], v[i]);}}\n"
        for name in names
        for wants in (0, 1)
    )
    module = build(source)
    random = np.random.default_rng(1)
    info = np.iinfo(code)
    functions = {
        "Add": lambda a, b: a + b, "Min": min, "Max": max, "And": lambda a, b: a & b,
        "Or": lambda a, b: a | b, "Xor": lambda a, b: a ^ b, "Exch": lambda a, b: b,
    }  # fmt: skip
    mask = (1 << 8 * info.dtype.itemsize) - 1
    for spread in (1, 7, 512):
        ix = random.integers(0, spread, 512).astype("i4")
        if spread == 512:
            ix = random.permutation(512).astype("i4")
        v = random.integers(info.min, info.max, 512, code, endpoint=True)
        start = random.integers(info.min, info.max, 512, code, endpoint=True)
        for name in names:
            memory = start.tolist()
            olds = []
            for k, x in zip(ix.tolist(), v.tolist()):
                olds.append(memory[k])
                result = functions[name](memory[k], x) & mask
                memory[k] = result - mask - 1 if result > info.max else result
            for wants in (0, 1):
                p, o = start.copy(), np.zeros(512, code)
                module.run(f"{name}_{wants}", 2, 256, p, ix, v, o)
                np.testing.assert_array_equal(p, np.array(memory, code), name)
                if wants:
                    np.testing.assert_array_equal(o, np.array(olds, code), name)


def test_increment_and_decrement_wrap(build):
    module = build(
        'extern "C" __global__ void k(unsigned* p, unsigned* o)'
        "{int i = threadIdx.x; o[i] = atomicInc(p, 9); o[64 + i] = atomicDec(p + 1, 9);}"
    )
    p, o = np.array([0, 0], "u4"), np.zeros(128, "u4")
    module.run("k", 1, 64, p, o)
    assert o[:64].tolist() == [k % 10 for k in range(64)]
    assert o[64:].tolist() == [-k % 10 for k in range(64)]
    assert p.tolist() == [4, 6]


def test_floats(build):
    module = build("""
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void k(float* f, double* d, __half* h, __nv_bfloat16* b, __half2* h2) {
  int i = threadIdx.x;
  atomicAdd(f, 1.5f * i); atomicAdd(d + (i & 3), .25 * i);
  atomicAdd(h + (i & 7), __float2half(1)); atomicAdd(b + (i & 7), __float2bfloat16(2));
  atomicAdd(h2, __floats2half2_rn(1, 2));
}
extern "C" __global__ void old(float* f, float* o) { o[threadIdx.x] = atomicAdd(f, 1.f); }""")
    f, d, h = np.zeros(1, "f4"), np.zeros(4), np.zeros(8, "f2")
    b, h2 = np.zeros(8, "u2"), np.zeros(2, "f2")
    module.run("k", 1, 64, f, d, h, b, h2)
    assert f[0] == 1.5 * 2016
    assert d.tolist() == [0.25 * sum(range(k, 64, 4)) for k in range(4)]
    assert (h == 8).all()
    assert h2.tolist() == [64, 128]
    assert ((b.astype("u4") << np.uint32(16)).view("f4") == 16).all()
    o = np.zeros(64, "f4")
    module.run("old", 1, 64, f, o)
    np.testing.assert_array_equal(np.sort(o) - o.min(), np.arange(64))


def test_compare_and_swap_loops(build):
    module = build("""
extern "C" __global__ void mul(double* d, const double* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  unsigned long long *p = (unsigned long long*)d, o = *p, seen;
  do { seen = o; o = atomicCAS(p, seen, __double_as_longlong(__longlong_as_double(seen) * a[i]));
    } while (o != seen);
}
extern "C" __global__ void bytes(unsigned* w, const int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned shift = (a[i] & 3) * 8, *p = w + (a[i] >> 2), o = *p, seen;
    do { seen = o; unsigned b = ((seen >> shift) + 1) & 255;
         o = atomicCAS(p, seen, (seen & ~(255u << shift)) | (b << shift)); } while (o != seen);
  }
}
extern "C" __global__ void short_(unsigned short* p) {
  atomicCAS(p, (unsigned short)0, (unsigned short)(threadIdx.x + 1)); }""")
    random = np.random.default_rng(0)
    a = 2.0 ** random.integers(-2, 3, 500)
    d = np.ones(1)
    module.run("mul", 2, 256, d, a, 500)
    assert d[0] == a.prod()
    x = random.integers(0, 64, 700).astype("i4")
    w = np.zeros(16, "u4")
    module.run("bytes", 3, 256, w, x, 700)
    np.testing.assert_array_equal(w.view("u1"), np.bincount(x, minlength=64))
    s = np.zeros(1, "u2")
    module.run("short_", 1, 32, s)
    assert s[0] == 1


def test_scopes_and_orders(build):
    module = build("""
#include <cuda/atomic>
extern "C" __global__ void k(int* p, int* o, unsigned long long* q) {
  atomicAdd_block(p + 1, 1); atomicAdd_system(p + 2, 1);
  cuda::atomic_ref<int, cuda::thread_scope_device> r(*p);
  r.fetch_add(1, cuda::memory_order_acq_rel); o[threadIdx.x] = r.load(cuda::memory_order_acquire);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> s(*q);
  s.fetch_max(threadIdx.x); cuda::atomic_thread_fence(cuda::memory_order_seq_cst);
}""")
    p, o, q = np.zeros(3, "i4"), np.zeros(32, "i4"), np.zeros(1, "u8")
    module.run("k", 1, 32, p, o, q)
    assert p.tolist() == [32, 32, 32]
    assert q[0] == 31
    assert (o > 0).all()
    assert o.max() == 32


def test_the_last_block_finishes(build):
    module = build("""
extern "C" __global__ void k(const float* a, float* part, float* o, unsigned* count, int n) {
  __shared__ bool last; __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x; s[threadIdx.x] = i < n ? a[i] : 0; __syncthreads();
  for (int k = 128; k; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads(); }
  if (threadIdx.x == 0) { part[blockIdx.x] = s[0]; __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1; }
  __syncthreads();
  if (last && threadIdx.x == 0) { float v = 0; for (int k = 0; k < gridDim.x;
    k++) v += ((volatile float*)part)[k]; *o = v; }
}""")
    x = np.random.default_rng(0).integers(-9, 9, 5000).astype("f4")
    for chunk in (256, 1024, 10**6):
        part, out, count = np.zeros(20, "f4"), np.zeros(1, "f4"), np.zeros(1, "u4")
        module.run("k", 20, 256, x, part, out, count, 5000, chunk=chunk)
        assert out[0] == x.sum()
