"""The gamma function and its relatives."""

from __future__ import annotations

import numpy as np

from tests.scipy.special.cases import Case, against_scipy, linear, powers

CASES = [
    Case("gammaln", np.concatenate([powers(-300, 300), linear(0, 5)]), corners=(0.0, 0.5, 1.0, np.inf, np.nan), exact=lambda mp, x: mp.loggamma(x), single=4),
    Case("gammasgn", np.concatenate([linear(-10, 10), -powers(0, 9)])),
]  # fmt: skip

test_values = against_scipy(CASES)
