"""Orthogonal polynomials as objects, compared with SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.slow import slow_except

PARAMETERS: dict[str, tuple[float, ...]] = {
    "legendre": (), "sh_legendre": (), "chebyt": (), "chebyu": (), "chebyc": (), "chebys": (),
    "sh_chebyt": (), "sh_chebyu": (), "jacobi": (1.5, 0.7), "sh_jacobi": (2.5, 1.2),
    "gegenbauer": (1.5,), "laguerre": (), "genlaguerre": (1.5,), "hermite": (), "hermitenorm": (),
}  # fmt: skip


@pytest.mark.parametrize("name", slow_except(["legendre", "chebyc", "jacobi"], PARAMETERS))
def test_attributes_and_values(name: str) -> None:
    given = PARAMETERS[name]
    for n, monic in ((0, False), (1, True), (4, False), (5, True)):
        ours = getattr(special, name)(n, *given, monic=monic)
        theirs = getattr(scipy.special, name)(n, *given, monic=monic)
        assert ours.order == theirs.order
        np.testing.assert_allclose(ours.coeffs.get(), theirs.coeffs, rtol=1e-11, atol=1e-11)
        x = np.linspace(max(ours.limits[0], -2), min(ours.limits[1], 3), 9)[1:-1]
        values = ours(cp.asarray(x)).get()
        np.testing.assert_allclose(values, theirs(x), rtol=1e-11, atol=1e-11)
        if n:
            # SciPy's of degree 0 are others.
            assert ours.limits == theirs.limits
            assert abs(ours.normcoef / theirs.normcoef - 1) < 1e-12
            np.testing.assert_allclose(ours.weights.get(), theirs.weights, rtol=1e-10, atol=1e-13)
            weights = ours.weight_func(cp.asarray(x)).get()
            np.testing.assert_allclose(weights, [theirs.weight_func(t) for t in x], rtol=1e-12)


def test_arithmetic_is_that_of_polynomials() -> None:
    p, wanted = special.legendre(3), np.poly1d([2.5, 0, -1.5, 0])
    assert type(p * p) is cp.poly1d
    np.testing.assert_allclose((p * p).coeffs.get(), (wanted * wanted).coeffs, atol=1e-13)
    np.testing.assert_allclose(p.deriv()(0.5).get(), wanted.deriv()(0.5), rtol=1e-13)
    np.testing.assert_allclose(
        p(cp.poly1d([1, 1])).coeffs.get(), wanted(np.poly1d([1, 1])).coeffs, atol=1e-13
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.legendre(-1), lambda m: m.chebyt(-2), lambda m: m.hermite(1.5),
        lambda m: m.genlaguerre(2, -1), lambda m: m.jacobi(2, -2, 1), lambda m: m.gegenbauer(2, -1),
        lambda m: m.sh_jacobi(2, 1, 3),
    ],
)  # fmt: skip
def test_what_is_refused(call) -> None:
    for module in (special, scipy.special):
        with pytest.raises(ValueError):
            call(module)
