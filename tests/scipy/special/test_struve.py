"""Struve and parabolic cylinder functions."""

from __future__ import annotations

import numpy as np

from tests.scipy.special.cases import Case, against_scipy, joined, linear, pairs

ORDERS = np.concatenate([linear(-5, 5, 20), np.arange(-4.0, 5.0), np.arange(-4.5, 5.0)])
LARGE = linear(-18, 30, 20)
ARGUMENTS = joined(pairs(ORDERS, linear(0, 60), count=60), pairs(LARGE, linear(0, 100), count=20))
CYLINDERS = pairs(
    np.concatenate([linear(-9, 11, 20), np.arange(-4.0, 5.0)]), linear(-8, 12), count=40
)
SMALL = pairs(linear(-4, 2), linear(-5, 5), count=30)
FEW = (0.5, 1.5, 2.5)


def with_slope(name):
    """The function and its derivative; V is one of minus the order less a half."""

    def value(mp, v, x):
        def f(t):
            return {"pbdv": mp.pcfd, "pbvv": mp.pcfv, "pbwa": mp.pcfw}[name](
                -v - 0.5 if name == "pbvv" else v, t
            )

        with mp.workdps(50):
            try:
                return f(x), mp.diff(f, x)
            except mp.NoConvergence as error:
                raise ValueError from error  # no value: SciPy's counts

    return value


CASES = [
    Case("struve", ARGUMENTS, exact=lambda mp, v, x: mp.struveh(v, x), corners=FEW, heavy=True, scale=lambda v, x, wanted: np.where(v > -1, 0.1, np.where(x > np.abs(v), np.sqrt(0.5 / np.maximum(x, 0.5)), 0))),
    Case("modstruve", ARGUMENTS, exact=lambda mp, v, x: mp.struvel(v, x), corners=FEW, heavy=True),
    Case("pbdv", CYLINDERS, exact=with_slope("pbdv"), corners=FEW, heavy=True),
    Case("pbvv", CYLINDERS, exact=with_slope("pbvv"), corners=FEW, heavy=True),
    Case("pbwa", SMALL, exact=with_slope("pbwa"), corners=FEW, heavy=True),
]  # fmt: skip

test_values = against_scipy(CASES)
