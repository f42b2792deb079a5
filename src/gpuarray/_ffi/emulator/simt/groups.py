"""Groups: lane sets with their registers, and how groups become one where they meet."""

from __future__ import annotations

from collections.abc import Callable
from weakref import ref

import numpy as np

from .affine import Affine
from .lanes import INDICES, LaneSet, rectangle

nd = np.ndarray


def select_registers(select, registers: tuple) -> tuple:
    """The registers of a subset of lanes."""
    return tuple([select(x) if type(x) is nd else x for x in registers])


def same(a, b) -> bool:
    """Whether two registers are certainly equal for all lanes; arrays are not compared."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b) or kind is nd:
        return False
    if kind is Affine:
        return a.c == b.c and a.st == b.st and a.sb == b.sb and a.dt is b.dt
    if a.dtype.kind == "f":  # NaNs and zeros of either sign are told apart by their bits
        return a.tobytes() == b.tobytes()
    return bool(a == b)


class Unselected(tuple):
    """Registers of the set that was split, of which a side of the branch selects its lanes.

    They are selected when that side runs. A side that only waits for the other one never does:
    when the two meet, what was not changed is the array that it has here.
    """

    select: Callable[[np.ndarray], np.ndarray]


def unselected(select: Callable[[np.ndarray], np.ndarray], registers: tuple) -> tuple:
    """The registers of a side of a branch, to be selected when it runs."""
    if nd not in map(type, registers):
        return registers
    waiting = Unselected(registers)
    waiting.select = select
    return waiting


def selected(L: LaneSet, registers: tuple) -> tuple:
    """The registers of a group that is going to run."""
    if type(registers) is not Unselected:
        return registers
    select = registers.select
    origins = {}
    values = []
    for x in registers:
        if type(x) is nd:
            before = x
            x = select(x)
            # Weak, since a lane set lives longer than its registers.
            origins[id(x)] = ref(x), ref(before)
        values.append(x)
    L.origins = origins
    return tuple(values)


#: At most so many groups, with at least so many lanes together, may stay split.
_SPLIT_LANES, _SPLIT_GROUPS = 8192, 4


def should_stay_split(groups: list[tuple[LaneSet, tuple]]) -> bool:
    """Whether merging groups would turn affine values of many lanes into arrays.

    Threads that made one iteration more than others have the same indices but for a constant.
    While the groups stay split, their memory accesses stay slices.
    """
    if len(groups) > _SPLIT_GROUPS or sum(L.n for L, _ in groups) < _SPLIT_LANES:
        return False
    for values in zip(*[registers for _, registers in groups], strict=True):
        first = values[0]
        if any(type(v) is Affine for v in values) and not all(same(first, v) for v in values[1:]):
            return True
    return False


def _union(groups: list[tuple[LaneSet, tuple]]) -> LaneSet:
    """The union of disjoint lane sets."""
    first = groups[0][0]
    state = first.state
    n = sum(L.n for L, _ in groups)
    if n == state.n:
        return state.full
    if len(groups) == 2 and first.parent is not None and first.parent is groups[1][0].parent:
        return first.parent  # the two sides of a branch
    ids = np.concatenate([L.ids for L, _ in groups])
    ids.sort(kind="stable")  # runs that are sorted already
    if ids[-1] - ids[0] == n - 1:
        return state.lane_range(int(ids[0]), n)
    return rectangle(state, ids) or LaneSet(state, INDICES, n, ids=ids)


def merge(groups: list[tuple[LaneSet, tuple]]) -> tuple[LaneSet, tuple]:
    """Merge groups that wait at the same block into one lane set with its registers."""
    while 1 < len(groups) <= _JOINED_IN_PAIRS:
        pair = _sides_of_one_branch(groups)
        if pair is None:
            break
        one, other = pair
        rest = [group for group in groups if group is not one and group is not other]
        groups = [*rest, _join(one, other)]
    groups = [(L, selected(L, registers)) for L, registers in groups]
    if len(groups) == 1:
        return groups[0]
    union = _union(groups)
    positions = None
    registers = []
    for values in zip(*[regs for _, regs in groups], strict=True):
        first = values[0]
        if type(first) is not nd and all(same(first, v) for v in values[1:]):
            registers.append(first)
            continue
        if positions is None:
            positions = [L.positions_in(union) for L, _ in groups]
        joined = None
        for (L, _), position, value in zip(groups, positions, values, strict=True):
            value = L.array_of(value) if type(value) is Affine else value
            if joined is None:
                joined = np.empty(union.n, value.dtype)
            joined[position] = value
        registers.append(joined)
    return union, tuple(registers)


#: Of more groups than this the sides of branches are not joined pair by pair.
_JOINED_IN_PAIRS = 4


def _sides_of_one_branch(groups: list) -> tuple | None:
    """Two groups that are the sides of one branch, the one that was split last first."""
    for k in range(len(groups) - 1, 0, -1):
        parent = groups[k][0].parent
        if parent is not None:
            for other in groups[:k]:
                if other[0].parent is parent and groups[k][0].n + other[0].n == parent.n:
                    return groups[k], other
    return None


def _join(one: tuple[LaneSet, tuple], other: tuple[LaneSet, tuple]) -> tuple[LaneSet, tuple]:
    """The two sides of a branch as the lanes that were split.

    What neither side changed is the array from before the branch, and what one side changed is a
    copy of that with the changes.
    """
    (L, registers), (M, others) = one, other
    union = L.parent
    joined = []
    for x, y in zip(registers, others, strict=True):
        if type(x) is not nd and type(y) is not nd and same(x, y):
            joined.append(x)
            continue
        before_x = x if type(registers) is Unselected else L.origin(x)
        before_y = y if type(others) is Unselected else M.origin(y)
        if before_x is before_y and type(before_x) is nd:
            joined.append(before_x)
        elif type(before_y) is nd and type(registers) is not Unselected:
            joined.append(_replaced(before_y, L, x, union))
        elif type(before_x) is nd and type(others) is not Unselected:
            joined.append(_replaced(before_x, M, y, union))
        else:
            x = registers.select(x) if type(registers) is Unselected and type(x) is nd else x
            y = others.select(y) if type(others) is Unselected and type(y) is nd else y
            x = L.array_of(x) if type(x) is Affine else x
            whole = np.empty(union.n, x.dtype)
            whole[L.positions_in(union)] = x
            joined.append(_put(whole, M, y, union))
    return union, tuple(joined)


def _replaced(before: np.ndarray, L: LaneSet, value, union: LaneSet) -> np.ndarray:
    """A copy of a register of the union with the value of some lanes replaced."""
    return _put(before.copy(), L, value, union)


def _put(whole: np.ndarray, L: LaneSet, value, union: LaneSet) -> np.ndarray:
    whole[L.positions_in(union)] = L.array_of(value) if type(value) is Affine else value
    return whole
