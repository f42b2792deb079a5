"""datetime64 and timedelta64, beside NumPy."""

import datetime
import pickle
import warnings

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import LAYOUTS
from tests.slow import slow_except, slow_off_axes

NAT = np.iinfo("i8").min
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "25s", "3D"]


def times(kind="M8[s]", shape=(4, 6), seed=0, nat=True):
    """Times around 1970, some of them NaT and some equal."""
    host = np.random.default_rng(seed).integers(-40, 40, shape)
    if nat:
        host.reshape(-1)[:: 7 - seed] = NAT
    return host.astype(kind)


def same(actual, expected):
    host = cp.asnumpy(actual)
    expected = np.asarray(expected)
    assert host.dtype == expected.dtype
    assert host.shape == expected.shape
    bits = "i8" if expected.dtype.kind in "mM" else expected.dtype
    np.testing.assert_array_equal(host.view(bits), expected.view(bits))


def both(function, *operands):
    """Compare a function of operands of both libraries."""
    with np.errstate(all="ignore"):
        expected = function(np, *operands)
    found = function(cp, *[cp.array(x) if isinstance(x, np.ndarray) else x for x in operands])
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        same(found, expected)


def test_to_the_device_and_back():
    host = np.array(["2020-01-01", "NaT", "1999-12-31"], "M8[D]")
    x = cp.array(["2020-01-01", "NaT", "1999-12-31"], dtype="M8[D]")
    same(x, host)
    assert repr(x) == repr(host)
    assert str(x) == str(host)
    assert x.tolist() == host.tolist()
    assert x[0].item() == datetime.date(2020, 1, 1)
    same(pickle.loads(pickle.dumps(x)), host)
    moments = [datetime.datetime(2020, 1, 2), datetime.datetime(1970, 1, 1)]
    same(cp.array(moments, dtype="M8[us]"), np.array(moments, dtype="M8[us]"))
    assert cp.datetime_data(x.dtype) == ("D", 1)
    both(lambda xp, x: x.view("i8"), host)
    both(lambda xp, x: x.astype("i8").view("M8[D]"), host)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["M8[s]", "m8[ms]"])
def test_layouts(kind, layout):
    view = LAYOUTS[layout]
    host = times(kind)
    a, x = view(np, host), view(cp, cp.array(host))
    same(x.copy(), a.copy())
    same(x - x.copy(), a - a)
    same(x == x.copy(), a == a)
    same(x != x.copy(), a != a)


@pytest.mark.parametrize("kind", ["M8", "m8"])
@pytest.mark.parametrize(
    "source", slow_except(["Y", "W", "ms"], ["Y", "M", "W", "m", "ms", "ns", "3D"])
)
def test_casts_between_units(kind, source):
    host = np.arange(-280, 280, 7) * {"Y": 1, "M": 5, "W": 11}.get(source, 37)
    host = np.concatenate([host, np.array([NAT])]).astype(f"{kind}[{source}]")
    x = cp.array(host)
    for target in UNITS[:: -1 if source < "m" else 1][:7:3]:
        with np.errstate(all="ignore"):
            expected = host.astype(f"{kind}[{target}]")
        same(x.astype(f"{kind}[{target}]"), expected)


def test_calendar():
    """Days over the ends of all kinds of years, and far from 1970."""
    for start in ("1599-12-25", "1899-12-25", "1970-01-01", "1999-12-25", "-0401-02-20"):
        days = np.datetime64(start) + np.arange(0, 800, 3)
        for unit in ("M", "Y", "7M", "h"):
            same(cp.array(days).astype(f"M8[{unit}]"), days.astype(f"M8[{unit}]"))
    months = np.arange(-30000, 30000, 101).astype("M8[M]")
    same(cp.array(months).astype("M8[D]"), months.astype("M8[D]"))
    same(cp.array(months).astype("M8[W]"), months.astype("M8[W]"))


@pytest.mark.parametrize(
    "other", slow_except(["?", "i1", "f8"], ["?", "i1", "u4", "f4", "f8", "c16"])
)
def test_casts_to_and_from_numbers(other):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        both(lambda xp, x: x.astype("m8[s]"), np.array([0, 1, 5, 100]).astype(other))
        both(lambda xp, x: x.astype("M8[s]"), np.array([0, 1, 5, 100]).astype(other))
        both(lambda xp, x: x.astype(other), np.array([0, 1, 5, 100], "m8[s]"))
    if other in ("f4", "f8"):
        both(lambda xp, x: x.astype("m8[s]"), np.array([np.nan, 1.5, -1.5, 1e30], other))


