"""The emulated functions of cuDSS: matrices are dense, and have inverses for factors."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from ...cudss_kinds import CONFIG, DATA, PHASE
from ...library_kinds import Refusal
from ..capture import refuse_unsafe
from .decoding import LibraryCall, LibraryObject

_VERSION = (1, 0, 0)
_HANDLE_BYTES = 1 << 20
#: The most rows of a matrix: it takes 2 GiB of the host, in float64.
_MOST_ROWS = 1 << 14


class _Csr(NamedTuple):
    """A matrix in csr, by addresses."""

    rows: int
    nnz: int
    begins: int
    ends: int
    indices: int
    values: int
    offset_type: np.dtype
    index_type: np.dtype
    dtype: np.dtype


class _Dense(NamedTuple):
    """A column-major matrix, by its address."""

    rows: int
    columns: int
    ld: int
    values: int
    dtype: np.dtype


def cudssGetProperty(c: LibraryCall) -> int:
    return _VERSION[c.propertyType]


def cudssCreate(c: LibraryCall) -> LibraryObject:
    refuse_unsafe(c.machine, "creating a handle of cuDSS")
    return LibraryObject(c.context, "cudssHandle_t", _HANDLE_BYTES, stream=0)


def cudssDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.handle.number)


def cudssSetStream(c: LibraryCall) -> None:
    c.handle.stream = c.stream


def cudssSetDeviceMemHandler(c: LibraryCall) -> None:
    if not c.handler:
        raise Refusal("value", "handler is null")
    # Emulated, the factors are in the host's memory.


def cudssConfigCreate(c: LibraryCall) -> LibraryObject:
    return LibraryObject(c.context, "cudssConfig_t", mode=0, repeats=0, refinements=0)


def cudssConfigDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.config.number)


def cudssConfigSet(c: LibraryCall) -> None:
    if c.sizeInBytes != 4 or not c.value:
        raise Refusal("value", f"param {c.param} takes 4 bytes, not {c.sizeInBytes}")
    value = int.from_bytes(ctypes.string_at(c.value, 4), "little", signed=True)
    if c.param == CONFIG.members["CUDSS_CONFIG_SOLVE_MODE"]:
        if value not in (0, 1, 2):
            raise Refusal("value", f"a solve mode is 0, 1 or 2, not {value}")
        c.config.mode = value
    elif c.param == CONFIG.members["CUDSS_CONFIG_DETERMINISTIC_MODE"]:
        c.config.repeats = value
    elif c.param == CONFIG.members["CUDSS_CONFIG_IR_N_STEPS"]:
        c.config.refinements = value


def cudssDataCreate(c: LibraryCall) -> LibraryObject:
    return LibraryObject(c.context, "cudssData_t", shape=None, factors=None, small=0, index_bytes=4)


def cudssDataDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.data.number)


def cudssDataGet(c: LibraryCall) -> int:
    if c.data.shape is None:
        raise Refusal("value", "nothing was analysed with these data")
    size = 4
    if c.param == DATA.members["CUDSS_DATA_LU_NNZ"]:
        size = 8
    elif c.param == DATA.members["CUDSS_DATA_NPIVOTS"]:
        size = c.data.index_bytes
    if c.sizeInBytes != size or not c.value:
        raise Refusal("value", f"param {c.param} takes {size} bytes, not {c.sizeInBytes}")
    value = 0
    if c.param == DATA.members["CUDSS_DATA_LU_NNZ"]:
        value = c.data.shape[0] ** 2
    elif c.param == DATA.members["CUDSS_DATA_NPIVOTS"]:
        value = c.data.small
    ctypes.memmove(c.value, value.to_bytes(size, "little"), size)
    return size


def cudssMatrixCreateDn(c: LibraryCall) -> LibraryObject:
    if c.layout:
        raise Refusal("unsupported", "layout is CUDSS_LAYOUT_ROW_MAJOR")
    if c.ld < max(1, c.nrows):
        raise Refusal("value", f"ld is {c.ld}, and there are {c.nrows} rows")
    matrix = _Dense(c.nrows, c.ncols, c.ld, c.values, c.valueType)
    return LibraryObject(c.context, "cudssMatrix_t", matrix=matrix)


def cudssMatrixCreateCsr(c: LibraryCall) -> LibraryObject:
    if c.nrows != c.ncols:
        raise Refusal("value", f"the matrix is not square: {c.nrows} x {c.ncols}")
    if c.valueType not in ("f4", "f8", "c8", "c16"):
        raise Refusal("unsupported", f"valueType {c.valueType}")
    if {c.offsetType, c.indexType} - {np.dtype("i4"), np.dtype("i8")}:
        raise Refusal("unsupported", f"offsetType {c.offsetType}, indexType {c.indexType}")
    if c.mtype or c.mview or c.indexBase:
        raise Refusal("unsupported", "only general matrices, counted from 0, are emulated")
    matrix = _Csr(
        c.nrows, c.nnz, c.rowStart, c.rowEnd, c.colIndices, c.values,
        c.offsetType, c.indexType, c.valueType,
    )  # fmt: skip
    return LibraryObject(c.context, "cudssMatrix_t", matrix=matrix)


def cudssMatrixDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.matrix.number)


def cudssExecute(c: LibraryCall) -> None:
    matrix = c.inputMatrix.matrix
    if not isinstance(matrix, _Csr):
        raise Refusal("value", "inputMatrix is dense")
    if c.config.repeats and c.config.refinements:
        raise Refusal("unsupported", "deterministic mode with steps of refinement")
    if c.phase & PHASE["analysis"]:
        if matrix.rows > _MOST_ROWS:
            raise Refusal("memory", f"{matrix.rows} rows: the emulated library has {_MOST_ROWS}")
        c.data.shape = (matrix.rows, matrix.nnz)
        c.data.index_bytes = matrix.index_type.itemsize
        c.data.factors = None
    if c.data.shape != (matrix.rows, matrix.nnz):
        raise Refusal("value", "the matrix was not analysed with these data")
    if c.phase & PHASE["factorization"]:
        _factorize(c, _dense(c, matrix))
    if c.phase & PHASE["solve"]:
        if c.data.factors is None:
            raise Refusal("value", "the matrix was not factorised with these data")
        found, right = c.solution.matrix, c.rhs.matrix
        if (found.rows, found.columns) != (right.rows, right.columns) or found.rows != matrix.rows:
            raise Refusal("value", f"solution and rhs do not fit a matrix of {matrix.rows} rows")
        if found.dtype != matrix.dtype or right.dtype != matrix.dtype:
            raise Refusal("unsupported", f"valueType of A, x, b: {matrix.dtype}, {found.dtype}")
        if c.config.repeats and right.columns > 1:
            raise Refusal("unsupported", f"deterministic mode with {right.columns} sides")
        if c.config.mode == 2 and matrix.dtype.kind != "c":
            raise Refusal("unsupported", "the conjugate transpose of real matrices")
        x = _solved(c, _columns(c, "rhs", right, "r"))
        _columns(c, "solution", found, "w")[...] = x


def _columns(c: LibraryCall, name: str, matrix: _Dense, access: str) -> np.ndarray:
    shape = (matrix.rows, matrix.columns)
    return c.view(name, matrix.values, matrix.dtype, shape, (1, matrix.ld), access)


def _dense(c: LibraryCall, matrix: _Csr) -> np.ndarray:
    """The matrix with all its elements. What indices say is looked at first."""
    rows, nnz = matrix.rows, matrix.nnz

    def elements(name: str, address: int, dtype: np.dtype, count: int) -> Any:
        return c.view(name, address, dtype, (count,), (1,), "r")

    begins = elements("rowStart", matrix.begins, matrix.offset_type, rows + (not matrix.ends))
    ends = begins[1:]
    if matrix.ends:
        ends = elements("rowEnd", matrix.ends, matrix.offset_type, rows)
    indices = elements("colIndices", matrix.indices, matrix.index_type, nnz)
    values = elements("values", matrix.values, matrix.dtype, nnz)
    if nnz and (indices.min() < 0 or indices.max() >= rows):
        raise Refusal("value", f"colIndices are not all within {rows}")
    places = np.repeat(np.arange(rows), ends - begins[:rows])
    dense = np.zeros((rows, rows), matrix.dtype)
    np.add.at(dense, (places, indices), values)
    return dense


def _factorize(c: LibraryCall, dense: np.ndarray) -> None:
    """The inverse stands for the factors. Of a singular matrix, that of one nearby."""
    scale = abs(dense).sum(axis=1).max(initial=0)
    least = np.finfo(dense.dtype).eps * scale
    try:
        inverse = np.linalg.inv(dense)
        singular = not abs(inverse).max(initial=0) * least < 1
    except np.linalg.LinAlgError:
        singular = True
    if not np.isfinite(dense).all():
        inverse = np.full_like(dense, np.nan)
    elif singular:
        inverse = np.linalg.pinv(dense + (least or 1) * np.eye(len(dense), dtype=dense.dtype), 0)
    c.data.small = int(singular)
    c.data.factors = (dense, inverse)


def _solved(c: LibraryCall, b: np.ndarray) -> np.ndarray:
    turns = (lambda x: x, np.transpose, lambda x: x.conj().T)
    dense, inverse = (turns[c.config.mode](x) for x in c.data.factors)
    x = inverse @ b
    for _ in range(c.config.refinements):
        x = x + inverse @ (b - dense @ x)
    return x
