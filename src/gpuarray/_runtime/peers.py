"""Memory of one device that another one uses: peer access, and the order of both devices' work.

A device reaches the memory of another one where the hardware has a way between them. The driver is
told once for each pair, at the first use; the memory of a driver's pool has its own table of
devices that reach it.

Streams of two devices know nothing of each other, but a thread that changes from one device to
another expects its operations to take effect in their order. So work on memory of another device
waits for what the thread has queued there before, and what the thread queues there later, once
it has made that device current again, waits for that work. Both are events; no host waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._ffi import driver
from gpuarray._runtime import address_range
from gpuarray._runtime.current_stream import Crossing, current, wait_for
from gpuarray._runtime.device import Device
from gpuarray.errors import DriverError

if TYPE_CHECKING:
    from gpuarray._runtime.memory import BaseMemory
    from gpuarray._runtime.stream import Stream

#: Pairs of numbers of the device that owns memory and of one that has access to it, or cannot.
_pairs: set[tuple[int, int]] = set()
_apart: set[tuple[int, int]] = set()

#: CUmemorytype, CUmemAccess_flags, and two of CUresult.
_ON_HOST, _READ_WRITE = 1, 3
_NO_WAY = 217, 711  # PEER_ACCESS_UNSUPPORTED, TOO_MANY_PEERS


def enable(owner: Device, user: Device) -> None:
    """Give a device access to the memory of another one; raise where it has that already."""
    with user:
        driver.context_enable_peer_access(owner.context, again=False)
    address_range.grant(owner, user)
    _pairs.add((owner.id, user.id))


def disable(owner: Device, user: Device) -> None:
    """Take a device's access to the memory of another one away."""
    with user:
        driver.context_synchronize()  # kernels that access it may be running
        driver.context_disable_peer_access(owner.context)
    address_range.revoke(owner, user)
    _pairs.discard((owner.id, user.id))


def cross(memory: BaseMemory, stream: Stream) -> None:
    """Let work on a stream access memory of another device, in the order of the thread's calls.

    Raises
    ------
    ValueError
        If the device has no access to the other one's memory.
    """
    _need_access(memory, stream.device)
    follow(memory, stream)


def follow(memory: BaseMemory, stream: Stream) -> None:
    """Put work on a stream, which uses memory of another device, in the order of the calls."""
    crossing = Crossing(stream, memory.device, memory.stream)
    if crossing in current.crossings:
        return
    owner = crossing.owner
    there = owner.current_stream()
    ordered = True
    for queued in {there, crossing.memory_stream or there}:
        if not queued.lost:
            ordered &= wait_for(queued, [stream])
    if ordered:
        current.crossings.add(crossing)


def prefer_access(memory: BaseMemory, user: Device) -> bool:
    """Give a device access to memory of another one if that is possible; whether it is.

    A copy does without, but then the driver takes it through the host's memory.
    """
    if not connect(memory.device, user):
        return False
    pool = driver.pointer_attribute("mempool_handle", memory.pointer)
    if pool and not driver.mem_pool_get_access(pool, user.handle):
        driver.mem_pool_set_access(pool, user.handle, _READ_WRITE)
    return True


def connect(owner: Device, user: Device) -> bool:
    """Give a device access to another one's memory if that is possible; whether it is."""
    pair = owner.id, user.id
    if pair not in _pairs:
        if pair in _apart or not _connect(owner, user):
            _apart.add(pair)
            return False
        address_range.grant(owner, user)
        _pairs.add(pair)
    return True


def _need_access(memory: BaseMemory, user: Device) -> None:
    owner = memory.device
    if not prefer_access(memory, user) and not _is_shared(memory.pointer):
        raise ValueError(
            f"an array on {owner} cannot be used on {user}: the devices have no peer access; "
            f"copy it with asarray inside 'with Device({user.id})', or work on it inside "
            f"'with Device({owner.id})'"
        )


def _connect(owner: Device, user: Device) -> bool:
    """Give a device access to another one's memory; whether it has it."""
    if not driver.device_can_access_peer(user.handle, owner.handle):
        return False
    try:
        with user:
            driver.context_enable_peer_access(owner.context)
    except DriverError as error:
        if error.status in _NO_WAY:
            return False
        raise
    return True


def _is_shared(pointer: int) -> bool:
    """Whether memory is the host's or managed, which every device reaches."""
    found = driver.pointer_attributes(("memory_type", "is_managed"), pointer)
    return found["memory_type"] == _ON_HOST or bool(found["is_managed"] & 1)


def _forget(device: Device) -> None:
    """A device that was reset has access to no other's memory, nor others to its."""
    for pairs in (_pairs, _apart):
        pairs.difference_update([pair for pair in pairs if device.id in pair])


Device.when_reset(_forget)
