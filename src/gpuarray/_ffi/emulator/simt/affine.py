"""Values that are linear in the thread and block index, kept symbolic.

Indices and addresses are nearly always ``constant + a * thread + b * block``. Kept so, an
access to memory becomes a slice, ``i < n`` is decided from its end points, and nothing of the
size of the launch is computed. Every operation takes the lane set ``L`` that it runs on; where
the result is not linear, or might wrap around for one of its lanes, it becomes an array.
"""

from __future__ import annotations

import operator

import numpy as np

from .registry import runtime
from .types import SCALARS

nd = np.ndarray
_LIMITS = {
    SCALARS[code]: (int(np.iinfo(code).min), int(np.iinfo(code).max))
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
}
i4, u4, i8 = np.int32, np.uint32, np.int64


class Affine:
    """``c + st * thread + sb * block``; the block counts from the start of the chunk."""

    __slots__ = ("c", "dt", "sb", "st")

    def __init__(self, c: int, st: int, sb: int, dt: type):
        self.c = c
        self.st = st
        self.sb = sb
        self.dt = dt

    def __repr__(self) -> str:
        return f"Affine({self.c} + {self.st}t + {self.sb}b, {self.dt.__name__})"


def end_points(c: int, st: int, sb: int, L) -> tuple[int, int]:
    """Smallest and largest value over the bounding box of the lanes."""
    low = c + (st * L.t_low if st >= 0 else st * L.t_high)
    high = c + (st * L.t_high if st >= 0 else st * L.t_low)
    if sb:
        low += sb * L.b_low if sb > 0 else sb * L.b_high
        high += sb * L.b_high if sb > 0 else sb * L.b_low
    return low, high


def fits(c: int, st: int, sb: int, dt: type, L) -> bool:
    low, high = end_points(c, st, sb, L)
    limits = _LIMITS[dt]
    return limits[0] <= low and high <= limits[1]


@runtime
def M(x, L):
    """Materialise: the value as a scalar or an array."""
    return L.array_of(x) if type(x) is Affine else x


@runtime
def affine_add(a, b, L):
    if type(a) is Affine:
        if type(b) is Affine:
            c, st, sb = a.c + b.c, a.st + b.st, a.sb + b.sb
        elif type(b) is nd:
            return L.array_of(a) + b
        else:
            c, st, sb = a.c + int(b), a.st, a.sb
        if fits(c, st, sb, a.dt, L):
            return Affine(c, st, sb, a.dt)
        return M(a, L) + M(b, L)
    if type(b) is Affine:
        return affine_add(b, a, L)
    return a + b


@runtime
def affine_sub(a, b, L):
    if type(a) is Affine or type(b) is Affine:
        if type(a) is nd or type(b) is nd:
            return M(a, L) - M(b, L)
        if type(b) is not Affine:
            c, st, sb, dt = a.c - int(b), a.st, a.sb, a.dt
        elif type(a) is not Affine:
            c, st, sb, dt = int(a) - b.c, -b.st, -b.sb, b.dt
        else:
            c, st, sb, dt = a.c - b.c, a.st - b.st, a.sb - b.sb, a.dt
        if fits(c, st, sb, dt, L):
            return Affine(c, st, sb, dt)
        return M(a, L) - M(b, L)
    return a - b


@runtime
def affine_mul(a, b, L):
    if type(b) is Affine:
        a, b = b, a
    if type(a) is Affine:
        if type(b) is Affine or type(b) is nd:
            return L.array_of(a) * M(b, L)
        k = int(b)
        if fits(a.c * k, a.st * k, a.sb * k, a.dt, L):
            return Affine(a.c * k, a.st * k, a.sb * k, a.dt)
        return L.array_of(a) * b
    return a * b


@runtime
def affine_mul_wide(a, b, wide, L):
    """A product in twice the width; the operands' common type has the same signedness."""
    if type(b) is Affine:
        a, b = b, a
    if type(a) is Affine and type(b) is not nd and type(b) is not Affine:
        k = int(b)
        if fits(a.c * k, a.st * k, a.sb * k, wide, L):
            return Affine(a.c * k, a.st * k, a.sb * k, wide)
    return M(a, L).astype(wide) * M(b, L).astype(wide)


@runtime
def affine_shl(a, k: int, L):
    """A shift by a constant below the width."""
    if type(a) is Affine:
        c, st, sb = a.c << k, a.st << k, a.sb << k
        if fits(c, st, sb, a.dt, L):
            return Affine(c, st, sb, a.dt)
        a = L.array_of(a)
    return a << a.dtype.type(k)


@runtime
def affine_cast(a, dt, L):
    """Convert to an integer type of another width (``dt`` is a NumPy type)."""
    if type(a) is Affine:
        if fits(a.c, a.st, a.sb, dt, L):
            return Affine(a.c, a.st, a.sb, dt)
        a = L.array_of(a)
    return a.astype(dt)


@runtime
def affine_view(a, dt, L):
    """The same bits as another integer type of the same width."""
    if type(a) is Affine:
        if a.dt is dt:
            return a
        if fits(a.c, a.st, a.sb, dt, L):
            return Affine(a.c, a.st, a.sb, dt)
        a = L.array_of(a)
    return a.view(dt)


_COMPARE = {
    "lt": operator.lt, "gt": operator.gt, "le": operator.le, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


@runtime
def affine_compare(relation: str, a, b, L):
    """A comparison, decided from the end points of the difference where they agree."""
    if type(a) is not Affine:
        if type(b) is not Affine:
            return _COMPARE[relation](a, b)
        if type(a) is not nd:
            return affine_compare(_MIRRORED[relation], b, a, L)
        return _COMPARE[relation](a, L.array_of(b))
    if type(b) is nd:
        return _COMPARE[relation](L.array_of(a), b)
    if type(b) is Affine:
        low, high = end_points(a.c - b.c, a.st - b.st, a.sb - b.sb, L)
    else:
        low, high = end_points(a.c - int(b), a.st, a.sb, L)
    if relation in ("lt", "ge"):
        answer = (relation == "lt") if high < 0 else (relation == "ge") if low >= 0 else None
    elif relation in ("gt", "le"):
        answer = (relation == "gt") if low > 0 else (relation == "le") if high <= 0 else None
    elif low == 0 == high:
        answer = relation == "eq"
    else:
        answer = (relation == "ne") if low > 0 or high < 0 else None
    if answer is None:
        if type(b) is Affine:
            difference = (a.c - b.c, a.st - b.st, a.sb - b.sb)
        else:
            difference = (a.c - int(b), a.st, a.sb)
        mask = _compare_progression(relation, *difference, L)
        return _COMPARE[relation](L.array_of(a), M(b, L)) if mask is None else mask
    return np.bool_(answer)


def _compare_progression(relation: str, c: int, st: int, sb: int, L):
    """A difference compared with zero, where it is an arithmetic progression; else None."""
    first = L.first_of_run(st, sb)
    if first is None or st == 0:
        return None
    first += c
    if st < 0:
        first, st, relation = -first, -st, _MIRRORED[relation]
    n = L.n
    if relation in ("eq", "ne"):
        at, rest = divmod(-first, st)
        mask = np.full(n, relation == "ne")
        if not rest and 0 <= at < n:
            mask[at] = relation == "eq"
        return mask
    # How many lanes are below zero, or not above.
    below = -(first // st) if relation in ("lt", "ge") else -first // st + 1
    below = min(max(below, 0), n)
    mask = np.empty(n, np.bool_)
    mask[:below] = relation in ("lt", "le")
    mask[below:] = relation in ("gt", "ge")
    return mask
