"""Hooks that are called before and after launches and calls of libraries."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import jit
from gpuarray._ffi import driver
from gpuarray._libraries.blas import gemm
from gpuarray._runtime.launch import BoundLaunch
from gpuarray.errors import CUDAError

_NAMED = cp.RawKernel('extern "C" __global__ void named(int* x) { x[threadIdx.x] += 1; }', "named")
_TWICE = cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice")
_TOTAL = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")


@jit.rawkernel()
def _increment(x):
    x[jit.threadIdx.x] += 1


@cp.fuse
def _affine(x):
    return x * 2 + 1


class Recorder(cp.cuda.FunctionHook):
    """Keeps what it is called with."""

    name = "Recorder"

    def __init__(self):
        self.before = []
        self.after = []
        self.calls = []

    def launch_preprocess(self, **kwargs):
        self.before.append(kwargs)

    def launch_postprocess(self, **kwargs):
        self.after.append(kwargs)

    def call_preprocess(self, **kwargs):
        self.calls.append(("before", kwargs))

    def call_postprocess(self, **kwargs):
        self.calls.append(("after", kwargs))

    @property
    def names(self):
        return [found["name"] for found in self.before]


def test_a_launch_is_described():
    x = cp.zeros(8, "i4")
    _NAMED((1,), (8,), (x,))  # its plan must not stay in use
    stream = cp.cuda.Stream()
    with Recorder() as hook:
        _NAMED((2, 3), (4, 2), (x,), shared_mem=64, stream=stream)
    stream.synchronize()
    assert hook.before == hook.after
    assert hook.before == [
        {
            "name": "named",
            "grid": (2, 3, 1),
            "block": (4, 2, 1),
            "shared_mem": 64,
            "device_id": 0,
            "stream": stream,
        }
    ]


_FAMILIES = {
    "raw kernel": lambda x: _NAMED((1,), (8,), (x,)),
    "elementwise kernel": _TWICE,
    "reduction kernel": _TOTAL,
    "jit": lambda x: _increment[1, 8](x),
    "fused": _affine,
    "operator": lambda x: x + x,
    "number": lambda x: x + 1,
    "reduction": lambda x: x.sum(),
    "sort": cp.sort,
    "indexing": lambda x: x[x],
    "mask": lambda x: x[x == 0],
}


@pytest.mark.parametrize("family", _FAMILIES)
def test_warm_launches_of_every_family(family):
    call = _FAMILIES[family]
    x = cp.zeros(8, "i4")
    call(x)
    with Recorder() as hook:
        call(x)
        first = len(hook.before)
        assert first >= 1
        assert hook.before == hook.after
        call(x)
        assert len(hook.before) == 2 * first
    call(x)
    assert len(hook.before) == 2 * first


def test_a_librarys_call_is_described():
    a = cp.ones((4, 4), "f4")
    gemm(a, a)
    with Recorder() as hook:
        result = gemm(a, a)
    gemm(a, a)
    assert [when for when, _ in hook.calls] == ["before", "after"]
    described = hook.calls[0][1]
    assert described == hook.calls[1][1]
    assert described["name"].startswith("cublas")
    assert (described["device_id"], described["stream"]) == (0, cp.cuda.get_current_stream())
    np.testing.assert_array_equal(result.get(), np.full((4, 4), 4, "f4"))


def test_results_are_the_same():
    x = cp.arange(12.0).reshape(3, 4)
    host = x.get()
    with Recorder():
        np.testing.assert_array_equal((x * 2 + x.T[0, 0]).get(), host * 2)
        np.testing.assert_array_equal(x.cumsum(axis=1).get(), host.cumsum(axis=1))
        np.testing.assert_array_equal(cp.sort(-x).get(), np.sort(-host))


@pytest.mark.single_operations
def test_without_hooks_the_drivers_function_launches(monkeypatch):
    made = []
    original = BoundLaunch.__init__

    def noting(self, *args, **kwargs):
        original(self, *args, **kwargs)
        made.append(self.launch)

    x = cp.zeros(23, "i4")
    monkeypatch.setattr(BoundLaunch, "__init__", noting)
    stream = cp.cuda.get_current_stream()
    with Recorder():
        x + x
        hooked = stream.plans
    x + x
    plain = stream.plans
    assert [launch is driver.launch for launch in made] == [False, True]
    with Recorder():
        assert stream.plans is hooked
        x + x
    assert stream.plans is plain
    x + x
    assert len(made) == 2


def test_nested_hooks_are_called_in_order():
    log = []

    class Named(cp.cuda.FunctionHook):
        def __init__(self, name):
            self.name = name

        def launch_preprocess(self, **kwargs):
            log.append(f"before {self.name}")

        def launch_postprocess(self, **kwargs):
            log.append(f"after {self.name}")

    x = cp.zeros(8, "i4")
    with Named("outer") as outer, Named("inner") as inner:
        active = cp.cuda.function_hook.get_function_hooks()
        assert active == {"outer": outer, "inner": inner}
        x + x
        with pytest.raises(KeyError, match="named 'outer' is active already"), Named("outer"):
            pass
    assert log == ["before outer", "before inner", "after outer", "after inner"]
    assert cp.cuda.function_hook.get_function_hooks() == {}
    with pytest.raises(KeyError, match="'outer' is not active in this thread"):
        outer.__exit__()


def test_a_hook_belongs_to_its_thread():
    x = cp.zeros(8, "i4")

    def elsewhere():
        x + x
        cp.cuda.get_current_stream().synchronize()

    def run():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    with Recorder() as hook:
        run()
        assert hook.before == []
    hook.all_threads = True
    with hook:
        run()
        assert len(hook.before) == 1
        x + x
        assert len(hook.before) == 2


def test_what_a_hook_launches_is_not_hooked():
    class Launching(Recorder):
        def launch_preprocess(self, **kwargs):
            super().launch_preprocess(**kwargs)
            assert float(x.sum()) == 0

    x = cp.zeros(8, "i4")
    with Launching() as hook:
        x + x
    assert len(hook.before) == 1


def test_an_exception_in_a_hook_leaves_everything_usable():
    class Refusing(Recorder):
        name = "Refusing"

        def launch_preprocess(self, **kwargs):
            raise ValueError("not this kernel")

    x = cp.zeros(8, "i4")
    with Recorder() as outer:
        with Refusing() as hook, pytest.raises(ValueError, match="not this kernel"):
            _NAMED((1,), (8,), (x,))
        assert outer.before == outer.after
        assert (outer.names, hook.after) == (["named"], [])
        _NAMED((1,), (8,), (x,))
    np.testing.assert_array_equal(x.get(), np.ones(8, "i4"))


def test_a_launch_that_is_refused_has_its_second_callback(monkeypatch):
    monkeypatch.setattr(driver, "launch", lambda *args: 1)
    with Recorder() as hook, pytest.raises(CUDAError, match="named"):
        _NAMED((1,), (8,), (cp.zeros(8, "i4"),), shared_mem=24)  # there is no plan yet
    assert hook.names[-1] == "named"
    assert hook.before == hook.after
