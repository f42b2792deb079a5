"""Devices, and which device and stream each thread works on."""

from __future__ import annotations

import operator
import threading
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from gpuarray import _fork
from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._runtime import launch_history
from gpuarray.errors import CaptureError, CUDAError, DriverError, InvalidDeviceError

if TYPE_CHECKING:
    from gpuarray._runtime.stream import Stream


_Handle = TypeVar("_Handle")
_Entered = TypeVar("_Entered", "Device", "Stream")


class Crossing(NamedTuple):
    """Work that a thread has queued on memory of another device, see gpuarray._runtime.peers."""

    stream: Stream
    owner: Device
    #: The stream that the memory was allocated on, if there is one.
    memory_stream: Stream | None


class _Made:
    """An attribute that is made when a thread first reads it.

    What is in the thread's dict comes before a descriptor that stores nothing. A method
    ``__getattr__`` of the class would make each read twice as slow.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, state: Any, owner: type) -> Any:
        if state is None:
            return self
        value = self._make()
        setattr(state, self._name, value)
        return value


def _made(make: Callable[[], Any]) -> Any:
    return _Made(make)


def _first_stream() -> Stream:
    if driver.in_host_function():
        raise CUDAError(
            "CUDA must not be called in a function that a stream calls, since the stream waits for "
            "the function; hand the work over to another thread"
        )
    # First, so that nothing is recorded behind what runs: see gpuarray._fusion.deferred.
    threads.add(threading.get_ident())
    run_all_deferred()  # this thread may know what another one's work depends on
    Device(0).use()
    return current.stream


class _Current(threading.local):
    """The thread's current stream, and with it its current device.

    ``current.stream`` is read once for every operation, so it is a plain attribute; a thread's
    first read finds none and makes device 0 current.
    """

    stream: Stream = _made(_first_stream)
    #: Device index -> the stream that is current there.
    streams: dict[int, Stream] = _made(dict)
    #: The innermost ``with`` block: object, stream before, outer block.
    block: Any = None
    #: Device index -> the thread's own default stream.
    per_thread: dict[int, Stream] = _made(dict)
    #: Work on memory of other devices, which they do not know of.
    crossings: set[Crossing] = _made(set)


current = _Current()

#: What stands for the streams that are captured, by `Stream.key`: see gpuarray._runtime.capture.
captured_streams: dict[tuple[int, int, int], Stream] = {}

#: What is recorded on streams and has not run, by the streams' identities: see
#: gpuarray._fusion.deferred.
deferring_streams: dict[int, Any] = {}
#: The threads that have worked on a device, but for those of gpuarray's own.
threads: set[int] = set()

_UNKNOWN_ATTRIBUTE = 1, 801  # CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED
_DISABLE_TIMING = 2  # CUevent_flags
_CONTEXT_IS_DESTROYED = 709


def run_all_deferred() -> None:
    """Run what is recorded on any stream."""
    for deferred in list(deferring_streams.values()):
        deferred.run()


def run_before_use() -> None:
    """Run what is recorded before the thread makes a device or a stream current.

    A thread that works for another one runs nothing: see `work_for_another_thread`.
    """
    if threading.get_ident() in threads:
        run_all_deferred()


def need_context() -> None:
    """Make device 0 current in a thread that has none yet, for calls that name no device."""
    _ = current.stream


def enter(entered: _Entered) -> _Entered:
    """Begin a ``with`` block of a device or stream in the calling thread.

    An interrupt (Ctrl-C) either leaves the block begun or everything as it was.
    """
    state = current.__dict__  # read once, since the attributes of each thread are slow
    outer, block = state.get("stream") or current.stream, state.get("block")
    try:
        state["block"] = entered, outer, block
        entered.use()
    except BaseException:
        state["block"] = block
        _go_back(outer)
        raise
    return entered


def leave(entered: Device | Stream, *exc_info: object) -> None:
    """Go back to the device and stream from before the innermost ``with`` block of an object.

    The blocks of a thread end in the reverse of their order, and a stream or device object may be
    entered by several threads at once: so the way back is the thread's and not the object's.
    """
    state = current.__dict__
    inside, outer, before = state["block"]
    # Python may be interrupted before anything of a block's end was done: the next one does it.
    while inside is not entered and before is not None:
        inside, outer, before = before
    try:
        if outer.lost or state["stream"].device is not outer.device:
            _go_back(outer)
        else:
            outer.use()
    except KeyboardInterrupt:
        _go_back(outer)
        raise
    finally:
        state["block"] = before


def work_for_another_thread(device: Device) -> None:
    """Make a device current in a thread of gpuarray's own, which works for another one.

    What the other has recorded stays recorded, and it may go on recording: nothing that this
    thread queues has to be ordered with what a program says, but by the one it works for.
    """
    driver.context_set_current(device.context)
    current.__dict__["stream"] = device.default_stream


def enter_stream(entered: Stream) -> Stream:
    """What `enter` does, in less time where the stream is one of the device that is current."""
    state = current.__dict__
    outer = state.get("stream")
    device = entered.device
    if outer is None or outer.device is not device or entered.thread or entered.captured_as:
        return enter(entered)
    block = state.get("block")
    try:
        state["block"] = entered, outer, block
        state["streams"][device.id] = state["stream"] = entered
    except BaseException:
        state["block"] = block
        _go_back(outer)
        raise
    return entered


def leave_stream(entered: Stream, *exc_info: object) -> None:
    """What `leave` does, in less time where that stays on the device."""
    state = current.__dict__
    inside, outer, before = state["block"]
    device = entered.device
    if (
        inside is not entered
        or outer.lost  # in a fork the thread has no stream
        or outer.device is not device
        or state["stream"].device is not device
        or outer.thread
        or outer.captured_as
    ):
        leave(entered)
        return
    try:
        state["streams"][device.id] = state["stream"] = outer
        state["block"] = before
    except KeyboardInterrupt:
        _go_back(outer)
        state["block"] = before
        raise


def _go_back(outer: Stream) -> None:
    if outer.lost:
        if driver.forked():
            return
        outer = outer.device.current_stream()
    if current.stream.device is not outer.device:
        outer.device.use()
    outer.use()


def later(release: Callable[[], object]) -> bool:
    """Whether CUDA must not be called here; then the function is called by the next that waits."""
    if driver.in_host_function():
        driver.waiting.append(release)
        return True
    return False


def _make_current(stream: Stream) -> None:
    """Make a stream and its device's context current.

    The context comes last: a finalizer that the garbage collector runs before that, and that
    enters a device, goes back to the context of the current stream.
    """
    current.stream = stream
    driver.context_set_current(stream.device.context)


def wait_for(queued: Stream, waiting: Iterable[Stream]) -> bool:
    """Let what is queued on streams from now on wait for the work of a stream of another device.

    A captured stream neither waits nor is waited for, since the others would become part of the
    capture: then the result is False.
    """
    outer = current.stream
    try:
        # A default stream's handle stands for one of the current context.
        _make_current(queued.device.current_stream())
        if driver.stream_takes_part_in_capture(queued.handle):
            return False
        event = driver.event_create(_DISABLE_TIMING)
        try:
            driver.event_record(event, queued.handle)
            for stream in waiting:
                _make_current(stream.device.current_stream())
                if driver.stream_takes_part_in_capture(stream.handle):
                    return False
                driver.stream_wait_event(stream.handle, event)
        finally:
            driver.event_destroy(event)  # the driver keeps it until the streams have waited
    finally:
        _make_current(outer)
    return True


def after_captures(release: Callable[[], object]) -> bool:
    """Whether a stream is captured; then the function is called when that has ended.

    Freeing may wait for the device, which makes a capture invalid.
    """
    for member in list(captured_streams.values()):
        capture = member.ongoing_capture
        if capture is not None:
            capture.afterwards.append(release)
            if member.ongoing_capture is None:  # it has ended meanwhile
                capture.do_afterwards()
            return True
    return False


def give_back(release: Callable[[_Handle], object], handle: _Handle) -> None:
    """Free what a dead object held. In a lost context that is neither possible nor needed."""
    again = partial(give_back, release, handle)
    if driver.forked() or later(again) or after_captures(again):
        return
    try:
        need_context()  # the last reference may go in a thread that has used no device
        release(handle)
    except DriverError as error:
        if not driver.is_sticky(error.status) and error.status != _CONTEXT_IS_DESTROYED:
            raise


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
            threads.add(threading.get_ident())
        if deferring_streams:
            run_before_use()
        try:
            if before is None:  # finalizers take a thread that has a stream to have a context
                driver.context_set_current(self.context)
            _make_current(stream)
        except BaseException:  # the driver's context is that of the current stream
            if before is None:
                current.__dict__.pop("stream", None)
            else:
                _make_current(before)
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


_fork.in_child(Device._lose_all)
