"""Matrix products by cuBLAS as plans, on either backend."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gpuarray._ffi import cublas, cublaslt, driver
from gpuarray._libraries import blas, blas_lt
from gpuarray._libraries.blas import gemm, gemm_call
from gpuarray.errors import CUDAError, LibraryError

#: The function that is called, by the library.
FUNCTIONS = {"cuBLAS": "cublasGemmStridedBatchedEx_64", "cuBLASLt": "cublasLtMatmul"}


@pytest.fixture(params=FUNCTIONS, autouse=True)
def function(request, xp, monkeypatch):
    """Let one library multiply everything, and say by which function."""
    monkeypatch.setattr(blas, "_ROUTE", blas.Route(light=request.param == "cuBLASLt"))
    with xp.cuda.Stream(non_blocking=True):  # which has no plans yet
        yield FUNCTIONS[request.param]


#: Of results of about 1, for sums of few products.
TOLERANCES = {"f2": 2e-3, "f4": 1e-5, "f8": 1e-13, "c8": 1e-5, "c16": 1e-13}


def _random(rng, dtype, shape):
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def _expected(a, b):
    wide = "f4" if a.dtype == "f2" else a.dtype
    return (a.astype(wide) @ b.astype(wide)).astype(a.dtype)


def _check(xp, a, b, host_a, host_b):
    result = gemm(a, b)
    expected = _expected(host_a, host_b)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    assert result.flags.c_contiguous
    tolerance = TOLERANCES[expected.dtype.str[1:]]
    np.testing.assert_allclose(xp.asnumpy(result), expected, rtol=tolerance, atol=8 * tolerance)


def _part_of(shape):
    """Returns what puts matrices into the corner of zeros that have so many more rows, columns."""

    def place(x):
        wide = np.zeros((*x.shape[:-2], x.shape[-2] + shape[0], x.shape[-1] + shape[1]), x.dtype)
        part = wide[..., : x.shape[-2], : x.shape[-1]]
        part[...] = x
        return part

    return place


#: What gives an array of matrices another layout.
LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.swapaxes(-1, -2).copy().swapaxes(-1, -2),
    "of wider rows": _part_of((0, 3)),
    "of more rows": _part_of((2, 0)),
}


def _on_device(xp, host):
    """A device array of the same elements and strides, as a view of the same base."""
    if host.base is None:
        return xp.asarray(host)
    base = xp.asarray(host.base)
    if base.shape == host.swapaxes(-1, -2).shape:
        return base.swapaxes(-1, -2)
    return base[..., : host.shape[-2], : host.shape[-1]]


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("shapes", [((5, 3), (3, 4)), ((2, 5, 3), (2, 3, 4))], ids=["2-D", "3-D"])
def test_products(xp, rng, dtype, shapes):
    a, b = [_random(rng, dtype, shape) for shape in shapes]
    _check(xp, xp.asarray(a), xp.asarray(b), a, b)


@pytest.mark.parametrize("second", LAYOUTS)
@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("stack", [(), (3,)], ids=["2-D", "3-D"])
def test_layouts(xp, rng, stack, first, second):
    a = LAYOUTS[first](_random(rng, "c8", (*stack, 4, 6)))
    b = LAYOUTS[second](_random(rng, "c8", (*stack, 6, 5)))
    x, y = _on_device(xp, a), _on_device(xp, b)
    assert (x.strides, y.strides) == (a.strides, b.strides)
    _check(xp, x, y, a, b)


@pytest.mark.parametrize(
    "shapes",
    [
        ((1, 4), (4, 1)),
        ((4, 1), (1, 5)),
        ((1, 1), (1, 1)),
        ((3, 2, 4), (4, 5)),
        ((2, 4), (3, 4, 5)),
        ((1, 2, 4), (4, 5)),
    ],
)
def test_single_rows_columns_and_matrices(xp, rng, shapes):
    a, b = [_random(rng, "f8", shape) for shape in shapes]
    _check(xp, xp.asarray(a), xp.asarray(b), a, b)


@pytest.mark.parametrize("shapes", [((0, 3), (3, 4)), ((2, 0), (0, 4)), ((0, 2, 3), (0, 3, 4))])
def test_no_elements(xp, shapes):
    a, b = [np.ones(shape, "f4") for shape in shapes]
    np.testing.assert_array_equal(xp.asnumpy(gemm(xp.asarray(a), xp.asarray(b))), a @ b)


def test_what_cublas_has_no_product_of(xp):
    ones = xp.ones
    for a, b in [
        (ones((2, 3)), ones((3, 2), "f4")),
        (ones((2, 3), "i4"), ones((3, 2), "i4")),
        (ones((2, 3)), ones((2, 3))),
        (ones((2, 2, 3)), ones((3, 3, 2))),
        (ones(3), ones((3, 2))),
        (ones((4, 6))[::2, ::2], ones((3, 2))),
        (xp.broadcast_to(ones(1), (2, 3)), ones((3, 2))),
        (ones((2, 3))[::-1], ones((3, 2))),
    ]:
        with pytest.raises(ValueError, match="cuBLAS has no product of"):
            gemm(a, b)


def test_the_plan_is_kept(xp):
    a, b = xp.ones((2, 3)), xp.ones((3, 4))
    gemm(a, b)
    plans = dict(xp.cuda.get_current_stream().plans)
    assert xp.asnumpy(gemm(a, b)).tolist() == [[3] * 4] * 2
    assert xp.cuda.get_current_stream().plans == plans


def test_work_follows_the_kernels_of_its_stream(xp):
    with xp.cuda.Stream(non_blocking=True) as stream:
        a = xp.arange(6, dtype="f8").reshape(2, 3) * 2
        result = gemm(a, (a + 1).T) - 1
        stream.synchronize()
    host = np.arange(6.0).reshape(2, 3) * 2
    np.testing.assert_array_equal(xp.asnumpy(result), host @ (host + 1).T - 1)


def test_results_repeat_bit_by_bit_in_all_threads(xp, rng):
    a = xp.asarray(_random(rng, "f4", (64, 1000)))
    b = xp.asarray(_random(rng, "f4", (1000, 8)))
    results = []

    def work():
        for _ in range(3):
            results.append(xp.asnumpy(gemm(a, b)).tobytes())

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 9
    assert len(set(results)) == 1


def test_a_capture(xp, rng):
    with xp.cuda.Stream(non_blocking=True) as stream:
        a, b = xp.asarray(_random(rng, "f8", (4, 3))), xp.asarray(_random(rng, "f8", (3, 5)))
        gemm(a, b)  # handles are made before a capture
        driver.stream_begin_capture(stream.handle, "relaxed")
        result = gemm(a, b)
        graph = driver.stream_end_capture(stream.handle)
        executable = driver.graph_instantiate(graph)
        a *= 2
        driver.graph_launch(executable, stream.handle)
        stream.synchronize()
        expected = xp.asnumpy(a) @ xp.asnumpy(b)
        np.testing.assert_allclose(xp.asnumpy(result), expected, rtol=1e-13)
        driver.graph_exec_destroy(executable)
        driver.graph_destroy(graph)


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
def test_a_first_product_in_a_capture_raises_before_the_capture_breaks(xp, mode):
    with xp.cuda.Stream(non_blocking=True) as stream:
        a = xp.ones((2, 2))
        b = a + a  # kernels are loaded, and the result's memory allocated, before the capture
        xp.add(a, a, out=b)
        _ = xp.empty((2, 2))
        del _
        driver.stream_begin_capture(stream.handle, mode)
        with pytest.raises(CUDAError, match="call the operation once before the capture"):
            gemm(a, a)
        xp.add(a, a, out=b)
        driver.graph_destroy(driver.stream_end_capture(stream.handle))  # it is still valid
        np.testing.assert_array_equal(xp.asnumpy(gemm(a, a)), [[2, 2], [2, 2]])


def test_a_library_that_cannot_be_captured_raises_before_a_capture_breaks(
    xp, monkeypatch, function
):
    for module in (cublas, cublaslt):
        monkeypatch.setattr(module.library, "capturable", False)
    with xp.cuda.Stream(non_blocking=True) as stream:
        a = xp.ones((2, 2))
        b = a + 1
        np.testing.assert_array_equal(xp.asnumpy(gemm(a, a)), [[2, 2], [2, 2]])
        driver.stream_begin_capture(stream.handle, "relaxed")
        with pytest.raises(CUDAError, match=f"{function} cannot be captured into a graph"):
            gemm(a, a)
        xp.add(a, a, out=b)
        driver.graph_destroy(driver.stream_end_capture(stream.handle))  # it is still valid


def test_a_refusal_names_the_function_and_the_status(xp, monkeypatch):
    monkeypatch.setattr(blas, "_ROUTE", blas.Route(light=False))
    a, b = xp.ones((2, 3)), xp.ones((3, 4))
    run = gemm_call(a._layout, b._layout, xp.cuda.get_current_stream())
    bound = run.__closure__[run.__code__.co_freevars.index("failed0")].cell_contents.__self__
    monkeypatch.setitem(bound.values, "ldc", 1)
    with pytest.raises(LibraryError) as raised:
        run(a, b)
    assert raised.value.call == "cublasGemmStridedBatchedEx_64"
    assert raised.value.status_name == "CUBLAS_STATUS_INVALID_VALUE"
    assert raised.value.status == 7


@pytest.mark.emulator
def test_checkers_see_what_a_product_reads_and_writes(xp, function):
    with xp.cuda.check("uninit", raises=False) as checked:
        a = xp.ones((4, 4), "f4")
        np.testing.assert_array_equal(xp.asnumpy(gemm(gemm(a, a), a)), np.full((4, 4), 16))
        assert checked.findings == []
        gemm(a, xp.empty((4, 4), "f4"))
        (finding,) = checked.findings
    assert finding.kind == "uninit"
    assert finding.kernel == function
    assert "A is read where it was never written" in finding.message


def test_reports_name_calls_that_may_be_running(xp, function):
    a, b = xp.ones((2, 3), "f4"), xp.ones((3, 4), "f4")
    result = gemm(a, b)
    launch = xp.debug.launches()[0]
    assert launch.kernel == function
    assert [(x.name, x.shape, x.address) for x in launch.arguments[:3]] == [
        ("x1", (3, 4), b.data.ptr),
        ("x0", (2, 3), a.data.ptr),
        ("y0", (2, 4), result.data.ptr),
    ]
    assert f"{function}, stream" in str(launch)
    assert "grid" not in str(launch)


def test_addresses_that_are_not_aligned(xp, rng, function):
    """One plan holds for them all; cuBLASLt's algorithm does not."""
    host = rng.standard_normal(8 * 8 + 1).astype("f4")
    x = xp.asarray(host)
    y = xp.asarray(host[:64].reshape(8, 8))
    used = []
    for start in (0, 1, 0):
        used.append(gemm(x[start : start + 64].reshape(8, 8), y))
        kernel = xp.debug.launches()[0].kernel
        expected = host[start : start + 64].reshape(8, 8) @ host[:64].reshape(8, 8)
        np.testing.assert_allclose(xp.asnumpy(used[-1]), expected, rtol=1e-5, atol=1e-5)
        assert kernel == (FUNCTIONS["cuBLAS"] if start else function)
    np.testing.assert_array_equal(xp.asnumpy(used[0]), xp.asnumpy(used[2]))


