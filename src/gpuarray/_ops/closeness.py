"""Comparisons of whole arrays, and within tolerances (of the page on logic functions)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _broadcasting, _dtypes, _interchange, _layout, _memory_order
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops import logic, math, truth
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, reduction
from gpuarray.kernels.generator.expressions import (
    Apply,
    Expression,
    Input,
    Scalar,
    cast,
)
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]


def isclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> ndarray:
    """Whether elements are equal within a tolerance: ``abs(a - b) <= atol + rtol * abs(b)``.

    Parameters
    ----------
    a, b : ndarray
        What to compare; they broadcast.
    rtol : float or ndarray, optional
        The tolerance relative to `b`.
    atol : float or ndarray, optional
        The absolute tolerance.
    equal_nan : bool, optional
        Whether two NaNs are close.

    Returns
    -------
    ndarray of bool
        Infinities are close to themselves only.

    Notes
    -----
    One launch, which reads each element once.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.isclose(cp.array([1.0, 2.0, cp.inf]), cp.array([1.0 + 1e-9, 2.1, cp.inf]))
    array([ True, False,  True])
    """
    given = (a, b, rtol, atol)
    if type(equal_nan) is bool:
        # The key of a plan, as below: what has to be converted finds nothing under its type.
        found = [x._layout if isinstance(x, ArrayBase) else type(x) for x in given]
        run = current.stream.plans.get((isclose, *found, equal_nan))
        if run is not None:
            return run(a, b, rtol, atol)
    if _interchange.symbol_among(given) is not None:
        return _composed(given, bool(equal_nan))
    operands = [_operand(x, "isclose") for x in given]
    if not any(isinstance(x, ArrayBase) for x in operands):
        operands[0] = as_values(operands[0], "isclose")
    kinds = [x._layout if isinstance(x, ArrayBase) else type(x) for x in operands]
    stream = current.stream
    run = find(stream, (isclose, *kinds, bool(equal_nan)), _plan, operands, bool(equal_nan))
    return run(*operands)


def _operand(x: Any, name: str) -> Any:
    """An array, or a number whose type takes on the other operands'."""
    if isinstance(x, list | tuple):
        return as_values(x, name)
    return _interchange.as_operand(x, name)


def _composed(given: Sequence[Any], equal_nan: bool) -> Any:
    """The same by ufuncs, for symbols of fused functions."""
    a, b, rtol, atol = given
    if isinstance(b, int):
        b = float(b)
    elif b.dtype.kind not in "fc":
        b = b.astype(np.result_type(b.dtype, 1.0))
    close = math.absolute(a - b) <= atol + rtol * math.absolute(b)
    found = close & logic.isfinite(b) | logic.equal(a, b)
    return found | logic.isnan(a) & logic.isnan(b) if equal_nan else found


#: An expression, and what `resolve_dtypes` takes for it: a dtype, or Python's type of a number.
_Term = tuple[Expression, Any]


def _plan(operands: Sequence[Any], equal_nan: bool) -> Any:
    layouts, scalars, terms = _terms(operands, range(len(operands)))
    inputs = [x._layout if isinstance(x, ArrayBase) else scalars[i] for i, x in enumerate(operands)]
    shape = _broadcasting.broadcast_shapes([x.shape for x in layouts])
    target = _memory_order.like_order(np.dtype(bool), shape, layouts)
    found = _are_close(terms, equal_nan)
    return elementwise.launch.make_call(
        "isclose", [found], inputs, [target], [False], current.stream
    )


