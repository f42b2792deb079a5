"""The structures by which cuBLASLt is told of a product."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["ALGORITHM", "LAYOUT", "OPERATION", "PREFERENCE", "STRUCTURES", "Structure"]


class Structure(NamedTuple):
    """A structure in the host's memory whose members are the library's own."""

    #: What the header calls it, with its members.
    opaque: str
    #: What the header calls a pointer to it.
    type: str
    nbytes: int
    #: What the emulator keeps in it.
    content: np.dtype


LAYOUT = Structure(
    "cublasLtMatrixLayoutOpaque_t",
    "cublasLtMatrixLayout_t",
    64,
    np.dtype([("type", "i4"), ("count", "i4"), ("rows", "u8"), ("columns", "u8"), ("ld", "i8"),
              ("stride", "i8")]),
)  # fmt: skip
OPERATION = Structure(
    "cublasLtMatmulDescOpaque_t",
    "cublasLtMatmulDesc_t",
    256,
    np.dtype([("compute", "i4"), ("scale", "i4"), ("transa", "i4"), ("transb", "i4")]),
)
PREFERENCE = Structure(
    "cublasLtMatmulPreferenceOpaque_t",
    "cublasLtMatmulPreference_t",
    64,
    np.dtype([("workspace", "u8"), ("schemes", "u4"), ("alignments", "u4", 4)]),
)
ALGORITHM = Structure(
    "cublasLtMatmulAlgo_t",
    "cublasLtMatmulAlgo_t",
    64,
    np.dtype([("workspace", "u8"), ("parts", "u4"), ("alignments", "u4", 4)]),
)
STRUCTURES = (LAYOUT, OPERATION, PREFERENCE, ALGORITHM)
