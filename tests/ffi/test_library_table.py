"""What follows from the rows of a library's table: bindings, queries, emulated calls."""

from __future__ import annotations

import ctypes
import importlib
import re
import types
from ctypes import c_int, c_int64, c_size_t
from pathlib import Path

import numpy as np
import pytest

from gpuarray._ffi import (
    cublas,
    cublaslt,
    cublaslt_kinds,
    cudss,
    cufft,
    curand,
    cusolver,
    cusparse,
    library_kinds,
    locate,
    nccl,
)
from gpuarray._ffi.emulator.libraries.decoding import EmulatedLibrary, LibraryCall, LibraryObject
from gpuarray._ffi.library import LocatedLibrary, Out
from gpuarray._ffi.library_kinds import (
    DataType,
    Dimension,
    Enum,
    Enumeration,
    Handle,
    New,
    Number,
    Result,
    StreamHandle,
)
from gpuarray._ffi.library_pointers import (
    HostArray,
    Matrix,
    Pointer,
    ScalarPointer,
    VectorPointer,
    Workspace,
)
from gpuarray._ffi.library_table import PreparedArguments, Row, TableLibrary
from gpuarray.errors import CUDAError, DriverError, LibraryError, LibraryNotFoundError

#: Each module with a table, by the library's file, and the headers that declare its functions.
LIBRARIES = {
    "cublas": (cublas, ("cublas_api.h", "cublas_v2.h")),
    "cublasLt": (cublaslt, ("cublas_api.h", "cublasLt.h")),
    "cudss": (cudss, ("cudss_data_types.h", "cudss.h")),
    "cusolver": (
        cusolver,
        ("cusolver_common.h", "cusolverDn.h", "cusolverSp.h", "cusolverSp_LOWLEVEL_PREVIEW.h"),
    ),
    "cusparse": (cusparse, ("cusparse.h",)),
    "cufft": (cufft, ("cufft.h", "cufftXt.h")),
    "curand": (curand, ("curand.h",)),
    "nccl": (nccl, ("nccl.h",)),
}


# --- rows against the headers of the installed wheels


def _header(*names):
    folders = []
    for file in LIBRARIES:
        try:
            folders.append(Path(locate.library(file)).parents[1] / "include")
        except (CUDAError, LibraryNotFoundError):
            continue
    try:
        folders += map(Path, locate.include_directories())
    except (CUDAError, LibraryNotFoundError):
        pass
    for folder in folders:
        if all((folder / name).exists() for name in names):
            text = "\n".join((folder / name).read_text(errors="replace") for name in names)
            return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    pytest.skip(f"{names} are not installed")


def _parameter(text):
    """Name, type, levels of pointers, and const of a parameter as a header declares it."""
    pointers = text.count("*") + text.count("[")
    words = re.sub(r"\[\w*\]|\*", " ", text).split()
    const = "const" in words
    words = [word for word in words if word != "const"]
    return words[-1], " ".join(words[:-1]), pointers, const


def _plain(name):
    return name.replace("_", "").lower()


@pytest.mark.parametrize("file", LIBRARIES)
def test_rows_agree_with_the_header(file):
    module, headers = LIBRARIES[file]
    for name, row in module.library.rows.items():
        match = re.search(rf"\b{name}\s*\(([^()]*)\)\s*;", _header(*headers))
        assert match, f"the header does not declare {name}"
        declared = [_parameter(text) for text in match[1].split(",") if text.strip()]
        assert [_plain(p[0]) for p in declared] == [_plain(kind.name) for kind in row.kinds], name
        for (parameter, type_, pointers, const), kind in zip(declared, row.kinds, strict=True):
            expected = kind.declaration
            assert type_ in expected.types, (name, parameter)
            assert (pointers, const) == (expected.pointers, expected.const), (name, parameter)


def _members(header, type_):
    body = re.search(rf"enum\s*\w*\s*\{{([^{{}}]*)\}}\s*{type_}\s*;", header)
    if body is None:
        body = re.search(rf"enum\s+{type_}\s*\{{([^{{}}]*)\}}", header)
    found, number = {}, -1
    for entry in body[1].split(","):
        name, _, text = (part.strip() for part in entry.partition("="))
        if not text:
            number += 1  # it follows the one before
        elif re.fullmatch(r"0[xX][0-9a-fA-F]+|-?\d+", text):
            number = int(text, 0)
        else:
            continue  # made of others
        found[name] = number
    return found


