"""How much of a device a kernel fills, and the block that fills most of it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

from gpuarray._ffi import driver
from gpuarray._raw.loaded_module import LoadedFunction


class PotentialBlockSize(NamedTuple):
    """The block that fills most of a device.

    Attributes
    ----------
    min_grid_size : int
        Blocks that it takes to fill the device.
    max_block_size : int
        Threads of a block.
    """

    min_grid_size: int
    max_block_size: int


class Occupancy:
    """The driver's occupancy calculator for one kernel on one device.

    The names are those of NVIDIA's ``cuda.core``; ``kernel.occupancy`` makes it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> scale = cp.RawKernel(r'''
    ... extern "C" __global__ void scale(float* x, float by, int n) {
    ...     int i = blockDim.x * blockIdx.x + threadIdx.x;
    ...     if (i < n) x[i] *= by;
    ... }''', "scale")
    >>> _, block = scale.occupancy.max_potential_block_size()
    >>> x = cp.ones(5000, dtype="f4")
    >>> scale((-(-x.size // block),), (block,), (x, cp.float32(3), cp.int32(x.size)))
    >>> x[-1]
    array(3., dtype=float32)
    """

    __slots__ = ("_function",)

    def __init__(self, function: LoadedFunction):
        self._function = function

    def max_active_blocks_per_multiprocessor(
        self, block_size: int, dynamic_shared_memory_size: int = 0
    ) -> int:
        """How many blocks a multiprocessor runs at once.

        Parameters
        ----------
        block_size : int
            Threads of a block.
        dynamic_shared_memory_size : int, optional
            Dynamic shared memory of a block, in bytes.

        Returns
        -------
        int
            Blocks; 0 where not even one fits.
        """
        function = self._function
        size = self._shared(dynamic_shared_memory_size)
        with function.device:
            return driver.occupancy_max_active_blocks(
                function.handle, self._threads(block_size), size
            )

    def max_potential_block_size(
        self,
        dynamic_shared_memory_needed: int | Callable[[int], int] = 0,
        block_size_limit: int = 0,
    ) -> PotentialBlockSize:
        """The block with which most threads run at once.

        Parameters
        ----------
        dynamic_shared_memory_needed : int or callable, optional
            Dynamic shared memory of a block in bytes, or a function that says how much a block of
            so many threads needs. A block for which that is more than the kernel's
            ``max_dynamic_shared_size_bytes`` does not count.
        block_size_limit : int, optional
            The largest block that the kernel works with; 0 for whatever the device can.

        Returns
        -------
        PotentialBlockSize
            ``(min_grid_size, max_block_size)``.
        """
        function = self._function
        needed = dynamic_shared_memory_needed
        if not callable(needed):
            needed = self._shared(needed)
        limit = operator.index(block_size_limit)
        if limit < 0:
            raise ValueError(f"{function.name}: block_size_limit={limit} is negative")
        with function.device:
            return PotentialBlockSize(
                *driver.occupancy_max_potential_block_size(function.handle, needed, limit)
            )

    def available_dynamic_shared_memory_per_block(
        self, num_blocks_per_multiprocessor: int, block_size: int
    ) -> int:
        """The dynamic shared memory that blocks can have and still run beside one another.

        Parameters
        ----------
        num_blocks_per_multiprocessor : int
            How many blocks are to run at once on a multiprocessor.
        block_size : int
            Threads of a block.

        Returns
        -------
        int
            Bytes of each block; never more than the kernel's ``max_dynamic_shared_size_bytes``,
            48 KiB at first.
        """
        function = self._function
        blocks = operator.index(num_blocks_per_multiprocessor)
        with function.device:
            return driver.occupancy_available_dynamic_shared(
                function.handle, blocks, self._threads(block_size)
            )

    def _threads(self, block_size: int) -> int:
        threads = operator.index(block_size)
        most = self._function.limits().threads
        if not 1 <= threads <= most:
            raise ValueError(
                f"{self._function.name}: block_size={threads}, but a block of this kernel has 1 "
                f"to {most} threads"
            )
        return threads

    def _shared(self, size: int) -> int:
        """A size of dynamic shared memory, which launches are allowed to have from now on."""
        size = operator.index(size)
        if size < 0:
            raise ValueError(f"{self._function.name}: {size} bytes of shared memory are negative")
        if size:
            self._function.allow_shared(size)
        return size
