"""The gamma function and its relatives, zeta functions."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

_LOG, _REAL, _COMPLEX = "special_gamma_log", "special_gamma", "special_gamma_complex"
_ZETA, _COMPLEX_ZETA = "special_zeta", "special_zeta_complex"

# fmt: off
ROWS = (
    special(
        "gamma", 1, "Gamma function.", [0.5, 5.0], loops="d->d D->D f->f F->F",
        header=_COMPLEX, floats="special::gamma(in0)",
        complexes="special::gamma(wide(in0))",
        result="array([ 1.77245385, 24.        ])",
    ),
    special(
        "gammaln", 1, "Logarithm of the magnitude of the gamma function.", [1.0, 10.0],
        loops="d->d f->f", header="special_gammaln", floats="special::gammaln(in0)", lean=True,
        result="array([ 0.        , 12.80182748])",
    ),
    special(
        "loggamma", 1, "Principal branch of the logarithm of the gamma function.", [1.0, 10.0],
        loops="d->d D->D f->f F->F", header=_COMPLEX,
        floats="special::loggamma(in0)", complexes="special::loggamma(wide(in0))",
        result="array([ 0.        , 12.80182748])",
    ),
    special(
        "gammasgn", 1, "Sign of the gamma function.", [-1.5, 3.0],
        loops="d->d f->f", header=_LOG, floats="special::gammasgn(in0)",
        result="array([1., 1.])",
    ),
    special(
        "rgamma", 1, "Reciprocal of the gamma function, which has no poles.", [0.0, 5.0],
        loops="d->d D->D f->f F->F", header=_COMPLEX,
        floats="special::rgamma(in0)", complexes="special::rgamma(wide(in0))",
        result="array([0.        , 0.04166667])",
    ),
    special(
        "psi", 1, "Digamma function: the derivative of the logarithm of gamma.", [1.0, 10.0],
        loops="d->d D->D f->f F->F", header=_COMPLEX, aliases=("digamma",),
        floats="special::digamma(in0)", complexes="special::digamma(wide(in0))",
        result="array([-0.57721566,  2.25175259])",
    ),
    special(
        "beta", 2, "Beta function gamma(a) gamma(b) / gamma(a + b).", [1.0, 2.5], 3.0,
        loops="dd->d ff->f", header=_REAL, floats="special::beta(in0, in1)",
        result="array([0.33333333, 0.05079365])",
    ),
    special(
        "betaln", 2, "Logarithm of the magnitude of the beta function.", [1.0, 1e5], 3.0,
        loops="dd->d ff->f", header=_REAL, floats="special::betaln(in0, in1)",
        result="array([ -1.09861229, -33.84565921])",
    ),
    special(
        "poch", 2, "Pochhammer's symbol gamma(z + m) / gamma(z).", [1.0, 2.5], 3.0,
        loops="ff->f dd->d", header=_REAL, floats="special::poch(in0, in1)",
        result="array([ 6.   , 39.375])",
    ),
    special(
        "binom", 2, "Binomial coefficient of real arguments.", [5.0, 2.5], 2.0,
        loops="ff->f dd->d", header=_REAL, floats="special::binom(in0, in1)",
        result="array([10.   ,  1.875])",
    ),
    special(
        "zetac", 1, "Riemann's zeta function minus 1.", [2.0, -2.0],
        loops="d->d f->f", header=_ZETA, floats="special::zetac(in0)",
        result="array([ 0.64493407, -1.        ])",
    ),
    special(
        "_riemann_zeta", 1, "Riemann's zeta function.", [2.0, -2.0],
        loops="d->d D->D f->f F->F", header=_COMPLEX_ZETA, floats="special::riemann_zeta(in0)",
        complexes="special::riemann_zeta(wide(in0))",
    ),
    special(
        "_zeta", 2, "Hurwitz's zeta function.", [2.0, 3.0], 2.0,
        loops="ff->f Ff->F dd->d Dd->D", header=_COMPLEX_ZETA,
        floats="special::hurwitz_zeta(in0, in1)",
        complexes="special::hurwitz_zeta(wide(in0), double(in1))",
    ),
)
