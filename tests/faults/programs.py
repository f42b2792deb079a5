"""Programs of their own: a fault, and a reset, take everything in the process with them.

The emulator goes on after a fault unless it is told not to; these programs tell it, so that they
see what a GPU shows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

from tests.limits import HANG_SECONDS

PRELUDE = """
import numpy as np
import gpuarray as cp
from gpuarray.errors import CUDAError, CUDARuntimeError, DriverError

fail = cp.RawKernel(r'''
extern "C" __global__ void fail(int *a, int how) {
    if (how == 0)
        a[threadIdx.x + (1ll << 40)] = 1;  // nobody's memory
    if (how == 1) *(int *)((char *)a + 1) = 1;
    if (how == 2) __trap();
    if (how == 3) assert(a == 0);
    if (how == 4) a[threadIdx.x] = 7;
}''', "fail")

def launch(a, how, wait=True):
    fail((1,), (4,), (a, np.int32(how)))
    if wait:
        cp.cuda.runtime.deviceSynchronize()

def error_of(call, *given):
    try:
        call(*given)
    except Exception as error:
        return error
    raise SystemExit("no error")
"""


def run(body: str, *, prelude: str = PRELUDE, **environment: str) -> str:
    """What a program prints; it has to end well, and to leave no exception unraised."""
    done = subprocess.run(
        [sys.executable, "-c", prelude + textwrap.dedent(body)],
        env={**os.environ, "GPUARRAY_STICKY_FAULTS": "1", **environment},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr
    return done.stdout
