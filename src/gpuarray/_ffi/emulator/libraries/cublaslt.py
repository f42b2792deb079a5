"""The emulated functions of cuBLASLt."""

from __future__ import annotations

import ctypes

import numpy as np

from ...cublas_kinds import COMPUTE, SCALE_TYPES
from ...cublaslt_kinds import ALGORITHM, LAYOUT, OPERATION, PREFERENCE, Structure
from ...library_kinds import DataType, Refusal
from ..capture import refuse_unsafe
from .cublas import FACTOR_BITS, rounded
from .decoding import LibraryCall, LibraryObject

#: The members that attributes set, by the attribute's number, with the bytes of a value.
_LAYOUT_MEMBERS = {5: ("count", 4), 6: ("stride", 8)}
_OPERATION_MEMBERS = {3: ("transa", 4), 4: ("transb", 4)}
_PREFERENCE_MEMBERS = {1: ("workspace", 8), 3: ("schemes", 4)}

#: So much longer than the result's sides is an inner dimension that is summed in two parts.
_SPLIT = 16
_PARTS = 2


def cublasLtCreate(c: LibraryCall) -> LibraryObject:
    refuse_unsafe(c.machine, "creating a handle of cuBLASLt")
    return LibraryObject(c.context, "cublasLtHandle_t", 1 << 20)


def cublasLtDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.lightHandle.number)


def _store(address: int, content: np.ndarray) -> None:
    ctypes.memmove(address, content.ctypes.data, content.nbytes)


def _init(c: LibraryCall, address: int, structure: Structure, **members: int) -> None:
    if c.size < structure.nbytes:
        raise Refusal("memory", f"size is {c.size}, and {structure.nbytes} bytes are needed")
    content = np.zeros(1, structure.content)
    for name, value in members.items():
        content[name] = value
    _store(address, content)


def _set(
    c: LibraryCall, address: int, structure: Structure, member: str, nbytes: int, at: int = 0
) -> None:
    if not c.buf or c.sizeInBytes != nbytes:
        raise Refusal("value", f"attr {c.attr} takes {nbytes} bytes, not {c.sizeInBytes}")
    content = c.host(address, structure.content, 1).copy()
    signed = structure is not PREFERENCE
    value = int.from_bytes(ctypes.string_at(c.buf, nbytes), "little", signed=signed)
    if content[member].ndim > 1:
        content[member][0, at] = value
    else:
        content[member] = value
    _store(address, content)


def cublasLtMatrixLayoutInit_internal(c: LibraryCall) -> None:
    _init(
        c, c.matLayout, LAYOUT,
        type=DataType("type").prebuilt(c.type).value,
        rows=c.rows, columns=c.cols, ld=c.ld, count=1,
    )  # fmt: skip


def cublasLtMatrixLayoutSetAttribute(c: LibraryCall) -> None:
    _set(c, c.matLayout, LAYOUT, *_LAYOUT_MEMBERS[c.attr])


def cublasLtMatmulDescInit_internal(c: LibraryCall) -> None:
    scale = DataType("scaleType").prebuilt(c.scaleType).value
    _init(c, c.matmulDesc, OPERATION, compute=c.computeType, scale=scale)


def cublasLtMatmulDescSetAttribute(c: LibraryCall) -> None:
    _set(c, c.matmulDesc, OPERATION, *_OPERATION_MEMBERS[c.attr])


def cublasLtMatmulPreferenceInit_internal(c: LibraryCall) -> None:
    _init(c, c.pref, PREFERENCE, schemes=7, alignments=256)


def cublasLtMatmulPreferenceSetAttribute(c: LibraryCall) -> None:
    if c.attr in _PREFERENCE_MEMBERS:
        _set(c, c.pref, PREFERENCE, *_PREFERENCE_MEMBERS[c.attr])
    else:
        _set(c, c.pref, PREFERENCE, "alignments", 4, c.attr - 5)


def _dtype(c: LibraryCall, layout) -> np.dtype:
    return DataType("type").read(int(layout["type"]), c)


