"""Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision")."""

from __future__ import annotations

import numpy as np

from ..emitter import Emitter, UnsupportedForm
from ..registry import handles, runtime
from ..types import HALF_TYPES, SIZES, WIDER, code_of, stored, unsigned
from . import floating, half

nd = np.ndarray
u4, u8, i8, f8 = np.uint32, np.uint64, np.int64, np.float64


@handles("add", "sub", "mul", "min", "max", "neg", "abs", "mad", "fma", "div")
def arithmetic(e: Emitter, i) -> None:
    """Opcodes that exist for several families of types."""
    type_ = i.opcode.types[-1]
    if type_ in HALF_TYPES:
        half.arithmetic(e, i)
    elif type_ in ("f32", "f64"):
        floating.arithmetic(e, i)
    elif type_ in ("s16x2", "u16x2"):
        half.packed_integers(e, i)
    else:
        _INTEGER[i.name](e, i)


def _linear(e: Emitter, i) -> bool:
    """Whether the affine form of an operation is called for."""
    return e.may_be_affine(i.operands[0])


def add_sub(e: Emitter, i) -> None:
    opcode = i.opcode
    code = code_of(opcode.types[-1])
    if "cc" in opcode.flags:
        add_with_carry(e, i)
        return
    if "sat" in opcode.flags:
        a, b = (e.value(o, code) for o in i.operands[1:3])
        e.assign(i.operands[0], f"{i.name}_saturated({a},{b})", code)
        return
    kept = stored(code)
    if _linear(e, i):
        a, b = (e.value(o, kept, affine=True) for o in i.operands[1:3])
        e.assign(i.operands[0], f"affine_{i.name}({a},{b},L)", kept)
    else:
        a, b = (e.value(o, kept) for o in i.operands[1:3])
        e.assign(i.operands[0], f"{a}{'+' if i.name == 'add' else '-'}{b}", kept)


def multiply(e: Emitter, i) -> None:
    """mul and mad in their .lo, .hi and .wide forms."""
    opcode = i.opcode
    flags = opcode.flags
    code = code_of(opcode.types[-1])
    target = i.operands[0]
    linear = _linear(e, i)
    if "cc" in flags:
        add_with_carry(e, i)
        return
    if "wide" in flags:
        wide = WIDER[code]
        kept = stored(wide)
        if linear:
            a, b = (e.value(o, code, affine=True) for o in i.operands[1:3])
            product = f"affine_mul_wide({a},{b},{wide},L)"
            if i.name == "mad":
                product = e.cast_affine(product, wide, kept)
                product = f"affine_add({product},{e.value(i.operands[3], kept, affine=True)},L)"
                e.assign(target, product, kept)
            else:
                e.assign(target, product, wide)
            return
        a, b = (e.value(o, code) for o in i.operands[1:3])
        product = f"({a}).astype({wide})*({b}).astype({wide})"
        if i.name == "mad":
            product = f"{product}+{e.value(i.operands[3], wide)}"
        e.assign(target, product, wide)
        return
    if "hi" in flags:
        a, b = (e.value(o, code) for o in i.operands[1:3])
        product = f"high_product({a},{b})"
        if i.name == "mad":
            adder = "add_saturated" if "sat" in flags else ""
            c = e.value(i.operands[3], code)
            product = f"{adder}({product},{c})" if adder else f"{product}+{c}"
        e.assign(target, product, code)
        return
    kept = stored(code)
    if linear:
        a, b = (e.value(o, kept, affine=True) for o in i.operands[1:3])
        product = f"affine_mul({a},{b},L)"
        if i.name == "mad":
            product = f"affine_add({product},{e.value(i.operands[3], kept, affine=True)},L)"
    else:
        a, b = (e.value(o, kept) for o in i.operands[1:3])
        product = f"{a}*{b}"
        if i.name == "mad":
            product = f"{product}+{e.value(i.operands[3], kept)}"
    e.assign(target, product, kept)


