"""What the emulated driver says of PTX when it loads a module, as a JIT compiler would."""

import numpy as np
import pytest

from gpuarray.errors import DriverError
from tests.ffi.emulated import Emulated, fails

pytestmark = pytest.mark.emulator

TEXT = """.version 8.4
.target sm_90
.address_size 64
.visible .entry store(.param .u64 a, .param .u32 value) {
  .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>; .reg .f32 %f<9>; .reg .b128 %q<3>;
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [value];
  setp.eq.s32 %p1, %r1, 0;
  @%p1 bra $END;
  BODY
  st.global.u32 [%rd1], %r1;
$END:
  ret;
}
"""
LINE = 1 + TEXT[: TEXT.index("BODY")].count("\n")


def line_of(body):
    """The line at fault: without a ';' where the next statement begins."""
    return LINE + (body in ("ret", "mov.u32 %r2, 5"))


def load(text):
    return Emulated(1).load(text.encode(), "store")


REFUSED = [
    ("foo.s32 %r2, %r1;", "PTX has no instruction foo"),
    ("add.s32 %r2, %r1, 1; frob %r2;", "PTX has no instruction frob"),
    ("@%p1 adds.s32 %r2, %r1, 1;", "PTX has no instruction adds"),
    ("add.fast.s32 %r2, %r1, 1;", "PTX has no modifier .fast"),
    ("ld.global.u33 %r2, [%rd1];", "PTX has no modifier .u33"),
    ("ld.global.L3::128B.u32 %r2, [%rd1];", "PTX has no modifier .L3::128B"),
    ("ret", "expected"),
    ("mov.u32 %r2, 5", "expected"),
    ("mov.u32 %r2 5;", "expected ',' or ';' before '5'"),
    ("mov.u32 %r2, %r77;", "the register %r77 is not declared"),
    ("mov.u32 %r2, %tidy.x;", "the register %tidy.x is not declared"),
    ("mov.u32 %r2, ];", "found ']'"),
    ("mov.u32 %r2, -%r1;", "line"),
    ("mov.u32 %r2, %r2x;", "the register %r2x is not declared"),
    ("mov.u32 %r2, 0y7;", "before 'y7'"),
    ("bra $NOWHERE;", "a branch to a label that is nowhere"),
    ("bra;", "a branch to a label that is nowhere"),
    (".reg .b7 %x;", "unknown register type .b7"),
]


@pytest.mark.parametrize("body, what", REFUSED)
def test_what_is_no_ptx_is_refused_when_it_is_loaded(body, what):
    error = fails("CUDA_ERROR_INVALID_PTX", load, TEXT.replace("BODY", body))
    line = line_of(body)
    assert f"line {line} of store: " in error.detail
    assert what in error.detail
    text = body if line == LINE else "st.global.u32 [%rd1], %r1;"
    assert error.detail.endswith(text)  # the line itself
    assert "report this" not in error.detail


def test_a_statement_without_an_end():
    error = fails("CUDA_ERROR_INVALID_PTX", load, TEXT.replace("BODY", "").replace("ret;", "ret"))
    assert "line 13 of store: a statement without its ';': ret" in error.detail


def test_functions_that_are_not_kernels_are_looked_at_too():
    text = TEXT.replace("BODY", "").replace(".visible", ".func f() { foo; ret; }\n.visible")
    assert "of f: PTX has no instruction foo" in fails("CUDA_ERROR_INVALID_PTX", load, text).detail


def test_the_log_of_a_failed_load(context):
    from gpuarray._ffi import driver

    with pytest.raises(DriverError) as raised:
        driver.module_load_data(TEXT.replace("BODY", "foo %r1;").encode())
    assert raised.value.status_name == "CUDA_ERROR_INVALID_PTX"
    assert str(raised.value).count("PTX has no instruction foo") == 1
    driver.module_unload(driver.module_load_data(TEXT.replace("BODY", "").encode()))


