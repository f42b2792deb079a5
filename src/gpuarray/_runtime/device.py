"""Devices: their properties and attributes, what lives on them, and their reset."""

from __future__ import annotations

import operator
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from gpuarray import _fork
from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._runtime import current_stream, launch_history
from gpuarray._runtime.current_stream import (
    captured_streams,
    current,
    deferring_streams,
    enter,
    leave,
    make_current,
    run_all_deferred,
    run_before_use,
    wait_for,
)
from gpuarray.errors import CaptureError, CUDAError, DriverError, InvalidDeviceError

if TYPE_CHECKING:
    from gpuarray._runtime.stream import Stream

_UNKNOWN_ATTRIBUTE = 1, 801  # CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED


def lost_error(what: str, device: Device) -> CUDAError:
    """The exception for a use of something that a reset of its device, or a fork, took away."""
    if driver.forked():
        return driver.fork_error()
    return CUDAError(f"{what} was lost when {device} was reset; make a new one")


def _need_no_capture(device: Device) -> None:
    """Refuse to wait for a device, before that makes a capture invalid."""
    for stream in list(captured_streams.values()):
        if stream.device is device:
            raise CaptureError(
                f"Device.synchronize: {stream!r} is being captured, so that {device} cannot be "
                "waited for; wait for other streams by Stream.synchronize, or end the capture first"
            )


def _no_reset(device: Device, fault: DriverError) -> DriverError:
    """The exception for the reset of a device that had a fault."""
    error = DriverError(
        "Device.reset",
        fault.status,
        fault.status_name,
        f"{fault.detail}; {device} had the fault of a kernel, and CUDA has no way back from that "
        "within a process",
    )
    error.launches, error.report = fault.launches, fault.report
    return error


