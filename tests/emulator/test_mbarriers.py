"""Barriers in shared memory: mbarrier, and cuda::barrier's way to use it."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

SOURCE = r"""
#define T threadIdx.x
typedef unsigned long long u64;
__device__ unsigned at(u64* b) { return (unsigned)__cvta_generic_to_shared(b); }
__device__ void init(u64* b, int n) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory"); }
__device__ void inval(u64* b) { asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at(b)) : "memory"); }
__device__ u64 arrive(u64* b) { u64 t;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(t) : "r"(at(b)) : "memory"); return t; }
__device__ u64 arrive(u64* b, int n) { u64 t;
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(t) : "r"(at(b)), "r"(n)
    : "memory"); return t; }
__device__ void drop(u64* b) {
  asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" :: "r"(at(b)) : "memory"); }
__device__ bool test(u64* b, u64 t) { int done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
    : "=r"(done) : "r"(at(b)), "l"(t) : "memory"); return done; }
__device__ bool test_parity(u64* b, int parity) { int done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
    : "=r"(done) : "r"(at(b)), "r"(parity) : "memory"); return done; }
__device__ void wait(u64* b, u64 t) { while (!test(b, t)); }

extern "C" __global__ void halves(int* o) { __shared__ u64 b; __shared__ int s[64];
  if (T == 0) init(&b, 64);
  __syncthreads(); s[T] = T;
  if (T < 32) { u64 t = arrive(&b); wait(&b, t); }
  else wait(&b, arrive(&b));
  o[blockIdx.x * 64 + T] = s[63 - T]; }
extern "C" __global__ void rounds(int* o) { __shared__ u64 full, empty; __shared__ int s[32]; int sum = 0;
  if (T == 0) { init(&full, 32); init(&empty, 32); }
  __syncthreads();
  for (int k = 0; k < 5; ++k)
    if (T < 32) { if (k) while (!test_parity(&empty, (k - 1) & 1)); s[T] = 10 * k + T; arrive(&full); }
    else { while (!test_parity(&full, k & 1)); sum += s[63 - T]; arrive(&empty); }
  o[T] = sum; }
extern "C" __global__ void counts(int* o) { __shared__ u64 b;
  if (T == 0) { init(&b, 7);
    o[0] = test(&b, arrive(&b, 3)); u64 t = arrive(&b, 3); o[1] = test(&b, t); arrive(&b); o[2] = test(&b, t);
    drop(&b); t = arrive(&b, 5); o[3] = test(&b, t); arrive(&b, 1); o[4] = test(&b, t);  // six expected now
    t = arrive(&b, 6); o[5] = test(&b, t); inval(&b); } }
extern "C" __global__ void early(int* o) { __shared__ u64 b; __shared__ int s[64];
  if (T == 0) init(&b, 64);
  __syncthreads(); s[T] = T; u64 t = arrive(&b);
  o[T] = s[63 - T]; wait(&b, t); }
extern "C" __global__ void never_made(int* o) { __shared__ u64 b; if (T == 0) b = 0; __syncthreads();
  o[T] = arrive(&b); }
extern "C" __global__ void too_few(int* o) { __shared__ u64 b; if (T == 0) init(&b, 33); __syncthreads();
  wait(&b, arrive(&b)); o[T] = 1; }
"""  # noqa: E501


@pytest.fixture
def module(build):
    return build(SOURCE, "-lineinfo")


@pytest.mark.parametrize("chunk", [64, 10**6])
@pytest.mark.parametrize("checked", [False, True])
def test_threads_wait_for_one_another(module, chunk, checked):
    from gpuarray._ffi.emulator.simt.checker import Checker

    arena = module.device.arena
    checks = frozenset(("races", "uninit", "bounds", "barriers"))
    arena.checker = checker = Checker(arena, checks) if checked else None
    try:
        halves, rounds = np.zeros(192, "i4"), np.zeros(64, "i4")
        module.run("halves", 3, 64, halves, chunk=chunk)
        module.run("rounds", 1, 64, rounds, chunk=chunk)
        if checked:
            assert checker.findings == [], "\n".join(map(str, checker.findings))
            module.run("early", 1, 64, np.zeros(64, "i4"), chunk=chunk)
            assert {finding.kind for finding in checker.findings} == {"races"}
    finally:
        arena.checker = None
    np.testing.assert_array_equal(halves.reshape(3, 64), np.tile(np.arange(64)[::-1], (3, 1)))
    np.testing.assert_array_equal(rounds[32:], 100 + 5 * np.arange(32)[::-1])


def test_counts_drops_and_tokens(module):
    out = np.zeros(6, "i4")
    module.run("counts", 1, 32, out)
    assert out.tolist() == [0, 0, 1, 0, 1, 1]


@pytest.mark.parametrize(
    ("name", "message"),
    [("never_made", "an mbarrier that was not initialised"), ("too_few", "deadlock")],
)
def test_barriers_that_cannot_be_passed(module, name, message):
    from gpuarray._ffi.emulator.faults import DeviceFault

    with pytest.raises(DeviceFault, match=message):
        module.run(name, 1, 32, np.zeros(32, "i4"))
