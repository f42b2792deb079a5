"""Streams: queues of work on a device, with the plans of calls that were made on them."""

from __future__ import annotations

import operator
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar

from gpuarray._ffi import driver
from gpuarray._runtime import launch_history
from gpuarray._runtime.current_stream import (
    captured_streams,
    current,
    deferring_streams,
    enter_stream,
    leave_stream,
    need_context,
    run_before_use,
)
from gpuarray._runtime.device import Device, lost_error
from gpuarray._runtime.event import Event, check_event, retry
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream_work import (
    PER_THREAD,
    StreamWork,
    captured_error,
    device_of_handle,
)

if TYPE_CHECKING:
    from gpuarray._runtime.graph import Graph

_NON_BLOCKING = 1

#: Every live stream by its identity (equal streams may share a handle).
streams: weakref.WeakValueDictionary[int, Stream] = weakref.WeakValueDictionary()

#: Plans of a generation. A stream keeps two generations: a plan that nobody asks for while so many
#: others are made is dropped.
PLAN_LIMIT = 4096


def capture_module() -> Any:
    """The module of captures, which few programs need."""
    from gpuarray._runtime import capture

    return capture


class _DefaultStream:
    """An attribute of the class `Stream`: a stream of the device that is current."""

    def __init__(self, doc: str, find: Callable[[Device], Stream]):
        self.__doc__ = doc
        self._find = find

    def __get__(self, instance: Stream | None, owner: type) -> Stream:
        return self._find(current.stream.device)


