"""Stand-ins for ``numpy.fft``, ``scipy.fft`` and ``scipy.fftpack`` that transform on the device."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import scipy
import scipy.fft
import scipy.fft._fftlog
import scipy.fft._helper
import scipy.fft._pocketfft
import scipy.fft._pocketfft.realtransforms
import scipy.fftpack
import scipy.fftpack._realtransforms

import gpuarray as cp
import gpuarray.scipy.fft
import gpuarray.scipy.fftpack
from tests.clients.host_calls import host_call
from tests.clients.replaced_imports import StandInModule


def _stand_in(original: ModuleType, ours: ModuleType) -> StandInModule:
    """A module whose functions are those of a module of ours, where it has them."""
    found = {}
    for name in dir(original):
        function = getattr(ours, name, None) if not name.startswith("_") else None
        if callable(function) and callable(getattr(original, name)):
            found[name] = host_call(function)
    return StandInModule(original, found)


numpy_fft = _stand_in(np.fft, cp.fft)
numpy = StandInModule(np, {"fft": numpy_fft})
fft = _stand_in(scipy.fft, cp.scipy.fft)
fftpack = _stand_in(scipy.fftpack, cp.scipy.fftpack)
pocketfft = _stand_in(scipy.fft._pocketfft, cp.scipy.fft)
fft._pocketfft = pocketfft

#: What stands for modules in the tests of NumPy's transforms.
NUMPY_MODULES = {"numpy": numpy, "numpy.fft": numpy_fft}
#: What stands for modules in the tests of SciPy's.
SCIPY_MODULES = {
    "scipy": StandInModule(scipy, {"fft": fft, "fftpack": fftpack}),
    "scipy.fft": fft,
    "scipy.fft._fftlog": _stand_in(scipy.fft._fftlog, cp.scipy.fft),
    "scipy.fft._helper": _stand_in(scipy.fft._helper, cp.scipy.fft),
    "scipy.fft._pocketfft": pocketfft,
    "scipy.fft._pocketfft.realtransforms": _stand_in(
        scipy.fft._pocketfft.realtransforms, cp.scipy.fft
    ),
    "scipy.fftpack": fftpack,
}