#: PTX that the emulator does not run; the examples' forms are those of the PTX manual.
NOT_RUN = {
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32": (
        "{%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4}"
    ),
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16": (
        "{%f1,%f2,%f3,%f4}, %rd1, %rd2, %p1, 1, -1, 0, 1"
    ),
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16": (
        "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], 16"
    ),
    "ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16": "{%r1,%r2}, [%rd1]",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes": (
        "[%rd1], [%rd2, {%r1, %r2}], [%rd3]"
    ),
    "mbarrier.arrive.expect_tx.shared::cta.b64": "%rd2, [%rd1], %r1",
    "tex.cube.v4.f32.f32": "{%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6,%f7,%f7}]",
    "sust.p.1d.v2.b32.trap": "[%rd1, {%r1}], {%r2,%r3}",
    "sured.b.add.1d.u32.trap": "[%rd1, {%r1}], %r2",
    "tcgen05.ld.sync.aligned.32x32b.x2.b32": "{%r1,%r2}, [%r3]",
    "multimem.ld_reduce.relaxed.sys.global.add.u32": "%r2, [%rd1]",
    "vadd.s32.u32.s32.sat": "%r2, %r1.b0, %r3.h1",
    "tensormap.replace.tile.rank.shared::cta.b1024.b32": "[%rd1], 3",
    "atom.global.exch.b128": "%q1, [%rd1], %q2",
    "mov.b128": "%q1, {%rd1, %rd2}",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32": "[%rd1], %r1, [%rd2]",
}


def assembled(body):
    """The kernel by NVIDIA's assembler, which nvJitLink has, for the target with most words."""
    from gpuarray.cuda import compiler

    text = TEXT.replace("BODY", body).replace("sm_90", "sm_90a").encode()
    return compiler.link([text], name="store", architecture="sm_90a", kind="cubin")


@pytest.mark.parametrize("body", [body for body, _ in REFUSED])
def test_the_assembler_refuses_the_same(body):
    from gpuarray.errors import LinkError

    with pytest.raises(LinkError) as raised:
        assembled(body)
    if body != "bra;":  # which it takes to go on over the line's end
        assert f"line {line_of(body)};" in raised.value.log


@pytest.mark.parametrize("name", NOT_RUN)
def test_the_assembler_takes_what_is_not_run(name):
    if name.startswith("tcgen05"):
        pytest.skip("for devices of another architecture (sm_100a)")
    assembled(f"{name} {NOT_RUN[name]};")


@pytest.mark.parametrize("name", NOT_RUN)
def test_ptx_that_is_not_emulated_fails_when_it_is_reached(name):
    emulated = Emulated(1)
    body = f"{name} {NOT_RUN[name]};"
    _, function = emulated.load(TEXT.replace("BODY", body).encode(), "store")
    pointer = emulated.calls.mem_alloc(16)
    emulated.store(function, pointer, 0)
    text = fails("CUDA_ERROR_NOT_SUPPORTED", emulated.store, function, pointer, 1).detail
    assert f"the emulator does not have {name}" in text
    assert f"PTX line {LINE}" in text
    emulated.store(function, pointer, 0)  # no fault: the device goes on


def test_words_of_plain_instructions():
    """Common words in places that compilers do not put them into every day."""
    body = """
    ld.global.relaxed.gpu.L1::no_allocate.L2::128B.u32 %r2, [%rd1];
    ld.weak.global.v2.u32 {%r2, %r3}, [%rd1 + 8];
    prefetch.global.L2::evict_last [%rd1];
    prefetchu.L1 [%rd1];
    discard.global.L2 [%rd1], 128;
    mov.u32 %r2, %envreg3; mov.u32 %r2, %pm0; mov.u64 %rd2, %pm1_64; mov.u32 %r2, WARP_SZ;
    fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
    griddepcontrol.launch_dependents;
    setmaxnreg.inc.sync.aligned.u32 40;
    add.rn.f32 %f1, %f2, 0f3F800000; fma.rn.ftz.sat.f32 %f1, %f2, %f3, 1.0;
    min.NaN.xorsign.abs.f32 %f1, %f2, %f3;
    @!%p1 barrier.sync.aligned 0, 32;
    { .reg .b32 t; mov.b32 t, %r1; mov.b32 %r2, t; }
    """
    load(TEXT.replace("BODY", body))
    assembled(body)


