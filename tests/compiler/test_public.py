"""gpuarray.cuda.compiler: compiling and linking."""

from __future__ import annotations

import numpy as np
import pytest

from gpuarray.cuda import compiler
from gpuarray.errors import CompileError, DriverError
from gpuarray.kernels.compiler import images

SOURCE = 'extern "C" __global__ void f(int* x) { *x = VALUE; }'
SQUARE = "__device__ int square(int x) { return x * x; }"
CALLER = """
__device__ int square(int);
extern "C" __global__ void f(int* x) { x[threadIdx.x] = square(x[threadIdx.x]); }
template <class T> __global__ void twice(T* x) { *x = *x + *x; }
"""


def test_kinds():
    ptx = compiler.compile(SOURCE, kind="ptx", options=("-DVALUE=1",))
    assert ptx.kind == "ptx"
    assert b".entry f(" in ptx.data
    older = compiler.compile(SOURCE, kind="ptx", options=("-DVALUE=1",), architecture="sm_80")
    assert b".target sm_80" in older.data
    for kind in ("cubin", "lto", "ptx"):
        image = compiler.compile(SOURCE, kind=kind, options=("-DVALUE=1",))
        assert images.kind_of(image.data) == image.kind == kind
        assert bytes(image) == image.data
    with pytest.raises(ValueError, match="'cubin', 'ptx', 'lto', not 'sass'"):
        compiler.compile(SOURCE, kind="sass")


def test_the_default_is_what_the_device_loads(xp):
    image = compiler.compile(SOURCE, options=("-DVALUE=7",))
    x = xp.zeros(1, "i4")
    xp.RawModule(code=image).get_function("f")((1,), (1,), (x,))
    assert x.item() == 7


def test_no_cubin_for_a_device_that_is_newer_than_the_compiler(monkeypatch):
    from gpuarray.kernels.compiler import compilation as inner

    monkeypatch.setattr(inner, "_warned_of_ptx", True)
    with pytest.raises(CompileError, match="NVRTC does not know sm_999, so it makes no cubin"):
        compiler.compile(SOURCE, kind="cubin", options=("-DVALUE=1",), architecture="sm_999")


def test_headers():
    source = '#include "value.h"\n' + SOURCE
    headers = {"value.h": "#define VALUE 2"}
    assert b".entry f(" in compiler.compile(source, kind="ptx", headers=headers).data


def test_error():
    assert compiler.CompileException is CompileError
    with pytest.raises(compiler.CompileException, match=r"compiling mine failed[\s\S]*> 1 \|"):
        compiler.compile(SOURCE, name="mine")


# -- linking -------------------------------------------------------------------------------------


def pieces(kind, *options):
    caller = compiler.compile(
        CALLER, kind=kind, options=options, name="caller", name_expressions=("twice<float>",)
    )
    return caller, compiler.compile(SQUARE, kind=kind, options=options, name="square")


def test_link_for_time_optimisation_and_run(xp):
    caller, square = pieces("lto")
    image = compiler.link([caller, square])
    assert image.lowered_names == caller.lowered_names
    module = xp.RawModule(code=image)
    x = xp.arange(5, dtype="i4")
    module.get_function("f")((1,), (5,), (x,))
    np.testing.assert_array_equal(x.get(), np.arange(5) ** 2)
    y = xp.full(1, 1.5, "f")
    module.get_function("twice<float>")((1,), (1,), (y,))
    assert y.item() == 3


@pytest.mark.parametrize("first", ["ptx", "cubin", "lto"])
@pytest.mark.parametrize("second", ["ptx", "cubin", "lto"])
def test_link_every_mixture_to_a_cubin(first, second):
    caller = pieces(first, "-rdc=true")[0]
    square = pieces(second, "-rdc=true")[1]
    image = compiler.link([caller, square], kind="cubin")
    assert images.kind_of(image.data) == "cubin"
    names = images.kernel_names(image.data)
    assert "f" in names
    assert images.parameter_sizes(image.data, "f") == (8,)


def test_linker_that_is_older_than_the_compiler(monkeypatch):
    from gpuarray._ffi import nvjitlink

    monkeypatch.setattr(nvjitlink, "version", lambda: (12, 1))
    with pytest.raises(compiler.LinkError) as caught:
        compiler.link([pieces("cubin", "-rdc=true")[0]], kind="cubin")
    assert "nvJitLink 12.1 is older than NVRTC" in caught.value.__notes__[0]


def test_linked_once(monkeypatch):
    from gpuarray._ffi import nvjitlink

    inputs = pieces("lto")
    first = compiler.link(inputs, kind="cubin")
    monkeypatch.setattr(nvjitlink, "link", None)
    assert compiler.link(inputs, kind="cubin") == first


