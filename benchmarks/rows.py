"""What is measured: one `Row` a line of the table.

A row's `work` gets the library and its operands on the device and returns the function to time.
PyTorch spells some things in its own way (`torch=`) and lacks others (`torch=None`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.libraries import Library

Builder = Callable[..., Callable[[], Any]]

#: Elements of the bandwidth rows.
LARGE = 100_000_000
#: Elements of the call-cost rows.
SMALL = 16


def _same(library: Library, *operands: Any) -> Callable[[], Any]:
    raise AssertionError("stands for 'the same as work'; never called")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    kind: str  # "call": host cost; "device": device time
    inputs: Callable[[int], tuple[np.ndarray, ...]]  # of a number of elements
    work: Builder
    torch: Builder | None = _same
    moved: float = 0.0  # bytes read and written for each element of `size`
    cupy_us: float | None = None  # CuPy 14.2's time on one H200, for reference
    most_us: float | None = None  # an absolute target
    most_of_cupy: float | None = None  # a target as a fraction of CuPy's time in the same run
    least_of_copy: float | None = None  # a target as a fraction of the device-copy rate
    calls: int = 200  # of a batch, for call costs

    def builder(self, library: Library) -> Builder | None:
        return self.torch if library.name == "torch" and self.torch is not _same else self.work


@lru_cache(maxsize=1)
def _random(count: int, size: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    return tuple(rng.random(size, dtype=np.float32) for _ in range(count))


def none(size: int) -> tuple[np.ndarray, ...]:
    return ()


def one(size: int) -> tuple[np.ndarray, ...]:
    return _random(1, size)


def two(size: int) -> tuple[np.ndarray, ...]:
    return _random(2, size)


def square(size: int) -> tuple[np.ndarray, ...]:
    side = round(size**0.5)
    return (_random(1, side * side)[0].reshape(side, side),)


def table(size: int) -> tuple[np.ndarray, ...]:
    return (_random(1, size)[0].reshape(4, -1),)


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


def _with_out(name: str) -> Builder:
    def build(library: Library, *operands: Any) -> Callable[[], Any]:
        function = getattr(library.module, name)
        out = library.module.empty_like(operands[0])
        if len(operands) == 1:
            (a,) = operands
            return lambda: function(a, out=out)
        a, b = operands
        return lambda: function(a, b, out=out)

    return build


def _expression(size: int, **place: str) -> Builder:
    def build(library: Library) -> Callable[[], Any]:
        arange = library.module.arange
        return lambda: arange(size, **place).reshape(1000, -1).T * 2

    return build


def _call(name: str, inputs: Callable, work: Builder, **details: Any) -> Row:
    details.setdefault("most_of_cupy", 1.0)
    return Row(name, "call", inputs, work, **details)


def _device(name: str, inputs: Callable, work: Builder, **details: Any) -> Row:
    return Row(name, "device", inputs, work, **details)


CALLS = [
    _call("a + b", two, lambda lib, a, b: lambda: a + b, cupy_us=6.1, most_us=4.5),
    _call("a + 1", one, lambda lib, a: lambda: a + 1, cupy_us=8.4),
    _call("add(a, b, out=)", two, _with_out("add"), cupy_us=5.1),
    _call("a += b", two, _iadd, cupy_us=5.0),
    _call("exp(a)", one, lambda lib, a: lambda f=lib.module.exp: f(a), cupy_us=5.9),
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
    _call("a[1:5]", one, lambda lib, a: lambda: a[1:5], cupy_us=1.4),
    _call("a.reshape(4, 4)", one, lambda lib, a: lambda: a.reshape(4, 4), cupy_us=0.7),
    _call("m.T", table, lambda lib, m: lambda: m.T, cupy_us=0.6),
    _call("RawKernel", two, _raw, torch=None, cupy_us=3.6),
    _call("a.sum()", one, lambda lib, a: lambda: a.sum(), cupy_us=7.3),
    _call(
        "m.max(axis=0)",
        table,
        lambda lib, m: lambda: m.max(axis=0),
        torch=lambda lib, m: lambda: m.amax(0),
        cupy_us=12.8,
    ),
    _call(
        "a.astype(float64)",
        one,
        lambda lib, a: lambda t=lib.module.float64: a.astype(t),
        torch=lambda lib, a: lambda t=lib.module.float64: a.to(t),
        cupy_us=7.9,
    ),
    _call(
        "a.copy()",
        one,
        lambda lib, a: lambda: a.copy(),
        torch=lambda lib, a: lambda: a.clone(),
        cupy_us=7.4,
    ),
    _call("m + m[0]", table, lambda lib, m: lambda r=m[0]: m + r, cupy_us=9.0),
]


def device_rows(size: int = LARGE) -> list[Row]:
    """The rows that are about device time, for arrays of `size` elements."""
    return [
        _device(
            "a + b",
            two,
            lambda lib, a, b: lambda: a + b,
            moved=12,
            cupy_us=481,
            least_of_copy=0.95,
        ),
        _device(
            "add(a, b, out=)", two, _with_out("add"), moved=12, cupy_us=481, least_of_copy=0.95
        ),
        _device("exp(a, out=)", one, _with_out("exp"), moved=8, cupy_us=480),
        _device("a.sum()", one, lambda lib, a: lambda: a.sum(), moved=4, cupy_us=102),
        _device(
            "m + m[0], 1e4 x 1e4", square, lambda lib, m: lambda: m + m[0], moved=8, cupy_us=485
        ),
        # every sector of the input is read though half of its elements are used
        _device("a[::2] * 2", one, lambda lib, a: lambda: a[::2] * 2, moved=6, cupy_us=252),
        _device(
            "arange(1e8).reshape(1000, -1).T * 2",
            none,
            _expression(size),
            torch=_expression(size, device="cuda"),
            moved=24,
            cupy_us=1312,
        ),
    ]