def _terms(
    operands: Sequence[Any], positions: Sequence[int]
) -> tuple[list[Layout], dict[int, np.dtype], list[_Term]]:
    """Operands as a kernel's inputs at some positions.

    Returns
    -------
    layouts : list of Layout
        Of the arrays.
    scalars : dict of int to dtype
        The dtypes of the numbers, by the operand's number.
    terms : list of (Expression, dtype)
        The operands.
    """
    layouts: list[Layout] = []
    scalars: dict[int, np.dtype] = {}
    terms: list[_Term] = []
    arrays = [x._layout.dtype for x in operands if isinstance(x, ArrayBase)]
    # Integers are compared as floats: the least of them has no absolute value of its own.
    common = _dtypes.canonical(np.result_type(*arrays[:2], 1.0))
    for i, x in enumerate(operands):
        if isinstance(x, ArrayBase):
            layouts.append(x._layout)
            code = _dtypes.code(x._layout.dtype)
            terms.append((Input(positions[i], code), x._layout.dtype))
        else:
            kind: Any = _interchange.WEAK.get(
                type(x), x.dtype if isinstance(x, np.generic) else None
            )
            weak = not isinstance(kind, np.dtype)
            scalars[i] = _dtypes.canonical(np.result_type(common, x)) if weak else kind
            terms.append((Scalar(positions[i], _dtypes.code(scalars[i])), scalars[i]))
    return layouts, scalars, terms


def _are_close(terms: Sequence[_Term], equal_nan: bool) -> Expression:
    a, b, rtol, atol = terms
    if b[1].kind not in "fc":
        b = _as(b, _dtypes.canonical(np.result_type(b[1], 1.0)))
    bound = _apply("add", atol, _apply("multiply", rtol, _apply("absolute", b)))
    within = _apply("less_equal", _apply("absolute", _apply("subtract", a, b)), bound)
    found = _apply("logical_and", within, _apply("isfinite", b))
    found = _apply("logical_or", found, _apply("equal", a, b))
    return _or_both_nan(found, a, b)[0] if equal_nan else found[0]


def _or_both_nan(found: _Term, a: _Term, b: _Term) -> _Term:
    both = _apply("logical_and", _apply("isnan", a), _apply("isnan", b))
    return _apply("logical_or", found, both)


def everywhere(
    name: str, mapped: Expression, layouts: Sequence[Layout], scalars: Sequence[np.dtype]
) -> Callable[..., ndarray]:
    """A call of one launch: whether a condition holds everywhere.

    It takes the arrays, which broadcast, and behind them the numbers.
    """
    shape = _broadcasting.broadcast_shapes([x.shape for x in layouts])
    op = reduction.launch.ReductionOp(
        name,
        mapped,
        reduction.tables.pairwise("logical_and", "b1"),
        reduction.tables.neutral("logical_and", "b1"),
        Input(reduction.functions.VALUE, "b1"),
        scalars=tuple([_dtypes.code(x) for x in scalars]),
    )
    return reduction.launch.make_call(
        op, [_broadcasting.broadcast_to(x, shape) for x in layouts], False, range(len(shape)),
        _layout.contiguous(np.dtype(bool), ()), False, current.stream,
    )  # fmt: skip


def _as(x: _Term, dtype: np.dtype) -> _Term:
    code = _dtypes.code(dtype)
    return cast(code, x[0]), dtype


def _apply(name: str, *terms: _Term) -> _Term:
    """A ufunc of terms, in the loop that NumPy chooses."""
    row = operation(name)
    loop = [_dtypes.canonical(x) for x in row.resolve_dtypes((*[x[1] for x in terms], None))]
    operands = tuple([_as(x, to)[0] for x, to in zip(terms, loop)])
    return Apply(row, operands, _dtypes.code(loop[-1])), loop[-1]


def allclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> ndarray:
    """Whether all elements are equal within a tolerance; see `isclose`.

    Parameters
    ----------
    a, b : ndarray
        What to compare; they broadcast.
    rtol : float or ndarray, optional
        The tolerance relative to `b`.
    atol : float or ndarray, optional
        The absolute tolerance.
    equal_nan : bool, optional
        Whether two NaNs are close.

    Returns
    -------
    ndarray of bool
        Without dimensions.

    Differences from NumPy
    ----------------------
    The result is an array, as CuPy's: ``bool()`` of it waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.linspace(0, 1, 5)
    >>> bool(cp.allclose(x * 3 / 3, x))
    True
    """
    given = (a, b, rtol, atol)
    if _interchange.symbol_among(given) is not None:
        return truth.all(isclose(a, b, rtol, atol, equal_nan))
    operands = [_operand(x, "allclose") for x in given]
    if not any(isinstance(x, ArrayBase) for x in operands):
        operands[0] = as_values(operands[0], "allclose")
    kinds = [x._layout if isinstance(x, ArrayBase) else type(x) for x in operands]
    key = (allclose, *kinds, bool(equal_nan))
    run, order = find(current.stream, key, _plan_all_close, operands, bool(equal_nan))
    return run(*[operands[i] for i in order])


