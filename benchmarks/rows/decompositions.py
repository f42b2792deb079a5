"""The calls of benchmarks/decompositions.py: one a line, as a user would write it.

``a`` is a general matrix, ``b`` a matrix of right-hand sides, ``s`` a symmetric matrix, ``p`` a
positive definite one; or stacks of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Section(NamedTuple):
    """Calls on operands of one size."""

    title: str
    #: How many matrices are stacked (0: one matrix without a stack), and how many rows they have.
    count: int
    rows: int
    #: The calls, with the milliseconds that they are to take on an H200 in float64, or None.
    calls: dict[str, float | None]

    def smaller(self) -> Section:
        """To see that it runs, without a GPU."""
        return self._replace(count=min(self.count, 3), rows=34 if self.rows > 32 else 4)


SECTIONS = (
    Section(
        "one matrix", 0, 2048,
        {
            "linalg.solve(a, b)": 5,
            "linalg.inv(a)": 7,
            "linalg.det(a)": None,
            "linalg.cholesky(p)": 2,
            "linalg.qr(a)": 10,
            "linalg.eigh(s)": 24,
            "linalg.eigvalsh(s)": None,
            "linalg.svd(a, full_matrices=False)": 60,
            "linalg.svdvals(a)": None,
            "linalg.pinv(a)": 80,
            "linalg.lstsq(a, b)": None,
            "linalg.matrix_rank(a)": None,
            "linalg.eig(a)": None,
            "linalg.eigvals(a)": None,
        },
    ),
    Section(
        "many small matrices", 10_000, 32,
        {
            "linalg.solve(a, b)": 1,
            "linalg.inv(a)": None,
            "linalg.det(a)": None,
            "linalg.cholesky(p)": 0.5,
            "linalg.qr(a)": None,
            "linalg.eigh(s)": 4,
            "linalg.eigvalsh(s)": None,
            "linalg.svd(a, full_matrices=False)": 8,
            "linalg.pinv(a)": None,
        },
    ),
    Section(
        "many matrices of four rows", 100_000, 4,
        {
            "linalg.solve(a, b)": None,
            "linalg.inv(a)": None,
            "linalg.det(a)": None,
            "linalg.cholesky(p)": None,
            "linalg.qr(a)": None,
            "linalg.eigh(s)": None,
            "linalg.svd(a, full_matrices=False)": None,
        },
    ),
    Section(
        "many matrices of twelve rows", 30_000, 12,
        {
            "linalg.solve(a, b)": None,
            "linalg.inv(a)": None,
            "linalg.cholesky(p)": None,
            "linalg.eigh(s)": None,
            "linalg.svd(a, full_matrices=False)": None,
        },
    ),
    Section(
        "one row more than small", 10_000, 33,
        {
            "linalg.solve(a, b)": None,
            "linalg.inv(a)": None,
            "linalg.cholesky(p)": None,
            "linalg.qr(a)": None,
            "linalg.eigh(s)": None,
            "linalg.eigvalsh(s)": None,
            "linalg.svd(a, full_matrices=False)": None,
        },
    ),
    Section(
        "some matrices", 64, 256,
        {
            "linalg.solve(a, b)": None,
            "linalg.inv(a)": None,
            "linalg.cholesky(p)": None,
            "linalg.eigh(s)": None,
            "linalg.svd(a, full_matrices=False)": None,
        },
    ),
    Section(
        "general matrices of a stack", 16, 64,
        {"linalg.eig(a)": None, "linalg.eigvals(a)": None},
    ),
    Section(
        "a call", 0, 4,
        {
            "linalg.solve(a, b)": None,
            "linalg.inv(a)": None,
            "linalg.det(a)": None,
            "linalg.cholesky(p)": None,
            "linalg.qr(a)": None,
            "linalg.eigh(s)": None,
            "linalg.svd(a, full_matrices=False)": None,
            "linalg.eig(a)": None,
        },
    ),
)  # fmt: skip


def operands(count: int, rows: int, dtype: str) -> dict[str, np.ndarray]:
    """The operands of a section, in the host's memory."""
    rng = np.random.default_rng(1)
    batch = (count,) if count else ()

    def random(*shape: int) -> np.ndarray:
        values = rng.standard_normal(batch + shape)
        if np.dtype(dtype).kind == "c":
            values = values + 1j * rng.standard_normal(batch + shape)
        return values.astype(dtype)

    a = random(rows, rows)
    adjoint = a.conj().swapaxes(-1, -2)
    definite = a @ adjoint / rows + np.eye(rows)
    return {
        "a": a, "b": random(rows, min(rows, 16)), "s": a + adjoint, "p": definite.astype(dtype),
    }  # fmt: skip


def _vectors(a: np.ndarray, result: Any) -> np.ndarray:
    values, vectors = result
    return a @ vectors - vectors * values[..., None, :]


def _product(a: np.ndarray, result: Any) -> np.ndarray:
    left, *middle, right = result
    return (left * middle[0][..., None, :] if middle else left) @ right - a


#: By the function: what should vanish, of the operands and the result.
CHECKS: dict[str, Callable[[dict[str, np.ndarray], Any], np.ndarray]] = {
    "solve": lambda x, result: x["a"] @ result - x["b"],
    "inv": lambda x, result: x["a"] @ result - np.eye(x["a"].shape[-1]),
    "cholesky": lambda x, result: result @ result.conj().swapaxes(-1, -2) - x["p"],
    "qr": lambda x, result: _product(x["a"], result),
    "eigh": lambda x, result: _vectors(x["s"], result),
    "eig": lambda x, result: _vectors(x["a"], result),
    "svd": lambda x, result: _product(x["a"], result),
    "pinv": lambda x, result: x["a"] @ result @ x["a"] - x["a"],
}