@pytest.mark.parametrize("file", LIBRARIES)
def test_enumerations_and_statuses_agree_with_the_header(file):
    module, headers = LIBRARIES[file]
    header = _header(*headers)
    for enumeration in module.ENUMERATIONS:
        declared = _members(header, enumeration.types[0])
        # Headers of older versions have fewer.
        known = {name: x for name, x in enumeration.members.items() if name in declared}
        assert {name: declared[name] for name in known} == known
        assert len(known) > len(enumeration.members) // 2
    declared = _members(header, module.STATUS_TYPE)
    # cuFFT's differ between CUDA 12 and 13.
    names = [name for name in module.STATUSES.values() if name in declared or file != "cufft"]
    assert {declared[name]: name for name in names}.items() <= module.STATUSES.items()
    assert len(names) > 10 or file in ("cublas", "cublasLt", "cudss", "nccl")
    assert set(module.library.refusals.values()) <= set(module.STATUSES)


def test_data_types_agree_with_the_header():
    declared = _members(_header("library_types.h"), "cudaDataType_t")
    members = library_kinds.CUDA_DATA_TYPE.members
    assert {name: declared[name] for name in members} == dict(members)


def test_structures_of_cublaslt_have_the_size_of_the_header():
    header = _header("cublasLt.h")
    for structure in cublaslt_kinds.STRUCTURES:
        words = rf"uint64_t data\[(\d+)\];\s*\}}\s*{structure.opaque}\s*;"
        assert 8 * int(re.search(words, header)[1]) == structure.nbytes
        assert structure.content.itemsize <= structure.nbytes


@pytest.mark.parametrize("file", LIBRARIES)
def test_the_library_exports_the_functions(file):
    library = LIBRARIES[file][0].library
    try:
        locate.library(file)
    except (CUDAError, LibraryNotFoundError) as error:
        pytest.skip(f"the wheel is not installed: {error}")
    opened = LocatedLibrary.open(library)
    assert all(opened[name] for name in library.rows)


@pytest.mark.parametrize("file", ["cublas", "cublasLt", "cufft", "cusolver", "nccl"])
def test_each_function_is_emulated(file):
    functions = importlib.import_module(f"gpuarray._ffi.emulator.libraries.{file.lower()}")
    assert [name for name in LIBRARIES[file][0].library.rows if not hasattr(functions, name)] == []


@pytest.mark.parametrize("file", LIBRARIES)
def test_arguments_do_not_hide_what_a_call_has(file):
    taken = {*dir(LibraryCall), "library", "machine", "row", "context", "written"}
    for name, row in LIBRARIES[file][0].library.rows.items():
        assert not taken & {argument.name for argument in row.kinds}, name


# --- a library of the tests' own, with what cuBLAS has no function for


_HANDLE = Handle("handle", "thingHandle_t", c_int)
_SIDE = Enumeration(("thingSide_t",), {"SIDE_LEFT": 0, "SIDE_RIGHT": 1})
_ROWS = (
    Row("thingCreate", New("handle", "thingHandle_t", c_int)),
    Row("thingCreateParams", New("params", "thingParams_t")),
    Row("thingSizes", _HANDLE, Result("rows"), Number("k"), Result("bytes", c_size_t)),
    Row("thingExtents", _HANDLE, Dimension("rank", c_int), HostArray("n", "rank", np.dtype("i8"))),
    # As cusolverDnXgetrf: a query, two workspaces, a vector of a fixed type.
    Row(
        "thingFactor",
        _HANDLE,
        Handle("params", "thingParams_t", declared_as="thingConstParams_t", optional=True),
        Dimension("n"),
        DataType("dataTypeA"),
        Matrix("A", "n", "n", "dataTypeA", "lda", access="rw"),
        Dimension("lda"),
        VectorPointer("ipiv", "n", np.dtype("i8"), "w"),
        Workspace("bufferOnDevice", "workspaceInBytesOnDevice"),
        Dimension("workspaceInBytesOnDevice", c_size_t),
        Workspace("bufferOnHost", "workspaceInBytesOnHost", on_host=True),
        Dimension("workspaceInBytesOnHost", c_size_t),
        VectorPointer("info", 1, np.dtype("i4"), "w"),
        query="_bufferSize",
        query_omits=["ipiv"],
    ),
    # As cusparseSpMV: one workspace without a size; as cublasLtMatmul: the stream is an argument.
    Row(
        "thingScale",
        Enum("side", _SIDE),
        ScalarPointer("alpha", "type"),
        Dimension("n"),
        DataType("type"),
        VectorPointer("x", "n", "type", "rw"),
        Workspace("externalBuffer"),
        StreamHandle("stream"),
        query="_bufferSize",
    ),
    # As cufftXtExec: the function makes its views itself.
    Row("thingCopy", _HANDLE, Pointer("input"), Pointer("output"), queued=True),
)


