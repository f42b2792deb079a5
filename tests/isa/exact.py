"""Expected results by exact rational arithmetic, rounded once; nothing here uses NumPy's floats.

A float operand arrives as its bit pattern. Not-a-number results are given as one canonical
pattern: which NaN an instruction makes is a matter for the recorded results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tests.isa.rows import TYPES

#: type -> (width, fraction bits, least exponent of a normal number)
FORMATS = {
    "f16": (16, 10, -14), "bf16": (16, 7, -126), "f32": (32, 23, -126), "f64": (64, 52, -1022),
}  # fmt: skip
INFINITY, NAN = math.inf, math.nan


class Real:
    """A decoded operand: a fraction, or an infinity or NaN; and its sign bit."""

    __slots__ = ("negative", "special", "value")

    def __init__(self, value: Fraction, negative: bool, special: float | None = None):
        self.value, self.negative, self.special = value, negative, special

    @property
    def token(self) -> float:
        """A float of the same kind and sign, enough to tell what infinities and NaN make."""
        size = 1.0 if self.value else 0.0
        if self.special is not None:
            size = self.special
        return math.copysign(size, -1.0 if self.negative else 1.0)


def decode(bits: int, type_: str, ftz: bool = False) -> Real:
    width, fraction, least = FORMATS[type_]
    negative = bool(bits >> width - 1)
    bits &= (1 << width - 1) - 1
    exponent, digits = bits >> fraction, bits & (1 << fraction) - 1
    if exponent == (1 << width - 1 - fraction) - 1:
        return Real(Fraction(0), negative, NAN if digits else INFINITY)
    if exponent:
        digits |= 1 << fraction
        exponent -= 1
    elif ftz:
        digits = 0
    scale = exponent + least - fraction
    size = Fraction(digits << scale) if scale >= 0 else Fraction(digits, 1 << -scale)
    return Real(-size if negative else size, negative)


def encode(
    value: Fraction, type_: str, mode: str, negative_zero: bool = False, ftz: bool = False
) -> int:
    """Round a number to a format: rn, rz, rm or rp.

    With ftz, what stays below the least normal number when it is rounded to all the bits of the
    fraction becomes zero: hardware flushes before it would round to a subnormal's fewer bits.
    """
    width, fraction, least = FORMATS[type_]
    sign = 1 << width - 1
    if not value:
        return sign if negative_zero else 0
    negative, size = value < 0, abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    flushes = ftz and exponent < least
    if not flushes:
        exponent = max(exponent, least)
    digits, rest = divmod(size / Fraction(2) ** (exponent - fraction), 1)
    away = (mode == "rp" and not negative) or (mode == "rm" and negative)
    if mode == "rn":
        away = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and digits & 1)
    if flushes:
        normal = exponent == least - 1 and digits + bool(away and rest) == 2 << fraction
        return (1 << fraction if normal else 0) | (sign if negative else 0)
    bits = ((exponent - least) << fraction) + digits + (1 if away and rest else 0)
    infinity = ((1 << width - 1 - fraction) - 1) << fraction
    if bits >= infinity:
        bits = infinity if away or mode == "rn" else infinity - 1
    return bits | sign if negative else bits


def nan_of(type_: str) -> int:
    """The pattern that stands for any NaN."""
    width, _, _ = FORMATS[type_]
    return (1 << width - 1) - 1


def is_nan(bits: np.ndarray, type_: str) -> np.ndarray:
    width, fraction, _ = FORMATS[type_]
    infinity = ((1 << width - 1 - fraction) - 1) << fraction
    return (bits & bits.dtype.type((1 << width - 1) - 1)) > bits.dtype.type(infinity)


def special(token: float, type_: str) -> int:
    """The pattern of an infinity or NaN (or zero) that specials gave."""
    width, fraction, _ = FORMATS[type_]
    if math.isnan(token):
        return nan_of(type_)
    size = ((1 << width - 1 - fraction) - 1) << fraction if math.isinf(token) else 0
    return size | (1 << width - 1 if math.copysign(1.0, token) < 0 else 0)


def _divide(x: float, y: float) -> float:
    if y == 0:
        if x == 0 or math.isnan(x):
            return NAN
        return math.copysign(INFINITY, math.copysign(1.0, x) * math.copysign(1.0, y))
    return x / y


def _root(value: Fraction) -> Fraction:
    """The square root, or a number with which it rounds the same way."""
    scale = 4 ** max(0, 80 + value.denominator.bit_length() - value.numerator.bit_length() // 2)
    scaled = value.numerator * scale // value.denominator
    root = math.isqrt(scaled)
    inexact = root * root * value.denominator != value.numerator * scale
    return Fraction(2 * root + inexact, 2 * math.isqrt(scale))


def _sum_is_minus_zero(x: bool, y: bool, mode: str) -> bool:
    """The sign of a sum that is exactly zero."""
    return x if x == y else mode == "rm"


def arithmetic(name: str, type_: str, mode: str, ftz: bool, values: list[int]) -> int:
    """One operation on bit patterns."""
    x = [decode(v, type_, ftz) for v in values]
    if name == "sub":
        name, y = "add", x[1]
        x[1] = Real(-y.value, not y.negative, y.special)
    if any(v.special is not None for v in x) or (name == "div" and not x[1].value):
        t = [v.token for v in x]
        if name == "add":
            return special(t[0] + t[1], type_)
        if name == "mul":
            return special(t[0] * t[1], type_)
        if name == "fma":
            return special(t[0] * t[1] + t[2], type_)
        if name == "div":
            return special(_divide(t[0], t[1]), type_)
        if name == "rcp":
            return special(_divide(1.0, t[0]), type_)
        return special(t[0] if t[0] > 0 else NAN, type_)  # sqrt
    if name == "add":
        zero = _sum_is_minus_zero(x[0].negative, x[1].negative, mode)
        return encode(x[0].value + x[1].value, type_, mode, zero, ftz)
    if name == "mul":
        return encode(x[0].value * x[1].value, type_, mode, x[0].negative != x[1].negative, ftz)
    if name == "fma":
        zero = _sum_is_minus_zero(x[0].negative != x[1].negative, x[2].negative, mode)
        return encode(x[0].value * x[1].value + x[2].value, type_, mode, zero, ftz)
    if name == "div":
        return encode(x[0].value / x[1].value, type_, mode, x[0].negative != x[1].negative, ftz)
    if name == "rcp":
        if not x[0].value:
            return special(_divide(1.0, x[0].token), type_)
        return encode(1 / x[0].value, type_, mode, False, ftz)
    if x[0].value < 0:
        return nan_of(type_)
    if not x[0].value:
        return encode(x[0].value, type_, mode, x[0].negative)
    return encode(_root(x[0].value), type_, mode)


def finish(bits: int, type_: str, ftz: bool, sat: bool, relu: bool) -> int:
    """.ftz, .sat and .relu of a result."""
    width, fraction, _ = FORMATS[type_]
    sign = 1 << width - 1
    one = ((1 << width - 2 - fraction) - 1) << fraction
    infinity = ((1 << width - 1 - fraction) - 1) << fraction
    nan = bits & ~sign > infinity
    if ftz and not bits & ~sign >> fraction << fraction:
        bits &= sign
    if sat:
        bits = 0 if nan or bits & sign else min(bits, one)
    if relu and not nan and bits & sign:
        bits = 0
    return bits


def patterns(operand: np.ndarray) -> list[int]:
    """Operands as unsigned integers."""
    return operand.view(f"u{operand.itemsize}").tolist()


def float_rows(
    name: str, type_: str, mode: str = "rn", ftz=False, sat=False, relu=False
) -> Callable:
    """The expected results of an arithmetic instruction; pairs are taken apart."""
    single = type_.removesuffix("x2")

    def one(*values: int) -> int:
        return finish(arithmetic(name, single, mode, ftz, list(values)), single, ftz, sat, relu)

    def both(*values: int) -> int:
        low = one(*(v & 0xFFFF for v in values))
        return low | one(*(v >> 16 for v in values)) << 16

    return lanewise(one if single == type_ else both, type_)


def lanewise(function: Callable, *types: str, signed: tuple | None = None) -> Callable:
    """A function of Python integers, applied lane by lane; results wrap to the types' widths.

    Operands come as the integers their dtype means; floats as bit patterns.
    """
    dtypes = [np.dtype(TYPES[t][0]) for t in types]
    masks = [(1 << 8 * d.itemsize) - 1 for d in dtypes]

    def expected(*operands: np.ndarray):
        lanes = [o.tolist() if o.dtype.kind in "iu" else patterns(o) for o in operands]
        found = [function(*lane) for lane in zip(*lanes, strict=True)]
        columns = [found] if len(dtypes) == 1 else list(zip(*found, strict=True))
        arrays = [
            np.array([v & mask for v in column], f"u{dtype.itemsize}").view(dtype)
            for column, dtype, mask in zip(columns, dtypes, masks, strict=True)
        ]
        return arrays[0] if len(arrays) == 1 else arrays

    return expected
