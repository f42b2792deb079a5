"""The class poly1d, and arithmetic of coefficients (of NumPy's older page on polynomials)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops import polynomials, series
from gpuarray._ops.conversion import asarray
from gpuarray._ops.correlating import convolve
from gpuarray._ops.creation import zeros
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import add, negative, subtract
from gpuarray._ops.series_values import evaluate
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import (
    Apply,
    Constant,
    Expression,
    Input,
    cast,
)
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "poly1d", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "polyval",
]  # fmt: skip

_INT64 = np.dtype(np.int64)


def _coefficients(p: Any, name: str) -> Any:
    """Coefficients as an array of one dimension or more."""
    c = as_array(p.coeffs if isinstance(p, poly1d) else p, name)
    return c if c._layout.ndim else c.reshape(1)


def _result(c: Any, *operands: Any) -> Any:
    """Coefficients, as a poly1d if an operand is one."""
    return poly1d(c) if any(isinstance(x, poly1d) for x in operands) else c


def _is_scalar(x: Any) -> bool:
    return np.isscalar(x) or (isinstance(x, ArrayBase) and not x._layout.ndim)


class poly1d:
    """A polynomial in one variable, by its coefficients or its roots.

    Parameters
    ----------
    c_or_r : array_like, 1-D, or poly1d
        Coefficients from the highest power to the lowest, without zeros in front.
    r : bool, optional
        Whether roots are given.
    variable : str, optional
        What the variable is called where the polynomial is printed.

    Notes
    -----
    Coefficients stay in device memory. How many there are without zeros in front depends on their
    values, so that a poly1d of a device array waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> p = cp.poly1d([1, 2, 3])
    >>> p(0.5)
    array(4.25)
    >>> p * p
    poly1d([ 1,  4, 10, 12,  9])
    >>> p.deriv(), p.integ().order
    (poly1d([2, 2]), 3)
    >>> p.set(p.get())
    """

    # Operators of arrays leave it to this class what they do.
    __array_priority__ = 1000
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]  # as of all that is compared by value

    _coeffs: ndarray
    _variable: str

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        if isinstance(c_or_r, poly1d):
            self._variable = c_or_r._variable if variable is None else variable
            self._coeffs = c_or_r._coeffs
            return
        if r:
            c_or_r = polynomials.poly(c_or_r)
        self._coeffs = _without_zeros(c_or_r)
        self._variable = "x" if variable is None else variable

    # --- attributes

    @property
    def coeffs(self) -> ndarray:
        """The coefficients from the highest power to the lowest."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value: Any) -> None:
        # So that ``p.coeffs += 1`` works.
        if value is not self._coeffs:
            raise AttributeError("poly1d: the coefficients cannot be replaced; make another poly1d")

    c = coef = coefficients = coeffs

    @property
    def variable(self) -> str:
        """What the variable is called."""
        return self._variable

    @property
    def order(self) -> int:
        """The degree."""
        return self._coeffs._layout.size - 1

    o = order

    @property
    def roots(self) -> ndarray:
        """The roots; see the function of that name."""
        return polynomials.roots(self._coeffs)

    r = roots

    # --- text and conversion

    def __repr__(self) -> str:
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __str__(self) -> str:
        return str(np.poly1d(asnumpy(self._coeffs), variable=self._variable))

    def __len__(self) -> int:
        return self.order

    def __iter__(self) -> Iterator[Any]:
        return iter(self._coeffs)

    def __getitem__(self, val: int) -> Any:
        """The coefficient of a power: 0 for one that is not there."""
        if not 0 <= val <= self.order:
            return zeros((), self._coeffs._layout.dtype)
        return self._coeffs[self.order - val]

    def __setitem__(self, key: int, val: Any) -> None:
        if key < 0:
            raise ValueError(f"poly1d: there is no coefficient of the power {key}; give 0 or more")
        if key > self.order:
            front = zeros(key - self.order, self._coeffs._layout.dtype)
            self._coeffs = concatenate([front, self._coeffs])
        self._coeffs[self.order - key] = val

    def get(self, stream: Any = None, order: str = "C", out: Any = None) -> np.poly1d:
        """NumPy's polynomial with the same coefficients, in the host's memory.

        Parameters
        ----------
        stream : Stream, optional
            The stream of the copy; the current one by default.
        order : {'C', 'F', 'A'}, optional
            Without a meaning for one dimension.
        out : numpy.ndarray, optional
            Where the coefficients are stored.

        Returns
        -------
        numpy.poly1d
            Its copy.
        """
        return np.poly1d(asnumpy(self._coeffs, stream, order, out), variable=self._variable)

    def set(self, polyin: Any, stream: Any = None) -> None:
        """Store the coefficients of one of NumPy's polynomials of the same degree.

        Parameters
        ----------
        polyin : numpy.poly1d or numpy.ndarray
            Coefficients, of the dtype of this one's.
        stream : Stream, optional
            Where the copy is queued.
        """
        self._coeffs.set(np.asarray(getattr(polyin, "coeffs", polyin)), stream)

    # --- arithmetic

    def __call__(self, val: Any) -> Any:
        return polyval(self._coeffs, val)

    def __neg__(self) -> poly1d:
        return poly1d(negative(self._coeffs))

    def __pos__(self) -> poly1d:
        return self

    def __mul__(self, other: Any) -> poly1d:
        if _is_scalar(other):
            return poly1d(self._coeffs * other)
        return polymul(self, poly1d(other))

    def __rmul__(self, other: Any) -> poly1d:
        if _is_scalar(other):
            return poly1d(other * self._coeffs)
        return polymul(poly1d(other), self)

    def __add__(self, other: Any) -> poly1d:
        return polyadd(self, poly1d(other))

    def __radd__(self, other: Any) -> poly1d:
        return polyadd(self, poly1d(other))

    def __sub__(self, other: Any) -> poly1d:
        return polysub(self, poly1d(other))

    def __rsub__(self, other: Any) -> poly1d:
        return polysub(poly1d(other), self)

    def __pow__(self, val: Any) -> poly1d:
        if not np.isscalar(val) or int(val) != val or val < 0:  # type: ignore[arg-type, operator]
            raise ValueError(f"poly1d: the power is {val!r}; give an integer that is not negative")
        result: Any = asarray([1])
        for _ in range(int(val)):  # type: ignore[arg-type]  # a real number, as was seen above
            result = convolve(self._coeffs, result)
        return poly1d(result)

    def __truediv__(self, other: Any) -> Any:
        if _is_scalar(other):
            return poly1d(self._coeffs / other)
        return polydiv(self, poly1d(other))

    def __rtruediv__(self, other: Any) -> Any:
        if _is_scalar(other):
            return poly1d(other / self._coeffs)
        return polydiv(poly1d(other), self)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, poly1d):
            return NotImplemented
        if self.order != other.order:
            return False
        return bool((self._coeffs == other._coeffs).all())

    def __ne__(self, other: object) -> Any:
        if not isinstance(other, poly1d):
            return NotImplemented
        return not self == other

    def integ(self, m: int = 1, k: Any = 0) -> poly1d:
        """The m-th integral; see `polyint`.

        Parameters
        ----------
        m : int, optional
            How often it is integrated.
        k : array_like, optional
            The constants.

        Returns
        -------
        poly1d
            The integral.
        """
        return poly1d(polyint(self._coeffs, m, k))

    def deriv(self, m: int = 1) -> poly1d:
        """The m-th derivative; see `polyder`.

        Parameters
        ----------
        m : int, optional
            How often it is derived.

        Returns
        -------
        poly1d
            The derivative.
        """
        return poly1d(polyder(self._coeffs, m))


