"""Atomic operations (PTX ISA, "atom" and "red").

Lanes of a group take their turns in order. A single pass suffices where no two lanes share an
address; shared addresses are served by ufunc.at, by a running total, or in rounds.
"""

from __future__ import annotations

import numpy as np

from ...faults import MISALIGNED_ADDRESS, DeviceFault
from ...ptx.syntax import Register
from ..access import check_lanes
from ..affine import Affine
from ..emitter import Emitter, UnsupportedForm
from ..registry import handles, runtime
from ..rounding import canonical, flush
from ..slots import operands_of
from ..types import SIZES, code_of, stored
from . import half
from .memory import address_of, site, space_of

nd = np.ndarray
_OPERATIONS = ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")
_SHIFTS = {1: 0, 2: 1, 4: 2, 8: 3}
#: Operations that programs use to wait for others.
_POLLING = frozenset(("cas", "exch", "or", "add", "and", "max", "min"))


@handles("atom", "red")
def atomic(e: Emitter, i) -> None:
    opcode = i.opcode
    how = opcode.first_of(*_OPERATIONS)
    type_ = opcode.types[-1]
    if how is None or type_ == "b128" or "async" in opcode.flags:
        raise UnsupportedForm(opcode.text)
    code, kind = _kind(type_, how)
    if e.checked and opcode.flags & {"release", "acq_rel", "sc"}:
        e.line("fence(S,L)")
    operands = list(i.operands)
    target = operands.pop(0) if i.name == "atom" else None
    if opcode.width > 1:
        _vector(e, i, how, code, kind, target, operands)
        return
    wants = target is not None and (type(target) is Register and e.is_used_later(target))
    place, offset = address_of(e, operands[0], space_of(opcode), SIZES[code])
    value = e.value(operands[1], code)
    new = e.value(operands[2], code) if how == "cas" else "None"
    call = f"atomically(S,L,{how!r},{kind!r},{{}},{offset},{code!r},{value},{new},{wants})"
    if not wants:
        e.line(call.format(place))
        return
    where, old = e.temporary(), e.temporary()
    e.line(f"{where}={place}")
    e.line(f"{old}={call.format(where)}")
    if how in _POLLING:
        e.line(f"S.poll({site(e)},L,{where},{old})")
    e.assign(target, old, code)


def _kind(type_: str, how: str) -> tuple[str, str]:
    """(code, what the values are)."""
    if type_ in ("f16", "bf16", "f16x2", "bf16x2"):
        return ("u4" if type_.endswith("x2") else "u2"), type_
    code = code_of(type_)
    if how in ("inc", "dec"):
        return "u4", "integer"
    if code[0] == "f":
        return code, "float"
    return (code if how in ("min", "max") else stored(code)), "integer"


def _vector(e: Emitter, i, how: str, code: str, kind: str, target, operands) -> None:
    """Each element is atomic by itself."""
    place, offset = address_of(e, operands[0], space_of(i.opcode), SIZES[code])
    where = e.temporary()
    e.line(f"{where}={place}")
    targets = operands_of(target) if target is not None else None
    for k, value in enumerate(operands_of(operands[1])):
        old = e.temporary()
        expression = e.value(value, code)
        at = offset + k * SIZES[code]
        e.line(
            f"{old}=atomically(S,L,{how!r},{kind!r},{where},{at},{code!r},{expression},None,"
            f"{targets is not None})"
        )
        if targets is not None:
            e.assign(targets[k], old, code)


# ------------------------------------------------------------------ at run time

_UFUNCS = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


def _float_sum(old, value, shared: bool):
    """Global memory's unit flushes binary32, and takes a binary64 NaN as it is."""
    if value.dtype == np.float32:
        return canonical(old + value) if shared else canonical(flush(flush(old) + value))
    total = old + value
    if shared or not np.isnan(total).any():
        return total
    return np.where(np.isnan(value), value, np.where(np.isnan(old), old, total))[()]


