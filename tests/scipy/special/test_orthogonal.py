"""Orthogonal polynomials compared with SciPy's, and at real degrees with mpmath."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.kernels.samples import ulps
from tests.scipy.special.cases import check_loops, linear
from tests.slow import slow_except

#: The parameters of a polynomial.
PARAMETERS: dict[str, tuple[float, ...]] = {
    "eval_legendre": (),
    "eval_chebyt": (),
    "eval_chebyu": (),
    "eval_chebyc": (),
    "eval_chebys": (),
    "eval_sh_legendre": (),
    "eval_sh_chebyt": (),
    "eval_sh_chebyu": (),
    "eval_gegenbauer": (1.5,),
    "eval_jacobi": (1.5, 0.7),
    "eval_sh_jacobi": (2.5, 1.2),
    "eval_laguerre": (),
    "eval_genlaguerre": (1.5,),
    "eval_hermite": (),
    "eval_hermitenorm": (),
}
#: What SciPy multiplies a recurrence by, or divides by, is a binomial of up to so many units of
#: error there; ours has one.
OF_BINOMIALS = {
    "eval_gegenbauer": 300,
    "eval_jacobi": 300,
    "eval_sh_jacobi": 600,
    "eval_genlaguerre": 300,
}

DEGREES = np.arange(0, 31)[:, None]
POINTS = np.concatenate([linear(-1, 1, 20), [0.0, 1e-6, -3e-7, 1.0, -1.0, 1.5, -2.5, np.nan]])


def both(name: str, *operands: Any) -> tuple[np.ndarray, np.ndarray]:
    given = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in operands]
    with np.errstate(all="ignore"):
        return getattr(special, name)(*given).get(), getattr(scipy.special, name)(*operands)


@pytest.mark.parametrize("name", slow_except([*PARAMETERS][::2], PARAMETERS))
def test_integer_degrees(name):
    found, wanted = both(name, DEGREES, *PARAMETERS[name], POINTS)
    assert found.dtype == wanted.dtype
    distance = ulps(found, wanted)
    distance[(found == 0) & (wanted == 0)] = 0
    bound = OF_BINOMIALS.get(name, 4)
    for i, j in np.argwhere(distance > bound):
        # Next to a zero, where releases of SciPy differ too.
        assert conditioned(name, int(i), POINTS[j], found[i, j]) < 30, (name, i, POINTS[j])


def conditioned(name: str, degree: int, point: float, found: float) -> float:
    """An error in units of what the rounding of the point and of the result make of the value."""
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        eps = mpmath.mpf(2) ** -52
        exact, nearby = [
            EXACT[name](mpmath.mp, mpmath.mpf(degree), *PARAMETERS[name], mpmath.mpf(point) * x)
            for x in (1, 1 + eps)
        ]
        return float(abs(found - exact) / (abs(nearby - exact) + abs(exact) * eps))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    slow_except(["eval_legendre", "eval_jacobi", "eval_chebyt", "eval_genlaguerre"],
                [x for x in PARAMETERS if "hermite" not in x]),
)  # fmt: skip
def test_complex_points(name):
    points = POINTS[:20] + 1j * linear(-2, 2, 20)
    found, wanted = both(name, DEGREES[:9].astype(float), *PARAMETERS[name], points)
    # SciPy goes by a hypergeometric sum, which cancels.
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


@pytest.mark.parametrize("name", [*PARAMETERS, "lpmv"])
def test_loops(name):
    check_loops(name)


#: mpmath's functions of degree, parameters and point.
EXACT = {
    "eval_legendre": lambda mp, n, x: mp.hyp2f1(-n, n + 1, 1, (1 - x) / 2),
    "eval_chebyt": lambda mp, n, x: mp.hyp2f1(-n, n, 0.5, (1 - x) / 2),
    "eval_chebyu": lambda mp, n, x: (n + 1) * mp.hyp2f1(-n, n + 2, 1.5, (1 - x) / 2),
    "eval_gegenbauer": lambda mp, n, a, x: mp.gegenbauer(n, a, x),
    "eval_jacobi": lambda mp, n, a, b, x: mp.jacobi(n, a, b, x),
    "eval_genlaguerre": lambda mp, n, a, x: mp.laguerre(n, a, x),
}


@pytest.mark.parametrize("name", slow_except(["eval_legendre", "eval_jacobi"], EXACT))
@pytest.mark.parametrize("kind", slow_except(["real"], ["real", "complex"]))
def test_real_degrees(name, kind):
    mpmath = pytest.importorskip("mpmath")
    degrees, parameters = np.array([0.5, -0.5, 1.3, 20.5]), PARAMETERS[name]
    points: np.ndarray = np.r_[linear(-1, 1, 8), 1.5, 4.0, 0.999]
    if kind == "complex":
        points = points + 1j * linear(-2, 2, len(points))
    found = getattr(special, name)(cp.asarray(degrees[:, None]), *parameters, cp.asarray(points))
    with mpmath.workdps(40):
        wanted = [
            [
                complex(EXACT[name](mpmath.mp, mpmath.mpf(n), *parameters, x))
                for x in points.tolist()
            ]
            for n in degrees.tolist()
        ]
    # A sum by powers of 1 - x cancels as much as the function is large to the left.
    np.testing.assert_allclose(found.get(), wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.slow
def test_real_degrees_end_at_minus_one():
    for name in ("eval_legendre", "eval_chebyt", "eval_jacobi"):
        found, wanted = both(name, 0.5, *PARAMETERS[name], np.array([-2.0, -1.5]))
        np.testing.assert_array_equal(found, wanted)


def test_negative_degrees():
    degrees = np.arange(-4, 0)[:, None]
    for name in ("eval_legendre", "eval_chebyt", "eval_chebyu", "eval_laguerre", "eval_hermite"):
        found, wanted = both(name, degrees, POINTS[:20])
        np.testing.assert_allclose(found, wanted, rtol=1e-13)


@pytest.mark.slow
def test_lpmv():
    orders, degrees = (
        np.arange(-2.0, 4)[:, None, None],
        np.array([0, 1, 2, 5, 0.5, 2.5, 10.7, -1.5]),
    )
    found, wanted = both(
        "lpmv", orders, degrees[:, None], np.r_[linear(-0.9, 1, 20), 1.0, -1.0, 1.5, -1.5]
    )
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    # SciPy's sum of degree 10.7 cancels to the left of zero.
    np.testing.assert_allclose(found[finite], wanted[finite], rtol=1e-7, atol=1e-10)
    with np.errstate(invalid="ignore"):
        assert np.isnan(special.lpmv(0.5, 2.0, cp.asarray([0.3])).get()).all()


def test_lpmv_against_mpmath():
    mpmath = pytest.importorskip("mpmath")
    points = linear(-0.95, 1, 10)
    for order, degree in ((0, 0.5), (1, 2.5), (2, 6.3), (-1, 3.7)):
        wanted = [float(mpmath.legenp(degree, order, x, type=2)) for x in points]
        found = special.lpmv(float(order), degree, cp.asarray(points)).get()
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)


SINGLE = [name for name in PARAMETERS if "hermite" not in name]


@pytest.mark.parametrize("name", slow_except(["eval_gegenbauer", "eval_chebyt"], SINGLE))
def test_float32(name):
    given = *map(np.float32, PARAMETERS[name]), POINTS[::3].astype(np.float32)
    found, wanted = both(name, np.float32(3), *given)
    assert found.dtype == wanted.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
