"""Bands and symmetry of matrices, and the Khatri-Rao product, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import gpuarray as cp
from gpuarray.scipy import linalg

NAN = np.nan
BANDED = np.triu(np.tril(np.arange(1.0, 31).reshape(5, 6), 1), -2)


@pytest.mark.parametrize(
    "matrix",
    [
        BANDED,
        BANDED.T,
        np.zeros((3, 2)),
        np.array([[0, NAN], [0, 1]]),
        BANDED[::-1].astype("i4"),
        np.eye(4, k=-3) * 1j,
        np.ones((0, 3)),
        np.ones((2, 2), bool),
    ],
)
def test_bandwidth(matrix):
    found = linalg.bandwidth(cp.asarray(matrix))
    assert found == scipy.linalg.bandwidth(matrix)
    assert [type(x) for x in found] == [int, int]


def test_bandwidths_of_stacks():
    stack = np.stack([BANDED, np.tril(BANDED), np.zeros_like(BANDED)])
    for found, expected in zip(linalg.bandwidth(cp.asarray(stack)), scipy.linalg.bandwidth(stack)):
        np.testing.assert_array_equal(cp.asnumpy(found), expected)


SYMMETRIC = BANDED[:, :5] + BANDED[:, :5].T
MATRICES = [
    SYMMETRIC,
    BANDED[:, :5],
    SYMMETRIC + 1e-9 * BANDED[:, :5],
    SYMMETRIC + 1j,
    SYMMETRIC + 1j * (BANDED[:, :5] - BANDED[:, :5].T),
    np.array([[NAN, 2], [2, 3]]),
    np.array([[1, NAN], [NAN, 3]]),
    np.array([[NAN, 2], [2, 3j]]),
    np.array([[1 + 1j]]),
    np.zeros((0, 0)),
]


@pytest.mark.parametrize("name", ["issymmetric", "ishermitian"])
@pytest.mark.parametrize("matrix", MATRICES)
def test_symmetry(name, matrix):
    function, reference = getattr(linalg, name), getattr(scipy.linalg, name)
    assert function(cp.asarray(matrix)) is bool(reference(matrix))
    tolerances = {"atol": 1e-7}
    assert function(cp.asarray(matrix), **tolerances) is reference(matrix, **tolerances)


def test_symmetry_of_stacks():
    stack = np.stack([SYMMETRIC, BANDED[:, :5]])
    for tolerances in ({}, {"rtol": 1e-3}):
        found = linalg.issymmetric(cp.asarray(stack), **tolerances)
        assert found.tolist() == [True, False]


@pytest.mark.parametrize(
    "shapes", [((2, 3), (4, 3)), ((3, 1, 2), (3, 2, 2)), ((2, 0), (4, 0)), ((0, 2), (3, 2))]
)
def test_khatri_rao(shapes):
    a, b = [np.arange(np.prod(shape)).reshape(shape) + 1.5 for shape in shapes]
    found = linalg.khatri_rao(cp.asarray(a), cp.asarray(b))
    expected = scipy.linalg.khatri_rao(a, b)
    np.testing.assert_array_equal(cp.asnumpy(found), expected, strict=True)


@pytest.mark.parametrize(
    "name, arguments, message",
    [
        ("bandwidth", [np.ones(3)], "2D"),
        ("issymmetric", [np.ones(3)], "2D"),
        ("ishermitian", [np.ones((2, 3))], "square"),
        ("khatri_rao", [np.ones(3), np.ones((2, 3))], "2-dimensional"),
        ("khatri_rao", [np.ones((2, 3)), np.ones((2, 2))], "number of columns"),
    ],
)
def test_wrong_arguments(name, arguments, message):
    for module, given in ((scipy.linalg, arguments), (linalg, map(cp.asarray, arguments))):
        with pytest.raises(ValueError, match=message):
            getattr(module, name)(*given)
