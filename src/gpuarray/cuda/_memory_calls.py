"""The CUDA runtime's functions for memory, by addresses."""

from __future__ import annotations

import operator

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import need_context
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import checked_size
from gpuarray.cuda._runtime_constants import (
    cudaMemAttachGlobal,
    hostAllocDefault,
    memcpyDefault,
    memcpyDeviceToDevice,
    memcpyDeviceToHost,
    memcpyHostToDevice,
    memcpyHostToHost,
)
from gpuarray.errors import InvalidCopyKindError


def malloc(size: int) -> int:
    """Allocate memory on the current device.

    It is nobody's: `free` gives it back. `gpuarray.cuda.alloc` gives memory that frees itself.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    int
        Its address, 0 for no bytes.
    """
    need_context()
    nbytes = checked_size("malloc", size)
    return driver.mem_alloc(nbytes) if nbytes else 0


def mallocManaged(size: int, flags: int = cudaMemAttachGlobal) -> int:
    """Allocate unified memory, reachable from the host and every device.

    Parameters
    ----------
    size : int
        Bytes.
    flags : int, optional
        One of the constants ``cudaMemAttach...``.

    Returns
    -------
    int
        Its address, 0 for no bytes.
    """
    need_context()
    nbytes = checked_size("mallocManaged", size)
    return driver.mem_alloc_managed(nbytes, operator.index(flags)) if nbytes else 0


def mallocAsync(size: int, stream: int) -> int:
    """Allocate memory in the order of a stream.

    Parameters
    ----------
    size : int
        Bytes.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.

    Returns
    -------
    int
        Its address, 0 for no bytes.
    """
    need_context()
    nbytes = checked_size("mallocAsync", size)
    return driver.mem_alloc_async(nbytes, stream) if nbytes else 0


def free(ptr: int) -> None:
    """Free memory of `malloc` or `mallocManaged`; the address 0 is none.

    Parameters
    ----------
    ptr : int
        Its address.
    """
    need_context()
    if ptr:
        driver.mem_free(operator.index(ptr))


