"""Philox4x32-10: Random123's known answers, and that places have bits of their own."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _layout
from gpuarray._runtime.current_stream import current
from gpuarray.kernels.distribution.launch import integers_call, variates_call
from gpuarray.kernels.generator.headers import cuda_headers

#: The answers of Random123's file kat_vectors for philox4x32 of 10 rounds: counter, key, output.
KNOWN = [
    ([0, 0, 0, 0], [0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


def philox(counter: list[int], key: list[int]) -> list[int]:
    """The published rounds in Python."""
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [
            second >> 32 ^ c[1] ^ k[0], second & 0xFFFFFFFF,
            first >> 32 ^ c[3] ^ k[1], first & 0xFFFFFFFF,
        ]  # fmt: skip
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


KERNEL = r"""
#include "gpuarray/philox.cuh"

extern "C" __global__ void blocks(unsigned int* out, const unsigned long long* in, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const gpuarray::PhiloxBlock block = gpuarray::philox(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
    for (int k = 0; k < 4; ++k) out[4 * i + k] = block.words[k];
}
"""


def _pair(low: int, high: int) -> int:
    return low | high << 32


@pytest.mark.parametrize(("counter", "key", "output"), KNOWN)
def test_known_answers_in_python(counter, key, output):
    assert philox(counter, key) == output


def test_known_answers():
    headers = [cuda_headers()[f"gpuarray/{name}.cuh"] for name in ("types", "philox")]
    lines = "\n".join([*headers, KERNEL]).splitlines()
    source = "\n".join([x for x in lines if not x.startswith(("#include", "#pragma once"))])
    given = cp.array(
        [[_pair(*k), _pair(*c[:2]), _pair(*c[2:])] for c, k, _ in KNOWN], dtype=np.uint64
    )
    out = cp.zeros((len(KNOWN), 4), dtype=np.uint32)
    cp.RawKernel(source, "blocks")((1,), (32,), (out, given, len(KNOWN)))
    assert cp.asnumpy(out).tolist() == [x for _, _, x in KNOWN]


def test_words_are_blocks_of_their_places():
    """A word's place is in the lower half of the counter, across 32 bits of it."""
    key, first = 0x0123456789ABCDEF, 2**32 - 2
    target = _layout.contiguous(np.dtype(np.uint64), (4,))
    run = variates_call(current.stream, "word", (), target, False, None)
    expected = []
    for place in range(first, first + 4):
        block = philox([place & 0xFFFFFFFF, place >> 32, 0, 0], [key & 0xFFFFFFFF, key >> 32])
        expected.append(_pair(*block[:2]))
    assert cp.asnumpy(run(key, first)).tolist() == expected


@pytest.mark.parametrize("size", [1, 3, 4, 5, 1023, 2048, 2051])
def test_filled_arrays_end_where_they_do(size):
    """Four words a block, whatever is left at the end; nothing beyond is written."""
    key, place = 77, 2**40
    memory = cp.full((size + 8,), 7, dtype=np.uint32)
    run, places = integers_call(current.stream, np.dtype(np.uint32), (size,), False)
    assert places == (size + 3) // 4
    found = run(0, 2**32 - 1, 0, key, place)
    memory[4 : size + 4] = found
    words = []
    for number in range(place, place + (size + 3) // 4):
        words += philox([number & 0xFFFFFFFF, number >> 32, 0, 0], [key, 0])
    assert cp.asnumpy(found).tolist() == words[:size]
