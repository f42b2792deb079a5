"""Arrays for tests: every dtype, every way to lie in memory, with NumPy as the oracle."""

from __future__ import annotations

import numpy as np

import gpuarray as cp

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def values(shape, dtype, seed=0) -> np.ndarray:
    """Small numbers of a dtype, negative ones where it has them."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    numbers = rng.integers(0 if dtype.kind in "u?" else -9, 10, shape)
    if dtype.kind == "b":
        return np.asarray(numbers % 2 == 0)
    if dtype.kind == "c":
        return np.asarray(numbers + 0.5j * rng.integers(-9, 10, shape)).astype(dtype)
    if dtype.kind == "f":
        return np.asarray(numbers / 4).astype(dtype)
    return np.asarray(numbers).astype(dtype)


#: How a view is made of a host array, and of a device array with the same values.
LAYOUTS = {
    "contiguous": lambda a: a,
    "transposed": lambda a: a.T,
    "negative": lambda a: a[::-1, ::-2],
    "broadcast": lambda a: None,  # see pair
    "offset": lambda a: a[1:, 1:],
    "zero-d": lambda a: None,
    "empty": lambda a: a[:0],
}


def pair(layout: str, dtype, seed=0):
    """The same values in the same layout, on the host and on the device."""
    host = values((4, 6), dtype, seed)
    device = cp.asarray(host)
    if layout == "broadcast":
        return np.broadcast_to(host[0], (3, 6)), cp.broadcast_to(device[0], (3, 6))
    if layout == "zero-d":
        return host[1:2, 2].reshape(()), device[1, 2]
    view = LAYOUTS[layout]
    return view(host), view(device)


def same(actual, expected) -> None:
    """Equal dtype, shape and bits (NaN equals NaN)."""
    assert isinstance(actual, cp.ndarray), type(actual)
    expected = np.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    np.testing.assert_array_equal(cp.asnumpy(actual), expected)


def _error(call) -> Exception | None:
    try:
        call()
    except Exception as error:
        return error
    return None


def raises_alike(on_host, on_device) -> None:
    """Both raise, the device's error being of a type of the host's."""
    expected, actual = _error(on_host), _error(on_device)
    assert expected is not None, "NumPy raises nothing here"
    # NumPy's private subclasses stand for the public type that they derive from.
    public = next(
        one for one in type(expected).__mro__ if one.__module__ in ("builtins", "numpy.exceptions")
    )
    assert isinstance(actual, public), (actual, expected)
