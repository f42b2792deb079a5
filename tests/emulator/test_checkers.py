"""The checkers find seeded faults of every kind, and nothing in correct kernels."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

SOURCE = """
#define T threadIdx.x
#define B blockIdx.x
extern "C" __global__ void tree(const float* a, float* o) {
  __shared__ float s[256]; s[T] = a[B * 256 + T]; __syncthreads();
  for (int k = 128; k; k >>= 1) { if (T < k) s[T] += s[T + k]; __syncthreads(); }
  if (T == 0) o[B] = s[0]; }
extern "C" __global__ void tree_no_barrier(const float* a, float* o) {
  __shared__ float s[256]; s[T] = a[B * 256 + T]; __syncthreads();
  for (int k = 128; k; k >>= 1) { if (T < k) s[T] += s[T + k]; }
  if (T == 0) o[B] = s[0]; }
extern "C" __global__ void mirror(const float* a, float* o) {
  __shared__ float s[256]; s[T] = a[T];
  o[T] = s[255 - T]; }
extern "C" __global__ void overwrite(const float* a, float* o) {
  __shared__ float s[256]; s[T] = a[T]; __syncthreads(); float v = s[255 - T];
  s[T] = v; __syncthreads(); o[T] = s[T]; }
extern "C" __global__ void same_place(float* o) { o[0] = T; }
extern "C" __global__ void same_value(float* o) { o[0] = 3; }
extern "C" __global__ void neighbours(float* o) { int i = B * blockDim.x + T; o[i] = i; __syncthreads();
  o[i] = o[(i + 64) % (gridDim.x * blockDim.x)]; }
extern "C" __global__ void bytes(unsigned char* o) { o[B * blockDim.x + T] = T; }
extern "C" __global__ void histogram(const int* a, int* o) { __shared__ int s[32];
  if (T < 32) s[T] = 0; __syncthreads(); atomicAdd(s + (a[B * 256 + T] & 31), 1); __syncthreads();
  if (T < 32) atomicAdd(o + T, s[T]); }
extern "C" __global__ void histogram_no_barrier(const int* a, int* o) { __shared__ int s[32];
  if (T < 32) s[T] = 0; __syncthreads(); atomicAdd(s + (a[B * 256 + T] & 31), 1);
  if (T < 32) atomicAdd(o + T, s[T]); }
extern "C" __global__ void plain_and_atomic(int* o) { if (T < 32) o[0] = B + 5; else atomicAdd(o, 1); }
__device__ __forceinline__ void last(const float* a, float* parts, float* o, unsigned* count,
    bool fence, bool barrier) {
  __shared__ bool mine; parts[B * 64 + T] = a[B * 64 + T];
  if (fence) __threadfence();
  if (barrier) __syncthreads();
  if (T == 0) mine = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (mine) { float s = 0; for (int k = 0; k < gridDim.x; ++k) s += parts[k * 64 + T]; o[T] = s; } }
extern "C" __global__ void last_block(const float* a, float* p, float* o, unsigned* c) {
  last(a, p, o, c, true, true); }
extern "C" __global__ void last_block_no_fence(const float* a, float* p, float* o, unsigned* c) {
  last(a, p, o, c, false, true); }
extern "C" __global__ void last_block_no_barrier(const float* a, float* p, float* o, unsigned* c) {
  __shared__ bool mine; p[B * 64 + T] = a[B * 64 + T];
  if (T == 0) { __threadfence(); mine = atomicInc(c, gridDim.x - 1) == gridDim.x - 1; }
  __syncthreads();
  if (mine) { float s = 0; for (int k = 0; k < gridDim.x; ++k) s += p[k * 64 + T]; o[T] = s; } }
extern "C" __global__ void flags(const int* a, int* o, volatile int* flag, int* data) {
  if (T == 0) { int before = 0;
    if (B) { while (flag[B - 1] == 0); __threadfence(); before = data[B - 1]; }
    data[B] = before + a[B]; __threadfence(); flag[B] = 1; o[B] = before; } }
extern "C" __global__ void flags_no_fence(const int* a, int* o, volatile int* flag, int* data) {
  if (T == 0) { int before = 0;
    if (B) { while (flag[B - 1] == 0); before = data[B - 1]; }
    data[B] = before + a[B]; flag[B] = 1; o[B] = before; } }
