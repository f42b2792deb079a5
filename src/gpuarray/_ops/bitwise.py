"""Bit-wise operations on integers and bools."""

from __future__ import annotations

from gpuarray._ufunc import create

__all__ = [
    "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "invert", "left_shift", "right_shift",
]  # fmt: skip

bitwise_and = create("bitwise_and", "Bits set in both operands.", [12, 10], 6)
bitwise_or = create("bitwise_or", "Bits set in an operand.", [12, 10], 3)
bitwise_xor = create("bitwise_xor", "Bits set in exactly one operand.", [12, 10], 6)
invert = create("invert", "All bits flipped.", [0, 1, -3])
left_shift = create("left_shift", "Bits shifted to the left.", [1, 2, 3], 2)
right_shift = create("right_shift", "Bits shifted to the right.", [8, -8], 1)
bitwise_count = create("bitwise_count", "Number of bits set in the absolute value.", [7, -8])
bitwise_not = bitwise_invert = invert
bitwise_left_shift, bitwise_right_shift = left_shift, right_shift
