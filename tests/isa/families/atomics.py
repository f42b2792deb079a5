"""atom and red: every operation, type and space.

Results are compared where each thread has a word of its own. Where threads share one, the order
is free and what memory holds in the end is compared, with sums of what the threads found.
"""

from __future__ import annotations

from itertools import product

from tests.isa.exact import float_rows, lanewise
from tests.isa.rows import BLOCK, LANES, SLOT, TYPES, Row

_FORMS = (
    *(("add", t) for t in ("u32", "s32", "u64", "f32", "f64")),
    *(("add.noftz", t) for t in ("f16", "f16x2", "bf16", "bf16x2")),
    *((o, t) for o in ("min", "max") for t in ("u32", "s32", "u64", "s64")),
    *((o, t) for o in ("and", "or", "xor") for t in ("b32", "b64")),
    ("inc", "u32"), ("dec", "u32"),
    ("exch", "b32"), ("exch", "b64"),
    ("cas", "b16"), ("cas", "b32"), ("cas", "b64"),
)  # fmt: skip
_UNLIKE_SINGLE = frozenset(("exch", "cas"))  # forms that red does not have


def _result(operation: str, type_: str):
    """f(old, value[, new]) -> new."""
    functions = {
        "add": lambda old, x: old + x, "min": min, "max": max, "and": lambda old, x: old & x,
        "or": lambda old, x: old | x, "xor": lambda old, x: old ^ x, "exch": lambda old, x: x,
        "inc": lambda old, x: 0 if old >= x else old + 1,
        "dec": lambda old, x: x if old == 0 or old > x else old - 1,
        "cas": lambda old, x, new: new if old == x else old,
    }  # fmt: skip
    return functions[operation]


def _expected(operation: str, type_: str, also_old: bool):
    name = operation.split(".")[0]
    if "f" in type_:
        return _float_sum(type_, also_old)

    def both(a, *values):
        new = _result(name, type_)(a, *values)
        return (a, new) if also_old else new

    return lanewise(both, *(type_,) * (2 if also_old else 1))


def _float_sum(type_: str, also_old: bool):
    if type_ == "f32":
        return None  # whether subnormals are flushed depends on the space: the recording tells
    total = float_rows("add", type_)
    return (lambda a, b: [a, total(a, b)]) if also_old else total


