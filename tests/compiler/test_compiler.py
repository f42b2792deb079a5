"""From source to image: keys, the ways around NVRTC, threads, errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gpuarray._ffi import driver, locate, nvrtc
from gpuarray.errors import CompileError
from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.compiler import image_memory, toolchain
from gpuarray.kernels.compiler import options as compile_options
from gpuarray.kernels.compiler.cache import Cache
from tests.limits import HANG_SECONDS

SOURCE = 'extern "C" __global__ void f(float* x) { x[threadIdx.x] = 1; }\n'
PACKAGE = str(Path(compiler.__file__).parents[3])


class Recorder:
    """Stands for NVRTC: remembers its calls and gives each another image."""

    def __init__(self):
        self.calls = []
        self.delay = 0.0

    def compile(self, source, name, headers, options, name_expressions=(), kind="ptx"):
        time.sleep(self.delay)
        self.calls.append((source, name, dict(headers), tuple(options), kind))
        if "bad" in source:
            raise CompileError("f(1): error: bad", source=source, kernel_name=name)
        lowered = {expression: f"_Z{expression}" for expression in name_expressions}
        return b"image %d" % len(self.calls), "", lowered


@pytest.fixture
def recorder(monkeypatch, tmp_path):
    """A fake NVRTC with an empty cache and empty memory."""
    recorder = Recorder()
    monkeypatch.setattr(nvrtc, "compile", recorder.compile)
    fresh(monkeypatch, tmp_path / "cache")
    return recorder


def fresh(monkeypatch, directory=None):
    """Forget what this process knows, as a new process would."""
    monkeypatch.setattr(compiler, "_memory", image_memory.ImageMemory())
    monkeypatch.setattr(toolchain, "_current", None)
    monkeypatch.setattr(toolchain, "_opened", False)
    if directory is not None:
        cache = Cache(str(directory), 1 << 30)
        monkeypatch.setattr(compiler, "default_cache", lambda: cache)
        return cache
    return None


def build(source=SOURCE, **changed):
    arguments = {"name": "f", "architecture": "sm_90", "kind": "ptx"}
    return compiler.compile(source, **{**arguments, **changed})


# -- the key -------------------------------------------------------------------------------------

HEADER = {"h.h": "int h;"}
INCLUDING = '#include "h.h"\n' + SOURCE


@pytest.mark.parametrize(
    "base, changed",
    [
        ({}, {"source": SOURCE + " "}),
        ({"source": INCLUDING, "headers": HEADER}, {"headers": {"h.h": "int changed;"}}),
        ({}, {"options": ("-DA",)}),
        ({"options": ("-DA", "-DB")}, {"options": ("-DB", "-DA")}),
        ({"options": ("-DA", "-DB")}, {"options": ("-DA-DB",)}),
        ({}, {"options": ("-std=c++14",)}),
        ({}, {"options": ("-arch=sm_80",)}),
        ({}, {"architecture": "sm_80"}),
        ({}, {"kind": "cubin"}),
        ({}, {"name_expressions": ("f<int>",)}),
        ({"name_expressions": ("a", "b")}, {"name_expressions": ("b", "a")}),
        ({}, {"name": "g"}),
    ],
)
def test_everything_that_matters_changes_the_key(recorder, base, changed):
    first = build(**base)
    second = build(**{**base, **changed})
    assert len(recorder.calls) == 2
    assert first.data != second.data
    assert build(**base) is first


@pytest.mark.parametrize("attribute", ["version", "build"])
def test_the_compiler_changes_the_key(recorder, monkeypatch, attribute):
    build()
    fresh(monkeypatch)
    value = (99, 1) if attribute == "version" else "another build"
    monkeypatch.setattr(nvrtc, attribute, lambda: value)
    # The stamp still names the old compiler, so its image serves until something is compiled.
    build(SOURCE + "// new")
    fresh(monkeypatch)
    build()
    assert len(recorder.calls) == 3


def test_unused_headers_do_not_change_the_key(recorder):
    build(headers={"h.h": "int h;"})
    build(headers={"h.h": "int changed;"})
    assert len(recorder.calls) == 1
    assert recorder.calls[0][2] == {}


def test_a_changed_file_is_compiled_again(recorder, tmp_path):
    (tmp_path / "h.h").write_text("int h;")
    options = (f"-I{tmp_path}",)
    build(INCLUDING, options=options)
    build(INCLUDING, options=options)
    assert len(recorder.calls) == 1
    (tmp_path / "h.h").write_text("int other;")
    build(INCLUDING, options=("-I", str(tmp_path)))
    assert len(recorder.calls) == 2


def test_toolkit_directories_only_where_they_are_needed(recorder, monkeypatch):
    monkeypatch.setattr(toolchain, "include_directories", lambda: ("/toolkit",))
    build()
    build("#include <cuda_fp16.h>\n" + SOURCE)
    assert "-I/toolkit" not in recorder.calls[0][3]
    assert "-I/toolkit" in recorder.calls[1][3]


# -- options -------------------------------------------------------------------------------------


def test_options_given_to_nvrtc(recorder):
    build()
    build(kind="cubin", options=("--std=c++20", "-arch", "sm_80"))
    assert recorder.calls[0][3] == (
        "--gpu-architecture=compute_90",
        "-std=c++17",
        "-default-device",
        *driver.image_options("ptx"),
    )
    assert recorder.calls[1][3] == ("--gpu-architecture=sm_80", "-default-device", "--std=c++20")


@pytest.mark.parametrize("version, has", [((12, 3), False), ((12, 4), True), ((13, 0), True)])
def test_options_that_an_older_nvrtc_lacks(recorder, monkeypatch, version, has):
    monkeypatch.setattr(nvrtc, "version", lambda: version)
    build(options=("--fmad=false", "--minimal"))
    assert ("--minimal" in recorder.calls[0][3]) is has
    assert "--fmad=false" in recorder.calls[0][3]


@pytest.mark.parametrize("options", ["-DA", (b"-DA",), (1,)])
def test_options_of_a_wrong_type(recorder, options):
    with pytest.raises(TypeError, match="option"):
        build(options=options)


def test_unknown_kind(recorder):
    with pytest.raises(ValueError, match="fatbin"):
        build(kind="fatbin")


@pytest.fixture
def dump(monkeypatch, tmp_path):
    """A function that names the folder of the sources."""

    def set_folder(folder):
        config = compiler.config._replace(dump_source=str(tmp_path / folder))
        for module in (compiler, compile_options):
            monkeypatch.setattr(module, "config", config)
        return tmp_path / folder

    return set_folder


def test_dump_of_the_source(recorder, dump):
    folder = dump("sources")
    build(INCLUDING, name="my/kernel<float>", headers=HEADER)
    (path,) = folder.glob("*.cu")
    assert path.name.startswith("my_kernel_float_.")
    assert path.read_text() == INCLUDING
    (header,) = folder.glob("headers.*/h.h")
    assert header.read_text() == HEADER["h.h"]
    assert recorder.calls[0][2] == {}
    assert f"-I{header.parent}" in recorder.calls[0][3]
    assert recorder.calls[0][1] == str(path)
    assert "-lineinfo" in recorder.calls[0][3]


def test_dump_of_what_is_in_the_cache(recorder, monkeypatch, dump):
    one = dump("one")
    build()
    fresh(monkeypatch)
    (path,) = one.iterdir()
    path.unlink()
    build()
    assert path.exists()
    assert len(recorder.calls) == 1
    # Line information has the path, so another folder is another image.
    two = dump("two")
    build()
    assert len(list(two.iterdir())) == 1
    assert len(recorder.calls) == 2


def test_dump_to_a_folder_that_cannot_be(recorder, dump, tmp_path):
    (tmp_path / "file").write_text("")
    dump("file/folder")
    build()
    assert recorder.calls[0][1] == "f"


def test_real_dump_has_lines_and_no_stray_files(monkeypatch, tmp_path, dump):
    fresh(monkeypatch, tmp_path / "cache")
    folder = dump("sources")
    headers = {"a/h.h": "__device__ float one() {\n  return clock();\n}\n", "../up.h": "int up;"}
    source = '#include "a/h.h"\n#include "../up.h"\n' + SOURCE.replace("= 1", "= one()")
    image = build(source, headers=headers)
    (path,) = folder.glob("*.cu")
    (header,) = folder.glob("headers.*/a/h.h")
    text = image.data.decode()
    files = dict(re.findall(r'\.file\s+(\d+) "(.*?)"', text))
    lines = {(files[file], int(line)) for file, line in re.findall(r"\.loc\s+(\d+) (\d+)", text)}
    assert (str(path), 3) in lines
    assert (str(header), 2) in lines
    assert len([item for item in folder.rglob("*") if item.is_file()]) == 2
    assert not list(tmp_path.rglob("up.h"))
    with pytest.raises(CompileError) as caught:
        build(source, headers={**headers, "a/h.h": "int one() {\n  return b;\n}\n"})
    assert "> 2 |   return b;" in str(caught.value)


def test_real_dump_beyond_ascii(monkeypatch, tmp_path, dump):
    fresh(monkeypatch, tmp_path / "cache")
    folder = dump("quellen ü")
    assert build("// é\n" + SOURCE, kind="cubin", name="k ü").data
    (path,) = folder.glob("*.cu")
    assert path.read_text() == "// é\n" + SOURCE


# -- ways around NVRTC ---------------------------------------------------------------------------


def test_memory_then_disk_then_compiler(recorder, monkeypatch):
    first = build(name_expressions=("f<int>",))
    assert first.lowered_names == {"f<int>": "_Zf<int>"}
    assert build(name_expressions=("f<int>",)) is first
    fresh(monkeypatch)
    second = build(name_expressions=("f<int>",))
    assert second == first
    assert second is not first
    assert len(recorder.calls) == 1


def test_disk_hit_opens_no_library(recorder, monkeypatch):
    build()
    fresh(monkeypatch)

    def opened(*arguments):
        raise AssertionError("a warm start opened NVRTC")

    for name in ("version", "build", "compile"):
        monkeypatch.setattr(nvrtc, name, opened)
    assert build().data == b"image 1"


def test_stamp_of_another_file_is_not_trusted(recorder, monkeypatch):
    build()
    fresh(monkeypatch)
    monkeypatch.setattr(toolchain, "_file_identity", lambda path: "other size and time")
    opened = []
    version = nvrtc.version()
    monkeypatch.setattr(nvrtc, "version", lambda: opened.append(1) or version)
    build()
    assert opened
    assert len(recorder.calls) == 1


def test_corrupt_entry_is_compiled_again(recorder, monkeypatch):
    build()
    cache = compiler.default_cache()
    (path,) = Path(cache.directory).glob("*.image")
    path.write_bytes(path.read_bytes()[:-1])
    fresh(monkeypatch)
    assert build().data == b"image 2"
    fresh(monkeypatch)
    assert build().data == b"image 2"


def test_no_disk_falls_back_to_memory(recorder, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    fresh(monkeypatch, tmp_path / "file" / "cache")
    with pytest.warns(RuntimeWarning, match="kept in memory only") as caught:
        first, _ = build(), build(SOURCE + "//")
    assert len(caught) == 1
    assert build() is first


def test_memory_is_bounded():
    memory = image_memory.ImageMemory(capacity=100)
    made = []

    def produce(size):
        made.append(size)
        return compiler.Image(bytes(size))

    for key in (b"a", b"b", b"a", b"c", b"a", b"b"):
        memory.get(key, lambda: produce(40))
    assert len(made) == 4  # c put b out, not a, which was used in between
    memory.get(b"huge", lambda: produce(1000))
    memory.get(b"huge", lambda: produce(1000))
    assert made[4:] == [1000]


# -- threads -------------------------------------------------------------------------------------


def in_threads(count, action):
    results = []
    start = threading.Barrier(count)

    def run():
        start.wait()
        try:
            results.append(action())
        except BaseException as error:
            results.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG_SECONDS)
    return results


def test_threads_compile_once(recorder):
    recorder.delay = 0.05
    results = in_threads(8, build)
    assert len(recorder.calls) == 1
    assert all(result is results[0] for result in results)


def test_threads_fail_together(recorder, monkeypatch):
    waiting = []

    class Done(threading.Event):
        def wait(self, timeout=None):
            waiting.append(self)
            return super().wait(timeout)

    class Pending(image_memory._Pending):
        def __init__(self):
            super().__init__()
            self.done = Done()

    real = recorder.compile

    def compile_(*arguments, **named):
        while len(waiting) < 3:  # a thread that came later would try anew
            time.sleep(0.001)
        return real(*arguments, **named)

    monkeypatch.setattr(image_memory, "_Pending", Pending)
    monkeypatch.setattr(nvrtc, "compile", compile_)
    results = in_threads(4, lambda: build("bad"))
    assert len(recorder.calls) == 1
    assert all(isinstance(result, CompileError) for result in results)
    assert isinstance(build(), compiler.Image)


def test_another_thread_takes_over_after_an_interrupt(recorder, monkeypatch):
    recorder.delay = 0.05
    real = recorder.compile
    calls = []

    def compile_(*arguments, **named):
        calls.append(1)
        time.sleep(0.05)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(*arguments, **named)

    monkeypatch.setattr(nvrtc, "compile", compile_)
    results = in_threads(3, build)
    assert sorted(type(result).__name__ for result in results) == [
        "Image",
        "Image",
        "KeyboardInterrupt",
    ]


# -- the real NVRTC ------------------------------------------------------------------------------


def test_real_compilation(monkeypatch, tmp_path):
    fresh(monkeypatch, tmp_path / "cache")
    ptx = build()
    assert b".entry f(" in ptx.data
    assert b".target sm_90" in ptx.data
    cubin = build(kind="cubin")
    assert cubin.data[:4] == b"\x7fELF"


def test_real_name_expressions(monkeypatch, tmp_path):
    fresh(monkeypatch, tmp_path / "cache")
    source = "template <class T> __global__ void f(T* x) { *x = T(1); }"
    first = build(source, name_expressions=("f<float>", "f<int>"))
    assert set(first.lowered_names) == {"f<float>", "f<int>"}
    assert all(name.encode() in first.data for name in first.lowered_names.values())
    fresh(monkeypatch)
    assert build(source, name_expressions=("f<float>", "f<int>")) == first


def test_real_headers_and_unannotated_functions(monkeypatch, tmp_path):
    fresh(monkeypatch, tmp_path / "cache")
    source = '#include "own/h.cuh"\n#include <cuda_fp16.h>\n' + SOURCE.replace("= 1", "= one()")
    headers = {"own/h.cuh": "float one() { return __half2float(__float2half(1.0f)); }"}
    with pytest.raises(CompileError, match="__half2float"):
        build(source, headers=headers)
    source = "#include <cuda_fp16.h>\n" + source
    assert b".entry f(" in build(source, headers=headers).data


def test_real_error_shows_the_lines(monkeypatch, tmp_path):
    cache = fresh(monkeypatch, tmp_path / "cache")
    source = "\n".join(
        ['extern "C" __global__ void f(float* x)', "{", "  int a = 1;", "  x[0] = b;", "}"]
    )
    with pytest.raises(CompileError) as caught:
        build(source, options=("-DOPTION",))
    text = str(caught.value)
    assert 'identifier "b" is undefined' in text
    assert "> 4 |   x[0] = b;" in text
    assert "  3 |   int a = 1;" in text
    assert "-DOPTION" in text
    assert caught.value.kernel_name == "f"
    assert cache.info().entries == 0
    assert build().data


@pytest.mark.parametrize(
    "header, major, wheel",
    [
        ("nv/target", 12, "nvidia-cuda-cccl-cu12"),
        ("cuda/std/cstdint", 13, "nvidia-cuda-cccl"),
        ("cub/cub.cuh", 12, "nvidia-cuda-cccl-cu12"),
        ("curand_kernel.h", 12, "nvidia-curand-cu12"),
        ("curand_kernel.h", 13, "nvidia-curand"),
        ("crt/mma.h", 12, "nvidia-cuda-nvcc-cu12"),
        ("crt/mma.h", 13, "nvidia-cuda-crt"),
        ("cooperative_groups.h", 12, "nvidia-cuda-runtime-cu12"),
    ],
)
@pytest.mark.parametrize("could", ["cannot", "could not"])
def test_missing_header_says_which_wheel_has_it(recorder, monkeypatch, header, major, wheel, could):
    def compile_(*arguments):
        raise CompileError(f'info.h(50): catastrophic error: {could} open source file "{header}"')

    monkeypatch.setattr(nvrtc, "compile", compile_)
    monkeypatch.setattr(locate, "cuda_major", lambda: major)
    monkeypatch.setattr(locate, "include_directories", lambda: ())
    with pytest.raises(CompileError) as caught:
        build()
    assert caught.value.__notes__[0].endswith(f": pip install {wheel}")


def test_a_header_that_the_installed_wheel_lacks(core_headers):
    with pytest.raises(CompileError) as caught:
        build("#include <cuda/std/vector>\n")
    assert "is not in the version of nvidia-cuda-cccl" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    "header, remedy",
    [
        ("cstdint", "use <cuda/std/cstdint>"),
        ("stdint.h", "use <cuda/std/cstdint>"),
        ("type_traits", "use <cuda/std/type_traits>"),
        ("cassert", "device code has assert without an include, else use <cuda/std/cassert>"),
        ("assert.h", "device code has assert without an include, else use <cuda/std/cassert>"),
        ("stdio.h", "device code has printf without an include"),
        ("math.h", "device code has mathematical functions without an include"),
    ],
)
def test_standard_headers_say_what_to_use(header, remedy, core_headers):
    with pytest.raises(CompileError) as caught:
        build(f"#include <{header}>\n")
    note = caught.value.__notes__[0]
    assert note.endswith(remedy) or f"{remedy}, else" in note
    body = {"cassert": "assert(x);", "stdio.h": 'printf("1");', "math.h": "x[0] = sin(x[0]);"}
    named = "<cuda/std/" in note and "else" not in note
    start = f"#include <{note.rpartition('<')[2]}\n" if named else ""
    build(f"{start}{F}{body.get(header, '')}}}\n")  # what the remedy says is true


@pytest.mark.slow
@pytest.mark.parametrize(
    "header, body",
    [
        ("cooperative_groups.h", "cooperative_groups::this_thread_block().sync();"),
        ("cuda/std/type_traits", "static_assert(cuda::std::is_same<int, int>::value);"),
        ("cuda/std/cstdint", "cuda::std::uint32_t y = 1; x[0] = y;"),
        (
            "cub/cub.cuh",
            "typedef cub::WarpReduce<float> R; __shared__ R::TempStorage t; x[0] = R(t).Sum(1);",
        ),
    ],
)
def test_headers_of_the_core_libraries_compile(header, body, core_headers):
    assert build(f"#include <{header}>\n{F}{body}}}\n").data


def test_random_numbers_on_the_device_compile(core_headers):
    if not any(
        Path(folder, "curand_kernel.h").is_file() for folder in locate.include_directories()
    ):
        pytest.skip("cuRAND is not installed")
    assert build(f"#include <curand_kernel.h>\n{F}curandStatePhilox4_32_10_t y;}}\n").data


def test_core_algorithms_for_host_code_say_so(core_headers):
    with pytest.raises(CompileError) as caught:
        build("#include <thrust/sort.h>\n")
    assert "is for host code" in caught.value.__notes__[0]


F = 'extern "C" __global__ void f(float* x) {\n'


@pytest.mark.parametrize(
    "source, changed, message, note",
    [
        (
            "#include <vector>\n",
            {},
            "> 1 | #include <vector>",
            "'vector': the C\\+\\+ standard library does not exist on a device",
        ),
        ('#include "own.h"\n', {}, '> 1 | #include "own.h"', "'own.h' is neither in headers="),
        (F + "}\n", {"name_expressions": ("g<int>",)}, "g<int>", "'g<int>' is no name .*: f"),
        (F + "  größe = 1;\n}\n", {}, "> 2 |   größe = 1;", "Beyond ASCII"),
        (F + "}\n", {"architecture": "sm_199"}, "--gpu-architecture", r"compiles for .*sm_90"),
        (F + "}\n", {"options": ("--nonsense",)}, "unrecognized option --nonsense", None),
        (
            "__device__ float g(float);\n" + F + "  *x = g(*x);\n}\n",
            {"kind": "cubin"},
            "Unresolved extern function '_Z1gf'",
            "compiler.link",
        ),
        (
            F + "  __shared__ float s[99999]; s[threadIdx.x] = 1; *x = s[9];\n}\n",
            {"kind": "cubin"},
            "too much shared data",
            "extern __shared__",
        ),
        # The line of the PTX that the assembler complains about.
        (F + '  asm("nonsense;");\n}\n', {"kind": "cubin"}, "| \tnonsense;", None),
        # Lines are numbered as the compiler numbers them.
        ("int before;\n#line 1\n" + F + "  *x = b;\n}\n", {}, "> 2 |   *x = b;", None),
    ],
)
def test_real_errors(monkeypatch, tmp_path, source, changed, message, note):
    fresh(monkeypatch, tmp_path / "cache")
    with pytest.raises(CompileError) as caught:
        build(source, name="mine", **changed)
    text = str(caught.value)
    assert text.startswith("compiling mine failed\n")
    assert message in text
    assert "options: --gpu-architecture=" in text
    notes = getattr(caught.value, "__notes__", [])
    assert len(notes) == (note is not None)
    if note is not None:
        assert re.search(note, notes[0])


def test_real_device_that_is_newer_than_the_compiler(monkeypatch, tmp_path):
    fresh(monkeypatch, tmp_path / "cache")
    monkeypatch.setattr(compiler, "_warned_of_ptx", False)
    newest = max(nvrtc.supported_architectures())
    with pytest.warns(RuntimeWarning, match=f"does not know sm_999: it makes PTX for sm_{newest}"):
        first = build(kind="cubin", architecture="sm_999")
    assert first.kind == "ptx"
    assert f".target sm_{newest}".encode() in first.data
    build(SOURCE + "// without a second warning", kind="cubin", architecture="sm_999")
    fresh(monkeypatch)
    assert build(kind="cubin", architecture="sm_999") == first
    with pytest.raises(CompileError) as caught:
        build(kind="cubin", architecture="sm_20")
    assert "for an older one" in caught.value.__notes__[0]
    with pytest.raises(CompileError, match="BROKEN"):
        build("BROKEN", kind="cubin", architecture="sm_999")


def test_real_faults_beyond_the_first_are_counted(monkeypatch, tmp_path):
    fresh(monkeypatch, tmp_path / "cache")
    with pytest.raises(CompileError) as caught:
        build(F + "".join(f"  x[{at}] = v{at};\n" for at in range(20)) + "}\n")
    text = str(caught.value)
    assert '"v7" is undefined' in text
    assert '"v8" is undefined' not in text
    assert "(12 more: the error's log has them)" in text
    assert '"v19" is undefined' in caught.value.log


def test_real_messages_about_one_line_show_it_once(monkeypatch, tmp_path):
    fresh(monkeypatch, tmp_path / "cache")
    with pytest.raises(CompileError) as caught:
        build(F + "  *x = a + b;\n}\n")
    text = str(caught.value)
    assert 'identifier "a"' in text
    assert 'identifier "b"' in text
    assert text.count("*x = a + b") == 1


def test_real_source_and_path_that_are_not_ascii(monkeypatch, tmp_path):
    source = "// ünïcödé\n" + SOURCE
    fresh(monkeypatch, tmp_path / "cäche")
    assert build(source).data
    fresh(monkeypatch)
    assert build(source).data


COMPILE = """
import sys
from gpuarray.kernels.compiler import compilation as compiler
for at in range(4):
    source = 'extern "C" __global__ void f(float* x) { x[threadIdx.x] = %d; }' % at
    image = compiler.compile(source, name="f", architecture="sm_90", kind="ptx")
    assert b".entry f(" in image.data
assert "gpuarray._ffi.nvrtc" not in sys.modules or sys.argv[1] == "cold", sys.argv
assert "cuda.pathfinder" not in sys.modules or sys.argv[1] == "cold"
"""


@pytest.mark.slow
def test_real_processes_share_a_cache(tmp_path):
    environment = {**os.environ, "GPUARRAY_CACHE_DIR": str(tmp_path), "PYTHONPATH": PACKAGE}

    def start(state):
        return subprocess.Popen(
            [sys.executable, "-c", COMPILE, state], env=environment, stderr=subprocess.PIPE
        )

    for state in ("cold", "warm"):
        # Only of the warm ones it is certain that both find everything.
        for process in [start(state) for _ in range(2 if state == "cold" else 1)]:
            assert process.communicate(timeout=HANG_SECONDS)[1] == b""
            assert process.returncode == 0
    assert Cache(str(tmp_path), 1 << 30).info().entries == 4
