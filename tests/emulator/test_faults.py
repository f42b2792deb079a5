"""What goes wrong is named: kernel, block, thread, address, PTX line."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

SOURCE = """
#undef assert
#define assert(e) do { if (!(e)) __assertfail((const char*)#e, (const char*)__FILE__, \\
  __LINE__, (const char*)"checked", 1); } while (0)
extern "C" __global__ void past(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) a[i] = 1; }
extern "C" __global__ void null(int* a) { if (threadIdx.x == 5) *a = 1; }
extern "C" __global__ void scattered(const long long* ix, float* a) { a[ix[threadIdx.x]] = 2; }
extern "C" __global__ void odd(char* a) { *(int*)(a + threadIdx.x * 4 + 2) = 1; }
extern "C" __global__ void odd_vector(char* a) { ((float4*)(a + 4))[threadIdx.x].x = 1;
  float4 v = ((float4*)(a + 4))[threadIdx.x]; a[v.y > 3] = v.x; }
extern "C" __global__ void shared_past(int* o, int k) { __shared__ int s[32]; s[threadIdx.x] = 1;
  __syncthreads(); o[threadIdx.x] = s[(threadIdx.x + k)]; }
__device__ __noinline__ int indirect(int* p, int k) { return p[k]; }
extern "C" __global__ void generic(int* o, int k) { __shared__ int s[32]; s[threadIdx.x] = 1;
  __syncthreads(); int* p = threadIdx.x == 40 ? o : s;
  o[threadIdx.x] = indirect(p, threadIdx.x + k); }
extern "C" __global__ void local_past(int* o, int k) { int t[4] = {1, 2, 3, 4};
  t[threadIdx.x & 3] = k; o[threadIdx.x] = t[k]; }
