"""How far a result may be from NumPy's, for each function."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Tolerance(NamedTuple):
    """An allowed error: a sum of its parts."""

    #: In units in the last place of the expected element (of its magnitude, if it is complex).
    ulps: float = 0
    #: In units of the dtype's epsilon times the greatest magnitude among operands and results ...
    of_operands: float = 0
    #: ... raised to this power.
    power: int = 1
    #: Whether elements that are infinite or NaN need only agree in not being finite.
    loose_infinities: bool = False


EXACT = Tolerance()
#: Of CUDA's mathematics library; NumPy's own functions have errors of that size, too.
_LIBRARY = Tolerance(ulps=8)
#: The same with cancellation inside.
_CANCELLING = Tolerance(ulps=8, of_operands=4)

_LIBRARY_FUNCTIONS = [
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "arctan2",
    "cbrt",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "sin",
    "sinh",
    "tan",
    "tanh",
    "hypot",
    "power",
    "float_power",
    "hypot.reduce",
    "deg2rad",
    "degrees",
    "rad2deg",
    "radians",
]
_SUMS = [
    "sum",
    "add.reduce",
    "add.accumulate",
    "cumsum",
    "cumulative_sum",
    "nansum",
    "nancumsum",
    "mean",
    "nanmean",
    "average",
    "trapezoid",
    "interp",
    "convolve",
    "correlate",
    "gradient",
    "histogram",
    "histogram2d",
    "histogramdd",
    "bincount",
    "linspace",
    "arange",
    "median",
    "nanmedian",
    "quantile",
    "percentile",
    "nanquantile",
    "nanpercentile",
]
_PRODUCTS = [
    "prod",
    "multiply.reduce",
    "multiply.accumulate",
    "cumprod",
    "cumulative_prod",
    "nanprod",
    "nancumprod",
]

TOLERANCES: dict[str, Tolerance] = {
    **dict.fromkeys(_LIBRARY_FUNCTIONS, _LIBRARY),
    **dict.fromkeys(_SUMS, Tolerance(ulps=4, of_operands=8)),
    **dict.fromkeys(_PRODUCTS, Tolerance(ulps=16)),
    "logaddexp": _CANCELLING,
    "logaddexp2": _CANCELLING,
    "logaddexp.reduce": Tolerance(ulps=16, of_operands=16),
    "logaddexp2.reduce": Tolerance(ulps=16, of_operands=16),
    "logaddexp.accumulate": Tolerance(ulps=16, of_operands=16),
    "logaddexp2.accumulate": Tolerance(ulps=16, of_operands=16),
    "hypot.accumulate": Tolerance(ulps=16),
    # Squares of differences from a mean that is rounded.
    **dict.fromkeys(["var", "nanvar"], Tolerance(ulps=128, of_operands=32, power=2)),
    **dict.fromkeys(["std", "nanstd"], Tolerance(ulps=128, of_operands=32)),
    "pad": Tolerance(ulps=4, of_operands=8),  # means and ramps
    "methods of ufuncs": Tolerance(ulps=16, of_operands=16),
    "products": Tolerance(ulps=4, of_operands=8, power=2),
    "polynomials": Tolerance(ulps=16, of_operands=64, power=7),
    # Overlapping operations in place: cumulative errors of a few steps.
    "in place": Tolerance(ulps=4),
}
#: Complex functions are compositions of real ones, whose error is relative to the magnitude.
_COMPLEX = Tolerance(ulps=32, of_operands=8, loose_infinities=True)
_COMPLEX_ARITHMETIC = {
    "multiply", "divide", "square", "reciprocal", "absolute", "sqrt", "power", "float_power", "in place",
    "initial", "multiply.outer", "divide.outer", "sign",
}  # fmt: skip


#: exp(b log a) magnifies the error of b log a, in NumPy, too.
_COMPLEX_POWER = Tolerance(ulps=4096, of_operands=8, loose_infinities=True)


def tolerance_of(function: str, dtype: np.dtype) -> Tolerance:
    """The tolerance of a function's results of a dtype."""
    found = TOLERANCES.get(function)
    if dtype.kind == "c" and "power" in function:
        return _COMPLEX_POWER
    if dtype.kind == "c" and (
        function in _COMPLEX_ARITHMETIC or (found is not None and found.ulps == 8)
    ):
        return _COMPLEX
    if found is None:
        return EXACT
    if dtype.char == "e" and found.ulps == 8:
        return Tolerance(ulps=1)  # computed in float32
    return found


def within(
    actual: np.ndarray,
    expected: np.ndarray,
    tolerance: Tolerance,
    magnitude: float,
    epsilon: float = 0,
) -> np.ndarray:
    """Which elements are near enough.

    Parameters
    ----------
    actual, expected : ndarray
        Floats or complex numbers of one dtype.
    tolerance : Tolerance
        What is allowed.
    magnitude : float
        The greatest magnitude among operands.
    epsilon : float, optional
        That of the dtype of computations, where that is narrower than the result's.
    """
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    if not (tolerance.ulps or tolerance.of_operands):
        return same
    finite = np.isfinite(actual) & np.isfinite(expected)
    info = np.finfo(expected.dtype)
    wide = "c16" if expected.dtype.kind == "c" else "f8"
    with np.errstate(all="ignore"):
        spacing = np.spacing(np.abs(expected)).astype("f8")
        if epsilon > info.eps:
            spacing = spacing * (epsilon / float(info.eps))
        greatest = np.abs(expected[finite].astype(wide)).max(initial=magnitude)
        allowed = tolerance.ulps * spacing
        if tolerance.of_operands:
            allowed = (
                allowed
                + tolerance.of_operands * max(epsilon, float(info.eps)) * greatest**tolerance.power
            )
        near = np.abs(actual.astype(wide) - expected.astype(wide)) <= allowed
    near = same | (finite & near)
    if tolerance.loose_infinities:
        near |= ~np.isfinite(actual) & ~np.isfinite(expected)
        # Intermediate results overflow in one library, and a little later in the other.
        near |= ~finite & (np.abs(np.where(np.isfinite(actual), actual, expected)) > info.max / 16)
    return near
