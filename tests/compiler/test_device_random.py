"""NVIDIA's device-side random numbers (curand_kernel.h, from its wheel) in a RawKernel."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import CompileError

SOURCE = r"""
#include <curand_kernel.h>
extern "C" __global__ void draw(unsigned* raw, float* uniform, float* normal, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    curandStatePhilox4_32_10_t state;
    curand_init(1234ull, i, 0, &state);
    raw[i] = curand(&state);
    uniform[i] = curand_uniform(&state);
    normal[i] = curand_normal(&state);
}
"""


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011)."""
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (b >> 32) ^ counter[1] ^ key[0],
            b & 0xFFFFFFFF,
            (a >> 32) ^ counter[3] ^ key[1],
            a & 0xFFFFFFFF,
        ]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def test_philox_is_philox():
    n = 300
    raw, uniform, normal = cp.empty(n, "u4"), cp.empty(n, "f4"), cp.empty(n, "f4")
    kernel = cp.RawKernel(SOURCE, "draw")
    try:
        kernel.compile()
    except CompileError as error:
        if not any(name in error.log for name in ("nv/target", '"curand_kernel.h"')):
            raise
        pytest.skip("the headers of cuRAND or CCCL are not installed")
    kernel((2,), (256,), (raw, uniform, normal, np.int32(n)))
    expected = np.array([philox([0, 0, i, 0], [1234, 0]) for i in range(n)], "u4")
    assert (cp.asnumpy(raw) == expected[:, 0]).all()
    # The next number of the same block of four, as a float in (0, 1].
    scaled = expected[:, 1].astype("f4") * np.float32(2**-32) + np.float32(2**-33)
    assert (cp.asnumpy(uniform) == scaled).all()
    values = cp.asnumpy(normal)
    assert np.isfinite(values).all()
    assert abs(values.mean()) < 4 / np.sqrt(n)
    assert abs(values.std() - 1) < 4 / np.sqrt(2 * n)
