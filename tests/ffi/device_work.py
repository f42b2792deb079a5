"""What tests of the driver share: a current context, kernels, copies to and from the device."""

import functools

import numpy as np
import pytest

from gpuarray._ffi import driver, nvrtc
from gpuarray.errors import DriverError

SOURCE = """
__device__ int counter = 7;

extern "C" __global__ void add(int *a, int value) { a[threadIdx.x] += value; }
extern "C" __global__ void twice(int *a) { a[threadIdx.x] *= 2; }
extern "C" __global__ void nothing() {}
extern "C" __global__ void store_at(int *a, long long at) { a[at] = 1; }
extern "C" __global__ void bytes(int *out) {
    extern __shared__ int shared[];
    shared[threadIdx.x * 4096] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = shared[(blockDim.x - 1 - threadIdx.x) * 4096];
}
"""


@functools.cache
def image():
    """The kernels above, as this backend takes them."""
    kind = driver.image_kind
    major = driver.device_attribute("compute_capability_major", 0)
    minor = driver.device_attribute("compute_capability_minor", 0)
    architecture = f"{'sm' if kind == 'cubin' else 'compute'}_{major}{minor}"
    options = [f"--gpu-architecture={architecture}"]
    return nvrtc.compile(SOURCE, "device_work", options=options, kind=kind)[0]


def arguments(*values):
    """A buffer of pointers and 64-bit integers (NumPy scalars keep their size)."""
    sizes = tuple(v.itemsize if isinstance(v, np.generic) else 8 for v in values)
    buffer = driver.ArgumentBuffer(sizes)
    for at, value in enumerate(values):
        data = np.asarray(value, None if isinstance(value, np.generic) else np.uint64).tobytes()
        buffer.bytes[buffer.offsets[at] : buffer.offsets[at] + len(data)] = data
    return buffer


def launch(function, buffer, threads=4, stream=0, shared=0, grid=(1, 1, 1), **more):
    block = (threads, 1, 1)
    config = driver.launch_config(grid, block, shared, stream, **more)
    status = driver.launch(config, driver.function_argument(function), buffer.params, None)
    if status:
        raise driver.launch_error(status, "a test", grid, block)


def fetch(pointer, count, dtype=np.int32):
    result = np.empty(count, dtype)
    driver.memcpy_dtoh(result.ctypes.data, pointer, result.nbytes)
    return result


def status_of(call, *given, **named):
    """The name of the status that a call fails with."""
    with pytest.raises(DriverError) as raised:
        call(*given, **named)
    return raised.value.status_name.removeprefix("CUDA_ERROR_")
