"""What an error says after a library's function failed on the device."""

import pytest

from tests.faults.programs import PRELUDE, run

LIBRARY = """
from gpuarray._libraries.blas import gemm

def stray():
    # 4 TiB behind an array, as where `fail` writes. Low addresses may be the driver's own.
    address = cp.empty(1, "u1").data.ptr + (1 << 42)
    memory = cp.cuda.UnownedMemory(address, 1 << 20, None, 0)
    return cp.ndarray((64, 64), "f4", cp.cuda.MemoryPointer(memory, 0))

def multiply(a, b):
    gemm(a, b)
    cp.cuda.runtime.deviceSynchronize()
"""


def test_debug_mode_names_the_function_its_arguments_and_the_line():
    text = run(
        """
        a, b = cp.ones((3, 64), "f4"), stray()
        error = error_of(multiply, a, b)
        assert isinstance(error, CUDARuntimeError) and error.status == 700, error
        (call,) = error.launches
        assert call.kernel == "cublasLtMatmul" and call.grid == (0, 0, 0)
        second, first, result = call.arguments[:3]
        assert (first.name, first.shape, first.address) == ("x0", (3, 64), a.data.ptr)
        assert (second.name, second.shape, second.address) == ("x1", (64, 64), b.data.ptr)
        print(error)
        """,
        prelude=PRELUDE + LIBRARY,
        GPUARRAY_DEBUG="1",
    )
    assert "Called at <string>:" in text
    assert "in multiply" in text
    assert "replay" not in text


def test_a_fault_of_a_library_is_the_device_s():
    run(
        """
        error = error_of(multiply, cp.ones((3, 64), "f4"), stray())
        assert isinstance(error, CUDARuntimeError) and error.status == 700, error
        later = error_of(cp.ones, 3)
        assert isinstance(later, DriverError) and later.status == 700, later
        """,
        prelude=PRELUDE + LIBRARY,
    )


@pytest.mark.emulator
def test_the_emulator_names_the_argument():
    text = run(
        """
        print(error_of(multiply, cp.ones((3, 64), "f4"), stray()))
        """,
        prelude=PRELUDE + LIBRARY,
    )
    assert "cublasLtMatmul: A, float32 (1, 64, 64), needs 16384 bytes" in text


def test_a_kernel_s_fault_is_what_a_library_s_failure_says():
    run(
        """
        a, b = cp.ones((3, 64), "f4"), cp.ones((64, 3), "f4")
        gemm(a, b)
        error_of(launch, cp.zeros(16, "i4"), 0)
        error = error_of(multiply, a, b)
        assert isinstance(error, CUDARuntimeError) and error.status == 700, error
        """,
        prelude=PRELUDE + LIBRARY,
    )
