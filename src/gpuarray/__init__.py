"""NumPy on NVIDIA GPUs, in pure Python.

Use it as NumPy: ``import gpuarray as cp``. Arrays live in device memory; `asarray` and `asnumpy`
move data between the host and the device.
"""

import importlib as _importlib
import sys as _sys
import typing as _typing

import numpy as _numpy

# Each module's __all__ says what is public of it. The modules of _ops stand in the order of NumPy's
# reference.

# Packages, classes
from gpuarray import errors as errors, exceptions as exceptions
from gpuarray._namespace import older_names as _older_names
from gpuarray._namespace.missing_names import missing_name as _missing_name
from gpuarray._namespace.public_names import (
    listing as _listing,
    public_names as _public_names,
)
from gpuarray._namespace.signatures import without_annotations as _without_annotations
from gpuarray._ndarray import *
from gpuarray._ufunc.function import *

# Kernels of your own
from gpuarray._raw import *
from gpuarray._fusion import *
from gpuarray._jit import *

# Constants, scalars, data types
from gpuarray._ops.constants import *
from gpuarray._ops.scalars import *
from gpuarray._ops.datatypes import *

# Array creation: from shapes, from ranges, from existing data
from gpuarray._ops.creation import *
from gpuarray._ops.creation_like import *
from gpuarray._ops.pinned_arrays import *
from gpuarray._ops.ranges import *
from gpuarray._ops.samples import *
from gpuarray._ops.conversion import *
from gpuarray._ops.host_copies import *
from gpuarray._ops.existing_data import *
from gpuarray._ops.grids import *
from gpuarray._ops.triangles import *

# Array manipulation
from gpuarray._ops.manipulation import *
from gpuarray._ops.transposing import *
from gpuarray._ops.dimensions import *
from gpuarray._ops.casts import *
from gpuarray._ops.joining import *
from gpuarray._ops.rearranging import *
from gpuarray._ops.padding import *
from gpuarray._ops.editing import *
from gpuarray._ops.blocks import *
from gpuarray._ops.stride_tricks import *

# Bit-wise operations
from gpuarray._ops.bitwise import *
from gpuarray._ops.packing import *

# Indexing
from gpuarray._ops.indexing import *
from gpuarray._ops.taking import *
from gpuarray._ops.along_axis import *
from gpuarray._ops.coordinates import *
from gpuarray._ops.region_indices import *
from gpuarray._ops.choices import *
from gpuarray._ops.placing import *
from gpuarray._ops.index_tricks import *
from gpuarray._ops.iterating import *
from gpuarray._ops.nonzero import *
from gpuarray._ops.selection import *
from gpuarray._ops.updates import *
from gpuarray._ops.scattering import *

# Input and output
from gpuarray._ops.binary_files import *
from gpuarray._ops.text_files import *
from gpuarray._ops.printing import *

# Logic
from gpuarray._ops.logic import *
from gpuarray._ops.truth import *
from gpuarray._ops.closeness import *

# Mathematical functions: element by element, complex numbers, rounding, sums, differences
from gpuarray._ops.math import *
from gpuarray._ops.floating import *
from gpuarray._ops.complex_numbers import *
from gpuarray._ops.rounding import *
from gpuarray._ops.sums import *
from gpuarray._ops.cumulative import *
from gpuarray._ops.differences import *
from gpuarray._ops.gradients import *
from gpuarray._ops.interpolation import *
from gpuarray._ops.special_functions import *
from gpuarray._ops.phases import *
from gpuarray._ops.products import *
from gpuarray._ops.vector_products import *
from gpuarray._ops.contractions import *
from gpuarray._ops.einsum import *
from gpuarray._ops.traces import *

# Sets
from gpuarray._ops.unique import *
from gpuarray._ops.sets import *

# Sorting, searching, counting
from gpuarray._ops.sorting import *
from gpuarray._ops.partitioning import *
from gpuarray._ops.searching import *

# Statistics
from gpuarray._ops.statistics import *
from gpuarray._ops.averages import *
from gpuarray._ops.order_statistics import *
from gpuarray._ops.nan_order_statistics import *
from gpuarray._ops.correlating import *
from gpuarray._ops.covariance import *
from gpuarray._ops.histograms import *
from gpuarray._ops.histograms_nd import *

# Polynomials
from gpuarray._ops.polynomials import *
from gpuarray._ops.poly1d import *

# Functional programming
from gpuarray._ops.functional import *

# Window functions
from gpuarray._ops.windows import *

# Interoperability
from gpuarray._ops.dispatch import *
from gpuarray._ops.inspection import *
from gpuarray._ops.interchange import *

# Errors on the device
from gpuarray._ops.error_states import *

# Memory
from gpuarray._runtime.allocator import *
from gpuarray._runtime.pinned_memory import *
from gpuarray._runtime.memoization import *

from gpuarray._version import __version__ as __version__

_without_annotations(globals())

if _typing.TYPE_CHECKING:
    from gpuarray import (
        cuda as cuda,
        debug as debug,
        emath as emath,
        fft as fft,
        jit as jit,
        lib as lib,
        linalg as linalg,
        polynomial as polynomial,
        profiler as profiler,
        random as random,
        scipy as scipy,
        testing as testing,
        typing as typing,
    )
    from gpuarray._commands.info import get_runtime_info as get_runtime_info
    from gpuarray._commands.info import show_config as show_config
    from gpuarray.cuda.compiler import warmup as warmup
else:
    # Type checkers take the imports above as they are, and a __getattr__ would have them believe
    # in any name.

    # The modules are below everything else, so they import nothing of the package themselves.
    errors.__getattr__, errors.__dir__ = _public_names(errors.__name__)
    exceptions.__dir__ = _listing(exceptions.__name__)

    #: Packages that are imported when they are first used.
    _LAZY = (
        "cuda",
        "debug",
        "emath",
        "fft",
        "jit",
        "lib",
        "linalg",
        "polynomial",
        "profiler",
        "random",
        "scipy",
        "testing",
        "typing",
    )
    #: Functions whose modules are imported when they are first used.
    _LAZY_FUNCTIONS = {
        "fusion": "gpuarray._fusion.automatic",
        "get_runtime_info": "gpuarray._commands.info",
        "show_config": "gpuarray._commands.info",
        "warmup": "gpuarray.cuda.compiler",
    }

    # Importing from it has bound the package of kernels, too, which is not public.
    __all__ = [name for name in globals() if not name.startswith("_") and name != "kernels"]
    __all__ += [
        "cuda",
        "debug",
        "emath",
        "fft",
        "jit",
        "lib",
        "linalg",
        "polynomial",
        "profiler",
        "random",
        "testing",
        "typing",
        *_LAZY_FUNCTIONS,
        "__version__",
    ]

    def __getattr__(name):
        if name in _LAZY:
            return _importlib.import_module(f"{__name__}.{name}")
        if name in _LAZY_FUNCTIONS:
            return getattr(_importlib.import_module(_LAZY_FUNCTIONS[name]), name)
        try:
            return _older_names.find(_sys.modules[__name__], name)
        except KeyError:
            pass
        if not name.startswith("_") and name in dir(_numpy):
            raise AttributeError(
                f"module {__name__!r} has no attribute {name!r}: numpy.{name} is not in gpuarray "
                "yet; use NumPy's with host copies, which gpuarray.asnumpy makes",
                name=name,
            )
        raise _missing_name(__name__, name)

    __dir__ = _listing(__name__, _LAZY)
