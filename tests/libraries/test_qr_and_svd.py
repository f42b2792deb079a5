"""Plans of QR factorisations and singular value decompositions, on either backend."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gpuarray._ffi import driver
from gpuarray._libraries.qr import product_call, qr_call
from gpuarray._libraries.svd import svd_call
from gpuarray._runtime.current_stream import current
from gpuarray.errors import CUDAError
from tests.linalg.residuals import is_product, precision, random


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("adjoint", [False, True])
def test_products_with_q(xp, dtype, adjoint):
    matrix, columns = random((6, 3), dtype), random((2, 6), dtype, 1)
    a, b = xp.asarray(matrix), xp.asarray(columns)
    r, product = product_call(current.stream, a._layout, b._layout, np.dtype(dtype), adjoint)(a, b)
    q, expected = [
        x.get() for x in qr_call(current.stream, a._layout, np.dtype(dtype), "complete")(a)
    ]
    np.testing.assert_allclose(r.get(), expected[:3], rtol=1e-5, atol=precision(q))
    is_product((q.conj().T if adjoint else q, columns.T), product.get().T)


@pytest.mark.parametrize("driver_", ["gesvd", "gesvdp"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(5, 5), (1, 1), (2, 3, 4, 4)], ids=str)
def test_each_driver_decomposes(xp, shape, dtype, driver_):
    matrix = random(shape, dtype)
    x = xp.asarray(matrix)
    away = np.full(shape[:-2], np.nan)
    addresses = [away.ctypes.data] if driver_ == "gesvdp" else []
    run = svd_call(current.stream, x._layout, np.dtype(dtype), driver_, True, False)
    u, s, vh, info = [y.get() for y in run(x, *addresses)]
    assert not info.any()
    is_product((u * s[..., None, :], vh), matrix)
    if addresses:
        assert (away <= np.finfo(dtype).eps * s[..., 0]).all()
    run = svd_call(current.stream, x._layout, np.dtype(dtype), driver_, False, True)
    values = run(x, *addresses)[0].get()
    np.testing.assert_allclose(values, s, atol=precision(s) * s.max())


def test_singular_matrices_are_reported(xp):
    """Either the decomposition of a singular matrix is accurate, or the distance says that not."""
    matrix = np.diag([1.0, 0.5, 0.0])
    x = xp.asarray(matrix)
    away = np.full((), np.nan)
    run = svd_call(current.stream, x._layout, np.dtype("f8"), "gesvdp", True, False)
    s = run(x, away.ctypes.data)[1].get()
    assert np.abs(s - [1, 0.5, 0]).max() <= max(2 * float(away), precision(s))


def test_threads_have_workspaces_of_their_own(xp):
    matrices = [random((20, 20), seed=i) for i in range(4)]
    found = {}

    def work(number):
        for _ in range(3):
            x = xp.asarray(matrices[number])
            run = svd_call(current.stream, x._layout, x.dtype, "gesvd", False, False)
            found[number] = run(x)[0].get()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, matrix in enumerate(matrices):
        np.testing.assert_allclose(found[number], np.linalg.svdvals(matrix), rtol=1e-10)


def test_captures_are_refused_before_they_break(xp):
    with xp.cuda.Stream(non_blocking=True) as stream:
        x = xp.asarray(random((4, 4)))
        run = qr_call(current.stream, x._layout, x.dtype, "raw")
        run(x)
        driver.stream_begin_capture(stream.handle, "relaxed")
        with pytest.raises(CUDAError, match="cusolverDnXgeqrf cannot be captured into a graph"):
            run(x)
        xp.add(x, x, out=x)
        driver.graph_destroy(driver.stream_end_capture(stream.handle))  # it is still valid
