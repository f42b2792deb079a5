"""Branches, calls, predicates, loops, exits, barriers with a vote; special registers."""

from __future__ import annotations

import numpy as np

from tests.isa.exact import lanewise
from tests.isa.rows import BLOCK, LANES, Row

_SQUARE_PLUS = """\
.func (.reg .u32 result) $_square_plus (.reg .u32 x, .reg .u32 y)
{ mad.lo.u32 result, x, x, y; ret; }
"""
_PARAMETERS = """\
.func (.param .b32 result) $_{name} (.param .b32 x)
{{ .reg .u32 %v; ld.param.u32 %v, [x]; {body} st.param.b32 [result], %v; ret; }}
"""
_STRUCTURE = """\
.func (.param .align 8 .b8 result[16]) $_swap (.param .align 8 .b8 x[16])
{ .reg .b64 %v<2>; ld.param.b64 %v0, [x]; ld.param.b64 %v1, [x+8];
st.param.b64 [result], %v1; st.param.b64 [result+8], %v0; ret; }
"""
_FACTORIAL = """\
.func (.param .b32 result) $_down (.param .b32 n)
{ .reg .u32 %v<4>; .reg .pred %q; ld.param.u32 %v0, [n]; mov.u32 %v2, 1;
setp.eq.u32 %q, %v0, 0; @%q bra DONE; sub.u32 %v1, %v0, 1;
{ .param .b32 given; .param .b32 taken; st.param.b32 [given], %v1;
call.uni (taken), $_down, (given); ld.param.b32 %v2, [taken]; }
mul.lo.u32 %v2, %v2, %v0;
DONE: st.param.b32 [result], %v2; ret; }
"""
_CALL = (
    "{{ .param .b32 given; .param .b32 taken; st.param.b32 [given], %a; "
    "call (taken), {target}, (given){more}; ld.param.b32 %d, [taken]; }}"
)


def _u32(function):
    return lanewise(function, "u32")