def _check(c: LibraryCall, operation) -> np.dtype:
    """Refuse a product whose descriptions do not agree; the dtype of alpha and beta."""
    layouts = {"A": c.Adesc, "B": c.Bdesc, "C": c.Cdesc, "D": c.Ddesc}
    shapes = {name: (int(x["rows"]), int(x["columns"])) for name, x in layouts.items()}
    for name, layout in layouts.items():
        rows = shapes[name][0]
        if layout["ld"] < max(1, rows):
            raise Refusal("value", f"ld of {name} is {layout['ld']}, and it has {rows} rows")
    if {int(x["count"]) for x in layouts.values()} != {int(c.Ddesc["count"])}:
        raise Refusal("value", "the matrices are stacks of different sizes")
    for trans in ("transa", "transb"):
        if operation[trans] not in (0, 1, 2):
            raise Refusal("value", f"{trans} is {operation[trans]}")
    m, k = shapes["A"][::-1] if operation["transa"] else shapes["A"]
    inner, n = shapes["B"][::-1] if operation["transb"] else shapes["B"]
    if inner != k or shapes["C"] != (m, n) or shapes["D"] != (m, n):
        raise Refusal("value", f"op(A) {(m, k)}, op(B) {(inner, n)}: {shapes}")
    dtypes = [_dtype(c, x) for x in layouts.values()]
    compute = int(operation["compute"])
    types = [dtypes[0], dtypes[3]]
    halves = [COMPUTE.members["CUBLAS_COMPUTE_32F"]]
    if types[0].name == "bfloat16" and compute in halves:
        types = [np.dtype("f2") if x == dtypes[0] else x for x in types]
    scale = SCALE_TYPES.get((compute, *types))
    if scale is None or dtypes[0] != dtypes[1] or dtypes[2] != dtypes[3]:
        raise Refusal("unsupported", f"computeType {compute} for {', '.join(map(str, dtypes))}")
    if int(operation["scale"]) != DataType("type").prebuilt(scale).value:
        raise Refusal("unsupported", f"scaleType {operation['scale']} for {scale}")
    if scale == "i4" and not (operation["transa"] and not operation["transb"]):
        raise Refusal("unsupported", "int8: A must be transposed, and B must not be")
    if scale == "i4" and (c.Adesc["ld"] | c.Bdesc["ld"]) % 4:
        raise Refusal("unsupported", "int8: leading dimensions must be multiples of 4")
    return scale


def checked(c: LibraryCall) -> np.dtype:
    """The dtype of alpha and beta of a product, of which everything is looked at."""
    scale = _check(c, c.computeDesc)
    for name, alignment in zip("ABCD", c.algo["alignments"], strict=True):
        if getattr(c, name) % int(alignment):
            raise Refusal("value", f"{name} is not aligned to the {alignment} bytes of the algo")
    needed = int(c.algo["workspace"])
    if c.workspaceSizeInBytes < needed or (needed and not c.workspace):
        raise Refusal(
            "value", f"workspace has {c.workspaceSizeInBytes} bytes, and {needed} are needed"
        )
    return scale


def cublasLtMatmulAlgoGetHeuristic(c: LibraryCall) -> int:
    if not c.requestedAlgoCount or not c.heuristicResultsArray:
        raise Refusal("value", "no algorithm is asked for")
    scale = _check(c, c.operationDesc)
    rows, columns, count = [int(c.Ddesc[x]) for x in ("rows", "columns", "count")]
    inner = int(c.Adesc["rows"] if c.operationDesc["transa"] else c.Adesc["columns"])
    found = np.zeros(1, ALGORITHM.content)
    found["alignments"], found["parts"] = c.preference["alignments"], 1
    needed = _PARTS * rows * columns * count * scale.itemsize
    if inner > _SPLIT * max(rows, columns) and needed <= c.preference["workspace"]:
        found["workspace"], found["parts"] = needed, _PARTS
    _store(c.heuristicResultsArray, found)
    # Behind the 64 bytes of the algorithm: its workspace, the status, and the waves of blocks.
    rest = np.zeros(1, [("workspace", "u8"), ("state", "i4"), ("waves", "f4")])
    rest["workspace"], rest["waves"] = found["workspace"], 1
    _store(c.heuristicResultsArray + ALGORITHM.nbytes, rest)
    return 1


def cublasLtMatmul(c: LibraryCall) -> None:
    needed = int(c.algo["workspace"])
    if needed:
        c.view("workspace", c.workspace, np.dtype("u1"), (needed,), (1,), "")
    wide = np.dtype("f4") if c.alpha.dtype == "f2" else c.alpha.dtype
    bits = FACTOR_BITS.get(int(c.computeDesc["compute"]), 0)
    a, b = [rounded(x.astype(wide), bits) for x in (c.A, c.B)]
    a, b = _operated(a, int(c.computeDesc["transa"])), _operated(b, int(c.computeDesc["transb"]))
    inner, parts = a.shape[-1], int(c.algo["parts"])
    total = np.zeros((*a.shape[:-1], b.shape[-1]), wide)
    for part in range(parts):
        run = slice(inner * part // parts, inner * (part + 1) // parts)
        total = total + a[..., run] @ b[..., run, :]
    result = c.alpha * total
    if c.beta:
        result += c.beta * c.C
    c.D[...] = result


def _operated(x: np.ndarray, operation: int) -> np.ndarray:
    if not operation:
        return x
    x = x.swapaxes(-1, -2)
    return x.conj() if operation == 2 else x
