"""Loads and stores of lane sets.

An address is an integer, an affine value or an array of addresses. Bounds are checked against
the arena's allocation table over the whole access at once, and lane by lane only when that
fails, since lanes may well touch several allocations.
"""

from __future__ import annotations

import numpy as np

from ..faults import ILLEGAL_ADDRESS, MISALIGNED_ADDRESS, DeviceFault
from .affine import Affine, affine_add, end_points
from .lanes import RANGE, RECTANGLE
from .local_memory import in_own_part
from .registry import runtime
from .rounding import canonical
from .types import SIZES

nd = np.ndarray
_SHIFTS = {1: 0, 2: 1, 4: 2, 8: 3}
_DTYPES = {code: np.dtype("?" if code == "b1" else code) for code in SIZES}


def check_lanes(S, L, addresses, size: int, verb: str) -> None:
    """Check each lane's access; the fault names the first lane out of bounds."""
    arena = S.arena
    addresses = np.atleast_1d(np.asarray(addresses, np.int64))
    if S.locals and len(addresses) != L.n:
        addresses = np.full(L.n, addresses[0])
    if not arena.starts:
        bad = np.ones(len(addresses), bool)
    else:
        starts = np.array(arena.starts)
        ends = np.array(arena.ends)
        index = np.searchsorted(starts, addresses, "right") - 1
        bad = (index < 0) | (addresses + size > ends[index])
    for memory in S.locals:
        bad &= ~memory.owns(addresses, L, size)
    if bad.any():
        k = int(bad.argmax())
        address = int(addresses[k])
        lane = int(L.ids[k if len(addresses) > 1 else 0])
        places = [memory.describe(address, lane) for memory in reversed(S.locals)]
        where = next(filter(None, places), "") or arena.describe(address)
        raise DeviceFault(
            ILLEGAL_ADDRESS,
            f"invalid {size}-byte {verb} at 0x{address & 2**64 - 1:x} "
            f"({where}; {int(bad.sum())} of {L.n} threads here)",
            lane,
            address,
        )


def _misaligned(L, addresses, size: int, verb: str) -> DeviceFault:
    addresses = np.atleast_1d(np.asarray(addresses, np.int64))
    k = int(((addresses & (size - 1)) != 0).argmax())
    return DeviceFault(
        MISALIGNED_ADDRESS,
        f"misaligned {size}-byte {verb} at 0x{int(addresses[k]) & 2**64 - 1:x}",
        int(L.ids[k if len(addresses) > 1 else 0]),
        int(addresses[k]),
    )


def _strides_of(S, L, a: Affine, offset: int, size: int, verb: str):
    """(start address, shape, strides) of an affine access, checked; None if it has no strides."""
    kind = L.kind
    st, sb = a.st, a.sb
    if kind == RECTANGLE:
        T, nb = L.T, L.nb
        start = a.c + offset + st * L.t0 + sb * L.b0
        reach_t, reach_b = st * (T - 1), sb * (nb - 1)
        first = start + (reach_t if reach_t < 0 else 0) + (reach_b if reach_b < 0 else 0)
        last = start + (reach_t if reach_t > 0 else 0) + (reach_b if reach_b > 0 else 0)
        if nb == 1 or sb == st * T:
            shape, strides = (L.n,), (st,)
        elif T == 1:
            shape, strides = (nb,), (sb,)
        else:
            shape, strides = (nb, T), (sb, st)
        steps = (st if T > 1 else 0) | (sb if nb > 1 else 0)
    elif kind == RANGE and (sb == st * S.T or S.nb == 1):
        start = a.c + offset + st * L.b0
        reach = st * (L.n - 1)
        first, last = (start + reach, start) if reach < 0 else (start, start + reach)
        shape, strides, steps = (L.n,), (st,), st if L.n > 1 else 0
    else:
        return None
    if not S.arena.holds(first, last + size) and not in_own_part(S, L, a, offset, size):
        check_lanes(S, L, L.array_of(a) + offset, size, verb)
    if (start | steps) & (size - 1):
        raise _misaligned(L, L.array_of(a) + offset, size, verb)
    return start, shape, strides


