"""Types for annotations of array programs.

``ArrayLike`` is what functions take for an array, ``DTypeLike`` for a dtype; ``NDArray[T]`` is an
array in device memory whose elements are of NumPy's scalar type ``T``.

Examples
--------
>>> import numpy as np
>>> import gpuarray as cp
>>> from gpuarray.typing import ArrayLike, NDArray
>>> def norm(x: ArrayLike) -> NDArray[np.float64]:
...     return cp.sqrt(cp.sum(cp.square(x)))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing
from numpy.typing import DTypeLike

from gpuarray._namespace.public_names import listing
from gpuarray._ndarray import ndarray

if TYPE_CHECKING:
    from numpy.typing import NBitBase

    from gpuarray._types import ArrayLike, NDArray
else:
    #: Arrays in device memory, numbers, and nested lists and tuples of them.
    ArrayLike = ndarray | bool | int | float | complex | np.generic | list[Any] | tuple[Any, ...]
    #: An array of any shape with elements of one scalar type.
    NDArray = ndarray[Any, np.dtype[TypeVar("_Scalar", bound=np.generic)]]

    def __getattr__(name):
        if name == "NBitBase":  # deprecated: NumPy may warn where it is read
            return numpy.typing.NBitBase
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["ArrayLike", "DTypeLike", "NBitBase", "NDArray"]
__dir__ = listing(__name__)