def _branches() -> list[Row]:
    rows: list[Row] = []

    def add(name, code, expected, generators=(), outputs=("u32",), inputs=("u32",), **more):
        rows.append(
            Row(name, outputs, inputs, code, generators=generators, expected=expected, **more)
        )

    add("bra both ways", "setp.lt.s32 %p0, %a, 0; @%p0 bra LEFT; add.u32 %d, %a, 1; bra.uni END;\n"
        "LEFT:\nxor.b32 %d, %a, 0x55;\nEND:",
        _u32(lambda a: a ^ 0x55 if a >> 31 else a + 1))  # fmt: skip
    add("bra nested", "mov.u32 %d, 0; and.b32 %r2, %a, 1; setp.eq.u32 %p0, %r2, 0; @%p0 bra A0;\n"
        "and.b32 %r2, %a, 2; setp.eq.u32 %p1, %r2, 0; @%p1 bra B0; or.b32 %d, %d, 1; bra C;\n"
        "B0:\nor.b32 %d, %d, 2;\nC:\nor.b32 %d, %d, 4; bra END;\nA0:\n"
        "setp.gt.u32 %p2, %a, 100; @!%p2 bra END; or.b32 %d, %d, 8;\nEND:\nor.b32 %d, %d, 16;",
        _u32(lambda a: 16 | ((1 if a & 2 else 2) | 4 if a & 1 else 8 * (a > 100))),
        ("byte",))  # fmt: skip
    add("brx.idx", "and.b32 %r2, %a, 3; mov.u32 %d, 0;\n"
        "WAYS: .branchtargets W0, W1, W2, W3;\nbrx.idx %r2, WAYS;\n"
        "W0:\nmov.u32 %d, 100; bra END;\nW1:\nadd.u32 %d, %a, 7;\nW2:\nadd.u32 %d, %d, 11; bra END;\n"
        "W3:\nmul.lo.u32 %d, %a, %a;\nEND:",
        _u32(lambda a: (100, a + 18, 11, a * a)[a & 3]))  # fmt: skip
    add("loop of varying length", "and.b32 %r2, %a, 31; mov.u32 %d, 1;\nAGAIN:\n"
        "setp.eq.u32 %p0, %r2, 0; @%p0 bra END; mad.lo.u32 %d, %d, 3, %r2; sub.u32 %r2, %r2, 1; "
        "bra AGAIN;\nEND:", _u32(_loop))  # fmt: skip
    add("loop with two exits", "mov.u32 %r2, %a; mov.u32 %d, 0;\nAGAIN:\nadd.u32 %d, %d, 1; "
        "setp.eq.u32 %p0, %d, 40; @%p0 bra END; and.b32 %r3, %r2, 1; setp.ne.u32 %p1, %r3, 0; "
        "@%p1 bra ODD; shr.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra AGAIN; bra END;\n"
        "ODD:\nmad.lo.u32 %r2, %r2, 3, 1; setp.ne.u32 %p3, %r2, 4; @%p3 bra AGAIN;\nEND:",
        _u32(_collatz), ("byte",))  # fmt: skip
    add("nested loops", "and.b32 %r2, %a, 7; mov.u32 %d, 0; mov.u32 %r3, 0;\nOUTER:\n"
        "setp.ge.u32 %p0, %r3, %r2; @%p0 bra END; mov.u32 %r4, 0;\nINNER:\n"
        "mad.lo.u32 %d, %r3, %r4, %d; add.u32 %d, %d, 1; add.u32 %r4, %r4, 1; "
        "setp.le.u32 %p1, %r4, %r3; @%p1 bra INNER; add.u32 %r3, %r3, 1; bra OUTER;\nEND:",
        _u32(lambda a: sum(j * k + 1 for j in range(a & 7) for k in range(j + 1))))  # fmt: skip
    for how in ("ret", "exit"):
        add(f"{how} of some lanes", f"and.b32 %r2, %a, 3; setp.eq.u32 %p0, %r2, 0; @%p0 {how}; "
            "add.u32 %d, %a, 5;",
            _u32(lambda a: a + 5 if a & 3 else 0))  # fmt: skip
    add("exit within a loop", "and.b32 %r2, %a, 15; mov.u32 %d, 0;\nAGAIN:\nadd.u32 %d, %d, 1; "
        "setp.eq.u32 %p0, %d, 9; @%p0 exit; setp.lt.u32 %p1, %d, %r2; @%p1 bra AGAIN;",
        _u32(lambda a: max(a & 15, 1) if (a & 15) < 9 else 0))  # fmt: skip
    add("barrier after some lanes left", "setp.gt.u32 %p0, %t, 99; @%p0 exit; bar.sync 0; "
        "add.u32 %d, %a, 1;",
        lambda a: np.where(np.arange(LANES) % BLOCK <= 99, a + np.uint32(1), np.uint32(0)))  # fmt: skip
    add("predicated instructions", "setp.ne.u32 %p0, %a, 0; mov.u32 %d, 3; @%p0 mov.u32 %d, %b; "
        "@!%p0 add.u32 %d, %d, %b;",
        _u32(lambda a, b: b if a else b + 3), ("bit", "any"), inputs=("u32", "u32"))  # fmt: skip
    add("predicated load and store", "mov.u32 %d, 9; setp.ne.u32 %p0, %b, 0; "
        "@%p0 ld.global.u32 %d, [%pa]; @!%p0 st.global.u32 [%s], %a;",
        None, ("any", "bit"), inputs=("u32", "u32"), scratch=bytes(64))  # fmt: skip
    return rows


def _loop(a: int) -> int:
    total = 1
    for k in range(a & 31, 0, -1):
        total = total * 3 + k
    return total


def _collatz(a: int) -> int:
    steps = 0
    while True:
        steps += 1
        if steps == 40:
            return steps
        if a & 1:
            a = (a * 3 + 1) & 0xFFFFFFFF
            if a == 4:
                return steps
        else:
            a >>= 1
            if not a:
                return steps


