"""Discrete Fourier, cosine, sine and Hankel transforms: SciPy's ``scipy.fft``, on the device.

The module is a backend of SciPy's: ``scipy.fft.set_backend(gpuarray.scipy.fft)`` lets SciPy's
functions take device arrays.

Examples
--------
>>> import gpuarray as cp
>>> import gpuarray.scipy.fft
>>> cp.scipy.fft.dct(cp.ones(4)).round(6)
array([8., 0., 0., 0.])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.fft import fftfreq, fftshift, ifftshift, rfftfreq
from gpuarray.scipy.fft._complex import fft, fft2, fftn, ifft, ifft2, ifftn
from gpuarray.scipy.fft._cosine import dct, dctn, dst, dstn, idct, idctn, idst, idstn
from gpuarray.scipy.fft._hankel import fht, fhtoffset, ifht
from gpuarray.scipy.fft._hermitian import hfft, hfft2, hfftn, ihfft, ihfft2, ihfftn
from gpuarray.scipy.fft._lengths import next_fast_len, prev_fast_len
from gpuarray.scipy.fft._plans import get_fft_plan
from gpuarray.scipy.fft._real import irfft, irfft2, irfftn, rfft, rfft2, rfftn

# A line for each file.
__all__ = [
    "fft", "fft2", "fftn", "ifft", "ifft2", "ifftn",
    "hfft", "hfft2", "hfftn", "ihfft", "ihfft2", "ihfftn",
    "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn",
    "dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn",
    "fht", "fhtoffset", "ifht",
    "fftfreq", "fftshift", "ifftshift", "rfftfreq",
    "next_fast_len", "prev_fast_len",
    "get_fft_plan",
]  # fmt: skip

#: What SciPy's `set_backend` asks for.
__ua_domain__ = "numpy.scipy.fft"

#: The functions that SciPy dispatches.
_DISPATCHED = {
    function.__name__: function
    for function in (
        fft, fft2, fftn, ifft, ifft2, ifftn, hfft, hfft2, hfftn, ihfft, ihfft2, ihfftn, irfft,
        irfft2, irfftn, rfft, rfft2, rfftn, dct, dctn, dst, dstn, idct, idctn, idst, idstn, fht,
        ifht,
    )
}  # fmt: skip


def __ua_function__(method: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call the function of this module for one of SciPy's."""
    function = _DISPATCHED.get(getattr(method, "__name__", ""))
    return NotImplemented if function is None else function(*args, **kwargs)


without_annotations(globals())

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)
