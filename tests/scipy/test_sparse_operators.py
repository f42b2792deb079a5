"""Linear operators of dense arrays and of functions, against SciPy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse.linalg as expected

import gpuarray as cp
from gpuarray.scipy.sparse import linalg

A = np.arange(6.0).reshape(2, 3) + 1j * np.ones((2, 3))
V, W = np.arange(3.0), np.arange(2.0) + 1
X, Y = np.arange(12.0).reshape(3, 4), np.arange(8.0).reshape(2, 4)


def made(xp, module, kind):
    a = xp.asarray(A)
    if kind == "matrix":
        return module.aslinearoperator(a)
    if kind == "functions":
        return module.LinearOperator(A.shape, lambda x: a @ x, lambda x: a.conj().T @ x)

    class Own(module.LinearOperator):
        def _matmat(self, X):
            return a @ X

        def _adjoint(self):
            return module.aslinearoperator(a.conj().T)

    return Own(a.dtype, a.shape)


OPERATIONS = {
    "matvec": lambda op, v, w, x, y: op.matvec(v),
    "column": lambda op, v, w, x, y: op @ v[:, None],
    "rmatvec": lambda op, v, w, x, y: op.rmatvec(w),
    "matmat": lambda op, v, w, x, y: op @ x,
    "rmatmat": lambda op, v, w, x, y: op.rmatmat(y),
    "adjoint": lambda op, v, w, x, y: op.H @ w,
    "transpose": lambda op, v, w, x, y: op.T.matvec(w),
    "transposes of matrices": lambda op, v, w, x, y: op.T @ y,
    "adjoint of adjoint": lambda op, v, w, x, y: op.H.H @ x,
    "sum": lambda op, v, w, x, y: (op + op - 2j * op) @ v,
    "product": lambda op, v, w, x, y: (op.H @ op)(v),
    "scaled adjoint": lambda op, v, w, x, y: (2j * (3 * op) / 4).H @ w,
    "power": lambda op, v, w, x, y: ((op.H * op) ** 2) @ v,
    "negative": lambda op, v, w, x, y: (-op).rmatvec(w),
    "from the left": lambda op, v, w, x, y: w @ op,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["matrix", "functions", "subclass"])
def test_operations(kind):
    mine, theirs = made(cp, linalg, kind), made(np, expected, kind)
    assert mine.dtype == theirs.dtype
    assert mine.shape == theirs.shape
    for name, operation in OPERATIONS.items():
        if name == "from the left":  # of a NumPy array NumPy would make an array of objects
            found = mine.__rmatmul__(cp.asarray(W))
            right = theirs.__rmatmul__(W)
        else:
            found = operation(mine, *map(cp.asarray, (V, W, X, Y)))
            right = operation(theirs, V, W, X, Y)
        assert isinstance(found, cp.ndarray), name
        assert found.dtype == right.dtype, name
        np.testing.assert_allclose(cp.asnumpy(found), right, 1e-14, err_msg=name)


def test_arrays_leave_products_to_the_operator():
    np.testing.assert_allclose(
        cp.asnumpy(cp.asarray(W) @ linalg.aslinearoperator(cp.asarray(A))), W @ A
    )


def test_object_with_products():
    class Twice:
        shape = (2, 2)

        def matvec(self, x):
            return x * 2

    operator = linalg.aslinearoperator(Twice())
    assert operator.dtype == np.int8
    assert (operator @ cp.ones((2, 2))).tolist() == [[2, 2], [2, 2]]
    assert repr(operator).startswith("<2x2 ")
    with pytest.raises(NotImplementedError, match="rmatvec"):
        operator.rmatvec(cp.ones(2))
    with pytest.raises(NotImplementedError, match="rmatvec"):
        operator.H.matvec(cp.ones(2))


WRONG = {
    "vector": lambda xp, m, op: op.matvec(xp.ones(2)),
    "matrix": lambda xp, m, op: op.matmat(xp.ones((2, 2))),
    "dimensions": lambda xp, m, op: op.dot(xp.ones((3, 2, 2))),
    "sum": lambda xp, m, op: op + op.T,
    "product": lambda xp, m, op: op @ op,
    "number": lambda xp, m, op: op @ 2,
    "power": lambda xp, m, op: op**2,
    "negative power": lambda xp, m, op: (op.H @ op) ** -1,
    "quotient": lambda xp, m, op: op / op,
    "text": lambda xp, m, op: m.aslinearoperator("a"),
    "shape": lambda xp, m, op: m.LinearOperator((2,), lambda x: x),
    "not a length": lambda xp, m, op: m.LinearOperator((2, -1), lambda x: x),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_errors(name):
    with pytest.raises(Exception) as theirs:
        WRONG[name](np, expected, made(np, expected, "matrix"))
    with pytest.raises(theirs.type):
        WRONG[name](cp, linalg, made(cp, linalg, "matrix"))


def test_three_dimensions():
    with pytest.raises(ValueError, match="ndim"):  # SciPy 1.18 takes them
        linalg.aslinearoperator(cp.ones((2, 2, 2)))


def test_subclass_without_products():
    with pytest.warns(RuntimeWarning, match="at least one"):
        type("Own", (linalg.LinearOperator,), {})(np.float64, (2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(cp, linalg, "subclass")


def test_host_arrays_are_refused():
    with pytest.raises(TypeError):
        linalg.aslinearoperator(A)
    with pytest.raises(TypeError):
        made(cp, linalg, "matrix").matvec(V)
