"""Binding by prototypes, and the driver's prototypes against cuda.h."""

import ctypes
import os
import re
from ctypes import c_char, c_char_p, c_double, c_float, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path

import pytest

from gpuarray._ffi import driver_enums, locate, structs
from gpuarray._ffi.driver_prototypes import PROTOTYPES
from gpuarray._ffi.library import Library, Out
from gpuarray.errors import CUDAError, LibraryNotFoundError, MixedCUDAError

TABLE = {
    "nothing": ("xNothing", (c_int, c_void_p)),
    "one": ("xOne", (Out(c_int), c_int)),
    "two": ("xTwo", (c_int, Out(c_int), Out(c_double))),
    "around": ("xAround", (Out(c_int), c_int, Out(c_int))),
    "octets": ("xOctets", (Out(c_char * 4), c_int)),
    "absent": ("xAbsent", ()),
}


class FailedError(Exception):
    pass


class Source(dict):
    """A library of Python callbacks; it counts what is bound."""

    def __getitem__(self, c_name):
        if c_name not in self:
            raise AttributeError(c_name)
        return ctypes.CDLL(None)._FuncPtr(ctypes.cast(self.get(c_name), c_void_p).value)


@pytest.fixture
def opened():
    return []


@pytest.fixture
def library(opened):
    def write(address, type_, value):
        type_.from_address(address).value = value

    def make(arguments, function):
        return ctypes.CFUNCTYPE(c_int, *arguments)(function)

    def one(out, value):
        write(out, c_int, value * 2)
        return 7 if value < 0 else 0

    def two(value, first, second):
        write(first, c_int, value)
        write(second, c_double, value / 2)
        return 0

    def around(first, value, last):
        write(first, c_int, value - 1)
        write(last, c_int, value + 1)
        return 0

    def octets(out, value):
        ctypes.memmove(out, bytes([value, 0, 0, value]), 4)
        return 0

    def nothing(value, pointer):
        seen.append((value, pointer))
        return value

    seen = []
    source = Source(
        xNothing=make((c_int, c_void_p), nothing),
        xOne=make((c_void_p, c_int), one),
        xTwo=make((c_int, c_void_p, c_void_p), two),
        xAround=make((c_void_p, c_int, c_void_p), around),
        xOctets=make((c_void_p, c_int), octets),
    )

    def open_():
        opened.append(True)
        return source

    made = Library("a test library", TABLE, open_, lambda call, status: FailedError(call, status))
    made.seen = seen
    return made


def test_it_opens_at_first_use_and_once(library, opened):
    assert not opened
    library.one(1)
    library.two(1)
    assert len(opened) == 1


def test_results(library):
    assert library.one(21) == 42
    assert library.two(3) == (3, 1.5)
    assert library.around(5) == (4, 6)
    assert library.octets(9) == b"\x09\0\0\x09"
    assert library.nothing(0, None) is None


def test_addresses_may_be_integers_or_bytes(library):
    data = b"abc"
    library.nothing(0, data)
    library.nothing(0, 2**40)
    library.nothing(0, None)
    assert library.seen == [
        (0, ctypes.cast(data, c_void_p).value),
        (0, 2**40),
        (0, None),
    ]


def test_a_status_raises_with_the_name_of_the_call(library):
    with pytest.raises(FailedError) as raised:
        library.one(-1)
    assert raised.value.args == ("xOne", 7)
    with pytest.raises(FailedError):
        library.nothing(5, None)


def test_the_raw_function_returns_the_status(library):
    assert library.raw("nothing")(5, None) == 5
    assert library.raw("nothing") is library.raw("nothing")


def test_an_old_library_without_the_function(library):
    with pytest.raises(
        LibraryNotFoundError, match=r"a test library has no function xAbsent.*update"
    ):
        library.absent()


def test_a_function_that_no_table_has(library):
    with pytest.raises(AttributeError, match="no function 'nonsense'"):
        library.nonsense  # noqa: B018


# --- the driver's table against the header


