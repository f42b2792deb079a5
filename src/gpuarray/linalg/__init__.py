"""Linear algebra: NumPy's ``numpy.linalg``, which has the standard's extension ``linalg``.

A module has what a section of NumPy's reference has. Errors are NumPy's, too: `LinAlgError` is
``numpy.linalg.LinAlgError``.
"""

import typing as _typing

from numpy.linalg import LinAlgError as LinAlgError

from gpuarray._namespace.public_names import public_names as _public_names
from gpuarray._namespace.signatures import without_annotations as _without_annotations
from gpuarray.linalg._chains import *
from gpuarray.linalg._cholesky import *
from gpuarray.linalg._decompositions import *
from gpuarray.linalg._determinants import *
from gpuarray.linalg._eigenvalues import *
from gpuarray.linalg._equations import *
from gpuarray.linalg._least_squares import *
from gpuarray.linalg._norms import *
from gpuarray.linalg._products import *

__all__ = [name for name in globals() if not name.startswith("_")]

if not _typing.TYPE_CHECKING:
    __getattr__, __dir__ = _public_names(__name__)

_without_annotations(globals())