class Device:
    """A CUDA device.

    There is one object a device: ``Device(0) is Device(0)``. Used as a context manager, it is
    current inside the ``with`` block, in the thread that entered it. Devices are ordered by their
    numbers.

    Parameters
    ----------
    device : int or Device, optional
        The device's number; the current device without it.

    Raises
    ------
    InvalidDeviceError
        If there is no device of that number. It is a `CUDAError` and a ValueError.

    Examples
    --------
    >>> import gpuarray as cp
    >>> with cp.cuda.Device(0):
    ...     x = cp.arange(3)
    >>> x.device
    <CUDA Device 0>
    >>> device = cp.cuda.Device(0)
    >>> device.use() is device, device.current_stream().device is device
    (True, True)
    >>> device.attribute("warp_size")
    32
    >>> device.synchronize()
    """

    # Set by gpuarray._runtime.stream_kinds: devices own their default stream, and streams name
    # their device.
    stream_class: type[Stream]
    # Set by gpuarray.cuda.device: the rooms that have them are above this one.
    _library_handle: ClassVar[Callable[[Device, str], int]]
    attribute_numbers: ClassVar[Callable[[], dict[str, int]]]

    _devices: ClassVar[dict[int, Device]] = {}
    _lock = _fork.new_rlock()
    _reset_hooks: ClassVar[list[Callable[[Device], None]]] = []

    id: int
    handle: int
    context: int
    architecture: str
    multiprocessors: int
    #: Whether the device reads the host's pageable memory itself, so that no copy waits for it.
    reads_pageable: bool
    default_stream: Stream
    #: For `launch_history.ended`.
    end: Any
    #: Kernels of the package by specification: the present generation, and the one before.
    functions: dict[Any, Any]
    older_functions: dict[Any, Any]
    #: Code of the user's, for gpuarray._runtime.user_code.
    user_code: weakref.WeakValueDictionary[Any, Any]
    user_code_limit: int
    #: How often the device was reset: what was made before that is gone.
    generation: int

    def __new__(cls, device: int | Device | None = None) -> Device:
        if device is None:
            return current.stream.device
        if isinstance(device, Device):
            return device
        index = operator.index(device)
        found = cls._devices.get(index)
        if found is None:
            with cls._lock:
                found = cls._devices.get(index)
                if found is None:
                    found = cls._open(index)
                    cls._devices[index] = found
        return found

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id: str) -> Device:
        """The device at an address on the PCI bus.

        Parameters
        ----------
        pci_bus_id : str
            Domain, bus, device and function in hexadecimal digits, such as ``'0000:65:00.0'``.

        Returns
        -------
        Device
            The device.

        Raises
        ------
        CUDAError
            If no device is there.

        Examples
        --------
        >>> import gpuarray as cp
        >>> device = cp.cuda.Device()
        >>> cp.cuda.Device.from_pci_bus_id(device.pci_bus_id) is device
        True
        """
        driver.init()
        return cls(driver.device_get_by_pci_bus_id(pci_bus_id))

    @classmethod
    def _open(cls, index: int) -> Device:
        driver.init()
        count = driver.device_count()
        if not 0 <= index < count:
            raise InvalidDeviceError(
                f"Device({index}): there {'is' if count == 1 else 'are'} {count} "
                f"device{'' if count == 1 else 's'}, numbered from 0"
            )
        self = object.__new__(cls)
        self.id = index
        self.handle = driver.device_get(index)
        self.context = driver.primary_context_retain(self.handle)
        major = driver.device_attribute("compute_capability_major", self.handle)
        minor = driver.device_attribute("compute_capability_minor", self.handle)
        self.architecture = f"sm_{major}{minor}"
        self.multiprocessors = driver.device_attribute("multiprocessor_count", self.handle)
        self.reads_pageable = bool(
            driver.device_attribute("pageable_memory_access_uses_host_page_tables", self.handle)
        )
        self._have_no_code()
        self.generation = 0
        self.end = launch_history.end_of(index)
        self.default_stream = cls.stream_class._of_handle(0, self)
        return self

    def _have_no_code(self) -> None:
        self.functions = {}
        self.older_functions = {}
        self.user_code = weakref.WeakValueDictionary()
        self.user_code_limit = 0

    def use(self) -> Device:
        """Make this device current in the calling thread.

        Other threads keep theirs: a thread begins with device 0.

        Returns
        -------
        Device
            The device itself.
        """
        stream = self.current_stream()
        before = current.__dict__.get("stream")
        if before is None:
            current_stream.threads.add(threading.get_ident())
        if deferring_streams:
            run_before_use()
        try:
            if before is None:  # finalizers take a thread that has a stream to have a context
                driver.context_set_current(self.context)
            make_current(stream)
        except BaseException:  # the driver's context is that of the current stream
            if before is None:
                current.__dict__.pop("stream", None)
            else:
                make_current(before)
            raise
        if current.crossings:
            self._wait_for_crossings()
        return self

    def _wait_for_crossings(self) -> None:
        """Let this device wait for what the thread has queued elsewhere on its memory."""
        for crossing in [x for x in current.crossings if x.owner is self]:
            streams = [current.stream, crossing.memory_stream or current.stream]
            try:
                if not crossing.stream.lost:
                    wait_for(crossing.stream, {x for x in streams if not x.lost})
            except DriverError as error:
                if not driver.is_sticky(error.status):  # the other device's fault is no fault here
                    raise
        current.crossings = {x for x in current.crossings if x.owner is not self}

    def current_stream(self) -> Stream:
        """The stream that is current for this device in the calling thread.

        Returns
        -------
        Stream
            The default stream, where no other was made current.
        """
        found = current.streams.get(self.id)
        if found is not None and not found.lost:
            return found
        default = self.default_stream
        return default.of_this_thread() if config.per_thread_default_stream else default

    __enter__ = enter
    __exit__ = leave

    def __int__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __lt__(self, other: object) -> bool:
        return self.id < other.id if isinstance(other, Device) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.id <= other.id if isinstance(other, Device) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self.id > other.id if isinstance(other, Device) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self.id >= other.id if isinstance(other, Device) else NotImplemented

    def __reduce__(self) -> tuple:
        return Device, (self.id,)

    def synchronize(self) -> None:
        """Wait until every stream of this device has finished its work."""
        if captured_streams:
            _need_no_capture(self)
        if deferring_streams:
            run_all_deferred()
        if current.stream.device is self:
            driver.context_synchronize()
        else:
            with self:
                driver.context_synchronize()
        launch_history.ended(self.end)
        driver.free_what_waits()

    @classmethod
    def when_reset(cls, hook: Callable[[Device], None]) -> None:
        """Call a function with each device that was reset, to forget what lived there.

        It is called in a child after a fork, too, where every device is lost: it must not wait for
        a lock that `gpuarray._fork` does not know, nor use the driver then.
        """
        cls._reset_hooks.append(hook)

    def reset(self) -> None:
        """Take down everything that lives on the device, and begin anew.

        Arrays, streams, events, pinned memory and modules of the device are lost: using one
        raises a `CUDAError`. Kernels are loaded again when they are used.

        Raises
        ------
        DriverError
            After the fault of a kernel, with its status, its ``launches`` and its ``report``.
            A driver gives a process nothing on a device that had a fault, and CUDA has no way
            back: the process has to be started anew.

        Notes
        -----
        Nobody else may use the device meanwhile, and every other thread has to enter it again
        (``Device(0).use()``). Other libraries of the process that work on the device's primary
        context, such as CuPy and PyTorch, lose everything as well. NumPy arrays over pinned memory
        must not be touched any more: their memory is gone.

        Examples
        --------
        >>> cp.cuda.Device().reset()  # doctest: +SKIP
        """
        with self._lock:
            try:
                self._need_no_fault()
                self.context = driver.context_reset(self.handle)
            except DriverError as error:
                if not driver.is_sticky(error.status):
                    raise
                raise _no_reset(self, error) from None
            self._lose()

    def _lose(self) -> None:
        """Forget what lived on the device."""
        for deferred in list(deferring_streams.values()):
            if deferred.stream.device is self:
                deferred.lose()
        self.generation += 1
        self._have_no_code()
        launch_history.forget()
        for hook in self._reset_hooks:
            hook(self)

    @classmethod
    def _lose_all(cls) -> None:
        """In a child after a fork: nothing of a device that the parent used is there any more.

        So no object gives anything back, and each use of one raises.
        """
        if driver.forked():
            for device in list(cls._devices.values()):
                device._lose()
            cls._devices.clear()
            for name in ("stream", "streams", "per_thread", "crossings"):
                current.__dict__.pop(name, None)

    def _need_no_fault(self) -> None:
        """Raise a fault's error while the driver still has it: later it says that the context is
        gone, if anything."""
        try:
            _ = self.mem_info
        except DriverError as error:
            if driver.is_sticky(error.status):
                raise

    @property
    def compute_capability(self) -> str:
        """The compute capability as a string of digits, ``'90'`` for 9.0."""
        return self.architecture.removeprefix("sm_")

    @property
    def name(self) -> str:
        """The device's product name."""
        return driver.device_name(self.handle)

    @property
    def pci_bus_id(self) -> str:
        """The PCI bus identifier, such as ``'0000:65:00.0'``."""
        return driver.device_pci_bus_id(self.handle)

    @property
    def mem_info(self) -> tuple[int, int]:
        """Free and total device memory in bytes."""
        if current.stream.device is self:
            return driver.mem_get_info()
        with self:
            return driver.mem_get_info()

    def attribute(self, name: str | int) -> int:
        """A driver attribute by cuda.h's name without prefix, in lower case, or by number.

        Parameters
        ----------
        name : str or int
            The attribute.

        Returns
        -------
        int
            Its value.
        """
        return driver.device_attribute(name, self.handle)

    @property
    def attributes(self) -> dict[str, int]:
        """The device's attributes under the runtime's names without ``cudaDevAttr``.

        Those that the driver does not know are left out.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.cuda.Device().attributes["WarpSize"]
        32
        """
        values = {}
        for name, number in Device.attribute_numbers().items():
            try:
                values[name] = self.attribute(number)
            except DriverError as error:
                if error.status not in _UNKNOWN_ATTRIBUTE:
                    raise
        return values

    @property
    def cublas_handle(self) -> int:
        """The calling thread's handle of cuBLAS for functions of the user's own.

        It is the same each time, and no operation of this package uses it: to set its stream or
        its modes affects nothing else. It begins on the thread's current stream of the device, and
        is valid until the thread ends.
        """
        return Device._library_handle(self, "cublas")

    @property
    def cusolver_handle(self) -> int:
        """The calling thread's handle of cuSOLVER for dense matrices; see `cublas_handle`."""
        return Device._library_handle(self, "cusolver")

    @property
    def cusolver_sp_handle(self) -> int:
        """The calling thread's handle of cuSOLVER for sparse matrices; see `cublas_handle`."""
        return Device._library_handle(self, "cusolver_sp")

    @property
    def cusparse_handle(self) -> int:
        """The calling thread's handle of cuSPARSE, which needs a GPU; see `cublas_handle`."""
        return Device._library_handle(self, "cusparse")


current_stream.use_first_device = lambda: Device(0).use()

_fork.in_child(Device._lose_all)