def _cuda_header():
    try:
        folders = locate.include_directories()
    except (CUDAError, MixedCUDAError, LibraryNotFoundError):
        folders = ()
    for folder in folders:
        path = os.path.join(folder, "cuda.h")
        if os.path.exists(path):
            text = Path(path).read_text(encoding="utf-8", errors="replace")
            # cudaProfiler.h is in a wheel of its own; the types of its functions are here.
            types = Path(folder, "cudaProfilerTypedefs.h").read_text(encoding="utf-8")
            return re.sub(r"/\*.*?\*/", "", text + types, flags=re.DOTALL)
    pytest.skip("there is no cuda.h")


@pytest.fixture(scope="module")
def header():
    return _cuda_header()


def _declared(header, c_name):
    """The C types of a function's parameters, as the header declares them."""
    # The header writes the older name, and a macro makes it the versioned one.
    written = {"cuGraphInstantiateWithFlags": "cuGraphInstantiate"}.get(c_name, c_name)
    # A macro may have made the name a later version's there; the library's own is declared last.
    later = re.search(rf"#define {c_name}\s+__CUDA_API_\w+\({c_name}_v\d\)", header) is not None
    for pattern in (
        rf"CUresult CUDAAPI {written}\(([^;]*?)\);",
        rf"CUresult CUDAAPI {written.removesuffix('_v2')}\(([^;]*?)\);",
        rf"CUresult \(CUDAAPI \*PFN_{written}_v\d+\)\(([^;]*?)\);",
    ):
        matches = re.findall(pattern, header)
        if matches:
            return [p.strip() for p in matches[-later].split(",") if p.strip() != "void"]
    raise AssertionError(f"cuda.h does not declare {c_name}")


_STRUCTURES = {
    "CUmemLocation": structs.CUmemLocation,
    "CUipcMemHandle": structs.CUipcHandle,
    "CUipcEventHandle": structs.CUipcHandle,
}
_ENUMS = (
    "CUdevice_P2PAttribute",
    "CUfunc_cache",
    "CUgraphNodeType",
    "CUmemAccess_flags",
    "CUmemAllocationGranularity_flags",
    "CUmemPool_attribute",
    "CUmem_advise",
    "CUstreamCaptureMode",
    "CUstreamCaptureStatus",
)
_NUMBERS = {
    **dict.fromkeys(_ENUMS, (c_int,)),
    "unsigned long long": (ctypes.c_uint64,),
    "cuuint64_t": (ctypes.c_uint64,),
    "int": (c_int,),
    "CUdevice": (c_int,),
    "CUresult": (c_int,),
    "CUdevice_attribute": (c_int,),
    "CUfunction_attribute": (c_int,),
    "CUpointer_attribute": (c_int,),
    "CUlimit": (c_int,),
    "unsigned int": (c_uint,),
    "unsigned char": (ctypes.c_ubyte,),
    "unsigned short": (ctypes.c_ushort,),
    "size_t": (c_size_t,),
    "float": (c_float,),
}


def test_prototypes_agree_with_cuda_h(header):
    for c_name, arguments in PROTOTYPES.values():
        _check_prototype(_declared(header, c_name), arguments)


def _check_prototype(declared, arguments):
    assert len(declared) == len(arguments), declared
    for parameter, argument in zip(declared, arguments, strict=True):
        c_type = re.sub(r"\b(const|\w+$)", "", parameter).strip()
        c_type = re.sub(r"\s*\*", "*", c_type)
        if isinstance(argument, Out):
            assert c_type.endswith("*"), parameter
            c_type, argument = c_type[:-1], argument.type
            if issubclass(argument, ctypes.Array):  # a struct of bytes, by its size
                continue
        if c_type.endswith("*"):
            assert argument in (c_void_p, c_char_p, ctypes.c_uint64), parameter
        elif c_type in _STRUCTURES:
            assert argument is _STRUCTURES[c_type], parameter
        elif c_type in _NUMBERS:
            assert argument in _NUMBERS[c_type], parameter
        elif c_type == "void":  # cuPointerGetAttribute's void*
            assert ctypes.sizeof(argument) == 8
        else:  # a handle, a device address or a pointer to a function
            assert re.fullmatch(r"CU\w+", c_type), parameter
            assert ctypes.sizeof(argument) == 8, parameter