def _calls() -> list[Row]:
    rows: list[Row] = []
    two = _PARAMETERS.format(name="twice", body="shl.b32 %v, %v, 1;")
    two += _PARAMETERS.format(name="plus", body="add.u32 %v, %v, 77;")
    rows.append(
        Row("call with registers", ("u32",), ("u32", "u32"), "call (%d), $_square_plus, (%a, %b);",
            prelude=_SQUARE_PLUS, expected=_u32(lambda a, b: a * a + b))
    )  # fmt: skip
    rows.append(
        Row("call with parameters", ("u32",), ("u32",), _CALL.format(target="$_plus", more=""),
            prelude=two, expected=_u32(lambda a: a + 77))
    )  # fmt: skip
    rows.append(
        Row("call under a predicate", ("u32",), ("u32", "u32"),
            "mov.u32 %d, 5; setp.eq.u32 %p0, %b, 0; @%p0 bra END; "
            + _CALL.format(target="$_plus", more="") + "\nEND:",
            prelude=two, generators=("any", "bit"), expected=_u32(lambda a, b: a + 77 if b else 5))
    )  # fmt: skip
    prototype = "SHAPE: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    choose = (
        "mov.u64 %x1, $_twice; mov.u64 %x2, $_plus; setp.ne.u32 %p0, %b, 0; "
        "selp.b64 %x3, %x1, %x2, %p0; "
    )
    rows.append(
        Row("call indirect", ("u32",), ("u32", "u32"),
            choose + prototype + _CALL.format(target="%x3", more=", SHAPE"),
            prelude=two, generators=("any", "bit"), expected=_u32(lambda a, b: 2 * a if b else a + 77))
    )  # fmt: skip
    rows.append(
        Row("call by value of a structure", ("u64", "u64"), ("u64", "u64"),
            "{ .param .align 8 .b8 given[16]; .param .align 8 .b8 taken[16]; "
            "st.param.b64 [given], %a; st.param.b64 [given+8], %b; call (taken), $_swap, (given); "
            "ld.param.b64 %d, [taken]; ld.param.b64 %d1, [taken+8]; }",
            prelude=_STRUCTURE, expected=lambda a, b: [b, a])
    )  # fmt: skip
    rows.append(
        Row("call recursive", ("u32",), ("u32",),
            "and.b32 %a, %a, 15; " + _CALL.format(target="$_down", more=""),
            prelude=_FACTORIAL, expected=_u32(_factorial))
    )  # fmt: skip
    return rows


def _factorial(a: int) -> int:
    import math

    return math.factorial(a & 15)


def _barriers() -> list[Row]:
    rows: list[Row] = []
    for how in ("popc.u32", "and.pred", "or.pred"):

        def voted(a, how=how):
            blocks = (a != 0).reshape(-1, BLOCK)
            found = {"popc.u32": blocks.sum(1), "and.pred": blocks.all(1), "or.pred": blocks.any(1)}
            return found[how].astype("u4").repeat(BLOCK)

        take = "" if how == "popc.u32" else "selp.u32 %d, 1, 0, %p1;"
        target = "%d" if how == "popc.u32" else "%p1"
        for generator in ("bit", "any"):
            rows.append(
                Row(f"barrier.red.{how} {generator}", ("u32",), ("u32",),
                    f"setp.ne.u32 %p0, %a, 0; barrier.cta.red.{how} {target}, 1, %p0; {take}",
                    generators=(generator,), expected=voted)
            )  # fmt: skip
            rows.append(
                Row(f"bar.red.{how} {generator}", ("u32",), ("u32",),
                    f"setp.ne.u32 %p0, %a, 0; bar.red.{how} {target}, 0, {BLOCK}, %p0; {take}",
                    generators=(generator,), expected=voted)
            )  # fmt: skip
    rows.append(
        Row("bar.arrive and bar.sync", ("u32",), ("u32",),
            ".shared .u32 words[64];\nmov.u32 %d, 0; mov.u32 %r2, words; setp.lt.u32 %p0, %t, 64; "
            "@!%p0 bra TAKE; mad.lo.u32 %r3, %t, 4, %r2; st.shared.u32 [%r3], %a; "
            f"bar.arrive 3, {BLOCK}; bra END;\nTAKE:\nbar.sync 3, {BLOCK}; sub.u32 %r4, {BLOCK - 1}, %t; "
            "mad.lo.u32 %r3, %r4, 4, %r2; ld.shared.u32 %d, [%r3];\nEND:",
            expected=_handed_over)
    )  # fmt: skip
    rows.append(
        Row("bar.sync of half a block", ("u32",), ("u32",),
            "setp.lt.u32 %p0, %t, 64; mov.u32 %d, 1; @!%p0 bra END; bar.sync 2, 64; "
            "add.u32 %d, %a, 2;\nEND:",
            expected=lambda a: np.where(np.arange(LANES) % BLOCK < 64, a + np.uint32(2), np.uint32(1)))
    )  # fmt: skip
    return rows


def _handed_over(a):
    blocks = a.reshape(-1, BLOCK)
    given = np.zeros_like(blocks)
    given[:, 64:] = blocks[:, 63::-1]
    return given.reshape(-1)


