"""After the fault of a kernel the emulator goes on, unless it is told to do as a GPU does."""

from __future__ import annotations

import gc
import re
import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray.errors import DriverError
from tests.faults.programs import run

pytestmark = pytest.mark.emulator

SOURCE = r"""
extern "C" __global__
void fail(int *a, int how) {
    if (how == 0) a[threadIdx.x + (1ll << 40)] = 1;  // nobody's memory
    if (how == 1) *(int *)((char *)a + 1) = 1;
    if (how == 2) __trap();
    if (how == 3) assert(a == 0);
    if (how == 4) a[threadIdx.x] = 7;
    if (how == 5) while (*(volatile int *)a != 9);
}
"""
FAULTS = {0: 700, 1: 716, 2: 719, 3: 710, 5: 702}


@pytest.fixture(scope="module")
def fail():
    return cp.RawKernel(SOURCE, "fail")


def fault(fail, a, how, **options) -> DriverError:
    with pytest.raises(DriverError) as raised:
        fail((1,), (4,), (a, np.int32(how)), **options)
    return raised.value


@pytest.mark.parametrize(("how", "status"), FAULTS.items())
def test_each_fault_is_reported_once(fail, how, status):
    a, x = cp.zeros(16, "i4"), cp.arange(5)
    for _ in range(2):
        error = fault(fail, a, how)
        assert error.status == status
        assert error.kernel == "fail"
        assert [launch.kernel for launch in error.launches] == ["fail"]
        assert error.launches[0].arguments[0].address == a.data.ptr
        cp.cuda.runtime.deviceSynchronize()
        assert x.tolist() == [0, 1, 2, 3, 4]
        assert (x + x).sum() == 20
        fail((1,), (4,), (a, np.int32(4)))
        assert a.tolist() == [7] * 4 + [0] * 12
        a.fill(0)
    text = str(error)
    assert "an earlier kernel" not in text.lower()
    assert "start the program anew" not in text


def test_the_error_names_the_line(fail):
    lines = SOURCE.split("\n")
    for how in FAULTS:
        error = fault(fail, cp.zeros(16, "i4"), how)
        assert "thread (0,0,0), fail.cu:" in error.detail or how == 5
        assert f"fail.cu:{how + 4}" in error.detail
        assert "PTX" not in error.detail
        assert f"\nfail.cu:{how + 4}: {lines[how + 3].strip()}" in error.report


def test_the_line_of_a_generated_source():
    kernel = cp.ElementwiseKernel("raw T x", "T y", "y = x[i + (1ll << 40)]", "stray")
    with pytest.raises(DriverError, match=r"gpuarray_stray\w*\.cu:\d+: .*y = x\[i \+ \(1ll << 40"):
        kernel(cp.arange(3), size=3)


def test_the_line_of_a_header(tmp_path):
    header = tmp_path / "stray.h"
    header.write_text("\n__device__ void stray(int *a) { a[1ll << 40] = 1; }\n")
    source = """
    #include "stray.h"
    extern "C" __global__ void f(int *a) { stray(a); }"""
    kernel = cp.RawKernel(source, "f", options=(f"-I{tmp_path}",))
    with pytest.raises(DriverError) as raised:
        kernel((1,), (1,), (cp.zeros(1, "i4"),))
    text = str(raised.value)
    assert "inlined at f.cu:3" in text
    assert f"{header}:2: __device__ void stray" in text


def test_an_image_is_for_any_directory(tmp_path, monkeypatch):
    """NVRTC puts the current directory into line information."""
    source = SOURCE.replace("fail(", "fail_elsewhere(")
    monkeypatch.chdir(tmp_path)
    kernel = cp.RawKernel(source, "fail_elsewhere")
    error = fault(kernel, cp.zeros(16, "i4"), 2)
    assert "fail_elsewhere.cu:6" in error.detail
    assert str(tmp_path) not in str(error)


def test_streams_events_and_pools(fail):
    gc.collect()
    pool = cp.get_default_memory_pool()
    used = pool.used_bytes()
    stream, before, after = cp.cuda.Stream(), cp.cuda.Event(), cp.cuda.Event()
    with stream:
        x = cp.arange(1000.0)
        before.record()
        fault(fail, cp.zeros(16, "i4"), 0)
        after.record()
        y = x * 2
    fault(fail, cp.zeros(16, "i4"), 2, stream=stream)
    assert stream.done
    stream.synchronize()
    assert before.done
    assert after.done
    assert cp.cuda.get_elapsed_time(before, after) >= 0
    assert float((x + y).sum()) == 3 * 499500
    pinned = cp.cuda.alloc_pinned_memory(64)
    fault(fail, cp.zeros(16, "i4"), 0)
    del pinned, x, y, stream
    gc.collect()
    assert pool.used_bytes() == used
    pool.free_all_blocks()


