"""Arithmetic on numbers, and functions of integers."""

from __future__ import annotations

from gpuarray.kernels.generator.operations.rows import COMPLEX_MATH, HEAVY, HUGE, MEDIUM, row

_BY_DIVISION = {"signed": MEDIUM, "unsigned": MEDIUM, "float": HEAVY}

# fmt: off
ROWS = (
    row(
        "add", 2, "Sum of two operands.", [1, 2, 3], 10,
        bools="in0 || in1", integers="W(in0) + W(in1)", floats="in0 + in1", complexes="in0 + in1",
        times="datetime::add(in0, in1)",
        neutral=0, associative=True,
    ),
    row(
        "subtract", 2, "Difference of two operands.", [5, 6, 7], [1, 2, 3],
        integers="W(in0) - W(in1)", floats="in0 - in1", complexes="in0 - in1",
        times="datetime::subtract(in0, in1)",
    ),
    row(
        "multiply", 2, "Product of two operands.", [1, 2, 3], 2,
        bools="in0 && in1", integers="W(in0) * W(in1)", floats="in0 * in1", complexes="in0 * in1",
        scaled="datetime::scaled(in0, in1)", scaling="datetime::scaled(in1, in0)",
        neutral=1, associative=True,
    ),
    row(
        "divide", 2, "Quotient of two operands; integers give floats.", [1, 2, 3], 2,
        floats="in0 / in1", complexes="gpuarray::divide(in0, in1)",
        times="datetime::ratio(in0, in1)", scaled="datetime::divided(in0, in1)",
        weight=MEDIUM, aliases=("true_divide",),
    ),
    row(
        "floor_divide", 2, "Largest integer not above the quotient.", [-7, 7, 8], [2, 2, -3],
        integers="integer::floor_divide(in0, in1)", floats="floating::floor_divide(in0, in1)",
        times="datetime::floor_ratio(in0, in1)", scaled="datetime::divided(in0, in1)",
        weight=_BY_DIVISION,
    ),
    row(
        "remainder", 2, "Remainder of floor division, with the sign of the divisor.", [-7, 7], 3,
        integers="integer::remainder(in0, in1)", floats="floating::remainder(in0, in1)",
        times="datetime::remainder(in0, in1)", weight=_BY_DIVISION, aliases=("mod",),
    ),
    row(
        "divmod", 2, "Floor quotient and remainder at once.", [7, -7], 3, nout=2,
        integers=("integer::floor_divide(in0, in1)", "integer::remainder(in0, in1)"),
        floats=("floating::floor_divide(in0, in1)", "floating::remainder(in0, in1)"),
        times=("datetime::floor_ratio(in0, in1)", "datetime::remainder(in0, in1)"),
        weight=_BY_DIVISION,
    ),
    row(
        "fmod", 2, "Remainder of truncating division, with the dividend's sign.", [-7, 7], 3,
        integers="integer::truncated_remainder(in0, in1)", floats="::fmod(in0, in1)",
        weight=_BY_DIVISION,
    ),
    row(
        "power", 2, "First operand to the power of the second.", [1, 2, 3], 2,
        integers="integer::power(in0, in1)", floats="::pow(in0, in1)",
        complexes="gpuarray::power(in0, in1)",
        weight=_BY_DIVISION | {"complex": HUGE}, headers={"complex": COMPLEX_MATH},
        aliases=("pow",),
    ),
    # For one real exponent NumPy computes some powers by other means, which differ for -0.0 and
    # infinities and round less.
    row(
        "power_of_number", 2,
        floats=(
            "in1 == T(2) ? in0 * in0 : in1 == T(0.5) ? ::sqrt(in0) "
            ": in1 == T(-1) ? T(1) / in0 : ::pow(in0, in1)"
        ),
        complexes="in1.real == V(0.5) ? gpuarray::sqrt(in0) : gpuarray::power(in0, in1)",
        weight={"float": HEAVY, "complex": HUGE}, headers={"complex": COMPLEX_MATH},
    ),
    row(
        "float_power", 2, "Power in at least float64.", [1, 2, 3], -2,
        floats="::pow(in0, in1)", complexes="gpuarray::power(in0, in1)",
        weight={"float": HEAVY, "complex": HUGE}, headers={"complex": COMPLEX_MATH},
    ),
    row(
        "negative", 1, "The operand with its sign changed.", [1, -2, 0],
        integers="W(0) - W(in0)", floats="gpuarray::negative(in0)",
        half="gpuarray::negative(in0)", complexes="-in0", times="datetime::negative(in0)",
    ),
    row("positive", 1, "A copy of the operand.", [1, -2, 0], everything="in0", half="in0"),
    row(
        "absolute", 1, "Absolute value; the modulus of complex numbers.", [-1, 2, -3],
        bools="in0", signed="in0 < 0 ? W(0) - W(in0) : W(in0)", unsigned="in0",
        floats="gpuarray::absolute(in0)", half="gpuarray::absolute(in0)",
        complexes="::hypot(in0.real, in0.imag)", times="datetime::absolute(in0)",
        weight={"complex": MEDIUM}, aliases=("abs",),
    ),
    row(
        "fabs", 1, "Absolute value as a float.", [-1, 2, -3],
        floats="gpuarray::absolute(in0)", half="gpuarray::absolute(in0)",
    ),
    row(
        "sign", 1, "-1, 0 or 1 by the sign; complex numbers divided by their modulus.",
        [-5.0, 0.0, 3.0],
        signed="(in0 > 0) - (in0 < 0)", unsigned="in0 > 0", times="datetime::sign<R>(in0)",
        floats="in0 > 0 ? T(1) : in0 < 0 ? T(-1) : in0 == 0 ? T(0) : in0",
        complexes="gpuarray::sign(in0)",
        weight={"complex": MEDIUM},
    ),
    row(
        "conjugate", 1, "Complex conjugate.", [1 + 2j, 3 - 1j],
        bools="in0", integers="in0", floats="in0", half="in0",
        complexes="T(in0.real, gpuarray::negative(in0.imag))",
        aliases=("conj",),
    ),
    row(
        "reciprocal", 1, "One divided by the operand.", [1.0, 2.0, 4.0],
        integers="integer::reciprocal(in0)", floats="T(1) / in0",
        complexes="gpuarray::reciprocal(in0)",
        weight={"float": MEDIUM, "complex": MEDIUM},
    ),
    row(
        "square", 1, "The operand times itself.", [1, 2, 3],
        integers="W(in0) * W(in0)", floats="in0 * in0", complexes="in0 * in0",
    ),
    row(
        "gcd", 2, "Greatest common divisor.", [12, 18], 8,
        integers="integer::gcd(in0, in1)", weight=HEAVY, neutral=0, associative=True,
    ),
    row(
        "lcm", 2, "Least common multiple.", [4, 6], 10,
        integers="integer::lcm(in0, in1)", weight=HEAVY,
    ),
)
