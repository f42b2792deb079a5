"""The driver's functions for devices and contexts whose C signatures do not suit Python."""

from __future__ import annotations

import ctypes

from .driver_enums import DEVICE_ATTRIBUTES, LIMITS
from .driver_library import library, number_of
from .text import encoded

__all__ = [
    "context_create",
    "context_enable_peer_access",
    "context_get_limit",
    "context_reset",
    "context_set_limit",
    "device_attribute",
    "device_can_access_peer",
    "device_get_by_pci_bus_id",
    "device_name",
    "device_pci_bus_id",
    "init",
]

_PEER_ACCESS_ALREADY_ENABLED = 704


def init() -> None:
    """Open the backend; every other function does so too."""
    library.init(0)


def device_name(device: int) -> str:
    """The device's name, such as 'NVIDIA H200'."""
    text = ctypes.create_string_buffer(256)
    library.device_name(text, len(text), device)
    return text.value.decode(errors="replace")


def device_pci_bus_id(device: int) -> str:
    """The device's address on the PCI bus, such as '0000:18:00.0'."""
    text = ctypes.create_string_buffer(64)
    library.device_pci_bus_id(text, len(text), device)
    return text.value.decode(errors="replace")


def device_get_by_pci_bus_id(bus_id: str) -> int:
    """The device at an address on the PCI bus."""
    return library.device_get_by_pci_bus_id(encoded(bus_id, "the PCI bus id"))


def device_attribute(attribute: str | int, device: int) -> int:
    """A device attribute by cuda.h's name without prefix in lower case, or by number."""
    return library.device_attribute(
        number_of(attribute, DEVICE_ATTRIBUTES, "device attribute"), device
    )


def device_can_access_peer(device: int, peer: int) -> bool:
    """Whether kernels on `device` can be given access to the memory of `peer`."""
    return bool(library.device_can_access_peer(device, peer))


def context_create(device: int, flags: int = 0) -> int:
    """Create a context besides the primary one, and make it current."""
    return library.context_create(flags, device)


def context_reset(device: int) -> int:
    """Destroy all resources of a device's primary context; the context.

    Memory, modules, streams, events and pools are destroyed; the context's handle stays valid.
    Where it was current in the calling thread, it is current again.

    Parameters
    ----------
    device : int
        The device.

    Raises
    ------
    DriverError
        With the status of a fault, where a kernel failed on the device before: a driver lets the
        context be reset then, but does not create it again for the rest of the process.
    """
    before = library.context_get_current()
    library.primary_context_reset(device)
    # A reset context is dead until it is retained. This reference is never released: callers that
    # retained the context earlier rely on it, and one more does no harm.
    context = library.primary_context_retain(device)
    if before == context:
        library.context_set_current(context)
    return context


def context_get_limit(limit: str | int) -> int:
    """A limit of the current context, such as 'stack_size'."""
    return library.context_get_limit(number_of(limit, LIMITS, "limit"))


def context_set_limit(limit: str | int, value: int) -> None:
    """Set a limit of the current context; the driver may choose another value near it."""
    library.context_set_limit(number_of(limit, LIMITS, "limit"), value)


def context_enable_peer_access(context: int, flags: int = 0, *, again: bool = True) -> None:
    """Let the current context access the memory of `context`; `again` if it may already."""
    status = library.raw("context_enable_peer_access")(context, flags)
    if status and not (again and status == _PEER_ACCESS_ALREADY_ENABLED):
        library.fail("context_enable_peer_access", status)