def test_look_back_state():
    """A kernel that stopped halfway must not be what the next one goes on from."""
    host = np.arange(300_000) % 11
    own = cp.cuda.Memory(host.nbytes)  # the pool may have memory behind an array of its own
    x = cp.ndarray(host.shape, host.dtype, cp.cuda.MemoryPointer(own, 0))
    x[...] = cp.asarray(host)
    memory = cp.cuda.UnownedMemory(x.data.ptr, 64 * x.nbytes, None, 0)
    stray = cp.ndarray((64 * x.size,), x.dtype, cp.cuda.MemoryPointer(memory, 0))
    for work in (
        lambda a: a[a > 7].sum(),
        lambda a: a.cumsum()[-1],
        lambda a: cp.unique(a).sum(),
        lambda a: cp.sort(a)[-1],
        lambda a: a.sum(),
    ):
        expected = int(work(x))
        with pytest.raises(DriverError, match="700"):
            work(stray)
        assert int(work(x)) == expected
    assert (cp.asnumpy(x) == host).all()


def test_graphs(fail):
    a, x = cp.zeros(16, "i4"), cp.zeros(3)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        x += 1
        fail((1,), (4,), (a, np.int32(4)))
        driver.stream_begin_capture(stream.ptr, "relaxed")
        x += 1
        fail((1,), (4,), (a, np.int32(0)))
        x += 1
        graph = driver.stream_end_capture(stream.ptr)
        executable = driver.graph_instantiate(graph)
        for count in (2, 3):
            with pytest.raises(DriverError, match="in kernel fail") as raised:
                driver.graph_launch(executable, stream.ptr)
            assert raised.value.status == 700
            assert raised.value.report == ""
            assert x.tolist() == [count] * 3  # what comes before the fault ran
    driver.graph_exec_destroy(executable)
    driver.graph_destroy(graph)


def test_libraries():
    from gpuarray._libraries.blas import gemm

    a, b = cp.ones((3, 64), "f4"), cp.ones((64, 3), "f4")
    memory = cp.cuda.UnownedMemory(a.data.ptr + (1 << 42), 1 << 20, None, 0)
    stray = cp.ndarray((64, 64), "f4", cp.cuda.MemoryPointer(memory, 0))
    for _ in range(2):
        with pytest.raises(DriverError, match="A, float32 .* needs 16384 bytes") as raised:
            gemm(a, stray)
        assert raised.value.status == 700
        assert gemm(a, b).tolist() == [[64.0] * 3] * 3


def test_other_threads_go_on(fail):
    a = cp.zeros(16, "i4")
    results = []

    def work():
        for _ in range(5):
            fault(fail, a, 0)
            results.append(int(cp.arange(10).sum()))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [45] * 15


def test_a_reset_after_a_fault():
    run(
        """
        x = cp.arange(5)
        error_of(launch, cp.zeros(16, "i4"), 0)
        assert (x + 1).tolist() == [1, 2, 3, 4, 5]
        cp.cuda.runtime.deviceReset()
        assert "was lost" in str(error_of(lambda: x + 1))
        assert cp.arange(3).tolist() == [0, 1, 2]
        """,
        GPUARRAY_STICKY_FAULTS="0",
    )


def test_debug_mode():
    text = run(
        """
        x = cp.zeros(16, "i4")
        for how in (0, 2):
            error = error_of(launch, x, how)
            assert "Launched at <string>:" in str(error), error
            cp.debug.replay()
        launch(x, 4)
        print(x[:4].tolist())
        """,
        GPUARRAY_STICKY_FAULTS="0",
        GPUARRAY_DEBUG="1",
    )
    assert text.count("replay of fail on the emulator") == 2
    assert re.search(r"> +6 \|     if \(how == 2\) __trap\(\);", text)
    assert text.endswith("[7, 7, 7, 7]\n")


@pytest.mark.usefixtures("core_headers")
def test_a_grid_barrier_needs_a_cooperative_launch():
    source = """#include <cooperative_groups.h>
    extern "C" __global__ void meet(int *x) {
        x[blockIdx.x] = 1;
        cooperative_groups::this_grid().sync();
    }"""
    x = cp.zeros(4, "i4")
    with pytest.raises(DriverError, match=r"enable_cooperative_groups=True makes it one") as raised:
        cp.RawKernel(source, "meet")((4,), (1,), (x,))
    assert raised.value.status == 719
    cp.RawKernel(source, "meet", enable_cooperative_groups=True)((4,), (1,), (x,))
    assert x.tolist() == [1] * 4
    # A trap of another kind is not explained so.
    with pytest.raises(DriverError) as raised:
        cp.RawKernel('extern "C" __global__ void f() { __trap(); }', "f")((1,), (1,), ())
    assert "cooperative" not in str(raised.value)


def test_what_nothing_defines_is_refused_when_it_is_loaded():
    for source, name in (
        ("extern __device__ int missing(); EXTERN void f(int *a) { *a = missing(); }", "missing"),
        ("__global__ void g() {} EXTERN void f(int *a) { g<<<1, 1>>>(); }", "device runtime"),
    ):
        source = source.replace("EXTERN", 'extern "C" __global__')
        kernel = cp.RawKernel(source, "f", options=("-rdc=true",))
        for _ in range(2):
            with pytest.raises(DriverError, match=name) as raised:
                kernel((1,), (1,), (cp.zeros(1, "i4"),))
            assert raised.value.status_name == "CUDA_ERROR_INVALID_PTX"
            assert cp.arange(3).tolist() == [0, 1, 2]
