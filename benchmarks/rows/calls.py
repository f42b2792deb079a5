"""The cost of a call: the host's time, for 16 elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.libraries import Library
from benchmarks.rows import Builder, Row, none, one, two, with_index

#: Three quarters of CuPy's time in the same run; views, where Python's own cost is most of it, may
#: take a fifth more than CuPy's.
_WORK, _VIEW = 0.75, 1.2


def table(size: int) -> tuple[np.ndarray, ...]:
    return (one(size)[0].reshape(4, -1),)


_SOURCE = r"""
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
"""


def _raw(library: Library, a: Any, b: Any) -> Callable[[], Any]:
    kernel = library.raw_kernel(_SOURCE, "add")
    out = library.module.empty_like(a)
    arguments = (a, b, out, np.int32(a.size))
    return lambda: kernel((1,), (128,), arguments)


def _iadd(library: Library, a: Any, b: Any) -> Callable[[], Any]:
    def work() -> None:
        nonlocal a
        a += b

    return work


def with_out(name: str) -> Builder:
    """The function `name` of the module with `out=`."""

    def build(library: Library, *operands: Any) -> Callable[[], Any]:
        function = getattr(library.module, name)
        out = library.module.empty_like(operands[0])
        if len(operands) == 1:
            (a,) = operands
            return lambda: function(a, out=out)
        a, b = operands
        return lambda: function(a, b, out=out)

    return build


def _elementwise(library: Library, a: Any, b: Any) -> Callable[[], Any]:
    kernel = library.module.ElementwiseKernel("T x, T y", "T z", "z = x * y + x", "multiply_add")
    return lambda: kernel(a, b)


def _reduction(library: Library, a: Any) -> Callable[[], Any]:
    kernel = library.module.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    return lambda: kernel(a)


def _fused(library: Library, a: Any, b: Any) -> Callable[[], Any]:
    @library.module.fuse()
    def blend(x: Any, y: Any) -> Any:
        return x * y + x - y

    return lambda: blend(a, b)


def _call(name: str, inputs: Callable, work: Builder, **details: Any) -> Row:
    details.setdefault("most_of_cupy", _WORK)
    return Row(name, "call", inputs, work, **details)


CALLS = [
    _call("a + b", two, lambda lib, a, b: lambda: a + b, cupy_us=6.1),
    _call("a + 1", one, lambda lib, a: lambda: a + 1, cupy_us=8.4),
    _call("add(a, b, out=)", two, with_out("add"), cupy_us=5.1),
    _call("a += b", two, _iadd, cupy_us=5.0),
    _call("exp(a)", one, lambda lib, a: lambda f=lib.module.exp: f(a), cupy_us=5.9),
    _call("a.sum()", one, lambda lib, a: lambda: a.sum(), cupy_us=7.3),
    _call(
        "m.max(axis=0)",
        table,
        lambda lib, m: lambda: m.max(axis=0),
        torch=lambda lib, m: lambda: m.amax(0),
        cupy_us=12.8,
    ),
    _call("a[1:5]", one, lambda lib, a: lambda: a[1:5], cupy_us=1.4, most_of_cupy=_VIEW),
    _call(
        "a.reshape(4, 4)",
        one,
        lambda lib, a: lambda: a.reshape(4, 4),
        cupy_us=0.7,
        most_of_cupy=_VIEW,
    ),
    _call("m.T", table, lambda lib, m: lambda: m.T, cupy_us=0.6, most_of_cupy=_VIEW),
    _call("a[index]", with_index, lambda lib, a, i: lambda: a[i], cupy_us=11.2),
    _call(
        "empty(16)",
        none,
        lambda lib: lambda f=lib.module.empty, t=lib.module.float32: f(16, dtype=t),
        torch=lambda lib: lambda f=lib.module.empty: f(16, device="cuda"),
        cupy_us=1.4,
    ),
    _call(
        "zeros(16)",
        none,
        lambda lib: lambda f=lib.module.zeros, t=lib.module.float32: f(16, dtype=t),
        torch=lambda lib: lambda f=lib.module.zeros: f(16, device="cuda"),
        cupy_us=2.8,
    ),
    _call(
        "a.astype(float64)",
        one,
        lambda lib, a: lambda t=lib.module.float64: a.astype(t),
        torch=lambda lib, a: lambda t=lib.module.float64: a.to(t),
        cupy_us=7.9,
    ),
    _call(
        "where(a > 0.5, a, b)",
        two,
        lambda lib, a, b: lambda f=lib.module.where: f(a > 0.5, a, b),
        cupy_us=16.0,
    ),
    _call(
        "a.copy()",
        one,
        lambda lib, a: lambda: a.copy(),
        torch=lambda lib, a: lambda: a.clone(),
        cupy_us=7.4,
    ),
    _call("m + m[0]", table, lambda lib, m: lambda r=m[0]: m + r, cupy_us=9.0),
    _call("RawKernel", two, _raw, torch=None, cupy_us=3.6),
    # Kernels of the user's own: at or below CuPy's.
    _call("ElementwiseKernel", two, _elementwise, torch=None, cupy_us=5.6, most_of_cupy=1.0),
    _call("ReductionKernel", one, _reduction, torch=None, cupy_us=9.0, most_of_cupy=1.0),
    _call("fuse", two, _fused, torch=None, cupy_us=6.4, most_of_cupy=1.0),
]
