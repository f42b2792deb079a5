"""Atomic operations (PTX ISA, "atom" and "red").

Lanes of a group are serialised in order. A single pass suffices where no two lanes share an
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
_ATOMICS = ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")
_SHIFTS = {1: 0, 2: 1, 4: 2, 8: 3}
#: Operations with which programs poll.
_POLLING = frozenset(("cas", "exch", "or", "add", "and", "max", "min"))


@handles("atom", "red")
def atomic(e: Emitter, i) -> None:
    opcode = i.opcode
    op = opcode.first_of(*_ATOMICS)
    type_ = opcode.types[-1]
    if op is None or type_ == "b128" or "async" in opcode.flags:
        raise UnsupportedForm(opcode.text)
    code, kind = _kind(type_, op)
    if e.checked and opcode.flags & {"release", "acq_rel", "sc"}:
        e.line("fence(S,L)")
    operands = list(i.operands)
    target = operands.pop(0) if i.name == "atom" else None
    if opcode.width > 1:
        _vector(e, i, op, code, kind, target, operands)
        return
    returns_old = target is not None and (type(target) is Register and e.is_used_later(target))
    base, offset = address_of(e, operands[0], space_of(opcode), SIZES[code])
    value = e.value(operands[1], code)
    new = e.value(operands[2], code) if op == "cas" else "None"
    call = f"atomically(S,L,{op!r},{kind!r},{{}},{offset},{code!r},{value},{new},{returns_old})"
    if not returns_old:
        e.line(call.format(base))
        return
    where, old = e.temporary(), e.temporary()
    e.line(f"{where}={base}")
    e.line(f"{old}={call.format(where)}")
    if op in _POLLING:
        e.line(f"S.poll({site(e)},L,{where},{old})")
    e.assign(target, old, code)


def _kind(type_: str, op: str) -> tuple[str, str]:
    """(code, kind of the values)."""
    if type_ in ("f16", "bf16", "f16x2", "bf16x2"):
        return ("u4" if type_.endswith("x2") else "u2"), type_
    code = code_of(type_)
    if op in ("inc", "dec"):
        return "u4", "integer"
    if code[0] == "f":
        return code, "float"
    return (code if op in ("min", "max") else stored(code)), "integer"


def _vector(e: Emitter, i, op: str, code: str, kind: str, target, operands) -> None:
    """Each element is atomic by itself."""
    base, offset = address_of(e, operands[0], space_of(i.opcode), SIZES[code])
    where = e.temporary()
    e.line(f"{where}={base}")
    targets = operands_of(target) if target is not None else None
    for k, value in enumerate(operands_of(operands[1])):
        old = e.temporary()
        expression = e.value(value, code)
        element_offset = offset + k * SIZES[code]
        e.line(
            f"{old}=atomically(S,L,{op!r},{kind!r},{where},{element_offset},{code!r},{expression},None,"
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


def _finish_sums(memory, indices, shared: bool) -> None:
    """Flush and canonicalise sums that were computed without :func:`_float_sum`."""
    if memory.dtype == np.float32:
        found = memory[indices]
        settled = canonical(found) if shared else canonical(flush(found))
        if settled is not found:
            memory[indices] = settled


def _combine(op: str, kind: str, old, value, new, shared: bool = False):
    """The value in memory after one operation of each lane."""
    if kind == "float" and op == "add":
        return _float_sum(old, value, shared)
    if op == "cas":
        return np.where(old == value, new, old)
    if op == "exch":
        return value
    if op == "inc":
        return np.where(old >= value, np.uint32(0), old + np.uint32(1))
    if op == "dec":
        return np.where((old == 0) | (old > value), value, old - np.uint32(1))
    if kind == "integer" or kind == "float":
        if kind == "float" and op in ("min", "max"):
            return (np.fmin if op == "min" else np.fmax)(old, value)
        return _UFUNCS[op](old, value)
    function = {"add": half.half_add, "min": half.half_min, "max": half.half_max}[op]
    if kind.endswith("x2"):
        return half.in_pairs(function, (old, value), kind[:-2])
    return function(old, value, kind)


@runtime
def atomically(S, L, op: str, kind: str, a, offset: int, code: str, value, new, returns_old: bool):
    """Perform the operation for all lanes in order; the old values, if they are used."""
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
    sums = kind == "float" and op == "add"
    if sums and size == 4 and not shared:
        value = flush(value)
    if type(a) is not nd:
        address = int(a) + offset
        _check(S, L, np.array([address], np.int64), address, address, size)
        index = (address - arena.base) >> _SHIFTS[size]
        if L.n == 1:
            old = memory[index]
            result = _combine(op, kind, old, *(_single(v) for v in (value, new)), shared)
            memory[index] = result
            if returns_old and result == old:
                arena.writes = before
            return old
        if not returns_old and kind in ("integer", "float") and op in _UFUNCS:
            memory[index] = _total(op, kind, memory[index], value, L.n)
            if sums:
                _finish_sums(memory, index, shared)
            return None
        indices = np.full(L.n, index)
    else:
        a = a if a.dtype == np.int64 else a.view(np.int64)
        addresses = a + offset
        first, last = int(addresses.min()), int(addresses.max())
        _check(S, L, addresses, first, last, size)
        # Only what is accessed: the whole view can span the address space of the process, and
        # ufunc.at copies what its other operands may lie in.
        low = (first - arena.base) >> _SHIFTS[size]
        memory = memory[low : ((last - arena.base) >> _SHIFTS[size]) + 1]
        indices = ((addresses - arena.base) >> _SHIFTS[size]) - low
    value = L.filled(value)
    new = None if new is None else L.filled(new)
    if not returns_old and kind == "integer" and op in _UFUNCS:
        _UFUNCS[op].at(memory, indices, value)
        return None
    if (
        not returns_old
        and sums
        and (size == 4 or not np.isnan(value.sum() + memory[indices].sum()))
    ):
        _finish_sums(memory, indices, shared)
        np.add.at(memory, indices, value)
        _finish_sums(memory, indices, shared)
        return None
    old = _serialised(memory, indices, op, kind, value, new, shared)
    if op == "cas" and not (old == value).any():
        arena.writes = before  # nothing was written, so a polling loop makes no progress
    return old if returns_old else None


def _single(value):
    return value[0] if type(value) is nd else value


def _check(S, L, addresses, first: int, last: int, size: int) -> None:
    if not S.arena.holds(first, last + size):
        check_lanes(S, L, addresses, size, "atomic")
    if (addresses & (size - 1)).any():
        raise DeviceFault(
            MISALIGNED_ADDRESS, f"misaligned {size}-byte atomic at 0x{first:x}", int(L.ids[0])
        )


def _total(op: str, kind: str, start, value, n: int):
    """The result of all lanes on one address, where old values are not used."""
    if type(value) is not nd:
        if op == "add" and kind == "integer":
            bits = (int(start) + int(value) * n) & ((1 << 8 * start.itemsize) - 1)
            return np.array([bits], f"u{start.itemsize}").view(start.dtype)[0]
        if op in ("and", "or", "min", "max") and kind == "integer":
            return _UFUNCS[op](start, value)
        value = np.full(n, value)
    sequence = np.empty(len(value) + 1, value.dtype)
    sequence[0] = start
    sequence[1:] = value
    if kind == "float" and op != "add":
        return (np.fmin if op == "min" else np.fmax).reduce(sequence)
    if kind == "float":
        return np.add.accumulate(sequence)[-1]
    return _UFUNCS[op].reduce(sequence, dtype=sequence.dtype)


def _serialised(memory, indices, op: str, kind: str, value, new, shared: bool = False):
    """Old values where lanes that share an address are serialised."""
    n = len(indices)
    order = np.argsort(indices, kind="stable")
    sorted_indices = indices[order]
    first = np.empty(n, bool)
    first[0] = True
    np.not_equal(sorted_indices[1:], sorted_indices[:-1], out=first[1:])
    if first.all():
        old = memory[indices]
        memory[indices] = _combine(op, kind, old, value, new, shared)
        return old
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], n)
    values = value[order]
    news = None if new is None else new[order]
    if kind == "integer" and op == "add":
        old = _running_sums(memory, sorted_indices, starts, ends, values)
    elif op == "exch":
        old = np.empty(n, memory.dtype)
        old[1:] = values[:-1]
        old[starts] = memory[sorted_indices[starts]]
        memory[sorted_indices[starts]] = values[ends - 1]
    elif op == "cas":
        old = _compare_and_swap(memory, sorted_indices, starts, ends, values, news)
    elif len(starts) <= 64 and op in _UFUNCS and kind in ("integer", "float"):
        old = np.empty(n, memory.dtype)
        ufunc = _UFUNCS[op]
        if kind == "float" and op != "add":
            ufunc = np.fmin if op == "min" else np.fmax
        for low, high in zip(starts.tolist(), ends.tolist(), strict=True):
            sequence = np.empty(high - low + 1, memory.dtype)
            sequence[0] = memory[sorted_indices[low]]
            sequence[1:] = values[low:high]
            sequence = ufunc.accumulate(sequence)
            old[low:high] = sequence[:-1]
            memory[sorted_indices[low]] = sequence[-1]
        if kind == "float" and op == "add":
            _finish_sums(memory, sorted_indices[starts], shared)
    else:
        old = np.empty(n, memory.dtype)
        turn = np.arange(n) - np.repeat(starts, ends - starts)
        for k in range(int(turn.max()) + 1):
            now = np.flatnonzero(turn == k) if k else starts
            found = memory[sorted_indices[now]]
            old[now] = found
            third = None if news is None else news[now]
            memory[sorted_indices[now]] = _combine(op, kind, found, values[now], third, shared)
    result = np.empty(n, memory.dtype)
    result[order] = old
    return result


def _running_sums(memory, sorted_indices, starts, ends, values):
    sums = np.cumsum(values, dtype=values.dtype)
    before = np.repeat(sums[starts] - values[starts], ends - starts)
    old = sums - values - before + memory[sorted_indices]
    memory[sorted_indices[starts]] = (old + values)[ends - 1]
    return old


def _compare_and_swap(memory, sorted_indices, starts, ends, expected, news):
    old = np.empty(len(sorted_indices), memory.dtype)
    for low, high in zip(starts.tolist(), ends.tolist(), strict=True):
        current = memory[sorted_indices[low]]
        while low < high:
            hits = np.flatnonzero(expected[low:high] == current)
            if not len(hits):
                old[low:high] = current
                break
            hit = low + int(hits[0])
            old[low : hit + 1] = current
            current = news[hit]
            low = hit + 1
        memory[sorted_indices[high - 1]] = current
    return old
