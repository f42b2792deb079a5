"""Reductions against NumPy: dtypes, layouts, axes, and the arguments of NumPy's functions."""

import itertools
import warnings

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _array, _layout
from gpuarray._runtime.current_stream import current
from gpuarray.errors import HostArrayError
from gpuarray.kernels import reduction
from tests.array.arrays import (
    LAYOUTS_3D,
    against_numpy,
    device_copy,
    raises_alike,
    same,
    ties,
)
from tests.slow import slow_except, slow_off_axes

FUNCTIONS = ["sum", "prod", "max", "min", "mean", "any", "all", "argmax", "argmin"]


def check(name, x, axis=None, **arguments):
    context = f"{name} of {x.dtype}{x.shape}, strides {x.strides}, axis {axis}, {arguments}"
    expected = getattr(np, name)(x, axis=axis, **arguments)
    if "where" in arguments:
        arguments["where"] = device_copy(arguments["where"])
    result = getattr(cp, name)(device_copy(x), axis, **arguments)
    # NumPy multiplies complex sums by the reciprocal of the count.
    same(result, expected, ulps=4 if name == "mean" and x.dtype.kind == "c" else 0, context=context)


def axes_of(ndim):
    yield None
    for count in range(ndim + 1):
        yield from itertools.combinations(range(ndim), count)
    if ndim:
        yield -1


def of_every_layout(name, axis):
    """With and without `keepdims`; an axis that an array lacks, and no elements, are errors."""
    return against_numpy(
        lambda xp, x, axis: [getattr(xp, name)(x, axis, keepdims=k) for k in (False, True)],
        dtypes=["i4"],
        layouts=LAYOUTS_3D,
        shape=(4, 6, 8),
        make=ties,
        raises=ValueError,
        axis=axis,
    )


