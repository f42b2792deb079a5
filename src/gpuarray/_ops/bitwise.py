"""Bit-wise operations on integers and bools."""

from __future__ import annotations

from gpuarray._ufunc import create

__all__ = [
    "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "invert", "left_shift", "right_shift",
]  # fmt: skip

bitwise_and = create("bitwise_and")
bitwise_or = create("bitwise_or")
bitwise_xor = create("bitwise_xor")
invert = create("invert")
left_shift = create("left_shift")
right_shift = create("right_shift")
bitwise_count = create("bitwise_count")
bitwise_not = bitwise_invert = invert
bitwise_left_shift, bitwise_right_shift = left_shift, right_shift