def _settle(memory, places, shared: bool) -> None:
    """Sums made without :func:`_float_sum`, for speed."""
    if memory.dtype == np.float32:
        found = memory[places]
        settled = canonical(found) if shared else canonical(flush(found))
        if settled is not found:
            memory[places] = settled


def _combine(how: str, kind: str, old, value, new, shared: bool = False):
    """What memory holds after one turn of each lane."""
    if kind == "float" and how == "add":
        return _float_sum(old, value, shared)
    if how == "cas":
        return np.where(old == value, new, old)
    if how == "exch":
        return value
    if how == "inc":
        return np.where(old >= value, np.uint32(0), old + np.uint32(1))
    if how == "dec":
        return np.where((old == 0) | (old > value), value, old - np.uint32(1))
    if kind == "integer" or kind == "float":
        if kind == "float" and how in ("min", "max"):
            return (np.fmin if how == "min" else np.fmax)(old, value)
        return _UFUNCS[how](old, value)
    function = {"add": half.half_add, "min": half.half_min, "max": half.half_max}[how]
    if kind.endswith("x2"):
        return half.in_pairs(function, (old, value), kind[:-2])
    return function(old, value, kind)


@runtime
def atomically(S, L, how: str, kind: str, a, offset: int, code: str, value, new, wants: bool):
    """Do the operation for all lanes in order; the values they found, if wanted."""
    arena = S.arena
    memory = arena.views[code]
    size = memory.itemsize
    before = arena.writes
    arena.writes += 1
    if type(value) is Affine:
        value = L.array_of(value)
    if type(new) is Affine:
        new = L.array_of(new)
    if type(a) is Affine:
        a = L.array_of(a) if a.st or a.sb else a.c
    nearest = (int(a) if type(a) is not nd else int(a.view(np.int64)[0])) + offset
    shared = S.shared_base <= nearest < S.shared_base + S.shared_bytes * S.nb
    sums = kind == "float" and how == "add"
    if sums and size == 4 and not shared:
        value = flush(value)
    if type(a) is not nd:
        address = int(a) + offset
        _check(S, L, np.array([address], np.int64), address, address, size)
        place = (address - arena.base) >> _SHIFTS[size]
        if L.n == 1:
            old = memory[place]
            result = _combine(how, kind, old, *(_only(v) for v in (value, new)), shared)
            memory[place] = result
            if wants and result == old:
                arena.writes = before
            return old
        if not wants and kind in ("integer", "float") and how in _UFUNCS:
            memory[place] = _total(how, kind, memory[place], value, L.n)
            if sums:
                _settle(memory, place, shared)
            return None
        places = np.full(L.n, place)
    else:
        a = a if a.dtype == np.int64 else a.view(np.int64)
        addresses = a + offset
        first, last = int(addresses.min()), int(addresses.max())
        _check(S, L, addresses, first, last, size)
        # Only what is accessed: the whole view can span the address space of the process, and
        # ufunc.at copies what its other operands may lie in.
        low = (first - arena.base) >> _SHIFTS[size]
        memory = memory[low : ((last - arena.base) >> _SHIFTS[size]) + 1]
        places = ((addresses - arena.base) >> _SHIFTS[size]) - low
    value = L.filled(value)
    new = None if new is None else L.filled(new)
    if not wants and kind == "integer" and how in _UFUNCS:
        _UFUNCS[how].at(memory, places, value)
        return None
    if not wants and sums and (size == 4 or not np.isnan(value.sum() + memory[places].sum())):
        _settle(memory, places, shared)
        np.add.at(memory, places, value)
        _settle(memory, places, shared)
        return None
    old = _in_turns(memory, places, how, kind, value, new, shared)
    if how == "cas" and not (old == value).any():
        arena.writes = before  # nothing was written: a waiting loop makes no progress by this
    return old if wants else None


def _only(value):
    return value[0] if type(value) is nd else value


def _check(S, L, addresses, first: int, last: int, size: int) -> None:
    if not S.arena.holds(first, last + size):
        check_lanes(S, L, addresses, size, "atomic")
    if (addresses & (size - 1)).any():
        raise DeviceFault(
            MISALIGNED_ADDRESS, f"misaligned {size}-byte atomic at 0x{first:x}", int(L.ids[0])
        )


