"""Matrix and vector products."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import multiply
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find
from gpuarray._runtime.stream import Stream
from gpuarray._ufunc import create_generalized
from gpuarray._ufunc.matrix_products import product_call, with_copies
from gpuarray.errors import HostArrayError
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.reduction.products import sum_of_products_call

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["dot", "inner", "matmul", "matvec", "vdot", "vecdot", "vecmat"]

_OPTIONS = """out : ndarray, optional
    Where results are stored.
axes : list of tuple of int, optional
    The axes of both operands and of the result that are core dimensions; the last ones by
    default.
{axis}casting : {{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}}, optional
    Which casts of inputs and outputs are allowed.
order : {{'K', 'C', 'F', 'A'}}, optional
    Memory order of new outputs.
dtype : dtype, optional
    The dtype to compute in.
subok : bool, optional
    Ignored: there are no subclasses.
signature : str or tuple of dtype, optional
    The dtypes of the loop's inputs and outputs, such as ``'ff->f'``.
"""
_AXIS = """axis : int, optional
    The axis that vectors lie along, of both operands.
keepdims : bool, optional
    Keep it in the result with length 1.
"""
_NO_AXIS = """axis, keepdims : optional
    Refused, as NumPy refuses them where there is more than one core dimension.
"""
_DIFFERENCES = """Differences from NumPy
----------------------
Host arrays are refused with a TypeError; a result without dimensions is an array."""


def _documentation(
    call: str,
    summary: str,
    operands: str,
    result: str,
    notes: str,
    example: str,
    axis: str = _NO_AXIS,
) -> str:
    """The documentation of a generalized ufunc."""
    return (
        f"{call}(x1, x2, /, out=None, *, axes=<no value>, axis=<no value>, keepdims=False, "
        "casting='same_kind', order='K', dtype=None, subok=True, signature=None)\n\n"
        f"{summary}\n\nParameters\n----------\n{operands}\n{_OPTIONS.format(axis=axis)}\n"
        f"Returns\n-------\nndarray\n    {result}\n\n"
        "Raises\n------\nValueError\n    If core dimensions differ, or an operand lacks one.\n\n"
        f"{_DIFFERENCES}\n\nNotes\n-----\n{notes}\n\nExamples\n--------\n"
        f">>> import gpuarray as cp\n{example}"
    )


matmul = create_generalized(
    "matmul",
    "(n?,k),(k,m?)->(n?,m?)",
    _documentation(
        "matmul",
        "Matrix products, as of the operator ``@``.",
        "x1, x2 : ndarray\n"
        "    Matrices, or stacks of matrices, which broadcast. An operand of one dimension is a\n"
        "    row on the left, a column on the right.",
        "Matrices without the dimensions of rows and columns that are missing.",
        "cuBLAS multiplies floating and complex numbers, in place where the elements of rows, or\n"
        "those of columns, lie behind one another, and copies of other operands. It is not called\n"
        "for small matrices, integers, bools, and products of two vectors, which kernels of our\n"
        "own multiply. Halves are summed in float32. `gpuarray.cuda.set_matmul_precision` allows\n"
        "less than float32. The same operands give the same bits each time.\n\n"
        "Of bfloat16 the result is float32, as NumPy promotes it; `dot` has bfloat16.",
        ">>> a = cp.arange(6).reshape(2, 3)\n"
        ">>> cp.matmul(a, a.T)\n"
        "array([[ 5, 14],\n"
        "       [14, 50]])",
    ),
)

vecdot = create_generalized(
    "vecdot",
    "(n),(n)->()",
    _documentation(
        "vecdot",
        "Dot products of vectors, the first of which is conjugated.",
        "x1, x2 : ndarray\n    Vectors along the last axis; the other axes broadcast.",
        "A number for each pair of vectors.",
        "One launch.",
        ">>> cp.vecdot(cp.array([[1, 2], [3, 4]]), cp.array([10, 1]))\narray([12, 34])",
        _AXIS,
    ),
    conjugated="a",
)

matvec = create_generalized(
    "matvec",
    "(m,n),(n)->(m)",
    _documentation(
        "matvec",
        "Products of matrices and vectors.",
        "x1 : ndarray\n    Matrices.\nx2 : ndarray\n    Vectors, with as many elements as matrices "
        "have columns; the other axes\n    broadcast.",
        "Vectors.",
        "As of `matmul`.",
        ">>> cp.matvec(cp.array([[1, 2], [3, 4]]), cp.array([10, 1]))\narray([12, 34])",
    ),
)

vecmat = create_generalized(
    "vecmat",
    "(n),(n,m)->(m)",
    _documentation(
        "vecmat",
        "Products of vectors, which are conjugated, and matrices.",
        "x1 : ndarray\n    Vectors.\nx2 : ndarray\n    Matrices with as many rows as vectors have "
        "elements; the other axes\n    broadcast.",
        "Vectors.",
        "As of `matmul`.",
        ">>> cp.vecmat(cp.array([10, 1]), cp.array([[1, 2], [3, 4]]))\narray([13, 24])",
    ),
    conjugated="a",
)


def multiply_in_place(a: Any, b: Any) -> Any:
    """``a @= b``."""
    if not isinstance(b, _array.ArrayBase):
        b = as_array(b, "matmul")
    if not a._layout.ndim or b._layout.ndim < 2:
        raise ValueError(
            "inplace matrix multiplication requires the first operand to have at least one and "
            f"the second at least two dimensions, got {a._layout.ndim} and {b._layout.ndim}."
        )
    return matmul(a, b, out=a)


def dot(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """The dot product of two arrays.

    Of vectors it is the sum of their products, of matrices the matrix product, of arrays of more
    dimensions the sum of products along the last axis of the first and the last but one of the
    second (of a vector its only one). A number is multiplied with each element.

    Parameters
    ----------
    a, b : array_like
        The operands.
    out : ndarray, optional
        Where results are stored: C-contiguous, of the shape and dtype that the result has.

    Returns
    -------
    ndarray
        Of shape ``a.shape[:-1] + b.shape[:-2] + b.shape[-1:]``.

    Raises
    ------
    ValueError
        If the axes differ in length, or ``out`` is another array than the result would be.

    See Also
    --------
    matmul : Broadcasts stacks of matrices.

    Differences from NumPy
    ----------------------
    Differences of times keep their unit, and are not multiplied with one another.

    Notes
    -----
    As of `matmul`. The dtype is what both promote to; numbers of Python's count as arrays.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.dot(cp.array([1, 2, 3]), cp.array([1, 10, 100]))
    array(321)
    """
    cls = _array.array_class
    if out is None and type(a) is cls and type(b) is cls:
        key = dot, a._layout, b._layout  # type: ignore[union-attr]  # both are of our class
        run = current.stream.plans.get(key)
        if run is not None:
            return run(a, b)
    return _contract("dot", dot, _plan_dot, a, b, out)


def inner(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """The sums of products along the last axes of two arrays.

    Parameters
    ----------
    a, b : array_like
        The operands. A number is multiplied with each element.

    Returns
    -------
    ndarray
        Of shape ``a.shape[:-1] + b.shape[:-1]``.

    Raises
    ------
    ValueError
        If the last axes differ in length.

    Notes
    -----
    As of `matmul`. Nothing is conjugated.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.inner(cp.array([[1, 2], [3, 4]]), cp.array([10, 1]))
    array([12, 34])
    """
    cls = _array.array_class
    if type(a) is cls and type(b) is cls:
        key = inner, a._layout, b._layout  # type: ignore[union-attr]  # as in dot
        run = current.stream.plans.get(key)
        if run is not None:
            return run(a, b)
    return _contract("inner", inner, _plan_inner, a, b)


def vdot(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """The dot product of all elements of two arrays, the first of which is conjugated.

    Parameters
    ----------
    a, b : array_like
        The operands, which are flattened.

    Returns
    -------
    ndarray
        Without dimensions.

    Raises
    ------
    ValueError
        If they have different numbers of elements.

    Notes
    -----
    One launch, and one more for each operand that has another shape than the other one and is not
    C-contiguous.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.vdot(cp.array([1 + 2j, 3]), cp.array([1, 1j]))
    array(1.+1.j)
    """
    cls = _array.array_class
    if type(a) is cls and type(b) is cls:
        key = vdot, a._layout, b._layout  # type: ignore[union-attr]  # as in dot
        run = current.stream.plans.get(key)
        if run is not None:
            return run(a, b)
    return _contract("vdot", vdot, _plan_vdot, a, b)


def _contract(
    name: str,
    function: Any,
    plan: Callable[..., Callable[..., Any]],
    a: Any,
    b: Any,
    out: Any = None,
) -> Any:
    """Call what a function plans for two operands and perhaps an output."""
    if out is not None and not isinstance(out, _array.ArrayBase):
        if isinstance(out, np.ndarray):
            raise HostArrayError(
                f"{called_name(name)}: out is a numpy.ndarray of shape {out.shape}, but results "
                "are stored in device memory; pass a gpuarray array and fetch it with asnumpy"
            )
        raise TypeError(f"{called_name(name)}: 'out' must be an array, got {type(out).__name__}")
    operands = [as_array(x, name) for x in (a, b)]
    stream = current.stream
    layouts = [x._layout for x in operands]
    if out is None:
        run = find(stream, (function, *layouts), plan, *layouts, None, stream)
        return run(*operands)
    operands = [copies.copy(x) if _array.overlap(x, out) else x for x in operands]
    layouts = [x._layout for x in operands]
    run = find(stream, (function, *layouts, out._layout), plan, *layouts, out._layout, stream)
    run(*operands, out)
    return out


def _result_dtype(name: str, a: Layout, b: Layout) -> np.dtype:
    dtype = _dtypes.canonical(np.promote_types(a.dtype, b.dtype))
    if dtype.kind == "M" or a.dtype.kind == b.dtype.kind == "m" or _dtypes.is_raw(dtype):
        raise TypeError(
            f"{called_name(name)}: there are no products of {a.dtype} and {b.dtype}; multiply "
            "numbers, or differences of times with numbers"
        )
    return dtype


def _result_layout(
    name: str, dtype: np.dtype, shape: tuple[int, ...], out: Layout | None
) -> Layout:
    """The layout of a contraction's result, which an output that is given must have."""
    result = _layout.contiguous(dtype, shape)
    if out is None:
        return result
    if out.dtype != dtype or out.ndim != len(shape) or not out.c_contiguous:
        raise ValueError(
            f"{called_name(name)}: output array is not acceptable (must have the right datatype, "
            f"number of dimensions, and be a C-Array): it must have dtype {dtype} and "
            f"{len(shape)} dimensions, got {out.dtype} of shape {out.shape}"
        )
    if out.shape != shape:
        raise ValueError(
            f"{called_name(name)}: output array has wrong dimensions: {out.shape} instead of "
            f"{shape}"
        )
    _layout.check_writable(out, name)
    return result