def _special_registers() -> list[Row]:
    lanes = np.arange(LANES)
    within, lane = lanes % BLOCK, lanes % 32
    known = {
        "tid.x": within, "tid.y": 0, "tid.z": 0, "ntid.x": BLOCK, "ntid.y": 1, "ntid.z": 1,
        "ctaid.x": lanes // BLOCK, "ctaid.y": 0, "ctaid.z": 0, "nctaid.x": LANES // BLOCK,
        "nctaid.y": 1, "nctaid.z": 1, "laneid": lane,
        "lanemask_eq": 1 << lane, "lanemask_lt": (1 << lane) - 1,
        "lanemask_le": (2 << lane) - 1, "lanemask_gt": (1 << 32) - (2 << lane),
        "lanemask_ge": (1 << 32) - (1 << lane), "dynamic_smem_size": 0,
        "clusterid.x": lanes // BLOCK, "nclusterid.x": LANES // BLOCK, "cluster_ctaid.x": 0,
        "cluster_nctaid.x": 1, "cluster_ctarank": 0, "cluster_nctarank": 1,
        "is_explicit_cluster": None, "total_smem_size": None, "reserved_smem_offset_begin": None,
        "aggr_smem_size": None, "reserved_smem_offset_cap": None, "reserved_smem_offset_end": None,
        "nwarpid": None,
    }  # fmt: skip
    rows: list[Row] = []
    for name, value in known.items():
        full = None if value is None else (np.zeros(LANES, "i8") + value).astype("u4")
        code = f"mov.u32 %d, %{name};"
        if name == "is_explicit_cluster":
            code = "mov.pred %p0, %is_explicit_cluster; selp.u32 %d, 1, 0, %p0;"
        rows.append(
            Row(f"mov.u32 %{name}", ("u32",), ("u32",), code,
                expected=None if full is None else (lambda a, full=full: full))
        )  # fmt: skip
    for name in ("total_smem_size", "aggr_smem_size"):
        rows.append(
            Row(f"mov.u32 %{name} with 400 bytes", ("u32",), ("u32",),
                ".shared .align 4 .b8 words[400];\nst.shared.u32 [words], %a; bar.sync 0; "
                f"ld.shared.u32 %r2, [words+4]; mov.u32 %d, %{name};")
        )  # fmt: skip
    rows.append(Row("mov.u32 WARP_SZ", ("u32",), ("u32",), "mov.u32 %d, WARP_SZ;",
                    expected=_u32(lambda a: 32)))  # fmt: skip
    yes = _u32(lambda a: 1)
    for name, type_ in (("clock", "u32"), ("clock64", "u64"), ("globaltimer", "u64")):
        r, s = ("%r2", "%r3") if type_ == "u32" else ("%x1", "%x2")
        # A 32-bit clock may wrap: the difference is small and not negative.
        least = (
            "setp.lt.u32 %p0, %r4, 0x40000000;" if type_ == "u32" else "setp.ge.s64 %p0, %x3, 0;"
        )
        difference = "sub.u32 %r4, %r3, %r2;" if type_ == "u32" else "sub.s64 %x3, %x2, %x1;"
        rows.append(
            Row(f"mov.{type_} %{name} goes on", ("u32",), ("u32",),
                f"mov.{type_} {r}, %{name}; bar.sync 0; mov.{type_} {s}, %{name}; {difference} "
                f"{least} selp.u32 %d, 1, 0, %p0;", expected=yes)
        )  # fmt: skip
    rows.append(
        Row("mov.u32 %smid below %nsmid", ("u32",), ("u32",),
            "mov.u32 %r2, %smid; mov.u32 %r3, %nsmid; setp.lt.u32 %p0, %r2, %r3; "
            "selp.u32 %d, 1, 0, %p0;", expected=yes)
    )  # fmt: skip
    rows.append(
        Row("nanosleep.u32", ("u32",), ("u32",), "nanosleep.u32 20; mov.u32 %d, %a;",
            expected=_u32(lambda a: a))
    )  # fmt: skip
    for fence in ("membar.cta", "membar.gl", "membar.sys", "fence.sc.gpu", "fence.acq_rel.cta",
                  "fence.proxy.alias"):  # fmt: skip
        rows.append(Row(fence, ("u32",), ("u32",), f"{fence}; mov.u32 %d, %a;",
                        expected=_u32(lambda a: a)))  # fmt: skip
    return rows


ROWS = [*_branches(), *_calls(), *_barriers(), *_special_registers()]
