"""Other libraries' arrays: what they say of themselves is checked where they come in."""

from __future__ import annotations

import enum

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _array, _layout
from gpuarray._runtime.memory_pointer import malloc
from gpuarray._runtime.ordered_memory import UnownedMemory
from gpuarray.errors import UnsupportedDTypeError
from tests.array.arrays import same

HOST = np.arange(12, dtype="f4").reshape(3, 4)


class Foreign:
    """An array of another library, of which only the interface is known."""

    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


@pytest.fixture
def interface():
    """The interface of an array that fills memory of its own, which the driver knows the end of."""
    memory = malloc(HOST.nbytes)
    x = cp.ndarray(HOST.shape, HOST.dtype, memory)
    x.set(HOST)
    found = dict(x.__cuda_array_interface__)
    yield found
    same(x, HOST)  # nothing wrote to it


class Three(enum.IntEnum):
    LENGTH = 3


ACCEPTED = {
    "a list": {"shape": [3, 4]},
    "NumPy's integers": {"shape": (np.int64(3), np.uint8(4)), "strides": (np.int16(16), 4)},
    "an enum": {"shape": (Three.LENGTH, 4)},
    "version 0": {"version": 0, "stream": None},
    "a list as data": {"data": list},
    "the legacy stream": {"stream": 1},
    "the per-thread stream": {"stream": 2},
    "no descr": {"descr": None},
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_the_protocol_allows(name, interface):
    changes = dict(ACCEPTED[name])
    if changes.get("data") is list:
        changes["data"] = list(interface["data"])
    shared = cp.asarray(Foreign(interface | changes))
    same(shared, HOST)
    assert all(type(n) is int for n in (*shared.shape, *shared.strides))


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype([("a", "<i4"), ("b", "<f4")]),
        np.dtype([("a", "<i2")]),
        np.dtype([("a", "<i4"), ("b", "<f8", (2,)), ("c", [("d", "?")])], align=True),
    ],
    ids=["two fields", "one field", "nested, with gaps"],
)
def test_structures_keep_their_fields(dtype):
    host = np.zeros(3, dtype)
    host["a"] = [1, 2, 3]
    x = cp.asarray(host)
    assert x.__cuda_array_interface__["descr"] == host.__array_interface__["descr"]
    y = cp.asarray(Foreign(x.__cuda_array_interface__))
    assert y.dtype == dtype
    assert y.data.ptr == x.data.ptr
    assert y["a"].tolist() == [1, 2, 3]


def test_fields_that_the_protocol_cannot_name():
    dtype = np.dtype({"names": ["a", "b"], "formats": ["i4", "f4"], "offsets": [4, 0]})
    interface = cp.zeros(3, dtype).__cuda_array_interface__
    assert interface["descr"] == np.zeros(3, dtype).__array_interface__["descr"] == [("", "|V8")]