extern "C" __global__ void trap(const int* a) { if (a[threadIdx.x] > 2) __trap(); }
extern "C" __global__ void checked(const int* a) { assert(a[threadIdx.x] < 3); }
__device__ __noinline__ void inner(int* p, int i) { p[i * 1000] = i; }
extern "C" __global__ void deep(int* p) { inner(p, threadIdx.x); }
extern "C" __global__ void fine(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void atomic(int* p) { atomicAdd(p + 100, 1); }
"""


@pytest.fixture
def module(build):
    return build(SOURCE)


@pytest.fixture
def fails(module):
    from gpuarray._ffi.emulator.simt import DeviceFault

    def fails(status, pattern, *call):
        used = module.device.arena.used
        with pytest.raises(DeviceFault, match=pattern) as caught:
            module.run(*call)
        assert caught.value.status == status
        assert str(caught.value) == caught.value.message
        assert module.device.arena.used == used
        out = np.zeros(32, "i4")
        module.run("fine", 1, 32, out)  # the arena is as usable as before
        assert (out == 1).all()
        return caught.value.message

    return fails


def test_running_over_the_end(fails):
    a = np.zeros(300, "f4")
    message = fails(
        700, r"invalid 4-byte store at 0x[0-9a-f]+ .*0 bytes past the 1200-byte allocation",
        "past", 2, 256, a, 300,
    )  # fmt: skip
    assert "kernel past, block (1,0,0), thread (44,0,0), PTX line" in message
    assert "st.global" in message


def test_null_pointer(fails):
    fails(700, r"store at 0x0 \(the null pointer; .*thread \(5,0,0\)", "null", 1, 32, 0)
    fails(700, r"store at 0x14 \(20 bytes behind the null pointer", "null", 1, 32, 20)


def test_one_bad_address_of_many(fails):
    index = np.arange(64)
    index[37] = 10**7
    message = fails(700, "1 of 64 threads", "scattered", 1, 64, index, np.zeros(64, "f4"))
    assert "thread (37,0,0)" in message
    index[37] = -1
    fails(700, "thread \\(37,0,0\\)", "scattered", 1, 64, index, np.zeros(64, "f4"))


def test_misaligned_accesses(fails):
    fails(716, "misaligned 4-byte store", "odd", 1, 32, np.zeros(256, "u1"))
    fails(716, "misaligned 16-byte load", "odd_vector", 1, 8, np.zeros(256, "u1"))


def test_shared_memory_of_the_next_block_is_out_of_reach(fails):
    out = np.zeros(32, "i4")
    fails(700, "offset 128 of shared memory.*128 bytes", "shared_past", 4, 32, out, 1)
    fails(700, "offset -4 of shared memory", "shared_past", 4, 32, out, -1)


def test_shared_memory_of_the_next_block_by_a_generic_address(fails):
    out = np.zeros(32, "i4")
    fails(700, "offset 128 of shared memory.*128 bytes", "generic", 4, 32, out, 1)
    fails(700, "offset -4 of shared memory", "generic", 4, 32, out, -1)


LOCAL = """
extern "C" __global__ void put(int* o, const int* k) {
  int t[5]; for (int i = 0; i < 5; ++i) t[i] = i;
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  t[k[g]] = 9; for (int i = 0; i < 5; ++i) o[5 * g + i] = t[i];
}
extern "C" __global__ void get(int* o, const int* k) {
  int t[5]; for (int i = 0; i < 5; ++i) t[i] = o[i];
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  o[5 * g] = t[k[g]];
}
extern "C" __global__ void all(int* o, int k) {
  int t[5]; for (int i = 0; i < 5; ++i) t[i] = o[i];
  t[k] = 9; for (int i = 0; i < 5; ++i) o[5 * threadIdx.x + i] = t[i];
}
extern "C" __global__ void some(int* o, int k) {
  int t[5]; for (int i = 0; i < 5; ++i) t[i] = o[i];
  if (threadIdx.x % 3 == 1) t[k] = 9;
  for (int i = 0; i < 5; ++i) o[5 * threadIdx.x + i] = t[i];
}
extern "C" __global__ void wide(int* o, int k) {
  alignas(16) int t[8]; for (int i = 0; i < 8; ++i) t[i] = o[i];
  int4 v = ((int4*)t)[k]; ((int4*)t)[k + threadIdx.x % 2] = make_int4(v.y, v.x, v.w, v.z);
  for (int i = 0; i < 5; ++i) o[5 * threadIdx.x + i] = t[i];
}
__device__ __noinline__ void inner(int* p, int k) {
  int t[2] = {k, k}; t[p[0] & 1] = 9; p[k] = t[0];
}
extern "C" __global__ void called(int* o, int k) {
  int t[5]; for (int i = 0; i < 5; ++i) t[i] = o[i];
  inner(threadIdx.x == 7 ? o : t, k);
  for (int i = 0; i < 5; ++i) o[5 * threadIdx.x + i] = t[i];
}
extern "C" __global__ void added(int* o, int k) {
  int t[5]; for (int i = 0; i < 5; ++i) t[i] = o[i];
  int* p = threadIdx.x < 40 ? t + k : o; atomicAdd(p, 1);
  for (int i = 0; i < 5; ++i) o[5 * threadIdx.x + i] = t[i];
}
extern "C" __global__ void handed(int* o, int k) {
  __shared__ int* p; int t[5]; for (int i = 0; i < 5; ++i) t[i] = o[i];
  if (threadIdx.x == k) p = t;
  __syncthreads(); *p = 1; for (int i = 0; i < 5; ++i) o[5 * threadIdx.x + i] = t[i];
}
"""


@pytest.mark.parametrize("chunk", [64, None])
@pytest.mark.parametrize("beyond", [-1, 5, 7, 8, 12])
@pytest.mark.parametrize("lane", [0, 1, 31, 63, 64, 127])
def test_local_memory_of_another_thread_is_out_of_reach(build, lane, beyond, chunk):
    from gpuarray._ffi.emulator.simt import DeviceFault

    module = build(LOCAL)
    out, index = np.zeros(5 * 128, "i4"), np.arange(128, dtype="i4") % 5
    module.run("put", 2, 64, out, index, chunk=chunk)
    expected = np.tile(np.arange(5), (128, 1))
    expected[np.arange(128), index] = 9
    assert (out.reshape(128, 5) == expected).all()
    index[lane] = beyond
    at = rf"offset {4 * beyond} of the thread's 20 bytes of local memory; 1 of"
    where = rf"block \({lane // 64},0,0\), thread \({lane % 64},0,0\)"
    for kernel in ("put", "get"):
        with pytest.raises(DeviceFault, match=f"{at}.*{where}"):
            module.run(kernel, 2, 64, out, index, chunk=chunk)


@pytest.mark.parametrize(
    ("kernel", "within", "beyond", "at"),
    [
        ("all", (0, 4), (-1, 5, 8, -8), "64 of 64"),
        ("some", (0, 4), (-1, 5, 8, -8), "21 of 21"),
        ("wide", (0,), (2, -1), "64 of 64"),
        ("wide", (), (1,), "32 of"),
        ("called", (0, 4), (-1, 5), "6[34] of 64"),
        ("added", (0, 4), (-1, 5), "40 of 64"),
        ("handed", (), (0, 63), "63 of 64"),
    ],
)
def test_every_way_into_the_local_memory_of_another_thread(build, kernel, within, beyond, at):
    from gpuarray._ffi.emulator.simt import DeviceFault

    module = build(LOCAL)
    out = np.zeros(5 * 64 + 8, "i4")
    for k in within:
        module.run(kernel, 1, 64, out, k)
    used = module.device.arena.used
    for k in beyond:
        with pytest.raises(DeviceFault, match=f"bytes of local memory; {at}"):
            module.run(kernel, 1, 64, out, k)
    assert module.device.arena.used == used


def test_traps_and_assertions(fails):
    a = np.arange(5, dtype="i4")
    fails(719, r"trap in kernel trap.*thread \(3,0,0\)", "trap", 1, 5, a)
    fails(710, r"assertion `a\[threadIdx.x\] < 3` failed.*thread \(3", "checked", 1, 5, a)


def test_faults_in_functions_name_both(fails):
    message = fails(700, "kernel deep.*function _Z5inner", "deep", 1, 32, np.zeros(32, "i4"))
    assert "thread (1,0,0)" in message


def test_bad_atomics(fails):
    fails(700, "invalid 4-byte atomic", "atomic", 1, 32, np.zeros(32, "i4"))


def test_use_after_free(module):
    from gpuarray._ffi.emulator.simt import DeviceFault, launch

    arena = module.device.arena
    address = arena.allocate(1024)
    arena.free(address)
    with pytest.raises(DeviceFault, match="invalid 4-byte store"):
        launch(module.program.kernel("fine"), (1, 1, 1), (32, 1, 1), address.to_bytes(8, "little"))


PTX = """.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred %p;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  setp.eq.u32 %p, %r1, 0;
  @%p bra DONE;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd1], 3;
