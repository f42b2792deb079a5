"""The one place that gives out an array's address, and arrays that only have one when asked."""

import re
from pathlib import Path

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _array

SOURCE = Path(cp.__file__).parent


class Pending(cp.ndarray, own_results=False):
    """An array whose elements are computed when its memory or its address is asked for."""

    __slots__ = ("_computed", "_work", "runs")

    @property
    def _memory(self):
        return self._now()._memory

    @property
    def _pointer(self):
        return self._now()._pointer

    # What comparisons of memory ask for, and what makes views.
    _held = _viewed = _memory

    def _now(self):
        if self._computed is None:
            self.runs += 1
            self._computed = self._work()
        return self._computed


def pending(host):
    host = np.asarray(host)
    self = object.__new__(Pending)
    self._layout = cp.asarray(host)._layout
    self._work = lambda: cp.asarray(host)
    self._computed = None
    self.runs = 0
    return self


HOST = np.asarray([3.0, 1.0, 2.0, 5.0], "f4")
OTHER = np.asarray([1.0, 1.0, 4.0, 2.0], "f4")


def stored(x, value):
    y = cp.zeros(4, "f4")
    y[...] = value
    return y


def raw(x, y):
    kernel = cp.RawKernel(
        'extern "C" __global__ void twice(const float* x, float* y) '
        "{ y[threadIdx.x] = 2 * x[threadIdx.x]; }",
        "twice",
    )
    out = cp.empty(4, "f4")
    kernel((1,), (4,), (x, out))
    return out


USES = {
    "operator": lambda x, y: x + y,
    "operator-kept": lambda x, y: (y + y, x + y)[1],
    "reflected": lambda x, y: 1 - x,
    "comparison": lambda x, y: x > y,
    "unary": lambda x, y: -x,
    "in-place": lambda x, y: x.__iadd__(y),
    "ufunc-out": lambda x, y: cp.add(y, y, out=x),
    "where": lambda x, y: cp.where(x > 1, x, y),
    "sum": lambda x, y: x.sum(),
    "var": lambda x, y: x.var(),
    "argmax": lambda x, y: x.argmax(),
    "cumsum": lambda x, y: x.cumsum(),
    "sort": lambda x, y: cp.sort(x),
    "astype": lambda x, y: x.astype("f8"),
    "copy": lambda x, y: x.copy(),
    "view": lambda x, y: x[1:3],
    "index": lambda x, y: x[cp.asarray([2, 0])],
    "mask": lambda x, y: x[x > 1],
    "reshape": lambda x, y: x.reshape(2, 2).T,
    "setitem": lambda x, y: stored(y, x),
    "concatenate": lambda x, y: cp.concatenate([x, y]),
    "searchsorted": lambda x, y: cp.searchsorted(cp.sort(x), y),
    "histogram": lambda x, y: cp.histogram(x, bins=2)[0],
    "fuse": lambda x, y: cp.fuse(lambda a, b: a * b + a)(x, y),
    "ElementwiseKernel": lambda x, y: cp.ElementwiseKernel("T a, T b", "T c", "c = a + b")(x, y),
    "RawKernel": raw,
    "asnumpy": lambda x, y: cp.asnumpy(x),
    "interface": lambda x, y: np.asarray(x.__cuda_array_interface__["data"][0] == x.data.ptr),
    "dlpack": lambda x, y: cp.from_dlpack(x.__dlpack__()),
}


@pytest.mark.parametrize("name", USES)
def test_pending_arrays_are_computed_when_they_are_used(name):
    work = USES[name]
    expected = work(cp.asarray(HOST), cp.asarray(OTHER))
    x = pending(HOST)
    assert (x.shape, x.dtype, x.nbytes) == ((4,), HOST.dtype, 16)
    assert x.runs == 0
    for _ in range(2):  # cold, then with a plan that there is
        result = work(x, cp.asarray(OTHER))
        if name == "in-place":
            assert result is x
            break
        np.testing.assert_array_equal(cp.asnumpy(result), cp.asnumpy(expected))
    assert x.runs == 1


def test_one_module_reads_addresses():
    """A reader beside it would hand out an address of its own, without the order of streams."""
    readers = {
        str(path.relative_to(SOURCE)): len(found)
        for path in SOURCE.rglob("*.py")
        if (found := re.findall(r"(?<!view)\._pointer\b(?! = )", path.read_text()))
        and "_ffi" not in path.parts
    }
    del readers["_array.py"]
    assert readers == {
        "_fusion/noting.py": 2,  # what an operation that is recorded reads, and stores to
        "_fusion/recorders.py": 3,  # the same, in the source of functions that record
        "_fusion/running.py": 1,  # where results of a launch are
        "_ndarray.py": 2,  # views
        "_ops/subscripts.py": 1,  # a view
        "_raw/arguments.py": 1,  # an example
        "kernels/sort/launch.py": 2,  # a comparison
    }


def test_a_use_on_another_stream_is_noted():
    x = cp.arange(4.0)
    stream = cp.cuda.Stream(non_blocking=True)
    noted = []

    class Memory:
        def __init__(self):
            self.stream = x._memory.stream

        def used_by(self, user):
            noted.append(user)

    y = _array.wrap(Memory(), 4096, x._layout)
    assert _array.address_of(y) == _array.address_of(y, x._memory.stream) == 4096
    assert noted == []
    assert _array.address_of(y, stream) == 4096
    assert noted == [stream]
