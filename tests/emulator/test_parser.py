"""PTX text to instructions."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.emulator

HEADER = ".version 8.5\n.target sm_90\n.address_size 64\n"


@pytest.fixture
def parse():
    from gpuarray._ffi.emulator.ptx import PTXModule

    return lambda text: PTXModule(HEADER + text)


def test_variables(parse):
    module = parse("""
.visible .global .align 4 .b8 table[12] = {1, 2, 0, 0, 5};
.const .align 8 .f64 c[2] = {0d3FF0000000000000, 0d4000000000000000};
.extern .shared .align 16 .b8 dynamic[];
.global .align 8 .u64 pointer = generic(table)+4;
.global .u32 grid[2][3];
""")
    table = module.variables["table"]
    assert (table.space, table.align, table.size) == ("global", 4, 12)
    assert module.variables["c"].size == 16
    dynamic = module.variables["dynamic"]
    assert (dynamic.extern, dynamic.space, dynamic.size) == (True, "shared", 0)
    assert module.variables["grid"].size == 24


def test_functions_and_parameters(parse):
    module = parse("""
.func (.param .b32 r) f(.param .b64 a, .param .align 8 .b8 s[24]);
.visible .entry k(
  .param .u64 .ptr .global .align 4 p, // a comment; with {braces}
  .param .align 16 .b8 v[32]
)
.maxntid 128, 2, 1
.minnctapersm 2
{ ret; }
.func (.param .b32 r) f(.param .b64 a, .param .align 8 .b8 s[24]) { ret; }
""")
    assert module.kernel_names == ["k"]
    kernel = module.function("k")
    assert [(p.name, p.size, p.align) for p in kernel.parameters] == [("p", 8, 8), ("v", 32, 16)]
    assert kernel.attributes[0] == ".maxntid"
    assert module.has_body("f")
    assert module.functions["f"].results[0].size == 4


def test_operands(parse):
    from gpuarray._ffi.emulator.ptx import syntax as s

    module = parse("""
.visible .entry k() {
  .reg .b32 %r<9>; .reg .pred %p<3>; .reg .f32 %f<3>; .reg .b64 %rd<2>, %SP;
  ld.global.L1::no_allocate.L2::128B.v4.u32 {%r1, %r2, _, %r4}, [%rd1+-16];
  @!%p1 add.f32 %f1, %f2, 0f3F800000;
  setp.lt.and.s32 %p1|%p2, %r1, -5, !%p2;
  mov.u32 %r1, %tid.x;
  mov.u64 %SP, name+8;
  bfe.u32 %r1, %r2, 0x10, 07;
$L_1:
  bra.uni $L_1;
}""")
    body = module.function("k").body
    load, add, setp, special, symbol, bfe, label, bra = body
    assert load.opcode.width == 4
    assert load.opcode.types == ("u32",)
    assert load.operands[0].items[2] == s.Discard()
    assert load.operands[1] == s.Address(s.Register("%rd1"), -16)
    assert add.guard == s.Register("%p1")
    assert add.negated
    assert add.operands[2] == s.Immediate("f32", 0x3F800000)
    assert setp.operands[0] == s.Pair(s.Register("%p1"), s.Register("%p2"))
    assert setp.operands[2] == s.Immediate("int", -5)
    assert setp.operands[3] == s.NegatedPredicate(s.Register("%p2"))
    assert special.operands[1] == s.SpecialRegister("tid.x")
    assert symbol.operands == (s.Register("%SP"), s.Identifier("name", 8))
    assert [o.value for o in bfe.operands[2:]] == [16, 7]
    assert label == s.CodeLabel("$L_1")
    assert bra.operands == (s.Identifier("$L_1"),)
    assert [i.line for i in body if isinstance(i, s.Instruction)] == [7, 8, 9, 10, 11, 12, 14]


def test_bodies_are_parsed_when_asked_for(parse):
    from gpuarray._ffi.emulator.ptx import PTXError

    module = parse(".visible .entry a() { ret; }\n.visible .entry b() { mov.u32 [;] }\n")
    assert module.kernel_names == ["a", "b"]
    assert len(module.function("a").body) == 1
    with pytest.raises(PTXError, match="line 5 of b"):
        module.function("b")


@pytest.mark.parametrize(
    "text, pattern",
    [
        ("this is no PTX", "line 1"),
        (HEADER + ".visible .entry k() { ret;", "unbalanced braces"),
        (HEADER + ".global .u32 x", "unfinished"),
        (HEADER.replace("64", "32"), "address_size"),
    ],
)
def test_nonsense_is_refused(text, pattern):
    from gpuarray._ffi.emulator.ptx import PTXError, PTXModule

    with pytest.raises(PTXError, match=pattern):
        PTXModule(text)


def test_debug_sections_are_skipped(nvrtc, device):
    source = 'extern "C" __global__ void k(int* a) { a[threadIdx.x] = 3; }'
    import numpy as np

    module = device.load(nvrtc.compile(source, "-lineinfo"))
    out = np.zeros(32, "i4")
    module.run("k", 1, 32, out)
    assert (out == 3).all()
