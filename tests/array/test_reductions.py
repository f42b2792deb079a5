"""Reductions against NumPy: dtypes, layouts, axes, and the arguments of NumPy's functions."""

import itertools
import warnings

import numpy as np
import pytest

from gpuarray import (
    _array,
    _dtypes,
    _layout,
    _ufunc,  # noqa: F401
)
from gpuarray._ops import searching, statistics, sums, truth
from gpuarray._runtime.device import current
from gpuarray.errors import HostArrayError
from gpuarray.kernels import reduction
from gpuarray.kernels.elementwise import copies

FUNCTIONS = {
    "sum": sums.sum,
    "prod": sums.prod,
    "max": statistics.max,
    "min": statistics.min,
    "mean": statistics.mean,
    "any": truth.any,
    "all": truth.all,
    "argmax": searching.argmax,
    "argmin": searching.argmin,
}
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def device(x):
    """A device array with exactly the strides of a host array, over a copy of all its memory."""
    x = np.asarray(x)
    base = x
    while base.base is not None:
        base = base.base
    dtype = _dtypes.canonical(x.dtype)
    if not x.size:
        return _array.empty(_layout.contiguous(dtype, x.shape))
    raw = base.reshape(-1).view("u1")
    memory = _array.from_host(raw, _layout.contiguous(np.dtype("u1"), raw.shape))
    offset = x.__array_interface__["data"][0] - raw.__array_interface__["data"][0]
    return _array.view(memory, _layout.layout_of(dtype, x.shape, x.strides), offset)


def host(x):
    layout = x._layout
    result = np.empty(layout.shape, layout.dtype)
    _array.download(x if layout.c_contiguous else copies.copy(x, "C"), result, None, True)
    return result