def _plan_dot(a: Layout, b: Layout, out: Layout | None, stream: Stream) -> Callable[..., Any]:
    last = max(b.ndim - 2, 0)
    return _plan_contraction("dot", a, b, last, out, stream)


def _plan_inner(a: Layout, b: Layout, out: Layout | None, stream: Stream) -> Callable[..., Any]:
    return _plan_contraction("inner", a, b, b.ndim - 1, out, stream)


def _plan_contraction(
    name: str, a: Layout, b: Layout, axis: int, out: Layout | None, stream: Stream
) -> Callable[..., Any]:
    """The call that sums products along the last axis of one array and an axis of another."""
    dtype = _result_dtype(name, a, b)
    if not (a.ndim and b.ndim):
        shape = a.shape or b.shape
        _result_layout(name, dtype, shape, out)
        return lambda x, y, *given: multiply(x, y, *given)
    if a.shape[-1] != b.shape[axis]:
        raise ValueError(
            f"{called_name(name)}: shapes {_shown(a)} and {_shown(b)} not aligned: "
            f"{a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[axis]} (dim {axis})"
        )
    free = [i for i in range(b.ndim) if i != axis]
    shape = (*a.shape[:-1], *[b.shape[i] for i in free])
    result = _result_layout(name, dtype, shape, out)
    k = a.shape[-1]
    rows, columns = math.prod(a.shape[:-1]), math.prod([b.shape[i] for i in free])
    copy_a, left = _reshaped(a, (rows, k), stream)
    copy_b, right = _reshaped(_layout.transpose(b, [axis, *free]), (k, columns), stream)
    target = _layout.contiguous(dtype, (rows, columns))
    run = product_call(left, right, target, stream, out is not None, result)
    return with_copies(run, copy_a, copy_b)


