"""Fused multiply-add in exact rational arithmetic, for the rare lanes that need it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

f8 = np.float64


def fma64_exact(a, b, c, result, where, mode: str = "rn"):
    """``result`` with a * b + c by exact rational arithmetic at ``where`` (rare, and slow)."""
    shape = np.shape(result)
    result = np.array(np.broadcast_to(result, np.shape(a)), f8).reshape(-1)
    flat = [np.asarray(v, f8).reshape(-1) for v in (a, b, c)]
    for k in np.flatnonzero(np.asarray(where).reshape(-1)).tolist():
        x, y, z = (float(v[k]) for v in flat)
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        if exact:
            result[k] = round_fraction(exact, mode)
        else:
            negative = np.signbit(x) != np.signbit(y)
            if (x == 0 or y == 0) and negative == np.signbit(z):
                result[k] = -0.0 if negative else 0.0
            else:
                result[k] = -0.0 if mode == "rm" else 0.0
    return result.reshape(shape)[()]


def round_fraction(x: Fraction, mode: str) -> float:
    """A non-zero rational as binary64, rounded in any direction."""
    sign = -1.0 if x < 0 else 1.0
    magnitude = abs(x)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    unit = max(exponent - 52, -1074)
    scaled = magnitude / Fraction(2) ** unit
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    away = {
        "rz": False,
        "rm": sign < 0 and rest != 0,
        "rp": sign > 0 and rest != 0,
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1),
    }[mode]
    whole += away
    if whole.bit_length() + unit > 1024:
        toward_finite = mode == "rz" or (mode == "rm" and sign > 0) or (mode == "rp" and sign < 0)
        return sign * (float(np.finfo(f8).max) if toward_finite else float("inf"))
    return sign * float(np.ldexp(float(whole), unit))
