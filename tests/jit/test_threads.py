"""Kernels whose threads work together: shared memory, barriers, atomics, warps, checkers."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import jit
from gpuarray.errors import CheckError
from tests.jit.oracle import function_of

FULL = 0xFFFFFFFF
TILE = 16


@jit.rawkernel
def reduce_blocks(x, out):
    tile = jit.shared_memory(cp.float32, 256)
    lane = jit.threadIdx.x
    total = 0
    for i in range(jit.grid(1), x.size, jit.gridsize(1)):
        total += x[i]
    tile[lane] = total
    jit.syncthreads()
    half = jit.blockDim.x // 2
    while half > 0:
        if lane < half:
            tile[lane] += tile[lane + half]
        jit.syncthreads()
        half //= 2
    if lane == 0:
        jit.atomic_add(out, 0, tile[0])


@jit.rawkernel
def transpose(x, y):
    tile = jit.shared_memory(x.dtype, (TILE, TILE + 1))
    j, i = jit.grid(2)
    row, column = jit.threadIdx.y, jit.threadIdx.x
    if i < x.shape[0] and j < x.shape[1]:
        tile[row, column] = x[i, j]
    jit.syncthreads()
    i = jit.blockIdx.x * TILE + row
    j = jit.blockIdx.y * TILE + column
    if i < y.shape[0] and j < y.shape[1]:
        y[i, j] = tile[column, row]


@jit.rawkernel(device=True)
def warp_sum(value):
    delta = jit.warpsize // 2
    while delta > 0:
        value += jit.shfl_down_sync(FULL, value, delta)
        delta //= 2
    return value


@jit.rawkernel
def sum_warps(x, out):
    total = warp_sum(x[jit.grid(1)])
    if jit.laneid() == 0:
        out[jit.grid(1) // 32] = total


def test_reduction():
    x = np.arange(1000, dtype="f")
    out = cp.zeros(1, "f")
    reduce_blocks[3, 256](cp.asarray(x), out)
    assert float(out[0]) == x.sum()


@pytest.mark.parametrize("dtype", ["?", "i2", "f2", "f4", "c16"])
def test_shared_memory_of_two_dimensions(dtype):
    x = (np.arange(40 * 25) % 7).astype(dtype).reshape(40, 25)
    y = cp.zeros((25, 40), dtype)
    transpose[(2, 3), (TILE, TILE)](cp.asarray(x), y)
    np.testing.assert_array_equal(y.get(), x.T)


def test_dynamic_shared_memory():
    @jit.rawkernel
    def reverse(x):
        i = jit.threadIdx.x
        tile = jit.shared_memory(cp.int32, None)
        tile[i] = x[i]
        jit.syncthreads()
        x[i] = tile[jit.blockDim.x - 1 - i]

    x = cp.arange(64, dtype="i4")
    reverse[1, 64, 256](x)
    np.testing.assert_array_equal(x.get(), np.arange(64)[::-1])
    # More than the 48 KiB that every kernel may have.
    large = jit.rawkernel(
        function_of("def f(x):\n    s = jit.shared_memory(cp.float64, None, alignment=16)\n"
                    "    s[9000] = x[0]\n    x[0] = s[9000] + 1\n")
    )  # fmt: skip
    x = cp.ones(1)
    large[1, 1, 80000](x)
    assert float(x[0]) == 2


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_atomic_add(dtype):
    @jit.rawkernel
    def add(x, out):
        jit.atomic_add(out, 1, x[jit.grid(1)])
        tile = jit.shared_memory(x.dtype, 1)
        if jit.threadIdx.x == 0:
            tile[0] = 0
        jit.syncthreads()
        jit.atomic_add(tile, 0, 2)
        jit.syncthreads()
        if jit.threadIdx.x == 0:
            out[0] = tile[0]

    x = (np.arange(64) % 3).astype(dtype)
    out = cp.zeros(2, dtype)
    add[1, 64](cp.asarray(x), out)
    assert out.tolist() == [128, x.sum()]


ATOMICS = {
    "sub": (lambda old, x: old - x, ["i4", "i8", "u4", "u8", "f4", "f8"]),
    "max": (max, ["i4", "i8", "u4", "u8", "f4", "f8"]),
    "min": (min, ["i4", "i8", "u4", "u8", "f4", "f8"]),
    "exch": (lambda old, x: x, ["i4", "i8", "u4", "u8", "f4", "f8"]),
    "and": (lambda old, x: old & x, ["i4", "i8", "u4", "u8"]),
    "or": (lambda old, x: old | x, ["i4", "i8", "u4", "u8"]),
    "xor": (lambda old, x: old ^ x, ["i4", "i8", "u4", "u8"]),
    "inc": (lambda old, x: 0 if old >= x else old + 1, ["u4"]),
    "dec": (lambda old, x: x if old == 0 or old > x else old - 1, ["u4"]),
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(name, dtype, marks=() if quick else pytest.mark.slow)
        for name, (_, dtypes) in ATOMICS.items()
        for dtype in dtypes
        for quick in [dtype in ("i4", "u8", "f4") or len(dtypes) == 1]
    ],
)
def test_atomics(name, dtype):
    text = f"def f(x, i, value, old):\n    old[0] = jit.atomic_{name}(x, i, value)\n"
    kernel = jit.rawkernel(function_of(text))
    signed = np.dtype(dtype).kind != "u"
    for before, value in ((6, 3), (0, 5), (2, 9), (-4 if signed else 4, 7)):
        x, old = cp.asarray([1, before, 1], dtype=dtype), cp.zeros(1, dtype)
        kernel[1, 1](x, 1, value, old)
        wanted = np.dtype(dtype).type(0) + ATOMICS[name][0](before, value) if signed else None
        if wanted is None:
            wanted = np.uint64(ATOMICS[name][0](before, value) % 2 ** (8 * x.itemsize))
        assert x.tolist() == [1, wanted, 1]
        assert old[0] == before


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_compare_and_swap(dtype):
    @jit.rawkernel
    def product(x, out):
        i = jit.grid(1)
        old = out[0]
        while True:
            assumed = old
            old = jit.atomic_cas(out, 0, assumed, assumed * x[i])
            if old == assumed:
                break

    x = cp.asarray([1, 2, 3, 1, 2, 1, 1, 5], dtype=dtype)
    out = cp.ones(1, dtype)
    product[2, 4](x, out)
    assert out[0] == 60


def test_warps():
    x = np.arange(128, dtype="f")
    out = cp.zeros(4, "f")
    sum_warps[2, 64](cp.asarray(x), out)
    np.testing.assert_array_equal(out.get(), x.reshape(4, 32).sum(axis=1))


@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "i8", "u2", "f2", "f4", "f8", "c8", "c16"])
def test_shuffles(dtype):
    @jit.rawkernel
    def shuffle(x, out):
        i = jit.threadIdx.x
        out[0, i] = jit.shfl_sync(FULL, x[i], 5)
        out[1, i] = jit.shfl_up_sync(FULL, x[i], 3)
        out[2, i] = jit.shfl_down_sync(FULL, x[i], 3, width=16)
        out[3, i] = jit.shfl_xor_sync(-1, x[i], 1)
        jit.syncwarp()

    x = (np.arange(32) % 11).astype(dtype)
    out = cp.zeros((4, 32), dtype)
    shuffle[1, 32](cp.asarray(x), out)
    lane = np.arange(32)
    below = np.where(lane < 3, lane, lane - 3)
    above = np.where(lane % 16 + 3 > 15, lane, lane + 3)
    wanted = [x[np.full(32, 5)], x[below], x[above], x[lane ^ 1]]
    np.testing.assert_array_equal(out.get(), np.array(wanted))


def test_votes():
    @jit.rawkernel
    def vote(x, bits, flags):
        i = jit.threadIdx.x
        ballot = jit.ballot_sync(FULL, x[i] > 30)
        everywhere = jit.all_sync(FULL, x[i] >= 0)
        somewhere = jit.any_sync(FULL, x[i] == 7)
        active = jit.activemask()
        if i == 0:
            bits[0] = ballot
            bits[1] = active
            flags[0] = everywhere
            flags[1] = somewhere
        jit.threadfence()

    bits, flags = cp.zeros(2, "u4"), cp.zeros(2, bool)
    vote[1, 32](cp.arange(32), bits, flags)
    assert bits.tolist() == [1 << 31, FULL]
    assert flags.tolist() == [True, True]


# ---- checkers, which name lines of Python ----------------------------------------------------------


@pytest.mark.emulator
def test_nothing_is_found_in_correct_kernels():
    with cp.cuda.check():
        test_reduction()
        test_shared_memory_of_two_dimensions("f4")
        test_warps()
        test_dynamic_shared_memory()


@jit.rawkernel
def forgotten(x, y):
    tile = jit.shared_memory(cp.float32, 64)
    i = jit.threadIdx.x
    tile[i] = x[i]
    y[i] = tile[63 - i]  # the reader
    if i == 0:
        y[70] = tile[0]  # beyond the end


@pytest.mark.emulator
def test_findings_name_the_line_of_python():
    x = cp.arange(64, dtype="f")
    with pytest.raises(CheckError) as caught, cp.cuda.check("races"):
        forgotten[1, 64](x, cp.zeros(100, "f"))
    text = str(caught.value)
    assert "test_threads.py:" in text
    assert "tile[i] = x[i]" in text
    assert "# the reader" in text
    assert "jit_forgotten" in text


FAULT = """
import gpuarray as cp
from gpuarray import jit

@jit.rawkernel
def beyond(x, how):
    i = jit.grid(1)
    if how == 1:
        x[i + 100_000_000] = 1  # far away
    assert how != 2, "must not be two"

beyond[1, 1](cp.zeros(4), HOW)
cp.cuda.Device().synchronize()
"""


@pytest.mark.emulator
@pytest.mark.parametrize(
    ("how", "messages"),
    [
        (1, ["script.py:9: x[i + 100_000_000] = 1  # far away", "CUDA_ERROR_ILLEGAL_ADDRESS"]),
        (2, ["script.py:10", "must not be two", "CUDA_ERROR_ASSERT"]),
    ],
)
def test_faults_name_the_line_of_python(how, messages, tmp_path):
    script = tmp_path / "script.py"  # a process of its own: the device is lost with the fault
    script.write_text(FAULT.replace("HOW", str(how)))
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    for message in messages:
        assert message in result.stdout + result.stderr
