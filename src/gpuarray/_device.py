"""Devices, and which device and stream each thread works on."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, ClassVar

from gpuarray import _launches
from gpuarray._ffi import driver

if TYPE_CHECKING:
    from gpuarray._stream import Stream


class _Current(threading.local):
    """The thread's current stream, and with it its current device.

    ``current.stream`` is read once for every operation, so it is a plain attribute; a thread's
    first read finds none and makes device 0 current.
    """

    stream: Stream
    streams: dict[int, Stream]
    outer: list[Stream]

    def __getattr__(self, name: str) -> Any:
        if name == "stream":
            Device(0).use()
            return self.stream
        if name == "streams":  # device index -> the stream that is current there
            self.streams = {}
            return self.streams
        if name == "outer":  # what ``with`` blocks of this thread go back to
            self.outer = []
            return self.outer
        raise AttributeError(name)


current = _Current()


def need_context() -> None:
    """Make device 0 current in a thread that has none yet, for calls that name no device."""
    _ = current.stream


def leave() -> None:
    """Go back to the device and stream from before the innermost ``with`` block of the thread.

    The blocks of a thread end in the reverse of their order, and a stream or device object may be
    entered by several threads at once: so the way back is the thread's and not the object's.
    """
    outer = current.outer.pop()
    if current.stream.device is not outer.device:
        outer.device.use()
    outer.use()


class Device:
    """A CUDA device.

    There is one object a device: ``Device(0) is Device(0)``. Used as a context manager, it is
    current inside the ``with`` block.

    Parameters
    ----------
    device : int or Device, optional
        The device's number; the current device without it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> with cp.cuda.Device(0):
    ...     x = cp.arange(3)
    >>> x.device
    <CUDA Device 0>
    """

    # Set by gpuarray._stream: devices own their default stream, streams name their device.
    stream_class: type[Stream]

    _devices: ClassVar[dict[int, Device]] = {}
    _lock = threading.RLock()

    id: int
    handle: int
    context: int
    architecture: str
    multiprocessors: int
    default_stream: Stream
    functions: dict[Any, Any]

    def __new__(cls, device: int | Device | None = None) -> Device:
        if device is None:
            return current.stream.device
        if isinstance(device, Device):
            return device
        found = cls._devices.get(device)
        if found is None:
            with cls._lock:
                found = cls._devices.get(device)
                if found is None:
                    found = cls._open(device)
                    cls._devices[device] = found
        return found

    @classmethod
    def _open(cls, index: int) -> Device:
        driver.init()
        count = driver.device_count()
        if not 0 <= index < count:
            raise ValueError(f"Device({index}): there are {count} devices, numbered from 0")
        self = object.__new__(cls)
        self.id = index
        self.handle = driver.device_get(index)
        self.context = driver.primary_context_retain(self.handle)
        major = driver.device_attribute("compute_capability_major", self.handle)
        minor = driver.device_attribute("compute_capability_minor", self.handle)
        self.architecture = f"sm_{major}{minor}"
        self.multiprocessors = driver.device_attribute("multiprocessor_count", self.handle)
        self.functions = {}
        self.default_stream = cls.stream_class._of_handle(0, self)
        return self

    def use(self) -> None:
        """Make this device current in the calling thread."""
        driver.context_set_current(self.context)
        current.stream = current.streams.get(self.id, self.default_stream)

    def __enter__(self) -> Device:
        outer = current.stream
        self.use()
        current.outer.append(outer)
        return self

    def __exit__(self, *exc_info: object) -> None:
        leave()

    def __int__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __reduce__(self) -> tuple:
        return Device, (self.id,)

    def synchronize(self) -> None:
        """Wait until every stream of this device has finished its work."""
        if current.stream.device is self:
            driver.context_synchronize()
        else:
            with self:
                driver.context_synchronize()
        _launches.ended(self.id)

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

    def attribute(self, name: str) -> int:
        """A driver attribute by cuda.h's name without prefix, in lower case."""
        return driver.device_attribute(name, self.handle)