def _thing_factor(c):
    c.A[...] = np.linalg.inv(c.A) * (1 if c.params is None else c.params.factor)
    c.ipiv[...] = np.arange(c.n)
    c.info[0] = 7


def _thing_copy(c):
    n = int(np.prod(c.handle.extents))
    source = c.view("input", c.input, np.dtype("f8"), (n,), (1,), "r")
    c.view("output", c.output, np.dtype("f8"), (n,), (1,), "w")[...] = source


def _thing_scale(c):
    c.x[...] *= c.alpha


FUNCTIONS = types.SimpleNamespace(
    thingCreate=lambda c: LibraryObject(c.context, "thingHandle_t", stream=0, extents=(0,)),
    thingCreateParams=lambda c: LibraryObject(c.context, "thingParams_t", factor=2),
    thingSizes=lambda c: (3, 5 * c.k),
    thingExtents=lambda c: setattr(c.handle, "extents", tuple(c.n)),
    thingFactor=_thing_factor,
    thingFactor_bufferSize=lambda c: (8 * c.n, 16),
    thingScale=_thing_scale,
    thingScale_bufferSize=lambda c: 4 * c.n,
    thingCopy=_thing_copy,
)
_STATUSES = {2: "THING_BAD_HANDLE", 3: "THING_BAD_VALUE", 6: "THING_FAILED", 7: "THING_BROKEN"}
_REFUSALS = {
    "handle": 2, "value": 3, "unsupported": 3, "memory": 3, "failed": 6, "internal": 7,
}  # fmt: skip


class BoundLibrary(TableLibrary):
    """A table bound to a machine of a test's own."""

    machine = None

    def open(self):
        return EmulatedLibrary(self.machine, self, FUNCTIONS)


@pytest.fixture
def things(emulated):
    library = BoundLibrary("things", "things", _ROWS, _STATUSES, _REFUSALS)
    library.machine = emulated.source._machine
    return library


@pytest.fixture
def upload(emulated):
    def upload(array):
        pointer = emulated.calls.mem_alloc(max(array.nbytes, 1))
        emulated.calls.memcpy_htod(pointer, array.ctypes.data, array.nbytes)
        return pointer

    return upload


@pytest.fixture
def fetch(emulated):
    def fetch(pointer, dtype, shape):
        result = np.empty(shape, dtype)
        emulated.calls.memcpy_dtoh(result.ctypes.data, pointer, result.nbytes)
        return result

    return fetch


def _run(library, name, values, stored=()):
    """Call a function with prebuilt arguments; `stored` names those that are stored as words."""
    fixed = {key: value for key, value in values.items() if key not in stored}
    prepared = PreparedArguments(library.rows[name], fixed, stored)
    for at, key in enumerate(stored):
        prepared.words[at] = values[key]
    status = library.foreign(name)(*prepared.arguments)
    if status:
        raise library.error(name, status)


def _raises(status_name, match):
    def check(error):
        return error.status_name == status_name and re.search(match, error.detail)

    return pytest.raises(LibraryError, check=check)


def _faults(status, match):
    """As a kernel does: the status is the driver's, whatever the library's."""
    return pytest.raises(
        DriverError, check=lambda e: e.status == status and re.search(match, e.detail)
    )


def test_handles_and_results(things):
    handle = things.thingCreate()
    assert things.thingSizes(handle, 4) == (3, 20)
    assert things.thingCreate() != handle


def test_a_handle_that_is_none(things):
    with _raises("THING_BAD_HANDLE", "0x7b is not a live"):
        things.thingSizes(123, 4)


def test_a_handle_of_another_context(things, emulated):
    handle = things.thingCreate()
    emulated.use(1)
    with _raises("THING_BAD_HANDLE", "made on device 0"):
        things.thingSizes(handle, 4)


def test_a_handle_does_not_survive_a_reset(things, emulated):
    handle = things.thingCreate()
    emulated.calls.primary_context_reset(0)
    emulated.contexts[0] = emulated.calls.primary_context_retain(0)
    emulated.use(0)
    with _raises("THING_BAD_HANDLE", "not a live"):
        things.thingSizes(handle, 4)


