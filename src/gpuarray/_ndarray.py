"""The array class: operators and methods, a line each."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray import _array, _ufunc
from gpuarray._array import ArrayBase
from gpuarray._device import Device
from gpuarray._layout import Layout
from gpuarray._memory import MemoryPointer
from gpuarray._ops import bitwise, logic, math  # noqa


class ndarray(ArrayBase):
    __slots__ = ()
    __array_priority__ = 100

    dtype = property(lambda self: self._layout.dtype)
    shape = property(lambda self: self._layout.shape)
    size = property(lambda self: self._layout.size)
    ndim = property(lambda self: self._layout.ndim)
    nbytes = property(lambda self: self._layout.nbytes)
    itemsize = property(lambda self: self._layout.itemsize)
    strides = property(lambda self: self._layout.strides)

    __add__ = _ufunc.binary_operator(math.add)
    __radd__ = _ufunc.binary_operator(math.add, reflected=True)
    __iadd__ = _ufunc.inplace_operator(math.add)


_array.register_array_class(ndarray)
