"""Device time of element-wise work, copies, joins and selections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.libraries import Library
from benchmarks.rows import Builder, Row, none, one, shaped, square, two, with_index
from benchmarks.rows.calls import with_out


def _expression(size: int, **place: str) -> Builder:
    def build(library: Library) -> Callable[[], Any]:
        arange = library.module.arange
        return lambda: arange(size, **place).reshape(1000, -1).T * 2

    return build


def _thin_pair(size: int) -> tuple[np.ndarray, ...]:
    a, b = two(size)
    return a.reshape(32, -1), b.reshape(-1, 32)


def _device(name: str, inputs: Callable, work: Builder, **details: Any) -> Row:
    return Row(name, "device", inputs, work, **details)


def elementwise_rows(size: int) -> list[Row]:
    """The rows for arrays of `size` elements."""
    return [
        _device("a + b", two, lambda lib, a, b: lambda: a + b, moved=12, cupy_us=481, most_us=300),
        _device("add(a, b, out=)", two, with_out("add"), moved=12, cupy_us=481, most_us=300),
        _device("exp(a, out=)", one, with_out("exp"), moved=8, cupy_us=480, most_us=205),
        _device(
            "m + m[0], 1e4 x 1e4",
            square,
            lambda lib, m: lambda: m + m[0],
            moved=8,
            cupy_us=485,
            most_us=210,
        ),
        # every sector of the input is read though half of its elements are used
        _device(
            "a[::2] * 2", one, lambda lib, a: lambda: a[::2] * 2, moved=6, cupy_us=252, most_us=170
        ),
        _device(
            "p.T + q, (32, n).T + (n, 32)",
            _thin_pair,
            lambda lib, p, q: lambda: p.T + q,
            moved=12,
            cupy_us=548,
            most_us=330,
        ),
        _device(
            "ascontiguousarray(m.T)",
            square,
            lambda lib, m: lambda f=lib.module.ascontiguousarray: f(m.T),
            torch=lambda lib, m: lambda: m.T.contiguous(),
            moved=8,
            cupy_us=706,
            most_us=240,
        ),
        _device(
            "m + m.T", square, lambda lib, m: lambda: m + m.T, moved=12, cupy_us=743, most_us=340
        ),
        _device(
            "arange(1e8).reshape(1000, -1).T * 2",
            none,
            _expression(size),
            torch=_expression(size, device="cuda"),
            moved=24,
            cupy_us=1312,
            most_us=640,
        ),
        _device(
            "where(a > 0.5, a, b)",
            two,
            lambda lib, a, b: lambda f=lib.module.where: f(a > 0.5, a, b),
            moved=18,  # the comparison's 4 + 1, then 1 + 4 + 4 + 4
            cupy_us=972,
            most_us=460,
        ),
        _device(
            "concatenate((a, b))",
            two,
            lambda lib, a, b: lambda f=lib.module.concatenate: f((a, b)),
            torch=lambda lib, a, b: lambda f=lib.module.cat: f((a, b)),
            moved=16,
            cupy_us=961,
            most_us=420,
        ),
        _device(
            "a[a > 0.5]",
            one,
            lambda lib, a: lambda: a[a > 0.5],
            moved=12,  # the comparison's 4 + 1, then 1 + 4 and half of 4
            cupy_us=1724,
            most_us=420,
        ),
        _device(
            "nonzero(a > 0.5)",
            one,
            lambda lib, a: lambda f=lib.module.nonzero: f(a > 0.5),
            moved=10,  # the comparison's 4 + 1, then 1 and half of 8
            cupy_us=1287,
            most_us=420,
        ),
        _device(
            "a[index]",
            with_index,
            lambda lib, a, i: lambda: a[i],
            cupy_us=2711,
            most_us=2700,
        ),
        _device(
            "cumsum(a)",
            one,
            lambda lib, a: lambda f=lib.module.cumsum: f(a),
            torch=lambda lib, a: lambda: a.cumsum(0),
            moved=8,
            cupy_us=742,
            most_us=260,
        ),
        _device(
            "cumsum(m, axis=1)",
            square,
            lambda lib, m: lambda f=lib.module.cumsum: f(m, axis=1),
            torch=lambda lib, m: lambda: m.cumsum(1),
            moved=8,
            cupy_us=2419,
            most_us=260,
        ),
        _device(
            "cumsum(m, axis=0)",
            square,
            lambda lib, m: lambda f=lib.module.cumsum: f(m, axis=0),
            torch=lambda lib, m: lambda: m.cumsum(0),
            moved=8,
        ),
        _device(
            "copy of (100, 1000, 1000), axes reversed",
            shaped(100, 1000, -1),
            lambda lib, t: lambda f=lib.module.ascontiguousarray: f(t.T),
            torch=lambda lib, t: lambda: t.permute(2, 1, 0).contiguous(),
            moved=8,
        ),
    ]
