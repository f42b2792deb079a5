"""The host's memory as users name it in copies: by its address, a pointer, or an array over it."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gpuarray._ffi import driver


def host_address(name: str, mem: Any, nbytes: int, stored: bool = False) -> int:
    """The address of host memory that a copy reads or stores.

    Parameters
    ----------
    name : str
        The function that errors name.
    mem : int, ctypes pointer, numpy.ndarray or buffer
        The memory. Of an array and of an object with the buffer protocol it is known how many bytes
        it has, so that is looked at.
    nbytes : int
        The bytes to copy.
    stored : bool, optional
        Whether the copy stores to the memory.
    """
    if isinstance(mem, int):
        return mem
    address = driver.pointer_address(mem)
    if address is not None:
        if not address and nbytes:
            raise ValueError(f"{name}: the pointer {mem!r} is null")
        return address
    if not isinstance(mem, np.ndarray):
        try:
            return operator.index(mem)
        except TypeError:
            pass
        try:
            mem = np.frombuffer(mem, np.uint8) if memoryview(mem).nbytes else np.empty(0, np.uint8)
        except TypeError:
            raise TypeError(
                f"{name}: the host's memory is an address, a pointer of ctypes or a NumPy array, "
                f"not {type(mem).__name__}"
            ) from None
    if mem.nbytes < nbytes:
        raise ValueError(f"{name}: the host's memory has {mem.nbytes} bytes, not {nbytes}")
    if not (mem.flags.c_contiguous or mem.flags.f_contiguous):
        raise ValueError(
            f"{name}: the host's array is not contiguous; pass np.ascontiguousarray(array)"
        )
    if stored and not mem.flags.writeable:
        raise ValueError(f"{name}: the host's memory is read-only")
    return mem.ctypes.data
