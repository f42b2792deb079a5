"""What the docstrings of distributions have in common; see `_namespace.shared_texts`."""

from __future__ import annotations

__all__ = ["TEXTS"]

#: Paragraphs by name.
TEXTS = {
    "size": """
size : int or tuple of int, optional
    The result's shape.
""",
    "size_or_scalar": """
size : int or tuple of int, optional
    The result's shape; without dimensions by default.
""",
    "size_or_broadcast": """
size : int or tuple of int, optional
    The result's shape; that to which the parameters broadcast by default.
""",
    "size_of_parameters": """
size : int or tuple of int, optional
    The result's shape; by default that of the parameters.
""",
    "size_of_a": """
size : int or tuple of int, optional
    The result's shape; by default that of `a`.
""",
    "vectors": """
size : int or tuple of int, optional
    How many vectors.
""",
    "dtype": """
dtype : dtype, optional
    The result's dtype.
""",
    "float_dtype": """
dtype : dtype, optional
    float64 or float32.
""",
    "out": """
out : ndarray, optional
    Where the numbers are stored: contiguous, of the dtype, and of shape `size` if given.
""",
    "df": """
df : number or array_like
    Degrees of freedom, greater than 0.
""",
    "dfnum": """
dfnum, dfden : number or array_like
    Degrees of freedom of the numerator and of the denominator, greater than 0.
""",
    "p": """
p : number or array_like
    Probability of success, greater than 0 and at most 1.
""",
    "location_and_scale": """
loc, scale : number or array_like
    Location, and scale, not negative.
""",
    "mean": """
loc : float or array_like of float, optional
    The mean.
""",
    "of_dtype": """
ndarray
    Of the dtype.
""",
    "variates": """
ndarray
    Of the dtype, one variate an element.
""",
    "float_variates": """
ndarray
    float64, one variate an element.
""",
    "integer_variates": """
ndarray
    int64, one variate an element.
""",
    "inverse_variates": """
ndarray
    Of float64: the inverse of the distribution function at a uniform number.
""",
    "counts": """
ndarray
    int64, the counts along the last axis.
""",
    "range_or_nan": """
ValueError
    NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
    the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
    NaN.
""",
    "range_or_least": """
ValueError
    NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
    the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is 0
    or the least.
""",
    "negative_scale": """
ValueError
    If `scale` is negative; of a device array where `GPUARRAY_DEBUG` is set.
""",
    "other_numbers": """
The distribution is the same, the numbers are others: each element has one word of the bit
generator's stream, and Philox4x32-10 makes the bits of its variate of it.
""",
}