def _own_words() -> list[Row]:
    """Each thread has its own word, in the scratch memory or in shared memory."""
    rows: list[Row] = []
    for (operation, t), space in product(_FORMS, ("global", "shared", "", "of shared")):
        size = max(2, int("".join(c for c in t.split("x")[0] if c.isdigit())) // 8)
        size = 4 if t.endswith("x2") else size
        form = f"{space}." if space in ("global", "shared") else ""
        if "shared" in space:
            place = (
                f".shared .align 8 .b8 words[{8 * BLOCK}];\n"
                "mov.u64 %x1, words; mul.wide.u32 %x2, %t, 8; add.s64 %x3, %x1, %x2; "
            )
            if space == "of shared":
                place += "cvta.shared.u64 %x3, %x3; "
        else:
            place = "mov.u64 %x3, %s; "
        store = f"{space}." if space == "shared" else ""
        access = TYPES[t][2]
        values = "%b, %c" if operation == "cas" else "%b"
        read = f"ld.{store}{access} %d1, [%x3];"
        remark = f" {space}" if space == "of shared" else " generic" if not space else ""
        operands = (t,) * (3 if operation == "cas" else 2)
        generators = ("equal", "equal", "any") if operation == "cas" else ()
        start = f"{place}st.{store}{access} [%x3], %a; "
        rows.append(
            Row(f"atom.{form}{operation}.{t}{remark}", (t, t), operands,
                f"{start}atom.{form}{operation}.{t} %d, [%x3], {values}; {read}",
                generators=generators, scratch=bytes(SLOT) if "shared" not in space else b"",
                expected=_expected(operation, t, also_old=True))
        )  # fmt: skip
        if operation in _UNLIKE_SINGLE or size < 2:
            continue
        rows.append(
            Row(f"red.{form}{operation}.{t}{remark}", (t,), operands,
                f"{start}red.{form}{operation}.{t} [%x3], {values}; "
                f"{read.replace('%d1', '%d')}",
                scratch=bytes(SLOT) if "shared" not in space else b"",
                expected=_expected(operation, t, also_old=False))
        )  # fmt: skip
    for order, scope in product(
        ("relaxed", "acquire", "release", "acq_rel"), ("cta", "gpu", "sys")
    ):
        rows.append(
            Row(f"atom.{order}.{scope}.global.add.u32", ("u32", "u32"), ("u32", "u32"),
                f"st.global.u32 [%s], %a; atom.{order}.{scope}.global.add.u32 %d, [%s], %b; "
                "ld.global.u32 %d1, [%s];",
                scratch=bytes(SLOT), expected=_expected("add", "u32", also_old=True))
        )  # fmt: skip
    for count, t in ((2, "f32"), (4, "f32")):
        registers = ", ".join(f"%{n}" for n in "abce"[:count])
        found = ", ".join(f"%d{k or ''}" for k in range(count))
        rows.append(
            Row(f"atom.global.v{count}.f32.add", (t,) * count, (t,) * count,
                f"atom.global.v{count}.f32.add {{{found}}}, [%s], {{{registers}}};",
                scratch=bytes(SLOT))
        )  # fmt: skip
    return rows


def _shared_words() -> list[Row]:
    """All threads of the grid, or of a block, on one word."""
    rows: list[Row] = []
    shared = (
        ".shared .align 8 .b64 word;\nsetp.eq.u32 %p0, %t, 0; @%p0 st.shared.b64 [word], {start}; "
        "bar.sync 0; "
    )
    for operation, t in _FORMS:
        if "f" in t or operation in _UNLIKE_SINGLE:
            continue
        # The order of turns shows in what inc and dec leave, unless all have the same limit.
        value = {"inc": "1000", "dec": "0x7fffffff"}.get(operation, "%a")
        rows.append(
            Row(f"red.global.{operation}.{t} by all", (), (t,),
                f"red.global.{operation}.{t} [%sb], {value};", scratch=bytes([0x5A] * SLOT))
        )  # fmt: skip
        rows.append(
            Row(f"red.shared.{operation}.{t} by a block", (t,), (t,),
                shared.replace("{start}", "0x123456789abc") +
                f"red.shared.{operation}.{t} [word], {value}; bar.sync 0; "
                f"ld.shared.{TYPES[t][2]} %d, [word];")
        )  # fmt: skip
    # What n threads found, counting from 0, sums to n (n - 1) / 2.
    triangle = lanewise(lambda a: (BLOCK, BLOCK * (BLOCK - 1) // 2), "u32", "u32")
    for operation, value in (("add", "1"), ("inc", "0xffffffff")):
        rows.append(
            Row(f"atom.shared.{operation}.u32 finds every number once", ("u32", "u32"), ("u32",),
                ".shared .u32 count;\n.shared .u32 total;\nsetp.eq.u32 %p0, %t, 0; "
                "@%p0 st.shared.u32 [count], 0; @%p0 st.shared.u32 [total], 0; bar.sync 0; "
                f"atom.shared.{operation}.u32 %r2, [count], {value}; "
                "red.shared.add.u32 [total], %r2; bar.sync 0; "
                "ld.shared.u32 %d, [count]; ld.shared.u32 %d1, [total];",
                expected=triangle)
        )  # fmt: skip
    rows.append(
        Row("atom.shared.cas.b32 loop adds", ("u32",), ("u32",),
            shared.replace("{start}", "0") + "ld.shared.u32 %r2, [word];\nAGAIN:\n"
            "mov.u32 %r3, %r2; add.u32 %r4, %r3, %a; atom.shared.cas.b32 %r2, [word], %r3, %r4; "
            "setp.ne.u32 %p1, %r2, %r3; @%p1 bra AGAIN; bar.sync 0; ld.shared.u32 %d, [word];",
            expected=_block_sums)
    )  # fmt: skip
    rows.append(
        Row("atom.global.exch.b32 keeps every value", ("u32",), ("u32",),
            "atom.global.exch.b32 %r2, [%sb], %i; red.global.add.u32 [%sb+4], %r2; mov.u32 %d, 0;"
            "membar.gl; atom.global.add.u32 %r3, [%sb+8], 1; "
            f"setp.ne.u32 %p0, %r3, {LANES - 1}; @%p0 bra AFTER; "
            "atom.global.exch.b32 %r2, [%sb], 0; red.global.add.u32 [%sb+4], %r2;\nAFTER:",
            scratch=bytes(SLOT))
    )  # fmt: skip
    return rows


def _block_sums(values):
    sums = values.reshape(-1, BLOCK).sum(1, dtype="u4")
    return sums.repeat(BLOCK)


ROWS = [*_own_words(), *_shared_words()]
