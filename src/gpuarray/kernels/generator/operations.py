"""The operations that an expression may apply: a row per NumPy ufunc, C++ per dtype category.

Which loops exist and how dtypes promote is NumPy's business (``resolve_dtypes``); a row only says
what a loop computes. In its code

* ``in0``, ``in1``, ``in2`` are the operands, already cast to the dtypes of the loop;
* ``T`` is the type that the loop computes in (``float`` for float16, which is rounded once after
  every operation), ``R`` the type of the result, ``V`` the real type of a complex ``T`` and ``W``
  the unsigned type that wraps around as an integer ``T`` does.

Categories: ``bool``, ``signed``, ``unsigned``, ``float``, ``complex``; ``half`` where float16 needs
code of its own; ``mixed`` for the exact comparisons of int64 with uint64. C++ integers below 32
bits are promoted to int, so code for integers says where the result is narrowed again: the caller
converts to R.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

#: How much code one application compiles to: the more, the fewer elements a thread has, since the
#: code is repeated for each of them.
LIGHT, MEDIUM, HEAVY, HUGE = 0, 1, 2, 3


class Code(NamedTuple):
    """C++ for one output of one category."""

    text: str
    header: str = ""  # include name of the header that defines the functions called
    weight: int = LIGHT


class Operation(NamedTuple):
    """One row: what an operation computes for each dtype category."""

    name: str
    nin: int
    nout: int
    codes: Mapping[str, tuple[Code, ...]]  # category: one Code per output
    category_operand: int = 0  # the operand whose dtype chooses the category

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def categories(self) -> frozenset[str]:
        """The dtype categories that the operation has code for."""
        return frozenset(self.codes) - {"half", "mixed"}

    def code(self, category: str, output: int = 0) -> Code:
        """Return the code for a category, or raise TypeError naming what is supported."""
        found = self.codes.get(category)
        if found is None:
            raise TypeError(
                f"{self.name} has no device code for {category} operands; it supports "
                f"{', '.join(sorted(self.categories))}. Cast the operands to one of these first."
            )
        return found[output]


_INTEGER = "gpuarray/integer.cuh"
_FLOATING = "gpuarray/floating.cuh"
_HALF = "gpuarray/float16.cuh"
_COMPLEX = "gpuarray/complex.cuh"
_COMPLEX_MATH = "gpuarray/complex_math.cuh"

OPERATIONS: dict[str, Operation] = {}

# Functions of our own headers; others are NVRTC's.
_OURS = re.compile(r"\b(gpuarray|integer|floating)::")

_Text = str | tuple[str, ...] | None


def _row(
    name: str,
    nin: int,
    *,
    bools: _Text = None,
    integers: _Text = None,
    signed: _Text = None,
    unsigned: _Text = None,
    floats: _Text = None,
    half: _Text = None,
    complexes: _Text = None,
    mixed: _Text = None,
    everything: _Text = None,
    nout: int = 1,
    category_operand: int = 0,
    weight: int | Mapping[str, int] = LIGHT,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Add a row. `everything` and `integers` fill the categories that are not given."""
    texts = {
        "bool": bools or everything,
        "signed": signed or integers or everything,
        "unsigned": unsigned or integers or everything,
        "float": floats or everything,
        "complex": complexes or everything,
        "half": half,
        "mixed": mixed,
    }
    # Functions are found by category: a row names a header only where that is not enough.
    default_headers = {
        "signed": _INTEGER,
        "unsigned": _INTEGER,
        "mixed": _INTEGER,
        "float": _FLOATING,
        "half": _HALF,
        "complex": _COMPLEX,
    }
    codes = {}
    for category, text in texts.items():
        if text is None:
            continue
        outputs = (text,) if isinstance(text, str) else text
        load = weight if isinstance(weight, int) else weight.get(category, LIGHT)
        # An infix expression or a function that NVRTC has built in needs no header.
        header = default_headers.get(category, "")
        if headers is not None and category in headers:
            header = headers[category]
        elif not any(_OURS.search(output) for output in outputs):
            header = ""
        codes[category] = tuple(Code(output, header, load) for output in outputs)
    OPERATIONS[name] = Operation(name, nin, nout, codes, category_operand)