def _without_zeros(c: Any) -> Any:
    """Coefficients without zeros in front; those of a list are dropped on the host."""
    if isinstance(c, list | tuple) and all(isinstance(x, series.NUMBERS) for x in c):
        host = np.array(c)
        stays = np.flatnonzero(host != 0)
        c = list(c[stays[0] :]) if stays.size else []
        return as_array(c, "poly1d") if c else asarray(np.zeros(1, host.dtype))
    c = _coefficients(c, "poly1d")
    if c._layout.ndim > 1:
        raise ValueError(
            f"poly1d: coefficients of shape {c._layout.shape}; give them in one dimension"
        )
    if not c._layout.size:
        return asarray(np.zeros(1, c._layout.dtype))
    length = series.lengths(c[::-1])[0]
    return c[c._layout.size - length :]


def polyadd(a1: ArrayLike | poly1d, a2: ArrayLike | poly1d) -> Any:
    """The sum of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like, 1-D, or poly1d
        Coefficients from the highest power to the lowest.

    Returns
    -------
    ndarray or poly1d
        A poly1d if an operand is one.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.polyadd([1, 2], [9, 5, 4])
    array([9, 6, 6])
    """
    one, other = _coefficients(a1, "polyadd"), _coefficients(a2, "polyadd")
    return _result(_aligned(add, one, other), a1, a2)