def test_link_files(tmp_path):
    paths = []
    for image, name in zip(pieces("cubin", "-rdc=true"), ("cäller.cubin", "square.cubin")):
        paths.append(tmp_path / name)
        paths[-1].write_bytes(image.data)
    assert compiler.link([paths[0], str(paths[1])], kind="cubin").data[:4] == b"\x7fELF"


def test_link_errors(tmp_path):
    caller, square = pieces("lto")
    with pytest.raises(compiler.LinkError, match="linking mine failed[\\s\\S]*(_Z6squarei|finish)"):
        compiler.link([pieces("cubin", "-rdc=true")[0]], kind="cubin", name="mine")
    with pytest.raises(compiler.LinkError, match="multiply defined[\\s\\S]*options: .*-lto"):
        compiler.link([caller, square, square], kind="cubin")
    with pytest.raises(compiler.LinkError, match="-nonsense"):
        compiler.link([caller, square], options=("-nonsense",))
    with pytest.raises(compiler.LinkError, match="input 2 is not PTX.*b'nonsense'"):
        compiler.link([caller, b"nonsense"])
    broken = b".version 8.0\n.target sm_90\n.address_size 64\nnonsense"
    with pytest.raises(compiler.LinkError, match="line 4; fatal.*nonsense"):
        compiler.link([broken], kind="cubin", architecture="sm_90")
    with pytest.raises(compiler.LinkError, match="input 1 is PTX: compile it with kind='lto'"):
        compiler.link(pieces("ptx", "-rdc=true"), kind="ptx")
    assert issubclass(compiler.LinkError, compiler.CompileException)
    with pytest.raises(TypeError, match="sequence"):
        compiler.link(caller)
    with pytest.raises(TypeError, match="input 1 .* not int"):
        compiler.link([1])
    with pytest.raises(ValueError, match="nothing to link"):
        compiler.link([])
    with pytest.raises(ValueError, match="'cubin', 'ptx', not 'lto'"):
        compiler.link([caller], kind="lto")
    with pytest.raises(FileNotFoundError):
        compiler.link([tmp_path / "missing.o"])


@pytest.mark.emulator
@pytest.mark.parametrize("magic, kind", [(b"\x7fELF", "cubin"), (b"\x50\xed\x55\xba", "fatbin")])
def test_binaries_need_a_gpu(xp, magic, kind):
    image = magic + bytes(14) + b"\xbe\0" + bytes(100)
    with pytest.raises(DriverError, match=f"the emulator takes PTX, and was given a {kind}"):
        xp.RawModule(code=image).compile()


def test_modules_of_compiled_code(xp, tmp_path):
    image = compiler.compile(SOURCE, options=("-DVALUE=3",))
    path = tmp_path / "küche.bin"
    path.write_bytes(image.data)
    for module in (xp.RawModule(code=image.data), xp.RawModule(path=path)):
        x = xp.zeros(1, "i4")
        module.get_function("f")((1,), (1,), (x,))
        assert x.item() == 3
    with pytest.raises(DriverError, match=r"LTO-IR: link it first"):
        xp.RawModule(code=pieces("lto")[0]).compile()
    path.write_text(SOURCE)
    with pytest.raises(DriverError, match=r"küche.bin' is CUDA C\+\+ source"):
        xp.RawModule(path=path).compile()
    with pytest.raises(DriverError, match=r"the code is not PTX, a cubin or a fatbin"):
        xp.RawModule(code=b"\0nonsense").compile()
    with pytest.raises(TypeError, match="compiled code"):
        xp.RawModule(code=image, options=("-O3",))


@pytest.mark.parametrize("fault", ["truncated", "garbage"])
def test_broken_ptx_fails_before_a_launch(xp, tmp_path, fault):
    ptx = compiler.compile(SOURCE, kind="ptx", options=("-DVALUE=3",)).data
    broken = (
        ptx[: ptx.rindex(b"ret;")]
        if fault == "truncated"
        else ptx.split(b".address_size")[0] + b"garbage"
    )
    path = tmp_path / "broken.ptx"
    path.write_bytes(broken)
    with pytest.raises(DriverError, match="(?s)cuModuleLoadDataEx .*INVALID_PTX.*line"):
        xp.RawModule(path=path).get_function("f")
    # The device is as good as before.
    assert xp.ones(3).sum() == 3


def test_the_bytes_alone(xp, tmp_path):
    ptx = compiler.compile_to_ptx(SOURCE, ("-DVALUE=3",))
    assert ptx == compiler.compile(SOURCE, kind="ptx", options=("-DVALUE=3",)).data
    path = tmp_path / "f.ptx"
    path.write_bytes(ptx)
    assert xp.RawModule(path=path).get_function("f")
    assert compiler.compile_to_cubin(SOURCE, ("-DVALUE=3",))[:4] == b"\x7fELF"
    with pytest.raises(CompileError):
        compiler.compile_to_ptx("int f() { return undefined; }")
