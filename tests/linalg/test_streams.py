"""Linear algebra on several streams, in several threads, and in captures."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi.emulator.libraries import cusolver as emulated
from gpuarray.errors import CaptureError

#: More rows than own kernels take: the work is the libraries'.
ROWS = 36
THREADS = 4


def small(values):
    """Whether what should vanish does."""
    return np.abs(values).max() <= 1e-10


# Functions of a host array of square matrices: whether the device's results are right.


def eigh(a):
    a = a + a.swapaxes(-1, -2)
    w, v = [cp.asnumpy(x) for x in cp.linalg.eigh(cp.asarray(a))]
    return small(a @ v - v * w[..., None, :])


def eigvalsh(a):
    a = a + a.swapaxes(-1, -2)
    return small(cp.asnumpy(cp.linalg.eigvalsh(cp.asarray(a))) - np.linalg.eigvalsh(a))


def eig(a):
    w, v = [cp.asnumpy(x) for x in cp.linalg.eig(cp.asarray(a))]
    return small(a @ v - v * w[..., None, :])


def solve(a):
    b = a[..., :3]
    return small(a @ cp.asnumpy(cp.linalg.solve(cp.asarray(a), cp.asarray(b))) - b)


def inv(a):
    return small(a @ cp.asnumpy(cp.linalg.inv(cp.asarray(a))) - np.eye(ROWS))


def det(a):
    expected = np.linalg.slogdet(a)
    found = cp.linalg.slogdet(cp.asarray(a))
    return all(small(cp.asnumpy(x) - y) for x, y in zip(found, expected, strict=True))


def cholesky(a):
    definite = a @ a.swapaxes(-1, -2) + np.eye(ROWS)
    factor = cp.asnumpy(cp.linalg.cholesky(cp.asarray(definite)))
    return small(factor @ factor.swapaxes(-1, -2) - definite)


def qr(a):
    q, r = [cp.asnumpy(x) for x in cp.linalg.qr(cp.asarray(a))]
    return small(q @ r - a)


def svd(a):
    u, s, vh = [cp.asnumpy(x) for x in cp.linalg.svd(cp.asarray(a))]
    return small((u * s[..., None, :]) @ vh - a)


def matmul(a):
    x = cp.asarray(a)
    return small(cp.asnumpy(x @ x.swapaxes(-1, -2)) - a @ a.swapaxes(-1, -2))


FUNCTIONS = [matmul, solve, eigh, inv, det, svd, cholesky, qr, eigvalsh, eig]


def operand(number, stacked=False):
    shape = (2, ROWS, ROWS) if stacked else (ROWS, ROWS)
    return np.random.default_rng(number).standard_normal(shape)


def together(work):
    """Run work(number) in several threads at once; errors are raised."""
    gate = threading.Barrier(THREADS)
    errors = []

    def run(number):
        try:
            gate.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("own_stream", [False, True], ids=["one stream", "a stream each"])
def test_threads(own_stream):
    def work(number):
        # The same layouts in each thread, so the same plans, in another order.
        functions = FUNCTIONS[number % len(FUNCTIONS) :] + FUNCTIONS[: number % len(FUNCTIONS)]
        for turn, function in enumerate(functions):
            a = operand(10 * number + turn, stacked=turn == 1)
            if own_stream:
                with cp.cuda.Stream(non_blocking=True):
                    right = function(a)
            else:
                right = function(a)
            assert right, function.__name__

    together(work)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_streams(function):
    """What is queued before and after it is in order, on each stream."""
    with cp.cuda.Stream(non_blocking=True) as first:
        assert function(operand(1))
    with cp.cuda.Stream(non_blocking=True), first:
        assert function(operand(2, stacked=True))
    assert function(operand(3))


@pytest.mark.emulator  # it sees the handle of each call
def test_threads_never_share_a_handle(monkeypatch):
    seen = []
    for name in ("cusolverDnXsyevd", "cusolverDnXsyevBatched", "cusolverDnXgeev"):
        real = getattr(emulated, name)

        def noted(c, real=real):
            seen.append((c.handle.number, c.handle.stream, threading.get_ident()))
            real(c)

        monkeypatch.setattr(emulated, name, noted)
    stream = cp.cuda.Stream(non_blocking=True)
    alive = threading.Barrier(THREADS)

    def work(number):
        for turn in range(2):
            with stream:
                assert eigh(operand(number, stacked=turn == 1))
                assert eig(operand(number))
        alive.wait()  # a thread that ends hands its handle on

    together(work)
    assert len({thread for _, _, thread in seen}) == THREADS
    assert {where for _, where, _ in seen} == {stream.ptr}
    for handle in {handle for handle, _, _ in seen}:
        assert len({thread for one, _, thread in seen if one == handle}) == 1


#: Functions of one matrix that are cuSOLVER's for more than a few rows.
SOLVERS = ["eigh", "eigvalsh", "eig", "eigvals", "cholesky", "qr", "svd", "pinv"]


@pytest.mark.parametrize("first", [False, True], ids=["known", "first use"])
@pytest.mark.parametrize("name", SOLVERS)
def test_captures_go_on_without_cusolver(name, first):
    """Its work cannot be captured: the call raises before the capture would be invalid."""
    function = getattr(cp.linalg, name)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        a, x = cp.asarray(operand(1)), cp.zeros(3)
        if name == "cholesky":
            a = a @ a.T + cp.eye(ROWS)
        expected = None if first else function(a)
        stream.begin_capture()
        x += 1
        with pytest.raises(CaptureError):
            function(a)
        with cp.errstate(linalg="ignore"), pytest.raises(CaptureError):
            function(a)
        x += 1
        graph = stream.end_capture()
        graph.launch(stream)
        assert x.tolist() == [2, 2, 2]
        found = function(a)
        if not first:
            both = [x if isinstance(x, tuple) else (x,) for x in (found, expected)]
            for one, other in zip(*both, strict=True):
                np.testing.assert_array_equal(cp.asnumpy(one), cp.asnumpy(other))


@pytest.mark.parametrize(
    "name, rows",
    [(name, 5) for name in ("eigh", "eigvalsh", "inv", "det", "cholesky", "svd")]
    + [("inv", ROWS), ("det", ROWS)],
)
def test_captures_of_what_can_be_captured(name, rows):
    """Own kernels and cuBLAS, where nobody asks at once whether they succeeded.

    Outside of captures large matrices are cuSOLVER's, which rounds otherwise.
    """
    function = getattr(cp.linalg, name)
    stream = cp.cuda.Stream(non_blocking=True)
    host = operand(1)[:rows, :rows]
    host = host @ host.T + np.eye(rows)
    with stream, cp.errstate(linalg="ignore"):
        a = cp.asarray(np.zeros((rows, rows)))
        function(a)
        stream.begin_capture()
        found = function(a)
        graph = stream.end_capture()
        a[...] = cp.asarray(host)
        graph.launch(stream)
        both = [x if isinstance(x, tuple) else (x,) for x in (found, function(a))]
        for one, other in zip(*both, strict=True):
            one, other = cp.asnumpy(one), cp.asnumpy(other)
            if rows == ROWS:
                error = np.linalg.cond(host) * np.finfo(host.dtype).eps * rows
                assert (np.abs(one - other) <= error * np.abs(other).max()).all()
                graph.launch(stream)
                np.testing.assert_array_equal(cp.asnumpy(found), one)
            else:
                np.testing.assert_array_equal(one, other)


def test_results_repeat():
    a = cp.asarray(operand(5, stacked=True))
    for name in ("eigh", "eig", "qr", "svd", "inv"):
        function = getattr(cp.linalg, name)
        one, other = [x if isinstance(x, tuple) else (x,) for x in (function(a), function(a))]
        for x, y in zip(one, other, strict=True):
            np.testing.assert_array_equal(cp.asnumpy(x), cp.asnumpy(y))


def test_no_memory_is_kept():
    a = cp.asarray(operand(6, stacked=True))
    pool = cp.get_default_memory_pool()
    for name in ("eigh", "eigvalsh", "eig", "eigvals", "inv", "det", "qr", "svd", "pinv"):
        function = getattr(cp.linalg, name)
        function(a)
        gc.collect()
        used = pool.used_bytes()
        function(a)
        assert pool.used_bytes() == used


OPENED = """
import sys
import gpuarray as cp
assert "gpuarray.linalg" not in sys.modules
from gpuarray._ffi import cublas, cublaslt, cusolver

def opened():
    maps = open("/proc/self/maps").read()
    found = [x.library.name for x in (cublas, cublaslt, cusolver) if x.library._source is not None]
    return found + [name for name in ("libcublas.", "libcublasLt", "libcusolver") if name in maps]

assert opened() == [], opened()
import gpuarray.linalg, gpuarray.scipy.linalg
x = cp.ones((64, 64))
(x + x.T).sum()
cp.linalg.vector_norm(x)
cp.scipy.linalg.toeplitz([1, 2, 3])
assert opened() == [], opened()
y = cp.ones((4, 4))
y @ y  # small products are own kernels' work
cp.linalg.inv(y + cp.eye(4))
assert opened() == [], opened()
big = cp.ones((200, 200))
big @ big
assert "cuBLASLt" in opened() and "cuSOLVER" not in opened(), opened()
cp.linalg.eigh(x)
assert "cuSOLVER" in opened(), opened()
"""


def test_libraries_are_opened_when_they_are_used():
    result = subprocess.run(
        [sys.executable, "-c", OPENED],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
