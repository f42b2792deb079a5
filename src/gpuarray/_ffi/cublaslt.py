"""cuBLASLt: the table of its functions, and the structures that they describe a product with.

A product is described by structures in the host's memory. They are initialised in memory of our
own, as the inline functions of the header do it, so that nothing has to be destroyed.
"""

from __future__ import annotations

from ctypes import c_int, c_size_t, c_uint64, c_void_p
from typing import Any, NamedTuple

import numpy as np

from gpuarray.errors import CUBLASError, LibraryError

from . import cublaslt_kinds
from .cublas import REFUSALS, STATUS_TYPE, STATUSES
from .cublas_kinds import COMPUTE, OPERATION
from .library_kinds import (
    DataType,
    Declaration,
    Dimension,
    Enum,
    Enumeration,
    Handle,
    New,
    Number,
    Refusal,
    Result,
    StreamHandle,
)
from .library_pointers import Matrix, Pointer, ScalarPointer
from .library_table import Row, TableLibrary

__all__ = [
    "ENUMERATIONS",
    "STATUSES",
    "STATUS_TYPE",
    "Algorithm",
    "HostStructure",
    "algorithms",
    "library",
    "matrix_layout",
    "operation",
]

_OPERATION_ATTRIBUTE = Enumeration(
    ("cublasLtMatmulDescAttributes_t",),
    {"CUBLASLT_MATMUL_DESC_TRANSA": 3, "CUBLASLT_MATMUL_DESC_TRANSB": 4},
)
_LAYOUT_ATTRIBUTE = Enumeration(
    ("cublasLtMatrixLayoutAttribute_t",),
    {
        "CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT": 5,
        "CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET": 6,
    },
)
_PREFERENCE_ATTRIBUTE = Enumeration(
    ("cublasLtMatmulPreferenceAttributes_t",),
    {
        "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES": 1,
        "CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK": 3,
        "CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES": 5,
        "CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES": 6,
        "CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES": 7,
        "CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES": 8,
    },
)
_REDUCTION = Enumeration(
    ("cublasLtReductionScheme_t",),
    {
        "CUBLASLT_REDUCTION_SCHEME_NONE": 0,
        "CUBLASLT_REDUCTION_SCHEME_INPLACE": 1,
        "CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE": 2,
        "CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE": 4,
    },
)
ENUMERATIONS = (_OPERATION_ATTRIBUTE, _LAYOUT_ATTRIBUTE, _PREFERENCE_ATTRIBUTE, _REDUCTION)


#: cublasLtMatmulHeuristicResult_t, which is no secret.
_FOUND = np.dtype(
    [("algo", "V64"), ("workspace", "u8"), ("state", "i4"), ("waves", "f4"), ("reserved", "i4", 4)]
)


class HostStructure:
    """The memory of a structure; `int` of it is the address."""

    __slots__ = ("_memory",)

    def __init__(self, nbytes: int) -> None:
        self._memory = np.zeros(nbytes, np.uint8)

    def __int__(self) -> int:
        return self._memory.ctypes.data


class _StructureAddress(c_void_p):
    """The address of a structure, which lives as long as the pointer."""

    structure: HostStructure


class _StructurePointer(Pointer):
    """A structure; its value is what the emulator keeps there, or its address if it is filled in.

    A prebuilt argument is made of a `HostStructure`.
    """

    def __init__(
        self, name: str, structure: cublaslt_kinds.Structure, filled: bool = False
    ) -> None:
        super().__init__(name, (structure.type,))
        self.structure = structure
        self.filled = filled

    @property
    def declaration(self) -> Declaration:
        return Declaration(self.types)

    def prebuilt(self, value: Any) -> Any:
        pointer = _StructureAddress(int(value))
        pointer.structure = value
        return pointer

    def read(self, raw: int | None, call: Any) -> Any:
        if not raw:
            raise Refusal("value", f"{self.name} is null")
        return raw if self.filled else call.host(raw, self.structure.content, 1)[0]


class _AlgorithmPointer(Pointer):
    """A pointer to an algorithm. A prebuilt argument is made of its bytes, an `np.void`."""

    def __init__(self, name: str) -> None:
        super().__init__(name, (cublaslt_kinds.ALGORITHM.type,), const=True)

    def read(self, raw: int | None, call: Any) -> Any:
        if not raw:  # the library would look for one, in each call
            raise Refusal("value", f"{self.name} is null")
        return call.host(raw, cublaslt_kinds.ALGORITHM.content, 1)[0]


