"""Memory that functions of the user's allocate and free."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.memory import checked_size
from gpuarray._runtime.memory_pointer import MemoryPointer
from gpuarray._runtime.ordered_memory import OrderedMemory
from gpuarray._runtime.stream import Stream
from gpuarray.errors import OutOfMemoryError


class PythonFunctionAllocatorMemory(OrderedMemory):
    """Memory of a `PythonFunctionAllocator`.

    It is freed with the stream current on which it was allocated, behind the work of other streams
    that has used it.

    Parameters
    ----------
    size : int
        Bytes.
    malloc_func, free_func : callable
        As for `PythonFunctionAllocator`.
    device_id : int
        The number of the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> runtime = cp.cuda.runtime
    >>> memory = cp.cuda.memory.PythonFunctionAllocatorMemory(
    ...     64, lambda size, device: runtime.malloc(size), lambda at, device: runtime.free(at), 0
    ... )
    >>> memory.size
    64
    >>> del memory
    """

    __slots__ = ("_free_func",)

    def __init__(
        self,
        size: int,
        malloc_func: Callable[[int, int], int],
        free_func: Callable[[int, int], object],
        device_id: int,
    ):
        self._free_func = free_func
        nbytes = checked_size(type(self).__name__, size)
        pointer = operator.index(malloc_func(nbytes, device_id)) if nbytes else 0
        if nbytes and not pointer:
            raise OutOfMemoryError(nbytes, free=current.stream.device.mem_info[0])
        self._own(pointer, nbytes, current.stream)

    def _release(self, pointer: int, stream: Stream) -> None:
        with stream:
            self._free_func(pointer, stream.device.id)


class PythonFunctionAllocator:
    """An allocator of two Python functions.

    Parameters
    ----------
    malloc_func : callable
        Takes a number of bytes and the number of the device; returns the address.
    free_func : callable
        Takes the address and the number of the device. It is called with the stream current on
        which the memory was allocated, when nothing refers to the memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> runtime = cp.cuda.runtime
    >>> allocator = cp.cuda.PythonFunctionAllocator(
    ...     lambda size, device_id: runtime.malloc(size),
    ...     lambda pointer, device_id: runtime.free(pointer),
    ... )
    >>> with cp.cuda.using_allocator(allocator.malloc):
    ...     x = cp.arange(3)
    >>> x + 1
    array([1, 2, 3])
    >>> del x  # which calls the second function
    """

    def __init__(
        self, malloc_func: Callable[[int, int], int], free_func: Callable[[int, int], object]
    ):
        for name, function in (("malloc_func", malloc_func), ("free_func", free_func)):
            if not callable(function):
                raise TypeError(f"PythonFunctionAllocator: {name}={function!r} is not callable")
        self._malloc_func = malloc_func
        self._free_func = free_func

    def __repr__(self) -> str:
        functions = [
            getattr(x, "__qualname__", repr(x)) for x in (self._malloc_func, self._free_func)
        ]
        return f"<PythonFunctionAllocator of {functions[0]} and {functions[1]}>"

    def malloc(self, size: int) -> MemoryPointer:
        """Memory of the function.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            Its first byte.

        Raises
        ------
        OutOfMemoryError
            If the function returned 0.
        """
        memory = PythonFunctionAllocatorMemory(
            size, self._malloc_func, self._free_func, current.stream.device.id
        )
        return MemoryPointer(memory, 0)


class CFunctionAllocatorMemory(OrderedMemory):
    """Memory of a `CFunctionAllocator`.

    Parameters
    ----------
    size : int
        Bytes.
    param, malloc_func, free_func : int
        As for `CFunctionAllocator`.
    device_id : int
        The number of the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> issubclass(cp.cuda.memory.CFunctionAllocatorMemory, cp.cuda.BaseMemory)
    True
    """

    __slots__ = ("_free_func", "_owner")

    def __init__(
        self,
        size: int,
        param: int,
        malloc_func: int,
        free_func: int,
        device_id: int,
        _owner: object = None,
    ):
        malloc, self._free_func = driver.allocation_functions(
            operator.index(param), operator.index(malloc_func), operator.index(free_func)
        )
        self._owner = _owner
        nbytes = checked_size(type(self).__name__, size)
        pointer = malloc(nbytes, device_id) if nbytes else 0
        if nbytes and not pointer:
            raise OutOfMemoryError(nbytes, free=current.stream.device.mem_info[0])
        self._own(pointer, nbytes, current.stream)

    def _release(self, pointer: int, stream: Stream) -> None:
        with stream:
            self._free_func(pointer, stream.device.id)


class CFunctionAllocator:
    """An allocator of two C functions.

    Parameters
    ----------
    param : int
        An address that both functions get first.
    malloc_func : int
        The address of a function ``void *malloc(void *param, size_t size, int device_id)``.
    free_func : int
        The address of a function ``void free(void *param, void *pointer, int device_id)``.
    owner : object
        Kept alive as long as the allocator or memory of it is, with whatever the addresses need.

    Examples
    --------
    >>> import ctypes
    >>> import gpuarray as cp
    >>> runtime = cp.cuda.runtime
    >>> malloc = ctypes.CFUNCTYPE(
    ...     ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    ... )(lambda param, size, device_id: runtime.malloc(size))
    >>> free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
    ...     lambda param, pointer, device_id: runtime.free(pointer)
    ... )
    >>> addresses = [ctypes.cast(x, ctypes.c_void_p).value for x in (malloc, free)]
    >>> allocator = cp.cuda.CFunctionAllocator(0, *addresses, owner=(malloc, free))
    >>> with cp.cuda.using_allocator(allocator.malloc):
    ...     x = cp.arange(3)
    >>> x + 1
    array([1, 2, 3])
    >>> del x  # which calls the second function
    """

    def __init__(self, param: int, malloc_func: int, free_func: int, owner: Any):
        self._param = operator.index(param)
        self._malloc_func = operator.index(malloc_func)
        self._free_func = operator.index(free_func)
        self._owner = owner

    def __repr__(self) -> str:
        return f"<CFunctionAllocator of {self._malloc_func:#x} and {self._free_func:#x}>"

    def malloc(self, size: int) -> MemoryPointer:
        """Memory of the function.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            Its first byte.

        Raises
        ------
        OutOfMemoryError
            If the function returned a null pointer.
        """
        memory = CFunctionAllocatorMemory(
            size,
            self._param,
            self._malloc_func,
            self._free_func,
            current.stream.device.id,
            self._owner,
        )
        return MemoryPointer(memory, 0)