def _math(name: str, function: str, *, weight: int = MEDIUM) -> None:
    """Add a row for a unary function of NVRTC's own maths library, with its complex form."""
    _row(
        name,
        1,
        floats=f"::{function}(in0)",
        complexes=f"gpuarray::{function}(in0)",
        weight={"float": weight, "complex": HUGE},
        headers={"complex": _COMPLEX_MATH},
    )


# fmt: off
# -- arithmetic --------------------------------------------------------------------------------
_row(
    "add", 2,
    bools="in0 || in1", integers="W(in0) + W(in1)", floats="in0 + in1", complexes="in0 + in1",
)
_row(
    "subtract", 2,
    integers="W(in0) - W(in1)", floats="in0 - in1", complexes="in0 - in1",
)
_row(
    "multiply", 2,
    bools="in0 && in1", integers="W(in0) * W(in1)", floats="in0 * in1", complexes="in0 * in1",
)
_row(
    "divide", 2,
    floats="in0 / in1", complexes="gpuarray::divide(in0, in1)",
    weight=MEDIUM,
)
_row(
    "floor_divide", 2,
    integers="integer::floor_divide(in0, in1)", floats="floating::floor_divide(in0, in1)",
    weight={"signed": MEDIUM, "unsigned": MEDIUM, "float": HEAVY},
)
_row(
    "remainder", 2,
    integers="integer::remainder(in0, in1)", floats="floating::remainder(in0, in1)",
    weight={"signed": MEDIUM, "unsigned": MEDIUM, "float": HEAVY},
)
_row(
    "divmod", 2, nout=2,
    integers=("integer::floor_divide(in0, in1)", "integer::remainder(in0, in1)"),
    floats=("floating::floor_divide(in0, in1)", "floating::remainder(in0, in1)"),
    weight={"signed": MEDIUM, "unsigned": MEDIUM, "float": HEAVY},
)
_row(
    "fmod", 2,
    integers="integer::truncated_remainder(in0, in1)", floats="::fmod(in0, in1)",
    weight={"signed": MEDIUM, "unsigned": MEDIUM, "float": HEAVY},
)
_row(
    "power", 2,
    integers="integer::power(in0, in1)", floats="::pow(in0, in1)",
    complexes="gpuarray::power(in0, in1)",
    weight={"signed": MEDIUM, "unsigned": MEDIUM, "float": HEAVY, "complex": HUGE},
    headers={"complex": _COMPLEX_MATH},
)
_row(
    "float_power", 2,
    floats="::pow(in0, in1)", complexes="gpuarray::power(in0, in1)",
    weight={"float": HEAVY, "complex": HUGE}, headers={"complex": _COMPLEX_MATH},
)
_row(
    "negative", 1,
    integers="W(0) - W(in0)", floats="gpuarray::negative(in0)",
    half="gpuarray::negative(in0)", complexes="-in0",
)
_row("positive", 1, everything="in0", half="in0")
_row(
    "absolute", 1,
    bools="in0", signed="in0 < 0 ? W(0) - W(in0) : W(in0)", unsigned="in0",
    floats="gpuarray::absolute(in0)", half="gpuarray::absolute(in0)",
    complexes="::hypot(in0.real, in0.imag)",
    weight={"complex": MEDIUM},
)
_row("fabs", 1, floats="gpuarray::absolute(in0)", half="gpuarray::absolute(in0)")
_row(
    "sign", 1,
    signed="(in0 > 0) - (in0 < 0)", unsigned="in0 > 0",
    floats="in0 > 0 ? T(1) : in0 < 0 ? T(-1) : in0 == 0 ? T(0) : in0",
    complexes="gpuarray::sign(in0)",
    weight={"complex": MEDIUM},
)
_row("signbit", 1, floats="gpuarray::signbit(in0)", half="gpuarray::signbit(in0)")
_row("copysign", 2, floats="gpuarray::copysign(in0, in1)", half="gpuarray::copysign(in0, in1)")
_row(
    "conjugate", 1,
    bools="in0", integers="in0", floats="in0", half="in0",
    complexes="T(in0.real, gpuarray::negative(in0.imag))",
)
_row(
    "reciprocal", 1,
    integers="integer::reciprocal(in0)", floats="T(1) / in0",
    complexes="gpuarray::reciprocal(in0)",
    weight={"float": MEDIUM, "complex": MEDIUM},
)
_row(
    "square", 1,
    integers="W(in0) * W(in0)", floats="in0 * in0", complexes="in0 * in0",
)
_math("sqrt", "sqrt")
_row("cbrt", 1, floats="::cbrt(in0)", weight=MEDIUM)

