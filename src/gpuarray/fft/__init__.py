"""Fourier transforms: NumPy's ``numpy.fft``, which has the standard's extension ``fft``.

cuFFT transforms; `gpuarray.fft.config` has what is known of its plans.
"""

import typing as _typing

from gpuarray._namespace.public_names import public_names as _public_names
from gpuarray._namespace.signatures import without_annotations as _without_annotations
from gpuarray.fft import config as config
from gpuarray.fft._complex import *
from gpuarray.fft._frequencies import *
from gpuarray.fft._real import *

__all__ = [name for name in globals() if not name.startswith("_")]

if not _typing.TYPE_CHECKING:
    __getattr__, __dir__ = _public_names(__name__)

_without_annotations(globals())
