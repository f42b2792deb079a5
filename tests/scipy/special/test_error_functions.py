"""The error function and its relatives, and the normal distribution."""

from __future__ import annotations

import numpy as np

from tests.scipy.special.cases import Case, against_scipy, linear, powers

SMALL = np.concatenate([-powers(-300, -1), powers(-300, -1)])

CASES = [
    Case("erfinv", np.concatenate([linear(-1, 1, 80), SMALL]), single=4),
    Case("erfcinv", np.concatenate([linear(0, 2, 80), powers(-300, -1)]), single=4),
    Case("ndtri", np.concatenate([linear(0, 1, 80), powers(-300, -1)]), single=4),
]  # fmt: skip

test_values = against_scipy(CASES)
