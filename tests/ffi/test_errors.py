"""What the exceptions say."""

import pickle

import pytest

from gpuarray import errors
from gpuarray.errors import CompileError, DriverError, OutOfMemoryError

SOURCE = "\n".join(f"line {number}" for number in range(1, 13))


def test_a_compile_error_shows_the_lines_around_the_fault():
    log = 'k.cu(6): error: identifier "b" is undefined\n  line 6\n       ^\n\n1 error detected.\n'
    text = str(CompileError(log, source=SOURCE, kernel_name="k", file_name="k.cu"))
    assert 'k.cu(6): error: identifier "b" is undefined' in text
    assert ">  " not in text.replace("> 6 | line 6", "")
    assert "> 6 | line 6\n    |      ^" in text
    assert "  3 | line 3" in text
    assert "  9 | line 9" in text
    assert "line 2" not in text
    assert "line 10" not in text
    assert "1 error detected." in text


def test_a_compile_error_keeps_the_whole_message():
    log = "k.cu(2): error: no instance matches\n      argument types are: (int)\n  f(1);\n  ^\n\n"
    text = str(CompileError(log, source="a\nf(1);\n", kernel_name="k", file_name="k.cu"))
    assert "argument types are: (int)\n  1 | a\n> 2 | f(1);\n    | ^" in text


def test_a_compile_error_in_a_header_shows_the_header():
    log = "gpuarray/x.cuh(1): error: oops\n"
    error = CompileError(log, source=SOURCE, kernel_name="k", headers={"gpuarray/x.cuh": "#oops"})
    assert "> 1 | #oops" in str(error)


@pytest.mark.parametrize("log", ["", "nvrtc: error: invalid value for -arch", "k.cu(99): error: x"])
def test_a_compile_error_without_a_line(log):
    assert log in str(CompileError(log, source="a", kernel_name="k", file_name="k.cu"))


@pytest.mark.parametrize(
    "error",
    [
        CompileError("log", source="s", options=("-a",), kernel_name="k", headers={"h": "t"}),
        DriverError("cuInit", 100, "CUDA_ERROR_NO_DEVICE", "no device"),
        OutOfMemoryError(10, 20, 30, 40),
    ],
)
def test_errors_survive_pickling(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__


def test_a_driver_error_names_call_and_status():
    error = DriverError("cuMemFree_v2", 1, "CUDA_ERROR_INVALID_VALUE", "freed twice")
    assert str(error) == "cuMemFree_v2 failed with CUDA_ERROR_INVALID_VALUE (1): freed twice"
    assert (error.call, error.status, error.status_name) == (
        "cuMemFree_v2",
        1,
        "CUDA_ERROR_INVALID_VALUE",
    )


def test_out_of_memory_says_what_to_do():
    assert "free_all_blocks" in str(OutOfMemoryError(1 << 40, 0, 0, 1 << 30))
    assert "1,099,511,627,776 bytes" in str(OutOfMemoryError(1 << 40, 0, 0, 1 << 30))
    assert "set_limit" in str(OutOfMemoryError(600, 500, 1000, 1 << 30))


def test_each_has_pythons_type():
    assert issubclass(errors.OutOfMemoryError, MemoryError)
    assert issubclass(errors.LibraryNotFoundError, ImportError)
    assert issubclass(errors.HostArrayError, TypeError)
    assert issubclass(errors.UnsupportedDTypeError, TypeError)
    assert issubclass(errors.BackendWarning, UserWarning)
    for name in ("DriverError", "NVRTCError", "LibraryError", "CompileError", "MixedCUDAError"):
        assert issubclass(getattr(errors, name), errors.CUDAError)
