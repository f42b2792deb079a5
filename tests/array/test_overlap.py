"""Two arrays over the same bytes: what is stored through one is not read through the other.

Arrays of this package share bytes only through one memory object; other libraries' arrays, and
those over addresses that the user has, can share them with any.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _array
from tests.array.arrays import same

LENGTH, SHIFT = 12_000, 2000


class Foreign:
    def __init__(self, x):
        self.owner = x
        self.__cuda_array_interface__ = x.__cuda_array_interface__


def unowned(x):
    memory = cp.cuda.UnownedMemory(x.data.ptr, x.nbytes, x)
    return cp.ndarray(x.shape, x.dtype, cp.cuda.MemoryPointer(memory, 0))


IMPORTS = {
    "dlpack": lambda x: cp.from_dlpack(x.__dlpack__()),
    "interface": lambda x: cp.asarray(Foreign(x)),
    "memory": unowned,
}

#: Two arrays over the memory of one.
PAIRS = {
    "own, dlpack": lambda x: (x, cp.from_dlpack(x.__dlpack__(max_version=(1, 0)))),
    "memory, own": lambda x: (unowned(x), x),
    "dlpack, interface": lambda x: (
        cp.from_dlpack(x.__dlpack__(max_version=(1, 0))),
        cp.asarray(Foreign(x)),
    ),
    "parts": lambda x: (cp.from_dlpack(x[: -SHIFT // 2].__dlpack__()), x),
    "one": lambda x: (x, x),
}


def indices(xp, n):
    return xp.asarray(np.random.default_rng(n).permutation(n))


def _iadd(xp, a, b):
    a[SHIFT:] += b[: len(a) - SHIFT]


def _isub_backwards(xp, a, b):
    a[:] -= b[: len(a)][::-1]


def _out(xp, a, b):
    xp.multiply(b[: len(a) - SHIFT], 2, out=a[SHIFT:])


def _out_of_two(xp, a, b):
    xp.add(a[:-SHIFT], b[SHIFT : len(a)], out=a[SHIFT:])


def _unary_out(xp, a, b):
    xp.negative(b[: len(a) - SHIFT], out=a[SHIFT:])


def _mask(xp, a, b):
    a[a > 5] = b[: int((a > 5).sum())]


def _fill_by_mask(xp, a, b):
    a.view("?")[8:][b.view("?")[: a.view("?").size - 8]] = False


def _mask_of_itself(xp, a, b):
    a, b = a.view("?")[:9000], b.view("?")[:9000]
    values = xp.zeros(int(b[:-8].sum()), "?")
    a[8:][b[:-8]] = values


def _assign(xp, a, b):
    a[SHIFT:] = b[: len(a) - SHIFT]


def _assign_backwards(xp, a, b):
    a[...] = b[: len(a)][::-1]


def _assign_by_indices(xp, a, b):
    a[indices(xp, len(a))] = b[: len(a)]


def _assign_to_indices_of_itself(xp, a, b):
    a[...] = indices(xp, len(a))
    b = a.copy() if xp is np else b
    a[b[: len(a)]] = 7


def _copyto(xp, a, b):
    xp.copyto(a[SHIFT:], b[: len(a) - SHIFT])


def _copyto_where(xp, a, b):
    xp.copyto(a[SHIFT:], b[: len(a) - SHIFT], where=b[: len(a) - SHIFT] > 3)


def _cumulate(xp, a, b):
    xp.cumsum(b[: len(a) - SHIFT], out=a[SHIFT:])


def _accumulate(xp, a, b):
    xp.maximum.accumulate(b[: len(a) - SHIFT], out=a[SHIFT:])


def _reduce(xp, a, b):
    rows = len(a) // 100
    xp.sum(b[: rows * 100].reshape(100, rows), axis=0, out=a[rows // 2 :][:rows])


def _mean(xp, a, b):
    rows = len(a) // 100
    xp.max(b[: rows * 100].reshape(rows, 100), axis=1, out=a[rows:][:rows])


def _argmax(xp, a, b):
    rows = len(a) // 100
    xp.argmax(b[: rows * 100].reshape(rows, 100), axis=1, out=a[rows:][:rows])


def _median(xp, a, b):
    a, b = a.view("f8"), b.view("f8")
    xp.median(b[:1000].reshape(20, 50), axis=1, out=a[20:40])


def _take(xp, a, b):
    xp.take(b, indices(xp, len(a) - SHIFT), out=a[SHIFT:], mode="wrap")


def _compress(xp, a, b):
    mask = xp.asarray(np.arange(len(a) - SHIFT) % 2 == 0)
    xp.compress(mask, b, out=a[SHIFT:][: int(mask.sum())])


def _clip(xp, a, b):
    xp.clip(b[: len(a) - SHIFT], 2, 6, out=a[SHIFT:])


def _round(xp, a, b):
    xp.round(b[: len(a) - SHIFT], 0, out=a[SHIFT:])


def _put_along_axis(xp, a, b):
    xp.put_along_axis(a, indices(xp, len(a)), b[: len(a)], 0)


def _put_along_indices_of_itself(xp, a, b):
    a[...] = indices(xp, len(a))
    b = a.copy() if xp is np else b
    xp.put_along_axis(a, b[: len(a)], xp.asarray(5), 0)


def _concatenate(xp, a, b):
    half = len(a) // 4
    xp.concatenate([b[half : 2 * half], b[:half]], out=a[: 2 * half])


def _fill(xp, a, b):
    a[SHIFT:].fill(b[SHIFT])


def _real_and_imag(xp, a, b):
    a, b = a.view("c16"), b.view("c16")
    a.real[100:] = b.imag[: len(a) - 100]


WRITES = {f.__name__.strip("_"): f for f in (
    _iadd, _isub_backwards, _out, _out_of_two, _unary_out, _mask, _fill_by_mask, _mask_of_itself,
    _assign, _assign_backwards, _assign_by_indices, _assign_to_indices_of_itself, _copyto,
    _copyto_where, _cumulate, _accumulate, _reduce, _mean, _argmax, _median, _take, _compress,
    _clip, _round, _put_along_axis, _put_along_indices_of_itself, _concatenate, _fill,
    _real_and_imag,
)}  # fmt: skip


@pytest.fixture
def few_threads(monkeypatch):
    """The emulator runs few threads together: others read what these have stored."""
    launch = importlib.import_module("gpuarray._ffi.emulator.simt.launch")
    monkeypatch.setattr(launch, "CHUNK_THREADS", 512)


@pytest.mark.usefixtures("few_threads")
@pytest.mark.parametrize("name", WRITES)
def test_what_is_stored_is_not_read(name):
    write = WRITES[name]
    rng = np.random.default_rng(3)
    host = rng.integers(0, 9, LENGTH)
    for pair in PAIRS:
        x = cp.empty(LENGTH, "i8")
        views = PAIRS[pair](x)
        # Some of NumPy's functions read what they have stored: they get a copy to read from.
        memory = host.copy()
        write(np, memory[: len(views[0])], host[: len(views[1])].copy())
        for _ in range(2):  # cold, then with plans that there are
            x.set(host)
            write(cp, *views)
            same(x, memory, context=pair)


def test_the_same_elements_need_no_copy():
    """An element is read before it is stored: memory for a copy would be a waste."""
    x = cp.arange(1 << 16)
    alias = cp.from_dlpack(x.__dlpack__(max_version=(1, 0)))
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    x += alias
    before = pool.total_bytes()
    for _ in range(3):
        x += alias
        cp.add(alias, x, out=x)
        x[...] = alias
    assert pool.total_bytes() == before


def _views(a):
    """Views of an array of shape (4, 6) and dtype complex64, made in all ways that there are."""
    yield a
    yield from (a[1:], a[1], a[:, ::-2], a[..., None], a[2:3, 4], a[()], a[...], a[1, 1])
    yield from (a.T, a.mT, a.transpose(), a.transpose(1, 0), a.swapaxes(0, 1))
    yield from (a.reshape(24), a.reshape(2, -1), a.reshape((6, 4)), a.ravel(), a.squeeze())
    yield from (a[:1].squeeze(0), a.view(), a.view("f4"), a.view("u8"), a.real, a.imag)
    yield from (a.diagonal(), *a)
    yield from (cp.reshape(a, (3, 8)), cp.ravel(a), cp.squeeze(a[:1]), cp.transpose(a))
    yield from (cp.swapaxes(a, 0, 1), cp.moveaxis(a, 0, 1), cp.rollaxis(a, 1), cp.flip(a))
    yield from (cp.fliplr(a), cp.flipud(a), cp.rot90(a), cp.expand_dims(a, 0))
    yield from (cp.atleast_1d(a), cp.atleast_2d(a), cp.atleast_3d(a), cp.broadcast_to(a, (2, 4, 6)))
    yield from cp.broadcast_arrays(a, cp.ones((2, 1, 1)))
    yield from (*cp.split(a, 2), *cp.array_split(a, 3, axis=1), *cp.hsplit(a, 2), *cp.vsplit(a, 2))
    yield from (cp.diag(a), cp.diagonal(a, 1), cp.real(a), cp.imag(a), cp.asarray(a))
    yield from (cp.asanyarray(a), cp.ascontiguousarray(a), cp.array(a, copy=False))
    yield from (
        cp.array(a, copy=None, ndmin=4),
        a.astype("c8", copy=False),
        cp.from_dlpack(a.__dlpack__()),
    )
    flags = a[1:]
    flags.flags.writeable = False
    yield flags
    flags.flags.writeable = True
    yield flags
    shaped = a.view()
    shaped.shape = (24,)
    yield shaped
    yield cp.ndarray((3,), "f4", a.data)


@pytest.mark.parametrize("name", IMPORTS)
def test_views_of_foreign_memory_are_foreign(name):
    base = cp.zeros((4, 6), "c8")
    a = IMPORTS[name](base)
    for step in range(2):  # with views that are in the table, too
        for number, view in enumerate(_views(a)):
            start = view.data.ptr - base.data.ptr
            if 0 <= start < base.nbytes:
                assert view._layout.foreign, (step, number, view._layout)
            # Results are not, nor what is made in their likeness.
            for result in (view + 1, view.copy(), cp.zeros_like(view)):
                assert not result._layout.foreign
                assert result.flags.writeable
    for number, view in enumerate(_views(base)):
        assert number == 0 or not view._layout.foreign or view._memory.foreign


def test_one_function_decides():
    x = cp.arange(10)
    y = cp.from_dlpack(x.__dlpack__(max_version=(1, 0)))
    assert _array.overlap(x, y)
    assert _array.overlap(x[4:6], y[::3][1:3])
    assert not _array.overlap(x[:4], y[4:])
    assert not _array.overlap(x, cp.arange(10))
    assert not _array.overlap(x[:0], y)