REFUSED = {
    "no dict": (None, TypeError, "must be a dict"),
    "no typestr": ({"typestr": None}, ValueError, "no 'typestr'"),
    "no shape": ({"shape": None}, ValueError, "no 'shape'"),
    "no data": ({"data": None}, ValueError, "no 'data'"),
    "a dtype as typestr": ({"typestr": np.dtype("f4")}, TypeError, "'typestr'.*must be a str"),
    "no such typestr": ({"typestr": "<q7"}, TypeError, "'typestr'.*no dtype"),
    "a typestr that is not ASCII": ({"typestr": "\u00fff4\udcff"}, TypeError, "'typestr'"),
    "long double": ({"typestr": "<f16"}, UnsupportedDTypeError, "'typestr'"),
    "objects": ({"typestr": "|O8"}, UnsupportedDTypeError, "'typestr'"),
    "big-endian": ({"typestr": ">f4"}, UnsupportedDTypeError, "'typestr'"),
    "fields": (
        {"descr": [("a", "<f2"), ("b", "<f2")]},
        TypeError,
        "'descr'.*structures of 4 bytes, but 'typestr' is '<f4'",
    ),
    "fields of another size": (
        {"typestr": "|V4", "descr": [("a", "<f4"), ("b", "<f4")]},
        TypeError,
        "'descr'.*structures of 8 bytes",
    ),
    "no fields": ({"typestr": "|V4", "descr": [("a", "q7"), 3]}, TypeError, "'descr'.*no fields"),
    "a mask": ({"mask": 1}, ValueError, "'mask'"),
    "floats as lengths": ({"shape": (3.0, 4)}, TypeError, "'shape'"),
    "text as a shape": ({"shape": "ab"}, TypeError, "'shape'"),
    "negative lengths": ({"shape": (-3, -4)}, ValueError, "'shape'.*negative"),
    "too many dimensions": ({"shape": (1,) * 65}, ValueError, "'shape'.*64"),
    "too many elements": ({"shape": (2**62, 4)}, ValueError, "too big"),
    "too few strides": ({"strides": (4,)}, ValueError, "'strides'.*2 lengths but 1"),
    "floats as strides": ({"strides": (16.0, 4.0)}, TypeError, "'strides'"),
    "a number as strides": ({"strides": 4}, TypeError, "'strides'"),
    "absurd strides": ({"strides": (2**63, 4)}, ValueError, "'strides'.*too big"),
    "strides between elements": ({"strides": (15, 4)}, ValueError, "'data'.*15 bytes apart"),
    "strides before the memory": ({"strides": (-(2**30), 4)}, ValueError, "'data'"),
    "strides beyond the memory": ({"strides": (64, 4)}, ValueError, "'data'.*beyond the end"),
    "more than there is": ({"shape": (4, 4)}, ValueError, "'data'.*beyond the end"),
    "an unknown version": ({"version": 4}, ValueError, "'version'"),
    "a version that is no int": ({"version": "3"}, ValueError, "'version'"),
    "stream 0": ({"stream": 0}, ValueError, "'stream'.*does not allow"),
    "a negative stream": ({"stream": -1}, ValueError, "'stream'"),
    "a stream that is no int": ({"stream": 1.0}, TypeError, "'stream'"),
    "null": ({"data": (0, False)}, ValueError, "'data'.*null"),
    "no address": ({"data": (None, False)}, ValueError, "'data'.*null"),
    "an address that is no int": ({"data": ("0x10", False)}, TypeError, "'data'.*no int"),
    "a negative address": ({"data": (-512, False)}, ValueError, "'data'"),
    "an address beyond all": ({"data": (2**64, False)}, ValueError, "'data'"),
    "an address alone": ({"data": 4096}, TypeError, "'data'"),
    "bytes": ({"data": b"ab"}, TypeError, "'data'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_protocol_does_not_allow(name, interface):
    changes, error, message = REFUSED[name]
    wrong = Foreign(5 if changes is None else interface | changes)
    for use in (cp.asarray, cp.array, lambda x: cp.ones((3, 4), "f4") + x):
        with pytest.raises(error, match=f"__cuda_array_interface__.*{message}"):
            use(wrong)
    with pytest.raises(error, match="^add: __cuda"):
        cp.add(cp.ones((3, 4), "f4"), wrong)


def test_memory_that_is_not_the_devices(interface):
    address = HOST.__array_interface__["data"][0]
    with pytest.raises(ValueError, match="'data'.*is not device memory"):
        cp.asarray(Foreign(interface | {"data": (address // 16 * 16, False)}))


def test_an_address_that_is_not_aligned(interface):
    pointer = interface["data"][0]
    with pytest.raises(ValueError, match=r"'data'.*no multiple of 4.*copy the array in the"):
        cp.asarray(Foreign(interface | {"data": (pointer + 2, False), "shape": (2, 4)}))


def test_strides_of_single_elements_do_not_matter(interface):
    x = cp.asarray(Foreign(interface | {"shape": (1, 4), "strides": (3, 4)}))
    for result in (x + 0, cp.sort(x), cp.cumsum(x, axis=0), x[:, [0, 1, 2, 3]], x[x == x]):
        assert result.ravel().tolist() == [0, 1, 2, 3]


def test_arrays_without_elements_have_no_address(interface):
    for pointer in (0, None, interface["data"][0] + 1):
        x = cp.asarray(Foreign(interface | {"shape": (0, 4), "data": (pointer, False)}))
        assert x.shape == (0, 4)
        assert (x + 1).size == 0


@pytest.mark.parametrize("memory", ["managed", "pinned"])
def test_other_memory_that_the_device_reaches(memory):
    if memory == "managed":
        owner = cp.cuda.malloc_managed(64)
        address = owner.ptr
    else:
        owner = cp.cuda.alloc_pinned_memory(64)
        address = owner.ptr
    x = cp.asarray(
        Foreign({"shape": (16,), "typestr": "<i4", "data": (address, False), "version": 3})
    )
    x[...] = cp.arange(16)
    assert (x + 1).tolist() == list(range(1, 17))
    del owner


def test_dlpack_beyond_its_memory():
    memory = malloc(64)
    wrong = _array.wrap(memory.mem, memory.ptr, _layout.contiguous(np.dtype("f4"), (17,)))
    with pytest.raises(ValueError, match=r"from_dlpack.*beyond the end of their allocation by 4"):
        cp.from_dlpack(wrong.__dlpack__())


def test_a_raw_kernel_names_what_an_interface_lacks():
    kernel = cp.RawKernel('extern "C" __global__ void nothing(float* x) {}', "nothing")
    for interface, message in (({}, "no 'data'"), ({"data": ("a", 0)}, "'data'.*no int")):
        with pytest.raises((ValueError, TypeError), match=f"__cuda_array_interface__.*{message}"):
            kernel((1,), (1,), (Foreign(interface),))


def test_memory_pointers_are_pointers():
    for wrong in (4096, "memory", cp.arange(3), np.arange(3)):
        with pytest.raises(TypeError, match="memptr must be a gpuarray.cuda.MemoryPointer"):
            cp.ndarray(3, memptr=wrong)


def test_unowned_memory_is_memory():
    memory = malloc(64)
    assert UnownedMemory(memory.ptr, 64, memory).size == 64
    assert UnownedMemory(memory.ptr, 0, memory).device_id == memory.device_id
    with pytest.raises(ValueError, match="UnownedMemory: 65 bytes at .* beyond the end"):
        UnownedMemory(memory.ptr, 65, memory)
    with pytest.raises(ValueError, match="UnownedMemory: .*is not device memory"):
        UnownedMemory(HOST.__array_interface__["data"][0], HOST.nbytes, HOST)
    for pointer in (-1, 1 << 64):
        with pytest.raises(ValueError, match="no memory has the address"):
            UnownedMemory(pointer, 64, None)
    with pytest.raises(TypeError):
        UnownedMemory(1.5, 64, None)


def test_allocators_return_aligned_pointers():
    before = cp.cuda.get_allocator()
    try:
        for allocate, error, message in (
            (lambda size: 4096, TypeError, "MemoryPointer, got int"),
            (lambda size: malloc(size + 64) + 4, ValueError, "multiple of 16"),
            (lambda size: cp.cuda.MemoryPointer(UnownedMemory(0, size, None), 0), ValueError, "0x0"),
        ):  # fmt: skip
            cp.cuda.set_allocator(allocate)
            with pytest.raises(error, match=f"set_allocator.*{message}"):
                cp.zeros(3)
    finally:
        cp.cuda.set_allocator(before)
    same(cp.zeros(3), np.zeros(3))
