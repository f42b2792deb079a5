"""Copies and views of arrays in another dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _broadcasting, _dtypes, _interchange, _layout
from gpuarray._array import ArrayBase
from gpuarray._namespace.called_name import called_name
from gpuarray._ops.conversion import asarray, is_so
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.placement import given_device, on_device
from gpuarray._ops.stored_values import as_host_scalar
from gpuarray._ops.subclassing import as_class, is_array_class
from gpuarray._runtime.current_stream import current
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._runtime.device import Device
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["astype", "copyto"]

#: The default rule, which allows every cast: Python has one object for all literals of this text.
_UNSAFE = "unsafe"


def astype(
    a: ndarray,
    dtype: DTypeLike,
    order: str = "K",
    casting: str = "unsafe",
    subok: bool = True,
    copy: bool = True,
    *,
    device: Device | None = None,
) -> ndarray:
    """A copy of an array in another dtype (``ndarray.astype``).

    Parameters
    ----------
    a : ndarray
        The array.
    dtype : dtype
        The other dtype.
    order : {'K', 'C', 'F', 'A'}, optional
        Memory order of the copy.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Which casts are allowed.
    subok : bool, optional
        Ignored: there are no subclasses.
    copy : bool, optional
        False returns the array itself where its dtype and order are those already.
    device : Device, optional
        Where the result will be; on the device of the array by default.

    Returns
    -------
    ndarray
        A copy, or the array.

    Raises
    ------
    TypeError
        If the casting rule forbids it, or `x` is no device array.

    Warns
    -----
    ComplexWarning
        If imaginary parts are discarded.

    Differences from NumPy
    ----------------------
    NumPy leaves to the machine what becomes of a float that an integer dtype does not hold. Here,
    and in copies of host arrays, the conversion saturates: to the bounds of the dtype for int32,
    int64 and positive numbers in uint64, else to those of int32 (of int64 for uint32 and negative
    numbers), of which the low bits are kept. NaN becomes 0, or the lowest number where one of the
    two has 64 bits.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.astype(cp.array([1.5, -1e20, 1e20]), "i4")
    array([          1, -2147483648,  2147483647], dtype=int32)
    """
    try:
        layout = a._layout
    except AttributeError:
        raise TypeError(
            f"astype: Input should be a gpuarray array, got {type(a).__name__}; use asarray(...)"
        ) from None
    if device is not None:
        with given_device(device, "astype"):
            moved = on_device(a, device)
            return astype(moved, dtype, order, casting, subok, copy and moved is a)
    found = _dtypes.canonical(dtype)
    if casting is not _UNSAFE and not _dtypes.can_cast(layout.dtype, found, casting):
        raise TypeError(
            f"Cannot cast array data from {layout.dtype!r} to {found!r} according to the rule "
            f"'{casting}'"
        )
    if not copy and is_so(layout, found, _arguments.check_order(order)):
        return a
    return copies.copy_there(a, order, found)


def view(a: ndarray, dtype: DTypeLike | None = None, type: type | None = None) -> ndarray:
    """The same memory read as another dtype, or as an array of another class (``ndarray.view``).

    Parameters
    ----------
    dtype : dtype, optional
        How the memory is read. A class of arrays here is the `type`.
    type : type, optional
        A class that is derived from ndarray, which the view will be of; its ``__array_finalize__``
        is called.

    Returns
    -------
    ndarray
        Of the same memory.

    Raises
    ------
    ValueError
        If the elements of the other dtype do not fit the memory, or the class is not one of arrays.

    Differences from NumPy
    ----------------------
    A view in which elements would not be at multiples of their size raises ValueError.
    """
    layout = a._layout
    try:
        kept = layout.reshapes.get((view, dtype, type))
    except TypeError:  # without a hash
        kept = None
    if kept is not None:
        return _array.shifted(a, kept, 0)
    if type is not None or is_array_class(dtype):
        return _as_class(a, dtype, type)
    if dtype is None:
        result = _array.view(a, layout)
        _layout.keep_view(layout.reshapes, (view, None, None), result._layout)
        return result
    given = _dtypes.parsed(dtype)
    found = _dtypes.canonical(given)
    _dtypes.check_native(given, "view")
    size, itemsize = found.itemsize, layout.itemsize
    shape, strides = layout.shape, layout.strides
    if size != itemsize:
        if not shape:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize "
                             f"is unchanged: {layout.dtype} to {found}")  # fmt: skip
        if strides[-1] != itemsize and shape[-1] != 1 and layout.size:
            raise ValueError(
                "To change to a dtype of a different size, the last axis must be contiguous: "
                f"strides are {strides}"
            )
        last, rest = divmod(shape[-1] * itemsize, size)
        if rest:
            raise ValueError(
                f"When changing to a larger dtype, its size must be a divisor of the total size "
                f"in bytes of the last axis of the array: {shape[-1] * itemsize} and {size}"
            )
        shape, strides = shape[:-1] + (last,), strides[:-1] + (size,)
    target = _array.aligned(
        "view", _layout.layout_of(found, shape, strides), _array.address_of(a),
        "copy the array first: x.copy().view(...)",
    )  # fmt: skip
    result = _array.view(a, target)
    # An array at another address may have no view of larger elements.
    if size <= itemsize and isinstance(dtype, _HASHABLE):
        _layout.keep_view(layout.reshapes, (view, dtype, None), result._layout)
    return result


#: What stands for a dtype and can be a key.
_HASHABLE = (str, type, np.dtype)


def _as_class(a: Any, dtype: Any, cls: Any) -> Any:
    """A view of a class of arrays, read as another dtype first where there is one."""
    if cls is None:
        dtype, cls = None, dtype
    elif is_array_class(dtype):
        raise ValueError("view: Cannot specify output type twice")
    if not is_array_class(cls):
        raise ValueError(f"view: Type must be a sub-type of ndarray type, got {cls!r}")
    result = view(a, dtype)
    return result if cls is _array.array_class else as_class(result, cls, a)


def _is_held(dst: ndarray, number: Any) -> bool:
    """Whether a number of NumPy's is one that a kernel for the dtype takes as it is."""
    kind = dst._layout.dtype.kind
    if isinstance(number, np.integer):
        return kind in "iuf"
    return isinstance(number, np.floating) and kind == "f"