def divide(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    a, b = (e.value(o, code) for o in i.operands[1:3])
    e.assign(i.operands[0], f"quotient({a},{b})", code)


@handles("rem")
def divide_for_remainder(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    a, b = (e.value(o, code) for o in i.operands[1:3])
    e.assign(i.operands[0], f"remainder({a},{b})", code)


def min_max(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    a, b = (e.value(o, code) for o in i.operands[1:3])
    expression = f"np.{i.name}imum({a},{b})"
    if "relu" in i.opcode.flags:
        expression = f"np.maximum({expression},{e.constant(0, code)})"
    e.assign(i.operands[0], expression, code)


def negate(e: Emitter, i) -> None:
    kept = stored(code_of(i.opcode.types[-1]))
    e.assign(i.operands[0], f"-{e.value(i.operands[1], kept)}", kept)


def absolute(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    e.assign(i.operands[0], f"abs({e.value(i.operands[1], code)})", code)


_INTEGER = {
    "add": add_sub, "sub": add_sub, "mul": multiply, "mad": multiply, "div": divide,
    "min": min_max, "max": min_max, "neg": negate, "abs": absolute,
}  # fmt: skip


@handles("mul24", "mad24")
def multiply24(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    a, b = (f"low24({e.value(o, code)}).astype({WIDER[code]})" for o in i.operands[1:3])
    product = f"({a}*{b})"
    if "hi" in i.opcode.flags:
        product = f"({product}>>{e.constant(16, WIDER[code])})"
    product = f"{product}.astype({code})"
    if i.name == "mad24":
        product = f"{product}+{e.value(i.operands[3], code)}"
    e.assign(i.operands[0], product, code)


@handles("addc", "subc", "madc")
def add_with_carry(e: Emitter, i) -> None:
    """Additions that read or write the carry flag (kept in a register of its own)."""
    code = unsigned(code_of(i.opcode.types[-1]))
    base = i.name.removesuffix("c") if i.name != "sub" else "sub"
    carry_in = e.name("%cc") if i.name in ("addc", "subc", "madc") else e.constant(False, "b1")
    a, b = (e.value(o, code) for o in i.operands[1:3])
    if base == "mad":
        typed = code_of(i.opcode.types[-1])
        x, y = (e.value(o, typed) for o in i.operands[1:3])
        if "hi" in i.opcode.flags:
            product = e.cast(f"high_product({x},{y})", typed, code)
        else:
            product = f"({a}*{b})"
        a, b = product, e.value(i.operands[3], code)
        base = "add"
    result = e.temporary()
    carry = e.name("%cc") if "cc" in i.opcode.flags else "_"
    e.line(f"{result},{carry}={base}_carry({a},{b},{carry_in})")
    e.assign(i.operands[0], result, code)


@handles("sad")
def sum_absolute_difference(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    a, b, c = (e.value(o, code) for o in i.operands[1:4])
    e.assign(i.operands[0], f"np.maximum({a},{b})-np.minimum({a},{b})+{c}", code)


@handles("dp4a", "dp2a")
def dot_product(e: Emitter, i) -> None:
    first, second = i.opcode.types[-2:]
    result = "i4" if "s32" in (first, second) else "u4"
    a = e.value(i.operands[1], code_of(first))
    b = e.value(i.operands[2], code_of(second))
    c = e.value(i.operands[3], result)
    if i.name == "dp4a":
        e.assign(i.operands[0], f"dot4({a},{b},{c})", result)
    else:
        high = "hi" in i.opcode.flags
        e.assign(i.operands[0], f"dot2({a},{b},{c},{high})", result)


@handles("vabsdiff2", "vabsdiff4", "vadd2", "vadd4", "vsub2", "vsub4", "vavrg2", "vavrg4",
         "vmin2", "vmin4", "vmax2", "vmax4")  # fmt: skip
def simd_video(e: Emitter, i) -> None:
    """Packed 8- and 16-bit arithmetic; only the full, unselected form that headers use."""
    types = i.opcode.types
    if len(i.operands) < 4:
        raise UnsupportedForm("operands")
    bits = 8 if i.name.endswith("4") else 16
    signs = [t[0] for t in types[-3:]]
    a, b, c = (e.value(o, "u4") for o in i.operands[1:4])
    flags = i.opcode.flags
    e.assign(
        i.operands[0],
        f"packed_video({i.name[1:-1]!r},{a},{b},{c},{bits},{''.join(signs)!r},"
        f"{'sat' in flags},{'add' in flags})",
        "u4",
    )


# ------------------------------------------------------------------ at run time


@runtime
def quotient(a, b):
    """Division toward zero; by zero it gives all ones, as hardware does."""
    code = a.dtype.str[1:]
    zero = b == 0
    any_zero = np.any(zero)
    if any_zero:
        b = np.where(zero, b.dtype.type(1), b)
    if code[0] == "u":
        q = a // b
    elif code == "i8":
        q = (a - np.fmod(a, b)) // b
    else:
        q = (np.asarray(a, f8) / b).astype(i8).astype(a.dtype)
    if any_zero:
        q = np.where(zero, a.dtype.type(-1 if code[0] == "i" else np.iinfo(a.dtype).max), q)
    return q[()]


@runtime
def remainder(a, b):
    """What ``quotient`` leaves; by zero it is all ones, as on hardware."""
    zero = b == 0
    if np.any(zero):
        ones = ~b.dtype.type(0)
        return np.where(zero, ones, np.fmod(a, np.where(zero, b.dtype.type(1), b)))[()]
    return np.fmod(a, b)


@runtime
def add_saturated(a, b):
    total = a.astype(i8) + b.astype(i8)
    return np.clip(total, -(2**31), 2**31 - 1).astype(np.int32)


@runtime
def sub_saturated(a, b):
    total = a.astype(i8) - b.astype(i8)
    return np.clip(total, -(2**31), 2**31 - 1).astype(np.int32)


@runtime
def low24(x):
    eight = x.dtype.type(8)
    return (x << eight) >> eight


@runtime
def high_product(a, b):
    """The upper half of a product."""
    code = a.dtype.str[1:]
    if SIZES[code] < 8:
        wide = np.dtype(WIDER[code])
        product = a.astype(wide) * b.astype(wide)
        return (product >> wide.type(8 * SIZES[code])).astype(a.dtype)
    x, y = a.view(u8), b.view(u8)
    mask, half_width = u8(0xFFFFFFFF), u8(32)
    x_low, x_high, y_low, y_high = x & mask, x >> half_width, y & mask, y >> half_width
    first = x_high * y_low + ((x_low * y_low) >> half_width)
    second = x_low * y_high + (first & mask)
    high = x_high * y_high + (first >> half_width) + (second >> half_width)
    if code == "i8":
        high = high - np.where(a < 0, y, u8(0)) - np.where(b < 0, x, u8(0))
        high = high.view(i8)
    return high


@runtime
def add_carry(a, b, carry):
    total = a + b
    out = total < a
    total = total + carry.astype(total.dtype)
    return total, out | (carry & (total == 0))


@runtime
def sub_carry(a, b, borrow):
    difference = a - b - borrow.astype(a.dtype)
    return difference, (a < b) | (borrow & (a == b))


def _lane_bytes(x):
    kind = np.int8 if x.dtype.kind == "i" else np.uint8
    return np.ascontiguousarray(np.atleast_1d(x)).view(kind).reshape(-1, 4).astype(np.int64)


@runtime
def dot4(a, b, c):
    total = (_lane_bytes(a) * _lane_bytes(b)).sum(axis=1) + np.asarray(c).astype(i8)
    result = (total & 0xFFFFFFFF).astype(u4).view(c.dtype)
    return result if any(type(v) is nd for v in (a, b, c)) else result[0]


@runtime
def dot2(a, b, c, high: bool):
    kind = np.int16 if a.dtype.kind == "i" else np.uint16
    halves = np.ascontiguousarray(np.atleast_1d(a)).view(kind).reshape(-1, 2).astype(i8)
    others = _lane_bytes(b)[:, 2:] if high else _lane_bytes(b)[:, :2]
    total = (halves * others).sum(axis=1) + np.asarray(c).astype(i8)
    result = (total & 0xFFFFFFFF).astype(u4).view(c.dtype)
    return result if any(type(v) is nd for v in (a, b, c)) else result[0]


@runtime
def packed_video(op: str, a, b, c, bits: int, signs: str, saturate: bool, accumulate: bool):
    result = np.zeros(np.broadcast(a, b, c).shape, i8)
    total = np.asarray(c).astype(i8) + result
    for shift in range(0, 32, bits):
        x, y = ((np.asarray(v) >> u4(shift)) & u4((1 << bits) - 1) for v in (a, b))
        x, y = (
            (v.astype(i8) ^ (1 << bits - 1)) - (1 << bits - 1) if s == "s" else v.astype(i8)
            for v, s in ((x, signs[1]), (y, signs[2]))
        )
        z = {
            "absdiff": lambda x=x, y=y: np.abs(x - y),
            "add": lambda x=x, y=y: x + y,
            "sub": lambda x=x, y=y: x - y,
            "avrg": lambda x=x, y=y: (x + y + (x + y >= 0)) >> 1,  # halves away from zero
            "min": lambda x=x, y=y: np.minimum(x, y),
            "max": lambda x=x, y=y: np.maximum(x, y),
        }[op]()
        if saturate:
            low = -(1 << bits - 1) if signs[0] == "s" else 0
            high = (1 << bits - 1) - 1 if signs[0] == "s" else (1 << bits) - 1
            z = np.clip(z, low, high)
        if accumulate:
            total += z
        else:
            result |= (z & ((1 << bits) - 1)) << shift
    return ((total if accumulate else result) & 0xFFFFFFFF).astype(u4)[()]
