"""Half-precision arithmetic: f16, bf16 and pairs of them, and packed 16-bit integers.

Values are widened, computed in a format wide enough that the final rounding is the only one,
and narrowed. Registers hold bits (two bytes, or four for a pair).
"""

from __future__ import annotations

import numpy as np

from ..emitter import Emitter, UnsupportedForm
from ..fused import to_odd, two_sum
from ..registry import runtime

nd = np.ndarray
u2, i4, u4, f2, f4, f8 = np.uint16, np.int32, np.uint32, np.float16, np.float32, np.float64
_EXPONENT_BITS = {"f16": 0x7C00, "bf16": 0x7F80}
_NAN = u2(0x7FFF)


def base_format(type_: str) -> tuple[str, bool]:
    """("f16" or "bf16", whether it is a pair)."""
    return type_.removesuffix("x2"), type_.endswith("x2")


def per_element(e: Emitter, i, function: str, operands, extra: str = "") -> str:
    """An expression that applies a function of bit patterns to elements (of pairs)."""
    format_, pair = base_format(i.opcode.types[-1])
    code = "u4" if pair else "u2"
    values = ",".join(e.value(o, code) for o in operands)
    extra = f",{extra}" if extra else ""
    if pair:
        return f"in_pairs({function},({values},),{format_!r}{extra})"
    return f"{function}({values},{format_!r}{extra})"


def arithmetic(e: Emitter, i) -> None:
    flags = i.opcode.flags
    _, pair = base_format(i.opcode.types[-1])
    ftz, sat, relu = ("ftz" in flags), ("sat" in flags), ("relu" in flags)
    name = i.name
    if name in ("neg", "abs"):
        expression = per_element(e, i, f"half_{name}", i.operands[1:], f"{ftz}")
    elif name in ("min", "max"):
        expression = per_element(
            e, i, f"half_{name}", i.operands[1:3],
            f"{'NaN' in flags},{'xorsign' in flags},{relu},{ftz}",
        )  # fmt: skip
    elif name in ("add", "sub", "mul"):
        if i.opcode.types[0] == "f32":
            raise UnsupportedForm("mixed precision")
        expression = per_element(e, i, f"half_{name}", i.operands[1:3], f"{ftz},{sat}")
    elif name in ("fma", "mad"):
        expression = per_element(e, i, "half_fma", i.operands[1:4], f"{ftz},{sat},{relu}")
    else:
        raise UnsupportedForm(name)
    e.assign(i.operands[0], expression, "u4" if pair else "u2")


def approximations(e: Emitter, i) -> None:
    _, pair = base_format(i.opcode.types[-1])
    expression = per_element(e, i, f"half_{i.name}", i.operands[1:2])
    e.assign(i.operands[0], expression, "u4" if pair else "u2")


def packed_integers(e: Emitter, i) -> None:
    """add, min and max of s16x2 and u16x2."""
    signed = i.opcode.types[-1][0] == "s"
    a, b = (e.value(o, "u4") for o in i.operands[1:3])
    relu = "relu" in i.opcode.flags
    expression = f"in_pairs(short_{i.name},({a},{b},),{signed},{relu})"
    e.assign(i.operands[0], expression, "u4")


# ------------------------------------------------------------------ bits and values


def widen(bits, format_: str):
    """Bit patterns as binary32 values."""
    if format_ == "f16":
        return bits.view(f2).astype(f4)
    return (bits.astype(u4) << u4(16)).view(f4)


def narrow_half(x, format_: str, mode: str = "rn"):
    """binary32 or binary64 values to bit patterns."""
    x = np.asarray(x)
    if mode == "rn":
        if format_ == "f16":
            bits = x.astype(f2).view(u2)
        else:
            bits = _bf16_to_nearest(x)
    else:
        bits = _directed(x, format_, mode)
    return np.where(np.isnan(x), _NAN, bits)[()]


def _odd32(x):
    """binary64 to binary32, rounded to odd."""
    r = x.astype(f4)
    bits = r.view(u4)
    back = r.astype(f8)
    inexact = (back != x) & np.isfinite(x)
    bits = np.where(inexact, (bits - (np.abs(back) > np.abs(x)).astype(u4)) | u4(1), bits)
    return bits.astype(u4).view(f4)


def _bf16_to_nearest(x):
    bits = (_odd32(x) if x.dtype == f8 else x).view(u4)
    rounded = bits + u4(0x7FFF) + ((bits >> u4(16)) & u4(1))
    return (rounded >> u4(16)).astype(u2)


def _directed(x, format_: str, mode: str):
    """Truncate or step away from zero; the patterns of a format are ordered by magnitude."""
    nearest = narrow_half(x, format_)
    value = widen(np.asarray(nearest), format_).astype(f8)
    wide = x.astype(f8)
    magnitude, negative = np.abs(value), np.signbit(wide)
    over = magnitude > np.abs(wide)
    under = magnitude < np.abs(wide)
    away = (mode == "rp") & ~negative | (mode == "rm") & negative
    bits = np.asarray(nearest).astype(np.int32)
    bits = np.where(over & ~away, bits - 1, np.where(under & away, bits + 1, bits))
    # Truncating an overflow to infinity gives the largest finite number.
    return bits.astype(u2)


@runtime
def in_pairs(function, operands: tuple, *rest):
    """Apply a function of 16-bit patterns to both halves of 32-bit ones."""
    low = function(*[v.astype(u2) for v in operands], *rest)
    high = function(*[(v >> u4(16)).astype(u2) for v in operands], *rest)
    return low.astype(u4) | (high.astype(u4) << u4(16))


