"""The error function and its relatives, the normal distribution, Fresnel's integrals."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

_HEADER = "special_faddeeva"
_LOOPS = "d->d f->f D->D F->F"

# fmt: off
ROWS = (
    special(
        "erf", 1, "Error function.", [0.0, 1.0], loops=_LOOPS, header=_HEADER,
        floats="special::erf(in0)", complexes="special::erf(wide(in0))",
        result="array([0.        , 0.84270079])",
    ),
    special(
        "erfc", 1, "Complementary error function 1 - erf(x).", [0.0, 10.0], loops=_LOOPS,
        header=_HEADER, floats="::erfc(in0)", complexes="special::erfc(wide(in0))",
        result="array([1.00000000e+00, 2.08848758e-45])",
    ),
    special(
        "erfcx", 1, "Scaled complementary error function exp(x**2) erfc(x).", [0.0, 100.0],
        loops=_LOOPS, header=_HEADER, floats="special::erfcx(in0)",
        complexes="special::erfcx(wide(in0))",
        result="array([1.        , 0.00564161])",
    ),
    special(
        "erfi", 1, "Imaginary error function -i erf(ix).", [0.0, 1.0], loops=_LOOPS,
        header=_HEADER, floats="special::erfi(double(in0))",
        complexes="special::erfi(wide(in0))",
        result="array([0.        , 1.65042576])",
    ),
    special(
        "dawsn", 1, "Dawson's integral.", [0.0, 1.0], loops=_LOOPS, header=_HEADER,
        floats="special::dawsn(double(in0))", complexes="special::dawsn(wide(in0))",
        result="array([0.        , 0.53807951])",
    ),
    special(
        "wofz", 1, "Faddeeva's function exp(-z**2) erfc(-iz).", [0.0, 1j],
        loops="D->D F->F", header=_HEADER, complexes="special::wofz(wide(in0))",
        result="array([1.        +0.j, 0.42758358+0.j])",
    ),
    special(
        "voigt_profile", 3, "Density of the sum of a normal and a Cauchy variable.",
        [0.0, 1.0], 1.0, 0.5, loops="ddd->d fff->f", header=_HEADER,
        floats="special::voigt_profile(in0, in1, in2)",
        result="array([0.27895547, 0.20017964])",
    ),
    special(
        "erfinv", 1, "Inverse of the error function.", [0.0, 0.5],
        loops="f->f d->d", floats="::erfinv(in0)",
        result="array([0.        , 0.47693628])",
    ),
    special(
        "erfcinv", 1, "Inverse of the complementary error function.", [1.0, 1e-10],
        loops="f->f d->d", floats="::erfcinv(in0)",
        result="array([0.        , 4.57282497])",
    ),
    special(
        "ndtr", 1, "Distribution function of the standard normal distribution.", [-10.0, 0.0],
        loops=_LOOPS, header=_HEADER, floats="special::ndtr(in0)",
        complexes="special::ndtr(wide(in0))",
        result="array([7.61985302e-24, 5.00000000e-01])",
    ),
    special(
        "log_ndtr", 1, "Logarithm of ndtr without underflow.", [-100.0, 0.0],
        loops=_LOOPS, header=_HEADER, floats="special::log_ndtr(in0)",
        complexes="special::log_ndtr(wide(in0))",
        result="array([-5.00552421e+03, -6.93147181e-01])",
    ),
    special(
        "ndtri", 1, "Inverse of ndtr.", [0.5, 1e-10],
        loops="f->f d->d", floats="::normcdfinv(in0)",
        result="array([ 0.       , -6.3613409])",
    ),
    special(
        "ndtri_exp", 1, "Inverse of log_ndtr.", [-1000.0, -0.5],
        loops="f->f d->d", header=_HEADER, floats="special::ndtri_exp(in0)",
        result="array([-44.61574773,   0.27028802])",
    ),
    special(
        "fresnel", 1, "Fresnel's integrals S and C of sin(pi t**2 / 2) and cos(pi t**2 / 2).",
        [0.0, 1.0], loops="d->dd f->ff D->DD F->FF", header=_HEADER, nout=2,
        floats=("special::fresnel_s(in0)", "special::fresnel_c(in0)"),
        complexes=(
            "special::fresnel_sum(wide(in0), true)", "special::fresnel_sum(wide(in0), false)",
        ),
        result="(array([0.        , 0.43825915]), array([0.       , 0.7798934]))",
    ),
)
