"""Floating point routines: sign bits, neighbours, mantissas and exponents."""

from __future__ import annotations

from gpuarray._ufunc import create

__all__ = ["copysign", "frexp", "ldexp", "nextafter", "signbit", "spacing"]

signbit = create("signbit", "Whether the sign bit is set, also of -0.0 and NaN.", [-1.0, 0.0])
copysign = create("copysign", "First operand with the sign of the second.", [1.0, 2.0], -1.0)
nextafter = create("nextafter", "The next float towards the second operand.", [1.0], [2.0])
spacing = create("spacing", "Distance to the next float away from zero.", [1.0, 1e10])
ldexp = create("ldexp", "x1 times 2 to the power of x2.", [1.0, 3.0], [4, -1])
frexp = create("frexp", "Mantissa in [0.5, 1) and exponent of 2.", [8.0, 0.75])
