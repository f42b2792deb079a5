"""What all sparse arrays share: shapes, dtypes, copies, diagonals, printing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gpuarray._array import HeldOnDevice
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray
from gpuarray.scipy.sparse import _printing, _shapes
from gpuarray.scipy.sparse._converting import Conversions
from gpuarray.scipy.sparse._elementwise import Elementwise
from gpuarray.scipy.sparse._indexing import Indexing
from gpuarray.scipy.sparse._matmul import Products
from gpuarray.scipy.sparse._reductions import Reductions

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray
    from gpuarray.scipy.sparse._bsr import bsr_array
    from gpuarray.scipy.sparse._coo import coo_array
    from gpuarray.scipy.sparse._csc import csc_array
    from gpuarray.scipy.sparse._csr import csr_array
    from gpuarray.scipy.sparse._dia import dia_array
    from gpuarray.scipy.sparse._signatures import ArraySignatures

__all__ = ["SparseBase", "issparse", "sparray"]

#: Stored entries that are printed at most.
MAXPRINT = 50

#: The classes, by format and by whether they are arrays.
_CLASSES: dict[tuple[str, bool], Any] = {}


class SparseBase(Products, Elementwise, Reductions, Indexing, Conversions, HeldOnDevice):
    """A sparse array: stored entries and their places; all other elements are zero.

    The classes `coo_array`, `csr_array` and so on say how they are stored.
    """

    __array_priority__: ClassVar[float] = 10.1
    #: Operators of arrays leave the work to those here.
    __array_ufunc__: ClassVar[None] = None
    _format: ClassVar[str] = ""
    _dimensions: ClassVar[Sequence[int]] = (2,)

    _shape: tuple[int, ...]
    _data: ndarray
    #: How many entries are printed.
    maxprint: int = MAXPRINT

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Note a class under its format."""
        super().__init_subclass__(**kwargs)
        if cls.__name__.endswith(("_array", "_matrix")) and not cls.__name__.startswith("_"):
            _CLASSES.setdefault((cls._format, issubclass(cls, sparray)), cls)

    #: ``csr_array[np.float64]`` is a type for annotations.
    __class_getitem__: ClassVar[Any] = classmethod(GenericAlias)

    @classmethod
    def _class_of(cls, format: str) -> Any:
        """The class of a format that is an array or a matrix as this one is."""
        return _CLASSES[format, issubclass(cls, sparray)]

    def _start(self, arg1: Any, maxprint: int | None) -> None:
        """What each constructor does first."""
        if isinstance(self, sparray) and np.isscalar(arg1):
            raise ValueError(
                "gpuarray.scipy sparse array classes do not support instantiation from a scalar, "
                f"such as {arg1!r}"
            )
        if maxprint is not None:
            self.maxprint = maxprint

    @property
    def data(self) -> ndarray:
        """The stored values. Others may be assigned."""
        return self._data

    @data.setter
    def data(self, data: ndarray) -> None:
        self._data = data

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the dimensions."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    @property
    def _shape_2d(self) -> tuple[int, int]:
        """The shape with one dimension as a row."""
        return _shapes.as_2d(self._shape)

    @property
    def format(self) -> str:
        """The format: 'coo', 'csr', 'csc', 'dia' or 'bsr'."""
        return self._format

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self.data.dtype

    @property
    def device(self) -> Any:
        """The device that has the elements."""
        return self.data.device

    @property
    def nnz(self) -> int:
        """The number of stored entries, zeros among them.

        See Also
        --------
        count_nonzero : without stored zeros.
        """
        return self._getnnz()

    @property
    def size(self) -> int:
        """The number of stored entries, zeros among them."""
        return self._getnnz()

    @property
    def T(self) -> SparseBase:
        """The transpose; see `transpose`."""
        return self.transpose()

    @property
    def mT(self) -> SparseBase:
        """The last two dimensions exchanged; an array of one dimension has no such transpose.

        Raises
        ------
        ValueError
            If there are fewer than two dimensions.
        """
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.transpose()

    def _getnnz(self, axis: int | None = None) -> Any:
        raise NotImplementedError(f"getnnz: not of the format {self.format}")

    # ---- shape ----

    def reshape(self, *shape: Any, order: str = "C", copy: bool = False) -> SparseBase:
        """The same elements in another shape.

        Parameters
        ----------
        *shape : int, or a tuple of int
            The new shape; one extent may be -1.
        order : {'C', 'F'}, optional
            The order that elements are counted in.
        copy : bool, optional
            Whether the result shares no memory with this array; else it may.

        Returns
        -------
        sparse array
            In coordinate format, unless the shape stays as it is.

        Raises
        ------
        ValueError
            If the sizes differ.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.eye(2)).reshape(1, 4).toarray()
        array([[1., 0., 0., 1.]])
        """
        found = _shapes.new_shape(shape, self.shape, _shapes.MANY)
        _shapes.order_of(order)
        if found == self.shape:
            return self.copy() if copy else self
        return self.tocoo(copy=copy).reshape(found, order=order)

    def resize(self, *shape: Any) -> None:
        """Change the shape in place: elements that are outside the new one are dropped.

        Parameters
        ----------
        *shape : int, or a tuple of int
            The new shape.

        Raises
        ------
        NotImplementedError
            If the format has no such operation.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[0, 3], [1, 0]]))
        >>> a.resize((2, 1))
        >>> a.shape
        (2, 1)
        """
        raise NotImplementedError(f"{type(self).__name__}.resize is not implemented")

    def transpose(self, axes: tuple[int, int] | None = None, copy: bool = False) -> SparseBase:
        """Rows as columns and columns as rows.

        Parameters
        ----------
        axes : tuple of int, optional
            Nothing but ``(1, 0)``, which is the default.
        copy : bool, optional
            Whether the result shares no memory with this array; else it does.

        Returns
        -------
        sparse array
            Of csr in the format csc, and the other way round; else in the same format.

        Raises
        ------
        ValueError
            If the axes are others.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.ones((2, 3))).T.shape
        (3, 2)
        """
        return self.tocsr(copy=copy).transpose(axes=axes)

    def _check_axes(self, axes: Any) -> None:
        if axes is not None and axes not in ((1, 0), [1, 0]):
            raise ValueError(
                "Sparse arrays/matrices do not support an 'axes' parameter because swapping "
                f"dimensions is the only logical permutation; it was {axes}."
            )

    # ---- elements ----

    def copy(self) -> Self:
        """A copy that shares no memory with this array.

        Returns
        -------
        sparse array
            Of the same class.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.eye(2))
        >>> b = a.copy()
        >>> b.data[:] = 5
        >>> a.data
        array([1., 1.])
        """
        raise NotImplementedError(f"copy: not of the format {self.format}")

    def astype(self, dtype: DTypeLike, casting: Any = "unsafe", copy: bool = True) -> Self:
        """The elements in another dtype.

        Parameters
        ----------
        dtype : dtype
            What they become.
        casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
            Which casts are allowed.
        copy : bool, optional
            Whether the result shares no memory with this array; else it is the array itself where
            that has the dtype.

        Returns
        -------
        sparse array
            Of the same class.

        Raises
        ------
        TypeError
            If the casting rule forbids it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.eye(2)).astype("int8").dtype
        dtype('int8')
        """
        raise NotImplementedError(f"astype: not of the format {self.format}")

    def nonzero(self) -> tuple[ndarray, ...]:
        """The indices of elements that are not zero, an array for each dimension.

        Waits for the device once.

        Returns
        -------
        tuple of ndarray
            The coordinates of the elements that are not zero.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[0, 1], [2, 0]])).nonzero()
        (array([0, 1], dtype=int32), array([1, 0], dtype=int32))
        """
        return self.tocoo().nonzero()

    def count_nonzero(self, axis: int | None = None) -> int | ndarray:
        """How many elements are not zero; entries at one place are added first.

        Parameters
        ----------
        axis : int, optional
            The axis to count along; by default all elements are counted.

        Returns
        -------
        int or ndarray

        Raises
        ------
        NotImplementedError
            Over an axis, for the formats bsr and dia.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[0, 1], [2, 3]]))
        >>> a.count_nonzero(), a.count_nonzero(axis=0)
        (3, array([1, 2]))
        """
        return self.tocsr().count_nonzero(axis)

    def diagonal(self, k: int = 0) -> ndarray:
        """The elements ``a[i, i + k]``.

        Parameters
        ----------
        k : int, optional
            Which diagonal: 0 is the main one, those above are positive.

        Returns
        -------
        ndarray, 1-D

        Raises
        ------
        ValueError
            If there are not two dimensions.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[1, 2], [0, 3]])).diagonal()
        array([1, 3])
        """
        return self.tocoo().diagonal(k)

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Store values on a diagonal.

        Parameters
        ----------
        values : array_like
            A number for all elements of the diagonal, or one for each; those that are too many are
            ignored, and elements that have none stay.
        k : int, optional
            Which diagonal: 0 is the main one, those above are positive.

        Raises
        ------
        ValueError
            If there is no such diagonal, or `values` have more than one dimension.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.coo_array((2, 2))
        >>> a.setdiag(3)
        >>> a.toarray()
        array([[3., 0.],
               [0., 3.]])
        """
        raise NotImplementedError(f"setdiag: not of the format {self.format}")

    def _diagonal_values(self, values: Any, k: int) -> tuple[Any, int]:
        """What is stored on a diagonal, in the array's dtype, and how many elements that sets."""
        rows, columns = self._shape_2d
        if (k > 0 and k >= columns) or (k < 0 and -k >= rows):
            raise ValueError("k exceeds array dimensions")
        given = astype(asarray(values), self.dtype)
        if given.ndim > 1:
            raise ValueError(
                f"setdiag: values have one dimension at most, not the shape {given.shape}"
            )
        length = min(rows + min(k, 0), columns - max(k, 0))
        return given, min(length, given.size) if given.ndim else length

    # ---- what Python asks ----

    def __repr__(self) -> str:
        return _printing.summary(self)

    def __str__(self) -> str:
        return _printing.text(self)

    def __bool__(self) -> bool:
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or "
            "a.all()."
        )

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz() or shape[0]")

    def __iter__(self) -> Iterator[Any]:
        if self.ndim > 2:
            yield from (self[i] for i in range(self.shape[0]))
            return
        for row in self.tocsr():
            # Diagonals and blocks have two dimensions: rows of arrays stay csr.
            fits = isinstance(row, SparseBase) and (row.ndim == 2 or self.format == "coo")
            yield row.asformat(self.format) if fits else row


if TYPE_CHECKING:

    class _Sparse(
        ArraySignatures["sparray", coo_array, csr_array, csc_array, dia_array, bsr_array],
        SparseBase,
    ):
        """What operations of arrays return."""
else:
    _Sparse = object


class sparray(_Sparse):
    """What all sparse arrays are: `coo_array`, `csr_array`, `csc_array`, `dia_array`, `bsr_array`.

    It cannot be made itself. Products of arrays with ``*`` are element-wise, and those with ``@``
    are matrix products.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> isinstance(sparse.csr_array(cp.eye(2)), sparse.sparray)
    True
    """


def issparse(x: object) -> bool:
    """Whether an object is a sparse array or matrix of this package.

    Parameters
    ----------
    x : object
        What is asked about.

    Returns
    -------
    bool
        Whether.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.issparse(sparse.csr_array(cp.eye(2))), sparse.issparse(cp.eye(2))
    (True, False)
    """
    return isinstance(x, SparseBase)
