"""Order statistics that pass over NaN, weights, and elements along an axis, against NumPy."""

import warnings

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_alike, same
from tests.array.test_order_statistics import METHODS
from tests.slow import slow_except

A = cp.asarray


def near(actual, expected, context="", atol=0):
    same(actual, expected, ulps={"e": 1, "f": 8, "d": 64}, atol=atol, context=context)


def numpys(name, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(np, name)(*args, **kwargs)


@pytest.fixture
def holes(rng):
    x = rng.standard_normal((5, 7, 9))
    x[rng.random(x.shape) < 0.4] = np.nan
    x[2, 3] = np.nan
    return x


@pytest.mark.parametrize(
    "dtype", slow_except(["f2", "f4", "c16", "i4"], ["f2", "f4", "f8", "c16", "i4"])
)
def test_nanmedian(dtype, holes):
    x = np.nan_to_num(holes * 10).astype(dtype) if dtype == "i4" else holes.astype(dtype)
    for axis in (None, 0, 1, (0, 2), -1):
        near(cp.nanmedian(A(x), axis), numpys("nanmedian", x, axis), axis)
    expected = numpys("nanmedian", x, 1, keepdims=True)
    near(cp.nanmedian(A(x), 1, keepdims=True), expected)
    out = cp.zeros((5, 9), expected.dtype)
    assert cp.nanmedian(A(x), 1, out=out) is out
    near(out, expected[:, 0])


@pytest.mark.parametrize("method", slow_except(["linear", "inverted_cdf"], METHODS))
def test_nanquantile(method, holes):
    for dtype, axis in (("f8", (0, 2)), ("f4", 1), ("f8", None)):
        x = holes.astype(dtype)
        for q in (0.3, 0, 1, [0.1, 0.5, 1.0]):
            near(
                cp.nanquantile(A(x), q, axis, method=method),
                numpys("nanquantile", x, q, axis, method=method),
                (dtype, axis, q),
            )
    q = np.array([[0, 0.25], [0.5, 0.77]])
    near(
        cp.nanquantile(A(holes), q, 0, method=method),
        numpys("nanquantile", holes, q, 0, method=method),
    )


def test_nanpercentile(holes):
    near(cp.nanpercentile(A(holes), [10, 50], 0), numpys("nanpercentile", holes, [10, 50], 0))
    near(
        cp.nanpercentile(A(holes), 37, keepdims=True),
        numpys("nanpercentile", holes, 37, keepdims=True),
    )
    near(cp.nanquantile(cp.arange(5), 0.3), np.nanquantile(np.arange(5), 0.3))
    raises_alike(lambda: np.nanpercentile(holes, 101), lambda: cp.nanpercentile(A(holes), 101))
    raises_alike(
        lambda: np.nanquantile(holes, 0.5, method="some"),
        lambda: cp.nanquantile(A(holes), 0.5, method="some"),
    )


@pytest.mark.slow
def test_weights(holes, rng):
    """Whole numbers as weights, whose sums are exact in any order."""
    x = rng.standard_normal(holes.shape)
    weights = rng.integers(0, 4, x.shape)
    weights[0] = weights[:, 0] = weights[:, :, 0] = 1
    present = np.maximum(weights, 1)
    for axis in (None, 0, -1, (0, 2)):
        for q in (0.3, 0, [0.1, 0.5, 1.0]):
            options = {"method": "inverted_cdf", "weights": weights}
            on_device = {"method": "inverted_cdf", "weights": A(weights)}
            near(cp.quantile(A(x), q, axis, **on_device), np.quantile(x, q, axis, **options))
            near(
                cp.quantile(A(holes), q, axis, **on_device),
                numpys("quantile", holes, q, axis, **options),
            )
            options["weights"], on_device["weights"] = present, A(present)
            near(
                cp.nanquantile(A(holes), q, axis, **on_device),
                numpys("nanquantile", holes, q, axis, **options),
            )
    line = present[0, :, 0]
    near(
        cp.percentile(A(x), 30, 1, method="inverted_cdf", weights=A(line)),
        np.percentile(x, 30, 1, method="inverted_cdf", weights=line),
    )
    raises_alike(
        lambda: np.quantile(x, 0.5, weights=weights),
        lambda: cp.quantile(A(x), 0.5, weights=A(weights)),
    )


def close(actual, expected):
    """Sums of numbers of either sign lose digits."""
    near(actual, expected, atol=1e-15)


def test_average(rng):
    x, weights = rng.standard_normal((5, 7, 9)), rng.random((5, 7, 9))
    for axis in (None, 0, (0, 2), -1):
        close(cp.average(A(x), axis), np.average(x, axis))
        close(cp.average(A(x), axis, A(weights)), np.average(x, axis, weights))
        results = cp.average(A(x), axis, A(weights), True, keepdims=True)
        for one, other in zip(results, np.average(x, axis, weights, True, keepdims=True)):
            close(one, other)
    close(cp.average(A(x), 1, A(weights[0, :, 0])), np.average(x, 1, weights[0, :, 0]))
    plane = weights[:, 0, :].T
    close(cp.average(A(x), (2, 0), A(plane)), np.average(x, (2, 0), plane))
    close(
        cp.average(cp.arange(6), weights=cp.arange(6)),
        np.average(np.arange(6), weights=np.arange(6)),
    )
    z = x + 1j * weights
    close(cp.average(A(x), 0, A(z)), np.average(x, 0, z))
    close(cp.average(A(z), 0, A(weights)), np.average(z, 0, weights))
    close(cp.average(A(x), 1, returned=True)[1], np.average(x, 1, returned=True)[1])
    raises_alike(lambda: np.average(x, weights=plane), lambda: cp.average(A(x), weights=A(plane)))
    raises_alike(lambda: np.average(x, 0, plane), lambda: cp.average(A(x), 0, A(plane)))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_along_an_axis(axis, rng):
    x = rng.standard_normal((5, 7, 9))
    order, first = np.argsort(x, axis), np.argmax(x, axis, keepdims=True)
    for places in (order, first, order.astype("i4")):
        same(cp.take_along_axis(A(x), A(places), axis), np.take_along_axis(x, places, axis))
        view = x[::-1, :, ::-1]
        same(
            cp.take_along_axis(A(x)[::-1, :, ::-1], A(places), axis),
            np.take_along_axis(view, places, axis),
        )
    for places, values in (
        (first, 99),
        (order, x * 2),
        (first, np.arange(3)),
        (order, x[:, :, :1]),
    ):
        host, device = x.astype("f4"), A(x.astype("f4"))
        if np.ndim(values) == 1:
            continue
        np.put_along_axis(host, places, values, axis)
        cp.put_along_axis(device, A(places), A(values) if np.ndim(values) else values, axis)
        same(device, host)


def test_along_the_flattened_array(rng):
    x = rng.standard_normal((3, 4, 5))
    places = np.array([3, -1, 5])
    for order in ((0, 1, 2), (2, 0, 1)):
        host = x.transpose(order)
        device = A(x).transpose(order)
        same(cp.take_along_axis(device, A(places), None), np.take_along_axis(host, places, None))
        cp.put_along_axis(device, A(places), A(np.array([1.5, 2.5, 3.5])), None)
        expected = host.copy()
        expected.flat[places] = [1.5, 2.5, 3.5]
        same(device, expected)
    a = cp.asarray(x)
    raises_alike(
        lambda: np.take_along_axis(x, places, 0), lambda: cp.take_along_axis(a, A(places), 0)
    )
    raises_alike(lambda: np.take_along_axis(x, x, 0), lambda: cp.take_along_axis(a, a, 0))
    raises_alike(
        lambda: np.take_along_axis(x, places.reshape(3, 1, 1), 3),
        lambda: cp.take_along_axis(a, A(places).reshape(3, 1, 1), 3),
    )
    empty = cp.take_along_axis(cp.zeros((0, 3)), cp.zeros((0, 3), "i8"), 0)
    assert empty.shape == (0, 3)


@pytest.mark.parametrize("name", ["nanquantile", "nanpercentile"])
@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_a_quantile_is_stored_with_any_cast(name, dtype):
    x = np.arange(15).reshape(3, 5).astype(dtype) * 7 % 11
    for q in (0.3, [0, 1]):
        expected = np.zeros((*np.shape(q), 5), "u2")
        out = A(expected)
        getattr(np, name)(x, q, axis=0, out=expected)
        assert getattr(cp, name)(A(x), q, axis=0, out=out) is out
        same(out, expected)
