"""Shuffles, votes, matches and reductions over a warp, under full and partial member masks."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.isa.rows import Row

_LANES = np.arange(32)
#: Member mask -> what predicate registers have to hold for exactly its lanes to run.
_MASKS = (0xFFFFFFFF, 0x0000FFFF, 0xAAAAAAAA, 0x80000001, 0x0F0F00FF)


def _members(mask: int) -> str:
    """%p7: whether this lane is in the mask."""
    return f"shr.u32 %r6, 0x{mask:08x}, %lane; and.b32 %r6, %r6, 1; setp.ne.u32 %p7, %r6, 0; "


def _per_warp(function, outputs: int = 1):
    """An expected result from f(values of a warp, ...) -> values of a warp."""

    def expected(*operands):
        warps = zip(*(o.reshape(-1, 32) for o in operands), strict=True)
        found = [function(*warp) for warp in warps]
        if outputs == 1:
            return np.concatenate(found)
        return [np.concatenate(column) for column in zip(*found, strict=True)]

    return expected


def _source(mode: str, lane: int, operand: int, clamp: int) -> tuple[int, bool]:
    """The manual's own listing of shfl."""
    operand &= 31
    bound, segment = clamp & 31, clamp >> 8 & 31
    highest = (lane & segment) | (bound & ~segment & 31)
    if mode == "up":
        source = lane - operand
        return (source, True) if source >= highest else (lane, False)
    if mode == "idx":
        source = (lane & segment) | (operand & ~segment & 31)
    else:
        source = lane + operand if mode == "down" else lane ^ operand
    return (source, True) if source <= highest else (lane, False)


def _clamps(mode: str) -> tuple[int, ...]:
    """Whole warps, segments of 16, 8 and 2, odd bounds."""
    if mode == "up":
        return (0x0000, 0x1000, 0x1800, 0x1E00, 0x0003)
    return (0x001F, 0x101F, 0x181F, 0x1E1F, 0x000B)


def _shuffles() -> list[Row]:
    rows: list[Row] = []
    for mode in ("up", "down", "bfly", "idx"):
        for clamp in _clamps(mode):
            for amount in ("%b", "1", "16", "3"):

                def shuffled(a, b, mode=mode, clamp=clamp, amount=amount):
                    steps = b if amount == "%b" else [int(amount)] * 32
                    found = [_source(mode, k, int(steps[k]), clamp) for k in range(32)]
                    return a[[s for s, _ in found]], np.array([v for _, v in found], np.uint32)

                rows.append(
                    Row(f"shfl.sync.{mode}.b32 {amount} 0x{clamp:04x}".replace("%b", "varying"),
                        ("u32", "u32"), ("u32", "u32"),
                        f"shfl.sync.{mode}.b32 %d|%p0, %a, {amount}, 0x{clamp:x}, -1; "
                        "selp.u32 %d1, 1, 0, %p0;",
                        generators=("any", "lane"), expected=_per_warp(shuffled, 2))
                )  # fmt: skip
        # Partial masks: only lanes that name a member are compared, the manual's own rule.
        for mask in _MASKS[1:]:
            clamp = _clamps(mode)[0]
            rows.append(
                Row(f"shfl.sync.{mode}.b32 under 0x{mask:08x}", ("u32", "u32"), ("u32", "u32"),
                    f"{_members(mask)}mov.u32 %d, 7; mov.u32 %d1, 7; setp.ne.u32 %p0, %d, 7; "
                    f"@%p7 shfl.sync.{mode}.b32 %d|%p0, %a, {_partner(mode, mask)}, 0x{clamp:x}, "
                    f"0x{mask:08x}; @%p7 selp.u32 %d1, 1, 0, %p0;",
                    generators=("any", "lane"))
            )  # fmt: skip
    rows.append(
        Row("shfl.sync.bfly.b32 of floats", ("f32",), ("f32",),
            "shfl.sync.bfly.b32 %d, %a, 5, 0x1f, -1;", expected=_per_warp(lambda a: a[_LANES ^ 5]))
    )  # fmt: skip
    return rows


def _partner(mode: str, mask: int) -> str:
    """An amount with which every member reads from a member."""
    if mode == "idx":
        return "0" if mask & 1 else "1"
    if mode == "bfly":
        return {0x0000FFFF: "9", 0xAAAAAAAA: "2", 0x80000001: "31", 0x0F0F00FF: "1"}[mask]
    return {0x0000FFFF: "0", 0xAAAAAAAA: "0", 0x80000001: "0", 0x0F0F00FF: "0"}[mask]


def _bits_of(flags) -> int:
    return sum(int(bool(f)) << k for k, f in enumerate(flags))


def _full(value: int) -> np.ndarray:
    return np.full(32, value & 0xFFFFFFFF, np.uint32)


def _votes() -> list[Row]:
    rows: list[Row] = []
    for mask, mode in product(_MASKS, ("all", "any", "uni", "ballot")):
        for generator in ("bit", "equal"):

            def voted(a, mask=mask, mode=mode):
                votes = _bits_of(a != 0) & mask
                result = {
                    "all": votes == mask, "any": votes != 0, "uni": votes in (0, mask), "ballot": votes
                }[mode]  # fmt: skip
                member = mask >> _LANES & 1
                return np.where(member, int(result), 7).astype(np.uint32)

            take = "" if mode == "ballot" else "@%p7 selp.u32 %d, 1, 0, %p1;"
            form = "b32 %d" if mode == "ballot" else "pred %p1"
            rows.append(
                Row(f"vote.sync.{mode}.{form[:4].strip()} 0x{mask:08x} {generator}", ("u32",), ("u32",),
                    f"{_members(mask)}mov.u32 %d, 7; setp.ne.u32 %p0, %a, 0; setp.ne.u32 %p1, 0, 0; "
                    f"@%p7 vote.sync.{mode}.{form}, %p0, 0x{mask:08x}; {take}",
                    generators=(generator,), expected=_per_warp(voted))
            )  # fmt: skip
    return rows


