"""What an error says after a kernel failed."""

import os
import subprocess
import sys

import pytest

from tests.faults.programs import run
from tests.limits import HANG_SECONDS

STATUSES = [(0, 700, "fail"), (1, 716, "fail"), (2, 719, "fail"), (3, 710, "fail")]


@pytest.mark.parametrize("how, status, kernel", STATUSES)
def test_debug_mode_names_the_launch_and_the_line(how, status, kernel):
    text = run(
        f"""
        a = cp.zeros(16, "i4")
        error = error_of(launch, a, {how})
        assert error.status == {status}, error
        assert error.kernel == "{kernel}"
        (launch,) = error.launches
        assert launch.kernel == "fail" and launch.grid == (1, 1, 1) and launch.block == (4, 1, 1)
        first, second = launch.arguments
        assert (first.dtype, first.shape, first.address) == (np.int32, (16,), a.data.ptr)
        assert (second.dtype, second.value) == (np.int32, {how})
        print(error)
        """,
        GPUARRAY_DEBUG="1",
    )
    assert "Launched at <string>:" in text
    assert "in launch" in text  # the user's function, which called the kernel
    assert "0: int32 (16,) at 0x" in text
    assert "gpuarray.debug.replay()" in text


def test_debug_mode_names_the_file_and_its_text(tmp_path):
    program = tmp_path / "prögram.py"
    program.write_text(
        "import gpuarray as cp\n"
        "kernel = cp.ElementwiseKernel('raw T x', 'T y', 'y = x[i + (1ll << 40)]', 'stray')\n"
        "def work(x):\n"
        "    return kernel(x, size=3)\n"
        "work(cp.arange(3))\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, "GPUARRAY_DEBUG": "1", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 1
    assert f"Launched at {program}:4, in work: return kernel(x, size=3)" in done.stderr
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stderr
    assert "x0: int64 (3,) at 0x" in done.stderr


def test_launches_in_flight_are_listed_newest_first():
    run(
        """
        stream = cp.cuda.Stream(non_blocking=True)
        x = cp.arange(5, dtype="f4")
        cp.cuda.runtime.deviceSynchronize()
        assert cp.debug.launches() == ()
        y = x + 1
        z = x + 2
        with stream:
            w = cp.sqrt(x)
        launch(cp.zeros(4, "i4"), 4, wait=False)
        fail_, sqrt, second, first = cp.debug.launches()
        assert fail_.kernel == "fail" and fail_.arguments[0].shape == (4,)
        assert sqrt.kernel.startswith("gpuarray_sqrt") and sqrt.stream == stream.ptr
        assert second.kernel == first.kernel and second.kernel.startswith("gpuarray_add")
        names = [argument.name for argument in second.arguments]
        assert names == ["y0", "x0", "x1"], names
        output, source, number = second.arguments
        assert output.address == z.data.ptr and output.shape == (5,) and output.dtype == "f4"
        assert source.address == x.data.ptr and number.value == 2
        # The arguments of the former launch are those of the same plan, written over since.
        assert [argument.address for argument in first.arguments] == [None] * 3
        assert first.arguments[0].shape == (5,)
        stream.synchronize()
        assert [launch.kernel for launch in cp.debug.launches()] == [
            fail_.kernel, second.kernel, first.kernel
        ]
        cp.cuda.Device().synchronize()
        assert cp.debug.launches() == ()
        """
    )


@pytest.mark.slow
def test_the_list_is_bounded_and_keeps_nothing_alive():
    run(
        """
        import gc, weakref
        x = cp.arange(5, dtype="f4")
        stream = cp.cuda.Stream()
        with stream:
            y = x + 1
        noted = weakref.ref(stream), weakref.ref(y)
        del stream, x, y
        gc.collect()
        assert [what() for what in noted] == [None, None]
        assert cp.debug.launches()[0].kernel.startswith("gpuarray_add")
        x = cp.arange(5, dtype="f4")
        for _ in range(1000):
            x += 1
        assert len(cp.debug.launches()) == 64
        """
    )


def test_without_debug_mode_the_error_says_what_to_do():
    text = run(
        """
        x = cp.arange(5, dtype="f4")
        x += 1
        error = error_of(launch, cp.zeros(4, "i4"), 0)
        assert error.status == 700 and error.launches[0].kernel == "fail"
        assert error.launches[0].arguments[0].shape == (4,)
        later = error_of(cp.asnumpy, x)
        assert later.status == 700
        assert later.launches == error.launches
        print(error)
        print(later)
        import pickle
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error) and again.launches == error.launches
        """
    )
    for part in ("GPUARRAY_DEBUG=1", "gpuarray.debug.replay()", "python -m gpuarray check"):
        assert text.count(part) == 2


def test_other_errors_have_no_report():
    run(
        """
        error = error_of(lambda: fail((0,), (1,), (None, 0)))
        assert error.launches == () and error.report == ""
        from gpuarray._ffi import driver
        assert error_of(driver.mem_alloc, 1 << 60).report == ""
        """
    )


@pytest.mark.slow
def test_debug_mode_changes_no_result():
    program = """
        x = cp.arange(1000, dtype="f4")
        y = cp.arange(7)[::-1]
        print(float((x * 2 + x).sum()), cp.sort(y).tolist(), (y > 3).nonzero()[0].tolist())
        print(cp.cumsum(x)[-1], x[x > 990].tolist(), cp.unique(y % 3).tolist())
        launch(y[:4].astype("i4"), 4)
        """
    assert run(program, GPUARRAY_DEBUG="1") == run(program)


def test_debug_mode_lets_streams_be_captured():
    run(
        """
        from gpuarray._ffi import driver
        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            x = cp.arange(5)
            y = x + 1
            y = cp.zeros(5, int)
            stream.synchronize()
            driver.stream_begin_capture(stream.ptr, "relaxed")
            cp.add(x, 1, out=y)
            launch(cp.zeros(4, "i4"), 4, wait=False)
            graph = driver.stream_end_capture(stream.ptr)
            assert len(driver.graph_get_nodes(graph)) >= 2
            assert y.tolist() == [0] * 5
            driver.graph_launch(driver.graph_instantiate(graph), stream.ptr)
            assert y.tolist() == [1, 2, 3, 4, 5]
        """,
        GPUARRAY_DEBUG="1",
    )


def test_calls_after_a_fault_keep_no_memory():
    run(
        """
        import gc, tracemalloc

        def fail_again(times):
            for _ in range(times):
                assert error_of(lambda: cp.ones(10)).status == 700

        a = cp.zeros(16, "i4")
        assert error_of(launch, a, 0).status == 700
        fail_again(20)
        gc.collect()
        tracemalloc.start()
        fail_again(100)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 100 * 4000
        """,
    )