def polysub(a1: ArrayLike | poly1d, a2: ArrayLike | poly1d) -> Any:
    """The difference of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like, 1-D, or poly1d
        Coefficients from the highest power to the lowest.

    Returns
    -------
    ndarray or poly1d
        A poly1d if an operand is one.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.polysub([2, 10, -2], [3, 10, -4])
    array([-1,  0,  2])
    """
    one, other = _coefficients(a1, "polysub"), _coefficients(a2, "polysub")
    return _result(_aligned(subtract, one, other), a1, a2)


def _aligned(function: Any, one: Any, other: Any) -> Any:
    """A function of coefficients that end together."""
    sizes = one._layout.shape[0], other._layout.shape[0]
    if sizes[0] == sizes[1]:
        return function(one, other)
    shorter, longer = (one, other) if sizes[0] < sizes[1] else (other, one)
    front = zeros(abs(sizes[0] - sizes[1]), shorter._layout.dtype)
    padded = concatenate([front, shorter])
    return function(padded, longer) if shorter is one else function(longer, padded)


def polymul(a1: ArrayLike | poly1d, a2: ArrayLike | poly1d) -> Any:
    """The product of two polynomials.

    Parameters
    ----------
    a1, a2 : array_like, 1-D, or poly1d
        Coefficients from the highest power to the lowest.

    Returns
    -------
    ndarray or poly1d
        A poly1d if an operand is one.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.polymul([1, 2, 3], [9, 5, 1])
    array([ 9, 23, 38, 17,  3])
    """
    one, other = poly1d(a1), poly1d(a2)
    return _result(convolve(one._coeffs, other._coeffs), a1, a2)


def polydiv(u: ArrayLike | poly1d, v: ArrayLike | poly1d) -> tuple[Any, Any]:
    """The quotient of two polynomials and what remains.

    Parameters
    ----------
    u, v : array_like, 1-D, or poly1d
        Coefficients from the highest power to the lowest, of dividend and divisor.

    Returns
    -------
    q, r : ndarray or poly1d
        ``u = q * v + r``, without what is close to zero in front of r. The call waits for the
        device.

    Raises
    ------
    IndexError
        A polynomial has no coefficients.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])
    (array([1.5 , 1.75]), array([0.25]))
    """
    dividend, divisor = [_coefficients(x, "polydiv") for x in (u, v)]
    if not (dividend._layout.size and divisor._layout.size):
        raise IndexError("polydiv: a polynomial has no coefficients; give at least one")
    dtype = np.result_type(dividend._layout.dtype, divisor._layout.dtype)
    dtype = dtype if dtype.kind in "fc" else np.dtype(np.float64)
    one, other = [copies.copy(x[::-1], "C", dtype) for x in (dividend, divisor)]
    if one._layout.size < other._layout.size:
        quotient, rest = zeros(1, dtype), one
    else:
        quotient, rest = series.quotient_and_rest("power", one, other)
        rest = rest[: max(other._layout.size - 1, 1)]
        if other._layout.size == 1:
            rest = zeros(1, dtype)
    rest = rest[: series.lengths(rest, bound=1e-8)[0]]
    found = [copies.copy(x[::-1], "C") for x in (quotient, rest)]
    return _result(found[0], u, v), _result(found[1], u, v)


