"""QR factorisations: every mode, shape and dtype; how good they are, and NumPy's errors."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import CUDAError
from tests.array.arrays import raises_as_numpy
from tests.linalg.residuals import is_orthonormal, is_product, of_condition, precision, random

# Kernels for small matrices have tests of their own.
pytestmark = pytest.mark.usefixtures("by_libraries")

SHAPES = [(4, 4), (6, 3), (3, 5), (1, 4), (4, 1), (2, 5, 3), (2, 1, 3, 4)]
EMPTY = [(0, 3), (3, 0), (0, 0), (0, 2, 3), (2, 0, 3), (2, 3, 0)]


def _host(result):
    return [x.get() for x in result] if isinstance(result, tuple) else [result.get()]


def _like_numpys(result, expected):
    """Shapes, dtypes and contiguity of results."""
    expected = list(expected) if isinstance(expected, tuple) else [expected]
    result = list(result) if isinstance(result, tuple) else [result]
    assert [(x.shape, x.dtype) for x in result] == [(x.shape, x.dtype) for x in expected]
    assert all(x.flags.c_contiguous for x in result)


def _check(host, x, mode):
    result = cp.linalg.qr(x, mode)
    _like_numpys(result, np.linalg.qr(host, mode))
    q, r = _host(result)
    assert result.Q is result[0]
    assert result.R is result[1]
    is_product((q, r), host)
    is_orthonormal(q)
    assert not np.tril(r, -1).any()


@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_factors(shape, mode):
    host = random(shape)
    _check(host, cp.asarray(host), mode)


@pytest.mark.parametrize("dtype", ["f4", "c8", "c16", "i4", "?"])
def test_dtypes(dtype):
    host = random((5, 3), dtype)
    for mode in ("reduced", "complete"):
        _check(host, cp.asarray(host), mode)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_triangle_alone(shape):
    host = random(shape, "c16")
    r = cp.linalg.qr(cp.asarray(host), "r")
    _like_numpys(r, np.linalg.qr(host, "r"))
    r = r.get()
    assert not np.tril(r, -1).any()
    adjoint = host.conj().swapaxes(-1, -2)
    is_product((r.conj().swapaxes(-1, -2), r), adjoint @ host)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_reflectors(shape, dtype):
    host = random(shape, dtype)
    result = cp.linalg.qr(cp.asarray(host), "raw")
    _like_numpys(result, np.linalg.qr(host, "raw"))
    h, tau = [x.get() for x in result]
    # Q is the product of I - tau v v^H.
    m, n = shape[-2:]
    k = min(m, n)
    columns = h.swapaxes(-1, -2)
    v = np.tril(columns[..., :k], -1) + np.eye(m, k)
    q = np.broadcast_to(np.eye(m, dtype=dtype), (*shape[:-2], m, m))
    for i in range(k):
        vector = v[..., i : i + 1]
        q = q - tau[..., i, None, None] * (q @ vector) @ vector.conj().swapaxes(-1, -2)
    is_orthonormal(q)
    is_product((q, np.triu(columns)), host)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw"])
@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_no_elements(shape, mode):
    for dtype in ("f4", "i8"):
        host = np.zeros(shape, dtype)
        result, expected = cp.linalg.qr(cp.asarray(host), mode), np.linalg.qr(host, mode)
        _like_numpys(result, expected)
        if mode != "raw":
            expected = expected if isinstance(expected, tuple) else (expected,)
            for found, wanted in zip(_host(result), expected, strict=True):
                np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.swapaxes(-1, -2),
        lambda x: x[..., ::-2, ::2],
        lambda x: x[:, 1:, 1:],
        lambda x: x[::-1],
        lambda x: x[0][None],
    ],
    ids=["transposed", "negative strides", "part", "reversed stack", "one of a stack"],
)
def test_layouts(view):
    host = random((3, 5, 6))
    for shown, x in [(view(host), view(cp.asarray(host)))]:
        _check(shown, x, "reduced")
    x = cp.asarray(host)
    cp.linalg.qr(x)
    np.testing.assert_array_equal(x.get(), host)  # the operand stays as it is


def test_broadcast_operands():
    host = np.broadcast_to(random((1, 3)), (2, 4, 3))
    x = cp.broadcast_to(cp.asarray(host[0, :1]), (2, 4, 3))
    _check(host, x, "complete")


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("exponent", [1, 5, 10, 15])
def test_conditions(exponent, dtype):
    host = of_condition(10.0**exponent, (12, 7), dtype)
    _check(host, cp.asarray(host), "reduced")


def test_rank_deficient_matrices():
    for host in (np.zeros((4, 3)), np.ones((3, 4)), np.outer(np.arange(5.0), [1, 0, 2])):
        for mode in ("reduced", "complete"):
            _check(host, cp.asarray(host), mode)


def test_missing_numbers_are_no_error():
    host = random((3, 4, 3))
    host[1, 0, 0] = np.nan
    q, r = cp.linalg.qr(cp.asarray(host))
    assert np.isnan(q.get()[1]).any()
    assert np.isnan(r.get()[1]).any()
    for i in (0, 2):
        is_product((q.get()[i], r.get()[i]), host[i])


def test_a_list_is_an_operand():
    r = cp.linalg.qr([[3, 1], [4, 2]], mode="r")
    assert abs(abs(r.get()) - [[5, 2.2], [0, 0.4]]).max() < precision(r.get())


def test_the_older_name_of_a_mode():
    with pytest.deprecated_call(match="the mode 'full'"):
        assert cp.linalg.qr(cp.ones((3, 2)), "full").Q.shape == (3, 2)


def test_captures_are_refused_before_they_break():
    with cp.cuda.Stream(non_blocking=True) as stream:
        x = cp.asarray(random((3, 3)))
        cp.linalg.qr(x)
        stream.begin_capture()
        with pytest.raises(CUDAError, match="cannot be captured into a graph"):
            cp.linalg.qr(x)
        cp.add(x, x, out=x)
        stream.end_capture()


def test_matrices_of_too_many_elements(monkeypatch):
    """The functions that make Q count elements in 32 bits."""
    from gpuarray._libraries import qr

    monkeypatch.setattr(qr, "_MOST_ELEMENTS", 99)
    x = cp.asarray(random((25, 4)))
    with pytest.raises(ValueError, match="Q of a QR factorisation would have 25 x 4 elements"):
        cp.linalg.qr(x)
    assert cp.linalg.qr(x, "r").shape == (4, 4)


test_errors = raises_as_numpy(
    lambda xp: xp.linalg.qr(xp.ones(3)),
    lambda xp: xp.linalg.qr(xp.ones(())),
    lambda xp: xp.linalg.qr(xp.ones((2, 2), "f2")),
    lambda xp: xp.linalg.qr(xp.ones((2, 2)), "thin"),
    lambda xp: xp.linalg.qr(xp.ones((2, 2)), None),
)