def _scalar(S, L, address: int, size: int, verb: str) -> int:
    """Check one address and return its offset in the arena."""
    if not S.arena.holds(address, address + size):
        check_lanes(S, L, np.array([address], np.int64), size, verb)
    if address & (size - 1):
        raise _misaligned(L, address, size, verb)
    return address - S.arena.base


#: How many address arrays a chunk caches the indices of.
_CACHED_ADDRESSES = 24


def _gather(S, L, a: np.ndarray, offset: int, size: int, code: str, verb: str):
    """Check an array of addresses; the view of the arena and the elements' indices in it.

    Unrolled code accesses memory through one register at many offsets, so the indices and bounds
    of a register are cached. The array of a register is never written to.
    """
    arena = S.arena
    key = (id(a), size)
    cached = S.address_cache.get(key)
    if cached is None:
        if a.dtype != np.int64:
            a = a.view(np.int64)
        indices = a - arena.base
        bits = np.bitwise_or.reduce(indices) & (size - 1) if size > 1 else 0
        first, last = int(indices.min()), int(indices.max())
        if size > 1:
            indices >>= _SHIFTS[size]
        if len(S.address_cache) >= _CACHED_ADDRESSES:
            S.address_cache.clear()
        cached = S.address_cache[key] = (a, indices, first + arena.base, last + arena.base, bits)
    a, indices, first, last, bits = cached
    if not arena.holds(first + offset, last + offset + size) and not in_own_part(
        S, L, a, offset, size
    ):
        check_lanes(S, L, a + offset, size, verb)
    if bits or offset & (size - 1):
        aligned = (a + offset) & (size - 1)
        if aligned.any():
            raise _misaligned(L, a + offset, size, verb)
        indices, offset = (a + (offset - arena.base)) >> _SHIFTS[size], 0
    view = arena.views[code]
    if offset > 0:
        return view[offset >> _SHIFTS[size] :], indices
    if offset:
        return view, indices + (offset >> _SHIFTS[size])
    return view, indices


def _take(S, L, a, offset: int, size: int, code: str) -> np.ndarray:
    view, indices = _gather(S, L, a, offset, size, code, "load")
    return view.take(indices)


def _check_vector(S, L, a, offset: int, size: int, whole: int, verb: str) -> None:
    """Bounds and alignment of an access to several elements at once."""
    if a.dtype != np.int64:
        a = a.view(np.int64)
    first, last = int(a.min()) + offset, int(a.max()) + offset
    if not S.arena.holds(first, last + whole) and not in_own_part(S, L, a, offset, whole):
        check_lanes(S, L, a + offset, whole, verb)
    if (int(np.bitwise_or.reduce(a + offset if offset & (whole - 1) else a))) & (whole - 1):
        raise _misaligned(L, a + offset, whole, verb)


def _strided_view(arena, strided, dtype):
    start, shape, strides = strided
    if len(shape) == 1 and strides[0] == dtype.itemsize:
        low = start - arena.base
        return arena.bytes[low : low + shape[0] * dtype.itemsize].view(dtype)
    return np.ndarray(shape, dtype, arena.mapping, start - arena.base, strides)


@runtime
def load(S, L, a, offset: int, code: str, alias: bool = False):
    """Load one element per lane; with ``alias`` the result may share the arena's memory."""
    arena = S.arena
    dtype = _DTYPES[code]
    size = dtype.itemsize
    if type(a) is Affine:
        if a.st == 0 and a.sb == 0:
            return arena.views[code][_scalar(S, L, a.c + offset, size, "load") >> _SHIFTS[size]]
        strided = _strides_of(S, L, a, offset, size, "load")
        if strided is not None:
            window = _strided_view(arena, strided, dtype)
            return window.reshape(-1) if alias else window.flatten()
        a = L.array_of(a)
    if type(a) is not nd:
        return arena.views[code][_scalar(S, L, int(a) + offset, size, "load") >> _SHIFTS[size]]
    view, indices = _gather(S, L, a, offset, size, code, "load")
    return view.take(indices)