def test_nothing_is_kept_of_a_refused_module():
    emulated = Emulated(1)
    free = emulated.calls.mem_get_info()[0]
    bad = ".global .b8 room[1000];\n" + TEXT[TEXT.index(".visible") :].replace("BODY", "foo;")
    text = TEXT[: TEXT.index(".visible")] + bad
    fails("CUDA_ERROR_INVALID_PTX", emulated.load, text.encode(), "store")
    assert emulated.calls.mem_get_info()[0] == free
    _, function = emulated.load(TEXT.replace("BODY", "").encode(), "store")
    pointer = emulated.calls.mem_alloc(16)
    emulated.store(function, pointer, 3)
    assert emulated.fetch(pointer, 1) == np.int32([3]).tolist()


@pytest.mark.parametrize(("nbytes", "fits"), [(49152, True), (49156, False)])
def test_declared_shared_memory_ends_at_48_kilobytes(nbytes, fits):
    body = f".shared .align 4 .b8 room[{nbytes}]; mov.u32 %r1, room; st.shared.u32 [%r1], 1;"
    if fits:
        load(TEXT.replace("BODY", body))
    else:
        text = fails("CUDA_ERROR_INVALID_PTX", load, TEXT.replace("BODY", body)).detail
        assert "uses too much shared data (0xc004 bytes, 0xc000 max)" in text


#: Declarations, an instruction that uses one, and what is undefined.
UNDEFINED = [
    (".extern .func missing();", "call missing, ();", "function 'missing'"),
    (".extern .func missing();", "mov.u64 %rd2, missing;", "function 'missing'"),
    (".extern .global .b32 room;", "st.global.u32 [room], %r1;", "variable 'room'"),
    (".extern .const .b32 room;", "ld.const.u32 %r1, [room+0];", "variable 'room'"),
    (
        ".extern .func missing();\n.visible .global .u64 table[1] = {missing};",
        "ld.global.u64 %rd2, [table];",
        "function 'missing'",
    ),
]


def declaring(declarations, body):
    at = TEXT.index(".visible")
    return f"{TEXT[:at]}{declarations}\n{TEXT[at:].replace('BODY', body)}"


@pytest.mark.parametrize(("declarations", "body", "what"), UNDEFINED)
def test_what_nothing_defines_is_refused_when_the_module_is_loaded(declarations, body, what):
    from gpuarray.cuda import compiler
    from gpuarray.errors import LinkError

    text = declaring(declarations, body)
    with pytest.raises(LinkError):  # by NVIDIA's assembler and linker
        compiler.link([text.encode()], name="store", architecture="sm_90", kind="cubin")
    emulated = Emulated(1)
    error = fails("CUDA_ERROR_INVALID_PTX", emulated.load, text.encode(), "store")
    assert error.detail.startswith(f"Unresolved extern {what} (")
    _, function = emulated.load(TEXT.replace("BODY", "").encode(), "store")
    pointer = emulated.calls.mem_alloc(16)
    emulated.store(function, pointer, 3)  # the device goes on
    assert emulated.fetch(pointer, 1) == [3]


@pytest.mark.parametrize(("declarations", "body", "what"), UNDEFINED)
def test_a_declaration_that_is_not_used_does_no_harm(declarations, body, what):
    load(declaring(declarations.partition("\n")[0], ""))


def test_a_declaration_before_the_definition():
    text = ".extern .func later();\n.func later() { ret; }"
    load(declaring(text, "call later, ();"))
    load(declaring(".visible .global .b32 room = 4;\n.extern .global .b32 room;", "")
         .replace("ret;", "st.global.u32 [room], %r1; ret;"))  # fmt: skip
