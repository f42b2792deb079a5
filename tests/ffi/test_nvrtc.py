"""NVRTC, which needs no GPU."""

import threading

import pytest

from gpuarray._ffi import locate, nvrtc
from gpuarray.errors import CompileError, LibraryNotFoundError

PTX = ["--gpu-architecture=compute_90"]
CUBIN = ["--gpu-architecture=sm_90"]
SCALE = """
template <typename T> __global__ void scale(T *a, T by) { a[threadIdx.x] *= by; }
"""


def test_version_and_build():
    major, minor = nvrtc.version()
    assert major == locate.cuda_major()
    assert f"libnvrtc-builtins.so.{major}.{minor}" in nvrtc.build()
    assert 90 in nvrtc.supported_architectures()


def test_ptx():
    image, log, lowered = nvrtc.compile(
        'extern "C" __global__ void f(int *a) {*a = 1;}', "f", options=PTX
    )
    assert b".visible .entry f(" in image
    assert not image.endswith(b"\0")
    assert log == ""
    assert lowered == {}


def test_cubin():
    image, _, _ = nvrtc.compile(
        'extern "C" __global__ void f(int *a) {*a = 1;}', "f", options=CUBIN, kind="cubin"
    )
    assert image.startswith(b"\x7fELF")


def test_name_expressions():
    names = ("scale<float>", "scale<long long>")
    image, _, lowered = nvrtc.compile(SCALE, "scale", options=PTX, name_expressions=names)
    assert set(lowered) == set(names)
    for symbol in lowered.values():
        assert symbol.encode() in image


def test_headers_in_memory():
    image, _, _ = nvrtc.compile(
        '#include "room/one.cuh"\nextern "C" __global__ void f(int *a) {*a = ONE;}',
        "f",
        {"room/one.cuh": "#define ONE 1\n"},
        PTX,
    )
    assert b".entry f(" in image


def test_a_source_that_does_not_compile():
    source = 'extern "C" __global__ void broken(int *a) {\n    int i = 0;\n    a[i] = b;\n}\n'
    with pytest.raises(CompileError) as raised:
        nvrtc.compile(source, "broken", options=PTX)
    error = raised.value
    assert error.source == source
    assert error.kernel_name == "broken"
    assert error.options == tuple(PTX)
    assert 'identifier "b" is undefined' in error.log
    assert "> 3 |     a[i] = b;" in str(error)
    assert "  2 |     int i = 0;" in str(error)


def test_a_fault_in_a_header_shows_the_header():
    with pytest.raises(CompileError) as raised:
        nvrtc.compile('#include "h.cuh"\n', "k", {"h.cuh": "// text\nint f() { return q; }\n"}, PTX)
    assert "h.cuh(2): error" in str(raised.value)
    assert "> 2 | int f() { return q; }" in str(raised.value)


def test_a_header_that_is_missing():
    with pytest.raises(CompileError) as raised:
        nvrtc.compile('#include "nowhere.cuh"\n', "k", options=PTX)
    assert "nowhere.cuh" in str(raised.value)
    assert '> 1 | #include "nowhere.cuh"' in str(raised.value)


def test_a_wrong_option():
    with pytest.raises(CompileError, match="sm_12345"):
        nvrtc.compile("", "k", options=["-arch=sm_12345"])


def test_a_wrong_name_expression():
    with pytest.raises(CompileError, match="scales"):
        nvrtc.compile(SCALE, "k", options=PTX, name_expressions=["scales<int>"])


def test_texts_that_c_cannot_have():
    with pytest.raises(ValueError, match=r"the source of 'k' has a null character in line 2"):
        nvrtc.compile("int a;\nint b\0;", "k", options=PTX)
    with pytest.raises(
        ValueError, match=r"the header 'h.h' has a surrogate .*'\\ud800', in line 1"
    ):
        nvrtc.compile('#include "h.h"', "k", {"h.h": "\ud800"}, PTX)
    with pytest.raises(ValueError, match="an option has a null character"):
        nvrtc.compile("", "k", options=["-DA=\0"])
    # The bytes of a file that is not UTF-8, read by os.fsdecode's rule.
    image, _, _ = nvrtc.compile("// \udcff\nint unused;", "k\udcff", options=PTX)
    assert b".version" in image


def test_a_wrong_kind():
    with pytest.raises(ValueError, match="'sass'"):
        nvrtc.compile("", "k", options=PTX, kind="sass")


def test_threads():
    images = {}

    def work(number):
        source = f'extern "C" __global__ void f{number}(int *a) {{*a = {number};}}'
        images[number] = nvrtc.compile(source, f"f{number}", options=PTX)[0]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        assert f".entry f{number}(".encode() in images[number]


def test_a_library_that_cannot_be_opened(tmp_path, monkeypatch):
    path = tmp_path / "libnvrtc.so.12"
    path.write_bytes(b"not a library")
    monkeypatch.setattr(locate, "library", lambda name: str(path))
    with pytest.raises(LibraryNotFoundError, match=r"could not be opened.*reinstall"):
        nvrtc._library.open()