def freeAsync(ptr: int, stream: int) -> None:
    """Free memory of `mallocAsync` in the order of a stream.

    Parameters
    ----------
    ptr : int
        Its address.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    if ptr:
        driver.mem_free_async(operator.index(ptr), stream)


def hostAlloc(size: int, flags: int = hostAllocDefault) -> int:
    """Allocate page-locked memory on the host.

    Parameters
    ----------
    size : int
        Bytes.
    flags : int, optional
        The sum of constants ``hostAlloc...``.

    Returns
    -------
    int
        Its address, 0 for no bytes.
    """
    need_context()
    nbytes = checked_size("hostAlloc", size)
    return driver.mem_host_alloc(nbytes, operator.index(flags)) if nbytes else 0


def freeHost(ptr: int) -> None:
    """Free memory of `hostAlloc`; the address 0 is none.

    Parameters
    ----------
    ptr : int
        Its address.
    """
    need_context()
    if ptr:
        driver.mem_host_free(operator.index(ptr))


def hostRegister(ptr: int, size: int, flags: int = 0) -> None:
    """Lock the pages of memory on the host that is there already.

    Parameters
    ----------
    ptr : int
        Its address.
    size : int
        Bytes.
    flags : int, optional
        The sum of constants ``hostRegister...``.
    """
    need_context()
    nbytes = checked_size("hostRegister", size)
    driver.mem_host_register(operator.index(ptr), nbytes, operator.index(flags))


def hostUnregister(ptr: int) -> None:
    """Undo `hostRegister`.

    Parameters
    ----------
    ptr : int
        Its address.
    """
    need_context()
    driver.mem_host_unregister(operator.index(ptr))


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copy bytes on the default stream, and wait.

    Parameters
    ----------
    dst : int
        The address of the target.
    src : int
        The address of the source.
    size : int
        Bytes.
    kind : int
        One of the constants ``memcpy...``.
    """
    need_context()
    nbytes = checked_size("memcpy", size)
    _check_kind("memcpy", kind)
    if not nbytes:
        return
    if kind == memcpyHostToHost:
        _copy_on_host(dst, src, nbytes, 0)
    else:
        getattr(driver, _COPIES[kind])(operator.index(dst), operator.index(src), nbytes)


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """Queue a copy of bytes on a stream.

    Parameters
    ----------
    dst : int
        The address of the target.
    src : int
        The address of the source.
    size : int
        Bytes.
    kind : int
        One of the constants ``memcpy...``.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    nbytes = checked_size("memcpyAsync", size)
    _check_kind("memcpyAsync", kind)
    if not nbytes:
        return
    if kind == memcpyHostToHost:
        _copy_on_host(dst, src, nbytes, stream)
    else:
        queue = getattr(driver, f"{_COPIES[kind]}_async")
        queue(operator.index(dst), operator.index(src), nbytes, operator.index(stream))


def memcpyPeer(dst: int, dstDevice: int, src: int, srcDevice: int, size: int) -> None:
    """Copy bytes between devices.

    Parameters
    ----------
    dst : int
        The address of the target.
    dstDevice : int
        The number of the target's device.
    src : int
        The address of the source.
    srcDevice : int
        The number of the source's device.
    size : int
        Bytes.
    """
    target, source = Device(dstDevice).context, Device(srcDevice).context
    nbytes = checked_size("memcpyPeer", size)
    if nbytes:
        driver.memcpy_peer(operator.index(dst), target, operator.index(src), source, nbytes)


def memcpyPeerAsync(
    dst: int, dstDevice: int, src: int, srcDevice: int, size: int, stream: int
) -> None:
    """Queue a copy of bytes between devices.

    Parameters
    ----------
    dst : int
        The address of the target.
    dstDevice : int
        The number of the target's device.
    src : int
        The address of the source.
    srcDevice : int
        The number of the source's device.
    size : int
        Bytes.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    target, source = Device(dstDevice).context, Device(srcDevice).context
    nbytes = checked_size("memcpyPeerAsync", size)
    if nbytes:
        driver.memcpy_peer_async(
            operator.index(dst), target, operator.index(src), source, nbytes, stream
        )


def memset(ptr: int, value: int, size: int) -> None:
    """Store one value in every byte on the default stream.

    Parameters
    ----------
    ptr : int
        Its address.
    value : int
        The value; its lowest byte is stored.
    size : int
        Bytes.
    """
    need_context()
    nbytes = checked_size("memset", size)
    if nbytes:
        driver.memset_d8(operator.index(ptr), operator.index(value) & 0xFF, nbytes)


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:
    """Queue a fill of every byte with one value.

    Parameters
    ----------
    ptr : int
        Its address.
    value : int
        The value; its lowest byte is stored.
    size : int
        Bytes.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    nbytes = checked_size("memsetAsync", size)
    if nbytes:
        byte, queue = operator.index(value) & 0xFF, operator.index(stream)
        driver.memset_d8_async(operator.index(ptr), byte, nbytes, queue)


def _copy_on_host(dst: int, src: int, nbytes: int, stream: int) -> None:
    """Copy behind the work of a stream, and wait."""
    driver.stream_synchronize(stream)
    driver.copy_host(dst, src, nbytes)


#: The driver's functions of the kinds of copies that it makes.
_COPIES = {
    memcpyHostToDevice: "memcpy_htod",
    memcpyDeviceToHost: "memcpy_dtoh",
    memcpyDeviceToDevice: "memcpy_dtod",
    memcpyDefault: "memcpy",
}


def _check_kind(name: str, kind: int) -> None:
    if kind != memcpyHostToHost and kind not in _COPIES:
        raise InvalidCopyKindError(
            f"{name}: kind={kind!r} is none of the constants memcpyHostToHost, "
            "memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice and memcpyDefault"
        )
