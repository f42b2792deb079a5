"""Covariance and correlation, beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import LAYOUTS, against_numpy, raises_as_numpy, same, values

DTYPES = ["?", "u1", "i8", "f2", "f4", "f8", "c8", "c16"]
SOME = {name: LAYOUTS[name] for name in ("contiguous", "transposed", "negative-stride")}
ULPS = {"d": 64, "f": 64}

test_cov = against_numpy(
    lambda xp, x, rowvar: xp.cov(x, rowvar=rowvar),
    dtypes=DTYPES, layouts=SOME, layouts_of=["f8"], rowvar=[True, False], ulps=ULPS, atol=1e-13,
    shape=(4, 9), raises=(),
)  # fmt: skip
test_corrcoef = against_numpy(
    lambda xp, x, rowvar: xp.corrcoef(x, rowvar=rowvar),
    dtypes=["u1", "f4", "f8", "c16"], layouts={"contiguous": SOME["contiguous"]},
    rowvar=[True, False], ulps=ULPS, atol=1e-13, shape=(4, 9),
)  # fmt: skip

OPTIONS = {
    "biased": {"bias": True},
    "ddof": {"ddof": 2},
    "no ddof": {"ddof": 0, "bias": False},
    "frequencies": {"fweights": [1, 2, 0, 3, 1]},
    "weights": {"aweights": [0.5, 1.5, 0, 1, 2]},
    "both": {"fweights": [1, 2, 0, 3, 1], "aweights": [0.5, 1.5, 0, 1, 2]},
    "both without ddof": {"fweights": [1, 2, 0, 3, 1], "aweights": [0.5, 1.5, 0, 1, 2], "ddof": 0},
    "float32": {"dtype": "f4"},
    "columns": {"rowvar": False},
}


@pytest.mark.parametrize(
    ("dtype", "shape"), [("f8", (5,)), ("f8", (2, 5)), ("f8", (4, 5)), ("f8", (1, 5)), ("c16", (2, 5))]
)  # fmt: skip
@pytest.mark.parametrize("further", [False, True], ids=["m", "m and y"])
def test_options(dtype, shape, further):
    for name, options in OPTIONS.items():
        check_options(name, options, dtype, shape, further)


def check_options(name, options, dtype, shape, further):
    if "dtype" in options and dtype == "c16":
        options = {"dtype": "c8"}
    m = values(shape, dtype)
    y = values(shape, dtype, 1) if further else None
    if options.get("rowvar", True) is False and shape == (1, 5):
        m, y = m.T, y if y is None else y.T
    on_device = [x if x is None else cp.asarray(x) for x in (m, y)]
    weights = {key: cp.asarray(x) if "weights" in key else x for key, x in options.items()}
    expected = np.cov(m, y, **options)
    same(cp.cov(*on_device, **weights), expected, ulps=ULPS, atol=1e-12, context=name)
    if not options.keys() - {"rowvar", "dtype"}:
        expected = np.corrcoef(m, y, **options)
        same(cp.corrcoef(*on_device, **options), expected, ulps=ULPS, atol=1e-6, context=name)


@pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning")
def test_too_few_observations():
    for x in (np.ones((2, 1)), np.ones(1), np.arange(4.0).reshape(2, 2)):
        with np.errstate(all="ignore"):
            same(cp.cov(cp.asarray(x), ddof=2), np.cov(x, ddof=2))
    with pytest.warns(RuntimeWarning, match="Degrees of freedom") as caught:
        cp.cov(cp.ones((2, 1)))
    assert caught[0].filename == __file__


def test_no_variables():
    same(cp.cov(cp.ones((0, 3))), np.cov(np.ones((0, 3))))


def test_means_that_are_large_beside_the_deviations():
    x = np.random.default_rng(0).normal(1e6, 1, (3, 50))
    same(cp.cov(cp.asarray(x)), np.cov(x), atol=1e-9)


test_errors = raises_as_numpy(
    lambda xp: xp.cov(xp.ones((2, 2, 2))),
    lambda xp: xp.cov(xp.ones((2, 2)), xp.ones((2, 2, 2))),
    lambda xp: xp.cov(xp.ones((2, 2)), xp.ones((2, 3))),
    lambda xp: xp.cov(xp.ones((2, 2)), ddof=0.5),
    lambda xp: xp.cov(xp.ones((2, 2)), fweights=xp.asarray([0.5, 1])),
    lambda xp: xp.cov(xp.ones((2, 2)), fweights=xp.asarray([-1, 1])),
    lambda xp: xp.cov(xp.ones((2, 2)), fweights=xp.asarray([1])),
    lambda xp: xp.cov(xp.ones((2, 2)), fweights=xp.ones((1, 2), int)),
    lambda xp: xp.cov(xp.ones((2, 2)), aweights=xp.asarray([-1.0, 3])),
    lambda xp: xp.cov(xp.ones((2, 2)), aweights=xp.asarray([1.0])),
    lambda xp: xp.cov(xp.ones((2, 2)), aweights=xp.ones((1, 2))),
    lambda xp: xp.cov(xp.ones((2, 2)), aweights=xp.zeros(2)),
)
