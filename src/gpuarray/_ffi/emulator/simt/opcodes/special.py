"""Special registers."""

from __future__ import annotations

import time

import numpy as np

from gpuarray._integers import round_up

from ...faults import UnsupportedInstruction
from ..affine import Affine
from ..program import RESERVED_SHARED_BYTES
from ..registry import runtime

nd = np.ndarray
i4, u4, i8 = np.int32, np.uint32, np.int64
_AXES = "xyz"
_CLOCK_GHZ = 1.7


@runtime
def special_tid_x(S, L):
    if S.linear:
        return Affine(0, 1, 0, i4)
    return (L.thread_block[0] % S.block[0]).astype(i4)


@runtime
def special_ctaid_x(S, L):
    if S.nb == 1:
        return i4(S.b0 % S.grid[0])
    if S.grid[1] == 1 and S.grid[2] == 1:
        return Affine(S.b0, 0, 1, i4)
    return ((L.thread_block[1] + S.b0) % S.grid[0]).astype(i4)


def _tid(S, L, axis: int):
    if S.block[axis] == 1:
        return i4(0)
    thread = L.thread_block[0]
    if axis == 1:
        return ((thread // S.block[0]) % S.block[1]).astype(i4)
    return (thread // (S.block[0] * S.block[1])).astype(i4)


def _ctaid(S, L, axis: int):
    if S.grid[axis] == 1:
        return i4(0)
    block = (L.thread_block[1] if S.nb > 1 else i8(0)) + S.b0
    if axis == 0:
        return (block % S.grid[0]).astype(i4)
    if axis == 1:
        return ((block // S.grid[0]) % S.grid[1]).astype(i4)
    return (block // (S.grid[0] * S.grid[1])).astype(i4)


def _lane(S, L):
    return (L.thread_block[0] & 31).astype(u4)


def _lane_mask(S, L, kind: str):
    one = u4(1) << _lane(S, L)
    below = one - u4(1)
    mask = {"lt": below, "le": below | one, "eq": one, "ge": ~below, "gt": ~(below | one)}[kind]
    return mask.view(i4)


_CONSTANTS = {
    "smid": 0, "gridid": 0, "nclusterid.x": 1, "nclusterid.y": 1, "nclusterid.z": 1,
    "cluster_ctaid.x": 0, "cluster_ctaid.y": 0, "cluster_ctaid.z": 0, "cluster_nctaid.x": 1,
    "cluster_nctaid.y": 1, "cluster_nctaid.z": 1, "cluster_ctarank": 0, "cluster_nctarank": 1,
    "is_explicit_cluster": 0, "nsmid": 1, "reserved_smem_offset_begin": 0,
    "reserved_smem_offset_end": 0x120,
    "reserved_smem_offset_cap": RESERVED_SHARED_BYTES, "reserved_smem_offset_0": 0,
    "reserved_smem_offset_1": 64, "WARP_SZ": 32, "current_graph_exec": 0,
}  # fmt: skip


@runtime
def special(S, L, name: str):
    """A 32-bit special register."""
    base, _, axis = name.rpartition(".")
    if base == "ntid":
        return i4(S.block[_AXES.index(axis)])
    if base == "nctaid":
        return i4(S.grid[_AXES.index(axis)])
    if base == "tid":
        return _tid(S, L, _AXES.index(axis))
    if base == "ctaid":
        return _ctaid(S, L, _AXES.index(axis))
    if base == "clusterid":
        return special(S, L, f"ctaid.{axis}")
    if base == "nclusterid":
        return special(S, L, f"nctaid.{axis}")
    if name == "laneid":
        return _lane(S, L).view(i4)
    if name == "warpid":
        return (L.thread_block[0] >> 5).astype(i4)
    if name == "nwarpid":
        return i4(64)  # how many a multiprocessor can have
    if name.startswith("lanemask_"):
        return _lane_mask(S, L, name[9:])
    if name in _CONSTANTS:
        return i4(_CONSTANTS[name])
    if name == "dynamic_smem_size":
        return i4(S.launch.dynamic_shared)
    if name == "total_smem_size":  # without what the system reserves, in units of 128 bytes
        return i4(round_up(max(S.launch.plain_shared_bytes - RESERVED_SHARED_BYTES, 0), 128))
    if name == "aggr_smem_size":
        return i4(S.launch.plain_shared_bytes)
    if name in ("clock", "clock_hi", "globaltimer_lo", "globaltimer_hi"):
        wide = int(special_wide(S, L, "clock64" if name[0] == "c" else "globaltimer"))
        bits = wide >> 32 if name.endswith("_hi") else wide & 0xFFFFFFFF
        return u4(bits).view(i4)
    if name.startswith("envreg"):
        # Cooperative groups find the workspace of the grid's barrier in these two.
        workspace = S.launch.grid_workspace() if name in ("envreg1", "envreg2") else 0
        # The first register holds the upper half.
        return u4(workspace >> 32 if name == "envreg1" else workspace & 0xFFFFFFFF).view(i4)
    if name.startswith("pm"):
        return i4(0)
    raise UnsupportedInstruction(f"the emulator does not have the special register %{name}")


@runtime
def special_wide(S, L, name: str):
    """A 64-bit special register."""
    if name == "globaltimer":
        return i8(time.time_ns())
    if name == "clock64":
        return i8(int(time.perf_counter_ns() * _CLOCK_GHZ))
    value = special(S, L, name)
    return value.view(u4).astype(i8)