test_sum_of_every_layout = of_every_layout("sum", list(axes_of(3)))
test_max_of_every_layout = of_every_layout("max", [None, 0, -1, (0, 2)])
test_max_of_every_layout_and_axis = pytest.mark.slow(
    of_every_layout("max", [(), (0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
)
test_argmax_of_every_layout = of_every_layout("argmax", [None, 0, 1, 2, -1])


def along(axis, dtypes, names, ulps=0):
    return against_numpy(
        lambda xp, x, name: getattr(xp, name)(x, axis),
        dtypes=dtypes,
        layouts_of=(),
        shape=(5, 16),
        make=ties,
        ulps=ulps,
        name=names,
    )


test_rows_of_every_dtype = along(1, None, ["sum", "max", "argmax"])
# What variants depend on is the width of elements.
test_rows_of_every_width = along(1, ["i1", "f4"], ["prod", "min", "any", "all", "argmin"])
test_rows_of_other_widths = pytest.mark.slow(
    along(1, ["?", "u8", "f2", "c8"], ["prod", "min", "any", "all", "argmin"])
)
test_columns_of_every_width = along(0, ["i1"], [name for name in FUNCTIONS if name != "mean"])
test_columns_of_wide_elements = along(0, ["c16"], ["sum", "argmax"])
test_means = along(1, ["?", "i1", "u8", "f2", "f4"], ["mean"])
# NumPy multiplies complex sums by the reciprocal of the count.
test_complex_means = along(1, ["c8", "c16"], ["mean"], ulps=2)


@pytest.mark.parametrize(
    ("dtype", "name"),
    slow_off_axes(["f4", "c8", "f2"], ["max", "min", "argmax", "argmin", "any"]),
)
def test_nan(name, dtype):
    for place in (0, 7, 16, 33):
        x = ties((3, 40), dtype)
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


@pytest.mark.parametrize(
    "length",
    slow_except(
        [1, 3, 4, 31, 33, 257, 1025], [1, 2, 3, 4, 5, 31, 32, 33, 127, 255, 256, 257, 1023, 1025]
    ),
)
def test_row_lengths_and_alignments(length):
    memory = ties(3 * length + 8, "f4")
    for offset in (0, 1, 2, 3):
        rows = memory[offset : offset + 3 * length].reshape(3, length)
        check("sum", rows, 1)
        check("argmax", rows, 1)
        check("sum", rows[1])
    bytes_ = ties(3 * length + 24, "i1")
    for offset in (0, 1, 7, 15):
        check("max", bytes_[offset : offset + 3 * length].reshape(3, length), 1)


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (33, 32), (64, 33), (9, 130), (300, 2), (40, 4)])
def test_columns(shape):
    memory = ties(shape[0] * shape[1] + 8, "f4")
    for offset in (0, 1):
        x = memory[offset : offset + shape[0] * shape[1]].reshape(shape)
        check("sum", x, 0)
        check("argmin", x, 0)
    check("max", ties(shape, "u1"), 0)


@pytest.mark.parametrize("dtype", slow_except(["u1", "f4"], ["u1", "f4", "f8", "c16"]))
def test_results_that_blocks_share(dtype):
    # Enough elements for several blocks, and a rest that fills no vector.
    x = ties(70_003, dtype)
    for view in (x, x[1:], x[::-1], x[::3]):
        check("sum", view)
        check("argmax", view)
    x[69_000:] = x.max()
    check("argmax", x)
    columns = ties((3001, 6), dtype)
    check("sum", columns, 0)
    check("argmin", columns, 0)
    rows = ties((2, 40_001), dtype)
    check("sum", rows, 1)
    check("max", rows.reshape(40_001, 2).T, 1)


def test_runs_of_several_dimensions():
    block = ties((37, 9, 101), "f4")
    for view in (block[:, ::2, :-1], block[:, :, 2:], block[:, ::-1, ::-1], block[::-2, 1:, 1:99]):
        for name in ("sum", "argmax"):
            check(name, view)
        check("sum", view, (0, 2))
        check("sum", view, (1, 2))
    check("sum", ties((3, 5001), "f4")[:, 1:])


def test_wide_indices(monkeypatch):
    monkeypatch.setattr(_layout, "needs_int64", lambda *_: True)
    block = ties((13, 11, 102), "f4")  # a shape of its own: plans are kept
    for axis in (None, 0, 2):
        check("sum", block, axis)
    check("sum", block[:, ::2, :-1], 1)
    check("argmax", block, 1)
    for name in ("sum", "argmax"):
        check(name, block[:, ::2, :-1])
        check(name, ties(70_004, "f4"))


def test_counters_are_zero_again():
    x = device_copy(ties(70_003, "f4"))
    results = [cp.asnumpy(cp.sum(x)) for _ in range(4)]
    assert all(result == results[0] for result in results)
    memory, address = current.stream.plans[reduction.launch.counters,]
    counters = _array.wrap(memory, address, _layout.contiguous(np.dtype("u4"), (4096,)))
    assert not cp.asnumpy(counters).any()


@pytest.mark.single_operations
def test_one_launch_each():
    """Plans are found again by layout, axis and keepdims."""
    x, y = device_copy(ties((3, 4), "f4")), device_copy(ties((3, 4), "f4"))
    add = reduction.rules.REDUCTIONS["add"]
    cp.sum(x, 1)
    run = current.stream.plans[add, x._layout, 1, False]
    cp.sum(y, axis=1)
    assert current.stream.plans[add, y._layout, 1, False] is run


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
            getattr(cp, name)(device_copy(np.zeros((0, 3))), 0)
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        cp.argmax(device_copy(np.zeros((0, 3))), 0)


def test_mean_of_nothing_warns():
    x = np.zeros((0, 3), "f4")
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
            result = cp.asnumpy(cp.mean(device_copy(x), 0))
    assert result.dtype == np.float32
    assert np.isnan(result).all()
    assert result.shape == (3,)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("sum", "i4"),
        ("max", "f2"),
        ("prod", "?"),
        *[pytest.param(*case, marks=pytest.mark.slow) for case in [("max", "i4"), ("sum", "c8")]],
    ],
)
def test_initial_and_where(name, dtype, rng):
    x = ties((4, 9), dtype)
    where = rng.random((4, 9)) < 0.5
    for axis in (None, 0, 1):
        check(name, x, axis, initial=1)
        check(name, x, axis, initial=1, where=where)
    check(name, x, 0, initial=1, where=where[:, ::-1])
    check(name, x, 1, initial=1, where=where[:1])
    if dtype != "i4":
        return
    masks = [np.bool(False), np.array([True] * 9)]
    for where in masks:
        expected = getattr(np, name)(x, axis=0, initial=2, where=where)
        mask = bool(where) if where.ndim == 0 else device_copy(where)
        result = cp.asnumpy(getattr(cp, name)(device_copy(x), 0, initial=2, where=mask))
        np.testing.assert_array_equal(result, expected)