DONE:
  st.global.u32 [%rd1], %r1;
  ret;
}
"""


def test_unknown_instructions_fail_only_when_reached(device):
    from gpuarray._ffi.emulator.simt import UnsupportedInstruction, launch

    program = device.load(PTX).program
    kernel = program.kernel("k")
    address = device.arena.allocate(4)
    parameters = address.to_bytes(8, "little")
    launch(kernel, (1, 1, 1), (1, 1, 1), parameters + bytes(4))
    with pytest.raises(UnsupportedInstruction) as caught:
        launch(kernel, (1, 1, 1), (1, 1, 1), parameters + b"\1\0\0\0")
    device.arena.free(address)
    message = caught.value.message
    assert "tensormap.replace.tile.rank" in message
    assert "kernel k" in message
    assert "PTX line 10: tensormap" in message


def test_interface_of_kernels(module):
    program = module.program
    assert "past" in program.kernel_names
    with pytest.raises(KeyError):
        program.kernel("absent")
    kernel = program.kernel("shared_past")
    assert kernel.name == "shared_past"
    assert kernel.parameters == [(0, 8), (8, 4)]
    assert kernel.parameter_bytes == 12
    assert kernel.static_shared_bytes == 128
    assert program.kernel("local_past").local_bytes >= 16
    assert kernel.max_threads == 1024
