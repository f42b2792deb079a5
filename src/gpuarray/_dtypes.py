"""The dtypes that device code knows: short codes, C++ names and categories.

Which dtype an operation computes in and returns is NumPy's to say (``resolve_dtypes`` of its
ufuncs); this module only says which dtypes exist on a device and what they are called there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpuarray.errors import UnsupportedDTypeError


class DTypeInfo(NamedTuple):
    """What device code needs to know of one dtype."""

    code: str  # 'f4': kind and bytes, a bool is 'b1'
    cpp_name: str
    category: str  # 'bool', 'signed', 'unsigned', 'float' or 'complex'
    itemsize: int
    header: str  # include name of the header that defines cpp_name, '' for types.cuh


_INFO = {
    info.code: info
    for info in (
        DTypeInfo("b1", "bool", "bool", 1, ""),
        DTypeInfo("i1", "int8_t", "signed", 1, ""),
        DTypeInfo("i2", "int16_t", "signed", 2, ""),
        DTypeInfo("i4", "int32_t", "signed", 4, ""),
        DTypeInfo("i8", "int64_t", "signed", 8, ""),
        DTypeInfo("u1", "uint8_t", "unsigned", 1, ""),
        DTypeInfo("u2", "uint16_t", "unsigned", 2, ""),
        DTypeInfo("u4", "uint32_t", "unsigned", 4, ""),
        DTypeInfo("u8", "uint64_t", "unsigned", 8, ""),
        DTypeInfo("f2", "float16", "float", 2, "gpuarray/float16.cuh"),
        DTypeInfo("f4", "float", "float", 4, ""),
        DTypeInfo("f8", "double", "float", 8, ""),
        DTypeInfo("c8", "complex<float>", "complex", 8, "gpuarray/complex.cuh"),
        DTypeInfo("c16", "complex<double>", "complex", 16, "gpuarray/complex.cuh"),
    )
}

#: Every supported code, in NumPy's promotion order.
CODES: tuple[str, ...] = tuple(_INFO)

_DTYPE_OF_CODE = {code: np.dtype("?" if code == "b1" else code) for code in CODES}


def _canonical_table() -> dict[np.dtype, np.dtype]:
    """Native dtypes to their one representative; C's long and long long are one device type."""
    table: dict[np.dtype, np.dtype] = {}
    for char in "?bBhHiIlLqQefdFD":
        dtype = np.dtype(char)
        code = "b1" if char == "?" else dtype.kind + str(dtype.itemsize)
        table[dtype] = _DTYPE_OF_CODE[code]
    return table


_CANONICAL = _canonical_table()
_CODE_OF_DTYPE = {dtype: code for code, dtype in _DTYPE_OF_CODE.items()}


def parsed(dtype: Any) -> np.dtype:
    """NumPy's dtype of something that stands for one."""
    try:
        return np.dtype(dtype)
    except UnicodeEncodeError:
        raise TypeError(f"data type {dtype!r} not understood") from None


def canonical(dtype: object) -> np.dtype:
    """Return the supported, native-endian dtype that `dtype` stands for.

    Parameters
    ----------
    dtype : dtype_like
        Anything that ``numpy.dtype`` accepts.

    Returns
    -------
    numpy.dtype
        The representative of the dtype: equal dtypes give the same object.

    Raises
    ------
    UnsupportedDTypeError
        If device code has no such type (a TypeError).
    """
    result = dtype if isinstance(dtype, np.dtype) else parsed(dtype)
    # Metadata and big-endian variants hash or compare differently, so they are not in the table.
    found = _CANONICAL.get(result)
    if found is None:
        raise _unsupported(result)
    return found


def can_cast(source: Any, target: np.dtype, casting: Any) -> bool:
    """Whether a rule that a user gave allows a cast: NumPy's answer."""
    try:
        return np.can_cast(source, target, casting)
    except UnicodeEncodeError:
        raise no_casting(casting) from None


def no_casting(casting: object) -> ValueError:
    """The error for a text that is the name of no casting rule."""
    return ValueError(
        f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got {casting!r})"
    )


def code(dtype: object) -> str:
    """Return the short code of a supported dtype, such as ``'f4'``."""
    return _CODE_OF_DTYPE[canonical(dtype)]


def dtype_of(code: str) -> np.dtype:
    """Return the NumPy dtype of a code: the reverse of `code`."""
    return _DTYPE_OF_CODE[code]


def info(code: str) -> DTypeInfo:
    """Return what device code needs to know of the dtype with this code."""
    return _INFO[code]


def cpp_name(code: str) -> str:
    """Return the C++ type of a code, as the ``.cuh`` files name it."""
    return _INFO[code].cpp_name


def category(code: str) -> str:
    """Return 'bool', 'signed', 'unsigned', 'float' or 'complex'."""
    return _INFO[code].category


def itemsize(code: str) -> int:
    """Return the bytes of one element."""
    return _INFO[code].itemsize


def _unsupported(dtype: np.dtype) -> TypeError:
    supported = ", ".join(_DTYPE_OF_CODE[code].name for code in CODES)
    if dtype.hasobject:
        remedy = "objects live on the host: keep such an array in NumPy"
    elif not dtype.isnative and dtype.newbyteorder("=") in _CANONICAL:
        remedy = f"convert to native byte order first: x.astype({dtype.newbyteorder('=').name!r})"
    elif dtype.kind in "mM":
        remedy = "use its 64-bit integers: x.view('int64')"
    elif dtype.kind in "fc":
        remedy = "the device has no wider floats: convert to float64 or complex128"
    elif dtype.names is not None:
        remedy = "use one array per field"
    else:
        remedy = "convert the values to a supported dtype on the host"
    return UnsupportedDTypeError(
        f"dtype {dtype.str if dtype.names is None else dtype} is not supported on the device; "
        f"supported are {supported}. Remedy: {remedy}."
    )


def holds(dtype: np.dtype, value: int) -> bool:
    """Whether an integer becomes a dtype's number, but for rounding."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return bool(limits.min <= value <= limits.max)
    try:
        float(value)
    except OverflowError:
        return dtype.kind == "b"
    return True
