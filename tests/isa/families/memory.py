"""Loads and stores of all widths and vectors, in every state space; addresses and their spaces."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.isa.exact import lanewise
from tests.isa.rows import SLOT, TYPES, Row

_WIDTHS = (
    "u8",
    "s8",
    "b8",
    "u16",
    "s16",
    "b16",
    "u32",
    "s32",
    "b32",
    "u64",
    "s64",
    "b64",
    "f32",
    "f64",
)
_FILL = bytes(range(0xA0, 0xA0 + SLOT))


def _bits(type_: str) -> int:
    return int(type_[1:])


def _same(type_: str):
    return lanewise(lambda a: a, type_)


def _loads() -> list[Row]:
    rows: list[Row] = []
    for t in _WIDTHS:
        rows.append(
            Row(f"ld.global.{t}", (t,), (t,), f"ld.global.{t} %d, [%pa];", expected=_same(t))
        )
    for wide, t in product(
        ("b16", "b32", "b64"), ("u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32")
    ):
        if _bits(wide) <= _bits(t):
            continue
        rows.append(
            Row(f"ld.global.{t} into .{wide}", (wide,), (t,), f"ld.global.{t} %d, [%pa];",
                expected=_same(wide))
        )  # fmt: skip
    for operator in ("ca", "cg", "cs", "lu", "cv", "ca.nc", "volatile", "relaxed.gpu",
                     "acquire.gpu", "weak", "L1::evict_first", "L1::no_allocate", "L2::128B",
                     "relaxed.sys", "acquire.cta"):  # fmt: skip
        # The qualifiers of ordering come before the space, the others after it.
        ordering = operator.split(".")[0] in ("volatile", "relaxed", "acquire", "weak")
        form = f"ld.{operator}.global.u32" if ordering else f"ld.global.{operator}.u32"
        rows.append(Row(form, ("u32",), ("u32",), f"{form} %d, [%pa];", expected=_same("u32")))
    for t in ("u8", "s8", "u16", "u32", "f32", "u64", "f64"):
        form = f"ld.global.nc.{t}"
        rows.append(Row(form, (t,), (t,), f"{form} %d, [%pa];", expected=_same(t)))
    for operator in ("ca", "cg", "cs"):
        form = f"ld.global.{operator}.f32"
        rows.append(Row(form, ("f32",), ("f32",), f"{form} %d, [%pa];", expected=_same("f32")))
    rows.append(
        Row("ld.global.nc.v2.u32", ("u32", "u32"), ("u64",),
            "ld.global.nc.v2.u32 {%d, %d1}, [%pa];",
            expected=lanewise(lambda a: (a, a >> 32), "u32", "u32"))
    )  # fmt: skip
    for count, t in product((2, 4), ("u8", "s8", "u16", "s16", "u32", "b32", "f32", "u64", "f64")):
        if count * _bits(t) > 128:
            continue
        rows.append(_vector_load(count, t))
    rows.append(
        Row("ld.u32 generic, offsets", ("u32", "u32"), ("u64",),
            "ld.u32 %d, [%pa+4]; add.s64 %x1, %pa, 16; ld.u32 %d1, [%x1+-16];",
            expected=lanewise(lambda a: (a >> 32, a), "u32", "u32"))
    )  # fmt: skip
    return rows


def _vector_load(count: int, t: str) -> Row:
    """Elements of vectors from a word of the vector's size."""
    bits = count * _bits(t)
    carriers = {16: ("b16",), 32: ("b32",), 64: ("b64",), 128: ("b64", "b64")}[bits]
    results = ", ".join(f"%d{k or ''}" for k in range(count))
    if len(carriers) == 1:
        code = f"ld.global.v{count}.{t} {{{results}}}, [%pa];"
    else:  # two operands make 128 bits, in the scratch memory
        code = f"st.global.b64 [%s], %a; st.global.b64 [%s+8], %b; ld.global.v{count}.{t} {{{results}}}, [%s];"

    def elements(*values):
        whole = sum(v << 64 * k for k, v in enumerate(values))
        return tuple(whole >> _bits(t) * k & (1 << _bits(t)) - 1 for k in range(count))

    return Row(f"ld.global.v{count}.{t}", (t,) * count, carriers, code,
               expected=None if len(carriers) > 1 else lanewise(elements, *(t,) * count),
               scratch=_FILL if len(carriers) > 1 else b"")  # fmt: skip


