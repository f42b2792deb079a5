"""Sizes that no memory has: refused before anything is allocated, wherever a shape comes in."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import OutOfMemoryError

X = np.arange(3.0)


def _settle():
    gc.collect()
    cp.cuda.get_current_stream().synchronize()  # what is recorded has its memory behind it


@pytest.fixture
def figures():
    """The pool's figures, which a refused size must not change."""
    pool = cp.get_default_memory_pool()
    _settle()
    before = pool.used_bytes()
    yield
    _settle()
    assert pool.used_bytes() == before
    # Memory that is handed out belongs to nobody else.
    parts = [cp.full(64, i, "i8") for i in range(8)]
    assert [int(part.sum()) for part in parts] == [64 * i for i in range(8)]


def _one(dtype="f8"):
    return cp.ones(1, dtype)


TOO_BIG = {
    "empty": lambda: cp.empty(2**61 + 1),
    "neighbour": lambda: cp.empty(2**61 + 64),
    "zeros": lambda: cp.zeros(2**61 + 1),
    "zero bytes asked": lambda: cp.zeros(2**62),
    "ones": lambda: cp.ones(2**61 + 1),
    "full": lambda: cp.full((2**31, 2**31, 2), 1),
    "beyond an integer": lambda: cp.empty(2**70, "i1"),
    "one too many": lambda: cp.empty(2**63, "i1"),
    "with a length of 0": lambda: cp.zeros((0, 2**62, 4)),
    "empty_like": lambda: cp.empty_like(X, shape=2**61 + 1),
    "zeros_like": lambda: cp.zeros_like(X, shape=(2**61 + 1, 1)),
    "full_like": lambda: cp.full_like(X, 1, shape=2**62),
    "eye": lambda: cp.eye(2**40),
    "arange": lambda: cp.arange(2**61 + 1),
    "arange of floats": lambda: cp.arange(0, 1e30),
    "linspace": lambda: cp.linspace(0, 1, 2**62),
    "tile": lambda: cp.tile(_one(), 2**61 + 1),
    "repeat": lambda: cp.repeat(_one(), 2**61 + 1),
    "diag": lambda: cp.diag(cp.broadcast_to(_one(), 2**40)),
    "bincount": lambda: cp.bincount(cp.array([2**61 + 63])),
    "minlength": lambda: cp.bincount(cp.array([1]), minlength=2**61),
    "broadcast view": lambda: cp.broadcast_to(_one(), 2**61),
    "broadcast operands": lambda: cp.broadcast_to(_one(), (2**40, 1)) + cp.broadcast_to(
        _one(), 2**40
    ),
    "cast": lambda: cp.broadcast_to(_one("i1"), 2**62).astype("f8"),
    "concatenate": lambda: cp.concatenate([cp.broadcast_to(_one("i1"), 2**62)] * 4),
    "stack": lambda: cp.stack([cp.broadcast_to(_one("i1"), 2**62)] * 4),
    "ndarray": lambda: cp.ndarray(2**61 + 1),
    "ndarray with strides": lambda: cp.ndarray(2**62, strides=(0,)),
    "a stride": lambda: cp.ndarray(2, strides=(2**63,)),
    "a stride of one element": lambda: cp.ndarray(1, strides=(2**63,)),
    "strides together": lambda: cp.ndarray((2, 2), strides=(2**62, -(2**62))),
}  # fmt: skip


@pytest.mark.parametrize("call", TOO_BIG.values(), ids=TOO_BIG)
def test_a_shape_beyond_the_address_space(call, figures):
    with pytest.raises(ValueError, match="array is too big|Maximum allowed size exceeded"):
        call()


HUGE = {
    "empty": lambda: cp.empty(2**60 - 1),
    "result": lambda: cp.broadcast_to(_one("i1"), 2**62) + cp.int8(1),
    "workspace": lambda: cp.sort(cp.broadcast_to(_one("i1"), 2**61)),
    "alloc": lambda: cp.cuda.alloc(2**63 - 1),
    "pool": lambda: cp.cuda.MemoryPool().malloc(2**62),
}


@pytest.mark.parametrize("call", HUGE.values(), ids=HUGE)
def test_a_size_beyond_any_device(call, figures):
    with pytest.raises(OutOfMemoryError):
        call()


ALLOCATORS = {
    "alloc": cp.cuda.alloc,
    "pool": lambda size: cp.cuda.MemoryPool().malloc(size),
    "malloc_managed": cp.cuda.malloc_managed,
    "pinned": cp.cuda.alloc_pinned_memory,
    "pinned pool": lambda size: cp.cuda.PinnedMemoryPool().malloc(size),
    "Memory": cp.cuda.memory.Memory,
    "UnownedMemory": lambda size: cp.cuda.UnownedMemory(0, size, None),
    "set_limit": lambda size: cp.cuda.MemoryPool().set_limit(size=size),
}


@pytest.mark.parametrize("allocate", ALLOCATORS.values(), ids=ALLOCATORS)
def test_bytes_are_integers_in_range(allocate, figures):
    for size in (1e3, float("nan"), "8", None if allocate is not ALLOCATORS["set_limit"] else 2.0):
        with pytest.raises(TypeError):
            allocate(size)
    for size in (-2000, -8, 2**63, 2**64 + 5):
        with pytest.raises(ValueError, match="negative|address space"):
            allocate(size)
    allocate(np.int16(600))


def test_pointers_move_by_integers():
    memory = cp.cuda.alloc(64)
    with pytest.raises(TypeError):
        memory + 1.5
    assert (memory + np.int8(8)).ptr == memory.ptr + 8


def test_strides_are_integers():
    with pytest.raises(TypeError):
        cp.ndarray(2, strides=(8.5,))


def test_more_sections_than_a_list_can_have():
    x = cp.arange(5)
    for sections in (2**31, 2**62):
        with pytest.raises(ValueError, match=str(sections)):
            cp.array_split(x, sections)
    assert [len(part) for part in cp.array_split(x, 7)] == [1, 1, 1, 1, 1, 0, 0]
