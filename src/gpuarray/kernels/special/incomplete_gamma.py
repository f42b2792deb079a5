"""The incomplete gamma functions, and their distributions: chi-squared, gamma, Poisson."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

_HEADER = "special_gammainc"

# fmt: off
ROWS = (
    special(
        "gammainc", 2, "Regularized lower incomplete gamma function.", 2.0, [0.0, 1.0],
        loops="dd->d ff->f", header=_HEADER,
        floats="special::gammainc(in0, special::Wide<T>(in1))",
        result="array([0.        , 0.26424112])",
    ),
    special(
        "gammaincc", 2, "Regularized upper incomplete gamma function.", 2.0, [0.0, 1.0],
        loops="dd->d ff->f", header=_HEADER,
        floats="special::gammaincc(in0, special::Wide<T>(in1))",
        result="array([1.        , 0.73575888])",
    ),
    special(
        "gammaincinv", 2, "Inverse of gammainc in its second argument.", 2.0, [0.0, 0.5],
        loops="dd->d ff->f", header=_HEADER, floats="special::gammaincinv(in0, in1)",
        result="array([0.        , 1.67834699])",
    ),
    special(
        "gammainccinv", 2, "Inverse of gammaincc in its second argument.", 2.0, [0.5, 1.0],
        loops="dd->d ff->f", header=_HEADER, floats="special::gammainccinv(in0, in1)",
        result="array([1.67834699, 0.        ])",
    ),
    special(
        "chdtr", 2, "Distribution function of chi-squared with v degrees of freedom.",
        2.0, [0.0, 1.0], loops="ff->f dd->d", header=_HEADER,
        floats="special::gammainc(in0 / T(2), special::Wide<T>(double(in1) / 2))",
        result="array([0.        , 0.39346934])",
    ),
    special(
        "chdtrc", 2, "Survival function of chi-squared with v degrees of freedom.",
        2.0, [0.0, 1.0], loops="ff->f dd->d", header=_HEADER,
        floats="special::gammaincc(in0 / T(2), special::Wide<T>(double(in1) / 2))",
        result="array([1.        , 0.60653066])",
    ),
    special(
        "chdtri", 2, "Inverse of chdtrc in x.", 2.0, [0.5, 1.0], loops="ff->f dd->d",
        header=_HEADER, floats="2 * special::gammainccinv(in0 / T(2), in1)",
        result="array([1.38629436, 0.        ])",
    ),
    special(
        "chdtriv", 2, "Inverse of chdtr in the degrees of freedom.", [0.5, 0.75], 1.0,
        loops="ff->f dd->d", header=_HEADER,
        floats="special::chdtriv(in0, in1)",
        result="array([1.5971476 , 0.79397424])",
    ),
    special(
        "gdtr", 3, "Distribution function of gamma with rate a and shape b.",
        2.0, 3.0, [0.0, 1.0], loops="fff->f ddd->d", header=_HEADER,
        floats="special::gdtr<special::Wide<T>>(in0, in1, in2)",
        result="array([0.        , 0.32332358])",
    ),
    special(
        "gdtrc", 3, "Survival function of gamma with rate a and shape b.",
        2.0, 3.0, [0.0, 1.0], loops="fff->f ddd->d", header=_HEADER,
        floats="special::gdtrc<special::Wide<T>>(in0, in1, in2)",
        result="array([1.        , 0.67667642])",
    ),
    special(
        "gdtria", 3, "Inverse of gdtr in the rate a.", [0.25, 0.5], 3.0, 1.0,
        loops="fff->f ddd->d", header=_HEADER,
        floats="special::gdtria(in0, in1, in2)",
        result="array([1.72729942, 2.67406031])",
    ),
    special(
        "gdtrib", 3, "Inverse of gdtr in the shape b.", 2.0, [0.25, 0.5], 1.0,
        loops="fff->f ddd->d", header=_HEADER,
        floats=(
            "special::gamma_shape("
            "special::product_of<special::Wide<T>>(in0, in2), in1, 1 - double(in1))"
        ),
        result="array([3.34193187, 2.32348868])",
    ),
    special(
        "gdtrix", 3, "Inverse of gdtr in x.", 2.0, 3.0, [0.25, 0.5],
        loops="fff->f ddd->d", header=_HEADER,
        floats="special::gdtrix(in0, in1, in2)",
        result="array([0.86364971, 1.33703016])",
    ),
    special(
        "pdtr", 2, "Distribution function of Poisson's distribution with mean m.",
        [0.0, 2.0], 1.0, loops="ff->f dd->d", header=_HEADER, floats="special::pdtr(in0, in1)",
        result="array([0.36787944, 0.9196986 ])",
    ),
    special(
        "pdtrc", 2, "Survival function of Poisson's distribution with mean m.",
        [0.0, 2.0], 1.0, loops="ff->f dd->d", header=_HEADER, floats="special::pdtrc(in0, in1)",
        result="array([0.63212056, 0.0803014 ])",
    ),
    special(
        "pdtri", 2, "Inverse of pdtr in the mean.", [0, 2], 0.5, loops="ld->d ff->f dd->d",
        header=_HEADER, category_operand=1, floats="special::pdtri(double(in0), in1)",
        result="array([0.69314718, 2.67406031])",
    ),
    special(
        "pdtrik", 2, "Inverse of pdtr in the number of events, as a real number.",
        [0.5, 0.75], 1.0, loops="ff->f dd->d", header=_HEADER, floats="special::pdtrik(in0, in1)",
        result="array([0.31425001, 1.0525866 ])",
    ),
)
