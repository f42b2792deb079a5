"""SciPy's special matrices, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import gpuarray as cp
from gpuarray.scipy import linalg

COLUMN = np.array([1, 2, 3])
ROW = np.array([7.5, 4, 5, 6])
STACK = np.arange(6).reshape(2, 3) + 1j


def same(found, expected):
    """Equal elements, dtype and shape."""
    found = cp.asnumpy(found)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("toeplitz", (COLUMN,)),
        ("toeplitz", (COLUMN, ROW)),
        ("toeplitz", (ROW[::2], COLUMN)),
        ("toeplitz", (STACK,)),
        ("toeplitz", (STACK, COLUMN)),
        ("toeplitz", (COLUMN[:0], COLUMN)),
        ("circulant", (COLUMN,)),
        ("circulant", (STACK,)),
        ("hankel", (COLUMN,)),
        ("hankel", (COLUMN, ROW)),
    ],
)
def test_constant_diagonals(name, arguments):
    found = getattr(linalg, name)(*map(cp.asarray, arguments))
    same(found, getattr(scipy.linalg, name)(*arguments))


def test_numbers_and_lists():
    same(linalg.toeplitz(3), scipy.linalg.toeplitz(3))
    same(linalg.toeplitz([1, 2], [1, 3, 4]), scipy.linalg.toeplitz([1, 2], [1, 3, 4]))
    with pytest.raises(ValueError, match=r"hankel: c of shape \(2, 3\)"):
        linalg.hankel(cp.asarray(STACK))


SEQUENCE = np.array([1.0, 4, -2, 5, 3])
SEQUENCES = np.arange(1, 13).reshape(2, 6)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("n", [1, 3, 5, 8])
def test_convolution_matrices(mode, n):
    found = linalg.convolution_matrix(cp.asarray(SEQUENCE), n, mode)
    same(found, scipy.linalg.convolution_matrix(SEQUENCE, n, mode))


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("convolution_matrix", (SEQUENCES, 3)),
        ("fiedler", (SEQUENCE,)),
        ("fiedler", (SEQUENCES - 1j,)),
        ("fiedler", (SEQUENCE[:1].astype("f4"),)),
        ("leslie", (SEQUENCES[0, :3], SEQUENCE[:2])),
        ("leslie", (SEQUENCES[:, :3], SEQUENCE[:2])),
    ],
)
def test_of_vectors(name, arguments):
    given = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments]
    same(getattr(linalg, name)(*given), getattr(scipy.linalg, name)(*arguments))


@pytest.mark.parametrize("name", ["companion", "fiedler_companion"])
@pytest.mark.parametrize(
    "coefficients",
    [
        *[SEQUENCE[:n] for n in (2, 3, 4)],
        SEQUENCE.astype("f4"),
        SEQUENCE + 1j,
        SEQUENCES,
        SEQUENCES.astype("i1"),
    ],
    ids=["2", "3", "4", "f4", "c16", "stack", "i1"],
)
def test_companion_matrices(name, coefficients):
    found = cp.asnumpy(getattr(linalg, name)(cp.asarray(coefficients)))
    expected = getattr(scipy.linalg, name)(coefficients)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6 if found.dtype == "f4" else 1e-14)
    assert found.shape == expected.shape


@pytest.mark.parametrize("name, given", [("fiedler", []), ("fiedler_companion", [3.0])])
def test_matrices_of_nothing(name, given):
    """They have two dimensions, as since SciPy 1.18."""
    expected = getattr(scipy.linalg, name)(given)
    same(getattr(linalg, name)(given), expected.reshape(0, 0))
    assert getattr(linalg, name)(cp.zeros((2, len(given)))).shape == (2, 0, 0)


BLOCKS = [np.ones((2, 3)), np.arange(4), np.array(5), np.zeros((0, 2)), np.eye(2) * 2]


@pytest.mark.parametrize(
    "blocks",
    [
        BLOCKS,
        [np.arange(6).reshape(2, 3), np.arange(4).reshape(2, 2).T],
        [np.ones((2, 1, 2, 2)), np.ones((3, 1, 1))],
        [np.full((2, 1), i) for i in range(20)],
        [np.empty((0, 0))],
        [],
    ],
    ids=["mixed", "of one dtype", "stacks", "many", "empty", "none"],
)
def test_block_diag(blocks):
    same(linalg.block_diag(*map(cp.asarray, blocks)), scipy.linalg.block_diag(*blocks))


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize(
    "name, arguments",
    [("helmert", (True,)), ("helmert", ()), ("hilbert", ()), ("invhilbert", (True,))],
)
def test_equal_to_the_bit(name, arguments, n):
    same(getattr(linalg, name)(n, *arguments), getattr(scipy.linalg, name)(n, *arguments))


@pytest.mark.parametrize("scale", [None, "sqrtn", "n"])
def test_dft(scale):
    for n in (0, 1, 7):
        found, expected = cp.asnumpy(linalg.dft(n, scale)), scipy.linalg.dft(n, scale)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13, strict=True)
    with pytest.raises(ValueError, match="scale must be None, 'sqrtn', or 'n'; 'm' is not valid"):
        linalg.dft(3, "m")


@pytest.mark.parametrize("dtype", ["i8", "u1", "c8"])
def test_hadamard(dtype):
    for n in (1, 8):
        same(linalg.hadamard(n, dtype), scipy.linalg.hadamard(n, dtype))
    for n in (0, -4, 6):
        with pytest.raises(ValueError, match="n must be a power of 2"):
            linalg.hadamard(n, dtype)


def test_exact_integers():
    same(linalg.invhilbert(14, exact=True), scipy.linalg.invhilbert(14, exact=True))
    for kind in ("symmetric", "lower", "upper"):
        same(linalg.pascal(34, kind), np.ascontiguousarray(scipy.linalg.pascal(34, kind)))
        same(linalg.invpascal(30, kind), scipy.linalg.invpascal(30, kind))
    for function, n in ((linalg.pascal, 35), (linalg.invpascal, 35)):
        with pytest.raises(ValueError, match="exact=False, or n up to 34"):
            function(n)
    with pytest.raises(ValueError, match="exact=False, or n up to 14"):
        linalg.invhilbert(15, exact=True)


@pytest.mark.parametrize("kind", ["symmetric", "lower", "upper"])
@pytest.mark.parametrize("name", ["pascal", "invpascal"])
def test_binomials_as_floats(name, kind):
    for n in (0, 1, 40):
        found = cp.asnumpy(getattr(linalg, name)(n, kind, exact=False))
        expected = getattr(scipy.linalg, name)(n, kind, exact=True).astype(float)
        np.testing.assert_allclose(found, expected, rtol=1e-14, strict=True)


def test_inverse_of_hilbert():
    found = cp.asnumpy(linalg.invhilbert(20))
    expected = scipy.linalg.invhilbert(20, exact=True).astype(float)
    np.testing.assert_allclose(found, expected, rtol=1e-14, strict=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.companion([1.0]),
        lambda m: m.convolution_matrix([1.0], 0),
        lambda m: m.convolution_matrix([], 2),
        lambda m: m.convolution_matrix([1.0], 2, "part"),
        lambda m: m.leslie([1.0, 2.0], [1.0, 2.0]),
        lambda m: m.leslie([1.0], []),
        lambda m: m.pascal(3, "left"),
        lambda m: m.invpascal(3, "left"),
        lambda m: m.helmert(0),
    ],
)
def test_wrong_arguments(call):
    with pytest.raises((ValueError, IndexError)) as expected:
        call(scipy.linalg)
    with pytest.raises(expected.type) as found:
        call(linalg)
    if expected.type is ValueError:
        assert str(found.value) == str(expected.value)
