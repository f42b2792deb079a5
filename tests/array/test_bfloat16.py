"""bfloat16 of ml_dtypes, beside what NumPy and ml_dtypes compute."""

import pickle
import warnings

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import LAYOUTS, WIDTHS

ml_dtypes = pytest.importorskip("ml_dtypes")
BF16 = np.dtype(ml_dtypes.bfloat16)

CORNERS = [
    0.0, -0.0, 1.0, -1.0, 1.5, 2.0**-133, -(2.0**-130), 3.3895e38, -3e38, float("inf"),
    -float("inf"), float("nan"), 0.333, 257.0, -7.25, 100.5,
]  # fmt: skip


def corners():
    return np.array(CORNERS).astype(BF16)


def same(actual, expected):
    host = cp.asnumpy(actual)
    expected = np.asarray(expected)
    assert host.dtype == expected.dtype
    assert host.shape == expected.shape
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    np.testing.assert_array_equal(host.astype(wide), expected.astype(wide))


def test_to_the_device_and_back():
    host = corners()
    array = cp.array(host)
    assert array.dtype is cp.array([1], dtype=ml_dtypes.bfloat16).dtype
    assert cp.asnumpy(array).tobytes() == host.tobytes()
    assert cp.array([1.5, 2], dtype=BF16).tolist() == [1.5, 2.0]
    assert repr(cp.array([1.5, 2], dtype=BF16)) == "array([1.5, 2], dtype=bfloat16)"
    assert array[4].item() == 1.5
    same(pickle.loads(pickle.dumps(array)), host)


@pytest.mark.parametrize("target", WIDTHS)
def test_casts(target):
    finite = corners()[np.isfinite(corners().astype("f4"))]
    if np.dtype(target).kind in "iu":  # what is out of range has another answer on a device
        finite = finite[np.abs(finite.astype("f4")) < 100]
        if np.dtype(target).kind == "u":
            finite = np.abs(finite)
    same(cp.array(finite).astype(target), finite.astype(target))
    source = np.arange(-4, 300).astype(target) * np.dtype(target).type(1)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        same(cp.array(source).astype(BF16), source.astype(BF16))


def test_rounds_to_nearest_even():
    bits = np.arange(0x3F800000, 0x3F840000, 0x1000, dtype="u4")
    values = np.concatenate([bits, bits + 1, bits - 1]).view("f4")
    assert cp.array(values).astype(BF16).tolist() == values.astype(BF16).tolist()
    wide = values.astype("f8") + 2.0**-40
    assert cp.array(wide).astype(BF16).tolist() == wide.astype(BF16).tolist()


BINARY = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "maximum",
          "minimum", "fmax", "fmin", "copysign", "nextafter", "less", "equal", "not_equal",
          "greater_equal", "logical_and", "logical_xor", "heaviside"]  # fmt: skip


def test_binary_functions():
    a, b = [x.copy() for x in np.broadcast_arrays(corners()[:, None], corners())]
    x, y = cp.array(a), cp.array(b)
    with np.errstate(all="ignore"):
        wanted = {name: getattr(np, name)(a, b) for name in BINARY}
    # One kernel for all, and one for a few of them.
    results = cp.fuse(lambda x, y: tuple([getattr(cp, name)(x, y) for name in BINARY]))(x, y)
    for name, result in zip(BINARY, results, strict=True):
        same(result, wanted[name])
    for name in ("add", "floor_divide", "nextafter", "less"):
        same(getattr(cp, name)(x, y), wanted[name])


UNARY = ["negative", "absolute", "positive", "sign", "square", "sqrt", "reciprocal", "floor",
         "ceil", "trunc", "rint", "isnan", "isinf", "isfinite", "signbit", "logical_not",
         "conjugate", "fabs"]  # fmt: skip


def test_unary_functions():
    x = corners()
    with np.errstate(all="ignore"):
        wanted = {name: getattr(np, name)(x) for name in UNARY}
    results = cp.fuse(lambda x: tuple([getattr(cp, name)(x) for name in UNARY]))(cp.array(x))
    for name, result in zip(UNARY, results, strict=True):
        same(result, wanted[name])
    for name in ("negative", "sqrt", "isnan"):
        same(getattr(cp, name)(cp.array(x)), wanted[name])
    for name in ("exp", "log", "sin", "tanh", "cbrt"):
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(x).astype("f4")
        found = getattr(cp, name)(cp.array(x))
        assert found.dtype == BF16
        np.testing.assert_allclose(cp.asnumpy(found).astype("f4"), expected, rtol=2**-7)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    host = (np.arange(24).reshape(4, 6) / 4).astype(BF16)
    a, x = LAYOUTS[layout](np, host), LAYOUTS[layout](cp, cp.array(host))
    same(x + x, a + a)
    same(x * 2, a * 2)
    same(x.copy(), a.copy())


