"""Integers: divisions that round up, powers of two, how messages show them."""

from __future__ import annotations


def ceil_div(count: int, size: int) -> int:
    """How many groups of ``size`` hold ``count``: the quotient, rounded up."""
    return -(-count // size)


def round_up(count: int, multiple: int) -> int:
    """The smallest multiple of ``multiple`` that is not less than ``count``."""
    return -(-count // multiple) * multiple


def power_of_two_from(count: int) -> int:
    """The smallest power of two that is not less than ``count``; 1 for 0."""
    return 1 << max(count - 1, 0).bit_length()


def power_of_two_in(count: int) -> int:
    """The greatest power of two that divides ``count``; 1 for 0."""
    return count & -count or 1


def shortened(number: object) -> str:
    """A number for a message: Python refuses to print integers of thousands of digits."""
    if not isinstance(number, int) or number.bit_length() <= 128:
        return str(number)
    return f"about {'-' if number < 0 else ''}2**{number.bit_length()}"