def _flushed(bits, format_: str, ftz: bool):
    """Subnormal f16 inputs or outputs become zeros of their sign."""
    if not ftz:
        return bits
    subnormal = (bits & u2(_EXPONENT_BITS[format_])) == 0
    return np.where(subnormal, bits & u2(0x8000), bits).astype(u2)[()]


@runtime
def flush_half(bits, format_: str):
    return _flushed(bits, format_, True)


def _finish(x, format_: str, ftz: bool, sat: bool = False, relu: bool = False):
    if ftz:  # what is too small even when rounded to 11 bits, not to a subnormal's fewer bits
        least = x.dtype.type(2.0**-14 * (1 - 2.0**-12))
        x = np.where(np.abs(x) < least, np.copysign(x.dtype.type(0), x), x)
    if sat:
        x = np.where(x > 0, np.minimum(x, x.dtype.type(1)), x.dtype.type(0))
    if relu:
        x = np.where(x > 0, x, np.where(np.isnan(x), x, x.dtype.type(0)))
    return _flushed(narrow_half(x, format_), format_, ftz)


@runtime
def half_add(a, b, format_, ftz=False, sat=False):
    a, b = (widen(_flushed(v, format_, ftz), format_) for v in (a, b))
    return _finish(_sum(a, b, format_), format_, ftz, sat)


@runtime
def half_sub(a, b, format_, ftz=False, sat=False):
    a, b = (widen(_flushed(v, format_, ftz), format_) for v in (a, b))
    return _finish(_sum(a, -b, format_), format_, ftz, sat)


def _sum(a, b, format_):
    if format_ == "f16":
        return a + b
    return to_odd(*two_sum(a.astype(f8), b.astype(f8)))  # bf16 has the range of binary32


@runtime
def half_mul(a, b, format_, ftz=False, sat=False):
    a, b = (widen(_flushed(v, format_, ftz), format_).astype(f8) for v in (a, b))
    return _finish(a * b, format_, ftz, sat)


@runtime
def half_fma(a, b, c, format_, ftz=False, sat=False, relu=False):
    a, b, c = (widen(_flushed(v, format_, ftz), format_).astype(f8) for v in (a, b, c))
    return _finish(to_odd(*two_sum(a * b, c)), format_, ftz, sat, relu)


def _canonical(bits, format_: str):
    """Hardware writes one pattern for every NaN."""
    return np.where((bits & u2(0x7FFF)) > u2(_EXPONENT_BITS[format_]), _NAN, bits)[()]


@runtime
def half_neg(a, format_, ftz=False):
    return _canonical(_flushed(a, format_, ftz) ^ u2(0x8000), format_)


@runtime
def half_abs(a, format_, ftz=False):
    return _canonical(_flushed(a, format_, ftz) & u2(0x7FFF), format_)


def _in_order(bits):
    """Sign-magnitude patterns as integers in the order of the values; -0 comes before +0."""
    return np.where(bits & u2(0x8000), -1 - (bits & u2(0x7FFF)).astype(i4), bits.astype(i4))


def _half_extreme(a, b, format_, smaller, propagate, xorsign, relu, ftz):
    a, b = (np.asarray(_flushed(v, format_, ftz)) for v in (a, b))
    x, y = (v & u2(0x7FFF) for v in (a, b)) if xorsign else (a, b)
    infinity = u2(_EXPONENT_BITS[format_])
    nan_a, nan_b = ((v & u2(0x7FFF)) > infinity for v in (a, b))
    order_x, order_y = (_in_order(v) for v in (x, y))
    first = order_x < order_y if smaller else order_x > order_y
    result = np.where(nan_b | (first & ~nan_a), x, y)
    if xorsign:  # a NaN's sign counts too
        result = result | ((a ^ b) & u2(0x8000))
    result = np.where((nan_a | nan_b) if propagate else (nan_a & nan_b), _NAN, result)
    if relu:
        result = np.where((result & u2(0x8000)) != 0, u2(0), result)
    return result.astype(u2)[()]


@runtime
def half_min(a, b, format_, propagate=False, xorsign=False, relu=False, ftz=False):
    return _half_extreme(a, b, format_, True, propagate, xorsign, relu, ftz)


@runtime
def half_max(a, b, format_, propagate=False, xorsign=False, relu=False, ftz=False):
    return _half_extreme(a, b, format_, False, propagate, xorsign, relu, ftz)


@runtime
def half_ex2(a, format_):
    return narrow_half(np.exp2(widen(a, format_).astype(f8)), format_)


@runtime
def half_tanh(a, format_):
    return narrow_half(np.tanh(widen(a, format_).astype(f8)), format_)


@runtime
def half_rsqrt(a, format_):
    return narrow_half(1.0 / np.sqrt(widen(a, format_).astype(f8)), format_)


@runtime
def short_add(a, b, signed: bool, relu: bool):
    return a + b


@runtime
def short_min(a, b, signed: bool, relu: bool):
    return _short_extreme(np.minimum, a, b, signed, relu)


@runtime
def short_max(a, b, signed: bool, relu: bool):
    return _short_extreme(np.maximum, a, b, signed, relu)


def _short_extreme(function, a, b, signed: bool, relu: bool):
    if not signed:
        return function(a, b)
    result = function(a.view(np.int16), b.view(np.int16))
    if relu:
        result = np.maximum(result, np.int16(0))
    return result.view(u2)


runtime(widen)
runtime(narrow_half)