class Stream:
    """A queue of work on a device.

    Used as a context manager, it is the current stream inside the ``with`` block.

    Parameters
    ----------
    null : bool, optional
        The device's default stream instead of a new one.
    non_blocking : bool, optional
        Do not wait for, nor be waited for by, the default stream.
    ptds : bool, optional
        The per-thread default stream; `null` comes first.
    priority : int, optional
        Lower numbers are served first, and 0 is the default. The driver takes the nearest one that
        the device has: ``-5`` to ``0`` on today's.

    Examples
    --------
    >>> import gpuarray as cp
    >>> stream = cp.cuda.Stream(non_blocking=True)
    >>> with stream:
    ...     y = cp.arange(4) * 2
    >>> stream.synchronize()
    >>> stream.done, stream.is_capturing()
    (True, False)
    >>> event = stream.record()
    >>> cp.cuda.Stream.null.wait_event(event)
    >>> before = cp.cuda.get_current_stream()
    >>> stream.use() is stream, before.use() is before
    (True, True)
    >>> with stream:
    ...     stream.begin_capture()
    ...     y *= 2
    ...     graph = stream.end_capture()
    >>> graph.launch(stream)
    """

    __slots__ = (
        "__weakref__", "arenas", "argument", "captured_as", "deferred", "device", "end", "foreign",
        "handle",
        "library_handles", "older_plans", "ongoing_capture", "origin", "other_plans", "owned",
        "plan_kind", "plans", "private_arenas", "thread", "work",
    )  # fmt: skip

    null = _DefaultStream("The default stream of the current device.", lambda x: x.default_stream)
    ptds = _DefaultStream(
        "The default stream that the calling thread has on the current device.",
        lambda x: x.default_stream.of_this_thread(),
    )
    #: Whether a reset of the device took the stream away.
    lost = False
    #: The class of streams that somebody else owns; set by gpuarray._runtime.stream_kinds.
    borrowed_class: ClassVar[type[Stream]]
    #: What `plan_kind` of a new stream is.
    new_plan_kind = 0

    def __init__(
        self,
        null: bool = False,
        non_blocking: bool = False,
        ptds: bool = False,
        priority: int | None = None,
    ):
        device = current.stream.device
        owned = not (null or ptds)
        if owned:
            number = 0 if priority is None else operator.index(priority)
            handle = driver.stream_create(_NON_BLOCKING if non_blocking else 0, number)
        else:
            handle = 0 if null else PER_THREAD
            if type(self) is Stream:
                self.__class__ = Stream.borrowed_class
        self._set(handle, device, owned)

    @classmethod
    def from_external(cls, obj: Any) -> Stream:
        """A stream of another library, which keeps it.

        Parameters
        ----------
        obj : object
            Has a method ``__cuda_stream__`` that returns 0, the version of that protocol, and the
            ``cudaStream_t``; streams of CuPy, PyTorch and cuda.core do. It is kept alive.

        Returns
        -------
        Stream
            `obj` itself if it is a stream of this package.

        Raises
        ------
        AttributeError
            If the object has no such method.
        TypeError, ValueError
            If the method returns something else, or another version.

        Examples
        --------
        >>> import gpuarray as cp
        >>> class Other:
        ...     def __cuda_stream__(self):
        ...         return 0, cp.cuda.Stream.null.ptr
        >>> cp.cuda.Stream.from_external(Other()) == cp.cuda.Stream.null
        True
        """
        if isinstance(obj, Stream):
            return obj
        ask = getattr(obj, "__cuda_stream__", None)
        if ask is None:
            raise AttributeError(
                f"Stream.from_external: a {type(obj).__name__} has no method __cuda_stream__; "
                "ExternalStream takes a handle"
            )
        answer = ask()
        try:
            version, handle = map(operator.index, answer)
        except (TypeError, ValueError):
            raise TypeError(
                "Stream.from_external: __cuda_stream__ returns a version and a handle, not "
                f"{answer!r}"
            ) from None
        if version != 0:
            raise ValueError(
                f"Stream.from_external: version {version} of __cuda_stream__ is unknown; this "
                "package knows version 0"
            )
        self = cls._of_handle(handle, device_of_handle("Stream.from_external", handle))
        self.foreign = obj
        return self

    def __cuda_stream__(self) -> tuple[int, int]:
        """The version of this protocol and the stream's handle, for other libraries."""
        return 0, self.handle

    @classmethod
    def _of_handle(cls, handle: int, device: Device) -> Stream:
        """A stream object for a handle that somebody else owns."""
        self = object.__new__(Stream.borrowed_class if cls is Stream else cls)
        self._set(handle, device, False)
        return self

    def _set(self, handle: int, device: Device, owned: bool) -> None:
        self.handle = handle
        self.argument = driver.handle_argument(handle)
        self.end = launch_history.end_of(device.id, handle)
        self.device = device
        self.owned = owned
        self.foreign: Any = None  # another library's stream, kept alive
        self.thread = threading.get_ident() if handle == PER_THREAD else 0
        #: What stands for this stream while it is captured; of that, the stream that it stands
        #: for, the capture, and the memory that is private to its graph.
        self.captured_as: Stream | None = None
        self.origin: Stream | None = None
        self.ongoing_capture: Any = None
        self.private_arenas: list[Any] = []
        if captured_streams:
            self.captured_as = captured_streams.get(self.key)
        # Plans by the keys of gpuarray._runtime.plans: the present generation, and the one before.
        self.plans: dict[Any, Any] = {}
        self.older_plans: dict[Any, Any] = {}
        # The kind of these plans, a sum of ASKING, HOOKED and so on; and both generations of the
        # plans of other kinds.
        self.plan_kind = 0
        self.other_plans: dict[int, tuple[dict[Any, Any], dict[Any, Any]]] = {}
        # What is recorded here, see gpuarray._fusion.deferred.
        self.deferred: Any = None
        self.arenas: dict[Any, Any] = {}  # memory pool -> its blocks on this stream
        self.library_handles: dict[Any, Any] = {}  # of gpuarray._libraries.handles
        self.work = StreamWork(self)
        streams[id(self)] = self
        self.use_plans(Stream.new_plan_kind)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process this module's names may be gone, so it has the function.
        if getattr(self, "owned", False) and self.handle and not ending():
            handle, self.handle = self.handle, 0
            if self.work.noted:
                give_back(self._leave_event, handle)
            # Work still queued finishes; the driver keeps the stream until then.
            give_back(driver.stream_destroy, handle)

    def _leave_event(self, handle: int) -> None:
        with self.device:
            event = Event(disable_timing=True)
            driver.event_record(event.handle, handle)
        self.work.event = event

    # No lock: each step is one operation of a dict, and threads that meet here plan once more
    # than needed at worst.

    def keep_plan(self, key: tuple, plan: Any) -> None:
        """Keep a plan under a key of `gpuarray._runtime.plans`."""
        if id(self) in deferring_streams:
            self.deferred.keep(key, plan)
            return
        plans = self.plans
        if len(plans) >= PLAN_LIMIT:
            if self.plans is plans:
                self.older_plans, self.plans = plans, {}
            plans = self.plans
        plans[key] = plan

    def older_plan(self, key: tuple) -> Any:
        """A plan of the generation before, which joins the present one; None if it has none."""
        if id(self) in deferring_streams:
            return self.deferred.find(key)
        plan = self.older_plans.pop(key, None)
        if plan is not None:
            self.keep_plan(key, plan)
        return plan

    def use_plans(self, kind: int) -> None:
        """Have the plans of a kind, and keep the others for later."""
        if self.deferred is not None:
            self.deferred.forget_plans()
        if self.plan_kind != kind:
            self.other_plans[self.plan_kind] = self.plans, self.older_plans
            self.plans, self.older_plans = self.other_plans.pop(kind, ({}, {}))
            self.plan_kind = kind

    def all_plans(self) -> tuple[dict[Any, Any], ...]:
        """The tables of all plans that are kept."""
        others = [plans for pair in list(self.other_plans.values()) for plans in pair]
        return self.plans, self.older_plans, *others

    def drop_plans(self, function: Any = None) -> None:
        """Forget the plans of a function, or all."""
        if self.deferred is not None:
            self.deferred.forget_plans()
        for plans in self.all_plans():
            for key in list(plans) if function is not None else ():
                if key[0] is function:
                    plans.pop(key, None)
            if function is None:
                plans.clear()

    @property
    def key(self) -> tuple[int, int, int]:
        """What tells the stream from others: objects of one stream have one key."""
        return self.device.id, self.handle, self.thread

    @property
    def ptr(self) -> int:
        """The driver's handle (CuPy's name)."""
        return self.handle

    @property
    def device_id(self) -> int:
        """The number of the stream's device."""
        return self.device.id

    def use(self) -> Stream:
        """Make this the current stream of the calling thread.

        Returns
        -------
        Stream
            The stream itself.

        Raises
        ------
        RuntimeError
            If it belongs to another device than the current one.
        """
        state = current.__dict__  # read once, since the attributes of each thread are slow
        before = state.get("stream") or current.stream
        if deferring_streams:
            run_before_use()
        if before.device is not self.device:
            raise RuntimeError(
                f"{self!r} belongs to {self.device}, but {before.device} is current; enter that "
                "device first"
            )
        stream = self.of_this_thread() if self.thread else self
        if stream.captured_as is not None:
            stream = stream.captured_as
        (state.get("streams") or current.streams)[self.device.id] = stream
        state["stream"] = stream
        return self

    def of_this_thread(self) -> Stream:
        """The object for the calling thread's own default stream.

        One handle stands for a stream in each thread, and those share neither freed memory nor
        plans nor look-back state.

        Returns
        -------
        Stream
            The stream.

        Examples
        --------
        >>> import gpuarray as cp
        >>> stream = cp.cuda.Stream.null
        >>> isinstance(stream.of_this_thread(), cp.cuda.Stream)
        True
        """
        found = current.per_thread.get(self.device.id)
        if found is None or found.lost:
            mine = self.thread == threading.get_ident()
            found = self if mine else Stream._of_handle(PER_THREAD, self.device)
            current.per_thread[self.device.id] = found
        return found

    __enter__ = enter_stream
    __exit__ = leave_stream

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.handle:#x} on device {self.device.id}>"

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Stream)
            and other.handle == self.handle
            and other.device is self.device
        )

    # Plan keys hold streams, and equal streams share their handle.
    def __hash__(self) -> int:
        return hash((self.handle, self.device.id))

    def synchronize(self) -> None:
        """Wait until the work queued so far has finished."""
        if captured_streams:
            self._need_no_capture("Stream.synchronize")
        if driver.host_function_threads:
            need_context()  # the driver may wait for ever in a function that it has called
        status = driver.bare_stream_synchronize(self.argument)
        if status:
            retry("stream_synchronize", status, self.argument)
        launch_history.ended(self.end)
        if driver.waiting:
            driver.free_what_waits()

    @property
    def done(self) -> bool:
        """Whether all work queued so far has finished."""
        if captured_streams:
            self._need_no_capture("Stream.done")
        status = driver.bare_stream_query(self.argument)
        return not status or not retry("stream_query", status, self.argument)

    @property
    def is_non_blocking(self) -> bool:
        """Whether the stream and the default stream do not wait for one another."""
        need_context()
        return bool(driver.stream_get_flags(self.handle) & _NON_BLOCKING)

    @property
    def priority(self) -> int:
        """The stream's priority; lower numbers are served first."""
        need_context()
        return driver.stream_get_priority(self.handle)

    def add_callback(self, callback: Callable[[Stream, int, Any], object], arg: Any) -> None:
        """Call a function on the host when the work queued so far is done.

        Work that is queued later waits for it. :meth:`launch_host_func` does the same and can be
        captured, but is not called after a fault of the device.

        Parameters
        ----------
        callback : callable
            Gets the stream, the status (0, or that of a fault) and `arg`. It runs in a thread of
            the driver, in which CUDA must not be called, and must not wait for one that calls it.
            What it raises is reported by ``sys.unraisablehook``.
        arg : object
            Kept, like the stream and the function, until the function was called.

        Raises
        ------
        CUDAError
            If the stream is being captured.

        Examples
        --------
        >>> import gpuarray as cp
        >>> stream = cp.cuda.Stream()
        >>> done = []
        >>> stream.add_callback(lambda stream, status, arg: arg.append(status), done)
        >>> stream.synchronize()
        >>> done
        [0]
        """
        from gpuarray._runtime import host_functions

        host_functions.add_callback(self, callback, arg)

    def launch_host_func(self, callback: Callable[[Any], object], arg: Any) -> None:
        """Call a function on the host when the work queued so far is done.

        Work that is queued later waits for it. In a captured stream it becomes a part of the
        graph, and is called each time that the graph runs.

        Parameters
        ----------
        callback : callable
            Gets `arg`. It runs in a thread of the driver, in which CUDA must not be called, and
            must not wait for one that calls it. What it raises is reported by
            ``sys.unraisablehook``.
        arg : object
            Kept, like the function, until the function was called.

        Examples
        --------
        >>> import gpuarray as cp
        >>> stream = cp.cuda.Stream()
        >>> done = []
        >>> stream.launch_host_func(done.append, "the work")
        >>> stream.synchronize()
        >>> done
        ['the work']
        """
        from gpuarray._runtime import host_functions

        host_functions.launch(self, callback, arg)

    def record(self, event: Event | None = None) -> Event:
        """Record an event (a new one without ``event``) behind the work queued so far.

        Parameters
        ----------
        event : Event, optional
            The event; a new one by default.

        Returns
        -------
        Event
            The event.
        """
        if event is None:
            event = Event()
        else:
            check_event(event)
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Let work queued from now on wait for an event.

        Parameters
        ----------
        event : Event
            The event.

        Raises
        ------
        CUDAError
            If the event's device was reset.
        """
        check_event(event)
        if event.generation != event.device.generation:
            raise lost_error("an event", event.device)
        status = driver.bare_stream_wait_event(self.argument, event.argument, 0)
        if status:
            retry("stream_wait_event", status, self.argument, event.argument, 0)
        if captured_streams:
            capture_module().join(self)

    def _need_no_capture(self, name: str) -> None:
        """Refuse to wait for the stream, before that makes its capture invalid."""
        if self.captured_as is not None or self.ongoing_capture is not None:
            raise captured_error(name, self)

    def is_capturing(self) -> bool:
        """Whether the stream is being captured.

        Returns
        -------
        bool
            Whether; True as well for a capture that became invalid and has not ended.
        """
        need_context()
        return driver.stream_is_capturing(self.handle) != 0

    def begin_capture(self, mode: int | str | None = None) -> None:
        """Begin to record the stream's work into a graph, in place of doing it.

        Parameters
        ----------
        mode : int or str, optional
            Which calls make the capture invalid that might disturb it: one of
            ``runtime.streamCaptureModeGlobal``, ``streamCaptureModeThreadLocal`` and
            ``streamCaptureModeRelaxed``, which is the default, or ``'global'``,
            ``'thread_local'``, ``'relaxed'``. Operations on arrays work in all of them.

        Raises
        ------
        CaptureError
            For the default stream, which cannot be captured, and for one that is being captured.

        Examples
        --------
        >>> import gpuarray as cp
        >>> stream = cp.cuda.Stream(non_blocking=True)
        >>> x = cp.arange(3)
        >>> with stream:
        ...     stream.begin_capture()
        ...     x += 1
        ...     graph = stream.end_capture()
        >>> graph.launch()
        >>> graph.launch()
        >>> x
        array([2, 3, 4])
        """
        capture_module().begin(self, mode)

    def end_capture(self) -> Graph:
        """End the capture that began on this stream.

        Returns
        -------
        Graph
            It keeps the arrays that its work uses, and the memory of its temporary ones.

        Raises
        ------
        CaptureError
            If no capture began here; if a call made it invalid; if the stream did not wait for
            others that take part. The stream can be used afterwards.
        """
        from gpuarray._runtime import graph

        return graph.end_capture(self)

    def capture(self, mode: int | str | None = None) -> AbstractContextManager[Graph]:
        """Record the work of a ``with`` block into a graph; the stream is current there.

        Parameters
        ----------
        mode : int or str, optional
            As for `begin_capture`.

        Returns
        -------
        context manager
            Its value is the `Graph`, which can be launched behind the block.

        Examples
        --------
        >>> import gpuarray as cp
        >>> x = cp.arange(3)
        >>> with cp.cuda.Stream(non_blocking=True).capture() as graph:
        ...     x *= 2
        >>> graph.launch()
        >>> x
        array([0, 2, 4])
        """
        from gpuarray._runtime import graph

        return graph.captured(self, mode)


def get_current_stream(device_id: int = -1) -> Stream:
    """The calling thread's current stream of a device.

    Parameters
    ----------
    device_id : int, optional
        The device's number; -1, the default, is the current device.

    Returns
    -------
    Stream
        The stream.

    Examples
    --------
    >>> import gpuarray as cp
    >>> with cp.cuda.Stream() as stream:
    ...     cp.cuda.get_current_stream() is stream
    True
    """
    if device_id is None or device_id == -1 or device_id == current.stream.device.id:
        found = current.stream
    else:
        found = Device(device_id).current_stream()
    return found if found.origin is None else found.origin
