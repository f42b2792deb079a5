"""What kernels do while host memory is registered, and the windows span the address space."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver

pytestmark = pytest.mark.emulator

COUNT = r"""
extern "C" __global__ void count(const int* x, int* bins, float* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[x[i]], 1);
        atomicAdd(&sums[x[i]], 0.5f);
    }
}
"""


def test_atomics_touch_only_what_they_access():
    cp.zeros(1)  # a context
    kept = np.zeros(4096, np.uint8)
    address = kept.ctypes.data
    driver.mem_host_register(address, kept.nbytes, 0)
    try:
        x = np.random.default_rng(5).integers(0, 7, 1000).astype("i4")
        bins, sums = cp.zeros(7, "i4"), cp.zeros(7, "f4")
        cp.RawKernel(COUNT, "count")((8,), (128,), (cp.asarray(x), bins, sums, np.int32(x.size)))
        expected = np.bincount(x, minlength=7)
        assert (cp.asnumpy(bins) == expected).all()
        assert (cp.asnumpy(sums) == expected / 2).all()
    finally:
        driver.mem_host_unregister(address)
