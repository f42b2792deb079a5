"""Warp-wide instructions: shuffles, votes, matches and reductions.

They work on a matrix with one row per warp. Lane sets that are not whole warps are scattered into
one, with a fill value for absent lanes. All lanes of a member mask are present: the scheduler
waits for them before the block begins.
"""

from __future__ import annotations

import numpy as np

from gpuarray._integers import round_up

from ...ptx.syntax import Discard, Pair
from ..emitter import Emitter, UnsupportedForm
from ..registry import handles, runtime
from ..shuffles import shuffle_sources
from ..types import code_of, unsigned
from .compare import copy_code

nd = np.ndarray
i4, u4 = np.int32, np.uint32
_LANES = np.arange(32)
_ALL = u4(0xFFFFFFFF)


def _targets(operand):
    return (operand.first, operand.second) if type(operand) is Pair else (operand, Discard())


@handles("shfl")
def shuffle(e: Emitter, i) -> None:
    mode = i.opcode.first_of("up", "down", "bfly", "idx")
    result, valid = _targets(i.operands[0])
    code, raw = copy_code(e, result, "i4")
    value = e.value(i.operands[1], code, raw=raw)
    lane, clamp = (e.value(o, "u4") for o in i.operands[2:4])
    is_valid_used = e.is_used_later(valid)
    moved, inside = e.temporary(), e.temporary()
    if e.checked and len(i.operands) > 4:
        mask = e.value(i.operands[4], "u4")
        e.line(f"S.checks.sources(L,{mode!r},{lane},{clamp},{mask},{i.line})")
    e.line(f"{moved},{inside}=shuffled(S,L,{mode!r},{value},{lane},{clamp},{is_valid_used})")
    e.assign(result, moved, code)
    if is_valid_used:
        e.assign(valid, inside, "b1")


@handles("vote")
def vote(e: Emitter, i) -> None:
    mode = i.opcode.first_of("all", "any", "uni", "ballot")
    guard = e.value(i.operands[1], "b1")
    mask = e.value(i.operands[2], "u4") if len(i.operands) > 2 else e.constant(-1, "u4")
    code = "u4" if mode == "ballot" else "b1"
    e.assign(i.operands[0], f"voted(S,L,{mode!r},{guard},{mask})", code)


@handles("activemask")
def active_mask(e: Emitter, i) -> None:
    e.assign(i.operands[0], "active(S,L)", "u4")


@handles("match")
def match(e: Emitter, i) -> None:
    code = unsigned(code_of(i.opcode.types[-1]))
    value, mask = e.value(i.operands[1], code), e.value(i.operands[2], "u4")
    result, agree = _targets(i.operands[0])
    if "any" in i.opcode.flags:
        e.assign(result, f"matched(S,L,{value},{mask})", "u4")
        return
    found, all_same = e.temporary(), e.temporary()
    e.line(f"{found},{all_same}=matched_all(S,L,{value},{mask})")
    e.assign(result, found, "u4")
    e.assign(agree, all_same, "b1")


@handles("redux")
def reduce_warp(e: Emitter, i) -> None:
    op = i.opcode.first_of("add", "min", "max", "and", "or", "xor")
    type_ = i.opcode.types[-1]
    if type_ == "f32":
        raise UnsupportedForm("redux.f32")
    code = code_of(type_)
    value, mask = e.value(i.operands[1], code), e.value(i.operands[2], "u4")
    e.assign(i.operands[0], f"reduced(S,L,{op!r},{value},{mask})", code)


@handles("elect")
def elect(e: Emitter, i) -> None:
    leader, elected = _targets(i.operands[0])
    lane, mine = e.temporary(), e.temporary()
    e.line(f"{lane},{mine}=elected(S,L,{e.value(i.operands[1], 'u4')})")
    e.assign(leader, lane, "u4")
    e.assign(elected, mine, "b1")


# ------------------------------------------------------------------ at run time


def _warp_rows(S, L, values: np.ndarray, fill):
    """(matrix with one row per warp, positions of the lanes in it or None if it is all of them)."""
    positions = L.warps
    if positions is None:
        return values.reshape(-1, 32), None
    matrix = np.full(S.nb * round_up(S.T, 32), fill, values.dtype)
    matrix[positions] = values
    return matrix.reshape(-1, 32), positions


def _lane_values(matrix: np.ndarray, positions):
    flat = matrix.reshape(-1)
    return flat if positions is None else flat[positions]


def _broadcast(per_warp: np.ndarray, L, positions):
    """One value per warp, repeated for its lanes."""
    if positions is None:
        return np.repeat(per_warp, 32)
    return per_warp[positions >> 5]