@pytest.mark.parametrize(
    "table, enum, prefix",
    [
        ("STATUSES", "cudaError_enum", "CUDA_"),
        ("DEVICE_ATTRIBUTES", "CUdevice_attribute_enum", "CU_DEVICE_ATTRIBUTE_"),
        ("FUNCTION_ATTRIBUTES", "CUfunction_attribute_enum", "CU_FUNC_ATTRIBUTE_"),
        ("POINTER_ATTRIBUTES", "CUpointer_attribute_enum", "CU_POINTER_ATTRIBUTE_"),
        ("LIMITS", "CUlimit_enum", "CU_LIMIT_"),
    ],
)
def test_numbers_agree_with_cuda_h(header, table, enum, prefix):
    body = re.search(rf"typedef enum {enum}\s*\{{(.*?)\}}", header, re.DOTALL)[1]
    numbers = dict(re.findall(r"(\w+)\s*=\s*(0x\w+|\d+)", body))
    assert numbers
    ours = getattr(driver_enums, table)
    for c_name, number in numbers.items():
        if c_name.startswith(prefix) and not c_name.endswith("_MAX"):
            name = c_name if table == "STATUSES" else c_name.removeprefix(prefix).lower()
            if name in ours:
                assert ours[name] == int(number, 0), c_name
            else:  # an older name of the same number
                assert int(number, 0) in ours.values(), c_name


@pytest.mark.parametrize(
    "ours, theirs",
    [
        ("CUDA_HOST_NODE_PARAMS", "CUDA_HOST_NODE_PARAMS_st"),
        ("CUDA_KERNEL_NODE_PARAMS", "CUDA_KERNEL_NODE_PARAMS_v2_st"),
        ("CUDA_MEMCPY2D", "CUDA_MEMCPY2D_st"),
        ("CUDA_MEMCPY3D", "CUDA_MEMCPY3D_st"),
        ("CUDA_MEMCPY3D_PEER", "CUDA_MEMCPY3D_PEER_st"),
        ("CUDA_MEMSET_NODE_PARAMS", "CUDA_MEMSET_NODE_PARAMS_st"),
        ("CUgraphExecUpdateResultInfo", "CUgraphExecUpdateResultInfo_st"),
        ("CUmemAccessDesc", "CUmemAccessDesc_st"),
        ("CUmemAllocationProp", "CUmemAllocationProp_st"),
        ("CUmemLocation", "CUmemLocation_st"),
        ("CUmemPoolProps", "CUmemPoolProps_st"),
    ],
)
def test_structures_agree_with_cuda_h(header, ours, theirs):
    """The fields' names, order and sizes; what C makes of them is then the same."""
    body = re.search(rf"typedef struct {theirs}\s*\{{(.*?)\n\}}", header, re.DOTALL)[1]
    body = re.sub(r"struct \{(.*?)\n *\} \w+;", r"\1", body, flags=re.DOTALL)  # fields of it
    declared = re.findall(r"([\w\s]+?[\s*]+)(\w+)(?:\[(\d+)\])?;", body)
    sizes = {"int": 4, "unsigned int": 4, "unsigned short": 2, "unsigned char": 1, "size_t": 8}
    pointers = ("CUdeviceptr", "CUarray", "CUcontext", "CUfunction", "CUkernel", "CUhostFn")
    structure = getattr(structs, ours)
    if ours == "CUmemPoolProps" and " usage;" not in body:
        pytest.skip("the field was a part of what is reserved, in these headers")
    assert [name for _, name, _ in declared] == [field[0] for field in structure._fields_]
    for c_type, name, count in declared:
        type_ = c_type.removeprefix("const ").strip()
        if "*" in type_ or type_ in (*pointers, "CUgraphNode"):
            size = 8
        elif type_ == "CUmemLocation":
            size = ctypes.sizeof(structs.CUmemLocation)
        else:
            size = sizes.get(type_, 4)  # the others are enums
        assert getattr(structure, name).size == size * int(count or 1), name
