"""What the docstrings of Fourier transforms have in common; see `_namespace.shared_texts`."""

from __future__ import annotations

__all__ = ["TEXTS"]

#: Paragraphs by name. Those that begin with ``numpy_`` are NumPy's, where SciPy's differ.
TEXTS = {
    "norm": """
norm : {'backward', 'ortho', 'forward'}, optional
    Which direction is divided by the number of points: the inverse one, as by default, both by
    its square root, or the forward one.
""",
    "overwrite_x": """
overwrite_x : bool, optional
    Whether the operand may be overwritten; it is not.
""",
    "workers": """
workers : int, optional
    Ignored: threads of the host compute nothing.
""",
    "axis": """
axis : int, optional
    The axis along which it is transformed.
""",
    "plan": """
plan : Plan1d or PlanNd, optional
    A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.
""",
    "plan_of_axes": """
plan : Plan1d or PlanNd, optional
    A plan of `get_fft_plan`.
""",
    "plan_of_axis": """
plan : Plan1d, optional
    A plan of `get_fft_plan`.
""",
    "axes": """
axes : int or sequence of int, optional
    The axes along which it is transformed.
""",
    "all_axes": """
axes : int or sequence of int, optional
    The axes along which it is transformed; all by default.
""",
    "numpy_axes": """
axes : sequence of int, optional
    The axes along which it is transformed: all of them by default, or the last ones if there
    is `s`.
""",
    "two_axes": """
axes : sequence of int, optional
    The axes along which it is transformed, the last two by default.
""",
    "out": """
out : ndarray, optional
    Where the result is stored.
""",
    "x": """
x : ndarray
    Numbers.
""",
    "x_of_parts": """
x : ndarray
    Numbers; of complex ones both parts are transformed.
""",
    "real_x": """
x : ndarray
    Real numbers.
""",
    "half_x": """
x : ndarray
    The first half of a Hermitian spectrum.
""",
    "a": """
a : ndarray
    Numbers. Halves are computed in single precision.
""",
    "real_a": """
a : ndarray
    Real numbers. Halves are computed in single precision.
""",
    "half_a": """
a : ndarray
    The first half of a Hermitian spectrum. The imaginary parts at frequency 0, and for an even
    `n` at half of the points, are ignored.
""",
    "numpy_n": """
n : int, optional
    How many points are transformed: the array is cut, or filled with zeros behind its
    elements. By default as many as there are.
""",
    "n": """
n : int, optional
    How many points are transformed: the array is cut, or filled with zeros. By default as many
    as there are.
""",
    "cut_n": """
n : int, optional
    How many points are transformed: the array is cut, or filled with zeros.
""",
    "numpy_s": """
s : sequence of int, optional
    For each axis how many points are transformed: the array is cut, or filled with zeros
    behind its elements. By default, and for -1, as many as there are.
""",
    "s": """
s : int or sequence of int, optional
    For each axis how many points are transformed: the array is cut, or filled with zeros. By
    default, and for -1, as many as there are.
""",
    "cut_s": """
s : int or sequence of int, optional
    For each axis how many points are transformed: the array is cut, or filled with zeros.
""",
    "result_s": """
s : int or sequence of int, optional
    For each axis how many points the result has; ``2 * (m - 1)`` of the last one by default,
    where the operand has m.
""",
    "shape": """
shape : int or sequence of int, optional
    For each axis how many points are transformed: the array is cut, or filled with zeros.
""",
    "orthogonalize": """
orthogonalize : bool, optional
    Whether the matrix is made orthogonal, up to a factor; by default for the norm 'ortho'.
""",
    "type": """
type : {1, 2, 3, 4}, optional
    The type of the transform.
""",
    "inverse_type": """
type : {1, 2, 3, 4}, optional
    The type of the transform whose inverse it is.
""",
    "complex_like_a": """
ndarray
    Complex64 for float16, float32 and complex64, complex128 otherwise; in the memory order of
    `a`.
""",
    "complex_result": """
ndarray
    Complex64 for float16, float32 and complex64, complex128 otherwise.
""",
    "like_x": """
ndarray
    Of the dtype of `x`; float32 of float16, float64 of integers and bools.
""",
    "real_result": """
ndarray
    Float32 for float16, float32 and complex64, float64 otherwise.
""",
    "numpy_real_result": """
ndarray
    Real: float16 for float16, float32 for float32 and complex64, float64 otherwise.
""",
    "half_result": """
ndarray
    The frequencies from 0 to half of the points along the last axis. Complex64 for float16 and
    float32, complex128 otherwise.
""",
    "complex_numbers": """
ndarray
    Complex numbers.
""",
    "numbers_only": """
TypeError
    If the elements are no numbers.
""",
    "reals_only": """
TypeError
    If the elements are no numbers, or are complex.
""",
    "no_transform_of_axes": """
ValueError
    If there is no point to transform, an axis comes twice, the norm is none of these, or the
    plan does not suit.
""",
    "no_transform_of_axes_out": """
ValueError
    If there is no point to transform, the norm is none of these, `s` and `axes` have other
    lengths, or `out` has another shape.
""",
    "out_of_axes": """
NumPy 2.4 stores what is between two axes in `out`, too: so it refuses arrays whose shape changes
on the way, or stores wrong numbers where lengths of 1 grow. Where no axis is transformed, it
returns the operand, and `out` is left as it was.
""",
    "no_transform_out": """
ValueError
    If there is no point to transform, the norm is none of these, or `out` has another shape.
""",
    "no_transform": """
ValueError
    If there is no point to transform, the norm is none of these, or the plan does not suit.
""",
    "no_such_transform": """
ValueError
    If there are too few points, or there is no such type or norm.
""",
    "no_points": """
ValueError
    If there is no point to transform, or the plan does not suit.
""",
    "cosine_notes": """
A transform of reals, or for type 4 of complex numbers, between two kernels: see
`gpuarray._libraries.cosine_transforms` for the sources.
""",
}
