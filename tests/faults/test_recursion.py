"""Near the recursion limit a call either does its work or raises."""

from __future__ import annotations

import pytest

from tests.faults.programs import run

DEPTHS = """
import os, sys

sys.stderr = open(os.devnull, "w")  # ctypes reports callbacks that could not begin
sys.setrecursionlimit(400)

def wrong(text):
    print(text)
    sys.exit(1)

def at_each_depth(work, check, most=60):
    '''Call with 0, 1, ... levels left: what raises does nothing, what returns has done it.'''
    outcomes = []
    def down(levels):
        if levels:
            return down(levels - 1)
        return work()
    base = 0
    frame = sys._getframe()
    while frame is not None:
        base, frame = base + 1, frame.f_back
    for left in range(most):
        try:
            down(400 - base - left)
        except RecursionError:
            done = False
        except Exception as error:
            if "RecursionError" not in str(error):  # as ctypes says of an argument's conversion
                wrong(f"with {left} levels left: {error!r}")
            done = False
        else:
            done = True
        outcomes.append(done)
        if not check(done):
            wrong(f"with {left} levels left: it returned, and the result is not there")
    if outcomes[0] or not outcomes[-1]:
        wrong(f"the depths are others: {outcomes}")
"""


@pytest.mark.emulator
def test_launches_and_their_results():
    run(
        DEPTHS
        + """
x, y = cp.arange(5), cp.zeros(5, int)
count = 0

def sum_of(out):
    cp.add(x, count, out=out)

def work():
    sum_of(y)

def check(done):
    global count
    matches = y.tolist() == [count + i for i in range(5)]
    count += 1
    y.fill(-1)
    # A launch that raised may have run, one that returned has.
    return matches or not done

at_each_depth(work, check)
results = []
def work():
    results.append((x + count, x.sum(), x[x > 1], cp.cumsum(x)))

def check(done):
    global count
    if done:
        a, b, c, d = results.pop()
        right = a.tolist() == [count + i for i in range(5)] and c.tolist() == [2, 3, 4]
        right = right and int(b) == 10 and int(d[-1]) == 10
    count += 1
    return not done or right

at_each_depth(work, check, 90)
fail_ = cp.RawKernel('extern "C" __global__ void g(int *a, int k) { a[threadIdx.x] = k; }', "g")
a = cp.zeros(4, "i4")
fail_((1,), (4,), (a, np.int32(0)))

def work():
    fail_((1,), (4,), (a, np.int32(count)))

def check(done):
    global count
    matches = a.tolist() == [count] * 4
    count += 1
    return matches or not done

at_each_depth(work, check)
""",
        prelude="import numpy as np\nimport gpuarray as cp\n",
    )


@pytest.mark.emulator
def test_every_call_of_the_driver():
    run(
        DEPTHS
        + """
from gpuarray._ffi import driver
cp.zeros(1)
host = np.arange(16, dtype="u1")
back = np.zeros(16, "u1")
pointer = driver.mem_alloc(16)
called = []

def copied():
    driver.memcpy_htod(pointer, host.ctypes.data, 16)

def check_copied(done):
    back[:] = 0
    driver.memcpy_dtoh(back.ctypes.data, pointer, 16)
    driver.memset_d8_async(pointer, 0, 16, 0)
    return back.any() or not done

at_each_depth(copied, check_copied)
at_each_depth(lambda: driver.memset_d8_async(pointer, 1, 16, 0), check_copied)

def read():
    driver.memcpy_dtoh(back.ctypes.data, pointer, 16)

driver.memcpy_htod(pointer, host.ctypes.data, 16)
def check_read(done):
    good = (back == host).all()
    back[:] = 77
    return good or not done

at_each_depth(read, check_read)

sizes = []
def ask():
    sizes.append(driver.mem_get_info())
def check_size(done):
    return not done or sizes.pop()[1] > 1 << 20
at_each_depth(ask, check_size)

made = []
def make():
    made.append(driver.stream_create())
def check_made(done):
    if done:
        driver.stream_destroy(made.pop())
    return not made
at_each_depth(make, check_made)

def call():
    driver.launch_host_function(0, lambda: called.append(1))
def check_called(done):
    ran = bool(called)
    called.clear()
    return ran or not done
at_each_depth(call, check_called)

kernel = cp.RawKernel('extern "C" __global__ void g(int *a) {}', "g")
kernel.compile()
handle = kernel._function().handle
expected = driver.occupancy_max_potential_block_size(handle, lambda block: 40 * block)
found = []
def occupancy():
    found.append(driver.occupancy_max_potential_block_size(handle, lambda block: 40 * block))
def check_occupancy(done):
    return not done or found.pop() == expected
at_each_depth(occupancy, check_occupancy)

from gpuarray._libraries.blas import gemm
a, b = cp.ones((2, 2), "f4"), cp.ones((2, 2), "f4")
products = []
def multiply():
    products.append(gemm(a, b))
def check_product(done):
    return not done or products.pop().tolist() == [[2, 2], [2, 2]]
gemm(a, b)
at_each_depth(multiply, check_product)
""",
        prelude="import numpy as np\nimport gpuarray as cp\n",
    )