def _stores() -> list[Row]:
    rows: list[Row] = []
    for t in _WIDTHS:
        rows.append(Row(f"st.global.{t}", (), (t,), f"st.global.{t} [%s+8], %a;", scratch=_FILL))
    for t, wide in product(("u8", "s8", "u16", "b32"), ("b16", "b32", "b64")):
        if _bits(wide) > _bits(t):
            rows.append(
                Row(f"st.global.{t} from .{wide}", (), (wide,), f"st.global.{t} [%s+4], %a;",
                    scratch=_FILL)
            )  # fmt: skip
    for operator in ("wb", "cg", "cs", "wt", "volatile", "relaxed.gpu", "release.gpu", "weak",
                     "L1::evict_last"):  # fmt: skip
        ordering = operator.split(".")[0] in ("volatile", "relaxed", "release", "weak")
        form = f"st.{operator}.global.u32" if ordering else f"st.global.{operator}.u32"
        rows.append(Row(form, (), ("u32",), f"{form} [%s], %a;", scratch=_FILL))
    for count, t in product((2, 4), ("u8", "u16", "u32", "f32", "u64", "f64")):
        if count * _bits(t) > 128:
            continue
        registers = ", ".join(f"%{name}" for name in "abce"[:count])
        rows.append(
            Row(f"st.global.v{count}.{t}", (), (t,) * count,
                f"st.global.v{count}.{t} [%s+16], {{{registers}}};", scratch=_FILL)
        )  # fmt: skip
    return rows


