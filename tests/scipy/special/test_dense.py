"""Functions whose ranges meet: many arguments of each range, and on both sides of where it ends."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.kernels.samples import ulps
from tests.scipy.special.cases import linear

#: float32: the ranges between which a function changes its way. SciPy computes in float64.
RANGES = {
    "gammaln": [(1e-38, 1e-3), (0.29, 0.31), (0.3, 0.7), (0.7, 1.5), (0.999, 1.001), (1.999, 2.001), (2, 5.9),
                (5.9, 6.1), (6, 50), (50, 3e36), (-1e-3, -1e-38), (-7, -5), (-30, -1e-2), (-1e5, -30)],
    "gamma": [(1e-38, 1e-3), (1e-2, 2.9), (2.9, 3.1), (3, 35), (-3.1, -2.9), (-33, -3), (-2.9, -1e-3), (-1e-3, -1e-37)],
    "logit": [(1e-37, 0.25), (0.25, 0.49), (0.49, 0.51), (0.51, 0.75), (0.75, 0.9999999)],
    "log_expit": [(-80, -1), (-1, 1), (1, 80)],
}  # fmt: skip


def spread(low: float, high: float, count: int) -> np.ndarray:
    """Numbers between two of one sign, as many in each octave."""
    sign = -1.0 if low < 0 else 1.0
    first, last = sorted([np.log(abs(low)), np.log(abs(high))])
    return sign * np.exp(linear(first, last, count))


@pytest.mark.parametrize("name", RANGES)
def test_ranges_of_float32(name):
    x = np.concatenate([
        spread(low, high, 500) if low * high > 0 else linear(low, high, 500) for low, high in RANGES[name]
    ]).astype(np.float32)  # fmt: skip
    with np.errstate(all="ignore"):
        wanted = getattr(scipy.special, name)(x.astype(float)).astype(np.float32)
    distance = ulps(getattr(special, name)(cp.asarray(x)).get(), wanted)
    assert distance.max() <= 4, (x[distance.argmax()], distance.max())


def test_no_range_is_left_out():
    x = np.array(
        [0.0, -0.0, 1e-45, -1e-45, np.inf, -np.inf, np.nan, -1, -7, -8388607.5, -3e38, 1, 2], "f"
    )
    for name in ("gammaln", "gamma"):
        with np.errstate(all="ignore"):
            wanted = getattr(scipy.special, name)(x.astype(float)).astype(np.float32)
        found = getattr(special, name)(cp.asarray(x)).get()
        np.testing.assert_array_equal(found, wanted, name)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted), name)


@pytest.mark.parametrize("name", ["kl_div", "rel_entr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quotients(name, dtype):
    # Powers of two and their middles, where the sums cancel, and quotients near 1.
    logarithms = [linear(-3, 3, 3000), linear(-1e-2, 1e-2, 1000), linear(-60, 60, 1000)]
    ratio = np.exp(np.concatenate(logarithms))
    y = linear(0.1, 20, len(ratio)).astype(dtype)
    x = (y * ratio).astype(dtype)
    wide = np.float64 if dtype == np.float32 else np.longdouble
    a, b = x.astype(wide), y.astype(wide)
    ratio = np.abs(np.log(a / b))
    wanted = a * np.where(ratio < 0.5, np.log1p((a - b) / b), np.log(a / b))
    if name == "kl_div":
        # Where the terms cancel, by the series of u - log(1 + u).
        u = (b - a) / a
        series = sum([(-1) ** k * u**k / k for k in range(2, 12)])
        wanted = np.where(np.abs(u) < 0.03, a * series, wanted - a + b)
    found = getattr(special, name)(cp.asarray(x), cp.asarray(y)).get()
    distance = ulps(found, wanted.astype(dtype))
    assert distance.max() <= 4, (x[distance.argmax()], y[distance.argmax()], distance.max())


def test_logarithms_of_odds_and_sums():
    n = 3000
    x = np.concatenate(
        [linear(1e-3, 0.999, n), 0.5 + spread(1e-15, 0.1, n), spread(1e-300, 0.1, n)]
    )
    wide = x.astype(np.longdouble)
    near = np.abs(x - 0.5) < 0.2
    odds = np.where(near, np.log1p((2 * wide - 1) / (1 - wide)), np.log(wide / (1 - wide)))
    assert ulps(special.logit(cp.asarray(x)).get(), odds.astype(float)).max() <= 3
    x = np.concatenate([linear(-40, 40, n), linear(-720, -40, 500), [-709, 709, -1e3, 1e3, 0.0]])
    wide = x.astype(np.longdouble)
    wanted = np.minimum(wide, 0) - np.log1p(np.exp(-np.abs(wide)))
    assert ulps(special.log_expit(cp.asarray(x)).get(), wanted.astype(float)).max() <= 3


def test_quotients_at_the_ends_of_float32():
    x = np.array([2e38, 3e38, 1.1e38, 2e-39, 1e-45, 3e38, 1e-38, 2e-38], np.float32)
    y = np.array([2.1e38, 1.1e38, 1.3e38, 2.1e-39, 1e-45, 1e-44, 3e38, 1e-38], np.float32)
    wide = x.astype(float), y.astype(float)
    for name, bound in (("rel_entr", 4), ("kl_div", 4)):
        found = getattr(special, name)(cp.asarray(x), cp.asarray(y)).get()
        with np.errstate(all="ignore"):
            wanted = getattr(scipy.special, name)(*wide).astype(np.float32)
        assert ulps(found, wanted).max() <= bound, (name, found, wanted)
