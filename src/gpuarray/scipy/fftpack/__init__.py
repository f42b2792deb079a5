"""Fourier transforms by the names of SciPy's older ``scipy.fftpack``, on the device.

Spectra of real numbers are real arrays here, of the real and imaginary parts by turns. New programs
use `gpuarray.scipy.fft`.

Examples
--------
>>> import gpuarray as cp
>>> import gpuarray.scipy.fftpack
>>> cp.scipy.fftpack.rfft(cp.array([1.0, 0.0, 0.0, 0.0]))
array([1., 1., 0., 1.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.scipy.fft import get_fft_plan
from gpuarray.scipy.fftpack._transforms import fft, fft2, fftn, ifft, ifft2, ifftn, irfft, rfft

__all__ = [
    "fft", "fft2", "fftn", "get_fft_plan", "ifft", "ifft2", "ifftn", "irfft", "rfft",
]  # fmt: skip

without_annotations(globals())

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)