extern "C" __global__ void flags_released(const int* a, int* o, int* flag, int* data) {
  if (T == 0) { int before = 0, f;
    if (B) { do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(f) : "l"(flag + B - 1) : "memory");
      while (!f); before = data[B - 1]; }
    data[B] = before + a[B];
    asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(flag + B), "r"(1) : "memory");
    o[B] = before; } }
extern "C" __global__ void lock(int* l, int* count) {
  bool done = false;
  while (!done) if (atomicCAS(l, 0, 1) == 0) { __threadfence(); *count += 1; __threadfence();
    atomicExch(l, 0); done = true; } }
extern "C" __global__ void no_lock(int* count) { *count += 1; }
extern "C" __global__ void grid_wide(int* bar, const float* a, float* o, float* p, int n) {
  int i = B * blockDim.x + T; o[i] = a[i] * 2; __syncthreads();
  if (T == 0) { __threadfence(); atomicAdd(bar, 1); while (*(volatile int*)bar < gridDim.x); __threadfence(); }
  __syncthreads(); p[i] = o[n - 1 - i]; }
extern "C" __global__ void warp_swap(int* o) { __shared__ int s[32]; s[T] = T; __syncwarp();
  int v = s[T ^ 1]; __syncwarp(); s[T] = v; __syncwarp(); o[T] = s[T ^ 3]; }
extern "C" __global__ void warp_swap_bare(int* o) { __shared__ int s[32]; s[T] = T;
  o[T] = s[T ^ 1]; }
extern "C" __global__ void unset_shared(const float* a, float* o) { __shared__ float s[256];
  if (T < 200) s[T] = a[T]; __syncthreads(); o[T] = s[255 - T]; }
extern "C" __global__ void unset_local(int* o, int k) { int t[8]; for (int i = 0; i < k; ++i) t[i ^ 1] = i;
  o[T] = t[T & 7]; }
extern "C" __global__ void copy(const float4* a, float4* o) { o[T] = a[T]; }
extern "C" __global__ void copy_bytes(const char* a, char* o) { o[T] = a[T]; }
extern "C" __global__ void early_exit(int* o, int n) { if (T >= n) return; o[T] = 1; __syncthreads(); o[T] = 2; }
extern "C" __global__ void two_barriers(int* o) {
  if (T < 64) { o[T] = 1; __syncthreads(); o[T] = 2; } else { o[T] = 3; __syncthreads(); o[T] = 5; } }
extern "C" __global__ void halves(int* o) { __shared__ int s[128]; s[T] = T;
  if (T < 64) asm volatile("bar.sync 1, 64;" ::: "memory"); else asm volatile("bar.sync 2, 64;" ::: "memory");
  o[T] = s[T ^ 32]; }
extern "C" __global__ void two_places(int* o) { __shared__ int s[128]; s[T] = T;
  if (T < 64) { o[T] = 7;
    asm volatile("bar.sync 1, 128;" ::: "memory"); }
  else { o[T] = 8;
    asm volatile("bar.sync 1, 128;" ::: "memory"); }
  o[T] = s[T ^ 64]; }
extern "C" __global__ void hand_over(int* o) { __shared__ int s[32]; __shared__ int t[32];
  if (T < 32) { for (int k = 0; k < 3; ++k) { s[T] = T + k; asm volatile("bar.arrive 1, 64;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory"); o[T] = t[31 - T]; } }
  else { for (int k = 0; k < 3; ++k) { asm volatile("bar.sync 1, 64;" ::: "memory");
    t[T - 32] = s[63 - T]; asm volatile("bar.arrive 2, 64;" ::: "memory"); } } }
extern "C" __global__ void sums(const float* a, float* o, int n) { float v = T < n ? a[T] : 0;
  for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
  if ((T & 31) == 0) o[T >> 5] = v; }
extern "C" __global__ void syncwarps(int* o) { __shared__ int s[32];
  if (T < 16) { s[T] = T; __syncwarp(); o[T] = 1; } else { s[T] = 1; __syncwarp(); o[T] = 2; }
  __syncwarp(); o[T] += s[31 - T]; }