def _plan_all_close(
    operands: Sequence[Any], equal_nan: bool
) -> tuple[Callable[..., ndarray], list[int]]:
    """The call, and the order in which it takes the operands: arrays, then numbers."""
    arrays = [isinstance(x, ArrayBase) for x in operands]
    order = sorted(range(len(operands)), key=lambda i: not arrays[i])
    layouts, scalars, terms = _terms(operands, [order.index(i) for i in range(len(operands))])
    dtypes = [scalars[i] for i in order if i in scalars]
    return everywhere("allclose", _are_close(terms, equal_nan), layouts, dtypes), order


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> ndarray:
    """Whether two arrays have one shape and equal elements.

    Parameters
    ----------
    a1, a2 : ndarray
        What to compare.
    equal_nan : bool, optional
        Whether two NaNs are equal.

    Returns
    -------
    ndarray of bool
        Without dimensions.

    Differences from NumPy
    ----------------------
    The result is an array, as CuPy's: ``bool()`` of it waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> bool(cp.array_equal(cp.arange(3), [0, 1, 2])), bool(cp.array_equal(cp.arange(3), [0, 1]))
    (True, False)
    """
    x, y = _pair(a1, a2, "array_equal")
    if x.shape != y.shape:
        return _interchange.scalar_array(False, np.dtype(bool))
    return _all_equal(x, y, bool(equal_nan))


def _all_equal(x: Any, y: Any, equal_nan: bool = False) -> ndarray:
    """Whether elements are equal; the arrays broadcast."""
    kinds = x.dtype.kind + y.dtype.kind
    equal_nan = equal_nan and not {*kinds} - {*"fc"}
    if isinstance(x, ArrayBase) and isinstance(y, ArrayBase) and not {*kinds} - {*"biufc"}:
        stream = current.stream
        run = stream.plans.get((_plan_all_equal, x._layout, y._layout, _FLAGS[equal_nan]))
        if run is None:
            run = _plan_all_equal(stream, x._layout, y._layout, _FLAGS[equal_nan])
        return run(x, y)
    same = logic.equal(x, y)
    if equal_nan:
        same = logic.logical_or(same, logic.logical_and(logic.isnan(x), logic.isnan(y)))
    return truth.all(same)


#: What plans are kept under.
_FLAGS = {False: "", True: "equal_nan"}


@planned
def _plan_all_equal(stream: Stream, a: Layout, b: Layout, equal_nan: str) -> Callable[..., ndarray]:
    x, y = [(Input(i, _dtypes.code(one.dtype)), one.dtype) for i, one in enumerate((a, b))]
    found = _apply("equal", x, y)
    if equal_nan:
        found = _or_both_nan(found, x, y)
    return everywhere("array_equal", found[0], [a, b], [])


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> ndarray:
    """Whether two arrays broadcast to one shape and have equal elements there.

    Parameters
    ----------
    a1, a2 : ndarray
        What to compare.

    Returns
    -------
    ndarray of bool
        Without dimensions.

    Differences from NumPy
    ----------------------
    The result is an array, as CuPy's: ``bool()`` of it waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> bool(cp.array_equiv(cp.ones((2, 3)), cp.ones(3)))
    True
    """
    x, y = _pair(a1, a2, "array_equiv")
    try:
        _broadcasting.broadcast_shapes([x.shape, y.shape])
    except ValueError:
        return _interchange.scalar_array(False, np.dtype(bool))
    return _all_equal(x, y)


def _pair(a: Any, b: Any, name: str) -> tuple[Any, Any]:
    """Two arrays, or symbols of them."""
    if _interchange.symbol_among((a, b)) is not None:
        return a, b
    return as_values(a, name), as_values(b, name)
