"""Tests of programs with arrays: assertions, and decorators that compare with NumPy.

The assertions are those of ``numpy.testing``, and take arrays of either library. The decorators
are those of ``cupy.testing``: a test gets a module as ``xp``, and is called with NumPy and with
gpuarray.
"""

import typing as _typing

from gpuarray._namespace.public_names import public_names as _public_names
from gpuarray.testing._arrays import *
from gpuarray.testing._assertions import *
from gpuarray.testing._classes import *
from gpuarray.testing._comparisons import *
from gpuarray.testing._loops import *
from gpuarray.testing._parameters import *
from gpuarray.testing._random import *
from gpuarray.testing._requirements import *

__all__ = [name for name in globals() if not name.startswith("_")]

if not _typing.TYPE_CHECKING:
    __getattr__, __dir__ = _public_names(__name__)
