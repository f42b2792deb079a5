"""Device time of sorting, searching and counting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.rows import Row, of_dtype, one, random_of, shaped


def _bins(size: int) -> tuple[np.ndarray, ...]:
    return (np.random.default_rng(4).integers(0, 1000, size),)


def _in_a_thousand(size: int) -> tuple[np.ndarray, ...]:
    return np.sort(random_of("f4", 1000, seed=5)), *one(size)


def _row(name: str, inputs: Callable, work: Callable, **details: Any) -> Row:
    return Row(name, "device", inputs, work, **details)


def sorting_rows(size: int) -> list[Row]:
    """The rows for arrays of `size` elements, or of a tenth of it."""
    tenth = size // 10

    def sort(dtype: str, cupy_us: float | None, most_us: float | None, count: int = tenth) -> Row:
        return _row(
            f"sort {count:.0e} {dtype}".replace("e+0", "e"),
            of_dtype(dtype),
            lambda lib, a: lambda f=lib.module.sort: f(a),
            size=count,
            cupy_us=cupy_us,
            most_us=most_us,
        )

    return [
        sort("f4", 350, 290),
        sort("i4", 311, 260),
        sort("f8", 798, 650),
        sort("i8", 692, 580),
        sort("u1", 160, 60),
        sort("f2", None, None),
        sort("f4", 2633, 2200, size),
        _row(
            "argsort 1e7",
            one,
            lambda lib, a: lambda f=lib.module.argsort: f(a),
            size=tenth,
            cupy_us=552,
            most_us=460,
        ),
        _row(
            "sort rows of 1e4 x 1e3",
            shaped(-1, 1000),
            lambda lib, m: lambda f=lib.module.sort: f(m, axis=1),
            torch=lambda lib, m: lambda f=lib.module.sort: f(m, dim=1),
            size=tenth,
            cupy_us=3286,
            most_us=250,
        ),
        _row(
            "unique 1e7",
            one,
            lambda lib, a: lambda f=lib.module.unique: f(a),
            size=tenth,
            cupy_us=934,
            most_us=450,
        ),
        _row(
            "bincount 1e7, 1000 bins",
            _bins,
            lambda lib, a: lambda f=lib.module.bincount: f(a),
            size=tenth,
            moved=8,
            cupy_us=311,
            most_us=60,
        ),
        _row(
            "histogram 1e7, 100 bins",
            one,
            lambda lib, a: lambda f=lib.module.histogram: f(a, 100),
            torch=lambda lib, a: lambda: a.histc(100),
            size=tenth,
            moved=4,
            cupy_us=390,
            most_us=80,
        ),
        _row(
            "searchsorted 1e7 in 1000",
            _in_a_thousand,
            lambda lib, edges, a: lambda f=lib.module.searchsorted: f(edges, a),
            size=tenth,
            moved=12,
            cupy_us=173,
            most_us=60,
        ),
        _row(
            "partition 1e7 in the middle",
            one,
            lambda lib, a: lambda f=lib.module.partition: f(a, tenth // 2),
            torch=None,
            size=tenth,
            cupy_us=527,
            most_us=300,
        ),
        _row(
            "median 1e7",
            one,
            lambda lib, a: lambda f=lib.module.median: f(a),
            size=tenth,
            cupy_us=377,
            most_us=300,
        ),
    ]
