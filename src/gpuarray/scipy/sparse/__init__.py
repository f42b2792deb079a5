"""Sparse arrays and matrices: SciPy's ``scipy.sparse``, on the device.

Examples
--------
>>> import gpuarray as cp
>>> import gpuarray.scipy.sparse
>>> cp.scipy.sparse.csr_array(cp.eye(3)).nnz
3
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.scipy.sparse._base import issparse, sparray
from gpuarray.scipy.sparse._bsr import bsr_array, bsr_matrix, isspmatrix_bsr
from gpuarray.scipy.sparse._coo import coo_array, coo_matrix, isspmatrix_coo
from gpuarray.scipy.sparse._csc import csc_array, csc_matrix, isspmatrix_csc
from gpuarray.scipy.sparse._csr import csr_array, csr_matrix, isspmatrix_csr
from gpuarray.scipy.sparse._dia import dia_array, dia_matrix, isspmatrix_dia
from gpuarray.scipy.sparse._diagonals import diags, diags_array, eye, eye_array, identity, spdiags
from gpuarray.scipy.sparse._extracting import (
    expand_dims,
    find,
    matrix_transpose,
    permute_dims,
    swapaxes,
    tril,
    triu,
)
from gpuarray.scipy.sparse._files import load_npz, save_npz
from gpuarray.scipy.sparse._index_dtype import get_index_dtype, safely_cast_index_arrays
from gpuarray.scipy.sparse._kronecker import kron, kronsum
from gpuarray.scipy.sparse._matrix import isspmatrix, spmatrix
from gpuarray.scipy.sparse._random import rand, random, random_array
from gpuarray.scipy.sparse._stacking import block_array, block_diag, bmat, hstack, vstack
from gpuarray.scipy.sparse._warnings import SparseEfficiencyWarning, SparseWarning

# A line for each file.
__all__ = [
    "csgraph",
    "linalg",
    "issparse", "sparray",
    "bsr_array", "bsr_matrix", "isspmatrix_bsr",
    "coo_array", "coo_matrix", "isspmatrix_coo",
    "csc_array", "csc_matrix", "isspmatrix_csc",
    "csr_array", "csr_matrix", "isspmatrix_csr",
    "dia_array", "dia_matrix", "isspmatrix_dia",
    "diags", "diags_array", "eye", "eye_array", "identity", "spdiags",
    "expand_dims", "find", "matrix_transpose", "permute_dims", "swapaxes", "tril", "triu",
    "load_npz", "save_npz",
    "get_index_dtype", "safely_cast_index_arrays",
    "kron", "kronsum",
    "isspmatrix", "spmatrix",
    "rand", "random", "random_array",
    "block_array", "block_diag", "bmat", "hstack", "vstack",
    "SparseEfficiencyWarning", "SparseWarning",
]  # fmt: skip

without_annotations(globals())

if TYPE_CHECKING:
    from gpuarray.scipy.sparse import csgraph as csgraph
    from gpuarray.scipy.sparse import linalg as linalg
else:
    # With the algorithms it takes long to import.
    __getattr__, __dir__ = public_names(__name__, ("csgraph", "linalg"), {})
