"""Sparse arrays: SciPy's ``scipy.sparse``, on the device.

Examples
--------
>>> import gpuarray as cp
>>> cp.scipy.sparse.linalg.aslinearoperator(cp.ones((2, 3)))
<2x3 MatrixLinearOperator with dtype=float64>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.lazy import names

__all__ = ["linalg"]

if TYPE_CHECKING:
    from gpuarray.scipy.sparse import linalg as linalg
else:
    __getattr__ = names(__name__, ("linalg",), {})
