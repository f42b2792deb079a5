"""The emulator's checkers as a context manager."""

from __future__ import annotations

import gc
from types import TracebackType

from gpuarray._config import checks_of
from gpuarray._ffi import driver
from gpuarray._ffi.findings import Finding
from gpuarray._runtime import allocator, pinned_memory
from gpuarray.errors import CheckError

__all__ = ["check"]


class check:
    """Check the kernels that run inside a ``with`` block.

    The name is that of the command ``python -m gpuarray check`` and of the variable
    ``GPUARRAY_CHECK``, which do the same for a whole script and a whole process. This finds what a
    GPU lets pass; faults, such as accesses out of bounds, are among the findings even where the
    program catches their exception. It works on the emulator; on a GPU it raises, since NVIDIA's
    compute-sanitizer is the tool there.

    Parameters
    ----------
    *checks : {'races', 'races=lane', 'uninit', 'bounds', 'barriers', 'host', 'leaks', 'all'}
        What to look for; everything (races between warps) if nothing is named.

        * ``races``: accesses to the same bytes by different warps, by different blocks, or by
          operations of different streams, at least one of them a write, with nothing that orders
          them. ``races=lane`` also looks at
          threads of the same warp without ``__syncwarp`` between them.
        * ``uninit``: reads of shared, local or device memory that nobody wrote.
        * ``bounds``: accesses beyond the end of a shared variable, into the next one.
        * ``barriers``: ``__syncthreads`` that only a part of a warp reaches, or that meets another
          one; member masks of ``*_sync`` functions that name lanes which do not come, or not the
          caller; shuffles from lanes that are not there.
        * ``host``: page-locked or managed memory that the host accesses before it has waited for
          what writes there.
        * ``leaks``: memory that is allocated inside the block, is not freed at its end, and that
          no Python object would free.
    raises : bool
        Whether to raise at the end of the block if something was found.

    Attributes
    ----------
    findings : list
        What was found, each distinct finding once: ``kind``, ``message``, ``kernel``, ``block``,
        ``thread``, ``address``, ``place`` and ``source``. ``str()`` of one is a report.

    Raises
    ------
    CheckError
        At the end of the block, with the findings.
    CUDAError
        At its beginning, on a GPU.

    Notes
    -----
    Inside the block arrays and page-locked memory do without the pools: reused memory would hide
    reads of what nobody wrote, and the pool's rounding what lies just outside of an array. Memory
    that is freed is not used again for a while.

    Examples
    --------
    >>> with gpuarray.cuda.check("races", "uninit"):  # doctest: +SKIP
    ...     kernel((1,), (256,), (x, y))
    """

    def __init__(self, *checks: str, raises: bool = True) -> None:
        self._checks = checks_of(checks or ("all",))
        self._raises = raises
        self._allocators: list = []
        self._findings: list[Finding] = []

    def __repr__(self) -> str:
        count = len(self.findings)
        named = ", ".join(sorted(self._checks))
        return f"<check of {named}: {count} finding{'s' if count != 1 else ''}>"

    @property
    def findings(self) -> list[Finding]:
        """What was found so far."""
        return driver.findings() if self._allocators else self._findings

    def __enter__(self) -> check:
        driver.start_checks(self._checks)
        self._allocators.append(
            (allocator.get_allocator(), pinned_memory.get_pinned_memory_allocator())
        )
        allocator.set_allocator(None)
        pinned_memory.set_pinned_memory_allocator(None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if "leaks" in self._checks:
            gc.collect()
        self._findings = driver.findings(leaks=error is None)
        driver.stop_checks()
        device, pinned = self._allocators.pop()
        allocator.set_allocator(device)
        pinned_memory.set_pinned_memory_allocator(pinned)
        if self._raises and self._findings and error is None:
            raise CheckError(self._findings)
