"""Kernels of the user's own are unloaded when nothing refers to them any more."""

from __future__ import annotations

import gc
import itertools
import weakref

import pytest

import gpuarray as cp
from gpuarray._ffi import driver, driver_streams
from gpuarray._runtime import launch, launch_history, user_code
from gpuarray._runtime.current_stream import current

numbers = itertools.count()


def elementwise():
    kernel = cp.ElementwiseKernel("T x", "T y", f"y = x + {next(numbers)}", "plus")
    return kernel, lambda x: kernel(x)


def computed_include():
    preamble = f"#define HEADER <math_constants.h>\n#include HEADER\n// {next(numbers)}\n"
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x", "computed", preamble=preamble)
    return kernel, lambda x: kernel(x)


def loop():
    kernel = cp.ElementwiseKernel("raw T x", "T y", f"y = x[i] + {next(numbers)}", "loop")
    return kernel, lambda x: kernel(x, cp.empty(3))


def reduction():
    kernel = cp.ReductionKernel("T x", "T y", f"x + {next(numbers)}", "a + b", "y = a", "0", "sum")
    return kernel, lambda x: kernel(x)


def raw():
    code = f'extern "C" __global__ void k(double *x) {{ x[1] = {next(numbers)}; }}'
    kernel = cp.RawKernel(code, "k")
    return kernel, lambda x: kernel((1,), (1,), (x,))


def module():
    code = f'extern "C" __global__ void k(double *x) {{ x[1] = {next(numbers)}; }}'
    module = cp.RawModule(code=code)
    return module, lambda x: module.get_function("k")((1,), (1,), (x,))


@pytest.fixture
def unloaded(monkeypatch):
    """The modules that were unloaded, by tables that are looked through after four entries."""
    monkeypatch.setattr(user_code, "_FEW", 4)
    monkeypatch.setattr(driver_streams, "_captured", False)
    device = current.stream.device
    launch_history.forget()
    gc.collect()
    user_code._drop_plans_of_the_dead()
    monkeypatch.setattr(device, "user_code_limit", len(device.user_code) + 4)
    modules = []
    unload = driver.module_unload
    monkeypatch.setattr(driver, "module_unload", lambda x: (modules.append(x), unload(x)))
    return modules


def use(make, times):
    x = cp.ones(3)
    for _ in range(times):
        make()[1](x)
        launch_history.forget()  # reports of faults name the last launches
        gc.collect()


@pytest.mark.parametrize("make", [elementwise, computed_include, loop, reduction, raw, module])
def test_kernels_that_are_gone(make, unloaded):
    table = current.stream.device.user_code
    before = len(table)
    use(make, 12)
    assert len(table) <= before + 9  # the limit doubles with what is there
    assert len(unloaded) >= 3


def test_kernels_in_use_stay(unloaded):
    kept = [make() for make in (elementwise, loop, reduction, raw, module)]
    x = cp.ones(3)
    results = [work(x) for _, work in kept[:3]]
    for _, work in kept[3:]:
        work(cp.ones(3))
    loaded = {id(one) for one in current.stream.device.user_code.values()}
    current.stream.drop_plans(kept[0][0])  # as when its plans are the oldest
    use(elementwise, 12)
    current.stream.device.user_code_limit = 0  # kernels of other tests may have raised it
    use(elementwise, 1)
    assert len(unloaded) >= 3
    now = {id(one) for one in current.stream.device.user_code.values()}
    for (_, work), result in zip(kept, results):
        assert work(x).tolist() == result.tolist()
    assert len(loaded & now) >= 4


def test_modules_of_the_same_code_share_it_while_one_is_there(unloaded):
    code = f'__device__ int value; extern "C" __global__ void k() {{ value = {next(numbers)}; }}'
    first = cp.RawModule(code=code)
    address = first.get_global("value").ptr
    second = cp.RawModule(code=code)
    handle = first.load().module
    assert second.get_global("value").ptr == address
    pointer = second.get_global("value")
    del first, second
    gc.collect()
    assert handle not in unloaded
    del pointer
    gc.collect()
    assert handle in unloaded


def test_no_module_of_a_graph_is_unloaded(unloaded):
    stream = cp.cuda.Stream(non_blocking=True)
    driver.stream_begin_capture(stream.handle)
    driver.graph_destroy(driver.stream_end_capture(stream.handle))
    use(raw, 12)
    assert not unloaded


@pytest.mark.single_operations
def test_kernels_of_the_package_are_bounded(monkeypatch):
    """Two generations are kept; what is dropped is unloaded with the last plan that has it."""
    monkeypatch.setattr(driver_streams, "_captured", False)
    monkeypatch.setattr(launch, "FUNCTION_LIMIT", 4)
    device, stream = current.stream.device, current.stream
    monkeypatch.setattr(device, "functions", {})
    monkeypatch.setattr(device, "older_functions", {})
    dtypes = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
    x = cp.zeros(3, dtypes[0])
    expected = (x + x).tolist()
    kernel = weakref.ref(next(iter(device.functions.values()))[0])
    for dtype in dtypes[1:]:
        y = cp.zeros(3, dtype)
        y + y
        assert len(device.functions) <= 4
        assert len(device.older_functions) <= 4
    assert kernel() is not None  # the plan has it
    assert (x + x).tolist() == expected
    stream.drop_plans()
    launch_history.forget()
    gc.collect()
    assert kernel() is None
    assert (x + x).tolist() == expected


@pytest.mark.single_operations
def test_no_kernel_is_dropped_after_a_capture(monkeypatch):
    monkeypatch.setattr(driver_streams, "_captured", True)
    monkeypatch.setattr(launch, "FUNCTION_LIMIT", 1)
    device = current.stream.device
    monkeypatch.setattr(device, "functions", {})
    monkeypatch.setattr(device, "older_functions", {})
    current.stream.drop_plans()
    for dtype in ("i1", "i2", "i4"):
        x = cp.zeros(3, dtype)
        x + x
    assert len(device.functions) >= 3
    assert not device.older_functions
