"""Where the entries of sparse matrices lie: triangles and bands."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import stack
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse._csr import csr_array
from gpuarray.scipy.sparse._warnings import SparseEfficiencyWarning, warn
from gpuarray.scipy.sparse.linalg._operators import refuse_host_matrix

__all__ = ["is_sptriangular", "spbandwidth"]


def is_sptriangular(A: Any) -> tuple[bool, bool]:
    """Whether the entries of a sparse matrix are those of a triangular one.

    Parameters
    ----------
    A : sparse array or matrix
        Any but bsr, which becomes csr, with a warning. Entries that are zero count, too, and of
        diagonals those outside of the matrix.

    Returns
    -------
    lower, upper : bool
        Whether no entry is above the main diagonal, and whether none is below.

    Raises
    ------
    ValueError
        If there are not two dimensions.

    Notes
    -----
    Two numbers are waited for; of diagonals nothing but the offsets, once.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csr_array
    >>> cp.scipy.sparse.linalg.is_sptriangular(csr_array(cp.array([[1, 0], [2, 3]])))
    (True, False)
    """
    least, greatest = _offsets(A, "is_sptriangular")
    return greatest <= 0, least >= 0


@sharing(texts_of(is_sptriangular))
def spbandwidth(A: Any) -> tuple[int, int]:
    """How far the entries of a sparse matrix lie from the main diagonal.

    Parameters
    ----------
    {A}

    Returns
    -------
    below, above : int
        The greatest distances on either side.

    {Raises}

    Differences from SciPy
    ----------------------
    Both are 0 where nothing is stored, which SciPy refuses.

    {Notes}

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csr_array
    >>> cp.scipy.sparse.linalg.spbandwidth(csr_array(cp.array([[1, 0], [2, 3]])))
    (1, 0)
    """
    least, greatest = _offsets(A, "spbandwidth")
    return max(-least, 0), max(greatest, 0)


def _offsets(A: Any, name: str) -> tuple[int, int]:
    """The least and the greatest number of a diagonal with entries; zeros without any."""
    refuse_host_matrix(A, name)
    if not issparse(A) or A.format == "bsr":
        warn(f"{name} needs a sparse format other than bsr; A becomes csr", SparseEfficiencyWarning)
        A = csr_array(A)
    if A.ndim != 2:
        raise ValueError(f"{name}: A must have two dimensions, not the shape {A.shape}")
    if A.format == "dia":
        found = A._offsets_on_host()
        return (int(found.min()), int(found.max())) if found.size else (0, 0)
    row, column = A.tocoo(copy=False).coords
    if not row.size:
        return 0, 0
    offsets = column.astype(np.int64) - row
    least, greatest = asnumpy(stack([offsets.min(), offsets.max()])).tolist()
    return least, greatest