#: Kinds of dtypes and Python's numbers that a kernel for the dtype takes as they are.
_HELD = frozenset([("b", bool), ("i", int), ("u", int), ("f", int), ("f", float), ("c", complex)])


def copyto(
    dst: ndarray, src: ArrayLike, casting: str = "same_kind", where: ArrayLike = True
) -> None:
    """Store values in an array.

    Parameters
    ----------
    dst : ndarray
        Where to.
    src : ndarray or scalar
        The values; they broadcast to `dst`.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Which casts are allowed.
    where : bool or ndarray of bool, optional
        Which elements are stored.

    Raises
    ------
    TypeError
        If the casting rule forbids it, or `dst` is no device array.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.zeros(3)
    >>> cp.copyto(x, cp.arange(3))
    >>> x
    array([0., 1., 2.])
    """
    if where is True and isinstance(dst, ArrayBase) and isinstance(src, ArrayBase):
        layout = dst._layout
        if layout.dtype is src._layout.dtype and casting == "same_kind":
            copies.assign(dst, src)
            return
    key: Any = None
    if isinstance(dst, ArrayBase) and isinstance(where, ArrayBase) and type(casting) is str:
        stored = src._layout if isinstance(src, ArrayBase) else type(src)
        key = (copyto, dst._layout, stored, where._layout, casting)
        run = current.stream.plans.get(key)
        memory = dst._memory
        if run is not None and where._memory is not memory:
            if getattr(src, "_memory", None) is not memory:
                try:
                    run(src, where, dst)
                    return
                except OverflowError:  # a number that the dtype does not hold: see below
                    pass
    if not isinstance(dst, _array.array_class):
        raise TypeError(
            f"copyto: dst must be a gpuarray array, got {type(dst).__name__}; use asnumpy to "
            "fetch an array"
        )
    _layout.check_writable(dst._layout, "copyto")
    given = src
    if isinstance(src, list | np.ndarray):
        src = asarray(src)
    src = _interchange.as_operand(src, "copyto")
    if isinstance(src, bool | int | float | complex):
        # Python's numbers are weak: 1 may go to float32, 1.5 may not go to int64.
        allowed = _dtypes.can_cast(np.result_type(dst.dtype, src), dst.dtype, casting)
        kind: Any = type(src).__name__
    else:
        kind = src.dtype  # type: ignore[union-attr]  # an array or a NumPy number
        allowed = _dtypes.can_cast(kind, dst.dtype, casting)
    if not allowed:
        raise TypeError(
            f"Cannot cast array data from {kind!r} to {dst.dtype!r} according to the rule "
            f"'{casting}'"
        )
    if isinstance(src, np.generic | float | complex):
        # The rule allows the cast of a number as that of an array, whatever becomes of its value.
        with np.errstate(all="ignore"):
            number: Any = _interchange.cast_on_host(np.asarray(src), dst.dtype)[()]
        src = number
    if where is True:
        dst[...] = src
        return
    if isinstance(where, np.ndarray):
        where = asarray(where)
    mask = _interchange.as_mask(where, "copyto")
    if not isinstance(mask, ArrayBase):
        mask = asarray(mask)
    if not isinstance(src, ArrayBase):
        src = as_host_scalar(src, dst.dtype, "copyto")
        if _dtypes.is_raw(dst.dtype):
            src = _interchange.scalar_array(src, dst.dtype)
    else:
        broadcast_to(
            _array.view(src, _broadcasting.without_leading_ones(src._layout, dst.ndim)), dst.shape
        )
    broadcast_to(mask, dst.shape)  # refuses other shapes
    kept = copies.assign_where(dst, src, mask)
    alike = src is given or (dst.dtype.kind, type(given)) in _HELD or _is_held(dst, given)
    if key is not None and kept is not None and mask is where and alike:
        if not any(x._layout.foreign for x in (dst, src, mask) if isinstance(x, ArrayBase)):
            current.stream.keep_plan(key, kept)


def store_result(
    result: ndarray, out: ndarray | None, name: str, casting: str = "same_kind"
) -> ndarray:
    """The result, stored in ``out`` if that is given."""
    if out is None:
        return result
    if not isinstance(out, ArrayBase) or out._layout.shape != result._layout.shape:
        raise ValueError(
            f"{called_name(name)}: out must be an array of shape {result._layout.shape}"
        )
    _layout.check_writable(out._layout, name)
    copyto(out, result, casting)
    return out
