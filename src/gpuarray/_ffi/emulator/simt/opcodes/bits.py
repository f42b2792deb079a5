"""Bits of integers: counting, finding, fields (PTX ISA, "Integer Arithmetic Instructions")."""

from __future__ import annotations

import numpy as np

from ..emitter import Emitter
from ..registry import handles, runtime
from ..types import code_of, unsigned

nd = np.ndarray
u4, u8, i8, f8 = np.uint32, np.uint64, np.int64, np.float64


@handles("popc")
def population_count(e: Emitter, i) -> None:
    code = unsigned(code_of(i.opcode.types[-1]))
    e.assign(i.operands[0], f"np.bitwise_count({e.value(i.operands[1], code)}).astype(u4)", "u4")


@handles("clz", "brev")
def count_or_reverse(e: Emitter, i) -> None:
    code = unsigned(code_of(i.opcode.types[-1]))
    value = e.value(i.operands[1], code)
    if i.name == "clz":
        e.assign(i.operands[0], f"leading_zeros({value})", "u4")
    else:
        e.assign(i.operands[0], f"reversed_bits({value})", code)


@handles("bfind")
def find_bit(e: Emitter, i) -> None:
    value = e.value(i.operands[1], code_of(i.opcode.types[-1]))
    shift = "shiftamt" in i.opcode.flags
    e.assign(i.operands[0], f"highest_bit({value},{shift})", "u4")


@handles("fns")
def find_nth_set(e: Emitter, i) -> None:
    mask, base, offset = (
        e.value(o, c) for o, c in zip(i.operands[1:4], ("u4", "u4", "i4"), strict=True)
    )
    e.assign(i.operands[0], f"nth_set_bit(L,{mask},{base},{offset})", "u4")


@handles("bfe")
def extract_field(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    value = e.value(i.operands[1], code)
    start, length = (e.value(o, "u4") for o in i.operands[2:4])
    e.assign(i.operands[0], f"bit_field({value},{start},{length})", code)


@handles("bfi")
def insert_field(e: Emitter, i) -> None:
    code = unsigned(code_of(i.opcode.types[-1]))
    field, into = (e.value(o, code) for o in i.operands[1:3])
    start, length = (e.value(o, "u4") for o in i.operands[3:5])
    e.assign(i.operands[0], f"bit_field_inserted({field},{into},{start},{length})", code)


@handles("bmsk")
def bit_mask(e: Emitter, i) -> None:
    start, length = (e.value(o, "u4") for o in i.operands[1:3])
    wrap = "wrap" in i.opcode.flags
    e.assign(i.operands[0], f"mask_of_bits({start},{length},{wrap})", "u4")


@handles("szext")
def sign_or_zero_extend(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    value, width = e.value(i.operands[1], code), e.value(i.operands[2], "u4")
    if "wrap" in i.opcode.flags:
        width = f"({width}&{e.constant(31, 'u4')})"
    else:
        width = f"np.minimum({width},{e.constant(32, 'u4')})"
    e.assign(i.operands[0], f"bit_field({value},{e.constant(0, 'u4')},{width})", code)


# ------------------------------------------------------------------ at run time


@runtime
def leading_zeros(x):
    if x.dtype.itemsize == 4:
        return u4(32) - np.frexp(x.astype(f8))[1].astype(u4)
    high, low = (x >> u8(32)).astype(u4), x.astype(u4)
    return np.where(high != 0, leading_zeros(high), u4(32) + leading_zeros(low))[()]


_SWAPS = (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x00FF00FF00FF00FF,
          0x0000FFFF0000FFFF, 0x00000000FFFFFFFF)  # fmt: skip


@runtime
def reversed_bits(x):
    width = 8 * x.dtype.itemsize
    scalar = x.dtype.type
    for k, swap in enumerate(_SWAPS):
        distance = 1 << k
        if distance == width:
            break
        mask = scalar(swap & ((1 << width) - 1))
        x = ((x >> scalar(distance)) & mask) | ((x & mask) << scalar(distance))
    return x


@runtime
def highest_bit(x, as_shift: bool):
    """Position of the highest bit that differs from the sign; all ones if there is none."""
    width = 8 * x.dtype.itemsize
    if x.dtype.kind == "i":
        x = np.where(x < 0, ~x, x)[()].view(unsigned(x.dtype.str[1:]))
    zeros = leading_zeros(x)
    return np.where(x == 0, u4(0xFFFFFFFF), zeros if as_shift else u4(width - 1) - zeros)[()]


@runtime
def nth_set_bit(L, mask, base, offset):
    masks, bases, offsets = (L.filled(v) for v in (mask, base, offset))
    out = np.full(L.n, 0xFFFFFFFF, u4)
    for k, (m, b, n) in enumerate(
        zip(masks.tolist(), bases.tolist(), offsets.tolist(), strict=True)
    ):
        if n == 0:
            if m >> b & 1:
                out[k] = b
            continue
        step = 1 if n > 0 else -1
        position, left = b, abs(n)
        while 0 <= position < 32:
            if m >> position & 1:
                left -= 1
                if left == 0:
                    out[k] = position
                    break
            position += step
    return out


def _low_mask(bits, scalar):
    """Ones in the low ``bits`` (an array of 0 to the width)."""
    width = 8 * scalar(0).nbytes
    ones = scalar((1 << width) - 1)
    return np.where(bits > 0, ones >> (width - np.maximum(bits, 1)).astype(scalar), scalar(0))


def _field_number(x, width: int):
    """A position or length: 32-bit fields look at its low byte, 64-bit ones at all of it."""
    return x & u4(255) if width == 32 else np.minimum(x, u4(255))


@runtime
def bit_field(x, start, length):
    """bfe: bits beyond the value's end are copies of its sign (zeros if unsigned)."""
    width = 8 * x.dtype.itemsize
    bits = x.view(unsigned(x.dtype.str[1:]))
    scalar = bits.dtype.type
    start, length = (_field_number(v, width).astype(i8) for v in (start, length))
    shift = np.minimum(start, width - 1).astype(bits.dtype)
    field = np.where(start < width, bits >> shift, scalar(0))
    keep = _low_mask(np.minimum(length, np.maximum(width - start, 0)), scalar)
    field = field & keep
    if x.dtype.kind == "i":
        sign_at = np.clip(start + length - 1, 0, width - 1).astype(bits.dtype)
        negative = ((bits >> sign_at) & scalar(1)).astype(bool) & (length > 0)
        field = np.where(negative, field | ~keep, field)
    return field.astype(bits.dtype).view(x.dtype)[()]


@runtime
def bit_field_inserted(field, into, start, length):
    width = 8 * into.dtype.itemsize
    scalar = into.dtype.type
    start, length = (_field_number(v, width) for v in (start, length))
    ones = scalar((1 << width) - 1)
    clipped = np.minimum(length, u4(width - 1)).astype(into.dtype)
    mask = np.where(length >= width, ones, (scalar(1) << clipped) - scalar(1))
    shift = np.minimum(start, u4(width - 1)).astype(into.dtype)
    inside = start < width
    mask = np.where(inside, mask << shift, scalar(0))
    return ((into & ~mask) | ((field << shift) & mask))[()]


@runtime
def mask_of_bits(start, length, wrap: bool):
    if wrap:
        start, length = start & u4(31), length & u4(31)
    start, length = start.astype(u8), length.astype(u8)
    ones = (u8(1) << np.minimum(length, u8(32))) - u8(1)
    return np.where(start < 32, ones << np.minimum(start, u8(32)), u8(0)).astype(u4)[()]
