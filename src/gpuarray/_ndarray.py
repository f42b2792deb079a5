"""The array class: operators and methods, a line each.

Where a line is longer, the method is on the path of small operations: what a look-up can answer
is answered here.
"""

from __future__ import annotations

from math import prod
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np

from gpuarray import _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._namespace.signatures import as_method
from gpuarray._ops import (
    attributes,
    averages,
    binary_files,
    bitwise,
    byte_order,
    casts,
    choices,
    complex_numbers,
    creation,
    cumulative,
    cupy_methods,
    dimensions,
    dispatch,
    host_copies,
    indexing,
    inspection,
    interchange,
    iterating,
    logic,
    manipulation,
    math,
    nonzero,
    order_statistics,
    partitioning,
    placement,
    printing,
    products,
    rearranging,
    rounding,
    searching,
    selection,
    sorting,
    statistics,
    subclassing,
    subscripts,
    sums,
    taking,
    traces,
    transposing,
    truth,
)
from gpuarray._ops.flags import Flags, set_flags
from gpuarray._ufunc import operators
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from gpuarray._ops.iterating import flatiter
    from gpuarray._runtime.device import Device
    from gpuarray._runtime.memory_pointer import MemoryPointer
    from gpuarray._types import ArrayLike, Attribute, DTypeLike, Operand, WritableAttribute

__all__ = ["ndarray"]

_new = object.__new__


