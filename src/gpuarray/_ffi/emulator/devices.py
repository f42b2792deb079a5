"""Emulated functions for the driver itself, devices and contexts."""

from __future__ import annotations

import ctypes
import uuid

from .attributes import ATTRIBUTES, DRIVER_VERSION
from .machine import DEVICE_BYTES, Device, Machine
from .statuses import (
    INVALID_CONTEXT,
    INVALID_DEVICE,
    INVALID_VALUE,
    PEER_ACCESS_ALREADY_ENABLED,
    PEER_ACCESS_NOT_ENABLED,
    UNSUPPORTED_LIMIT,
    Failure,
)

__all__ = ["DeviceCalls"]

_LEAST_PRIORITY, _GREATEST_PRIORITY = 0, -5
#: CUlimit: stack size, printf FIFO size, malloc heap size, ...
_LIMITS = {0: 1024, 1: 1 << 20, 2: 8 << 20, 3: 2, 4: 2048, 5: 128, 6: 0}


class DeviceCalls:
    """Devices and contexts; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def init(self, flags: int) -> None:
        if flags:
            raise Failure(INVALID_VALUE, f"cuInit takes no flags, not {flags}")

    def driver_version(self) -> int:
        return DRIVER_VERSION

    # --- devices

    def device_count(self) -> int:
        return len(self._machine.devices)

    def device_get(self, ordinal: int) -> int:
        return self._machine.device(ordinal).ordinal

    def device_name(self, text: int | None, nbytes: int, device: int) -> None:
        self._machine.device(device)
        _write_text(text, nbytes, "Emulated NVIDIA H200")

    def device_attribute(self, attribute: int, device: int) -> int:
        self._machine.device(device)
        try:
            value = ATTRIBUTES[attribute]
        except KeyError:
            raise Failure(INVALID_VALUE, f"there is no device attribute {attribute}") from None
        return self._bus(device) if attribute == 33 else value  # 33: pci_bus_id

    def device_total_mem(self, device: int) -> int:
        self._machine.device(device)
        return DEVICE_BYTES

    def device_pci_bus_id(self, text: int | None, nbytes: int, device: int) -> None:
        self._machine.device(device)
        _write_text(text, nbytes, f"0000:{self._bus(device):02x}:00.0")

    def device_get_by_pci_bus_id(self, bus_id: bytes | None) -> int:
        for device in self._machine.devices:
            if bus_id and bus_id.lower() == b"0000:%02x:00.0" % self._bus(device.ordinal):
                return device.ordinal
        raise Failure(INVALID_DEVICE, f"no device is at {bus_id!r} on the PCI bus")

    @staticmethod
    def _bus(ordinal: int) -> int:
        return 0x10 + ordinal

    def device_uuid(self, device: int) -> bytes:
        self._machine.device(device)
        return uuid.uuid5(uuid.NAMESPACE_OID, f"gpuarray emulated device {device}").bytes

    def device_can_access_peer(self, device: int, peer: int) -> int:
        return int(self._machine.device(device) is not self._machine.device(peer))

    # --- contexts

    def primary_context_retain(self, device: int) -> int:
        held = self._machine.device(device)
        held.retained += 1
        return held.context

    def primary_context_release(self, device: int) -> None:
        held = self._machine.device(device)
        if not held.retained:
            raise Failure(
                INVALID_CONTEXT, f"the primary context of device {device} is not retained"
            )
        held.retained -= 1
        if not held.retained:
            self._destroy(held)

    def _destroy(self, device: Device) -> None:
        """Take down all that lives in a context, as its last release does."""
        machine = self._machine
        for handle in machine.handles_of(lambda thing: thing.device is device):
            machine.forget(handle)
        for allocation in [a for a in machine.allocations.values() if a.device is device]:
            machine.release(allocation)
        device.peers.clear()
        device.limits.clear()

    def primary_context_get_state(self, device: int) -> tuple[int, int]:
        return 0, int(self._machine.device(device).retained > 0)

    def context_set_current(self, context: int) -> None:
        device = self._machine.device_of_context(context) if context else None
        self._machine.make_current(device)

    def context_get_current(self) -> int:
        device = self._machine.current_or_none()
        return 0 if device is None else device.context

    def context_get_device(self) -> int:
        return self._machine.current().ordinal

    def context_synchronize(self) -> None:
        self._machine.current()  # work is done when its call returns

    def context_get_stream_priority_range(self) -> tuple[int, int]:
        self._machine.current()
        return _LEAST_PRIORITY, _GREATEST_PRIORITY

    def context_get_limit(self, limit: int) -> int:
        device = self._machine.current()
        if limit not in _LIMITS:
            raise Failure(UNSUPPORTED_LIMIT, f"there is no limit {limit}")
        return device.limits.get(limit, _LIMITS[limit])

    def context_set_limit(self, limit: int, value: int) -> None:
        device = self._machine.current()
        if limit not in _LIMITS:
            raise Failure(UNSUPPORTED_LIMIT, f"there is no limit {limit}")
        device.limits[limit] = value

    def context_enable_peer_access(self, context: int, flags: int) -> None:
        device, peer = self._machine.current(), self._machine.device_of_context(context)
        if flags:
            raise Failure(INVALID_VALUE, f"peer access has no flags {flags}")
        if device is peer:
            raise Failure(INVALID_DEVICE, f"device {device.ordinal} is no peer of its own")
        if peer.ordinal in device.peers:
            raise Failure(PEER_ACCESS_ALREADY_ENABLED, f"device {peer.ordinal} is a peer already")
        device.peers.add(peer.ordinal)

    def context_disable_peer_access(self, context: int) -> None:
        device, peer = self._machine.current(), self._machine.device_of_context(context)
        if peer.ordinal not in device.peers:
            raise Failure(PEER_ACCESS_NOT_ENABLED, f"device {peer.ordinal} is not a peer")
        device.peers.remove(peer.ordinal)


def _write_text(address: int | None, nbytes: int, text: str) -> None:
    if not address or nbytes < 1:
        raise Failure(INVALID_VALUE, "no room for the text")
    data = text.encode()[: nbytes - 1] + b"\0"
    ctypes.memmove(address, data, len(data))