def check_mask(name, x, axis, mask, **arguments):
    expected = getattr(np, name)(x, axis=axis, where=mask, **arguments)
    result = cp.asnumpy(
        getattr(cp, name)(device_copy(x), axis, where=device_copy(mask), **arguments)
    )
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-3 if result.dtype == "f2" else 1e-6)


def test_where_without_initial(rng):
    mask = rng.random((4, 9)) < 0.7
    mask[:, 0] = mask[0] = True
    # Each function, each axis and each dtype, but not every combination.
    for name, axis, dtype in [
        ("sum", None, "i4"), ("sum", 1, "f2"), ("any", 0, "f2"), ("all", 1, "i4"),
        ("mean", 0, "i4"), ("mean", None, "f2"),
    ]:  # fmt: skip
        x = ties((4, 9), dtype)
        check_mask(name, x, axis, mask)
    with pytest.raises(ValueError, match="does not have an identity"):
        cp.max(device_copy(x), where=device_copy(mask))
    with pytest.raises(TypeError, match="sum: where must be"):
        cp.sum(device_copy(x), where=device_copy(np.ones((4, 9), "i4")))
    with pytest.raises(ValueError, match="where of shape"):
        cp.sum(device_copy(x), where=device_copy(np.ones((2, 4, 9), bool)))


def test_out():
    x = ties((4, 9), "f8")
    cases = [("sum", "f8"), ("sum", "f4"), ("sum", "i4")]
    for name, dtype in [*cases, ("max", "f4"), ("mean", "i4"), ("any", "f8")]:
        expected = np.full(9, 7, dtype)
        getattr(np, name)(x, axis=0, out=expected)
        out = device_copy(np.full(9, 7, dtype))
        assert getattr(cp, name)(device_copy(x), 0, out=out) is out
        np.testing.assert_array_equal(cp.asnumpy(out), expected)
    expected = np.full((9, 3), 7, "i2")
    out = device_copy(expected)
    np.sum(x, axis=0, out=expected[::-1, 1])
    cp.sum(device_copy(x), 0, out=out[::-1, 1])
    np.testing.assert_array_equal(cp.asnumpy(out), expected)
    out = device_copy(np.zeros(9, "i4"))
    cp.argmax(device_copy(x), 0, out=out)
    np.testing.assert_array_equal(cp.asnumpy(out), np.argmax(x, 0))


def test_an_output_may_be_part_of_the_input():
    x = ties((5, 6), "f4")
    a = device_copy(x)
    cp.sum(a, 0, out=a[1])
    expected = x.copy()
    expected[1] = x.sum(0)
    np.testing.assert_array_equal(cp.asnumpy(a), expected)


def test_bad_arguments():
    a = device_copy(np.ones((2, 3), "f4"))
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds"):
        cp.sum(a, 2)
    with pytest.raises(np.exceptions.AxisError, match="axis -3 is out of bounds"):
        cp.argmax(a, -3)
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        cp.sum(a, (0, -2))
    with pytest.raises(TypeError):
        cp.sum(a, [0, 1])
    with pytest.raises(TypeError):
        cp.argmax(a, (0, 1))
    with pytest.raises(TypeError):
        cp.sum(a, "0")
    with pytest.raises(ValueError, match="wrong number of dimensions: Found 2 but expected 1"):
        cp.sum(a, 0, out=device_copy(np.ones((1, 3), "f4")))
    with pytest.raises(ValueError, match="has shape"):
        cp.sum(a, 0, out=device_copy(np.ones(4, "f4")))
    with pytest.raises(ValueError, match="does not match"):
        cp.argmin(a, 0, out=device_copy(np.ones(4, "i8")))
    with pytest.raises(TypeError, match="'safe'"):
        cp.argmin(a, 0, out=device_copy(np.ones(3, "f4")))
    with pytest.raises(HostArrayError, match="asnumpy"):
        cp.sum(a, 0, out=np.ones(3, "f4"))
    with pytest.raises(HostArrayError):
        cp.sum(np.ones(3))
    with pytest.raises(OverflowError):
        cp.max(device_copy(np.ones(3, "i1")), initial=1000)
    with pytest.raises(ValueError, match="not reorderable"):
        cp.subtract.reduce(a, None)


