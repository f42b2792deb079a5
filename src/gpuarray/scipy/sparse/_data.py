"""Formats whose stored values are one array: functions of these alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpuarray._namespace.shared_texts import add_sections, texts_of
from gpuarray._ops import math
from gpuarray._ops.casts import astype
from gpuarray._ops.rounding import around
from gpuarray.scipy.sparse._base import SparseBase
from gpuarray.scipy.sparse._elementwise import is_scalar
from gpuarray.scipy.sparse._index_dtype import check_dtype

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray

__all__ = ["DataBase"]


class DataBase(SparseBase):
    """A sparse array whose stored values are the array ``data``."""

    def _with_data(self, data: ndarray, copy: bool = True) -> Self:
        """The same places with other values; index arrays are copied or shared."""
        raise NotImplementedError(f"not of the format {self.format}")

    def _added_data(self) -> ndarray:
        """The values, where those at one place have been added."""
        return self.data

    def _mapped(self, function: Any) -> Self:
        """A function of each element, whose value at zero is zero."""
        data = function(self._added_data())
        check_dtype(data.dtype)
        return self._with_data(data)

    def copy(self) -> Self:
        return self._with_data(self.data.copy())

    copy.__doc__ = SparseBase.copy.__doc__

    def astype(self, dtype: DTypeLike, casting: Any = "unsafe", copy: bool = True) -> Self:
        found = check_dtype(dtype)
        if found == self.dtype:
            return self.copy() if copy else self
        if not np.can_cast(self.dtype, found, casting):
            raise TypeError(
                f"Cannot cast array data from {self.dtype!r} to {found!r} according to the rule "
                f"'{casting}'"
            )
        made = self._with_data(astype(self.data, found))
        made._added_data()  # as SciPy does: after the cast
        return made

    astype.__doc__ = SparseBase.astype.__doc__

    def conjugate(self, copy: bool = True) -> Self:
        """The complex conjugates of the elements.

        Parameters
        ----------
        copy : bool, optional
            Whether the result shares no memory with this array; else real elements are not copied.

        Returns
        -------
        sparse array
            Of the same class.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[1 + 2j]])).conj().data
        array([1.-2.j])
        """
        if self.dtype.kind == "c":
            return self._with_data(math.conjugate(self.data), copy=copy)
        return self.copy() if copy else self

    def conj(self, copy: bool = True) -> Self:
        """The complex conjugates of the elements; see `conjugate`.

        Parameters
        ----------
        copy : bool, optional
            Whether the result never shares memory with the operand.

        Returns
        -------
        sparse array
            Of the same class.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[0, 3], [1, 0]]))
        >>> a.conj().data
        array([3, 1])
        """
        return self.conjugate(copy)

    @property
    def real(self) -> Self:
        """The real parts of the elements."""
        return self._with_data(self.data.real.copy())

    @property
    def imag(self) -> Self:
        """The imaginary parts of the elements."""
        return self._with_data(self.data.imag.copy())

    def power(self, n: Any, dtype: DTypeLike | None = None) -> Self:
        """Each element to a power.

        Parameters
        ----------
        n : number
            The exponent, which is not zero.
        dtype : dtype, optional
            What elements are cast to before.

        Returns
        -------
        sparse array
            Of the same class.

        Raises
        ------
        NotImplementedError
            If the exponent is an array, or zero: all elements would be 1.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[0, 3]])).power(2).data
        array([9])
        """
        if not is_scalar(n):
            raise NotImplementedError("power: input is not scalar; the exponent has to be")
        if not n:
            raise NotImplementedError(
                "power: zero power is not supported as it would densify the matrix; use "
                "ones(A.shape, dtype=A.dtype)"
            )
        data = self._added_data()
        if dtype is not None:
            data = astype(data, check_dtype(dtype))
        return self._with_data(data**n)

    def __abs__(self) -> Self:
        return self._mapped(math.absolute)

    def __round__(self, ndigits: int = 0) -> Self:
        return self._with_data(around(self._added_data(), ndigits))

    def __neg__(self) -> Self:
        if self.dtype.kind == "b":
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return self._with_data(math.negative(self.data))

    # ---- functions whose value at zero is zero ----

    def arcsin(self) -> Self:
        """`gpuarray.arcsin` of each element, after those at one place have been added."""
        return self._mapped(math.arcsin)

    def arcsinh(self) -> Self:
        """`gpuarray.arcsinh` of each element, after those at one place have been added."""
        return self._mapped(math.arcsinh)

    def arctan(self) -> Self:
        """`gpuarray.arctan` of each element, after those at one place have been added."""
        return self._mapped(math.arctan)

    def arctanh(self) -> Self:
        """`gpuarray.arctanh` of each element, after those at one place have been added."""
        return self._mapped(math.arctanh)

    def ceil(self) -> Self:
        """`gpuarray.ceil` of each element, after those at one place have been added."""
        return self._mapped(math.ceil)

    def deg2rad(self) -> Self:
        """`gpuarray.deg2rad` of each element, after those at one place have been added."""
        return self._mapped(math.deg2rad)

    def expm1(self) -> Self:
        """`gpuarray.expm1` of each element, after those at one place have been added."""
        return self._mapped(math.expm1)

    def floor(self) -> Self:
        """`gpuarray.floor` of each element, after those at one place have been added."""
        return self._mapped(math.floor)

    def log1p(self) -> Self:
        """`gpuarray.log1p` of each element, after those at one place have been added."""
        return self._mapped(math.log1p)

    def rad2deg(self) -> Self:
        """`gpuarray.rad2deg` of each element, after those at one place have been added."""
        return self._mapped(math.rad2deg)

    def rint(self) -> Self:
        """`gpuarray.rint` of each element, after those at one place have been added."""
        return self._mapped(math.rint)

    def sign(self) -> Self:
        """`gpuarray.sign` of each element, after those at one place have been added."""
        return self._mapped(math.sign)

    def sin(self) -> Self:
        """`gpuarray.sin` of each element, after those at one place have been added."""
        return self._mapped(math.sin)

    def sinh(self) -> Self:
        """`gpuarray.sinh` of each element, after those at one place have been added."""
        return self._mapped(math.sinh)

    def sqrt(self) -> Self:
        """`gpuarray.sqrt` of each element, after those at one place have been added."""
        return self._mapped(math.sqrt)

    def tan(self) -> Self:
        """`gpuarray.tan` of each element, after those at one place have been added."""
        return self._mapped(math.tan)

    def tanh(self) -> Self:
        """`gpuarray.tanh` of each element, after those at one place have been added."""
        return self._mapped(math.tanh)

    def trunc(self) -> Self:
        """`gpuarray.trunc` of each element, after those at one place have been added."""
        return self._mapped(math.trunc)


def _add_documentation(cls: type) -> None:
    """Say of the functions of elements what they return, with an example each."""
    for name in (
        "arcsin",
        "arcsinh",
        "arctan",
        "arctanh",
        "ceil",
        "deg2rad",
        "expm1",
        "floor",
        "log1p",
        "rad2deg",
        "rint",
        "sign",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "trunc",
    ):
        text = f"""Returns
-------
sparse array
    Of the operand's format; where the operand has no element, it has none.

Examples
--------
>>> import gpuarray as cp
>>> from gpuarray.scipy import sparse
>>> sparse.csr_array(cp.array([[0.0, 0.5]])).{name}().nnz
1
"""
        add_sections(getattr(cls, name), texts_of(text))


_add_documentation(DataBase)
