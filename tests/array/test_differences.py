"""Differences, gradients, integrals, interpolation, correlation and grids of bins against NumPy."""

import inspect

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime import launch_history
from tests.array.arrays import raises_alike, same, values
from tests.slow import slow_except

A = cp.asarray


def near(actual, expected):
    """Equal within a few roundings of elements of about 1."""
    same(actual, expected, ulps={"f": 16, "d": 16}, atol=1e-14 if actual.dtype == "f8" else 0)


def test_diff(rng):
    x = rng.standard_normal((5, 7, 9))
    for axis in (0, 1, -1):
        same(cp.diff(A(x), 2, axis), np.diff(x, 2, axis))
        same(cp.diff(A(x).T, axis=axis), np.diff(x.T, axis=axis))
    same(cp.diff(A(x), prepend=0, append=A(x)), np.diff(x, prepend=0, append=x))
    same(cp.diff(A(x > 0)), np.diff(x > 0))
    same(cp.diff(A(np.arange(5, dtype="u1")[::-1])), np.diff(np.arange(5, dtype="u1")[::-1]))
    same(cp.diff(cp.zeros((0, 3)), axis=0), np.diff(np.zeros((0, 3)), axis=0))
    assert cp.diff(A(x), 0) is not None
    raises_alike(lambda: np.diff(x, -1), lambda: cp.diff(A(x), -1))
    raises_alike(lambda: np.diff(x[0, 0, 0]), lambda: cp.diff(A(x)[0, 0, 0]))
    same(cp.ediff1d(A(x), [1.0, 2], 3.0), np.ediff1d(x, [1.0, 2], 3.0))
    same(cp.ediff1d(A(np.arange(1))), np.ediff1d(np.arange(1)))
    raises_alike(
        lambda: np.ediff1d(np.arange(3), to_end=1.5), lambda: cp.ediff1d(cp.arange(3), to_end=1.5)
    )


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient(edge_order, rng):
    x = rng.standard_normal((5, 7, 9))
    uneven = np.cumsum(rng.random(7) + 0.1)
    for spacing in ((), (2.0,), (1.0, 2.0, 3.0), (1.0, uneven, np.arange(9))):
        on_device = [A(s) if np.ndim(s) else s for s in spacing]
        results = cp.gradient(A(x), *on_device, edge_order=edge_order)
        for result, expected in zip(results, np.gradient(x, *spacing, edge_order=edge_order)):
            near(result, expected)
    single = x.astype("f4")
    near(
        cp.gradient(A(single), axis=1, edge_order=edge_order),
        np.gradient(single, axis=1, edge_order=edge_order),
    )
    squares = np.arange(6) ** 2
    near(
        cp.gradient(A(squares), edge_order=edge_order), np.gradient(squares, edge_order=edge_order)
    )
    short = np.arange(float(edge_order))
    raises_alike(
        lambda: np.gradient(short, edge_order=edge_order),
        lambda: cp.gradient(A(short), edge_order=edge_order),
    )
    raises_alike(lambda: np.gradient(x, 1, 2), lambda: cp.gradient(A(x), 1, 2))
    raises_alike(lambda: np.gradient(x, edge_order=3), lambda: cp.gradient(A(x), edge_order=3))


@pytest.mark.parametrize("dtype", slow_except(["f2", "u1"], ["f2", "f4", "c16", "u1"]))
def test_gradient_of_short_axes_and_any_layout(dtype, rng):
    x = values((3, 2, 40), dtype)
    for spacing in (2, np.float64(0.3)):
        for axis in (0, 1, 2, None):
            expected = np.gradient(x, spacing, axis=axis)
            result = cp.gradient(A(x), spacing, axis=axis)
            for one, other in zip(result, expected, strict=True):
                same(one, other, context=(spacing, axis))
    same(cp.gradient(A(x).T, axis=0), np.gradient(x.T, axis=0))
    same(cp.gradient(A(x)[:, :, ::3], axis=2), np.gradient(x[:, :, ::3], axis=2))


