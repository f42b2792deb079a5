"""The stream that each thread works on, and with it the device: its current stream."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from gpuarray._ffi import driver
from gpuarray.errors import CUDAError

if TYPE_CHECKING:
    from gpuarray._runtime.device import Device
    from gpuarray._runtime.stream import Stream

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


#: Makes device 0 current. Set by gpuarray._runtime.device, which imports this module.
use_first_device: Callable[[], object]


def _first_stream() -> Stream:
    if driver.in_host_function():
        raise CUDAError(
            "CUDA must not be called in a function that a stream calls, since the stream waits for "
            "the function; hand the work over to another thread"
        )
    # First, so that nothing is recorded behind what runs: see gpuarray._fusion.deferred.
    threads.add(threading.get_ident())
    run_all_deferred()  # this thread may know what another one's work depends on
    use_first_device()  # noqa: F821 (declared above, set by the module of devices)
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

_DISABLE_TIMING = 2  # CUevent_flags


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


def make_current(stream: Stream) -> None:
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
        make_current(queued.device.current_stream())
        if driver.stream_takes_part_in_capture(queued.handle):
            return False
        event = driver.event_create(_DISABLE_TIMING)
        try:
            driver.event_record(event, queued.handle)
            for stream in waiting:
                make_current(stream.device.current_stream())
                if driver.stream_takes_part_in_capture(stream.handle):
                    return False
                driver.stream_wait_event(stream.handle, event)
        finally:
            driver.event_destroy(event)  # the driver keeps it until the streams have waited
    finally:
        make_current(outer)
    return True
