"""Device time of reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.libraries import Library
from benchmarks.rows import Row, one, shaped, square


def _norm_of_rows(library: Library, m: Any) -> Callable[[], Any]:
    kernel = library.module.ReductionKernel(
        "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm"
    )
    return lambda: kernel(m, axis=1)


def _row(name: str, inputs: Callable, work: Callable, **details: Any) -> Row:
    return Row(name, "device", inputs, work, **{"moved": 4, **details})


def reduction_rows(size: int) -> list[Row]:
    """The rows for arrays of `size` elements."""
    return [
        _row("a.sum()", one, lambda lib, a: lambda: a.sum(), cupy_us=102, most_us=102),
        _row("a.max()", one, lambda lib, a: lambda: a.max(), cupy_us=112, most_us=102),
        _row("a.argmax()", one, lambda lib, a: lambda: a.argmax(), cupy_us=118, most_us=102),
        _row(
            "m.sum(axis=0), 1e4 x 1e4",
            square,
            lambda lib, m: lambda: m.sum(0),
            cupy_us=271,
            most_us=105,
        ),
        _row(
            "m.sum(axis=1), 1e4 x 1e4",
            square,
            lambda lib, m: lambda: m.sum(1),
            cupy_us=104,
            most_us=105,
        ),
        _row(
            "sum(axis=1) of 100 x 1000 x 1000",
            shaped(100, 1000, -1),
            lambda lib, t: lambda: t.sum(1),
            cupy_us=305,
            most_us=110,
        ),
        _row(
            "sum(axis=1) of 1e7 x 10",
            shaped(-1, 10),
            lambda lib, t: lambda: t.sum(1),
            cupy_us=139,
            most_us=120,
        ),
        _row("m.var(axis=1)", square, lambda lib, m: lambda: m.var(1), cupy_us=574, most_us=160),
        _row("m.std(axis=0)", square, lambda lib, m: lambda: m.std(0)),
        _row(
            "m.T.argmax()",
            square,
            lambda lib, m: lambda: m.T.argmax(),
        ),
        _row(
            "ReductionKernel l2norm, axis 1",
            square,
            _norm_of_rows,
            torch=None,
            cupy_us=126,
            most_of_cupy=1.0,
        ),
    ]