def values(dtype, shape, rng):
    """Small numbers that repeat, so that sums are exact and there are ties."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    low = 0 if dtype.kind == "u" else -3
    result = rng.integers(low, 4, shape).astype(dtype)
    if dtype.kind == "c":
        result += 1j * rng.integers(low, 4, shape)
    return result


def check(name, x, axis=None, **arguments):
    expected = getattr(np, name)(x, axis=axis, **arguments)
    if "where" in arguments:
        arguments["where"] = device(arguments["where"])
    result = host(FUNCTIONS[name](device(x), axis, **arguments))
    context = f"{name} of {x.dtype}{x.shape}, strides {x.strides}, axis {axis}, {arguments}"
    assert result.dtype == expected.dtype, context
    assert result.shape == expected.shape, context
    if name == "mean" and x.dtype.kind == "c":  # NumPy multiplies by the reciprocal
        np.testing.assert_allclose(result, expected, rtol=1e-6, err_msg=context)
    else:
        np.testing.assert_array_equal(result, expected, err_msg=context)


def layouts(dtype, rng):
    """Views of three dimensions (or fewer) that differ in how they walk memory."""
    block = values(dtype, (4, 6, 8), rng)
    yield block
    yield block.T
    yield block.transpose(1, 0, 2)
    yield block[::-1, :, ::-1]
    yield block[:, 1:5:2, 3:]
    yield block[1:, ::-2, ::3]
    yield np.broadcast_to(block[:, :1], (4, 3, 8))
    yield np.broadcast_to(block[1:2, 2:3, 3], (4, 3, 2))
    yield block[0]
    yield block[:, 2, 1]
    yield block[1, 2, 3]
    yield block[:1, :, :1]


def axes_of(ndim):
    yield None
    for count in range(ndim + 1):
        yield from itertools.combinations(range(ndim), count)
    if ndim:
        yield -1


@pytest.mark.parametrize("name", ["sum", "max", "argmax"])
def test_every_layout_and_axis(name, rng):
    for x in layouts("i4", rng):
        for axis in axes_of(x.ndim):
            if name == "argmax" and isinstance(axis, tuple):
                if len(axis) != 1:
                    continue
                axis = axis[0]
            check(name, x, axis)
            if axis != ():
                check(name, x, axis, keepdims=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_dtype(name, rng):
    # In one variant, and some in the other: what variants depend on is the width of elements.
    dtypes = DTYPES if name in ("sum", "max", "argmax") else ("?", "i1", "u8", "f2", "f4", "c8")
    for dtype in dtypes:
        check(name, values(dtype, (5, 16), rng), 1)
    for dtype in ("i1", "c16"):
        check(name, values(dtype, (5, 16), rng), 0)


@pytest.mark.parametrize("dtype", ["f2", "f4", "c8"])
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "any"])
def test_nan(name, dtype, rng):
    for place in (0, 7, 16, 33):
        x = values(dtype, (3, 40), rng)
        x[1, place] = np.nan
        x[1, 35] = np.nan
        if dtype[0] == "c":
            x[2, place] = complex(1, np.nan)
            x[2, 30] = np.nan
        x[0] = np.inf if "min" in name else -np.inf
        check(name, x, 1)
        check(name, x)
        check(name, x[:2].T, 0)
    check(name, np.full((2, 9), np.nan, dtype), 1)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 31, 32, 33, 127, 255, 256, 257, 1023, 1025])
def test_row_lengths_and_alignments(length, rng):
    memory = values("f4", 3 * length + 8, rng)
    for offset in (0, 1, 2, 3):
        rows = memory[offset : offset + 3 * length].reshape(3, length)
        check("sum", rows, 1)
        check("argmax", rows, 1)
        check("sum", rows[1])
    bytes_ = values("i1", 3 * length + 24, rng)
    for offset in (0, 1, 7, 15):
        check("max", bytes_[offset : offset + 3 * length].reshape(3, length), 1)


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (33, 32), (64, 33), (9, 130), (300, 2), (40, 4)])
def test_columns(shape, rng):
    memory = values("f4", shape[0] * shape[1] + 8, rng)
    for offset in (0, 1):
        x = memory[offset : offset + shape[0] * shape[1]].reshape(shape)
        check("sum", x, 0)
        check("argmin", x, 0)
    check("max", values("u1", shape, rng), 0)


@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "c16"])
def test_results_that_blocks_share(dtype, rng):
    # Enough elements for several blocks, and a rest that fills no vector.
    x = values(dtype, 70_003, rng)
    for view in (x, x[1:], x[::-1], x[::3]):
        check("sum", view)
        check("argmax", view)
    x[69_000:] = x.max()
    check("argmax", x)
    columns = values(dtype, (3001, 6), rng)
    check("sum", columns, 0)
    check("argmin", columns, 0)
    rows = values(dtype, (2, 40_001), rng)
    check("sum", rows, 1)
    check("max", rows.reshape(40_001, 2).T, 1)


def test_runs_of_several_dimensions(rng):
    block = values("f4", (37, 9, 101), rng)
    for view in (block[:, ::2, :-1], block[:, :, 2:], block[:, ::-1, ::-1], block[::-2, 1:, 1:99]):
        for name in ("sum", "max", "argmax"):
            check(name, view)
        check("sum", view, (0, 2))
        check("sum", view, (1, 2))
    check("sum", values("f4", (3, 5001), rng)[:, 1:])


def test_wide_indices(monkeypatch, rng):
    monkeypatch.setattr(_layout, "needs_int64", lambda *_: True)
    block = values("f4", (13, 11, 102), rng)  # a shape of its own: plans are kept
    for name in ("sum", "argmax"):
        for axis in (None, 0, 1, 2):
            check(name, block, axis)
            check(name, block[:, ::2, :-1], axis)
        check(name, values("f4", 70_004, rng))


def test_counters_are_zero_again(rng):
    x = device(values("f4", 70_003, rng))
    results = [host(sums.sum(x)) for _ in range(4)]
    assert all(result == results[0] for result in results)
    memory, address = current.stream.plans[reduction.launch._counters]
    counters = _array.wrap(memory, address, _layout.contiguous(np.dtype("u4"), (4096,)))
    assert not host(counters).any()


def test_one_launch_each(rng):
    """Plans are found again by layout, axis and keepdims."""
    x, y = device(values("f4", (3, 4), rng)), device(values("f4", (3, 4), rng))
    add = reduction.rules.REDUCTIONS["add"]
    sums.sum(x, 1)
    run = current.stream.plans[add, x._layout, 1, int, False]
    sums.sum(y, axis=1)
    assert current.stream.plans[add, y._layout, 1, int, False] is run


def test_empty():
    for name in ("sum", "prod", "any", "all", "max", "argmax"):
        check(name, np.zeros((0, 3), "f4"), 1)
        check(name, np.zeros((3, 0, 2), "i4"), 2)
    for name in ("sum", "prod", "any", "all"):
        check(name, np.zeros((0, 3), "f4"), 0)
        check(name, np.zeros((0,), "i2"))
        check(name, np.zeros((3, 0), "u1"), 1)
    check("max", np.zeros((0, 3), "f4"), 0, initial=2)
    for name in ("max", "min"):
        with pytest.raises(ValueError, match=rf"zero-size array to reduction operation {name}imum"):
            FUNCTIONS[name](device(np.zeros((0, 3))), 0)
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        searching.argmax(device(np.zeros((0, 3))), 0)


def test_mean_of_nothing_warns():
    x = np.zeros((0, 3), "f4")
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
            result = host(statistics.mean(device(x), 0))
    assert result.dtype == np.float32
    assert np.isnan(result).all()
    assert result.shape == (3,)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_initial_and_where(name, rng):
    for dtype in ("i4", "f2", "c8") if name in ("sum", "max") else ("?",):
        x = values(dtype, (4, 9), rng)
        where = rng.random((4, 9)) < 0.5
        for axis in (None, 0, 1):
            check(name, x, axis, initial=1)
            check(name, x, axis, initial=1, where=where)
        check(name, x, 0, initial=1, where=where[:, ::-1])
        check(name, x, 1, initial=1, where=where[:1])
    x = values("i4", (4, 9), rng)
    masks = [np.bool(False), np.array([True] * 9)]
    for where in masks:
        expected = getattr(np, name)(x, axis=0, initial=2, where=where)
        mask = bool(where) if where.ndim == 0 else device(where)
        result = host(FUNCTIONS[name](device(x), 0, initial=2, where=mask))
        np.testing.assert_array_equal(result, expected)


def check_mask(name, x, axis, mask, **arguments):
    expected = getattr(np, name)(x, axis=axis, where=mask, **arguments)
    result = host(FUNCTIONS[name](device(x), axis, where=device(mask), **arguments))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-3 if result.dtype == "f2" else 1e-6)


def test_where_without_initial(rng):
    mask = rng.random((4, 9)) < 0.7
    mask[:, 0] = mask[0] = True
    for dtype in ("f2", "i4"):
        x = values(dtype, (4, 9), rng)
        for name, axis in itertools.product(("sum", "any", "all", "mean"), (None, 0, 1)):
            check_mask(name, x, axis, mask)
    with pytest.raises(ValueError, match="does not have an identity"):
        statistics.max(device(x), where=device(mask))
    with pytest.raises(TypeError, match="Cannot cast"):
        sums.sum(device(x), where=device(np.ones((4, 9), "i4")))
    with pytest.raises(ValueError, match="where of shape"):
        sums.sum(device(x), where=device(np.ones((2, 4, 9), bool)))


def test_out(rng):
    x = values("f8", (4, 9), rng)
    for name in ("sum", "max", "mean", "any"):
        for dtype in ("f8", "f4", "i4"):
            expected = np.full(9, 7, dtype)
            getattr(np, name)(x, axis=0, out=expected)
            out = device(np.full(9, 7, dtype))
            assert FUNCTIONS[name](device(x), 0, out=out) is out
            np.testing.assert_array_equal(host(out), expected)
    expected = np.full((9, 3), 7, "i2")
    out = device(expected)
    np.sum(x, axis=0, out=expected[::-1, 1])
    sums.sum(
        device(x),
        0,
        out=_array.view(out, _layout.layout_of(np.dtype("i2"), (9,), (-6,)), 2 + 8 * 6),
    )
    np.testing.assert_array_equal(host(out), expected)
    out = device(np.zeros(9, "i4"))
    searching.argmax(device(x), 0, out=out)
    np.testing.assert_array_equal(host(out), np.argmax(x, 0))


def test_an_output_may_be_part_of_the_input(rng):
    x = values("f4", (5, 6), rng)
    a = device(x)
    row = _array.view(a, _layout.contiguous(np.dtype("f4"), (6,)), 24)
    sums.sum(a, 0, out=row)
    expected = x.copy()
    expected[1] = x.sum(0)
    np.testing.assert_array_equal(host(a), expected)


def test_bad_arguments():
    a = device(np.ones((2, 3), "f4"))
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
        sums.sum(a, 2)
    with pytest.raises(np.exceptions.AxisError, match="axis -3 is out of bounds"):
        searching.argmax(a, -3)
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        sums.sum(a, (0, -2))
    with pytest.raises(TypeError):
        sums.sum(a, [0, 1])
    with pytest.raises(TypeError):
        searching.argmax(a, (0, 1))
    with pytest.raises(TypeError):
        sums.sum(a, "0")
    with pytest.raises(ValueError, match="wrong number of dimensions: Found 2 but expected 1"):
        sums.sum(a, 0, out=device(np.ones((1, 3), "f4")))
    with pytest.raises(ValueError, match="has shape"):
        sums.sum(a, 0, out=device(np.ones(4, "f4")))
    with pytest.raises(ValueError, match="does not match"):
        searching.argmin(a, 0, out=device(np.ones(4, "i8")))
    with pytest.raises(TypeError, match="'safe'"):
        searching.argmin(a, 0, out=device(np.ones(3, "f4")))
    with pytest.raises(HostArrayError, match="asnumpy"):
        sums.sum(a, 0, out=np.ones(3, "f4"))
    with pytest.raises(HostArrayError):
        sums.sum(np.ones(3))
    with pytest.raises(OverflowError):
        statistics.max(device(np.ones(3, "i1")), initial=1000)
    with pytest.raises(TypeError, match="subtract.reduce is not supported"):
        reduction.rules.reduce("subtract", a)


def test_scalars_and_no_dimensions():
    check("sum", np.array(5, "i4"), 0)
    check("sum", np.array(5, "i4"), -1, keepdims=True)
    check("argmax", np.array(5, "i4"), 0)
    check("max", np.array(-0.0), ())
    assert host(sums.sum(3)) == 3
    with pytest.raises(np.exceptions.AxisError):
        sums.sum(device(np.array(5)), 1)


def test_dtype_argument(rng):
    x = values("f8", (4, 9), rng) * 1.5
    for dtype in ("i1", "f2", "f4", "c8", "?"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check("sum", x, 1, dtype=dtype)
            check("prod", np.abs(x), 0, dtype=dtype)
    x = rng.integers(-100, 100, (4, 50)).astype("i1")
    check("sum", x, 1, dtype="i1")
    check("mean", x, 1, dtype="i4")
    check("mean", x, 1, dtype="f4")
    with pytest.raises(TypeError):
        reduction.rules.reduce("logical_or", device(x), dtype="f8")


def test_integers_widen_before_they_are_summed():
    x = np.full(1000, 127, "i1")
    check("sum", x)
    check("sum", x.astype("u1") * 2)
    check("sum", np.ones(1000, bool))
    check("prod", np.full(40, 2, "i1"))
    check("max", np.array([2**63, 2**64 - 1, 1], "u8"))
    check("min", np.array([-(2**63), 2**63 - 1]))
    check("argmax", np.array([2**53, 2**53 + 1]))


@pytest.mark.parametrize(
    "name",
    ["add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or",
     "bitwise_and", "bitwise_or", "bitwise_xor"],
)  # fmt: skip
def test_ufunc_reduce(name, rng):
    function = getattr(np, name)
    for dtype in ("?", "u4", "f4", "c8") if name != "add" else ("i1",):
        if name.startswith("bitwise") and dtype in ("f4", "c8"):
            with pytest.raises(TypeError):
                reduction.rules.reduce(name, device(np.ones(3, dtype)))
            continue
        x = values(dtype, (6, 12), rng)
        if dtype == "f4":
            x[rng.random(x.shape) < 0.4] = np.nan
            x[:, 3] = np.nan
        for axis in (0, 1):
            expected = function.reduce(x, axis=axis)
            result = host(reduction.rules.reduce(name, device(x), axis))
            assert result.dtype == expected.dtype
            np.testing.assert_array_equal(result, expected)


def test_accuracy(rng):
    """Many float32 of one sign: the error of pairwise summation, not of a running sum."""
    x = rng.random(300_000, dtype="f4")
    exact = x.sum(dtype="f8")
    assert abs(host(sums.sum(device(x))) - exact) / exact < 2e-7
    x = x.reshape(3000, 100)
    exact = x.sum(0, dtype="f8")
    np.testing.assert_allclose(host(sums.sum(device(x), 0)), exact, rtol=1e-6)
    # A running float16 sum would stop at 2048.
    check("sum", np.ones(5000, "f2"))
    check("mean", np.full(5000, 0.1, "f2"))


@pytest.mark.parametrize("name", ["sum", "argmax", "var", "cumsum", "count_nonzero"])
def test_an_axis_that_is_only_equal_to_an_integer(name):
    """Calls are kept under the axis, and 1.0 == 1."""
    import gpuarray as cp

    getattr(cp, name)(cp.ones((2, 3)), axis=1)
    with pytest.raises(TypeError):
        getattr(np, name)(np.ones((2, 3)), axis=1.0)
    with pytest.raises(TypeError):
        getattr(cp, name)(cp.ones((2, 3)), axis=1.0)
