"""Objects that outlive the package's modules at the end of a process."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.limits import HANG_SECONDS

# Python clears modules that something refers to in the reverse order of their imports: so what
# `os` holds dies when the names of the package's modules, which it holds too, are gone.
_PROGRAM = """
import os, sys
import gpuarray as cp
from gpuarray import cuda
x = cp.arange(10.0, dtype="f4")
code = 'extern "C" __global__ void first(float* x) { x[0] = 1; } __device__ int v;'
module = cp.RawModule(code=code)
kernel = module.get_function("first")
kernel((1,), (1,), (x,))
elementwise = cp.ElementwiseKernel("T x", "T y", "y = x + 1", "one_more")
stream, other = cuda.Stream(), cuda.Stream()
with stream:
    y = elementwise(x)  # the memory of x is used on another stream than its own
    z = y + 1
with other:
    z + 1
event = stream.record()
pool = cuda.MemoryPool()
pinned_pool = cuda.PinnedMemoryPool()
os.kept = [
    x, y, z, module, module.get_global("v"), kernel, elementwise, stream, other, event, pool,
    pool.malloc(1000), pinned_pool, pinned_pool.malloc(100), cuda.PinnedMemory(100),
    cuda.Memory(100), cuda.ManagedMemory(100),
]
os.modules = [module for name, module in sys.modules.items() if name.startswith("gpuarray")]
"""


def test_nothing_is_said_of_objects_that_die_last():
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")