def _spaces() -> list[Row]:
    """The same value through shared, local and constant memory, and through generic addresses."""
    rows: list[Row] = []
    for t in ("u8", "s16", "u32", "f32", "b64", "f64"):
        size = np.dtype(TYPES[t][0]).itemsize
        # A neighbour's value, so that a barrier and the address count.
        shared = (
            f".shared .align 16 .b8 area[{128 * size}];\n"
            f"mov.u32 %r2, area; mad.lo.u32 %r3, %t, {size}, %r2; st.shared.{t} [%r3], %a; "
            f"bar.sync 0; xor.b32 %r4, %t, 37; mad.lo.u32 %r5, %r4, {size}, %r2; "
        )
        rows.append(Row(f"ld.shared.{t}", (t,), (t,), shared + f"ld.shared.{t} %d, [%r5];",
                        expected=_neighbour))  # fmt: skip
        rows.append(
            Row(f"ld.{t} of shared memory by cvta", (t,), (t,),
                shared + f"cvt.u64.u32 %x1, %r5; cvta.shared.u64 %x2, %x1; ld.{t} %d, [%x2];",
                expected=_neighbour)
        )  # fmt: skip
        rows.append(
            Row(f"ld.shared.{t} by cvta.to", (t,), (t,),
                shared + f"cvt.u64.u32 %x1, %r5; cvta.shared.u64 %x2, %x1; "
                f"cvta.to.shared.u64 %x3, %x2; ld.shared.{t} %d, [%x3];",
                expected=_neighbour)
        )  # fmt: skip
        local = (
            f".local .align 16 .b8 own[64];\nmov.u64 %x1, own; and.b32 %r2, %i, 3; "
            f"mul.wide.u32 %x2, %r2, {size}; add.s64 %x3, %x1, %x2; "
        )
        rows.append(
            Row(f"ld.local.{t}", (t,), (t,),
                local + f"st.local.{t} [%x3+8], %a; ld.local.{t} %d, [%x3+8];", expected=_same(t))
        )  # fmt: skip
        rows.append(
            Row(f"ld.{t} of local memory by cvta", (t,), (t,),
                local + f"cvta.local.u64 %x4, %x3; st.{t} [%x4], %a; ld.local.{t} %d, [%x3];",
                expected=_same(t))
        )  # fmt: skip
    for count, t in ((4, "f32"), (2, "u64"), (4, "u16")):
        values = ", ".join(f"%{n}" for n in "abce"[:count])
        results = ", ".join(f"%d{k or ''}" for k in range(count))
        for space, declared in (("shared", f"[{SLOT * 128}]"), ("local", f"[{SLOT}]")):
            place = f"mov.u64 %x1, area; mul.wide.u32 %x2, %t, {SLOT}; add.s64 %x3, %x1, %x2; "
            place = place if space == "shared" else "mov.u64 %x3, area; "
            rows.append(
                Row(f"ld.{space}.v{count}.{t}", (t,) * count, (t,) * count,
                    f".{space} .align 16 .b8 area{declared};\n{place}"
                    f"st.{space}.v{count}.{t} [%x3+16], {{{values}}}; "
                    f"ld.{space}.v{count}.{t} {{{results}}}, [%x3+16];",
                    expected=lambda *operands: list(operands))
            )  # fmt: skip
    for size, operator in ((4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")):
        # From global memory past the registers, in the order of scratch memory's slots.
        rows.append(
            Row(f"cp.async.{operator}.shared.global {size}", ("u64", "u64"), ("u64", "u64"),
                f".shared .align 16 .b8 area[{16 * 128}];\nst.global.b64 [%s], %a; "
                "st.global.b64 [%s+8], %b; mov.u32 %r2, area; mad.lo.u32 %r3, %t, 16, %r2; "
                "mov.b64 %x1, 0; st.shared.b64 [%r3], %x1; st.shared.b64 [%r3+8], %x1; "
                f"cp.async.{operator}.shared.global [%r3], [%s], {size}; cp.async.commit_group; "
                "cp.async.wait_group 0; ld.shared.b64 %d, [%r3]; ld.shared.b64 %d1, [%r3+8];",
                scratch=_FILL, expected=_copied(size))
        )  # fmt: skip
    for t in ("u32", "f64"):
        rows.append(
            Row(f"ld.volatile.shared.{t}", (t,), (t,),
                f".shared .align 8 .b8 area[1024];\nmov.u32 %r2, area; mad.lo.u32 %r3, %t, 8, %r2; "
                f"st.volatile.shared.{t} [%r3], %a; ld.volatile.shared.{t} %d, [%r3];",
                expected=_same(t))
        )  # fmt: skip
    table = [(k * 2654435761 + 12345) & 0xFFFFFFFF for k in range(64)]
    listed = ", ".join(map(str, table))
    pick = "and.b32 %r2, %a, 63; mul.wide.u32 %x2, %r2, 4; add.s64 %x3, %x1, %x2; "
    chosen = lanewise(lambda a: table[a & 63], "u32")
    for space in ("const", "global"):
        rows.append(
            Row(f"ld.{space}.u32 of a module's array", ("u32",), ("u32",),
                f"mov.u64 %x1, $_table; {pick}ld.{space}.u32 %d, [%x3];",
                prelude=f".{space} .align 4 .u32 $_table[64] = {{{listed}}};", expected=chosen)
        )  # fmt: skip
        rows.append(
            Row(f"cvta.{space}.u64", ("u32",), ("u32",),
                f"mov.u64 %x1, $_table; {pick}cvta.{space}.u64 %x4, %x3; ld.u32 %d, [%x4];",
                prelude=f".{space} .align 4 .u32 $_table[64] = {{{listed}}};", expected=chosen)
        )  # fmt: skip
    rows.append(
        Row("ld.param.u32", ("u32", "u32"), ("u32",),
            "ld.param.u32 %d, [pa]; ld.param.u64 %x1, [pa]; cvt.u32.u64 %r2, %x1; "
            "xor.b32 %d, %d, %r2; ld.param.u32 %d1, [pa+4]; shr.u64 %x1, %x1, 32; "
            "cvt.u32.u64 %r2, %x1; sub.u32 %d1, %d1, %r2;",
            expected=lanewise(lambda a: (0, 0), "u32", "u32"))
    )  # fmt: skip
    return rows


def _copied(size: int):
    """The first bytes of two words; zeros beyond."""
    mask = (1 << 8 * size) - 1

    def copied(a: int, b: int) -> tuple[int, int]:
        whole = (a | b << 64) & mask
        return whole, whole >> 64

    return lanewise(copied, "u64", "u64")


def _neighbour(values: np.ndarray) -> np.ndarray:
    """What thread ``t ^ 37`` of the block has."""
    lanes = np.arange(len(values))
    return values[lanes ^ 37]


def _addresses() -> list[Row]:
    rows: list[Row] = []
    makers = {
        "global": "mov.u64 %x1, %pa;",
        "shared": ".shared .b32 word[32];\nmov.u64 %x0, word; cvta.shared.u64 %x1, %x0;",
        "local": ".local .b32 own[4];\nmov.u64 %x0, own; cvta.local.u64 %x1, %x0;",
        "const": "mov.u64 %x0, $_c; cvta.const.u64 %x1, %x0;",
        "null": "mov.u64 %x1, 0;",
    }
    for asked, (given, code) in product(("global", "shared", "local", "const"), makers.items()):
        rows.append(
            Row(f"isspacep.{asked} of {given}", ("u32",), ("u32",),
                f"{code} isspacep.{asked} %p0, %x1; selp.u32 %d, 1, 0, %p0;",
                prelude=".const .align 4 .u32 $_c[4] = {1, 2, 3, 4};" if given == "const" else "",
                expected=None if given == "null" else
                lanewise(lambda a, same=asked == given: int(same), "u32"))
        )  # fmt: skip
    for t in ("b16", "b32", "b64", "f32", "f64"):
        rows.append(Row(f"mov.{t}", (t,), (t,), expected=_same(t)))
    rows.append(Row("mov.b32 from a pair", ("b32",), ("b16", "b16"), "mov.b32 %d, {%a, %b};",
                    expected=lanewise(lambda a, b: a | b << 16, "b32")))  # fmt: skip
    rows.append(Row("mov.b32 to a pair", ("b16", "b16"), ("b32",), "mov.b32 {%d, %d1}, %a;",
                    expected=lanewise(lambda a: (a, a >> 16), "b16", "b16")))  # fmt: skip
    rows.append(Row("mov.b64 from a pair", ("b64",), ("b32", "b32"), "mov.b64 %d, {%a, %b};",
                    expected=lanewise(lambda a, b: a | b << 32, "b64")))  # fmt: skip
    rows.append(Row("mov.b64 to a pair", ("b32", "b32"), ("b64",), "mov.b64 {%d, %d1}, %a;",
                    expected=lanewise(lambda a: (a, a >> 32), "b32", "b32")))  # fmt: skip
    quarters = lanewise(lambda a: tuple(a >> 16 * k for k in range(4)), *("b16",) * 4)
    rows.append(Row("mov.b64 to four", ("b16",) * 4, ("b64",), "mov.b64 {%d, %d1, %d2, %d3}, %a;",
                    expected=quarters))  # fmt: skip
    joined = lanewise(lambda a, b, c, e: a | b << 16 | c << 32 | e << 48, "b64")
    rows.append(Row("mov.b64 from four", ("b64",), ("b16",) * 4, "mov.b64 %d, {%a, %b, %c, %e};",
                    expected=joined))  # fmt: skip
    return rows


ROWS = [*_loads(), *_stores(), *_spaces(), *_addresses()]