# -- choosing ----------------------------------------------------------------------------------
# NumPy's rule: the first operand if it is the extreme, equal or NaN. What +0 against -0 gives
# depends on the vector unit in NumPy itself.
_row(
    "maximum", 2,
    bools="in0 || in1", integers="in0 >= in1 ? in0 : in1",
    floats="in0 >= in1 || in0 != in0 ? in0 : in1",
    complexes="gpuarray::isnan(in0) || in0 >= in1 ? in0 : in1",
)
_row(
    "minimum", 2,
    bools="in0 && in1", integers="in0 <= in1 ? in0 : in1",
    floats="in0 <= in1 || in0 != in0 ? in0 : in1",
    complexes="gpuarray::isnan(in0) || in0 <= in1 ? in0 : in1",
)
_row(
    "fmax", 2,
    bools="in0 || in1", integers="in0 >= in1 ? in0 : in1",
    floats="in0 >= in1 || in1 != in1 ? in0 : in1",
    complexes="gpuarray::isnan(in1) || in0 >= in1 ? in0 : in1",
)
_row(
    "fmin", 2,
    bools="in0 && in1", integers="in0 <= in1 ? in0 : in1",
    floats="in0 <= in1 || in1 != in1 ? in0 : in1",
    complexes="gpuarray::isnan(in1) || in0 <= in1 ? in0 : in1",
)
_row(
    "clip", 3,
    bools="(in0 || in1) && in2",
    integers="(in0 > in1 ? in0 : in1) < in2 ? (in0 > in1 ? in0 : in1) : in2",
    floats="floating::clip(in0, in1, in2)", complexes="gpuarray::clip(in0, in1, in2)",
)
_row("where", 3, everything="in0 ? in1 : in2", half="in0 ? in1 : in2", category_operand=1)
_row(
    "heaviside", 2,
    floats="in0 != in0 ? in0 : in0 == 0 ? in1 : in0 < 0 ? T(0) : T(1)",
)
_row("copy", 1, everything="in0", half="in0")

# -- comparisons and logic -----------------------------------------------------------------------
for _name, _sign in {
    "equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=",
}.items():
    _row(
        _name, 2,
        bools=f"in0 {_sign} in1", integers=f"in0 {_sign} in1", floats=f"in0 {_sign} in1",
        complexes=f"in0 {_sign} in1", mixed=f"integer::compare(in0, in1) {_sign} 0",
    )
_row(
    "logical_and", 2,
    everything="in0 != T(0) && in1 != T(0)", bools="in0 && in1",
)
_row(
    "logical_or", 2,
    everything="in0 != T(0) || in1 != T(0)", bools="in0 || in1",
)
_row(
    "logical_xor", 2,
    everything="(in0 != T(0)) != (in1 != T(0))", bools="in0 != in1",
)
_row("logical_not", 1, everything="in0 == T(0)", bools="!in0")
for _name, _sign, _bool in (
    ("bitwise_and", "&", "in0 && in1"),
    ("bitwise_or", "|", "in0 || in1"),
    ("bitwise_xor", "^", "in0 != in1"),
):
    _row(_name, 2, bools=_bool, integers=f"in0 {_sign} in1")
