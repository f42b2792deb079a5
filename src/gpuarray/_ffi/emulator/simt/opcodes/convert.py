"""Conversions between types (PTX ISA, "cvt")."""

from __future__ import annotations

import numpy as np

from ..emitter import Emitter, UnsupportedForm
from ..fused import to_odd
from ..registry import handles, runtime
from ..rounding import narrow, step
from ..storage import keeps_nan
from ..types import SCALARS, SIZES, code_of
from .half import narrow_half

nd = np.ndarray
f4, f8, i8, u8, u2, u4 = np.float32, np.float64, np.int64, np.uint64, np.uint16, np.uint32
_ROUNDINGS = ("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna")
_FLOATS = frozenset(("f16", "bf16", "f32", "f64"))
_TO_INTEGER = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_LIMITS = {
    code: (int(np.iinfo(code).min), int(np.iinfo(code).max))
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
}


@handles("cvt")
def convert(e: Emitter, i) -> None:
    opcode = i.opcode
    result, source = opcode.types[0], opcode.types[-1]
    if len(opcode.types) != 2:
        raise UnsupportedForm("conversion with scale or selector")
    if result in ("f16x2", "bf16x2") and source == "f32" and len(i.operands) == 3:
        _pack_pair(e, i, result)
    elif result == "tf32":
        _to_tf32(e, i)
    elif result in _FLOATS and source in _FLOATS:
        _float_to_float(e, i, result, source)
    elif result in _FLOATS:
        _integer_to_float(e, i, result, source)
    elif source in _FLOATS:
        _float_to_integer(e, i, result, source)
    else:
        _integer_to_integer(e, i, result, source)


def _read_float(e: Emitter, i, operand, type_: str) -> str:
    if type_ in ("f16", "bf16"):
        return f"widen({e.value(operand, 'u2')},{type_!r})"
    value = e.value(operand, code_of(type_), raw=True)
    return f"flush({value})" if "ftz" in i.opcode.flags and type_ == "f32" else value


def _integer_to_integer(e: Emitter, i, result: str, source: str) -> None:
    have, want = code_of(source), code_of(result)
    target, operand = i.operands
    if "sat" in i.opcode.flags:
        e.assign(target, f"clamped({e.value(operand, have)},{want!r})", want)
        return
    if e.may_be_affine(operand) or e.may_be_affine(target):
        value = e.cast_affine(e.value(operand, have, affine=True), have, want)
        e.assign(target, value if e.may_be_affine(target) else f"M({value},L)", want)
        return
    e.assign(target, e.cast(e.value(operand, have), have, want), want)


def _float_to_integer(e: Emitter, i, result: str, source: str) -> None:
    mode = i.opcode.first_of(*_ROUNDINGS) or "rzi"
    value = _read_float(e, i, i.operands[1], source)
    want = code_of(result)
    e.assign(i.operands[0], f"float_to_integer({value},{want!r},{mode!r})", want)


def _integer_to_float(e: Emitter, i, result: str, source: str) -> None:
    mode = i.opcode.first_of(*_ROUNDINGS) or "rn"
    have = code_of(source)
    value = e.value(i.operands[1], have)
    saturate = "sat" in i.opcode.flags
    if result in ("f16", "bf16"):
        expression = f"integer_to_half({value},{result!r},{mode!r},{saturate})"
        e.assign(i.operands[0], expression, "u2")
        return
    want = code_of(result)
    exact = SIZES[have] < SIZES[want]
    if mode == "rn" or exact:
        expression = f"{value}.astype({want})"
    else:
        expression = f"integer_to_float({value},{want!r},{mode!r})"
    if saturate:
        expression = f"saturate({expression})"
    e.assign(i.operands[0], expression, want)


def _float_to_float(e: Emitter, i, result: str, source: str) -> None:
    opcode = i.opcode
    flags = opcode.flags
    target, operand = i.operands
    mode = opcode.first_of(*_ROUNDINGS)
    if result == "f16" and source == "f32":  # .ftz has no effect here
        value = e.value(operand, "f4", raw=True)
    else:
        value = _read_float(e, i, operand, source)
    if source == "f32" and result == "f64" and "ftz" in flags:
        value = f"canonical({value})"
    if mode in _TO_INTEGER:
        value = f"np.{_TO_INTEGER[mode]}({value})"
        mode = "rn"
    if "sat" in flags:
        value = f"saturate({value})"
    if "relu" in flags:
        value = f"rectified({value})"
    if result in ("f16", "bf16"):
        if source in ("f16", "bf16") and source == result and mode is None:
            e.assign(target, e.value(operand, "u2"), "u2")
            return
        function = "narrow_double" if source == "f64" else "narrow_half"
        e.assign(target, f"{function}({value},{result!r},{(mode or 'rn')!r})", "u2")
        return
    want = code_of(result)
    have = "f4" if source in ("f16", "bf16") else code_of(source)
    if want != have:
        if want == "f4" and mode not in (None, "rn"):
            value = f"narrow({value},{mode!r})"
        else:
            value = f"({value}).astype({want})"
    if "ftz" in flags and want == "f4":
        value = f"flush({value})"
    e.assign(target, value, want, computed=not keeps_nan(i))