@runtime
def store(S, L, a, offset: int, value, code: str) -> None:
    """Store one element per lane; of lanes that share an address the last one wins."""
    arena = S.arena
    dtype = _DTYPES[code]
    size = dtype.itemsize
    if not S.locals or not in_own_part(S, L, a, offset, size):
        arena.writes += 1  # that others can see
    if type(value) is Affine:
        value = L.array_of(value)
    if type(a) is Affine:
        if a.st or a.sb:
            strided = _strides_of(S, L, a, offset, size, "store")
            # Overlapping or reversed slices would not keep "the last lane wins".
            if strided is not None and all(strided[2]):
                window = _strided_view(arena, strided, dtype)
                window[...] = value.reshape(window.shape) if type(value) is nd else value
                return
            a = L.array_of(a)
        else:
            a = a.c
    if type(a) is not nd:
        index = _scalar(S, L, int(a) + offset, size, "store") >> _SHIFTS[size]
        arena.views[code][index] = value[-1] if type(value) is nd else value
        return
    view, indices = _gather(S, L, a, offset, size, code, "store")
    view[indices] = value


@runtime
def store_result(S, L, a, offset: int, ufunc, x, y, code: str) -> None:
    """Compute a floating-point operation and store its result, in place where that is one slice."""
    if type(a) is Affine and (type(x) is nd or type(y) is nd) and a.st == SIZES[code]:
        strided = _strides_of(S, L, a, offset, a.st, "store")
        if strided is not None and len(strided[1]) == 1:
            if not S.locals or not in_own_part(S, L, a, offset, a.st):
                S.arena.writes += 1
            window = _strided_view(S.arena, strided, _DTYPES[code])
            ufunc(x, y, out=window)
            if code == "f4":
                settled = canonical(window)
                if settled is not window:
                    window[...] = settled
            return
    result = ufunc(x, y)
    store(S, L, a, offset, canonical(result) if code == "f4" else result, code)


@runtime
def load_vector(S, L, a, offset: int, code: str, width: int) -> list:
    """Load ``width`` neighbouring elements per lane, aligned as one access."""
    arena = S.arena
    dtype = _DTYPES[code]
    size = dtype.itemsize
    whole = size * width
    view = arena.views[code]
    if type(a) is Affine:
        strided = _strides_of(S, L, a, offset, whole, "load") if a.st or a.sb else None
        if strided is not None:
            start, shape, strides = strided
            block = np.ndarray(
                (*shape, width), dtype, arena.mapping, start - arena.base, (*strides, size)
            )
            return [block[..., k].flatten() for k in range(width)]
        a = L.array_of(a) if a.st or a.sb else a.c
    if type(a) is not nd:
        first = _scalar(S, L, int(a) + offset, whole, "load") >> _SHIFTS[size]
        return [view[first + k] for k in range(width)]
    _check_vector(S, L, a, offset, size, whole, "load")
    return [_take(S, L, a, offset + k * size, size, code) for k in range(width)]


@runtime
def store_vector(S, L, a, offset: int, values: tuple, code: str) -> None:
    """Store neighbouring elements per lane, aligned as one access."""
    arena = S.arena
    dtype = _DTYPES[code]
    size = dtype.itemsize
    width = len(values)
    whole = size * width
    if not S.locals or not in_own_part(S, L, a, offset, whole):
        arena.writes += 1
    values = [L.array_of(v) if type(v) is Affine else v for v in values]
    if type(a) is Affine:
        strided = _strides_of(S, L, a, offset, whole, "store") if a.st or a.sb else None
        if strided is not None and all(strided[2]):
            start, shape, strides = strided
            block = np.ndarray(
                (*shape, width), dtype, arena.mapping, start - arena.base, (*strides, size)
            )
            for k, value in enumerate(values):
                block[..., k] = value.reshape(shape) if type(value) is nd else value
            return
        a = L.array_of(a) if a.st or a.sb else a.c
    view = arena.views[code]
    if type(a) is not nd:
        first = _scalar(S, L, int(a) + offset, whole, "store") >> _SHIFTS[size]
        for k, value in enumerate(values):
            view[first + k] = value[-1] if type(value) is nd else value
        return
    _check_vector(S, L, a, offset, size, whole, "store")
    for k, value in enumerate(values):
        part, indices = _gather(S, L, a, offset + k * size, size, code, "store")
        part[indices] = value