extern "C" __global__ void masked(int* o) { int v = T; unsigned half = T & 16 ? 0xffff0000u : 0xffffu;
  if (T & 16) v += __shfl_xor_sync(half, v, 8); else v -= __shfl_xor_sync(half, v, 4);
  v += __reduce_add_sync(half, v); unsigned odd = __ballot_sync(~0u, v & 1);
  if (v & 1) v += __popc(__match_any_sync(odd, v)); o[T] = v + __all_sync(half, v); }
extern "C" __global__ void loop_of_warps(int* o) { __shared__ int s[64]; int v = 0;
  for (int k = 0; k < 4; ++k) { if ((T & 3) == k) s[T] = k; else if ((T & 7) > k) v += 2;
    __syncwarp(); v += __any_sync(~0u, v > k); }
  o[T] = v + s[T]; }
extern "C" __global__ void loop_that_begins_with_warps(int* o) { int v = 0; volatile int* w = o + T;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) { v += __any_sync(~0u, v > k);
    if (T & 1) { *w = v * k; *w = k; continue; }
    if (T & 2) { *w = *w + v; *w = *w * 3; } else { *w = *w - k; *w = *w - v; } }
  o[T] += v; }
extern "C" __global__ void after_return(int* o, int n) { if (T >= n) return;
  __syncwarp(); o[T] = __ballot_sync(~0u, T & 1) + __any_sync(~0u, T); }
extern "C" __global__ void not_myself(int* o) { o[T] = __shfl_sync(0xffu, T, 0); }
extern "C" __global__ void nobody_comes(int* o) {
  int v = 5; if (T < 16) v = __ballot_sync(~0u, 1);
  o[T] = v; }
extern "C" __global__ void syncwarp_alone(int* o) { if (T < 16) { o[T] = 1; __syncwarp(); } o[T] += T; }
extern "C" __global__ void loop_ends_early(int* o) { int v = 0;
  for (int k = 0; k <= (T & 7); ++k) v += __any_sync(~0u, k == T);
  o[T] = v; }
extern "C" __global__ void ended_lane(int* o, int n) { if (T >= n) return; o[T] = __shfl_down_sync(~0u, T, 4); }
extern "C" __global__ void not_a_member(int* o) {
  if (T < 16) o[T] = __shfl_sync(0xffffu, T, T + 1, 32); else o[T] = 0; }
extern "C" __global__ void masks_differ(int* o) { o[T] = __any_sync(~(1u << (T & 31) << 1), T == 5); }
__shared__ int outer[8];
__device__ __noinline__ int helper(int i) { __shared__ int mine[40]; mine[T] = i; __syncthreads();
  return mine[T ^ 1] + outer[T & 7]; }
extern "C" __global__ void into_the_next(int* o, int n) { __shared__ int a[32]; __shared__ int b[32];
  b[T] = T; __syncthreads();
  a[T + n] = T;
  __syncthreads(); o[T] = a[T] + b[T]; }
extern "C" __global__ void before_the_second(int* o, int n) { __shared__ short a[32]; __shared__ int b[32];
  a[T] = T; b[T] = T; __syncthreads();
  o[T] = a[T] + b[(int)T - n]; }
extern "C" __global__ void generic_pointer(int* o, int n) { __shared__ int a[32]; __shared__ int b[32];
  a[T] = T; b[T] = -T; __syncthreads(); int* p = T & 1 ? a : b; int* volatile q = p;
  o[T] = q[T + n]; }
extern "C" __global__ void past_dynamic(int* o, int n) { __shared__ int a[32]; extern __shared__ int d[];
  a[T] = T; d[T] = 1; __syncthreads();
  atomicAdd(&d[T + n], a[T]); __syncthreads(); o[T] = d[T]; }
extern "C" __global__ void in_a_function(int* o, int n) { __shared__ int a[32];
  if (T < 8) outer[T + n] = T;
  a[T] = helper(T); __syncthreads(); o[T] = a[31 - T]; }
