"""Emulated functions for the driver itself and its devices."""

from __future__ import annotations

import ctypes
import uuid

from gpuarray.errors import LibraryNotFoundError

from .. import locate
from .attributes import ATTRIBUTES, DRIVER_VERSION
from .machine import DEVICE_BYTES, Machine
from .statuses import INVALID_DEVICE, INVALID_VALUE, Failure

__all__ = ["DeviceCalls"]

#: CUdevice_P2PAttribute: performance rank, access, native atomics, access to CUDA arrays.
_PEER_ATTRIBUTES = {1: 0, 2: 1, 3: 1, 4: 0}


class DeviceCalls:
    """Devices; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def init(self, flags: int) -> None:
        if flags:
            raise Failure(INVALID_VALUE, f"cuInit takes no flags, not {flags}")

    def driver_version(self) -> int:
        # It runs what the compiler at hand makes, so it is never older than that.
        try:
            return max(DRIVER_VERSION, 1000 * locate.cuda_major())
        except LibraryNotFoundError:
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

    def device_p2p_attribute(self, attribute: int, device: int, peer: int) -> int:
        if self._machine.device(device) is self._machine.device(peer):
            raise Failure(INVALID_DEVICE, f"device {device} is no peer of its own")
        try:
            return _PEER_ATTRIBUTES[attribute]
        except KeyError:
            raise Failure(INVALID_VALUE, f"there is no peer attribute {attribute}") from None


def _write_text(address: int | None, nbytes: int, text: str) -> None:
    if not address or nbytes < 1:
        raise Failure(INVALID_VALUE, "no room for the text")
    data = text.encode()[: nbytes - 1] + b"\0"
    ctypes.memmove(address, data, len(data))
