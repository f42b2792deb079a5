"""The CUDA driver's C functions in Python, for machines without a GPU."""

from __future__ import annotations

__all__ = ["open_driver"]


def open_driver(device_count: int, sticky_faults: bool = False):
    """The emulated driver, to bind a `Library` to in place of libcuda."""
    from .driver import EmulatedDriver

    return EmulatedDriver(device_count, sticky_faults)