"""  # noqa: E501


ALL = "races", "uninit", "bounds", "barriers"


@pytest.fixture
def module(build):
    return build(SOURCE, "-lineinfo")


@pytest.fixture
def check(module):
    """Run a kernel under checkers: the findings."""
    from gpuarray._ffi.emulator.simt.checker import Checker

    arena = module.device.arena

    def check(name, grid, block, *arguments, checks=ALL, by_lane=False, **options):
        arena.checker = Checker(arena, frozenset(checks), by_lane)
        try:
            module.run(name, grid, block, *arguments, **options)
            return arena.checker.findings
        finally:
            arena.checker = None

    return check


def line_of(text: str) -> int:
    return next(k for k, line in enumerate(SOURCE.splitlines(), 1) if text in line)


def data(n: int, dtype="f4") -> np.ndarray:
    return np.random.default_rng(0).integers(1, 99, n).astype(dtype)


def copies(arguments):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


CORRECT = {
    "tree": (4, 256, data(1024), np.zeros(4, "f4")),
    "same_value": (4, 64, np.zeros(1, "f4")),
    "bytes": (4, 256, np.zeros(1024, "u1")),
    "histogram": (4, 256, data(1024, "i4"), np.zeros(32, "i4")),
    "last_block": (8, 64, data(512), np.zeros(512, "f4"), np.zeros(64, "f4"), np.zeros(1, "u4")),
    "flags": (8, 32, data(8, "i4"), np.zeros(8, "i4"), np.zeros(8, "i4"), np.zeros(8, "i4")),
    "flags_released": (8, 32, data(8, "i4"), *np.zeros((3, 8), "i4")),
    "lock": (4, 64, np.zeros(1, "i4"), np.zeros(1, "i4")),
    "grid_wide": (4, 64, np.zeros(1, "i4"), data(256), *np.zeros((2, 256), "f4"),
                  np.int32(256)),
    "warp_swap": (1, 32, np.zeros(32, "i4")),
    "copy": (1, 64, data(256), np.zeros(256, "f4")),
    "copy_bytes": (1, 64, data(64, "i1"), np.zeros(64, "i1")),
    "halves": (1, 128, np.zeros(128, "i4")),
    "two_places": (1, 128, np.zeros(128, "i4")),
    "hand_over": (1, 64, np.zeros(64, "i4")),
    "early_exit": (1, 128, np.zeros(128, "i4"), 64),
    "sums": (1, 96, data(96), np.zeros(3, "f4"), 70),
    "syncwarps": (1, 32, np.zeros(32, "i4")),
    "loop_of_warps": (1, 64, np.zeros(64, "i4")),
    "loop_that_begins_with_warps": (1, 64, np.zeros(64, "i4")),
    "masked": (1, 64, np.zeros(64, "i4")),
    "after_return": (1, 64, np.zeros(64, "i4"), 41),
}  # fmt: skip


@pytest.mark.parametrize("by_lane", [False, True])
@pytest.mark.parametrize("chunk", [64, 10**6])
@pytest.mark.parametrize("name", CORRECT)
def test_correct_kernels_have_no_findings(check, name, chunk, by_lane):
    grid, block, *arguments = CORRECT[name]
    found = check(name, grid, block, *copies(arguments), by_lane=by_lane, chunk=chunk)
    assert not found, "\n".join(map(str, found))


RACES = {
    "tree_no_barrier": (4, 256, data(1024), np.zeros(4, "f4")),
    "mirror": (1, 256, data(256), np.zeros(256, "f4")),
    "overwrite": (1, 256, data(256), np.zeros(256, "f4")),
    "same_place": (1, 64, np.zeros(1, "f4")),
    "neighbours": (4, 64, np.zeros(256, "f4")),
    "histogram_no_barrier": (4, 256, data(1024, "i4"), np.zeros(32, "i4")),
    "plain_and_atomic": (2, 64, np.zeros(1, "i4")),
    "last_block_no_fence": (8, 64, data(512), np.zeros(512, "f4"), np.zeros(64, "f4"),
                            np.zeros(1, "u4")),
    "last_block_no_barrier": (8, 64, data(512), np.zeros(512, "f4"), np.zeros(64, "f4"),
                              np.zeros(1, "u4")),
    "flags_no_fence": (8, 32, data(8, "i4"), *np.zeros((3, 8), "i4")),
    "no_lock": (4, 64, np.zeros(1, "i4")),
}  # fmt: skip


@pytest.mark.parametrize("chunk", [64, 10**6])
@pytest.mark.parametrize("name", RACES)
def test_races_are_found(check, name, chunk):
    grid, block, *arguments = RACES[name]
    found = check(name, grid, block, *copies(arguments), chunk=chunk)
    assert found
    assert {f.kind for f in found} == {"races"}
    for finding in found:
        assert finding.kernel == name
        assert finding.source is not None
        assert finding.source[0].endswith("test.cu")


def test_a_finding_says_where(check):
    finding, *_ = check("mirror", 1, 256, data(256), np.zeros(256, "f4"))
    text = str(finding)
    assert "a 4-byte read at offset" in text
    assert "is not ordered with the write by warp" in text
    assert "PTX line" in text
    assert finding.source[1] == line_of("o[T] = s[255 - T]; }")
    assert f"test.cu:{line_of('float s[256]; s[T] = a[T];')}" in text  # the other access
    assert finding.block == (0, 0, 0)


def test_each_finding_is_reported_once(check):
    assert len(check("mirror", 1, 256, data(256), np.zeros(256, "f4"))) == 1


def test_lanes_of_a_warp_race_where_that_is_asked_for(check):
    assert not check("warp_swap_bare", 1, 32, np.zeros(32, "i4"))
    (finding,) = check("warp_swap_bare", 1, 32, np.zeros(32, "i4"), by_lane=True)
    assert "by thread (" in finding.message


def test_uninitialised_memory(check):
    (finding,) = check("unset_shared", 1, 256, data(256), np.zeros(256, "f4"))
    assert finding.kind == "uninit"
    assert "never written: offset 1020" in finding.message
    assert "56 threads" in finding.message
    assert finding.thread == (0, 0, 0)
    (finding,) = check("unset_local", 1, 32, np.zeros(32, "i4"), 5)
    assert "of the thread's local memory" in finding.message
    assert finding.thread == (4, 0, 0)


@pytest.mark.parametrize(("name", "width", "first"), [("copy", 16, 5), ("copy_bytes", 1, 80)])
def test_fresh_device_memory(module, check, name, width, first):
    from gpuarray._ffi.emulator.simt import launch
    from gpuarray._ffi.emulator.simt.checker import Checker

    arena = module.device.arena
    arena.checker = checker = Checker(arena, frozenset(("uninit",)))
    try:
        source, middle, target = (arena.allocate(1024) for _ in range(3))
        for address in (source, middle, target):
            checker.add_uninitialised(address, 1024)
        arena.wrote(source, 80)
        arena.copied(middle, source, 1024)
        parameters = middle.to_bytes(8, "little") + target.to_bytes(8, "little")
        launch(module.program.kernel(name), (1, 1, 1), (96 // width, 1, 1), parameters)
        (finding,) = checker.findings
        assert finding.thread == (first, 0, 0)
        assert finding.address == middle + 80
        assert "into the 1024-byte allocation" in finding.message
    finally:
        arena.checker = None
        for address in (source, middle, target):
            arena.free(address)


def test_barriers(check):
    (finding,) = check("early_exit", 1, 64, np.zeros(64, "i4"), 40)
    assert finding.kind == "barriers"
    assert "only 8 of the 32 threads of warp 1 reach the barrier" in finding.message
    assert finding.thread == (32, 0, 0)
    assert finding.source[1] == line_of("void early_exit")
    assert not check("early_exit", 1, 64, np.zeros(64, "i4"), 64)
    (finding,) = check("two_barriers", 1, 128, np.zeros(128, "i4"))
    assert "different barriers" in finding.message


MASKS = {
    "not_myself": ((1, 32, np.zeros(32, "i4")), "lane 8 is not in its own member mask 0x000000ff"),
    "nobody_comes": ((1, 32, np.zeros(32, "i4")), "names lanes 16 to 31, which do not come here"),
    "syncwarp_alone": ((1, 32, np.zeros(32, "i4")), "names lanes 16 to 31, which do not come"),
    "loop_ends_early": ((1, 32, np.zeros(32, "i4")), "names lanes 0, 8, 16, 24, which do not come"),
    "ended_lane": ((1, 32, np.zeros(32, "i4"), 20), "a shuffle reads lane 20, which is not here"),
    "not_a_member": (
        (1, 32, np.zeros(32, "i4")),
        "a shuffle reads lane 16, which is not here: it has ended, or took another branch",
    ),
    "masks_differ": ((1, 32, np.zeros(32, "i4")), "lanes that meet have different member masks"),
}


@pytest.mark.parametrize("name", MASKS)
def test_member_masks_and_source_lanes(check, name):
    (grid, block, *arguments), message = MASKS[name]
    (finding,) = check(name, grid, block, *copies(arguments))
    assert finding.kind == "barriers"
    assert message in finding.message
    assert finding.source is not None
    assert line_of(f"void {name}(") <= finding.source[1] <= line_of(f"void {name}(") + 1


SHARED_BOUNDS = {
    "into_the_next": ("4-byte write", "0 bytes past the end of the 128 bytes of a", 3),
    "before_the_second": ("4-byte read", "4 bytes before the 128 bytes of b", 1),
    "generic_pointer": ("4-byte read", "0 bytes past the end of the 128 bytes of", 2),
    "past_dynamic": (
        "4-byte atomic",
        "0 bytes past the end of the 128 bytes of dynamic shared memory",
        1,
    ),
    "in_a_function": ("4-byte write", "0 bytes past the end of the 32 bytes of outer", 1),
}


@pytest.mark.parametrize("chunk", [32, 10**6])
@pytest.mark.parametrize("name", SHARED_BOUNDS)
def test_overruns_of_shared_arrays(check, name, chunk):
    action, where, n = SHARED_BOUNDS[name]
    out = np.zeros(32, "i4")
    assert not check(name, 1, 32, out, 0, shared=128, chunk=chunk)
    assert out.any()
    found = check(name, 2, 32, out, n, shared=128, chunk=chunk, checks=("bounds",))
    assert {finding.kind for finding in found} == {"bounds"}
    assert f"a {action} at offset" in found[0].message
    assert f"of shared memory, {where}" in found[0].message
    lines = line_of(f"void {name}("), line_of(f"void {name}(") + 2
    assert lines[0] <= found[0].source[1] <= lines[1]
    assert not check(name, 1, 32, out, n, shared=128, chunk=chunk, checks=("barriers",))


def test_only_what_was_asked_for_is_checked(check):
    out = np.zeros(256, "f4")
    assert not check("mirror", 1, 256, data(256), out, checks=("uninit", "barriers"))
    assert not check("unset_shared", 1, 256, data(256), out, checks=("races",))


def test_plain_code_has_no_trace_of_the_checkers(module):
    kernel = module.program.kernel("mirror")
    assert kernel.code
    (code,) = module.program.code_files.values()
    assert "site" not in code.source
    assert "checks" not in code.source


def test_freed_memory_is_kept_for_a_while(device, monkeypatch):
    from gpuarray._ffi.emulator.simt import quarantine
    from gpuarray._ffi.emulator.simt.checker import Checker

    monkeypatch.setattr(quarantine, "_MOST_BLOCKS", 3)
    arena = device.arena
    arena.checker = Checker(arena, frozenset(ALL))
    try:
        addresses = [arena.allocate(5000) for _ in range(4)]
        for address in addresses[:3]:
            arena.free(address, at_once=False)
        again = arena.allocate(5000)
        assert again not in addresses
        where = arena.describe(addresses[1] + 8)
        assert where.startswith(f"8 bytes into the 5000-byte allocation 0x{addresses[1]:x}, which")
        assert "was freed at " in where
        assert "test_checkers.py" in where
        arena.free(addresses[3], at_once=False)  # the oldest one leaves
        assert arena.allocate(5000) == addresses[0]
        monkeypatch.setattr(arena, "size", arena._top + 5000)
        assert arena.allocate(10000) == addresses[1]  # before memory runs out, all of them do
        for address in (addresses[0], addresses[1], again):
            arena.free(address)
    finally:
        arena.end_quarantine()
        arena.checker = None


def test_use_after_free_on_the_device_heap(build, check):
    source = """extern "C" __global__ void late(int* o) {
  int* p = (int*)malloc(64); int* q = p; *q = 3; free(p); int* r = (int*)malloc(64); *r = 4;
  o[0] = *(volatile int*)q; }"""
    from gpuarray._ffi.emulator.faults import DeviceFault
    from gpuarray._ffi.emulator.simt.checker import Checker

    module = build(source)
    arena = module.device.arena
    arena.checker = checker = Checker(arena, frozenset(ALL))
    try:
        with pytest.raises(DeviceFault, match="64-byte allocation 0x.*, which was freed"):
            module.run("late", 1, 1, np.zeros(1, "i4"))
        (finding,) = checker.findings
        assert finding.kind == "faults"
    finally:
        arena.end_quarantine()
        arena.checker = None