def test_a_workspace_for_a_long_inner_dimension(xp, rng):
    a, b = rng.standard_normal((6, 600)), rng.standard_normal((600, 6))
    results = [xp.asnumpy(gemm(xp.asarray(a), xp.asarray(b))) for _ in range(3)]
    np.testing.assert_allclose(results[0], a @ b, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize(
    "changes, found",
    [({}, True), ({"ldb": 1 << 29}, False), ({"batchCount": 1 << 31}, False)],
    ids=["small", "long distances", "many matrices"],
)
def test_large_operands_are_left_to_64_bit_functions(xp, changes, found):
    given = {
        "m": 4, "n": 4, "k": 4, "transa": "CUBLAS_OP_N", "transb": "CUBLAS_OP_N",
        "lda": 4, "ldb": 4, "ldc": 4, "strideA": 0, "strideB": 0, "strideC": 0, "batchCount": 1,
        "Atype": np.dtype("f4"), "Btype": np.dtype("f4"), "Ctype": np.dtype("f4"),
        "alpha": np.float32(1), "beta": np.float32(0), "computeType": "CUBLAS_COMPUTE_32F",
    }  # fmt: skip
    passed = {"A": "x0", "B": "x1", "C": "y0"}
    step = blas_lt.product_step(given | changes, passed, xp.cuda.get_current_stream())
    assert (step is not None) is found
