"""What holds for any matrices: inverses, factors, invariances, in any memory order."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is not installed")
st = hypothesis.strategies
hnp = pytest.importorskip("hypothesis.extra.numpy")

#: Few shapes and dtypes: each has kernels of its own.
ROWS = st.sampled_from([1, 2, 5])
DTYPES = st.sampled_from(["f8", "c16"])
BATCHES = st.sampled_from([(), (2,)])
#: Quotients by a power of two: sums and small products are exact.
PARTS = st.integers(-16, 16).map(lambda x: x / 8)

few = hypothesis.settings(max_examples=8, deadline=None)


@st.composite
def arrays(draw, shape, dtype):
    real = draw(hnp.arrays("f8", shape, elements=PARTS))
    if np.dtype(dtype).kind != "c":
        return real
    return real + 1j * draw(hnp.arrays("f8", shape, elements=PARTS))


@st.composite
def squares(draw, dominant=False):
    """Square matrices; those with a dominant diagonal are far from singular."""
    n, batch, dtype = draw(ROWS), draw(BATCHES), draw(DTYPES)
    a = draw(arrays((*batch, n, n), dtype))
    if not dominant:
        return a
    diagonal = draw(hnp.arrays("f8", (*batch, n), elements=st.sampled_from([-1.0, 1.0])))
    return a + 8 * n * diagonal[..., None] * np.eye(n)


@st.composite
def rectangles(draw):
    rows, columns, batch, dtype = draw(ROWS), draw(ROWS), draw(BATCHES), draw(DTYPES)
    return draw(arrays((*batch, rows, columns), dtype))


@st.composite
def hermitians(draw, definite=False):
    a = draw(squares())
    n = a.shape[-1]
    if definite:
        return a @ adjoint(a) + np.eye(n)
    return a + adjoint(a)


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


#: How an array comes to lie on the device.
PLACED = {
    "rows": cp.asarray,
    "columns": lambda a: cp.asarray(np.ascontiguousarray(a.swapaxes(-1, -2))).swapaxes(-1, -2),
    "backwards": lambda a: cp.asarray(np.ascontiguousarray(a[..., ::-1, ::-1]))[..., ::-1, ::-1],
    "gaps": lambda a: cp.asarray(np.repeat(np.repeat(a, 2, -1), 3, -2))[..., ::3, ::2],
}
placed = st.sampled_from(sorted(PLACED))
ORDERS = st.sampled_from([1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"])


def near(found, expected, factor=1.0):
    found = cp.asnumpy(found)
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    scale = max(1.0, np.abs(expected).max(initial=0))
    assert np.abs(found - expected).max(initial=0) <= 1e-11 * factor * scale


@few
@hypothesis.given(squares(dominant=True), placed)
def test_inverses(a, place):
    x = PLACED[place](a)
    n = a.shape[-1]
    inverse = cp.linalg.inv(x)
    near(x @ inverse, np.broadcast_to(np.eye(n), a.shape))
    near(inverse @ x, np.broadcast_to(np.eye(n), a.shape))
    near(cp.linalg.inv(inverse), a)
    near(cp.linalg.inv(x.swapaxes(-1, -2)), cp.asnumpy(inverse).swapaxes(-1, -2))


@few
@hypothesis.given(squares(dominant=True), placed, st.data())
def test_solutions(a, place, data):
    x = PLACED[place](a)
    b = data.draw(arrays((*a.shape[:-1], 3), a.dtype))
    c = data.draw(arrays((*a.shape[:-1], 3), a.dtype))
    first = cp.linalg.solve(x, PLACED[place](b))
    near(x @ first, b)
    # Linear in the right-hand sides.
    second = cp.linalg.solve(x, cp.asarray(c))
    near(cp.linalg.solve(x, cp.asarray(2 * b - c)), cp.asnumpy(2 * first - second))


@few
@hypothesis.given(squares(dominant=True), placed)
def test_determinants(a, place):
    x = PLACED[place](a)
    determinant = cp.linalg.det(x)
    near(determinant, np.linalg.det(a))
    near(cp.linalg.det(x.swapaxes(-1, -2)), cp.asnumpy(determinant))
    near(cp.linalg.det(x @ x), cp.asnumpy(determinant) ** 2, 10)
    near(determinant * cp.linalg.det(cp.linalg.inv(x)), np.ones(a.shape[:-2]))
    sign, logarithm = cp.linalg.slogdet(x)
    near(sign * cp.exp(logarithm), cp.asnumpy(determinant), 100)
    near(cp.abs(sign), np.ones(a.shape[:-2]))
    values = cp.asnumpy(cp.linalg.eigvals(x))
    near(determinant, values.prod(-1), 100)


@few
@hypothesis.given(hermitians(), placed)
def test_eigenvalues_of_hermitian_matrices(a, place):
    x = PLACED[place](a)
    w, v = cp.linalg.eigh(x)
    n = a.shape[-1]
    near((v * w[..., None, :]) @ v.conj().swapaxes(-1, -2), a)
    near(v.conj().swapaxes(-1, -2) @ v, np.broadcast_to(np.eye(n), a.shape))
    near(w.sum(-1), np.trace(a, axis1=-2, axis2=-1).real)
    assert (cp.diff(w, axis=-1) >= 0).all()
    near(cp.linalg.eigvalsh(x, "U"), cp.asnumpy(w))
    # Shifts, signs, conjugates.
    near(cp.linalg.eigvalsh(x + 3 * cp.eye(n)), cp.asnumpy(w) + 3)
    near(cp.linalg.eigvalsh(-x)[..., ::-1], -cp.asnumpy(w))
    near(cp.linalg.eigvalsh(x.swapaxes(-1, -2)), cp.asnumpy(w))


@few
@hypothesis.given(squares(), placed)
def test_eigenvalues(a, place):
    x = PLACED[place](a)
    w, v = cp.linalg.eig(x)
    # That the vectors are a basis is not said: the matrix may be defective.
    near(x @ v - v * w[..., None, :], np.zeros(a.shape))
    near(cp.linalg.norm(v, axis=-2), np.ones(a.shape[:-1]))
    near(w.sum(-1), np.trace(a, axis1=-2, axis2=-1))
    if a.dtype.kind == "f":
        pairs = cp.asnumpy(w)
        near(np.sort_complex(pairs), np.sort_complex(pairs.conj()))


@few
@hypothesis.given(hermitians(definite=True), placed)
def test_cholesky_factors(a, place):
    x = PLACED[place](a)
    factor = cp.linalg.cholesky(x)
    near(factor @ factor.conj().swapaxes(-1, -2), a)
    host = cp.asnumpy(factor)
    assert (np.triu(host, 1) == 0).all()
    assert (np.diagonal(host, axis1=-2, axis2=-1).real > 0).all()
    near(cp.linalg.cholesky(x, upper=True), adjoint(host))


@few
@hypothesis.given(rectangles(), placed)
def test_orthogonal_factors(a, place):
    x = PLACED[place](a)
    for mode in ("reduced", "complete"):
        q, r = cp.linalg.qr(x, mode)
        near(q @ r, a)
        identity = np.broadcast_to(np.eye(q.shape[-1]), (*a.shape[:-2], *[q.shape[-1]] * 2))
        near(q.conj().swapaxes(-1, -2) @ q, identity)
        assert (np.tril(cp.asnumpy(r), -1) == 0).all()


@few
@hypothesis.given(rectangles(), placed)
def test_singular_values(a, place):
    x = PLACED[place](a)
    u, s, vh = cp.linalg.svd(x, full_matrices=False)
    near((u * s[..., None, :]) @ vh, a)
    identity = np.broadcast_to(np.eye(s.shape[-1]), (*a.shape[:-2], *[s.shape[-1]] * 2))
    near(u.conj().swapaxes(-1, -2) @ u, identity)
    near(vh @ vh.conj().swapaxes(-1, -2), identity)
    assert (cp.diff(s, axis=-1) <= 0).all()
    assert (s >= 0).all()
    near(cp.linalg.svdvals(x.swapaxes(-1, -2)), cp.asnumpy(s))
    near(cp.linalg.norm(x, 2, axis=(-2, -1)), cp.asnumpy(s)[..., 0])
    near(cp.linalg.norm(x, axis=(-2, -1)) ** 2, (cp.asnumpy(s) ** 2).sum(-1))


@few
@hypothesis.given(rectangles(), placed)
def test_pseudoinverses(a, place):
    """Penrose's conditions."""
    x = PLACED[place](a)
    inverse = cp.linalg.pinv(x, rtol=1e-9)
    # Singular values above the limit may be as small as it.
    s = np.linalg.svd(a, compute_uv=False)
    hypothesis.assume(((s < 1e-12) | (s > 1e-3)).all())
    left, right = x @ inverse, inverse @ x
    near(left @ x, a, 1e5)
    near(right @ inverse, cp.asnumpy(inverse), 1e5)
    for projection in (left, right):
        near(projection, adjoint(cp.asnumpy(projection)), 1e5)
        near(projection @ projection, cp.asnumpy(projection), 1e5)
    ranks = cp.asnumpy(cp.linalg.matrix_rank(x, rtol=1e-9))
    near(left.trace(axis1=-2, axis2=-1), ranks, 1e5)


@few
@hypothesis.given(
    rectangles(), placed, st.sampled_from([1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"])
)
def test_norms(a, place, order):
    x = PLACED[place](a)
    found = cp.linalg.norm(x, order, axis=(-2, -1))
    near(found, np.linalg.norm(a, order, axis=(-2, -1)))
    near(cp.linalg.norm(-2 * x, order, axis=(-2, -1)), 2 * cp.asnumpy(found))
    if order not in (-1, -2, -np.inf):  # those are no norms
        longer = cp.linalg.norm(x + x[..., ::-1, :], order, axis=(-2, -1))
        assert (longer <= 2 * cp.asnumpy(found).max() + 1e-9).all()


@few
@hypothesis.given(squares(), st.integers(0, 3), placed)
def test_powers(a, n, place):
    x = PLACED[place](a)
    power = cp.linalg.matrix_power(x, n)
    near(power @ x, cp.asnumpy(cp.linalg.matrix_power(x, n + 1)))
    near(power.swapaxes(-1, -2), np.linalg.matrix_power(a.swapaxes(-1, -2), n))