class _DescribedMatrix(Matrix):
    """A matrix, or a stack of them, as the structure in another argument describes it."""

    def __init__(self, name: str, access: str, scaled_by: str | None = None) -> None:
        structure = f"{name}desc"

        def member(key: str) -> Any:
            return lambda call: int(getattr(call, structure)[key])

        super().__init__(
            name,
            member("rows"),
            member("columns"),
            lambda call: DataType("type").read(int(getattr(call, structure)["type"]), call),
            member("ld"),
            stride=member("stride"),
            count=member("count"),
            access=access,
            scaled_by=scaled_by,
        )


def _scale_type(call: Any) -> np.dtype:
    """The dtype of alpha and beta, of a call whose arguments agree."""
    return call.library.function("checked")(call)


_HANDLE = Handle("lightHandle", "cublasLtHandle_t")


def _init(name: str, argument: str, structure: cublaslt_kinds.Structure, *kinds: Any) -> Row:
    """The function behind one that is inline in the header."""
    made = _StructurePointer(argument, structure, filled=True)
    return Row(name, made, Dimension("size", c_size_t), *kinds, queued=False, on_host=True)


def _set(
    name: str, argument: str, structure: cublaslt_kinds.Structure, attributes: Enumeration
) -> Row:
    return Row(
        name,
        _StructurePointer(argument, structure, filled=True),
        Enum("attr", attributes),
        Pointer("buf", const=True),
        Dimension("sizeInBytes", c_size_t),
        queued=False,
        on_host=True,
    )


_ROWS = (
    Row("cublasLtCreate", New("lightHandle", "cublasLtHandle_t")),
    Row("cublasLtDestroy", _HANDLE),
    _init(
        "cublasLtMatrixLayoutInit_internal",
        "matLayout",
        cublaslt_kinds.LAYOUT,
        DataType("type"),
        Number("rows", c_uint64),
        Number("cols", c_uint64),
        Number("ld"),
    ),
    _set("cublasLtMatrixLayoutSetAttribute", "matLayout", cublaslt_kinds.LAYOUT, _LAYOUT_ATTRIBUTE),
    _init(
        "cublasLtMatmulDescInit_internal",
        "matmulDesc",
        cublaslt_kinds.OPERATION,
        Enum("computeType", COMPUTE),
        DataType("scaleType"),
    ),
    _set(
        "cublasLtMatmulDescSetAttribute",
        "matmulDesc",
        cublaslt_kinds.OPERATION,
        _OPERATION_ATTRIBUTE,
    ),
    _init("cublasLtMatmulPreferenceInit_internal", "pref", cublaslt_kinds.PREFERENCE),
    _set(
        "cublasLtMatmulPreferenceSetAttribute",
        "pref",
        cublaslt_kinds.PREFERENCE,
        _PREFERENCE_ATTRIBUTE,
    ),
    Row(
        "cublasLtMatmulAlgoGetHeuristic",
        _HANDLE,
        _StructurePointer("operationDesc", cublaslt_kinds.OPERATION),
        *[_StructurePointer(f"{x}desc", cublaslt_kinds.LAYOUT) for x in "ABCD"],
        _StructurePointer("preference", cublaslt_kinds.PREFERENCE),
        Dimension("requestedAlgoCount", c_int),
        Pointer("heuristicResultsArray", ("cublasLtMatmulHeuristicResult_t",)),
        Result("returnAlgoCount"),
        queued=False,
    ),
    Row(
        "cublasLtMatmul",
        _HANDLE,
        _StructurePointer("computeDesc", cublaslt_kinds.OPERATION),
        ScalarPointer("alpha", _scale_type),
        _DescribedMatrix("A", "r"),
        _StructurePointer("Adesc", cublaslt_kinds.LAYOUT),
        _DescribedMatrix("B", "r"),
        _StructurePointer("Bdesc", cublaslt_kinds.LAYOUT),
        ScalarPointer("beta", lambda call: call.alpha.dtype),
        _DescribedMatrix("C", "r", scaled_by="beta"),
        _StructurePointer("Cdesc", cublaslt_kinds.LAYOUT),
        _DescribedMatrix("D", "w"),
        _StructurePointer("Ddesc", cublaslt_kinds.LAYOUT),
        _AlgorithmPointer("algo"),
        Pointer("workspace"),
        Dimension("workspaceSizeInBytes", c_size_t),
        StreamHandle("stream"),
    ),
)

