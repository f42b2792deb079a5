"""The SciPy family on the device."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gpuarray._array import ArrayBase, HeldOnDevice
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations

__all__ = ["fft", "fftpack", "get_array_module", "linalg", "sparse", "special"]

if TYPE_CHECKING:
    from gpuarray.scipy import fft as fft
    from gpuarray.scipy import fftpack as fftpack
    from gpuarray.scipy import linalg as linalg
    from gpuarray.scipy import sparse as sparse
    from gpuarray.scipy import special as special
else:
    __getattr__, __dir__ = public_names(
        __name__, ("fft", "fftpack", "linalg", "sparse", "special"), {}
    )


def get_array_module(*args: Any) -> ModuleType:
    """The SciPy-like package whose functions work on the arguments.

    Parameters
    ----------
    *args : object
        Arrays and anything else.

    Returns
    -------
    module
        ``gpuarray.scipy`` if an argument is a device array, else ``scipy``.

    Raises
    ------
    ImportError
        If it is ``scipy`` and that is not installed.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy
    >>> gpuarray.scipy.get_array_module(cp.ones(2)) is gpuarray.scipy
    True
    """
    if any(isinstance(x, ArrayBase | HeldOnDevice) for x in args):
        return sys.modules[__name__]
    return importlib.import_module("scipy")


without_annotations(globals())