A, B = times("m8[s]", nat=True), times("m8[ms]", seed=1)

BINARY = {
    "add": "mm Mm mM", "subtract": "mm Mm MM", "divide": "mm", "floor_divide": "mm",
    "remainder": "mm", "divmod": "mm", "maximum": "mm MM", "minimum": "mm MM", "fmax": "mm MM",
    "fmin": "mm MM", "equal": "mm MM", "not_equal": "mm MM", "less": "mm MM",
    "less_equal": "mm MM", "greater": "mm MM", "greater_equal": "mm MM",
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    slow_except(["add", "subtract", "divmod", "fmax", "less"], BINARY),
)
def test_binary_functions(name):
    for left, right in BINARY[name].split():
        a, b = times(f"{left}8[s]"), times(f"{right}8[s]", seed=1)
        both(lambda xp, x, y: getattr(xp, name)(x, y), a, times(f"{right}8[ms]", seed=1))
        both(lambda xp, x, y: getattr(xp, name)(x, y), a.astype(f"{left}8[D]"), b)


@pytest.mark.parametrize("other", slow_except(["i2", "f8"], ["i8", "i2", "f8", "f4", "?"]))
def test_scaling(other):
    numbers = np.array([2, -2, 0, 3, 1, -7]).astype(other)
    if numbers.dtype.kind == "f":
        numbers[:4] = [np.nan, np.inf, -1.5, 0.25]
    a = times("m8[s]")
    a[a == np.timedelta64(0, "s")] = 5
    both(lambda xp, x, y: x * y, a, numbers)
    both(lambda xp, x, y: y * x, a, numbers)
    if other != "?":
        both(lambda xp, x, y: x / y, a, numbers)
        both(lambda xp, x, y: x // y, a, numbers)


@pytest.mark.slow
def test_numbers_and_times_beside_arrays():
    m, t = times("m8[s]"), times("M8[s]")
    both(lambda xp, x: x * 3, m)
    both(lambda xp, x: 2.5 * x, m)
    both(lambda xp, x: x / 2, m)
    both(lambda xp, x: x // 7, m)
    both(lambda xp, x: x + np.timedelta64(3, "h"), t)
    both(lambda xp, x: x + np.timedelta64(3, "ms"), t)
    both(lambda xp, x: np.datetime64("1970-01-01T00:00:03") - x, t)
    both(lambda xp, x: x < np.datetime64("1970-01-01T00:00:05"), t)
    same(cp.array(t) - datetime.datetime(1970, 1, 1), t - np.datetime64("1970-01-01", "us"))
    same(cp.array(t) + datetime.timedelta(hours=2), t + np.timedelta64(7200 * 10**6, "us"))
    both(lambda xp, x: x / np.timedelta64(1, "m"), m)
    with warnings.catch_warnings():  # of units that integers do not have, from NumPy 2.5 on
        warnings.simplefilter("ignore", DeprecationWarning)
        both(lambda xp, x: x + 5, t)
        both(lambda xp, x: x - 5, m)
    with pytest.raises(TypeError):
        cp.array(t) + cp.array(t)
    with pytest.raises(TypeError):
        cp.array(m) * cp.array(m)
    with pytest.raises(TypeError):
        cp.sin(cp.array(m))
    with pytest.raises(TypeError):
        cp.array(t).sum()
    x, a = cp.array(t), t.copy()
    x += np.timedelta64(2, "s")
    a += np.timedelta64(2, "s")
    same(x, a)


def test_unary_functions():
    for name in ("isnat", "isfinite", "isinf", "isnan"):
        for host in (times("M8[s]"), times("m8[D]")):
            same(getattr(cp, name)(cp.array(host)), getattr(np, name)(host))
    host = times("m8[s]")
    for name in ("negative", "positive", "absolute", "sign"):
        same(getattr(cp, name)(cp.array(host)), getattr(np, name)(host))


@pytest.mark.parametrize(("kind", "axis"), slow_off_axes(["m8[us]", "M8[s]"], [None, 0, 1]))
def test_reductions(kind, axis):
    for host in (times(kind), times(kind, nat=False)):
        for name in ("max", "min", "argmax", "argmin"):
            same(getattr(cp.array(host), name)(axis=axis), getattr(host, name)(axis=axis))
        if axis is None:
            both(lambda xp, x: xp.fmax.reduce(x, axis=0), host)
            both(lambda xp, x: xp.maximum.accumulate(x, axis=1), host)
        if kind[0] == "m":
            both(lambda xp, x: x.sum(axis=axis), host)
            both(lambda xp, x: x.mean(axis=axis), host)
            both(lambda xp, x: x.cumsum(axis=axis), host)
        both(lambda xp, x: xp.ptp(x, axis=axis), host)


@pytest.mark.parametrize("size", slow_except([20, 3000], [20, 3000, 70000]))
def test_sorts(size):
    host = np.random.default_rng(0).integers(-(10**12), 10**12, size).astype("M8[s]")
    host[::11] = "NaT"
    both(lambda xp, x: xp.sort(x), host)
    both(lambda xp, x: x[xp.argsort(x, kind="stable")], host)
    both(lambda xp, x: xp.partition(x, size // 2)[size // 2], host)
    both(lambda xp, x: xp.searchsorted(xp.sort(x), x[:9]), host)


@pytest.mark.slow
def test_other_functions():
    t = times("M8[D]")
    both(lambda xp, x: xp.diff(x), t)
    both(lambda xp, x: xp.unique(x), times("M8[s]", nat=False))
    both(lambda xp, x: xp.where(xp.isnat(x), x[1, 1], x), t)
    both(lambda xp, x: xp.concatenate([x, x.astype("M8[h]")]), t)
    both(lambda xp, x: x[x > np.datetime64("1970-01-03")], t)
    both(lambda xp, x: xp.clip(x, np.datetime64("1970-01-01"), np.datetime64("1970-01-09")), t)
    both(lambda xp, x: xp.median(x), times("m8[s]", (9,), nat=False))
    both(lambda xp, x: xp.isin(x, x[0]), times("M8[s]", nat=False))
    both(lambda xp, x: xp.flip(x), t)
    both(lambda xp, x: xp.array_equal(x, x), times("M8[s]", nat=False))


def test_arange():
    both(lambda xp: xp.arange("2020-01", "2020-05", dtype="M8[M]"))
    both(lambda xp: xp.arange(np.datetime64("2020-01-01"), np.datetime64("2020-01-10"),
                              np.timedelta64(3, "D")))  # fmt: skip
    both(lambda xp: xp.arange(np.datetime64("2020-01-01"), np.datetime64("2020-01-04")))
    both(lambda xp: xp.arange(np.timedelta64(0, "s"), np.timedelta64(1, "m"),
                              np.timedelta64(7, "s")))  # fmt: skip
    both(lambda xp: xp.arange(0, 10, 3, dtype="m8[s]"))
    both(lambda xp: xp.arange(np.datetime64("2020-01-01"), np.datetime64("2020-01-02"),
                              np.timedelta64(5, "h")))  # fmt: skip


def test_creation_and_assignment():
    both(lambda xp: xp.zeros(3, "M8[D]"))
    both(lambda xp: xp.full(3, np.datetime64("2020-02-29")))
    both(lambda xp: xp.full(3, "2020-02-29", "M8[D]"))
    both(lambda xp: xp.full((2,), np.timedelta64(5, "s"), "m8[ms]"))
    host = np.zeros((3, 4), "M8[D]")
    x = cp.array(host)
    for value in ("2001-02-03", np.datetime64("2005"), np.datetime64("NaT", "D"),
                  datetime.date(2010, 5, 6), ["2000-01-01", "NaT", "1990-01-01", "1980-05"]):  # fmt: skip
        x[1] = value
        host[1] = value
        same(x, host)
        if not isinstance(value, list):
            x[2, 1] = value
            host[2, 1] = value
            x[cp.array([0, 2])] = value
            host[[0, 2]] = value
            x[x > np.datetime64("2006")] = value
            host[host > np.datetime64("2006")] = value
            same(x, host)
    x[0] = cp.array(["2000-01-01T05"], dtype="M8[h]")
    host[0] = np.array(["2000-01-01T05"], dtype="M8[h]")
    same(x, host)
    with pytest.raises(ValueError):
        x[0] = "nonsense"


def test_promotion():
    for a, b in (("M8[D]", "M8[s]"), ("m8[Y]", "m8[M]"), ("m8[2s]", "m8[3s]"), ("m8[s]", "i4")):
        found = cp.result_type(cp.zeros(1, a), cp.zeros(1, b))
        assert found == np.result_type(np.zeros(1, a), np.zeros(1, b))
    assert cp.can_cast("M8[s]", "M8[D]", "same_kind")
    assert not cp.can_cast("M8[s]", "M8[D]", "safe")
    with pytest.raises(TypeError):
        cp.zeros(1, "m8[Y]") + cp.zeros(1, "m8[D]")