library = TableLibrary("cuBLASLt", "cublasLt", _ROWS, STATUSES, REFUSALS, CUBLASError)


def _number(dtype: np.dtype) -> int:
    return DataType("type").prebuilt(dtype).value


def _set_attribute(
    function: str, structure: HostStructure, attribute: int, value: int, dtype: str
) -> None:
    buffer = np.array([value], dtype)
    set_ = getattr(library, function)
    set_(int(structure), attribute, buffer.ctypes.data, buffer.nbytes)


def matrix_layout(
    dtype: np.dtype, rows: int, columns: int, ld: int, count: int = 1, stride: int = 0
) -> HostStructure:
    """The description of a column-major matrix, or of a stack, with a stride in elements."""
    made = HostStructure(cublaslt_kinds.LAYOUT.nbytes)
    library.cublasLtMatrixLayoutInit_internal(
        int(made), cublaslt_kinds.LAYOUT.nbytes, _number(dtype), rows, columns, ld
    )
    if count != 1:
        members = _LAYOUT_ATTRIBUTE.members
        function = "cublasLtMatrixLayoutSetAttribute"
        count_, stride_ = [
            members[f"CUBLASLT_MATRIX_LAYOUT_{x}"] for x in ("BATCH_COUNT", "STRIDED_BATCH_OFFSET")
        ]
        _set_attribute(function, made, count_, count, "i4")
        _set_attribute(function, made, stride_, stride, "i8")
    return made


def operation(compute: str, scale: np.dtype, transa: str, transb: str) -> HostStructure:
    """The description of what is done: the compute type, and the operations of A and B."""
    made = HostStructure(cublaslt_kinds.OPERATION.nbytes)
    library.cublasLtMatmulDescInit_internal(
        int(made), cublaslt_kinds.OPERATION.nbytes, COMPUTE.members[compute], _number(scale)
    )
    for attribute, name in zip(_OPERATION_ATTRIBUTE.members.values(), (transa, transb)):
        number = OPERATION.members[name]
        _set_attribute("cublasLtMatmulDescSetAttribute", made, attribute, number, "i4")
    return made


class Algorithm(NamedTuple):
    """How the library computes a product."""

    #: Its bytes.
    data: np.void
    workspace_bytes: int


def algorithms(
    handle: int,
    described: HostStructure,
    layouts: tuple[HostStructure, HostStructure, HostStructure, HostStructure],
    alignments: tuple[int, int, int, int],
    workspace_bytes: int,
    most: int = 1,
) -> list[Algorithm]:
    """The algorithms that the library's heuristic expects to be the fastest ones, best first.

    Parameters
    ----------
    handle : int
        The library's handle.
    described : HostStructure
        The operation.
    layouts : tuple of HostStructure
        Of A, B, C and D.
    alignments : tuple of int
        The bytes that the addresses of A, B, C and D are multiples of.
    workspace_bytes : int
        The most that an algorithm may take.
    most : int
        How many are wanted.

    Returns
    -------
    list of Algorithm
        None of them adds up parts of a sum in less than the compute type, or in an order that
        may differ from call to call. Empty if the library has none.
    """
    preference = HostStructure(cublaslt_kinds.PREFERENCE.nbytes)
    library.cublasLtMatmulPreferenceInit_internal(int(preference), cublaslt_kinds.PREFERENCE.nbytes)
    scheme = _REDUCTION.members["CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE"]
    types = ["u8", "u4", "u4", "u4", "u4", "u4"]
    values = [workspace_bytes, scheme, *alignments]
    for attribute, value, dtype in zip(_PREFERENCE_ATTRIBUTE.members.values(), values, types):
        _set_attribute("cublasLtMatmulPreferenceSetAttribute", preference, attribute, value, dtype)
    found = np.zeros(most, _FOUND)
    addresses = [int(x) for x in (described, *layouts, preference)]
    try:
        count = library.cublasLtMatmulAlgoGetHeuristic(handle, *addresses, most, found.ctypes.data)
    except LibraryError as error:
        if error.status != REFUSALS["unsupported"]:
            raise
        return []
    return [
        Algorithm(one["algo"], int(one["workspace"])) for one in found[:count] if one["state"] == 0
    ]
