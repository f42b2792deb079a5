"""Functions that NumPy 1 had and CuPy still has; `_namespace/older_names.py` lists them."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._array import ArrayBase, address_of
from gpuarray._ops.conversion import asarray
from gpuarray._ops.sorting import sort

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = [
    "asfarray", "byte_bounds", "issctype", "issubclass_", "issubsctype", "make_aligned_dtype",
    "msort", "obj2sctype", "sctype2char", "who",
]  # fmt: skip


def asfarray(a: ArrayLike, dtype: DTypeLike = np.float64) -> ndarray:
    """An array of floats: of float64 where the dtype asked for is none of floats.

    Parameters
    ----------
    a : array_like
        The values.
    dtype : dtype, optional
        The dtype of the result.

    Returns
    -------
    ndarray
        `a` itself where possible.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.asfarray([1, 2])
    array([1., 2.])
    """
    found = _dtypes.parsed(dtype)
    return asarray(a, found if found.kind in "fc" else np.dtype(np.float64))


def byte_bounds(a: Any) -> tuple[int, int]:
    """The address of the first byte of an array, and that behind its last.

    Parameters
    ----------
    a : ndarray
        The array.

    Returns
    -------
    tuple of int
        The two addresses.

    Examples
    --------
    >>> import gpuarray as cp
    >>> low, high = cp.byte_bounds(cp.zeros((3, 4))[::2])
    >>> high - low
    96
    """
    if not isinstance(a, ArrayBase):
        raise TypeError(f"byte_bounds: expected a gpuarray array, got {type(a).__name__}")
    layout, address = a._layout, address_of(a)
    return address + layout.low, address + layout.high


def msort(a: ArrayLike) -> ndarray:
    """A copy of an array, sorted along its first axis.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    ndarray
        As ``sort(a, axis=0)``.

    Warns
    -----
    DeprecationWarning
        At each call.
    """
    warnings.warn("msort is deprecated; use sort(a, axis=0)", DeprecationWarning, stacklevel=2)
    return sort(asarray(a), axis=0)


def issubclass_(arg1: Any, arg2: Any) -> bool:
    """Whether a class is derived from another; False of what is no class.

    Parameters
    ----------
    arg1, arg2 : object
        The classes.

    Returns
    -------
    bool
        As ``issubclass``.
    """
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def obj2sctype(rep: Any, default: Any = None) -> Any:
    """The scalar type of an array, a dtype, or what stands for one.

    Parameters
    ----------
    rep : object
        The array or dtype.
    default : object, optional
        The result for anything else.

    Returns
    -------
    type
        A scalar type of NumPy's.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.obj2sctype("f4") is cp.float32
    True
    """
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    try:
        if isinstance(rep, np.ndarray | ArrayBase):
            return rep.dtype.type  # type: ignore[union-attr]  # the public class has it
        return np.dtype(rep).type
    except Exception:
        return default


def issubsctype(arg1: Any, arg2: Any) -> bool:
    """Whether the scalar type of an array or a dtype is derived from another's.

    Parameters
    ----------
    arg1, arg2 : ndarray or dtype
        As for `obj2sctype`.

    Returns
    -------
    bool
        As ``issubclass`` of the scalar types.
    """
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def sctype2char(sctype: Any) -> str:
    """The character of a scalar type.

    Parameters
    ----------
    sctype : ndarray or dtype
        As for `obj2sctype`.

    Returns
    -------
    str
        Such as 'f' for float32.

    Raises
    ------
    ValueError
        If there is no scalar type of it.
    """
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError(f"sctype2char: {sctype!r} has no scalar type")
    return np.dtype(found).char


def issctype(rep: Any) -> bool:
    """Whether an object is a scalar type or a dtype, other than of objects.

    Parameters
    ----------
    rep : object
        Anything.

    Returns
    -------
    bool
        False of an array, too.
    """
    if not isinstance(rep, type | np.dtype):
        return False
    return obj2sctype(rep) not in (None, np.object_)


def who(vardict: dict[str, Any] | None = None) -> None:
    """Print the names, shapes, sizes and dtypes of the arrays among variables.

    Parameters
    ----------
    vardict : dict, optional
        Variables by name; the caller's global ones by default.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.who({"x": cp.zeros((2, 3)), "n": 3})
    Name  Shape  Bytes  Type
    x     2 x 3  48     float64
    <BLANKLINE>
    Upper bound on total bytes: 48
    """
    variables = sys._getframe(1).f_globals if vardict is None else vardict
    rows = [("Name", "Shape", "Bytes", "Type")]
    first: dict[int, str] = {}
    total = 0
    for name in sorted(variables):
        x = variables[name]
        if isinstance(x, ArrayBase):
            layout = x._layout
            other = first.setdefault(id(x), name)
            total += layout.nbytes if other == name else 0
            label = name if other == name else f"{name} ({other})"
            lengths = " x ".join(map(str, layout.shape))
            rows.append((label, lengths, str(layout.nbytes), layout.dtype.name))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([text.ljust(width) for text, width in zip(row, widths, strict=True)]).rstrip()
        for row in rows
    ]
    sys.stdout.write("\n".join([*lines, "", f"Upper bound on total bytes: {total}", ""]))


#: Where CUDA wants an element to be, where that is another place than NumPy's.
_CUDA_ALIGNMENT = {np.dtype(np.complex64): 8, np.dtype(np.complex128): 16}


def make_aligned_dtype(dtype: DTypeLike, *, alignment: int = -1, recurse: bool = True) -> np.dtype:
    """A structured dtype whose fields are where C++ on the device has them.

    Parameters
    ----------
    dtype : dtype
        A structured dtype whose fields are in the order of their offsets, which are chosen anew.
    alignment : int, optional
        Bytes of which the place of each element is to be a multiple, a power of 2. It is kept in
        the dtype's metadata, for dtypes that this one becomes a field of.
    recurse : bool, optional
        Whether fields with fields of their own are aligned, too.

    Returns
    -------
    numpy.dtype
        With padding between and behind the fields.

    Raises
    ------
    ValueError
        If the dtype is not structured, its fields overlap or are in another order, or need a
        greater alignment.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.make_aligned_dtype([("a", "i1"), ("b", "c16")]).itemsize
    32
    """
    given = _dtypes.parsed(dtype)
    if given.fields is None:
        raise ValueError(f"make_aligned_dtype: {given} is not a structured dtype")
    if alignment != -1 and (alignment <= 0 or alignment & (alignment - 1)):
        raise ValueError(f"make_aligned_dtype: the alignment must be a power of 2, got {alignment}")
    return _aligned(given, alignment, recurse)[0]


def _aligned(dtype: np.dtype, alignment: int, recurse: bool) -> tuple[np.dtype, int]:
    """A structured dtype, and the alignment that it needs."""
    assert dtype.fields is not None
    assert dtype.names is not None
    formats, offsets = [], []
    end = stop = 0
    needed = 1
    for name in dtype.names:
        field, offset = dtype.fields[name][:2]
        if offset < end:
            raise ValueError(
                f"make_aligned_dtype: field {name!r} of {dtype} overlaps the one before it, or is "
                "in another order than the offsets"
            )
        end = offset + field.itemsize
        field, own = _field(field, recurse)
        stop += -stop % own
        formats.append(field)
        offsets.append(stop)
        stop += field.itemsize
        needed = max(needed, own)
    metadata = None
    if alignment != -1:
        if alignment < needed:
            raise ValueError(
                f"make_aligned_dtype: the fields of {dtype} need an alignment of {needed}, more "
                f"than {alignment}"
            )
        needed, metadata = alignment, {"__cuda_alignment__": alignment}
    itemsize = stop + -stop % needed
    described: Any = {
        "names": list(dtype.names), "formats": formats, "offsets": offsets, "itemsize": itemsize,
    }  # fmt: skip
    if metadata is None:
        return np.dtype(described, align=True), needed
    return np.dtype(described, align=True, metadata=metadata), needed


def _field(field: np.dtype, recurse: bool) -> tuple[np.dtype, int]:
    """A field's dtype, and the alignment that it needs."""
    metadata: Any = field.metadata or {}
    kept = metadata.get("__cuda_alignment__")
    if kept is not None:
        return field, kept
    if field.fields is not None:
        return _aligned(field, -1, True) if recurse else (field, field.alignment)
    return field, _CUDA_ALIGNMENT.get(field.base, field.base.alignment)
