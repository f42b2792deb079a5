"""Window functions."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _layout
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import ELEMENT_INDEX
from gpuarray.kernels.generator.expressions import Cast, Constant, Expression, Input, Scalar, apply

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]

_FLOAT64 = np.dtype(np.float64)


def _number(value: float) -> Expression:
    return Constant(value, "f8")


def _f8(name: str, *operands: Expression) -> Expression:
    return apply(name, "f8", *operands)


def _cosine(turns: int, n: Expression, span: Expression) -> Expression:
    angle = _f8("multiply", _number(turns * math.pi), n)
    return _f8("cos", _f8("divide", angle, span))


def _bartlett(n: Expression, span: Expression) -> Expression:
    rises = apply("less_equal", "b1", n, _number(0))
    place = _f8("divide", n, span)
    return _f8("where", rises, _f8("add", _number(1), place), _f8("subtract", _number(1), place))


def _blackman(n: Expression, span: Expression) -> Expression:
    # The cosine of twice the angle is 2 c c - 1: one cosine takes longer than all the rest.
    cosine = _cosine(1, n, span)
    first = _f8("multiply", _number(0.5), cosine)
    doubled = _f8("multiply", _number(2), _f8("multiply", cosine, cosine))
    second = _f8("multiply", _number(0.08), _f8("subtract", doubled, _number(1)))
    return _f8("add", _f8("add", _number(0.42), first), second)


def _hamming(n: Expression, span: Expression) -> Expression:
    return _f8("add", _number(0.54), _f8("multiply", _number(0.46), _cosine(1, n, span)))


def _hanning(n: Expression, span: Expression) -> Expression:
    return _f8("add", _number(0.5), _f8("multiply", _number(0.5), _cosine(1, n, span)))


_WINDOWS = {
    "bartlett": _bartlett, "blackman": _blackman, "hamming": _hamming, "hanning": _hanning,
}  # fmt: skip


def _window(name: str, M: Any) -> ndarray:
    """A window of cosines or lines."""
    M = _length(name, M)
    count = 1 if M == 1 else max(math.ceil((2 * M - 1) / 2), 0) if M >= 1 else 0
    return _plan_window(current.stream, name, count)(M)


def _length(name: str, M: Any) -> float:
    try:
        return float(M)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: M is the number of points, got {M!r}") from None


@planned
def _plan_window(stream: Stream, name: str, count: int) -> Any:
    layout = _layout.contiguous(_FLOAT64, (count,))
    if count <= 1:  # of one point NumPy makes it 1
        inputs: list[Any] = [_FLOAT64]
        value = _number(1)
    else:
        inputs = [ELEMENT_INDEX, _FLOAT64]
        points = Scalar(1, "f8")
        # n is 1 - M, 3 - M, ..., M - 1.
        doubled = _f8("multiply", Cast("f8", Input(0, "i8")), _number(2))
        n = _f8("add", _f8("subtract", _number(1), points), doubled)
        value = _WINDOWS[name](n, _f8("subtract", points, _number(1)))
    return elementwise.launch.make_call(name, [value], inputs, [layout], [False], stream)


def bartlett(M: int) -> ndarray:
    """The Bartlett window: a triangle that ends in zeros.

    Parameters
    ----------
    M : int
        How many points; none below 1.

    Returns
    -------
    ndarray, shape (M,)
        The window, of float64, with 1 in the middle.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _window("bartlett", M)


def blackman(M: int) -> ndarray:
    """The Blackman window: a sum of the first three terms of cosines.

    Parameters
    ----------
    M : int
        How many points; none below 1.

    Returns
    -------
    ndarray, shape (M,)
        The window, of float64, with 1 in the middle.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.blackman(5).round(2)
    array([-0.  ,  0.34,  1.  ,  0.34, -0.  ])
    """
    return _window("blackman", M)


def hamming(M: int) -> ndarray:
    """The Hamming window: a raised cosine that does not end in zeros.

    Parameters
    ----------
    M : int
        How many points; none below 1.

    Returns
    -------
    ndarray, shape (M,)
        The window, of float64, with 1 in the middle.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.hamming(5)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return _window("hamming", M)


def hanning(M: int) -> ndarray:
    """The Hann window: a raised cosine that ends in zeros.

    Parameters
    ----------
    M : int
        How many points; none below 1.

    Returns
    -------
    ndarray, shape (M,)
        The window, of float64, with 1 in the middle.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.hanning(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _window("hanning", M)


def kaiser(M: int, beta: float) -> ndarray:
    """The Kaiser window, made of a Bessel function.

    Parameters
    ----------
    M : int
        How many points; none below 1.
    beta : float
        Its shape: 0 a rectangle, 5 like `hamming`, 6 like `hanning`, 8.6 like `blackman`.

    Returns
    -------
    ndarray, shape (M,)
        The window, of float64, with 1 in the middle.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.kaiser(3, 0)
    array([1., 1., 1.])
    """
    points, beta = _length("kaiser", M), float(beta)
    count = 1 if points == 1 else max(math.ceil(points), 0)
    scale = _bessel(beta)
    return _plan_kaiser(current.stream, _layout.contiguous(_FLOAT64, (count,)))(
        (points - 1) / 2, beta, scale
    )


@lru_cache(maxsize=64)
def _bessel(beta: float) -> float:
    return float(np.i0(np.float64(beta)))


@planned
def _plan_kaiser(stream: Stream, layout: Layout) -> Any:
    inputs: list[Any] = [ELEMENT_INDEX, _FLOAT64, _FLOAT64, _FLOAT64]
    middle, beta, scale = Scalar(1, "f8"), Scalar(2, "f8"), Scalar(3, "f8")
    place = _f8("divide", _f8("subtract", Cast("f8", Input(0, "i8")), middle), middle)
    root = _f8("sqrt", _f8("subtract", _number(1), _f8("multiply", place, place)))
    value = _f8("divide", _f8("i0", _f8("multiply", beta, root)), scale)
    if layout.size <= 1:
        inputs, value = inputs[1:], _number(1)
    return elementwise.launch.make_call("kaiser", [value], inputs, [layout], [False], stream)