def test_a_query_has_the_arguments_before_the_workspace(things):
    query = things.rows["thingFactor_bufferSize"]
    assert [kind.name for kind in query.kinds] == [
        "handle", "params", "n", "dataTypeA", "A", "lda", "workspaceInBytesOnDevice",
        "workspaceInBytesOnHost",
    ]  # fmt: skip
    assert [isinstance(kind.c_type, Out) for kind in query.kinds[-2:]] == [True, True]
    assert query.kinds[1].declaration == (("thingConstParams_t",), 0, False)
    assert query.kinds[4].declaration == (("void",), 1, True)
    values = {"handle": things.thingCreate(), "params": 0, "n": 4, "dataTypeA": "f8", "lda": 4}
    assert things.workspace_bytes("thingFactor", {**values, "ipiv": 5}) == (32, 16)
    with pytest.raises(ValueError, match="thingSizes has no query"):
        things.workspace_bytes("thingSizes", {})


def test_a_failed_query_raises(things):
    values = {
        "handle": things.thingCreate(),
        "params": 0,
        "n": -4,
        "dataTypeA": "f8",
        "A": 0,
        "lda": 4,
    }
    with _raises("THING_BAD_VALUE", "n is -4"):
        things.workspace_bytes("thingFactor", values)


@pytest.fixture
def factor(things, upload, fetch):
    matrix = np.random.default_rng(3).random((4, 4))
    a, pivots = upload(matrix.T.copy()), upload(np.zeros(4, "i8"))
    info, workspace = upload(np.zeros(1, "i4")), upload(np.zeros(32, "u1"))
    host = np.zeros(16, "u1")

    def run(**changes):
        values = {
            "handle": things.thingCreate(), "params": 0, "n": 4, "dataTypeA": "f8", "A": a,
            "lda": 4, "ipiv": pivots, "bufferOnDevice": workspace, "workspaceInBytesOnDevice": 32,
            "bufferOnHost": host.ctypes.data, "workspaceInBytesOnHost": 16, "info": info,
        }  # fmt: skip
        _run(things, "thingFactor", {**values, **changes}, ["A", "ipiv", "info"])
        inverse = fetch(a, "f8", (4, 4)).T
        return inverse @ matrix, fetch(pivots, "i8", 4).tolist(), fetch(info, "i4", 1).tolist()

    return run


def test_matrices_vectors_and_workspaces(factor):
    product, pivots, info = factor()
    np.testing.assert_allclose(product, np.eye(4), atol=1e-12)
    assert (pivots, info) == ([0, 1, 2, 3], [7])


def test_handles_that_may_be_null_or_of_another_kind(things, factor):
    product, _, _ = factor(params=things.thingCreateParams())
    np.testing.assert_allclose(product, 2 * np.eye(4), atol=1e-12)
    with _raises("THING_BAD_HANDLE", "is a thingHandle_t, not a thingParams_t"):
        factor(params=things.thingCreate())
    with _raises("THING_BAD_HANDLE", "0x0 is not a live"):
        factor(handle=0)


@pytest.mark.parametrize(
    "changes, match",
    [
        ({"lda": 3}, "lda is 3, and A has 4 rows"),
        ({"n": -1}, "n is -1"),
        ({"dataTypeA": 99}, "dataTypeA is 99"),
        ({"workspaceInBytesOnDevice": 31}, "bufferOnDevice has 31 bytes, and 32 are needed"),
        ({"workspaceInBytesOnHost": 0}, "bufferOnHost has 0 bytes, and 16 are needed"),
        ({"bufferOnDevice": 0}, "bufferOnDevice is null, and 32 bytes are needed"),
    ],
)
def test_wrong_arguments_are_refused_by_name(factor, changes, match, monkeypatch):
    if changes.get("dataTypeA") == 99:
        monkeypatch.setattr(DataType, "prebuilt", lambda self, value: c_int(99))
    with _raises("THING_BAD_VALUE", match):
        factor(**changes)


@pytest.mark.emulator  # the driver that has the fault's words
def test_memory_that_is_not_there_is_a_fault_of_the_device(factor, emulated):
    for _ in range(2):
        with _faults(700, r"A, float64 \(4, 4\), needs 1088 bytes at 0x"):
            factor(lda=44)  # longer than the allocation
        emulated.calls.mem_free(emulated.calls.mem_alloc(4))


@pytest.mark.emulator
@pytest.mark.parametrize("where", ["A", "ipiv", "info", "bufferOnDevice"])
def test_no_pointer_escapes_the_check_of_bounds(factor, where):
    with _faults(700, rf"{where}, .* at 0x1000"):
        factor(**{where: 0x1000})


@pytest.mark.emulator  # the driver that has the fault's words
def test_misaligned_memory(factor, upload):
    with _faults(716, "elements of 8 bytes"):
        factor(ipiv=upload(np.zeros(80, "u1")) + 4)