@pytest.mark.parametrize("other", ["?", "i1", "i4", "f2", "f4", "c8"])
def test_promotion_is_numpys(other):
    a, b = np.ones(3, BF16), np.ones(3, other)
    assert cp.add(cp.array(a), cp.array(b)).dtype == np.add(a, b).dtype
    assert cp.less(cp.array(b), cp.array(a)).dtype == np.less(b, a).dtype
    assert cp.divide(cp.array(b), cp.array(a)).dtype == np.divide(b, a).dtype
    try:
        expected = np.result_type(a, b)
    except TypeError:
        with pytest.raises(TypeError):
            cp.result_type(cp.array(a), cp.array(b))
    else:
        assert cp.result_type(cp.array(a), cp.array(b)) == expected


def test_numbers_beside_arrays():
    a, x = np.array([1, 2.5], BF16), cp.array([1, 2.5], BF16)
    same(x + 1, a + 1)
    same(x + 1.5, a + 1.5)
    same(x * 1j, a * 1j)
    same(x + True, a + True)
    same(x + BF16.type(0.1), a + BF16.type(0.1))
    same(x + np.float32(0.1), a + np.float32(0.1))
    x += 1.5
    a += 1.5
    same(x, a)
    x[0] = 7.3
    a[0] = 7.3
    same(x, a)


@pytest.mark.slow
def test_reductions():
    host = (np.arange(-30, 30).reshape(6, 10) / 4).astype(BF16)
    x = cp.array(host)
    for axis in (None, 0, 1):
        assert x.sum(axis).dtype == BF16
        exact = host.astype("f8").sum(axis).astype(BF16)
        same(x.sum(axis), exact)
        same(x.mean(axis), host.astype("f8").mean(axis).astype(BF16))
        for name in ("max", "argmin", "any") if axis is None else ("min", "argmax", "all"):
            same(getattr(x, name)(axis), getattr(host, name)(axis))
    assert x.std().dtype == BF16
    assert x.cumsum().dtype == BF16
    same(x[0].cumsum(), host[0].astype("f4").cumsum().astype(BF16))
    nan = corners()
    assert np.isnan(float(cp.array(nan).max()))
    assert int(cp.array(nan).argmax()) == CORNERS.index(CORNERS[11])
    assert float(cp.nanmax(cp.array(nan))) == float("inf")
    assert float(cp.nansum(cp.array([1, float("nan"), 2], dtype=BF16))) == 3


@pytest.mark.slow
@pytest.mark.parametrize("size", [16, 40000])
def test_sorts(size):
    host = np.random.default_rng(1).standard_normal(size).astype(BF16)
    host[::7] = np.inf
    host[3] = np.nan
    host[5] = -np.inf
    x = cp.array(host)
    expected = np.sort(host.astype("f4"))  # NumPy's sort of ml_dtypes does not put NaN last
    same(cp.sort(x).astype("f4"), expected)
    same(x[cp.argsort(x)].astype("f4"), expected)
    middle = cp.partition(x, size // 2)[size // 2]
    assert float(middle) == expected[size // 2]
    assert np.isnan(float(cp.median(x)))
    assert float(cp.median(x[6:15])) == float(np.median(host[6:15].astype("f4")))
    same(cp.unique(x[x == x]).astype("f4"), np.unique(host[host == host].astype("f4")))


def test_selection_and_indexing():
    host = corners()
    x = cp.array(host)
    picked = np.array([3, 0, -1])
    same(x[cp.array(picked)], host[picked])
    same(x[x == x], host[host == host])
    same(cp.where(cp.isnan(x), x, -x), np.where(np.isnan(host), host, -host))
    same(cp.concatenate([x, x[::-1]]), np.concatenate([host, host[::-1]]))
    same(cp.searchsorted(cp.sort(x[:8]), x[:3]), np.searchsorted(np.sort(host[:8]), host[:3]))


def test_limits():
    limits = cp.finfo(ml_dtypes.bfloat16)
    assert limits.bits == 16
    assert float(limits.eps) == 2.0**-7
    assert cp.finfo(cp.ones(1, BF16)).max == limits.max


def test_dlpack():
    x = cp.array([1.5, -2], dtype=BF16)
    assert cp.from_dlpack(x).dtype == BF16
    same(cp.from_dlpack(x), cp.asnumpy(x))


def test_arange_and_friends():
    same(cp.arange(5, dtype=BF16), np.arange(5, dtype=BF16))
    same(cp.full(3, 2.5, BF16), np.full(3, 2.5, BF16))
    same(cp.ones((2, 3), BF16), np.ones((2, 3), BF16))
    same(cp.linspace(0, 1, 5, dtype=BF16), np.linspace(0, 1, 5, dtype=BF16))
    same(cp.eye(3, dtype=BF16), np.eye(3, dtype=BF16))