def _matches() -> list[Row]:
    rows: list[Row] = []
    for mask, t in product(_MASKS, ("b32", "b64")):

        def matched(a, mask=mask):
            found = [_bits_of(a == v) & mask for v in a]
            return np.where(mask >> _LANES & 1, found, 7).astype(np.uint32)

        rows.append(
            Row(f"match.any.sync.{t} 0x{mask:08x}", ("u32",), (t,),
                f"{_members(mask)}mov.u32 %d, 7; @%p7 match.any.sync.{t} %d, %a, 0x{mask:08x};",
                generators=("equal",), expected=_per_warp(matched))
        )  # fmt: skip

        def matched_all(a, mask=mask):
            member = (mask >> _LANES & 1).astype(bool)
            same = len(set(a[member].tolist())) == 1
            both = np.where(member, mask if same else 0, 7), np.where(member, int(same), 7)
            return tuple(x.astype(np.uint32) for x in both)

        rows.append(
            Row(f"match.all.sync.{t} 0x{mask:08x}", ("u32", "u32"), (t,),
                f"{_members(mask)}mov.u32 %d, 7; mov.u32 %d1, 7; setp.ne.u32 %p0, 0, 0; "
                f"@%p7 match.all.sync.{t} %d|%p0, %a, 0x{mask:08x}; @%p7 selp.u32 %d1, 1, 0, %p0;",
                generators=("equal",), expected=_per_warp(matched_all, 2))
        )  # fmt: skip
    return rows


def _reductions() -> list[Row]:
    rows: list[Row] = []
    operations = {
        "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
        "or": np.bitwise_or, "xor": np.bitwise_xor,
    }  # fmt: skip
    forms = [(o, t) for o in ("add", "min", "max") for t in ("u32", "s32")]
    forms += [(o, "b32") for o in ("and", "or", "xor")]
    for mask, (how, t) in product(_MASKS, forms):

        def reduced(a, mask=mask, how=how):
            member = (mask >> _LANES & 1).astype(bool)
            total = operations[how].reduce(a[member], dtype=a.dtype)
            return np.where(member, total, a.dtype.type(7))

        rows.append(
            Row(f"redux.sync.{how}.{t} 0x{mask:08x}", (t,), (t,),
                f"{_members(mask)}mov.b32 %d, 7; @%p7 redux.sync.{how}.{t} %d, %a, 0x{mask:08x};",
                expected=_per_warp(reduced))
        )  # fmt: skip
    # Two masks at once: each half of a warp by itself.
    rows.append(
        Row("redux.sync.add.u32 halves", ("u32",), ("u32",),
            "setp.lt.u32 %p0, %lane, 16; selp.u32 %r2, 0x0000ffff, 0xffff0000, %p0; "
            "@%p0 redux.sync.add.u32 %d, %a, %r2; @!%p0 redux.sync.add.u32 %d, %a, %r2;",
            expected=_per_warp(lambda a: np.repeat(a.reshape(2, 16).sum(1, dtype=np.uint32), 16)))
    )  # fmt: skip
    return rows


def _lanes() -> list[Row]:
    rows: list[Row] = []
    for mask in _MASKS:

        def elected(a, mask=mask):
            first = (mask & -mask).bit_length() - 1
            member = mask >> _LANES & 1
            return tuple(np.where(member, x, 7).astype(np.uint32) for x in (first, _LANES == first))

        rows.append(
            Row(f"elect.sync 0x{mask:08x}", ("u32", "u32"), ("u32",),
                f"{_members(mask)}mov.u32 %d, 7; mov.u32 %d1, 7; setp.ne.u32 %p0, 0, 0; "
                f"@%p7 elect.sync %d|%p0, 0x{mask:08x}; @%p7 selp.u32 %d1, 1, 0, %p0;",
                expected=_per_warp(elected, 2))
        )  # fmt: skip
        # A branch, so that only these lanes are active.
        rows.append(
            Row(f"activemask 0x{mask:08x}", ("u32",), ("u32",),
                f"{_members(mask)}mov.u32 %d, 7; @!%p7 bra AFTER; activemask.b32 %d;\nAFTER:\n"
                "bar.warp.sync -1;",
                expected=_per_warp(lambda a, m=mask: np.where(m >> _LANES & 1, m, 7).astype("u4")))
        )  # fmt: skip
    rows.append(
        Row("bar.warp.sync 0x0000ffff", ("u32",), ("u32",),
            "setp.lt.u32 %p0, %lane, 16; mov.u32 %d, 1; @%p0 bar.warp.sync 0x0000ffff; "
            "@%p0 add.u32 %d, %a, 1;",
            expected=_per_warp(lambda a: np.where(_LANES < 16, a + np.uint32(1), np.uint32(1))))
    )  # fmt: skip
    return rows


ROWS = [*_shuffles(), *_votes(), *_matches(), *_reductions(), *_lanes()]
