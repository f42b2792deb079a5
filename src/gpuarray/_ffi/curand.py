"""cuRAND: the table of its host functions."""

from __future__ import annotations

from ctypes import c_double, c_float, c_size_t, c_uint64

from gpuarray.errors import CURANDError

from .library_kinds import (
    LIBRARY_PROPERTY,
    Enum,
    Enumeration,
    Handle,
    New,
    Number,
    Result,
    StreamHandle,
)
from .library_pointers import Pointer
from .library_table import Row, TableLibrary

__all__ = ["ENUMERATIONS", "STATUSES", "STATUS_TYPE", "library"]

STATUS_TYPE = "curandStatus"
STATUSES = {
    0: "CURAND_STATUS_SUCCESS",
    100: "CURAND_STATUS_VERSION_MISMATCH",
    101: "CURAND_STATUS_NOT_INITIALIZED",
    102: "CURAND_STATUS_ALLOCATION_FAILED",
    103: "CURAND_STATUS_TYPE_ERROR",
    104: "CURAND_STATUS_OUT_OF_RANGE",
    105: "CURAND_STATUS_LENGTH_NOT_MULTIPLE",
    106: "CURAND_STATUS_DOUBLE_PRECISION_REQUIRED",
    201: "CURAND_STATUS_LAUNCH_FAILURE",
    202: "CURAND_STATUS_PREEXISTING_FAILURE",
    203: "CURAND_STATUS_INITIALIZATION_FAILED",
    204: "CURAND_STATUS_ARCH_MISMATCH",
    999: "CURAND_STATUS_INTERNAL_ERROR",
}
_REFUSALS = {
    "handle": 101,
    "memory": 102,
    "value": 104,
    "failed": 201,
    "internal": 999,
    "unsupported": 103,
}
_RNG_TYPE = Enumeration(
    ("curandRngType", "curandRngType_t"),
    {
        "CURAND_RNG_PSEUDO_DEFAULT": 100,
        "CURAND_RNG_PSEUDO_XORWOW": 101,
        "CURAND_RNG_PSEUDO_MRG32K3A": 121,
        "CURAND_RNG_PSEUDO_MTGP32": 141,
        "CURAND_RNG_PSEUDO_MT19937": 142,
        "CURAND_RNG_PSEUDO_PHILOX4_32_10": 161,
        "CURAND_RNG_QUASI_DEFAULT": 200,
        "CURAND_RNG_QUASI_SOBOL32": 201,
        "CURAND_RNG_QUASI_SCRAMBLED_SOBOL32": 202,
        "CURAND_RNG_QUASI_SOBOL64": 203,
        "CURAND_RNG_QUASI_SCRAMBLED_SOBOL64": 204,
    },
)
_ORDERING = Enumeration(
    ("curandOrdering", "curandOrdering_t"),
    {
        "CURAND_ORDERING_PSEUDO_BEST": 100,
        "CURAND_ORDERING_PSEUDO_DEFAULT": 101,
        "CURAND_ORDERING_PSEUDO_SEEDED": 102,
        "CURAND_ORDERING_QUASI_DEFAULT": 201,
    },
)
ENUMERATIONS = (_RNG_TYPE, _ORDERING)

_GENERATOR = Handle("generator", "curandGenerator_t")


def _generate(name: str, element: str, size: str, *parameters: Number) -> Row:
    output = Pointer("outputPtr", (element,))
    return Row(name, _GENERATOR, output, Number(size, c_size_t), *parameters, queued=True)


def _moments(c_type: type) -> tuple[Number, Number]:
    return Number("mean", c_type), Number("stddev", c_type)


_ROWS = (
    Row("curandGetVersion", Result("version"), on_host=True),
    Row("curandGetProperty", Enum("type", LIBRARY_PROPERTY), Result("value"), on_host=True),
    Row(
        "curandCreateGenerator",
        New("generator", "curandGenerator_t"),
        Enum("rng_type", _RNG_TYPE),
    ),
    Row("curandDestroyGenerator", _GENERATOR),
    Row("curandSetStream", _GENERATOR, StreamHandle("stream")),
    Row("curandSetPseudoRandomGeneratorSeed", _GENERATOR, Number("seed", c_uint64)),
    Row("curandSetGeneratorOffset", _GENERATOR, Number("offset", c_uint64)),
    Row("curandSetGeneratorOrdering", _GENERATOR, Enum("order", _ORDERING)),
    _generate("curandGenerate", "unsigned int", "num"),
    _generate("curandGenerateLongLong", "unsigned long long", "num"),
    _generate("curandGenerateUniform", "float", "num"),
    _generate("curandGenerateUniformDouble", "double", "num"),
    _generate("curandGenerateNormal", "float", "n", *_moments(c_float)),
    _generate("curandGenerateNormalDouble", "double", "n", *_moments(c_double)),
    _generate("curandGenerateLogNormal", "float", "n", *_moments(c_float)),
    _generate("curandGenerateLogNormalDouble", "double", "n", *_moments(c_double)),
    _generate("curandGeneratePoisson", "unsigned int", "n", Number("lambda", c_double)),
)

library = TableLibrary(
    "cuRAND", "curand", _ROWS, STATUSES, _REFUSALS, CURANDError, capturable=False, emulated=False
)
