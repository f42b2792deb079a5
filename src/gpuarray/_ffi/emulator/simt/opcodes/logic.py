"""Logic and shifts (PTX ISA, "Logic and Shift Instructions")."""

from __future__ import annotations

import numpy as np

from ...ptx.syntax import Immediate
from ..emitter import Emitter
from ..registry import handles, runtime
from ..types import SIZES, code_of, stored, unsigned

nd = np.ndarray
u4, u8 = np.uint32, np.uint64
_SYMBOLS = {"and": "&", "or": "|", "xor": "^"}


def _code(i) -> str:
    code = code_of(i.opcode.types[-1])
    return code if code == "b1" else stored(code)


@handles("and", "or", "xor")
def bitwise(e: Emitter, i) -> None:
    code = _code(i)
    a, b = (e.value(o, code) for o in i.operands[1:3])
    e.assign(i.operands[0], f"{a}{_SYMBOLS[i.name]}{b}", code)


@handles("not")
def complement(e: Emitter, i) -> None:
    code = _code(i)
    e.assign(i.operands[0], f"~{e.value(i.operands[1], code)}", code)


@handles("cnot")
def logical_not(e: Emitter, i) -> None:
    code = _code(i)
    value = e.value(i.operands[1], code)
    e.assign(i.operands[0], f"({value}=={e.constant(0, code)}).astype({code})", code)


@handles("lop3")
def three_input_logic(e: Emitter, i) -> None:
    operands = list(i.operands)
    combine = i.opcode.first_of("and", "or")
    guard = operands.pop() if combine else None
    a, b, c = (e.value(o, "u4") for o in operands[1:4])
    result = e.temporary()
    e.line(f"{result}=lookup3({a},{b},{c},{operands[4].value & 255})")
    target = operands[0]
    if combine:  # d|p: p also tells whether the result has any bit
        e.assign(target.first, result, "u4")
        test = f"({result}!={e.constant(0, 'u4')}){_SYMBOLS[combine]}{e.value(guard, 'b1')}"
        e.assign(target.second, test, "b1")
    else:
        e.assign(target, result, "u4")


@handles("shl", "shr")
def shift(e: Emitter, i) -> None:
    """Shifts by the width or more give zero (or the sign)."""
    type_ = i.opcode.types[-1]
    target, value, amount = i.operands
    code = code_of(type_)
    if i.name == "shl":
        code = stored(code)
    elif type_[0] == "b":
        code = unsigned(code)
    constant = type(amount) is Immediate and 0 <= amount.value < 8 * SIZES[code]
    if i.name == "shl" and constant and e.may_be_affine(target):
        e.assign(target, f"affine_shl({e.value(value, code, affine=True)},{amount.value},L)", code)
    elif constant:
        symbol = "<<" if i.name == "shl" else ">>"
        e.assign(target, f"{e.value(value, code)}{symbol}{e.constant(amount.value, code)}", code)
    else:
        function = "shifted_left" if i.name == "shl" else "shifted_right"
        e.assign(target, f"{function}({e.value(value, code)},{e.value(amount, 'u4')})", code)


@handles("shf")
def funnel_shift(e: Emitter, i) -> None:
    low, high, amount = (e.value(o, "u4") for o in i.operands[1:4])
    flags = i.opcode.flags
    e.assign(i.operands[0], f"funnel({low},{high},{amount},{'l' in flags},{'wrap' in flags})", "u4")


# ------------------------------------------------------------------ at run time


@runtime
def shifted_left(x, amount):
    width = 8 * x.dtype.itemsize
    scalar = x.dtype.type
    if type(amount) is not nd:
        return x << scalar(amount) if amount < width else x ^ x
    return np.where(amount < width, x << np.minimum(amount, width - 1).astype(scalar), scalar(0))


@runtime
def shifted_right(x, amount):
    width = 8 * x.dtype.itemsize
    scalar = x.dtype.type
    if type(amount) is not nd:
        if amount >= width:
            if x.dtype.kind == "u":
                return x ^ x
            amount = width - 1
        return x >> scalar(amount)
    shifted = x >> np.minimum(amount, width - 1).astype(scalar)
    return np.where(amount < width, shifted, scalar(0)) if x.dtype.kind == "u" else shifted


@runtime
def funnel(low, high, amount, left: bool, wrap: bool):
    amount = amount & u4(31) if wrap else np.minimum(amount, u4(32))
    both = (high.astype(u8) << u8(32)) | low.astype(u8)
    if left:
        # A shift by 64 is never asked for: the amount is at most 32.
        return ((both << amount.astype(u8)) >> u8(32)).astype(u4)
    return (both >> amount.astype(u8)).astype(u4)


@runtime
def lookup3(a, b, c, table: int):
    """Any function of three bits: bit ``4a + 2b + c`` of the table."""
    result = a & u4(0)
    for k in range(8):
        if table >> k & 1:
            term = (a if k & 4 else ~a) & (b if k & 2 else ~b)
            result = result | (term & (c if k & 1 else ~c))
    return result
