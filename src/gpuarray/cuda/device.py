"""CuPy's names for devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.device import Device, current

__all__ = ["Device", "get_compute_capability", "get_device_id"]

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)


def get_device_id() -> int:
    """The number of the current device.

    Returns
    -------
    int
        Its number.
    """
    return current.stream.device.id


def get_compute_capability() -> str:
    """The compute capability of the current device, ``'90'`` for 9.0.

    Returns
    -------
    str
        Its digits.
    """
    return current.stream.device.compute_capability


without_annotations(globals())