def polyval(p: ArrayLike | poly1d, x: Any) -> Any:
    """The values of a polynomial at points.

    Parameters
    ----------
    p : array_like, or poly1d
        Coefficients along the first axis, from the highest power to the lowest.
    x : array_like, or poly1d
        The points; a polynomial gives the polynomial of its values.

    Returns
    -------
    ndarray or poly1d
        One launch for points.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.polyval([3, 0, 1], cp.asarray([5, 2]))
    array([76, 13])
    """
    c = _coefficients(p, "polyval")
    if isinstance(x, poly1d):
        result: Any = 0
        for i in range(c._layout.shape[0]):
            result = result * x + c[i]
        return result
    points = as_array(x, "polyval")
    dtype = np.result_type(c._layout.dtype, points._layout.dtype)
    if not c._layout.shape[0]:
        return zeros(points._layout.shape, points._layout.dtype)
    return evaluate("power", c[::-1], [points], False, dtype)


def polyder(p: ArrayLike | poly1d, m: int = 1) -> Any:
    """The derivative of a polynomial.

    Parameters
    ----------
    p : array_like, 1-D, or poly1d
        Coefficients from the highest power to the lowest.
    m : int, optional
        How many times it is taken: a launch each.

    Returns
    -------
    ndarray or poly1d
        Coefficients.

    Raises
    ------
    ValueError
        If the order is negative.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.polyder([1, 1, 1, 1])
    array([3, 2, 1])
    """
    count = int(m)
    if count < 0:
        raise ValueError(f"polyder: the order is {count}; give 0 or more, or integrate by polyint")
    c = _coefficients(p, "polyder")
    for _ in range(count):
        c = c[:-1]
        c = _power_call(current.stream, c._layout, "multiply")(c)
    return _result(c, p)


def polyint(p: ArrayLike | poly1d, m: int = 1, k: Any = None) -> Any:
    """The integral of a polynomial.

    Parameters
    ----------
    p : array_like, 1-D, or poly1d
        Coefficients from the highest power to the lowest.
    m : int, optional
        How many times it is taken: two launches each.
    k : scalar or sequence of scalars, optional
        The constant of each integral; one for all, or 0 by default.

    Returns
    -------
    ndarray or poly1d
        Coefficients.

    Raises
    ------
    ValueError
        If the order is negative, or there are not as many constants.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.polyint([3, 2, 1])
    array([1., 1., 1., 0.])
    """
    count = int(m)
    if count < 0:
        raise ValueError(f"polyint: the order is {count}; give 0 or more, or derive by polyder")
    given = np.zeros(count) if k is None else asnumpy(k) if isinstance(k, ArrayBase) else k
    constants = np.atleast_1d(given)
    if len(constants) == 1 and count > 1:
        constants = constants[0] * np.ones(count)
    if len(constants) < count:
        raise ValueError(
            f"polyint: {len(constants)} constants for {count} integrals; give one, or one each"
        )
    c = _coefficients(p, "polyint")
    for i in range(count):
        size = c._layout.shape[0]
        quotients = np.result_type(c._layout.dtype, _INT64, np.float64)
        dtype = _dtypes.canonical(np.result_type(quotients, constants[i : i + 1].dtype))
        result = _array.empty(_layout.contiguous(dtype, (size + 1,)))
        if size:
            result[:size] = _power_call(current.stream, c._layout, "divide")(c)
        result[size:] = constants[i]
        c = result
    return _result(c, p)


@planned
def _power_call(stream: Stream, layout: Layout, name: str) -> Any:
    """Each coefficient times, or divided by, the number of coefficients from it on."""
    dtype = np.result_type(layout.dtype, _INT64)
    if name == "divide":
        dtype = np.result_type(dtype, np.float64)
    size = layout.size
    dtype = _dtypes.canonical(dtype)
    code, given = _dtypes.code(dtype), _dtypes.code(layout.dtype)
    target = _layout.contiguous(dtype, (size,))
    power: Expression = Apply(operation("subtract"), (Constant(size, "i8"), Input(1, "i8")), "i8")
    value: Expression = Input(0, given)
    operands = [cast(code, x) for x in (value, power)]
    value = Apply(operation(name), tuple(operands), code)
    inputs: list[Any] = [layout, Coordinates(1)]
    return elementwise.launch.make_call("polyder", [value], inputs, [target], [False], stream)
