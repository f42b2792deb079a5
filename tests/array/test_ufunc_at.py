"""``ufunc.at``: elements at repeated indices are updated as often as they occur."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import device_copy, raises_as_numpy, same

INDICES = np.array([0, 2, 0, 1, 0, 2, -1])
#: In any order by atomic operations, and in the order of the operands.
ANY_ORDER = ["add", "subtract", "multiply", "maximum", "fmin", "bitwise_xor", "logical_or", "hypot"]
ORDERED = ["power", "floor_divide", "copysign", "less"]
DTYPES = ["?", "i1", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16"]


def check(name, host, index, *operands, ulps=0):
    """``index(xp)`` is the index; operands are arrays of the host or numbers."""
    x = device_copy(host)
    on_device = [cp.asarray(b) if isinstance(b, np.ndarray) else b for b in operands]
    getattr(cp, name).at(x, index(cp), *on_device)
    expected = host.copy()
    with np.errstate(all="ignore"):
        getattr(np, name).at(expected, index(np), *operands)
    same(x, expected, ulps=ulps)


def numbers(dtype):
    host = np.arange(1, 13) % 5 + 1
    return (host % 2 == 0 if dtype == "?" else host.astype(dtype)).reshape(3, 4)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *[("add", dtype) for dtype in DTYPES],
        *[(name, dtype) for name in ("maximum", "power") for dtype in ("?", "i4", "f2", "c16")],
        *[
            pytest.param(name, dtype, marks=pytest.mark.slow)
            for number, name in enumerate([*ANY_ORDER, *ORDERED])
            if name not in ("add", "maximum", "power")
            for dtype in ("i1" if number % 2 else "u8", "f4" if number % 3 else "f8", "c8")
        ],
    ],
)
def test_dtypes(name, dtype):
    host, operands = numbers(dtype), np.arange(1, 8).astype(dtype)
    try:
        getattr(np, name).at(host.copy(), INDICES, operands[:, None])
    except TypeError:
        with pytest.raises(TypeError):
            getattr(cp, name).at(
                cp.asarray(host), cp.asarray(INDICES), cp.asarray(operands[:, None])
            )
        return
    check(name, host, lambda xp: xp.asarray(INDICES), operands[:, None], ulps=256)


@pytest.mark.parametrize(
    "index",
    [
        lambda xp: (xp.asarray(INDICES), xp.asarray(INDICES)), lambda xp: [0, 0, 1], lambda xp: (slice(None), [0, 0, 3]),
        lambda xp: (slice(1, 3),), lambda xp: 1, lambda xp: (1, 2), lambda xp: ..., lambda xp: (..., [1, 1]), lambda xp: (None, [0, 0]),
        lambda xp: xp.asarray([[True] * 4, [False] * 4, [True, False] * 2]), lambda xp: (xp.asarray([True, False, True]), [1, 1]),
        lambda xp: [], lambda xp: ([[0], [0]], [[1, 1, 2]]),
    ],
)  # fmt: skip
def test_indices(index):
    host = numbers("f8")
    check("add", host, index, 1.5)
    check("power", host, index, 2.0)
    check("negative", host, index)
    check("add", host.T, lambda xp: (slice(None), [0, 0]), np.arange(8.0).reshape(4, 2))
    check("add", host[::-1, ::-1], index, 2)


def test_operands():
    for dtype in ("i1", "i4", "f4"):
        host = numbers(dtype)
        for operand in (1, 300, 2.5, np.float64(0.1), np.int8(3), np.arange(4)):
            if isinstance(operand, float) and dtype != "f4":
                continue
            check("add", host, lambda xp: [0, 2, 0], operand)
    with pytest.warns(np.exceptions.ComplexWarning):
        cp.add.at(cp.ones(3), [0], 1j)


def test_many_updates_of_few_elements():
    rng = np.random.default_rng(0)
    indices = rng.integers(0, 5, 3000)
    for dtype in ("i4", "f8", "f2", "i1"):
        host, ones = np.zeros(5, dtype), np.ones(3000, dtype)
        check("add", host, lambda xp: xp.asarray(indices), ones)
    values = rng.random(3000)
    check("copysign", np.ones(5), lambda xp: xp.asarray(indices), values - 0.5)  # the last one
    check("maximum", np.zeros(5), lambda xp: xp.asarray(indices), values)
    values[7] = np.nan
    check("maximum", np.zeros(5), lambda xp: xp.asarray(indices), values)
    check("fmax", np.zeros(5), lambda xp: xp.asarray(indices), values)


def test_operands_that_share_memory():
    host = np.arange(6.0)
    x = cp.asarray(host)
    cp.add.at(x, [0, 0, 5], x[:3])
    np.add.at(host, [0, 0, 5], host[:3].copy())
    same(x, host)
    numbers = cp.asarray([0, 1, 1])
    cp.add.at(numbers, numbers, 1)
    same(numbers, np.array([1, 3, 1]))


def test_numbers_for_arrays_of_indices_on_the_device():
    x, indices = cp.zeros(3), cp.asarray([0, 0, 2])
    for _ in range(2):
        cp.add.at(x, indices, 2)
        cp.add.at(x, indices, cp.ones(3))
    same(x, np.array([12.0, 0, 6]))


def test_numpys_at_runs_on_the_device():
    x = cp.zeros(3)
    np.add.at(x, [0, 0, 2], 1)
    same(x, np.array([2.0, 0, 1]))


def test_read_only_arrays():
    with pytest.raises(ValueError, match="read-only"):
        cp.add.at(cp.broadcast_to(cp.ones(1), (3,)), [0], 1)


@pytest.mark.emulator
def test_indices_out_of_bounds():
    x, indices = cp.zeros(3), cp.asarray([0, 3])
    with pytest.raises(IndexError, match="out of bounds"):
        cp.add.at(x, indices, 1)


test_refusals = raises_as_numpy(
    lambda xp: xp.divmod.at(xp.ones(3), [0], 1),
    lambda xp: xp.frexp.at(xp.ones(3), [0]),
    lambda xp: xp.add.at(xp.ones(3), [0]),
    lambda xp: xp.negative.at(xp.ones(3), [0], 1),
    lambda xp: xp.add.at([1.0, 2], [0], 1),
    lambda xp: xp.add.at(xp.ones(3), [5], 1),
    lambda xp: xp.add.at(xp.ones(3), [0, 1], [1, 2, 3]),
    lambda xp: xp.add.at(xp.ones(3), [0.5], 1),
    lambda xp: xp.add.at(xp.ones(3), [0, 1], xp.ones((1, 2))),
    lambda xp: xp.bitwise_or.at(xp.ones(3), [0], 1),
)
