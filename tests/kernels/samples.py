"""Values that reach the corners of each dtype, and the comparison with NumPy's results."""

from __future__ import annotations

import itertools

import numpy as np

from gpuarray._dtypes import category, dtype_of

_REAL_CORNERS = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 2.0, 3.0, -7.0, 10.0, 1e-5, -300.25,
    np.inf, -np.inf, np.nan,
]  # fmt: skip


def corners(dtype: str) -> np.ndarray:
    """Special values of a dtype."""
    numpy_dtype = dtype_of(dtype)
    match category(dtype):
        case "bool":
            return np.array([False, True])
        case "signed" | "unsigned":
            info = np.iinfo(numpy_dtype)
            values = [0, 1, 2, 3, 5, 7, 8, 63, info.max, info.max - 1, info.min, info.min + 1]
            if info.min < 0:
                values += [-1, -2, -7, -8]
            return np.array(values, numpy_dtype)
        case "float":
            info = np.finfo(numpy_dtype)
            extremes = [info.max, info.min, info.tiny, info.smallest_subnormal, -info.tiny]
            return np.array([*_REAL_CORNERS, *extremes], numpy_dtype)
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 30.0, np.inf, -np.inf, np.nan]
    return np.array([complex(re, im) for re in parts for im in parts], numpy_dtype)


def random_values(dtype: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Ordinary values of a dtype: small ones mostly, and the whole range."""
    numpy_dtype = dtype_of(dtype)
    match category(dtype):
        case "bool":
            return rng.random(count) < 0.5
        case "signed" | "unsigned":
            info = np.iinfo(numpy_dtype)
            whole = rng.integers(info.min, info.max, count, numpy_dtype, endpoint=True)
            small = rng.integers(max(info.min, -20), 20, count).astype(numpy_dtype)
            return np.where(rng.random(count) < 0.5, whole, small)
        case "float":
            scale = 10.0 ** rng.integers(-3, 3, count)
            return (rng.standard_normal(count) * scale).astype(numpy_dtype)
    scale = 10.0 ** rng.integers(-2, 2, (2, count))
    real, imag = rng.standard_normal((2, count)) * scale
    return (real + 1j * imag).astype(numpy_dtype)


def operands(dtypes: tuple[str, ...], rng: np.random.Generator, count: int = 200) -> list:
    """Equally long arrays: all pairs of corners (up to a limit), then random values."""
    special = [corners(dtype) for dtype in dtypes]
    if len(dtypes) > 1:
        if len(dtypes) > 2 or max(map(len, special)) > 40:
            special = [rng.permutation(values)[:14] for values in special]
        rows = np.array(list(itertools.product(*(range(len(values)) for values in special))))
        special = [values[rows[:, i]] for i, values in enumerate(special)]
    return [
        np.concatenate([values, random_values(dtype, count, rng)])
        for values, dtype in zip(special, dtypes, strict=True)
    ]


def ulps(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Distance of real floats in units in the last place of `expected`; inf where one is special.

    Equal values, signs of zero included, and two NaN are at distance 0; zeros of different sign
    are half a unit apart.
    """
    with np.errstate(all="ignore"):
        same = (actual == expected) & (np.signbit(actual) == np.signbit(expected))
        same |= np.isnan(actual) & np.isnan(expected)
        wide = np.float64 if actual.dtype != np.float64 else np.longdouble
        unit = np.abs(np.spacing(expected)).astype(wide)
        distance = np.abs(actual.astype(wide) - expected.astype(wide)) / unit
        distance = np.where((actual == 0) & (expected == 0), 0.5, distance)
    distance = np.where(np.isfinite(actual) & np.isfinite(expected), distance, np.inf)
    return np.where(same, 0, distance).astype(np.float64)
