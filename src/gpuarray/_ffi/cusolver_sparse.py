"""cuSOLVER: the rows of its functions for QR factorisations of sparse matrices.

They take matrices in csr with indices of 32 bits.
"""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_float, c_int, c_size_t
from typing import Any

import numpy as np

from .library_kinds import (
    Declaration,
    Dimension,
    Handle,
    Kind,
    New,
    Number,
    Result,
    StreamHandle,
    StreamResult,
)
from .library_pointers import HostArray, Pointer, VectorPointer
from .library_table import Row

__all__ = ["ROWS", "letter", "number"]

_INT32 = np.dtype("i4")
_DTYPES = {letter: np.dtype(code) for letter, code in zip("SDCZ", ("f4", "f8", "c8", "c16"))}
_C_TYPES = {"S": "float", "D": "double", "C": "cuComplex", "Z": "cuDoubleComplex"}


class _Description(Handle):
    """What cuSPARSE knows of a matrix, which is declared const."""

    def __init__(self) -> None:
        super().__init__("descrA", "cusparseMatDescr_t")

    @property
    def declaration(self) -> Declaration:
        return Declaration((self.type,), const=True)


class _Complex(ctypes.Structure):
    _fields_ = [("real", c_float), ("imag", c_float)]


class _DoubleComplex(ctypes.Structure):
    _fields_ = [("real", c_double), ("imag", c_double)]


class _ComplexNumber(Kind):
    """A complex number by value."""

    def __init__(self, name: str, letter: str) -> None:
        super().__init__(name, _Complex if letter == "C" else _DoubleComplex)
        self.type = _C_TYPES[letter]

    @property
    def declaration(self) -> Declaration:
        return Declaration((self.type,))

    def read(self, raw: Any, call: Any) -> complex:
        return complex(raw.real, raw.imag)


def _rows_plus_one(call: Any) -> int:
    return int(call.m) + 1


def number(value: float, letter: str) -> Any:
    """A real number as an argument of the functions for a type of elements."""
    kinds = {"S": c_float, "D": c_double, "C": _Complex, "Z": _DoubleComplex}
    return kinds[letter](value)


def letter(dtype: np.dtype) -> str:
    """The letter in the names of functions for elements of a dtype."""
    return next(name for name, found in _DTYPES.items() if found == dtype)


_HANDLE = Handle("handle", "cusolverSpHandle_t")
_INFO = Handle("info", "csrqrInfo_t")
_M, _N, _NNZ = (Dimension(name, c_int) for name in ("m", "n", "nnzA"))
_SHAPE = (_HANDLE, _M, _N, _NNZ, _Description())
_INDICES = (
    VectorPointer("csrRowPtrA", _rows_plus_one, _INT32),
    VectorPointer("csrColIndA", "nnzA", _INT32),
)


def _of(name: str) -> tuple[Row, ...]:
    """The functions for one type of elements."""
    dtype, real = _DTYPES[name], c_float if name in "SC" else c_double
    element = (_C_TYPES[name],)
    index = ("int",)
    return (
        Row(
            f"cusolverSp{name}csrqrBufferInfo",
            *_SHAPE,
            Pointer("csrValA", element, const=True),
            Pointer("csrRowPtrA", index, const=True),
            Pointer("csrColIndA", index, const=True),
            _INFO,
            Result("internalDataInBytes", c_size_t),
            Result("workspaceInBytes", c_size_t),
        ),
        Row(
            f"cusolverSp{name}csrqrSetup",
            *_SHAPE,
            VectorPointer("csrValA", "nnzA", dtype),
            *_INDICES,
            *((Number("mu", real),) if name in "SD" else (_ComplexNumber("mu", name),)),
            _INFO,
        ),
        Row(
            f"cusolverSp{name}csrqrFactor",
            *_SHAPE[:4],
            Pointer("b", element),
            Pointer("x", element),
            _INFO,
            Pointer("pBuffer"),
            queued=True,
        ),
        Row(
            f"cusolverSp{name}csrqrZeroPivot",
            _HANDLE,
            _INFO,
            Number("tol", real),
            Result("position"),
        ),
        Row(
            f"cusolverSp{name}csrqrSolve",
            _HANDLE,
            _M,
            _N,
            VectorPointer("b", "m", dtype, "rw"),
            VectorPointer("x", "n", dtype, "w"),
            _INFO,
            Pointer("pBuffer"),
        ),
    )


ROWS = (
    Row("cusolverSpCreate", New("handle", "cusolverSpHandle_t")),
    Row("cusolverSpDestroy", _HANDLE),
    Row("cusolverSpSetStream", _HANDLE, StreamHandle("streamId")),
    Row("cusolverSpGetStream", _HANDLE, StreamResult("streamId")),
    Row("cusolverSpCreateCsrqrInfo", New("info", "csrqrInfo_t")),
    Row("cusolverSpDestroyCsrqrInfo", _INFO),
    Row(
        "cusolverSpXcsrmetisndHost",
        _HANDLE,
        Dimension("n", c_int),
        _NNZ,
        _Description(),
        HostArray("csrRowPtrA", lambda call: call.n + 1, _INT32),
        HostArray("csrColIndA", "nnzA", _INT32),
        Pointer("options", ("int64_t",), const=True),
        Pointer("p", ("int",)),
    ),
    Row("cusolverSpXcsrqrAnalysis", *_SHAPE, *_INDICES, _INFO),
    *[row for name in _DTYPES for row in _of(name)],
)
