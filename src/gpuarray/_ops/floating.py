"""Floating point routines: sign bits, neighbours, mantissas and exponents."""

from __future__ import annotations

from gpuarray._ufunc import create

__all__ = ["copysign", "frexp", "ldexp", "nextafter", "signbit", "spacing"]

signbit = create("signbit")
copysign = create("copysign")
nextafter = create("nextafter")
spacing = create("spacing")
ldexp = create("ldexp")
frexp = create("frexp", 2)