@runtime
def shuffled(S, L, mode: str, value, lane, clamp, is_valid_used: bool):
    """(values from other lanes, whether the source lane was in range)."""
    uniform_value = type(value) is not nd
    if not (uniform_value or is_valid_used or type(lane) is nd or type(clamp) is nd) and (
        L.warps is None
    ):
        fast = _shuffled_uniform(value.reshape(-1, 32), mode, int(lane) & 31, int(clamp))
        return fast.reshape(-1), None
    if uniform_value and not is_valid_used:
        return value, None
    if type(clamp) is nd and (clamp == clamp[0]).all():
        clamp = clamp[0]
    if type(lane) is nd and (lane == lane[0]).all():
        lane = lane[0]
    matrix, positions = _warp_rows(S, L, L.filled(value), value.dtype.type(0))
    if type(lane) is not nd and type(clamp) is not nd:
        fast = _shuffled_uniform(matrix, mode, int(lane) & 31, int(clamp))
        if fast is not None and not is_valid_used:
            return (value if uniform_value else _lane_values(fast, positions)), None
    if type(lane) is nd:
        lane = _warp_rows(S, L, lane, u4(0))[0]
    if type(clamp) is nd:
        clamp = _warp_rows(S, L, clamp, u4(0))[0]
    source, valid = shuffle_sources(mode, _LANES, np.asarray(lane), np.asarray(clamp))
    shape = matrix.shape
    source, valid = np.broadcast_to(source, shape), np.broadcast_to(valid, shape)
    moved = (
        value if uniform_value else _lane_values(np.take_along_axis(matrix, source, 1), positions)
    )
    return moved, _lane_values(np.ascontiguousarray(valid), positions)


def _shuffled_uniform(matrix, mode: str, lane: int, clamp: int):
    """Common cases over the whole warp, by slices."""
    if lane == 0 and mode != "idx":
        return matrix
    if mode == "down" and clamp == 31:
        # All rows are shifted as one array; then the ends that crossed rows are restored.
        result = np.empty_like(matrix)
        result.reshape(-1)[:-lane] = matrix.reshape(-1)[lane:]
        result[:, 32 - lane :] = matrix[:, 32 - lane :]
    elif mode == "up" and clamp == 0:
        result = np.empty_like(matrix)
        result.reshape(-1)[lane:] = matrix.reshape(-1)[:-lane]
        result[:, :lane] = matrix[:, :lane]
    elif mode == "bfly" and clamp == 31 and lane & (lane - 1) == 0:
        result = np.ascontiguousarray(matrix.reshape(-1, 16 // lane, 2, lane)[:, :, ::-1])
    elif mode == "idx" and clamp == 31:
        result = np.repeat(matrix[:, lane], 32)
    else:
        source, _ = shuffle_sources(mode, _LANES, np.asarray(lane), np.asarray(clamp))
        result = matrix[:, source]
    return result.reshape(matrix.shape)


def _ballots(S, L, guard):
    """(one bit mask per warp, positions)."""
    guard = np.asarray(guard)
    guard = guard if guard.ndim else np.full(L.n, bool(guard))
    matrix, positions = _warp_rows(S, L, guard, False)
    return np.packbits(matrix, axis=1, bitorder="little").view(u4).reshape(-1), positions


@runtime
def active(S, L):
    """The lanes of each warp that are in this group."""
    if L.warps is None:
        return _ALL
    return _broadcast(_ballots(S, L, True)[0], L, L.warps)


@runtime
def voted(S, L, mode: str, guard, mask):
    if L.warps is None and type(guard) is not nd and type(mask) is not nd and mask == _ALL:
        if mode == "ballot":
            return _ALL if guard else u4(0)
        return np.bool_(True) if mode == "uni" else np.bool_(guard)
    members = active(S, L) & mask
    bits, positions = _ballots(S, L, guard)
    votes = _broadcast(bits, L, positions) & members
    if mode == "ballot":
        return votes
    if mode == "any":
        return votes != 0
    if mode == "all":
        return votes == members
    return (votes == 0) | (votes == members)


@runtime
def matched(S, L, value, mask):
    """For each lane, the lanes of its mask that have the same value."""
    members = active(S, L) & mask
    if type(value) is not nd:
        return L.filled(members)
    matrix, positions = _warp_rows(S, L, value, value.dtype.type(0))
    equal = np.packbits(matrix[:, :, None] == matrix[:, None, :], axis=2, bitorder="little")
    return _lane_values(equal.view(u4), positions) & members


@runtime
def matched_all(S, L, value, mask):
    members = L.filled(active(S, L) & mask)
    same = matched(S, L, value, mask) == members
    return np.where(same, members, u4(0)), same


_REDUCERS = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


@runtime
def reduced(S, L, op: str, value, mask):
    """Reduce over the lanes of each member mask; a warp may be cut into several."""
    value = L.filled(value)
    mask = np.asarray(L.filled(mask)) & active(S, L)
    info = np.iinfo(value.dtype)
    neutral = {"min": info.max, "max": info.min, "and": -1 if info.min else info.max}.get(op, 0)
    neutral = value.dtype.type(neutral)
    matrix, positions = _warp_rows(S, L, value, neutral)
    masks, _ = _warp_rows(S, L, mask, u4(0))
    result = np.zeros_like(matrix)
    pending = masks != 0
    while pending.any():
        # One round for each distinct mask of a warp, all warps at once.
        leader = pending.argmax(axis=1)
        chosen = masks[np.arange(len(masks)), leader]
        member = ((chosen[:, None] >> _LANES.astype(u4)) & u4(1)).astype(bool)
        row = _REDUCERS[op].reduce(np.where(member, matrix, neutral), axis=1, dtype=matrix.dtype)
        served = pending & (masks == chosen[:, None])
        result = np.where(served, row[:, None], result)
        pending &= ~served
    return _lane_values(result, positions)


@runtime
def elected(S, L, mask):
    """The lowest lane of the mask, and whether this lane is it."""
    members = np.asarray(L.filled(active(S, L) & mask))
    lowest = np.bitwise_count((members & (~members + u4(1))) - u4(1)).astype(u4)
    lane = (L.thread_block[0] & 31).astype(u4)
    return lowest, lane == lowest