@pytest.mark.parametrize(
    "dtype", slow_except(["f2", "i2", "?"], ["f2", "f4", "i2", "u1", "c8", "?"])
)
def test_differences_of_differences(dtype):
    x = values((4, 9), dtype)
    for n in (1, 2, 3, 8, 10):
        for axis in (0, 1):
            same(cp.diff(A(x), n, axis), np.diff(x, n, axis), context=(n, axis))
            same(cp.diff(A(x).T, n, axis), np.diff(x.T, n, axis), context=(n, axis))


@pytest.mark.single_operations
def test_launches():
    x = cp.zeros((20, 30), "f4")
    calls = {
        "gradient": (lambda: cp.gradient(x), 4),
        "diff": (lambda: cp.diff(x, 2), 1),
        "trapezoid": (lambda: cp.trapezoid(x), 2),
        "interp": (lambda: cp.interp(x, x[0], x[1].astype("f8")), 2),
    }
    for name, (call, most) in calls.items():
        launch_history.forget()
        call()
        kernels = [x for x in launch_history._recent if not isinstance(x, launch_history._Ended)]
        assert len(kernels) <= most, (name, kernels)


def test_trapezoid(rng):
    x = rng.standard_normal((5, 7, 9))
    places = np.cumsum(rng.random(9))
    near(cp.trapezoid(A(x), dx=0.5, axis=1), np.trapezoid(x, dx=0.5, axis=1))
    near(cp.trapezoid(A(x), A(places)), np.trapezoid(x, places))
    near(cp.trapezoid(A(x), A(x + 1), axis=0), np.trapezoid(x, x + 1, axis=0))
    near(cp.trapezoid(A(np.arange(5))), np.trapezoid(np.arange(5)))


@pytest.mark.parametrize("kind", ["f8", "c16"])
def test_interp(kind, rng):
    places, values = np.sort(rng.random(20)), rng.standard_normal(20).astype(kind)
    if kind == "c16":
        values += 1j * values[::-1]
    x = np.concatenate([rng.random(50) * 1.4 - 0.2, places, [np.nan, np.inf, -np.inf]])
    near(cp.interp(A(x), A(places), A(values)), np.interp(x, places, values))
    near(
        cp.interp(A(x), A(places), A(values), left=7, right=-1),
        np.interp(x, places, values, left=7, right=-1),
    )
    near(
        cp.interp(A(x[:-2]), A(places[::-1]), A(values), period=0.7),
        np.interp(x[:-2], places[::-1], values, period=0.7),
    )
    near(cp.interp(A(x), A(places[:1]), A(values[:1])), np.interp(x, places[:1], values[:1]))
    raises_alike(
        lambda: np.interp(x, places, values[:5]), lambda: cp.interp(A(x), A(places), A(values[:5]))
    )


@pytest.mark.parametrize("dtype", ["f4", "i2", "f8"])
def test_interp_of_many_values(dtype, rng):
    """Of float32 as it is, in one launch; others are copied first."""
    places, values = np.arange(300).astype(dtype), rng.standard_normal(300)
    x = (rng.random((50, 60)) * 400 - 50).astype(dtype)
    near(cp.interp(A(x), A(places), A(values)), np.interp(x, places, values))
    near(cp.interp(A(x).T, A(places)[5:], A(values)[5:]), np.interp(x.T, places[5:], values[5:]))
    for left, right in ((None, 3), (-2.5, None), (0, 0)):
        on_device = cp.interp(A(x), A(places), A(values), left, right)
        near(on_device, np.interp(x, places, values, left, right))
    near(cp.interp(A(x[:0]), A(places), A(values)), np.interp(x[:0], places, values))


def test_interp_between_infinite_values():
    x, xp = np.array([0, 1, 1.5, 2, 3]), np.arange(4.0)
    fp = np.array([0, np.inf, np.inf, 1])
    near(cp.interp(A(x), A(xp), A(fp)), np.interp(x, xp, fp))
    near(cp.interp(2.5, A([1, 2, 3]), A([3, 2, 0])), np.interp(2.5, [1, 2, 3], [3, 2, 0]))


