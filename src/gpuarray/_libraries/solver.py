"""Factorisations by cuSOLVER, as plans like any other.

A matrix is given by its columns: a gapless array of shape (n, m), whose rows are the n columns of
length m. The functions overwrite it. Each returns, last of its results, cuSOLVER's ``info`` as an
array without dimensions, which is not 0 where the algorithm has not converged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuarray import _layout
from gpuarray._layout import Layout
from gpuarray._libraries.steps import Steps
from gpuarray._runtime.device import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream

__all__ = ["qr_factors", "singular_values", "solver_call"]

_INFO = _layout.contiguous(np.dtype(np.int32), ())


def qr_factors(columns: Any) -> tuple[Any, Any]:
    """The factors of a matrix, as LAPACK's geqrf stores them in it.

    R is the upper triangle: element (i, j) of it is ``columns[j, i]``.

    Returns
    -------
    tau, info : ndarray
    """
    return _geqrf_call(current.stream, columns._layout)(columns)


def singular_values(columns: Any) -> tuple[Any, Any, Any, Any]:
    """The reduced singular value decomposition of a matrix with no fewer rows than columns.

    Returns
    -------
    u : ndarray of shape (n, m)
        The columns of U.
    s : ndarray of shape (n,)
        The singular values, the greatest first.
    v : ndarray of shape (n, n)
        The columns of the conjugate transpose of V: that is conj(V).
    info : ndarray
    """
    return _gesvd_call(current.stream, columns._layout)(columns)


@planned
def _geqrf_call(stream: Stream, columns: Layout) -> Callable[[Any], Any]:
    dtype, (n, m) = columns.dtype, columns.shape
    tau = _layout.contiguous(dtype, (min(m, n),))
    values = {
        "m": m, "n": n, "dataTypeA": dtype, "lda": m, "dataTypeTau": dtype, "computeType": dtype,
    }  # fmt: skip
    passed = {"A": "x0", "tau": "y0", "info": "y1"}
    return solver_call(stream, "cusolverDnXgeqrf", values, [tau, _INFO], passed, columns)


@planned
def _gesvd_call(stream: Stream, columns: Layout) -> Callable[[Any], Any]:
    dtype, (n, m) = columns.dtype, columns.shape
    real = np.empty(0, dtype).real.dtype
    values = {
        "jobu": ord("S"), "jobvt": ord("S"), "m": m, "n": n,
        "dataTypeA": dtype, "lda": m, "dataTypeS": real,
        "dataTypeU": dtype, "ldu": m, "dataTypeVT": dtype, "ldvt": n, "computeType": dtype,
    }  # fmt: skip
    outputs = [
        _layout.contiguous(dtype, (n, m)),
        _layout.contiguous(real, (n,)),
        _layout.contiguous(dtype, (n, n)),
        _INFO,
    ]
    passed = {"A": "x0", "U": "y0", "S": "y1", "VT": "y2", "info": "y3"}
    return solver_call(stream, "cusolverDnXgesvd", values, outputs, passed, columns)


def solver_call(
    stream: Stream,
    name: str,
    values: Mapping[str, Any],
    outputs: Sequence[Layout],
    passed: Mapping[str, str],
    columns: Layout,
) -> Callable[..., Any]:
    """A call of one function on one array; see `Steps` for what takes more."""
    steps = Steps(stream, columns)
    operands = {"x0": steps.inputs[0]}
    operands |= {f"y{i}": steps.output(layout) for i, layout in enumerate(outputs)}
    steps.solver(name, values, {pointer: operands[x] for pointer, x in passed.items()})
    return steps.make()