def _total(how: str, kind: str, start, value, n: int):
    """All lanes on one address, result unwanted."""
    if type(value) is not nd:
        if how == "add" and kind == "integer":
            bits = (int(start) + int(value) * n) & ((1 << 8 * start.itemsize) - 1)
            return np.array([bits], f"u{start.itemsize}").view(start.dtype)[0]
        if how in ("and", "or", "min", "max") and kind == "integer":
            return _UFUNCS[how](start, value)
        value = np.full(n, value)
    sequence = np.empty(len(value) + 1, value.dtype)
    sequence[0] = start
    sequence[1:] = value
    if kind == "float" and how != "add":
        return (np.fmin if how == "min" else np.fmax).reduce(sequence)
    if kind == "float":
        return np.add.accumulate(sequence)[-1]
    return _UFUNCS[how].reduce(sequence, dtype=sequence.dtype)


def _in_turns(memory, places, how: str, kind: str, value, new, shared: bool = False):
    """Old values when lanes that share an address go one after another."""
    n = len(places)
    order = np.argsort(places, kind="stable")
    at = places[order]
    first = np.empty(n, bool)
    first[0] = True
    np.not_equal(at[1:], at[:-1], out=first[1:])
    if first.all():
        old = memory[places]
        memory[places] = _combine(how, kind, old, value, new, shared)
        return old
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], n)
    values = value[order]
    news = None if new is None else new[order]
    if kind == "integer" and how == "add":
        old = _running_sums(memory, at, starts, ends, values)
    elif how == "exch":
        old = np.empty(n, memory.dtype)
        old[1:] = values[:-1]
        old[starts] = memory[at[starts]]
        memory[at[starts]] = values[ends - 1]
    elif how == "cas":
        old = _compare_and_swap(memory, at, starts, ends, values, news)
    elif len(starts) <= 64 and how in _UFUNCS and kind in ("integer", "float"):
        old = np.empty(n, memory.dtype)
        ufunc = _UFUNCS[how]
        if kind == "float" and how != "add":
            ufunc = np.fmin if how == "min" else np.fmax
        for low, high in zip(starts.tolist(), ends.tolist(), strict=True):
            sequence = np.empty(high - low + 1, memory.dtype)
            sequence[0] = memory[at[low]]
            sequence[1:] = values[low:high]
            sequence = ufunc.accumulate(sequence)
            old[low:high] = sequence[:-1]
            memory[at[low]] = sequence[-1]
        if kind == "float" and how == "add":
            _settle(memory, at[starts], shared)
    else:
        old = np.empty(n, memory.dtype)
        turn = np.arange(n) - np.repeat(starts, ends - starts)
        for k in range(int(turn.max()) + 1):
            now = np.flatnonzero(turn == k) if k else starts
            found = memory[at[now]]
            old[now] = found
            third = None if news is None else news[now]
            memory[at[now]] = _combine(how, kind, found, values[now], third, shared)
    result = np.empty(n, memory.dtype)
    result[order] = old
    return result


def _running_sums(memory, at, starts, ends, values):
    sums = np.cumsum(values, dtype=values.dtype)
    before = np.repeat(sums[starts] - values[starts], ends - starts)
    old = sums - values - before + memory[at]
    memory[at[starts]] = (old + values)[ends - 1]
    return old


def _compare_and_swap(memory, at, starts, ends, expected, news):
    old = np.empty(len(at), memory.dtype)
    for low, high in zip(starts.tolist(), ends.tolist(), strict=True):
        current = memory[at[low]]
        while low < high:
            hits = np.flatnonzero(expected[low:high] == current)
            if not len(hits):
                old[low:high] = current
                break
            hit = low + int(hits[0])
            old[low : hit + 1] = current
            current = news[hit]
            low = hit + 1
        memory[at[high - 1]] = current
    return old