@pytest.mark.parametrize("dtype", slow_except(["?", "c16"], ["?", "i4", "f4", "c16"]))
def test_correlate_and_convolve(dtype, rng):
    for n, m in ((1, 1), (7, 3), (3, 7), (100, 10), (10, 100), (6, 4)):
        a, v = rng.integers(-5, 5, n).astype(dtype), rng.integers(-5, 5, m).astype(dtype)
        if dtype == "c16":
            a, v = a + 1j * rng.integers(-5, 5, n), v + 1j * rng.integers(-5, 5, m)
        for mode in ("valid", "same", "full"):
            context = (n, m, mode)
            same(cp.correlate(A(a), A(v), mode), np.correlate(a, v, mode), context=context)
            same(cp.convolve(A(a), A(v), mode), np.convolve(a, v, mode), context=context)
    same(cp.convolve(A(a)[::-2], A(v)[1:]), np.convolve(a[::-2], v[1:]))
    raises_alike(lambda: np.correlate(a[:0], v), lambda: cp.correlate(A(a)[:0], A(v)))
    raises_alike(lambda: np.convolve(a[None], v), lambda: cp.convolve(A(a)[None], A(v)))
    raises_alike(lambda: np.convolve(a, v, "some"), lambda: cp.convolve(A(a), A(v), "some"))


GRIDS = [
    {},
    {"bins": 4},
    {"bins": (3, 4, 5)},
    {"bins": (3, np.array([0, 0.2, 0.5, 1]), 2)},
    {"bins": 4, "range": ((0, 1), (0.2, 0.8), None)},
    {"bins": 3, "density": True},
]


@pytest.mark.parametrize("options", GRIDS, ids=str)
def test_histogramdd(options, rng):
    points = np.round(rng.random((500, 3)), 2)
    hist, edges = cp.histogramdd(A(points), **options)
    expected, expected_edges = np.histogramdd(points, **options)
    same(hist, expected, ulps=2 if options.get("density") else 0)
    for one, other in zip(edges, expected_edges):
        same(one, other)
    weights = rng.integers(0, 5, 500)
    same(
        cp.histogramdd(A(points), weights=A(weights), **options)[0],
        np.histogramdd(points, weights=weights, **options)[0],
        ulps=2 if options.get("density") else 0,
    )


def test_histogram2d(rng):
    x, y = np.round(rng.random((2, 300)), 2)
    for bins in (5, [4, 6], np.linspace(0, 1, 6)):
        given = A(bins) if isinstance(bins, np.ndarray) else bins
        for one, other in zip(cp.histogram2d(A(x), A(y), given), np.histogram2d(x, y, bins)):
            same(one, other)
    for wrong in ((0, 2), (1.5, 2), ([1, 0], 2), (2,)):
        raises_alike(
            lambda wrong=wrong: np.histogramdd((x, y), wrong),
            lambda wrong=wrong: cp.histogramdd((A(x), A(y)), wrong),
        )
    raises_alike(lambda: np.histogram2d(x, y[1:]), lambda: cp.histogram2d(A(x), A(y)[1:]))
    rows = x.reshape(2, -1)
    raises_alike(lambda: np.histogram2d(rows, rows), lambda: cp.histogram2d(A(rows), A(rows)))


@pytest.mark.parametrize(
    "name",
    ["ediff1d", "gradient", "trapezoid", "interp", "histogram2d", "histogramdd", "nanmedian",
     "nanquantile", "nanpercentile", "take_along_axis", "put_along_axis", "average"],
)  # fmt: skip
def test_parameters_are_numpys(name):
    ours = inspect.signature(getattr(cp, name)).parameters
    theirs = inspect.signature(getattr(np, name)).parameters
    kept = [x.name for x in theirs.values() if x.name != "interpolation"]  # deprecated
    assert [x.name for x in ours.values()] == kept
