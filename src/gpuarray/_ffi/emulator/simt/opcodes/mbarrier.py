"""Barriers in shared memory (PTX ISA, "mbarrier"), on which ``cuda::barrier`` is built.

The word in memory has the expected count, the pending count and the number of the phase. A token is
the word as it was when a thread arrived. Transactions (``expect_tx``) are for copies that the
emulator does not have.
"""

from __future__ import annotations

import numpy as np

from ...faults import LAUNCH_FAILED, MISALIGNED_ADDRESS, DeviceFault
from ...ptx.syntax import Address, Discard
from ..access import check_lanes
from ..affine import Affine
from ..emitter import Emitter, UnsupportedForm
from ..registry import handles, runtime
from .memory import address_of, site, space_of

_BITS = 20
_MASK = (1 << _BITS) - 1
_UNSUPPORTED = frozenset(("expect_tx", "complete_tx"))


@handles("mbarrier")
def mbarrier(e: Emitter, i) -> None:
    flags = i.opcode.flags
    at = next(k for k, o in enumerate(i.operands) if type(o) is Address)
    rest = i.operands[at + 1 :]
    action = i.opcode.first_of(
        "init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait", "pending_count"
    )
    if action is None or action == "pending_count" or flags & _UNSUPPORTED:
        raise UnsupportedForm(i.opcode.text)
    address, offset = address_of(e, i.operands[at], space_of(i.opcode), 8)
    if action in ("init", "inval"):
        count = e.value(rest[0], "u4") if rest else e.constant(0, "u4")
        e.line(f"mbarrier_init(S,L,{address},{offset},{count})")
        return
    if action in ("arrive", "arrive_drop"):
        if e.checked and "relaxed" not in flags:
            e.line("fence(S,L)")
        count = e.value(rest[0], "u4") if rest else e.constant(1, "u4")
        drops = action == "arrive_drop"
        token = f"mbarrier_arrive(S,L,{address},{offset},{count},{drops})"
        if at and type(i.operands[0]) is not Discard:
            e.assign(i.operands[0], token, "i8")
        else:
            e.line(token)
        return
    parity = "parity" in flags
    phase = e.value(rest[0], "u4" if parity else "i8")
    where, done = e.temporary(), e.temporary()
    e.line(f"{where}={address}")
    e.line(f"{done}=mbarrier_done(S,L,{where},{offset},{phase},{parity})")
    e.line(f"S.poll({site(e)},L,{where},{done})")
    e.assign(i.operands[0], done, "b1")


# ------------------------------------------------------------------ at run time


def _words(S, L, a, offset: int) -> tuple[np.ndarray, np.ndarray]:
    """The arena as words, and the index of each lane's barrier."""
    addresses = L.array_of(a) if type(a) is Affine else np.asarray(a)
    addresses = np.broadcast_to(addresses.astype(np.int64) + offset, L.n)
    if not S.arena.holds(int(addresses.min()), int(addresses.max()) + 8):
        check_lanes(S, L, addresses, 8, "access")
    if (addresses & 7).any():
        k = int(((addresses & 7) != 0).argmax())
        raise DeviceFault(
            MISALIGNED_ADDRESS, f"misaligned mbarrier at 0x{int(addresses[k]):x}", int(L.ids[k])
        )
    return S.arena.views["i8"], (addresses - S.arena.base) >> 3


@runtime
def mbarrier_init(S, L, a, offset: int, count) -> None:
    words, index = _words(S, L, a, offset)
    counts = L.filled(count).astype(np.int64)
    words[index] = counts << _BITS | counts
    S.arena.writes += 1


@runtime
def mbarrier_arrive(S, L, a, offset: int, count, drops: bool) -> np.ndarray:
    """Count lanes, in their order; the word that each of them found."""
    words, index = _words(S, L, a, offset)
    counts = L.filled(count).astype(np.int64)
    order = np.argsort(index, kind="stable")
    tokens = np.empty(L.n, np.int64)
    for lanes in np.split(order, np.flatnonzero(np.diff(index[order])) + 1):
        place = index[lanes[0]]
        word = int(words[place])
        expected, pending, phase = word & _MASK, word >> _BITS & _MASK, word >> 2 * _BITS
        if not pending:
            raise DeviceFault(
                LAUNCH_FAILED, "an mbarrier that was not initialised", int(L.ids[lanes[0]])
            )
        if drops:
            for lane in lanes.tolist():
                tokens[lane] = (phase << _BITS | pending) << _BITS | expected
                pending -= int(counts[lane])
                expected -= int(counts[lane])
                if pending <= 0:
                    phase, pending = phase + 1, expected
        else:
            arrived = expected - pending + np.cumsum(counts[lanes])
            before = arrived - counts[lanes]
            phases = phase + before // expected
            tokens[lanes] = (phases << _BITS | expected - before % expected) << _BITS | expected
            phase += int(arrived[-1]) // expected
            pending = expected - int(arrived[-1]) % expected
        words[place] = (phase << _BITS | pending) << _BITS | expected
    S.arena.writes += 1
    return tokens


@runtime
def mbarrier_done(S, L, a, offset: int, phase, parity: bool) -> np.ndarray:
    """Whether the phase of a token, or the last one of a parity, has ended."""
    words, index = _words(S, L, a, offset)
    now = words[index] >> 2 * _BITS
    phase = L.filled(phase).astype(np.int64)
    return (now & 1) != (phase & 1) if parity else now != phase >> 2 * _BITS
