"""The methods of ufuncs: elements combined along an axis, at indices, and of all pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from gpuarray import _array, _interchange, _layout
from gpuarray.kernels import fold, reduction, scan

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, Operand, ndarray
    from gpuarray.kernels.generator.operations import Operation

#: What a call returns: an array, or a tuple of two.
_Result = TypeVar("_Result", covariant=True)

#: Computes ``ufunc.at``. The module of indexing, which it takes, is above this one and sets it.
update_at: Callable[[Any, Any, Any, Sequence[Any]], None]


class Methods(Generic[_Result]):
    """What a ufunc does beside being called."""

    __slots__ = ()

    if TYPE_CHECKING:
        __name__: str
        row: Operation
        nin: int
        nout: int

        def __call__(self, *args: Operand, **kwargs: Any) -> _Result: ...

    def outer(self, a: Operand, b: Operand, **kwargs: Any) -> _Result:
        """Apply a function of two arguments to every pair of elements.

        Parameters
        ----------
        a, b : array_like
            Operands.
        **kwargs
            As for a call.

        Returns
        -------
        ndarray
            Of shape ``a.shape + b.shape``.

        Raises
        ------
        ValueError
            If the function has not two operands.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.add.outer(cp.arange(2), cp.arange(3))
        array([[0, 1, 2],
               [1, 2, 3]])
        """
        if self.nin != 2:
            raise ValueError(
                f"{self.__name__}.outer: outer product only supported for binary functions"
            )
        a, b = _interchange.as_operand(a, self.__name__), _interchange.as_operand(b, self.__name__)
        # Numbers have dtypes of their own here, as NumPy makes arrays of them.
        operands: list[Any] = [x if hasattr(x, "dtype") else np.asarray(x)[()] for x in (a, b)]
        x, y = operands
        if isinstance(x, _array.ArrayBase) and isinstance(y, _array.ArrayBase):
            layout = x._layout
            shape = layout.shape + (1,) * y._layout.ndim
            strides = layout.strides + (0,) * y._layout.ndim
            x = _array.view(x, _layout.layout_of(layout.dtype, shape, strides))
        return self(x, y, **kwargs)

    def reduce(
        self,
        array: Operand,
        axis: int | tuple[int, ...] | None = 0,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: Operand = reduction.rules.NO_VALUE,
        where: Operand = True,
    ) -> ndarray:
        """Combine the elements along axes with a function of two arguments.

        Parameters
        ----------
        array : ndarray
            Operand.
        axis : int, tuple of int or None, optional
            Axes to reduce; ``None`` is all of them.
        dtype : dtype, optional
            The dtype to compute in.
        out : ndarray, optional
            Where results are stored.
        keepdims : bool, optional
            Keep reduced axes with length 1.
        initial : scalar, optional
            The value to start with.
        where : ndarray of bool, optional
            Which elements take part.

        Returns
        -------
        ndarray

        Notes
        -----
        One launch. Functions that are not associative, such as `subtract`, combine elements in
        their order, one thread for each result; associative ones in a tree, which is faster and,
        of floats, rounds differently.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.add.reduce(cp.arange(6).reshape(2, 3), axis=1)
        array([ 3, 12])
        """
        self._check_binary("reduce")
        rules = reduction.rules if self.row.associative else fold.rules
        reduced = rules.REDUCTIONS[self.__name__]
        return reduced(array, axis, dtype, out, keepdims, initial, where)

    def accumulate(
        self,
        array: Operand,
        axis: int = 0,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
    ) -> ndarray:
        """Combine each element with all those before it along an axis.

        Parameters
        ----------
        array : ndarray
            Operand.
        axis : int, optional
            The axis to walk.
        dtype : dtype, optional
            The dtype to compute in.
        out : ndarray, optional
            Where results are stored, with any cast.

        Returns
        -------
        ndarray
            Of the operand's shape.

        Notes
        -----
        One launch, as of `reduce`. Floats are combined in an order which is the same in every run.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.multiply.accumulate(cp.asarray([1, 2, 3]))
        array([1, 2, 6])
        """
        self._check_binary("accumulate")
        rules = scan.rules if self.row.associative else fold.rules
        accumulation = rules.ACCUMULATIONS[self.__name__]
        return scan.rules.accumulate(accumulation, array, axis, dtype, out)

    def reduceat(
        self,
        array: Operand,
        indices: Any,
        axis: int = 0,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
    ) -> ndarray:
        """Combine the elements of segments of an axis with a function of two arguments.

        Parameters
        ----------
        array : ndarray
            Operand.
        indices : ndarray or sequence of int
            Where segments begin. Each ends where the next one begins, the last one at the end of
            the axis; where the next one does not begin later, it is the one element.
        axis : int, optional
            The axis.
        dtype : dtype, optional
            The dtype to compute in.
        out : ndarray, optional
            Where results are stored.

        Returns
        -------
        ndarray
            With a result for each index along the axis.

        Notes
        -----
        One launch.

        Differences from NumPy
        ----------------------
        Indices in device memory cannot raise on a GPU: those out of bounds wrap around. They do
        raise IndexError on the emulator.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.add.reduceat(cp.arange(6), [0, 4])
        array([6, 9])
        """
        self._check_binary("reduceat")
        segments = fold.rules.SEGMENT_REDUCTIONS[self.__name__]
        return segments(array, indices, axis, dtype, out)

    def at(self, a: ndarray, indices: Any, /, *operands: Operand) -> None:
        """Apply the function in place to elements at indices, to repeated ones repeatedly.

        Parameters
        ----------
        a : ndarray
            The array that is changed.
        indices : index
            Whatever indexes an array: arrays, slices, masks, tuples of them.
        *operands : ndarray or scalar
            The second operand of a function of two: it broadcasts to what the indices select.

        Raises
        ------
        ValueError
            If the function has more than two operands or one result, the operand is missing or
            one too many, or it does not broadcast.

        Notes
        -----
        Where the order of updates makes no difference but for the rounding of floats (sums,
        products, extrema, bits), elements of 2 to 8 bytes are updated by atomic operations: one
        launch. Else operands are sorted by the elements that they update, which takes a few
        launches, and applied in their order, so that results are NumPy's. Atomic sums of float32
        take subnormal numbers for zero.

        Examples
        --------
        >>> import gpuarray as cp
        >>> x = cp.zeros(3, dtype=int)
        >>> cp.add.at(x, [0, 0, 2], 1)
        >>> x
        array([2, 0, 1])
        """
        update_at(self, a, indices, operands)  # noqa: F821 (declared above, set from above)

    def _check_binary(self, method: str) -> None:
        """Refuse what has no method of functions of two arguments."""
        if self.nin != 2:
            raise ValueError(
                f"{self.__name__}.{method}: {method} only supported for binary functions"
            )
        if self.nout != 1:
            raise ValueError(
                f"{self.__name__}.{method}: {method} only supported for functions returning a "
                "single value"
            )
