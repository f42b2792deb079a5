"""NumPy on NVIDIA GPUs, in pure Python.

Use it as NumPy: ``import gpuarray as cp``. Arrays live in device memory; `asarray` and `asnumpy`
move data between the host and the device.
"""

from __future__ import annotations

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from numpy import (
    bool,
    bool_,
    byte,
    cdouble,
    complex64,
    complex128,
    complexfloating,
    csingle,
    double,
    dtype,
    e,
    euler_gamma,
    finfo,
    flexible,
    float16,
    float32,
    float64,
    floating,
    generic,
    half,
    iinfo,
    inexact,
    inf,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    integer,
    intp,
    isdtype,
    issubdtype,
    longlong,
    mintypecode,
    nan,
    number,
    pi,
    promote_types,
    short,
    signedinteger,
    single,
    typename,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulonglong,
    unsignedinteger,
    ushort,
)

from gpuarray import errors
from gpuarray._fusion import fuse
from gpuarray._jit import vectorize
from gpuarray._ndarray import ndarray
from gpuarray._ops.averages import average, nanmean, nanstd, nanvar, std, var
from gpuarray._ops.bitwise import (
    bitwise_and,
    bitwise_count,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    invert,
    left_shift,
    right_shift,
)
from gpuarray._ops.casts import astype, copyto
from gpuarray._ops.complex_numbers import imag, real
from gpuarray._ops.conversion import (
    array,
    asanyarray,
    asarray,
    ascontiguousarray,
    asfortranarray,
    asnumpy,
    copy,
)
from gpuarray._ops.correlating import convolve, correlate
from gpuarray._ops.creation import (
    empty,
    empty_like,
    eye,
    full,
    full_like,
    identity,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from gpuarray._ops.cumulative import (
    cumprod,
    cumsum,
    cumulative_prod,
    cumulative_sum,
    nancumprod,
    nancumsum,
)
from gpuarray._ops.datatypes import (
    can_cast,
    common_type,
    iscomplexobj,
    isrealobj,
    isscalar,
    min_scalar_type,
    result_type,
)
from gpuarray._ops.differences import diff, ediff1d, gradient, trapezoid
from gpuarray._ops.dimensions import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    expand_dims,
    squeeze,
)
from gpuarray._ops.dispatch import get_array_module
from gpuarray._ops.floating import copysign, frexp, ldexp, nextafter, signbit, spacing
from gpuarray._ops.histograms import bincount, digitize, histogram, histogram_bin_edges
from gpuarray._ops.histograms_nd import histogram2d, histogramdd
from gpuarray._ops.indexing import (
    argwhere,
    compress,
    diag,
    diagonal,
    extract,
    flatnonzero,
    newaxis,
    nonzero,
    put_along_axis,
    take,
    take_along_axis,
)
from gpuarray._ops.interchange import from_dlpack
from gpuarray._ops.interpolation import interp
from gpuarray._ops.joining import (
    array_split,
    column_stack,
    concat,
    concatenate,
    dsplit,
    dstack,
    hsplit,
    hstack,
    split,
    stack,
    vsplit,
    vstack,
)
from gpuarray._ops.logic import (
    equal,
    greater,
    greater_equal,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
)
from gpuarray._ops.manipulation import ndim, ravel, reshape, shape, size
from gpuarray._ops.math import (
    abs,
    absolute,
    acos,
    acosh,
    add,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cbrt,
    ceil,
    conj,
    conjugate,
    cos,
    cosh,
    deg2rad,
    degrees,
    divide,
    divmod,
    exp,
    exp2,
    expm1,
    fabs,
    float_power,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    gcd,
    heaviside,
    hypot,
    lcm,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logaddexp2,
    maximum,
    minimum,
    mod,
    modf,
    multiply,
    negative,
    positive,
    pow,
    power,
    rad2deg,
    radians,
    reciprocal,
    remainder,
    rint,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    true_divide,
    trunc,
)
from gpuarray._ops.nan_order_statistics import nanmedian, nanpercentile, nanquantile
from gpuarray._ops.order_statistics import median, percentile, ptp, quantile
from gpuarray._ops.printing import array2string, array_repr, array_str
from gpuarray._ops.ranges import arange, linspace
from gpuarray._ops.rearranging import flip, fliplr, flipud, repeat, roll, rot90, tile
from gpuarray._ops.rounding import around, round
from gpuarray._ops.searching import (
    argmax,
    argmin,
    count_nonzero,
    nanargmax,
    nanargmin,
    searchsorted,
)
from gpuarray._ops.selection import clip, where
from gpuarray._ops.sets import (
    in1d,
    intersect1d,
    isin,
    setdiff1d,
    setxor1d,
    union1d,
    unique,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from gpuarray._ops.sorting import (
    argpartition,
    argsort,
    lexsort,
    partition,
    sort,
    sort_complex,
)
from gpuarray._ops.statistics import amax, amin, max, mean, min, nanmax, nanmin
from gpuarray._ops.sums import nanprod, nansum, prod, sum
from gpuarray._ops.transposing import (
    matrix_transpose,
    moveaxis,
    permute_dims,
    rollaxis,
    swapaxes,
    transpose,
)
from gpuarray._ops.truth import all, any
from gpuarray._raw import ElementwiseKernel, RawKernel, RawModule, ReductionKernel
from gpuarray._runtime.allocator import get_default_memory_pool
from gpuarray._runtime.pinned_memory import get_default_pinned_memory_pool
from gpuarray._ufunc import ufunc
from gpuarray._version import __version__

__all__ = [
    # Packages, classes
    "cuda", "debug", "errors", "jit", "ndarray", "ufunc",
    # Kernels of your own
    "ElementwiseKernel", "ReductionKernel", "RawKernel", "RawModule", "fuse", "vectorize",
    "warmup",
    # Array creation
    "empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "eye",
    "identity", "arange", "linspace",
    # Array creation from existing data, transfer
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy", "asnumpy",
    # Array manipulation
    "reshape", "ravel", "shape", "ndim", "size", "transpose", "permute_dims", "matrix_transpose",
    "swapaxes", "moveaxis", "rollaxis", "expand_dims", "squeeze", "atleast_1d", "atleast_2d",
    "atleast_3d", "broadcast_to", "broadcast_arrays", "broadcast_shapes", "astype", "copyto",
    "concatenate", "concat", "stack", "vstack", "hstack", "dstack", "column_stack", "array_split",
    "split", "vsplit", "hsplit", "dsplit", "flip", "flipud", "fliplr", "rot90", "roll", "tile",
    "repeat",
    # Indexing
    "newaxis", "nonzero", "flatnonzero", "argwhere", "take", "take_along_axis",
    "put_along_axis", "compress", "extract", "diagonal", "diag", "where", "clip",
    # Mathematical functions
    "add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "remainder", "mod",
    "fmod", "divmod", "power", "pow", "float_power", "negative", "positive", "absolute", "abs",
    "fabs", "sign", "conjugate", "conj", "reciprocal", "square", "sqrt", "cbrt", "heaviside",
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "logaddexp2", "sin",
    "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "asin", "acos", "atan", "atan2",
    "hypot", "deg2rad", "rad2deg", "radians", "degrees", "sinh", "cosh", "tanh", "arcsinh",
    "arccosh", "arctanh", "asinh", "acosh", "atanh", "rint", "floor", "ceil", "trunc", "maximum",
    "minimum", "fmax", "fmin", "gcd", "lcm", "modf", "round", "around", "real", "imag", "sum",
    "prod", "nansum", "nanprod", "diff", "ediff1d", "gradient", "trapezoid", "interp",
    # Cumulative sums and products
    "cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "nancumsum", "nancumprod",
    # Floating point
    "signbit", "copysign", "nextafter", "spacing", "ldexp", "frexp",
    # Bit-wise operations
    "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift",
    "bitwise_count", "bitwise_not", "bitwise_invert", "bitwise_left_shift", "bitwise_right_shift",
    # Logic functions
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
    "logical_or", "logical_xor", "logical_not", "isnan", "isinf", "isfinite", "all", "any",
    # Sorting
    "sort", "argsort", "lexsort", "sort_complex", "partition", "argpartition",
    # Sets
    "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values", "isin", "in1d",
    "intersect1d", "union1d", "setdiff1d", "setxor1d",
    # Searching
    "argmax", "argmin", "nanargmax", "nanargmin", "count_nonzero", "searchsorted",
    # Histograms
    "bincount", "digitize", "histogram", "histogram_bin_edges",
    # Statistics
    "max", "min", "amax", "amin", "nanmax", "nanmin", "mean", "var", "std", "nanmean", "nanvar",
    "nanstd", "average", "median", "nanmedian", "nanquantile", "nanpercentile", "correlate",
    "convolve", "histogram2d", "histogramdd", "percentile", "quantile", "ptp",
    # Data types
    "result_type", "can_cast", "common_type", "min_scalar_type", "iscomplexobj", "isrealobj",
    "isscalar",
    # Printing
    "array_repr", "array_str", "array2string",
    # Interoperability
    "get_array_module", "from_dlpack",
    # Constants (newaxis is among the indexing routines)
    "e", "euler_gamma", "inf", "nan", "pi",
    # NumPy's scalar types and dtype functions
    "bool_", "byte", "cdouble", "complex64", "complex128", "complexfloating", "csingle", "double",
    "dtype", "finfo", "flexible", "float16", "float32", "float64", "floating", "generic", "half",
    "iinfo", "inexact", "int8", "int16", "int32", "int64", "int_", "intc", "integer", "intp",
    "isdtype", "issubdtype", "longlong", "mintypecode", "number", "promote_types", "short",
    "signedinteger", "single", "typename", "ubyte", "uint", "uint8", "uint16", "uint32", "uint64",
    "uintc", "uintp", "ulonglong", "unsignedinteger", "ushort", "bool",
    # Memory
    "get_default_memory_pool", "get_default_pinned_memory_pool",
    "__version__",
]  # fmt: skip

if _TYPE_CHECKING:
    from gpuarray import cuda, debug, jit
    from gpuarray.cuda.compiler import warmup

#: Packages that are imported when they are first used.
_LAZY = ("cuda", "debug", "jit", "scipy")


def __getattr__(name: str) -> _Any:
    if name in _LAZY:
        return _importlib.import_module(f"{__name__}.{name}")
    if name == "warmup":
        return _importlib.import_module(f"{__name__}.cuda").compiler.warmup
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