def _shown(layout: Layout) -> str:
    return str(layout.shape).replace(" ", "")


def _reshaped(
    layout: Layout, shape: tuple[int, ...], stream: Stream
) -> tuple[Callable[..., Any] | None, Layout]:
    """The call that copies an operand where it has no view of a shape, and the view's layout."""
    found = _layout.reshape_view(layout, shape)
    if found is not None:
        return None, found
    copied = _layout.contiguous(layout.dtype, layout.shape)
    copy = elementwise.launch.copy_call(layout, copied, False, stream)
    return copy, _layout.contiguous(layout.dtype, shape)


def _plan_vdot(a: Layout, b: Layout, out: None, stream: Stream) -> Callable[..., Any]:
    dtype = _result_dtype("vdot", a, b)
    if a.size != b.size:
        raise ValueError(
            f"{called_name('vdot')}: cannot reshape array of size {b.size} into shape "
            f"({a.size},): the operands have shapes {a.shape} and {b.shape}"
        )
    target = _layout.contiguous(dtype, ())
    copy_a = copy_b = None
    if a.shape != b.shape or dtype.kind == "m":
        copy_a, a = _reshaped(a, (1, a.size), stream)
        copy_b, b = _reshaped(b, (b.size, 1), stream)
        product = _layout.contiguous(dtype, (1, 1))
        run = product_call(a, b, product, stream, False, target, "a")
        return with_copies(run, copy_a, copy_b)
    # The last operand is the one that is conjugated.
    axes = range(a.ndim)
    swapped = sum_of_products_call(stream, [b, a], axes, dtype, target, conjugate=True)
    return lambda x, y: swapped(y, x)
