"""How much memory a pool may take of a device: as users say it, and as the environment does."""

from __future__ import annotations

from gpuarray._config import config
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import checked_size


def bytes_of_limit(device: Device, size: int | None, fraction: float | None) -> int:
    """The bytes that a user's limit means on a device; 0 for no limit."""
    if fraction is None:
        return checked_size("set_limit", 0 if size is None else size)
    if size is not None:
        raise ValueError("set_limit: size and fraction cannot both be given")
    if not 0 <= fraction <= 1:
        raise ValueError(f"set_limit: fraction must be between 0 and 1, got {fraction}")
    return int(device.mem_info[1] * fraction)


def default_limit(device: Device) -> int:
    """The bytes that the environment allows of a device; 0 for no limit."""
    limit = config.memory_limit
    return bytes_of_limit(device, None, limit) if isinstance(limit, float) else limit