@pytest.mark.emulator  # the driver that has the fault's words
def test_a_stream_among_the_arguments_and_a_workspace_without_a_size(things, upload, fetch):
    values = {"side": "SIDE_RIGHT", "alpha": np.float32(3), "n": 4, "type": "f4", "stream": 0}
    assert things.workspace_bytes("thingScale", values) == (16,)
    x, buffer = upload(np.arange(4, dtype="f4")), upload(np.zeros(16, "u1"))
    values |= {"x": x, "externalBuffer": buffer}
    _run(things, "thingScale", values, ["externalBuffer", "x"])
    assert fetch(x, "f4", 4).tolist() == [0, 3, 6, 9]
    with _raises("THING_BAD_VALUE", "side is 5: SIDE_LEFT, SIDE_RIGHT"):
        _run(things, "thingScale", {**values, "side": 5})
    with _raises("THING_FAILED", "not a live stream"):
        _run(things, "thingScale", {**values, "stream": 77})
    with _faults(700, "externalBuffer, uint8"):
        _run(things, "thingScale", {**values, "externalBuffer": buffer + 1})


def test_a_library_that_cannot_be_captured(things, emulated, upload):
    things.capturable = False
    x = upload(np.ones(6))
    stream = emulated.calls.stream_create(1, 0)
    values = {"side": 0, "alpha": np.float32(3), "n": 4, "type": "f4", "stream": stream, "x": x}
    values["externalBuffer"] = upload(np.zeros(16, "u1"))
    _run(things, "thingScale", values)
    emulated.calls.stream_begin_capture(stream, 2)
    with _raises("THING_FAILED", "things cannot be captured; the capture is invalid now"):
        _run(things, "thingScale", values)
    with pytest.raises(CUDAError, match="CAPTURE_INVALIDATED"):
        emulated.calls.stream_end_capture(stream)


def test_extents_on_the_host_and_views_of_the_functions_own(things, upload, fetch):
    handle, n = things.thingCreate(), np.array([2, 3])
    things.thingExtents(handle, 2, n.ctypes.data)
    source, target = upload(np.arange(6.0)), upload(np.zeros(6))
    _run(things, "thingCopy", {"handle": handle, "input": source, "output": target}, ["handle"])
    assert fetch(target, "f8", 6).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_fault_of_the_emulation_is_an_internal_error(things, monkeypatch):
    monkeypatch.setattr(FUNCTIONS, "thingSizes", lambda c: 1 / 0)
    handle = things.thingCreate()
    with _raises("THING_BROKEN", "please report this(?s:.)*ZeroDivisionError"):
        things.thingSizes(handle, 4)


def test_an_interruption_is_raised_in_the_caller(things, monkeypatch):
    def interrupted(c):
        raise KeyboardInterrupt

    monkeypatch.setattr(FUNCTIONS, "thingSizes", interrupted)
    handle = things.thingCreate()
    with pytest.raises(KeyboardInterrupt):
        things.thingSizes(handle, 4)


def test_a_function_without_an_emulation(things, monkeypatch):
    monkeypatch.delattr(FUNCTIONS, "thingSizes")
    with pytest.raises(LibraryNotFoundError, match="things has no function thingSizes"):
        things.thingSizes(things.thingCreate(), 4)


def test_prepared_arguments_know_their_names(things):
    with pytest.raises(ValueError, match="thingSizes has no argument q"):
        PreparedArguments(things.rows["thingSizes"], {"q": 4}, ["handle"])


def test_a_prototype_is_the_c_types_of_a_row(things):
    raw = things.raw("thingFactor")
    assert raw.argtypes[:3] == (c_int, ctypes.c_uint64, c_int64)
    assert raw.restype is c_int
    assert things.raw("thingCreate").argtypes == (ctypes.c_void_p,)


def test_checkers_see_what_a_library_reads_and_writes(things, emulated, upload):
    emulated.source.start_checks(frozenset({"uninit"}), False)
    try:
        never_written, x = emulated.calls.mem_alloc(48), upload(np.ones(6))
        handle, n = things.thingCreate(), np.array([6])
        things.thingExtents(handle, 1, n.ctypes.data)
        target = emulated.calls.mem_alloc(48)
        _run(things, "thingCopy", {"handle": handle, "input": x, "output": target})
        _run(things, "thingCopy", {"handle": handle, "input": target, "output": x})
        assert emulated.source.findings(False) == []  # the library itself wrote the target
        _run(things, "thingCopy", {"handle": handle, "input": never_written, "output": x})
        (finding,) = emulated.source.findings(False)
    finally:
        emulated.source.stop_checks()
    assert finding.kernel == "thingCopy"
    assert finding.address == never_written
    assert "input is read where it was never written" in finding.message
