"""Nodes and weights of quadrature compared with SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

from gpuarray.scipy import special

RULES = {
    "legendre": [()], "chebyt": [()], "chebyu": [()], "chebyc": [()], "chebys": [()],
    "sh_legendre": [()], "sh_chebyt": [()], "sh_chebyu": [()],
    "jacobi": [(1.5, 0.7), (1.0, 1.0), (-0.5, -0.5), (-0.3, -0.7)],
    "sh_jacobi": [(2.5, 1.2)], "gegenbauer": [(0.5,), (0.0,), (2.5,), (-0.3,)],
    "laguerre": [()], "genlaguerre": [(1.5,), (-0.5,)], "hermite": [()], "hermitenorm": [()],
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("count", [1, 2, 3, 20, 61])
def test_rules(name, count):
    for parameters in RULES[name]:
        found = getattr(special, f"roots_{name}")(count, *parameters, mu=True)
        wanted = getattr(scipy.special, f"roots_{name}")(count, *parameters, mu=True)
        for ours, theirs in zip(found[:2], wanted[:2], strict=True):
            assert ours.dtype == np.float64
            np.testing.assert_allclose(ours.get(), theirs, rtol=1e-10, atol=1e-15)
        assert abs(found[2] - wanted[2]) <= 1e-13 * wanted[2]
        assert len(getattr(special, f"roots_{name}")(count, *parameters)) == 2


def test_many_nodes_do_not_overflow():
    nodes, weights = special.roots_hermite(150)
    theirs = scipy.special.roots_hermite(150)
    np.testing.assert_allclose(nodes.get(), theirs[0], rtol=1e-11, atol=1e-13)
    great = theirs[1] > 1e-200
    np.testing.assert_allclose(weights.get()[great], theirs[1][great], rtol=1e-9)
    assert np.isfinite(special.roots_laguerre(300)[1].get()).all()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("legendre", (0,)),
        ("legendre", (2.5,)),
        ("chebyt", (-1,)),
        ("jacobi", (3, -1, 0)),
        ("sh_jacobi", (3, 1, 3)),
        ("gegenbauer", (3, -0.7)),
        ("genlaguerre", (3, -2)),
    ],
)
def test_arguments(name, arguments):
    for module in (special, scipy.special):
        with pytest.raises(ValueError, match="must be"):
            getattr(module, f"roots_{name}")(*arguments)


def test_other_names():
    assert special.p_roots is special.roots_legendre
    assert special.he_roots is special.roots_hermitenorm