@runtime
def shared_address(S, L, a, offset: int, size: int):
    """The generic address of a shared memory access, checked against the block's window."""
    if type(a) is nd:
        key = (id(a), 0)
        cached = S.address_cache.get(key)
        if cached is None:
            if len(S.address_cache) >= _CACHED_ADDRESSES:
                S.address_cache.clear()
            address = affine_add(a, S.shared, L)
            cached = S.address_cache[key] = (a, address, int(a.min()), int(a.max()))
        _, address, low, high = cached
        if low + offset >= 0 and high + offset + size <= S.shared_bytes:
            return address
    elif type(a) is Affine:
        low, high = end_points(a.c, a.st, a.sb, L)
    else:
        low = high = int(a)
    if low + offset < 0 or high + offset + size > S.shared_bytes:
        # Shared addresses have 32 bits: sums that a compiler makes in 64 bits wrap around.
        offsets = (L.filled(a) + np.int64(offset)).astype(np.int32).astype(np.int64)
        _check_shared(S, L, offsets, size)
        a = offsets - np.int64(offset)
    return affine_add(a, S.shared, L)


def _check_shared(S, L, offsets: np.ndarray, size: int, where=True) -> None:
    """Check offsets in the memory of each lane's own block, of some lanes."""
    bad = ((offsets < 0) | (offsets + size > S.shared_bytes)) & where
    if bad.any():
        k = int(bad.argmax())
        raise DeviceFault(
            ILLEGAL_ADDRESS,
            f"invalid {size}-byte access at offset {int(offsets[k])} of shared memory, "
            f"of which the block has {S.shared_bytes} bytes ({int(bad.sum())} threads here)",
            int(L.ids[k]),
        )


@runtime
def generic_address(S, L, a, offset: int, size: int):
    """A generic address, which may not lie in the shared memory of another block."""
    if S.nb == 1 or not S.shared_bytes:
        return a
    start = S.shared_base
    end = start + S.shared_bytes * S.nb
    if type(a) is nd:
        key = (id(a), -1)
        cached = S.address_cache.get(key)
        if cached is None:
            cached = S.address_cache[key] = (a, int(a.min()), int(a.max()))
        _, low, high = cached
    elif type(a) is Affine:
        low, high = end_points(a.c - start, a.st, a.sb - S.shared_bytes, L)
        if low + offset >= 0 and high + offset + size <= S.shared_bytes:
            return a
        low, high = end_points(a.c, a.st, a.sb, L)
    else:
        low = high = int(a)
    if high + offset + size > start and low + offset < end:
        addresses = L.filled(a).astype(np.int64, copy=False) + offset
        inside = (addresses + size > start) & (addresses < end)
        block = L.thread_block[1]
        _check_shared(S, L, addresses - start - block * S.shared_bytes, size, inside)
    return a


@runtime
def copy_words(S, L, target, target_offset, source, source_offset, words, limit) -> None:
    """cp.async: copy 4-byte words; bytes beyond ``limit`` are zeros and are not read."""
    if limit is None:
        if words == 1:
            store(S, L, target, target_offset, load(S, L, source, source_offset, "u4"), "u4")
        else:
            values = load_vector(S, L, source, source_offset, "u4", words)
            store_vector(S, L, target, target_offset, tuple(values), "u4")
        return
    limits = L.filled(limit)
    addresses = L.filled(source)
    for k in range(words):
        reads = limits >= 4 * (k + 1)
        value = np.zeros(L.n, np.uint32)
        if reads.any():
            part, select = L.pick(np.flatnonzero(reads))
            value[reads] = load(S, part, select(addresses), source_offset + 4 * k, "u4")
        store(S, L, target, target_offset + 4 * k, value, "u4")
