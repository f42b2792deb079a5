"""The incomplete beta function, and its distributions: binomial, beta, F, Student's."""

from __future__ import annotations

from typing import Any

from gpuarray.kernels.generator.operations import Operation
from gpuarray.kernels.special.special_rows import special


def _row(name: str, summary: str, *example: Any, loops: str = "", **other: Any) -> Operation:
    count = len(example)
    operands = ", ".join(f"in{i}" for i in range(count))
    return special(
        name, count, summary, *example, loops=loops or f"{'f' * count}->f {'d' * count}->d",
        header="special_betainc", floats=f"special::{name}<special::Wide<T>>({operands})", **other,
    )  # fmt: skip


_WITH_WHOLE = "fff->f dld->d ddd->d"
_WITH_WHOLES = "lld->d fff->f ddd->d"

# fmt: off
ROWS = (
    _row(
        "betainc", "Regularized incomplete beta function.", 2.0, 3.0, [0.25, 0.5],
        result="array([0.26171875, 0.6875    ])",
    ),
    _row(
        "betaincc", "Complement of betainc.", 2.0, 3.0, [0.25, 0.5],
        result="array([0.73828125, 0.3125    ])",
    ),
    _row(
        "betaincinv", "Inverse of betainc in its third argument.", 2.0, 3.0, [0.25, 0.5],
        result="array([0.24302208, 0.38572757])",
    ),
    _row(
        "betainccinv", "Inverse of betaincc in its third argument.", 2.0, 3.0, [0.25, 0.5],
        result="array([0.54367829, 0.38572757])",
    ),
    _row(
        "bdtr", "Distribution function of k successes of n.", [0.0, 2.0], 4, 0.5,
        loops=_WITH_WHOLE,
        result="array([0.0625, 0.6875])",
    ),
    _row(
        "bdtrc", "Survival function of k successes of n.", [0.0, 2.0], 4, 0.5,
        loops=_WITH_WHOLE,
        result="array([0.9375, 0.3125])",
    ),
    _row(
        "bdtri", "Inverse of bdtr in the probability.", [0.0, 2.0], 4, 0.5,
        loops=_WITH_WHOLE,
        result="array([0.15910358, 0.61427243])",
    ),
    _row(
        "bdtrik", "Inverse of bdtr in the number of successes.", [0.25, 0.5], 10.0, 0.5,
        result="array([3.42741948, 4.5       ])",
    ),
    _row(
        "bdtrin", "Inverse of bdtr in the number of trials.", 3.0, [0.25, 0.5], 0.5,
        result="array([9.04125057, 7.        ])",
    ),
    _row(
        "btdtria", "Inverse of betainc in its first argument.", [0.25, 0.5], 3.0, 0.5,
        result="array([4.77147056, 3.        ])",
    ),
    _row(
        "btdtrib", "Inverse of betainc in its second argument.", 2.0, [0.25, 0.5], 0.5,
        result="array([1., 2.])",
    ),
    _row(
        "fdtr", "Distribution function of F.", 2.0, 3.0, [0.5, 1.0],
        result="array([0.35048095, 0.535242  ])",
    ),
    _row(
        "fdtrc", "Survival function of F.", 2.0, 3.0, [0.5, 1.0],
        result="array([0.64951905, 0.464758  ])",
    ),
    _row(
        "fdtri", "Inverse of fdtr in x.", 2.0, 3.0, [0.25, 0.5],
        result="array([0.31712059, 0.88110158])",
    ),
    _row(
        "fdtridfd", "Inverse of fdtr in the denominator's degrees of freedom.", 2.0,
        [0.5, 0.55], 1.0,
        result="array([2.       , 3.6769965])",
    ),
    _row(
        "nbdtr", "Distribution function of k failures before n successes.", [0, 2], 3, 0.5,
        loops=_WITH_WHOLES, category_operand=2,

        result="array([0.125, 0.5  ])",
    ),
    _row(
        "nbdtrc", "Survival function of k failures before n successes.", [0, 2], 3, 0.5,
        loops=_WITH_WHOLES, category_operand=2,

        result="array([0.875, 0.5  ])",
    ),
    _row(
        "nbdtri", "Inverse of nbdtr in the probability.", [0, 2], 3, 0.5,
        loops=_WITH_WHOLES, category_operand=2,

        result="array([0.79370053, 0.5       ])",
    ),
    _row(
        "nbdtrik", "Inverse of nbdtr in the number of failures.", [0.25, 0.5], 3.0, 0.5,
        result="array([0.67933981, 2.        ])",
    ),
    _row(
        "nbdtrin", "Inverse of nbdtr in the number of successes.", 3.0, [0.25, 0.5], 0.5,
        result="array([6.04125057, 4.        ])",
    ),
    _row(
        "stdtr", "Distribution function of Student's t.", 3.0, [-1.0, 0.0],
        result="array([0.19550111, 0.5       ])",
    ),
    _row(
        "stdtrit", "Inverse of stdtr in t.", 3.0, [0.25, 0.5],
        result="array([-0.76489233,  0.        ])",
    ),
    _row(
        "stdtridf", "Inverse of stdtr in the degrees of freedom.", [0.8, 0.82], 1.0,
        result="array([2.6387439 , 5.39875457])",
    ),
)