def _pack_pair(e: Emitter, i, result: str) -> None:
    """cvt.rn.f16x2.f32 d, a, b: a goes to the upper half."""
    format_ = result.removesuffix("x2")
    mode = i.opcode.first_of(*_ROUNDINGS) or "rn"
    high, low = (_read_float(e, i, o, "f32") for o in i.operands[1:3])
    if "relu" in i.opcode.flags:
        high, low = f"rectified({high})", f"rectified({low})"
    halves = [f"narrow_half({v},{format_!r},{mode!r}).astype(u4)" for v in (low, high)]
    e.assign(i.operands[0], f"{halves[0]}|({halves[1]}<<{e.constant(16, 'u4')})", "u4")


def _to_tf32(e: Emitter, i) -> None:
    mode = i.opcode.first_of("rna", "rn", "rz")
    value = e.value(i.operands[1], "f4")
    if "relu" in i.opcode.flags:
        value = f"rectified({value})"
    e.assign(i.operands[0], f"to_tf32({value},{mode!r})", "u4")


# ------------------------------------------------------------------ at run time


@runtime
def clamped(x, code: str):
    """An integer clamped to the range of another type."""
    low, high = _LIMITS[code]
    have_low, have_high = _LIMITS[x.dtype.str[1:]]
    low, high = max(low, have_low), min(high, have_high)
    return np.clip(x, x.dtype.type(low), x.dtype.type(high)).astype(SCALARS[code])


@runtime
def float_to_integer(x, code: str, mode: str):
    """Out-of-range values clamp. NaN becomes 0, or the top bit where 64 bits are involved."""
    low, high = _LIMITS[code]
    size = SIZES[code]
    top_bit = x.dtype == f8 or size == 8
    x = getattr(np, _TO_INTEGER.get(mode, "trunc"))(x.astype(f8, copy=False))
    scalar = SCALARS[code]
    nan = np.isnan(x)
    if size < 8:
        result = np.where(nan, 0.0, np.clip(x, low, high)).astype(scalar)
    else:
        above = x >= float(high)
        below = x < float(low)
        result = np.where(above | below | nan, 0.0, x).astype(scalar)
        result = np.where(above, scalar(high), np.where(below, scalar(low), result))
    if top_bit:
        pattern = np.array([1 << 8 * size - 1], f"u{size}").view(code)[0]
        result = np.where(nan, pattern, result)
    return result[()]


@runtime
def integer_to_float(x, code: str, mode: str):
    """A directed conversion that may be inexact."""
    x = np.asarray(x)
    if code == "f4" and x.dtype.itemsize <= 4:
        return narrow(x.astype(f8), mode)
    z = x.astype(SCALARS[code])
    wide = z.astype(f8)
    # Compare in integers: the result is integral, but may be one past the type's range.
    top = wide >= (2.0**63 if x.dtype.kind == "i" else 2.0**64)
    back = np.where(top, 0.0, wide).astype(x.dtype)
    side = np.where(top, -1, np.where(back > x, -1, np.where(back < x, 1, 0)))
    return step(z, side, mode)


@runtime
def integer_to_half(x, format_: str, mode: str, saturate: bool):
    x = np.asarray(x)
    z = x.astype(f8)
    if x.dtype.itemsize == 8:  # keep what binary64 cannot hold as a sticky bit
        top = z >= (2.0**63 if x.dtype.kind == "i" else 2.0**64)
        back = np.where(top, 0.0, z).astype(x.dtype)
        side = np.where(top, -1.0, np.where(back > x, -1.0, np.where(back < x, 1.0, 0.0)))
        z = to_odd(z, side)
    if saturate:
        z = np.clip(z, 0.0, 1.0)
    return narrow_half(z, format_, mode)


@runtime
def narrow_double(x, format_: str, mode: str):
    """binary64 to half bits: a NaN keeps its sign and the top of its fraction."""
    result = narrow_half(x, format_, mode)
    x = np.asarray(x)
    nan = np.isnan(x)
    if not nan.any():
        return result
    bits = x.view(u8)
    quiet, shift = (0x7E00, 42) if format_ == "f16" else (0x7FC0, 45)
    fraction = (bits & u8((1 << 52) - 1)) >> u8(shift)
    kept = (bits >> u8(63) << u8(15)) | u8(quiet) | fraction
    return np.where(nan, kept.astype(u2), result)[()]


@runtime
def rectified(x):
    """Negative values become +0; NaN stays."""
    return np.where((x > 0) | np.isnan(x), x, x.dtype.type(0))[()]


@runtime
def to_tf32(x, mode: str):
    """Keep 10 bits of the fraction."""
    bits = np.asarray(x).view(u4)
    if mode == "rna":
        rounded = bits + u4(0x1000)
    elif mode == "rn":
        rounded = bits + u4(0x0FFF) + ((bits >> u4(13)) & u4(1))
    else:
        rounded = bits
    # .rna only cuts a NaN's fraction off, even where that leaves an infinity.
    rounded = np.where(np.isfinite(x), rounded, bits) & u4(0xFFFFE000)
    return rounded[()] if mode == "rna" else np.where(np.isnan(x), u4(0x7FFFE000), rounded)[()]
