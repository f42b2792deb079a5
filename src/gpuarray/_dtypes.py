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
    category: str  # 'bool', 'signed', 'unsigned', 'float', 'complex', 'time' or 'raw'
    itemsize: int
    header: str  # include name of the header that defines cpp_name, '' for types.cuh


# Dtypes that are met later join: bfloat16 (ml_dtypes is not imported for it), times of a unit, and
# elements that are only moved.
_INFO: dict[str, DTypeInfo] = {
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

#: The codes of numbers that NumPy has, in its promotion order.
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

#: Structured dtypes and units of time that are remembered; equal ones are one object until the
#: table is full.
_MOST_DTYPES = 4096
_remembered: dict[np.dtype, np.dtype] = {}

_BFLOAT16 = DTypeInfo("bf2", "bfloat16", "float", 2, "gpuarray/bfloat16.cuh")


def parsed(dtype: Any) -> np.dtype:
    """NumPy's dtype of something that stands for one."""
    if hasattr(dtype, "__cuda_array_interface__"):  # NumPy would take the dtype that it has
        raise TypeError("Cannot construct a dtype from an array")
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
        found = _remembered.get(result)
        if found is None:
            found = _remember(result)
    return found


def _remember(dtype: np.dtype) -> np.dtype:
    """A dtype that no table has yet as its own representative."""
    native = dtype if dtype.kind == "V" and dtype.names is None else dtype.newbyteorder("=")
    if native.kind in "iufcb" and native in _CANONICAL:
        return _CANONICAL[native]
    if _is_bfloat16(native):
        _INFO["bf2"], _DTYPE_OF_CODE["bf2"] = _BFLOAT16, native
        _CODE_OF_DTYPE[native] = "bf2"
        return _CANONICAL.setdefault(native, native)
    if native.kind not in "mM":
        _check_raw(native, native)
    if len(_remembered) >= _MOST_DTYPES:
        _remembered.clear()
    return _remembered.setdefault(native, native)


def _ml_dtypes() -> Any:
    """The package that bfloat16 comes from, which is imported for nothing else."""
    try:
        import ml_dtypes
    except ImportError:
        raise UnsupportedDTypeError(
            "arrays of bfloat16 need the package ml_dtypes, which is not installed: "
            "pip install ml_dtypes"
        ) from None
    return ml_dtypes


def finfo(dtype: np.dtype) -> Any:
    """``numpy.finfo`` of a dtype, or that of ml_dtypes for bfloat16."""
    if dtype.kind == "V" and kind(canonical(dtype)) == "f":
        return _ml_dtypes().finfo(dtype)
    return np.finfo(dtype)


def _is_bfloat16(dtype: np.dtype) -> bool:
    return dtype.name == "bfloat16" and dtype.type.__module__ == "ml_dtypes"


def _check_raw(dtype: np.dtype, whole: np.dtype) -> None:
    """Refuse a dtype that is neither void nor consists of fields with supported dtypes."""
    if dtype is whole and dtype.kind == "V" and not dtype.itemsize:
        raise UnsupportedDTypeError(
            f"dtype {dtype} has elements of no bytes, which device memory cannot hold; use one "
            "with a field or a length"
        )
    if dtype.subdtype is not None:
        if dtype is whole:
            raise UnsupportedDTypeError(
                f"dtype {dtype} is a subarray, which only fields of a structured dtype and the "
                "functions that take a shape can have; append its shape to that of the array"
            )
        _check_raw(dtype.subdtype[0], whole)
    elif dtype.names is not None and dtype.fields is not None:
        for name in dtype.names:
            _check_raw(dtype.fields[name][0], whole)
    elif not (
        dtype in _CANONICAL
        or dtype.kind in "mM"
        or _is_bfloat16(dtype)
        or (dtype.type is np.void and dtype.itemsize)
    ):
        raise _unsupported(dtype, whole)


def with_shape(dtype: Any) -> tuple[np.dtype, tuple[int, ...]]:
    """The canonical dtype of elements, and the shape that a subarray dtype appends."""
    found = dtype if isinstance(dtype, np.dtype) else parsed(dtype)
    base, shape = (found, ()) if found.subdtype is None else found.subdtype
    return canonical(base), shape


def check_native(dtype: np.dtype, name: str) -> None:
    """Refuse to read device memory in the other byte order; ``name`` is what would."""
    if not dtype.isnative:
        raise UnsupportedDTypeError(
            f"{name}: dtype {dtype.str} has another byte order than the device; supported are "
            f"native ones. Remedy: swap bytes, x.view({dtype.newbyteorder('=').str!r}).byteswap()."
        )


def kind(dtype: np.dtype) -> str:
    """NumPy's letter for the kind of a dtype; 'f' for bfloat16, which NumPy takes for a void."""
    found = dtype.kind
    return "f" if found == "V" and dtype in _CODE_OF_DTYPE else found


def is_raw(dtype: np.dtype) -> bool:
    """Whether elements are structures or bytes, which are moved and not computed with."""
    return dtype.kind == "V" and dtype not in _CODE_OF_DTYPE


def alignment(dtype: np.dtype) -> int:
    """What the address of an element is a multiple of."""
    if not is_raw(dtype):
        return dtype.itemsize
    return min(dtype.itemsize & -dtype.itemsize, 8)


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
    found = canonical(dtype)
    short = _CODE_OF_DTYPE.get(found)
    if short is not None:
        return short
    if found.kind == "V":
        return f"V{found.itemsize}"
    unit, count = np.datetime_data(found)
    return f"{found.kind}8_{'' if count == 1 else count}{unit}"


def dtype_of(code: str) -> np.dtype:
    """Return the NumPy dtype of a code: the reverse of `code`, but a structure becomes bytes."""
    found = _DTYPE_OF_CODE.get(code)
    if found is None and code == "bf2":
        found = canonical(_ml_dtypes().bfloat16)
    if found is None:
        name, _, unit = code.partition("_")
        found = canonical(f"{name}[{unit}]" if unit else name)
    return found


def info(code: str) -> DTypeInfo:
    """Return what device code needs to know of the dtype with this code."""
    found = _INFO.get(code)
    if found is None:
        if code[0] == "V":
            size = int(code[1:])
            found = DTypeInfo(code, f"Bytes<{size}>", "raw", size, "gpuarray/bytes.cuh")
        else:
            found = DTypeInfo(code, "int64_t", "time", 8, "")
        _INFO[code] = found
    return found


def cpp_name(code: str) -> str:
    """Return the C++ type of a code, as the ``.cuh`` files name it."""
    return info(code).cpp_name


def category(code: str) -> str:
    """Return 'bool', 'signed', 'unsigned', 'float', 'complex', 'time' or 'raw'."""
    return info(code).category


def itemsize(code: str) -> int:
    """Return the bytes of one element."""
    return info(code).itemsize


def narrow_float(code: str) -> bool:
    """Whether a dtype is a float of 16 bits, of which arithmetic is done in float32."""
    return code in ("f2", "bf2")


def is_narrow_float(dtype: np.dtype) -> bool:
    """`narrow_float` of a dtype."""
    return dtype.itemsize == 2 and kind(dtype) == "f"


def _unsupported(dtype: np.dtype, whole: np.dtype) -> TypeError:
    supported = ", ".join(_DTYPE_OF_CODE[code].name for code in CODES)
    if dtype.hasobject:
        remedy = "objects live on the host: keep such an array in NumPy"
    elif dtype.kind in "SUT":
        remedy = (
            "keep text in NumPy, and numbers that stand for it on the device: "
            "numpy.unique(x, return_inverse=True)"
        )
    elif dtype.kind in "fc":
        remedy = "the device has no wider floats: convert to float64 or complex128"
    elif dtype.kind == "V":
        remedy = "convert the values to bfloat16 or float16 on the host, or view them as integers"
    else:
        remedy = "convert the values to a supported dtype on the host"
    within = "" if dtype is whole else f", a field of {whole},"
    return UnsupportedDTypeError(
        f"dtype {dtype.name if dtype.kind == 'V' else dtype.str}{within} is not supported on the "
        f"device; supported are {supported}, bfloat16 of ml_dtypes, datetime64 and timedelta64, "
        f"and structures of these. Remedy: {remedy}."
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