class ndarray(ArrayBase):
    """An array of elements of one dtype in device memory.

    Functions such as `array`, `zeros` and `arange` make arrays; the class itself is for arrays
    over memory that you have.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the array.
    dtype : dtype, optional
        Dtype of the elements, float64 by default.
    memptr : gpuarray.cuda.MemoryPointer, optional
        Where the first element is; new memory by default.
    strides : tuple of int, optional
        Bytes from an element to the next along each axis.
    order : {'C', 'F'}, optional
        Memory order without `strides`.

    Differences from NumPy
    ----------------------
    Elements and results without dimensions are arrays, not scalars. In an index, an array of
    indices in device memory cannot raise on a GPU: indices out of bounds wrap around (lists and
    NumPy arrays, which are in host memory, raise IndexError; arrays do, too, with
    ``GPUARRAY_DEBUG=1`` and on the emulator). Where an
    assignment stores several values to one element, any of them may stay. An index that is an
    integer array without dimensions gives a copy. NumPy arrays are taken as indices and as what
    is assigned; operands of operators and functions they are not.
    Elements are at multiples of their size, which a device requires: a view or an array of another
    library in which they would not be raises ValueError. A number of NumPy's is stored as Python's
    number: one that does not fit an integer dtype raises, where NumPy casts it in some cases.

    A view keeps the memory of its base, not the base itself: where that is gone, `base` is an array
    of one dimension over the memory. Of a class that is derived from ndarray are the results of
    methods and operators, not those of functions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> memory = cp.cuda.alloc(12)
    >>> x = cp.ndarray((3,), dtype=cp.float32, memptr=memory)
    >>> x.fill(2)
    >>> x
    array([2., 2., 2.], dtype=float32)

    What NumPy's methods do, these do:

    >>> x = cp.asarray([[3, 1, 2], [6, 4, 5]])
    >>> x.sort()
    >>> x.transpose().copy().reshape(2, 3).tolist()
    [[1, 4, 2], [5, 3, 6]]
    >>> x.compress([True, False, True], axis=1).flatten().clip(2, 5)
    array([2, 3, 4, 5])
    >>> x.partition(1)
    >>> x.item(0), x.conj() is x, len(x.tobytes()), x.view("u8").dtype
    (1, True, 48, dtype('uint64'))
    >>> x.scatter_add(([0, 0], [0, 0]), 10)
    >>> x.scatter_max((0, 1), 7)
    >>> x.scatter_min((0, 2), 0)
    >>> x[0].astype("f4")
    array([21.,  7.,  0.], dtype=float32)
    >>> x.set(np.zeros((2, 3), dtype="i8"))
    >>> x.setflags(write=False)
    >>> x.reduced_view().shape
    (6,)
    >>> y = cp.arange(3)
    >>> y.resize(5)
    >>> y
    array([0, 1, 2, 0, 0])
    >>> import io, pickle
    >>> (pickle.loads(y.dumps()) == y).all()
    array(True)
    >>> y.dump(file := io.BytesIO())
    >>> y.tofile(file)
    >>> cp.from_dlpack(y.toDlpack())[1]
    array(1)
    """

    __slots__ = ()
    __array_priority__ = 100

    def __new__(
        cls,
        shape: int | Sequence[int],
        dtype: DTypeLike | None = None,
        memptr: MemoryPointer | None = None,
        strides: Sequence[int] | None = None,
        order: str = "C",
    ) -> Self:
        array = _new(cls)
        attributes.over_memory(array, shape, dtype, memptr, strides, order)
        if cls is not ndarray:
            array.__array_finalize__(None)
        return array

    def __init_subclass__(cls, *, own_results: bool = True, **kwargs: Any) -> None:
        """Let views and results of an array of a derived class be of that class.

        Without `own_results`, they are of ndarray itself.
        """
        super().__init_subclass__(**kwargs)
        if own_results and cls is not ndarray:  # whoever calls it on ndarray itself
            subclassing.derive(cls, ndarray)

    # ---- attributes ----------------------------------------------------------------------------

    dtype: Attribute[np.dtype] = property(
        attrgetter("_layout.dtype"), doc="The dtype of the elements."
    )
    shape: WritableAttribute[tuple[int, ...], int | Sequence[int]] = property(
        attrgetter("_layout.shape"), attributes.set_shape, doc="The lengths."
    )
    size: Attribute[int] = property(attrgetter("_layout.size"), doc="The number of elements.")
    ndim: Attribute[int] = property(attrgetter("_layout.ndim"), doc="The number of dimensions.")
    nbytes: Attribute[int] = property(attrgetter("_layout.nbytes"), doc="Bytes of all elements.")
    itemsize: Attribute[int] = property(attrgetter("_layout.itemsize"), doc="Bytes of an element.")
    strides: Attribute[tuple[int, ...]] = property(
        attrgetter("_layout.strides"), doc="Bytes from an element to the next."
    )
    base: Attribute[ndarray | None] = property(
        _array.base, doc="The array that a view was made of; None of an array that is no view."
    )
    flags: Attribute[Flags] = property(Flags, doc="How the array lies in memory.")
    data: Attribute[MemoryPointer] = property(
        attributes.data, doc="A pointer to the first element."
    )
    device: Attribute[Device] = property(attributes.device, doc="The device that the memory is on.")
    real: WritableAttribute[ndarray, Operand] = property(
        complex_numbers.real, complex_numbers.set_real, doc="The real parts."
    )
    imag: WritableAttribute[ndarray, Operand] = property(
        complex_numbers.imag, complex_numbers.set_imag, doc="The imaginary parts."
    )
    flat: WritableAttribute[flatiter, ArrayLike] = property(
        iterating.flat, iterating.set_flat, doc="The elements in C order, as one dimension."
    )
    mT: Attribute[ndarray] = property(
        transposing.matrix_transpose, doc="A view with the last two axes exchanged."
    )
    __cuda_array_interface__: Attribute[dict[str, Any]] = property(attributes.interface)

    @property
    def T(self) -> ndarray:
        """A view with the axes reversed."""
        layout = self._layout
        view = _new(ndarray)
        view._layout = layout.transposed or _layout.transpose(layout)
        try:
            view._memory = self._viewed  # type: ignore[attr-defined]  # see _array
        except _array.NotComputed:
            return _array.view_of_pending(self, view._layout)
        view._pointer = self._pointer
        return view

    # ---- shape and dtype -----------------------------------------------------------------------

    @overload
    def reshape(
        self, shape: int | Sequence[int], /, *, order: str = "C", copy: bool | None = None
    ) -> ndarray: ...

    @overload
    def reshape(self, *shape: int, order: str = "C", copy: bool | None = None) -> ndarray: ...

    @sharing(texts_of(manipulation.reshape))
    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> ndarray:
        """An array with the same elements in another shape; see `gpuarray.reshape`.

        Parameters
        ----------
        *shape : int or tuple of int
            The new shape; one length may be -1 and is worked out.
        {order}
        {copy}

        {Returns}

        {Raises}
        """
        if len(shape) == 1 and type(shape[0]) is tuple:
            shape = shape[0]
        try:
            # Only integers multiply to an int: 2.0 equals 2 as a key, but is no length.
            if order == "C" and copy is None and type(prod(shape)) is int:
                layout = self._layout.reshapes[shape]
                view = _new(ndarray)
                view._layout = layout
                view._memory = self._viewed  # type: ignore[attr-defined]  # see _array
                view._pointer = self._pointer
                return view
        except (KeyError, TypeError):
            pass
        except _array.NotComputed:
            return _array.view_of_pending(self, layout)
        return manipulation.reshape(self, shape[0] if len(shape) == 1 else shape, order, copy=copy)

    @overload
    def transpose(self, axes: Sequence[int] | None, /) -> ndarray: ...

    @overload
    def transpose(self, *axes: int) -> ndarray: ...

    @sharing(texts_of(transposing.transpose))
    def transpose(self, *axes: Any) -> ndarray:
        """A view with the axes in another order; see `gpuarray.transpose`.

        Parameters
        ----------
        *axes : sequence of int, optional
            The new order of the axes; reversed by default.

        {Returns}

        {Raises}
        """
        if not axes:
            return transposing.transpose(self)
        return transposing.transpose(self, axes[0] if len(axes) == 1 else axes)

    @sharing(texts_of(casts.astype))
    def astype(
        self,
        dtype: DTypeLike,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> ndarray:
        """A copy in another dtype; without `copy`, the array itself where it already is so.

        Parameters
        ----------
        {dtype}
        {order}
        {casting}
        {subok}
        {copy}

        {Returns}

        {Raises}
        """
        return casts.astype(self, dtype, order, casting, subok, copy)

    def copy(self, order: str = "C") -> ndarray:
        """A copy with memory of its own, on the same device.

        Parameters
        ----------
        order : {'C', 'F', 'A', 'K'}, optional
            The memory order of the copy; 'K' is nearest to that of the array.

        Returns
        -------
        ndarray
            The copy.
        """
        return copies.copy_there(self, order)

    view = casts.view
    ravel = manipulation.ravel
    flatten = manipulation.flatten
    squeeze = dimensions.squeeze
    swapaxes = transposing.swapaxes
    repeat = rearranging.repeat
    fill = creation.fill
    setflags = as_method(set_flags, "setflags")
    byteswap = byte_order.byteswap
    resize = attributes.resize

    # ---- to and from the host ------------------------------------------------------------------

    get = as_method(host_copies.asnumpy, "get")
    set = as_method(host_copies.set_from_host, "set")
    record_stream = attributes.record_stream
    item = attributes.item
    tofile = as_method(binary_files.to_file, "tofile")
    dump = binary_files.dump
    dumps = binary_files.dumps
    to_device = placement.to_device

    def tolist(self) -> Any:
        """Nested lists of Python numbers; the number itself of an array without dimensions.

        Returns
        -------
        list or scalar
            Of the shape of the array.
        """
        return host_copies.asnumpy(self).tolist()

    def tobytes(self, order: str = "C") -> bytes:
        """The bytes of the elements.

        Parameters
        ----------
        order : {'C', 'F', 'A'}, optional
            The order of the elements; with 'A', Fortran order of an array that is in it.

        Returns
        -------
        bytes
            In memory of the host.
        """
        return attributes.to_bytes(self, order)

    # ---- computation ---------------------------------------------------------------------------

    all = truth.all
    any = truth.any
    argmax = searching.argmax
    argmin = searching.argmin
    argpartition = partitioning.argpartition
    argsort = sorting.argsort
    max = statistics.max
    mean = statistics.mean
    min = statistics.min
    partition = as_method(partitioning.partition_in_place, "partition")
    prod = sums.prod
    sort = as_method(sorting.sort_in_place, "sort")
    std = averages.std
    sum = sums.sum
    var = averages.var
    cumsum = cumulative.cumsum
    cumprod = cumulative.cumprod
    round = rounding.round
    searchsorted = searching.searchsorted
    choose = choices.choose
    put = taking.put
    take = taking.take
    nonzero = nonzero.nonzero
    diagonal = indexing.diagonal
    trace = traces.trace
    dot = products.dot

    @sharing(texts_of(selection.clip))
    def clip(
        self,
        min: Operand | None = None,
        max: Operand | None = None,
        out: ndarray | None = None,
        **kwargs: Any,
    ) -> ndarray:
        """The elements limited to an interval; see `gpuarray.clip`.

        Parameters
        ----------
        {min}
        {out}

        {Returns}

        {Raises}
        """
        return selection.clip(self, min, max, out, **kwargs)

    @sharing(texts_of(indexing.compress))
    def compress(
        self, condition: ArrayLike, axis: int | None = None, out: ndarray | None = None
    ) -> ndarray:
        """The parts along an axis for which a condition is true; see `gpuarray.compress`.

        Parameters
        ----------
        {condition}
        {axis}
        {out}

        {Returns}

        {Raises}
        """
        return indexing.compress(condition, self, axis, out)

    def conj(self) -> ndarray:
        """The complex conjugate.

        Returns
        -------
        ndarray
            The array itself where it is real.
        """
        return math.conjugate(self) if self._layout.dtype.kind == "c" else self

    conjugate = conj

    ptp = order_statistics.ptp
    reduced_view = cupy_methods.reduced_view
    scatter_add = cupy_methods.scatter_add
    scatter_max = cupy_methods.scatter_max
    scatter_min = cupy_methods.scatter_min

    # ---- Python's protocols --------------------------------------------------------------------

    __getitem__ = subscripts.getitem
    __setitem__ = subscripts.setitem
    __len__ = attributes.length
    __iter__ = attributes.iterate
    __contains__ = attributes.contains
    __repr__ = printing.array_repr
    __str__ = printing.array_str
    __bool__ = attributes.as_bool
    __index__ = attributes.as_index
    __round__ = rounding.rounded_scalar
    __reduce__ = subclassing.reduce
    __deepcopy__ = attributes.deepcopy
    __class_getitem__: Any = classmethod(attributes.parametrized)

    def __float__(self) -> float:
        return float(attributes.host_number(self))

    def __int__(self) -> int:
        return int(attributes.host_number(self))

    def __complex__(self) -> complex:
        return complex(attributes.host_number(self))

    __format__ = attributes.formatted
    __delitem__ = attributes.refuse_deletion

    def __bytes__(self) -> bytes:
        return self.tobytes()

    def __copy__(self) -> ndarray:
        return copies.copy_there(self)

    # ---- NumPy's protocols ---------------------------------------------------------------------

    __array__ = dispatch.to_host_array
    __array_finalize__ = subclassing.array_finalize
    __array_wrap__ = subclassing.array_wrap
    __array_ufunc__ = dispatch.array_ufunc
    __array_function__ = dispatch.array_function

    # ---- the array API standard ----------------------------------------------------------------

    __array_namespace__ = inspection.array_namespace
    __dlpack__ = interchange.to_dlpack
    __dlpack_device__ = interchange.dlpack_device

    def toDlpack(self) -> Any:
        """A DLPack capsule (CuPy's name); `gpuarray.from_dlpack` takes arrays and capsules.

        Returns
        -------
        capsule
            That of ``__dlpack__``.
        """
        return interchange.to_dlpack(self)

    # ---- operators -----------------------------------------------------------------------------

    __add__ = operators.binary_operator(math.add)
    __sub__ = operators.binary_operator(math.subtract)
    __mul__ = operators.binary_operator(math.multiply)
    __truediv__ = operators.binary_operator(math.divide)
    __floordiv__ = operators.binary_operator(math.floor_divide)
    __mod__ = operators.binary_operator(math.remainder)
    __pow__ = operators.power_operator(math.power, math.square)
    __matmul__ = operators.binary_operator(products.matmul)
    __lshift__ = operators.binary_operator(bitwise.left_shift)
    __rshift__ = operators.binary_operator(bitwise.right_shift)
    __and__ = operators.binary_operator(bitwise.bitwise_and)
    __or__ = operators.binary_operator(bitwise.bitwise_or)
    __xor__ = operators.binary_operator(bitwise.bitwise_xor)
    __radd__ = operators.binary_operator(math.add, reflected=True)
    __rsub__ = operators.binary_operator(math.subtract, reflected=True)
    __rmul__ = operators.binary_operator(math.multiply, reflected=True)
    __rtruediv__ = operators.binary_operator(math.divide, reflected=True)
    __rfloordiv__ = operators.binary_operator(math.floor_divide, reflected=True)
    __rmod__ = operators.binary_operator(math.remainder, reflected=True)
    __rpow__ = operators.binary_operator(math.power, reflected=True)
    __rmatmul__ = operators.binary_operator(products.matmul, reflected=True)
    __rlshift__ = operators.binary_operator(bitwise.left_shift, reflected=True)
    __rrshift__ = operators.binary_operator(bitwise.right_shift, reflected=True)
    __rand__ = operators.binary_operator(bitwise.bitwise_and, reflected=True)
    __ror__ = operators.binary_operator(bitwise.bitwise_or, reflected=True)
    __rxor__ = operators.binary_operator(bitwise.bitwise_xor, reflected=True)
    __iadd__ = operators.inplace_operator(math.add)
    __isub__ = operators.inplace_operator(math.subtract)
    __imul__ = operators.inplace_operator(math.multiply)
    __itruediv__ = operators.inplace_operator(math.divide)
    __ifloordiv__ = operators.inplace_operator(math.floor_divide)
    __imod__ = operators.inplace_operator(math.remainder)
    __imatmul__ = products.multiply_in_place
    __ipow__ = operators.inplace_operator(math.power)
    __ilshift__ = operators.inplace_operator(bitwise.left_shift)
    __irshift__ = operators.inplace_operator(bitwise.right_shift)
    __iand__ = operators.inplace_operator(bitwise.bitwise_and)
    __ior__ = operators.inplace_operator(bitwise.bitwise_or)
    __ixor__ = operators.inplace_operator(bitwise.bitwise_xor)
    __divmod__ = operators.binary_operator(math.divmod)
    __rdivmod__ = operators.binary_operator(math.divmod, reflected=True)
    __lt__ = operators.binary_operator(logic.less)
    __le__ = operators.binary_operator(logic.less_equal)
    # `object` has them return a bool.
    __eq__: ClassVar[Callable[[ndarray, Operand], ndarray]] = operators.binary_operator(  # type: ignore[assignment]
        logic.equal
    )
    __ne__: ClassVar[Callable[[ndarray, Operand], ndarray]] = operators.binary_operator(  # type: ignore[assignment]
        logic.not_equal
    )
    __gt__ = operators.binary_operator(logic.greater)
    __ge__ = operators.binary_operator(logic.greater_equal)
    __hash__ = None  # type: ignore[assignment]  # elements can change, as in NumPy
    __neg__ = operators.unary_operator(math.negative)
    __pos__ = operators.unary_operator(math.positive)
    __abs__ = operators.unary_operator(math.absolute)
    __invert__ = operators.unary_operator(bitwise.invert)


_array.register_array_class(ndarray)