_row("invert", 1, bools="!in0", integers="~in0")
_row("left_shift", 2, integers="integer::left_shift(in0, in1)")
_row("right_shift", 2, integers="integer::right_shift(in0, in1)")
_row("bitwise_count", 1, integers="integer::bitwise_count(in0)")
_row("gcd", 2, integers="integer::gcd(in0, in1)", weight=HEAVY)
_row("lcm", 2, integers="integer::lcm(in0, in1)", weight=HEAVY)

# -- exponents and logarithms --------------------------------------------------------------------
for _name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p"):
    _math(_name, _name)
_row("logaddexp", 2, floats="floating::logaddexp(in0, in1)", weight=HEAVY)
_row("logaddexp2", 2, floats="floating::logaddexp2(in0, in1)", weight=HEAVY)

# -- trigonometry --------------------------------------------------------------------------------
for _name in ("sin", "cos", "tan"):
    _math(_name, _name, weight=HEAVY)
for _name in ("sin", "cos", "tan"):
    _math(f"arc{_name}", f"a{_name}")
    _math(f"{_name}h", f"{_name}h")
    _math(f"arc{_name}h", f"a{_name}h", weight=HEAVY)
_row("arctan2", 2, floats="::atan2(in0, in1)", weight=HEAVY)
_row("hypot", 2, floats="::hypot(in0, in1)", weight=MEDIUM)
for _name in ("deg2rad", "radians"):
    _row(_name, 1, floats="in0 * (T(3.141592653589793238462643383279502884) / T(180))")
for _name in ("rad2deg", "degrees"):
    _row(_name, 1, floats="in0 * (T(180) / T(3.141592653589793238462643383279502884))")

# -- rounding ------------------------------------------------------------------------------------
_row(
    "rint", 1,
    bools="in0", integers="in0", floats="::rint(in0)",
    complexes="T(::rint(in0.real), ::rint(in0.imag))",
)
for _name in ("floor", "ceil", "trunc"):
    _row(_name, 1, bools="in0", integers="in0", floats=f"::{_name}(in0)")

# -- floating-point properties ---------------------------------------------------------------------
for _name, _integers in (("isnan", "false"), ("isinf", "false"), ("isfinite", "true")):
    _row(
        _name, 1,
        everything=_integers, floats=f"gpuarray::{_name}(in0)",
        complexes=f"gpuarray::{_name}(in0)",
    )
_row(
    "nextafter", 2,
    floats="::nextafter(in0, in1)", half="gpuarray::nextafter(in0, in1)",
    weight=MEDIUM,
)
_row("spacing", 1, floats="gpuarray::spacing(in0)", half="gpuarray::spacing(in0)", weight=MEDIUM)
_row("ldexp", 2, floats="floating::ldexp(in0, in1)", weight=MEDIUM)
_row(
    "frexp", 1, nout=2,
    floats=("floating::frexp_mantissa(in0)", "floating::frexp_exponent(in0)"),
)
_row(
    "modf", 1, nout=2,
    floats=("floating::modf_fraction(in0)", "::trunc(in0)"),
)
del _name, _sign, _bool, _integers
# fmt: on

#: Other names under which NumPy has the same ufunc.
ALIASES = {
    "true_divide": "divide", "mod": "remainder", "conj": "conjugate", "abs": "absolute",
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atanh": "arctanh", "atan2": "arctan2", "pow": "power", "bitwise_not": "invert",
    "bitwise_invert": "invert", "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}  # fmt: skip


def operation(name: str) -> Operation:
    """Return the row of a NumPy ufunc by any of its names."""
    found = OPERATIONS.get(ALIASES.get(name, name))
    if found is None:
        raise KeyError(f"no device code for an operation named {name!r}")
    return found