def test_scalars_and_no_dimensions():
    check("sum", np.array(5, "i4"), 0)
    check("sum", np.array(5, "i4"), -1, keepdims=True)
    check("argmax", np.array(5, "i4"), 0)
    check("max", np.array(-0.0), ())
    assert cp.asnumpy(cp.sum(3)) == 3
    with pytest.raises(np.exceptions.AxisError):
        cp.sum(device_copy(np.array(5)), 1)


def test_dtype_argument(rng):
    x = ties((4, 9), "f8") * 1.5
    for dtype in ("i1", "f2", "f4", "c8", "?"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check("sum", x, 1, dtype=dtype)
            if dtype in ("i1", "c8"):
                check("prod", np.abs(x), 0, dtype=dtype)
    x = rng.integers(-100, 100, (4, 50)).astype("i1")
    check("sum", x, 1, dtype="i1")
    check("mean", x, 1, dtype="i4")
    check("mean", x, 1, dtype="f4")
    with pytest.raises(TypeError):
        cp.logical_or.reduce(device_copy(x), dtype="f8")


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
    ("name", "dtype"),
    [
        ("add", "i1"),
        *slow_off_axes(
            ["maximum", "minimum", "multiply", "fmax", "fmin", "logical_and", "logical_or"],
            ["f4", "?", "c8"],
        ),
        ("maximum", "u4"),
        *slow_off_axes(["bitwise_and", "bitwise_or", "bitwise_xor"], ["u4", "?"]),
    ],
)
def test_ufunc_reduce(name, dtype, rng):
    x = ties((6, 12), dtype)
    if dtype == "f4":
        x[rng.random(x.shape) < 0.4] = np.nan
        x[:, 3] = np.nan
    for axis in (0, 1):
        expected = getattr(np, name).reduce(x, axis=axis)
        result = cp.asnumpy(getattr(cp, name).reduce(device_copy(x), axis))
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_floats_have_no_bits_to_reduce(name):
    for dtype in ("f4", "c8"):
        with pytest.raises(TypeError):
            getattr(cp, name).reduce(device_copy(np.ones(3, dtype)))


def test_accuracy(rng):
    """Many float32 of one sign: the error of pairwise summation, not of a running sum."""
    x = rng.random(300_000, dtype="f4")
    exact = x.sum(dtype="f8")
    assert abs(cp.asnumpy(cp.sum(device_copy(x))) - exact) / exact < 2e-7
    x = x.reshape(3000, 100)
    exact = x.sum(0, dtype="f8")
    np.testing.assert_allclose(cp.asnumpy(cp.sum(device_copy(x), 0)), exact, rtol=1e-6)
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


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "c8"])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_initial_is_converted_as_numpy_converts_it(dtype):
    host, device = np.ones(3, dtype), cp.ones(3, dtype)
    numbers = [300, -1, 2**64, 2.7, np.nan, 1j]
    numbers += [
        np.int64(300),
        np.int64(-1),
        np.uint64(2**63),
        np.float64(2.7),
        np.complex64(2 + 1j),
    ]
    for number in numbers:

        def call(xp, x, number=number):
            return xp.sum(x, dtype=dtype, initial=number)

        try:
            expected = call(np, host)
        except (OverflowError, ValueError, TypeError):
            raises_alike(lambda: call(np, host), lambda: call(cp, device))
        else:
            same(call(cp, device), expected, context=number)


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 0, 0)], ids=str)
def test_extrema_of_empty_axes(shape, name):
    host = np.zeros(shape)
    device = cp.zeros(shape)
    for axis in axes_of(len(shape)):

        def call(xp, x, axis=axis):
            return getattr(xp, name)(x, axis)

        try:
            expected = call(np, host)
        except ValueError:
            raises_alike(lambda: call(np, host), lambda: call(cp, device))
        else:
            same(call(cp, device), expected)
