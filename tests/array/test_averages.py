"""Variances, and reductions that pass over NaN, against NumPy."""

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from tests.array.arrays import LAYOUTS, pair, raises_alike, same
from tests.slow import slow_except, slow_off_axes

NAN = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]


def near(actual, expected, factor=1, context=""):
    """Equal within a few roundings."""
    ulps = {"e": 2 * factor, "f": 16 * factor, "d": 128 * factor}
    same(actual, expected, ulps=ulps, context=context)


def expected_of(name, x, *args, **kwargs):
    """NumPy's result, of halves by way of float32."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if x.dtype == np.float16:
            return np.asarray(getattr(np, name)(x.astype("f4"), *args, **kwargs)).astype("f2")
        return getattr(np, name)(x, *args, **kwargs)


@pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning")
@pytest.mark.parametrize(
    ("dtype", "layout"),
    [
        *[("f4", layout) for layout in LAYOUTS],
        *[(dtype, "contiguous") for dtype in ("?", "u1", "i8", "f2", "c16")],
        *[
            pytest.param(dtype, "contiguous", marks=pytest.mark.slow)
            for dtype in ("i2", "u4", "f8", "c8")
        ],
        *[pytest.param("c16", layout, marks=pytest.mark.slow) for layout in LAYOUTS][1:],
    ],
)
def test_every_dtype_and_layout(dtype, layout):
    host, device = pair(layout, dtype)
    for axis in (None, *range(host.ndim)) if dtype == "f4" else (None, 0)[: host.ndim + 1]:
        near(cp.var(device, axis), expected_of("var", host, axis), context=axis)
    if layout == "contiguous":
        near(device.std(ddof=1), expected_of("std", host, ddof=1))
    if host.ndim:
        near(device.var(0, keepdims=True), expected_of("var", host, 0, keepdims=True))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", slow_except(["i1", "f4"], ["i1", "f2", "f4", "c16"]))
@pytest.mark.parametrize(
    "shape", [(3, 5001), (70_003,), (3001, 6), (64, 33), (9, 130), (7, 1, 515)]
)
def test_sizes(shape, dtype, rng):
    x = rng.standard_normal(shape) * 3 + 20
    x = (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)
    for axis in (None, *range(len(shape))):
        if shape == (7, 1, 515) and axis == 1:
            continue
        near(cp.var(cp.asarray(x), axis), expected_of("var", x, axis), 4, axis)
    near(cp.var(cp.asarray(x)[..., 1:], -1), expected_of("var", x[..., 1:], -1), 4)
    if len(shape) == 3:
        near(cp.var(cp.asarray(x)[:, :, ::3], (0, 2)), expected_of("var", x[:, :, ::3], (0, 2)), 4)


def exactly(x, axis, offset=0.0, **kwargs):
    """The variance in extended precision; taking off an offset near the mean is exact."""
    return np.var(x.astype(np.longdouble) - np.longdouble(offset), axis, **kwargs)


def error(result, x, axis, offset=0.0):
    exact = exactly(x, axis, offset)
    return np.max(np.abs(result.astype(np.longdouble) - exact) / exact)


@pytest.mark.parametrize(("dtype", "offset"), [("f8", 1e8), ("f8", 1e12), ("f4", 1e4), ("f4", 1e6)])
@pytest.mark.parametrize(("shape", "axis"), [((20_000,), None), ((4, 5000), 1), ((5000, 4), 0)])
def test_far_from_zero(dtype, offset, shape, axis, rng):
    """A mean that is large beside the deviations costs no digits, as it does in NumPy."""
    x = (rng.standard_normal(shape) + offset).astype(dtype)
    ours = error(cp.asnumpy(cp.var(cp.asarray(x), axis)), x, axis, offset)
    assert ours < 16 * np.finfo(dtype).eps
    mask = rng.random(shape) < 0.7
    masked = cp.asnumpy(cp.var(cp.asarray(x), axis, where=cp.asarray(mask)))
    exact = exactly(x, axis, offset, where=mask)
    np.testing.assert_allclose(masked, exact.astype("f8"), 16 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_outliers_and_trends(dtype, rng):
    noise = rng.standard_normal(30_000).astype(dtype)
    first, middle = noise.copy(), noise.copy()
    first[0] = middle[15_000] = 1e8
    trend = np.arange(30_000).astype(dtype)
    steps = np.where(trend < 15_000, noise + 1e4, noise - 1e4).astype(dtype)
    for x in (first, middle, trend, steps, np.exp(4 * noise), np.full(30_000, 0.1, dtype)):
        if (x == x[0]).all():
            assert cp.var(cp.asarray(x)) == 0
        else:
            assert error(cp.asnumpy(cp.var(cp.asarray(x))), x, None) < 8 * np.finfo(dtype).eps


def test_infinity_and_nan():
    for value in (np.inf, -np.inf, np.nan):
        for place in (0, 7, 39):
            x = np.arange(40, dtype="f4").reshape(2, 20)
            x.flat[place] = value
            near(cp.var(cp.asarray(x), 1), expected_of("var", x, 1))
            near(cp.std(cp.asarray(x), 0), expected_of("std", x, 0))


def test_arguments(rng):
    x = rng.standard_normal((4, 9))
    a = cp.asarray(x)
    for name in ("var", "std"):
        function, oracle = getattr(cp, name), getattr(np, name)
        near(function(a, 1, ddof=2), oracle(x, 1, ddof=2))
        near(function(a, 1, ddof=0.5), oracle(x, 1, ddof=0.5))
        near(function(a, 1, correction=1), oracle(x, 1, correction=1))
        near(function(a, (0, 1)), oracle(x, (0, 1)))
        mean = x.mean(1, keepdims=True)
        near(function(a, 1, mean=cp.asarray(mean)), oracle(x, 1, mean=mean))
        mask = rng.random((4, 9)) < 0.7
        mask[:, 0] = True
        device = cp.asarray(mask)
        near(function(a, 1, where=device), oracle(x, 1, where=mask))
        if name == "std":
            continue  # but for its last step it is the variance
        near(function(a, dtype="f8"), oracle(x, dtype="f8"))
        near(function(cp.asarray(x.astype("f4")), dtype="f8"), oracle(x.astype("f4"), dtype="f8"))
        assert function(a, dtype="f4").dtype == np.float32
        near(function(a, mean=0.0), oracle(x, mean=0.0))
        near(function(a, where=device[:, :1]), oracle(x, where=mask[:, :1]))
        near(
            function(a, 1, mean=cp.asarray(mean), where=device, ddof=1),
            oracle(x, 1, mean=mean, where=mask, ddof=1),
        )
        out = cp.zeros(4, "f4")
        assert function(a, 1, out=out) is out
        near(out, oracle(x, 1).astype("f4"))
    z = x + 1j * x[::-1]
    near(cp.var(cp.asarray(z), 0, mean=cp.asarray(z.mean(0))), np.var(z, 0, mean=z.mean(0)[None]))
    with pytest.raises(ValueError, match="simultaneously"):
        cp.var(a, ddof=1, correction=1)
    with pytest.raises(np.exceptions.AxisError):
        cp.var(a, 2)
    with pytest.raises(ValueError):
        cp.var(a, 1, out=cp.zeros(5))
    with pytest.raises(ValueError):
        cp.var(a, 1, mean=cp.zeros(5))


def test_too_few_elements_warn():
    for x, axis, ddof in ((np.ones((3, 2)), 1, 2), (np.ones((0, 3)), 0, 0), (np.ones(3), None, 4)):
        for _ in range(2):
            with pytest.warns(RuntimeWarning, match="Degrees of freedom <= 0 for slice"):
                result = cp.var(cp.asarray(x), axis, ddof=ddof)
        near(result, expected_of("var", x, axis, ddof=ddof))
    mask = cp.zeros((3, 2), bool)
    assert cp.isnan(cp.var(cp.ones((3, 2)), 1, where=mask)).all()


def test_an_output_may_be_part_of_the_input(rng):
    x = rng.standard_normal((5, 6))
    a = cp.asarray(x)
    cp.var(a, 0, out=a[1])
    near(a[1], np.var(x, 0))


def test_the_same_bits_every_time(rng):
    a = cp.asarray(rng.standard_normal(70_003).astype("f4"))
    results = {float(cp.var(a)) for _ in range(3)}
    assert len(results) == 1


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=70),
    st.integers(1, 3),
    st.sampled_from([None, 0, 1]),
)
def test_any_numbers(numbers, rows, axis):
    x = np.array([numbers] * rows, "f4") * np.arange(1, rows + 1, dtype="f4")[:, None]
    exact = np.var(x.astype("f8"), axis)
    result = cp.asnumpy(cp.var(cp.asarray(x), axis)).astype("f8")
    np.testing.assert_allclose(result, exact, 4e-6, 1e-37)


# ---- passing over NaN ---------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "name"), slow_off_axes(["f4", "i2", "f2", "c8"], NAN))
def test_passing_over_nan(name, dtype, rng):
    x = rng.integers(1, 4, (6, 37)) / (1 if name == "nanprod" else 4)
    x = (x + 1j if dtype[0] == "c" else x).astype(dtype)
    if dtype[0] in "fc":
        x[rng.random(x.shape) < 0.3] = np.nan
        x[3] = np.nan
        x[4, :36] = np.nan
    # What is passed over does not depend on the axis, nor on what is computed of the rest.
    for axis in (1, None, 0) if dtype == "f4" and name in ("nansum", "nanmax", "nanvar") else (1,):
        near(getattr(cp, name)(cp.asarray(x), axis), expected_of(name, x, axis), 4, (name, axis))
    if name in ("nanprod", "nanmax", "nanstd"):
        a, b = x[::-1, ::2], cp.asarray(x)[::-1, ::2]
        near(getattr(cp, name)(b, 1), expected_of(name, a, 1), 4, name)
    near(
        getattr(cp, name)(cp.asarray(x), 1, keepdims=True),
        expected_of(name, x, 1, keepdims=True),
        4,
    )


def test_nan_arguments(rng):
    x = rng.standard_normal((5, 30))
    x[rng.random(x.shape) < 0.3] = np.nan
    a = cp.asarray(x)
    mask = rng.random(x.shape) < 0.8
    device = cp.asarray(mask)
    for name in ("nansum", "nanmean", "nanvar", "nanstd"):
        near(getattr(cp, name)(a, 1, where=device), getattr(np, name)(x, 1, where=mask), 4)
    near(cp.nanmax(a, 1, initial=0, where=device), np.nanmax(x, 1, initial=0, where=mask))
    near(cp.nanmin(a, 0, initial=0), np.nanmin(x, 0, initial=0))
    near(cp.nansum(a, 0, initial=5, dtype="f4"), np.nansum(x, 0, initial=5, dtype="f4"), 4)
    near(cp.nanvar(a, 1, ddof=2), np.nanvar(x, 1, ddof=2))
    mean = np.nanmean(x, 1, keepdims=True)
    near(cp.nanvar(a, 1, mean=cp.asarray(mean)), np.nanvar(x, 1, mean=mean))
    few = np.full((3, 4), np.nan)
    few[0, 0] = few[1, :2] = 1
    near(cp.nanvar(cp.asarray(few), 1, ddof=1), expected_of("nanvar", few, 1, ddof=1))
    near(
        cp.nanmean(cp.asarray([[np.inf, np.nan], [np.inf, -np.inf]]), 1), np.array([np.inf, np.nan])
    )
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        cp.nanmean(cp.zeros((0, 2)), 0)
    with pytest.raises(ValueError, match="zero-size array"):
        cp.nanmax(cp.zeros((0, 2)), 0)


@pytest.mark.parametrize("dtype", slow_except(["i4", "f4"], ["i4", "f2", "f4", "c8"]))
def test_positions_passing_over_nan(dtype, rng):
    x = rng.integers(-5, 5, (8, 41)).astype(dtype)
    if dtype != "i4":
        x[:7][rng.random((7, 41)) < 0.4] = np.nan
        x[2] = np.nan
        x[2, 7] = 3
    for name in ("nanargmax", "nanargmin"):
        for axis in (None, 0, 1):
            near(getattr(cp, name)(cp.asarray(x), axis), getattr(np, name)(x, axis))
        near(getattr(cp, name)(cp.asarray(x).T), getattr(np, name)(x.T))
    if dtype != "i4":
        assert cp.nanargmax(cp.full(5, np.nan, dtype)) == 0
        x = np.full(41, np.nan, dtype)
        x[30] = -np.inf  # NumPy's answer is 0, of which it warns in its documentation
        assert cp.nanargmax(cp.asarray(x)) == 30


def test_means_of_some(rng):
    x = rng.standard_normal((4, 50)).astype("f4")
    mask = rng.random((4, 50)) < 0.5
    for axis in (None, 0, 1):
        near(
            cp.mean(cp.asarray(x), axis, where=cp.asarray(mask)),
            expected_of("mean", x, axis, where=mask),
            20,
        )
    assert cp.isnan(cp.mean(cp.asarray(x), where=False))


# ---- signatures and checkers --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["var", "std", *NAN, "nanargmax", "nanargmin", "count_nonzero"])
def test_parameters_are_numpys(name):
    ours = inspect.signature(getattr(cp, name)).parameters
    theirs = inspect.signature(getattr(np, name)).parameters
    assert [(x.name, x.kind) for x in ours.values()] == [(x.name, x.kind) for x in theirs.values()]
    a = cp.asarray(np.arange(6.0).reshape(2, 3))
    near(getattr(np, name)(a), getattr(np, name)(np.arange(6.0).reshape(2, 3)))


@pytest.mark.emulator
def test_kernels_are_clean(rng):
    """No races, uninitialised reads or stray barriers in what is new to the reduction family."""
    x = rng.standard_normal((53, 301)).astype("f4")
    bytes_ = rng.integers(-128, 128, 150_000).astype("i1")
    with cp.cuda.check("races", "uninit", "barriers"):
        a, small = cp.asarray(x), cp.asarray(bytes_)
        mask = cp.asarray(x > 0)
        results = [
            (cp.var(a), x.var()),
            (cp.var(a, 0), x.var(0)),
            (cp.std(a, 1), x.std(1)),
            (cp.var(a[:, ::2], 1, where=mask[:, ::2]), x[:, ::2].var(1, where=x[:, ::2] > 0)),
            (cp.nanmean(a, 1), x.mean(1)),
            (cp.var(cp.asarray(np.resize(x, 150_000))), np.resize(x, 150_000).var()),
            (small.sum(), bytes_.sum()),
            (small[1:].max(), bytes_[1:].max()),
            (cp.count_nonzero(small), np.count_nonzero(bytes_)),
            (cp.argmax(a.T), np.argmax(x.T)),
        ]
        for result, expected in results:
            np.testing.assert_allclose(cp.asnumpy(result), expected, rtol=2e-5)


@pytest.mark.parametrize(
    ("name", "source"),
    [("nanmean", "i4"), ("nanmean", "c8"), ("nanvar", "i4"), ("nanvar", "f4"), ("nanstd", "f4")],
)
def test_integers_have_no_nan(name, source):
    x = np.ones(3, source)

    def store(xp):
        return getattr(xp, name)(xp.asarray(x), out=xp.asarray(np.array(0, "i4")))

    def convert(xp):
        return getattr(xp, name)(xp.asarray(x), dtype="i4")

    for call in (store, convert):
        if source == "i4":
            same(call(cp), call(np))
        else:
            raises_alike(lambda: call(np), lambda: call(cp))  # noqa: B023
