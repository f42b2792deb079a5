"""What a trace records: launches, copies, library calls, compilations, memory and ranges."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NamedTuple

from gpuarray._ffi import driver
from gpuarray._runtime.allocator import get_default_memory_pool
from gpuarray._runtime.current_stream import current, run_all_deferred
from gpuarray._runtime.device import Device
from gpuarray._runtime.function_hook import FunctionHook
from gpuarray._runtime.launch_history import Line
from gpuarray._runtime.memory_hook import MemoryHook
from gpuarray._runtime.places import running_lines
from gpuarray._runtime.plan_kinds import WATCHED, drop_plans_of, plan_from_now_on
from gpuarray._runtime.stream_work import PER_THREAD
from gpuarray.cuda import nvtx
from gpuarray.kernels.compiler import reporting
from gpuarray.profiler._clock import DeviceClock

#: Where a copy's or fill's arguments have its size: the position of the bytes, or of the elements
#: and their bytes.
_SIZES = {
    "memcpy_htod_async": (2, 1), "memcpy_dtoh_async": (2, 1), "memcpy_dtod_async": (2, 1),
    "memcpy_async": (2, 1), "memcpy_peer_async": (4, 1), "memset_d8_async": (2, 1),
    "memset_d16_async": (2, 2), "memset_d32_async": (2, 4), "mem_prefetch_async": (1, 1),
    "memcpy_htod": (2, 1), "memcpy_dtoh": (2, 1), "memcpy_dtod": (2, 1), "memcpy": (2, 1),
    "memcpy_peer": (4, 1), "memset_d8": (2, 1), "memset_d16": (2, 2), "memset_d32": (2, 4),
}  # fmt: skip
#: What copies and fills are called in a trace, by the beginning of the function's name.
_TITLES = {
    "memcpy_htod": "copy from the host", "memcpy_dtoh": "copy to the host",
    "memcpy_dtod": "copy on the device", "memcpy_peer": "copy between devices",
    "memcpy": "copy", "memset": "fill", "mem_prefetch": "prefetch", "graph_launch": "graph",
}  # fmt: skip
#: Functions of the driver that queue work, beside launches: their last argument, or the argument
#: ``stream``, is the stream; without one they are ordered on the default stream.
_QUEUED = (*_SIZES, "memcpy_2d", "memcpy_3d", "graph_launch")
_MEMORY = ("mem_alloc_to", "mem_free_all", "mem_map_range", "mem_unmap_range")
#: Functions of the driver that wait, and for what.
_WAITS = {
    "stream_synchronize": "wait for a stream", "bare_stream_synchronize": "wait for a stream",
    "event_synchronize": "wait for an event", "bare_event_synchronize": "wait for an event",
    "context_synchronize": "wait for the device",
}  # fmt: skip


class Slice(NamedTuple):
    """Something that took time in a thread of the host."""

    thread: int
    category: str
    name: str
    start: int
    end: int
    details: dict[str, Any]
    #: What tells the work of a device that it has queued; 0 if there is none.
    flow: int = 0
    color: int | None = None


class Mark(NamedTuple):
    """A moment in a thread of the host; or, with a number, an end of a range of all threads."""

    thread: int
    phase: str
    name: str
    time: int
    color: int | None
    number: int


class DeviceWork(NamedTuple):
    """What the work of a device is. `track` is its stream, and of some streams its thread."""

    device: int
    track: tuple[int, int]
    category: str
    name: str
    details: dict[str, Any]
    flow: int


class MemoryChange(NamedTuple):
    """A change of a device's memory: of what is in use by programs, or of what pools have."""

    time: int
    device: int
    thread: int
    kind: str  # "malloc", "free", "reserve", "release"
    address: int
    size: int
    line: Line | None


class Recorder:
    """Records from `start` to `stop`. One records at a time."""

    def __init__(self) -> None:
        self.slices: list[Slice] = []
        self.marks: list[Mark] = []
        self.memory: list[MemoryChange] = []
        self.threads: dict[int, str] = {}
        self.began = self.ended = 0
        self.recording = False
        #: Used and reserved bytes by device, when the recording began.
        self.at_start: dict[int, tuple[int, int]] = {}
        self._clocks: dict[int, DeviceClock] = {}
        self._lock = threading.Lock()
        self._flow = 0
        self._ranges: dict[int, list[tuple[str, int | None, int]]] = {}
        self._numbered: dict[int, str] = {}
        self._segments: dict[int, tuple[int, int]] = {}  # address -> device, bytes
        self._undo = ExitStack()
        self._launches = _Launches(self)
        self._blocks = _Blocks(self)

    # --- start and stop

    def start(self) -> None:
        """Begin to record. Plans that are made from now on are for this recording only."""
        device = current.stream.device
        run_all_deferred()  # what was called before is not in it
        self._clock(device)
        for known in list(Device._devices.values()):
            self._note_memory(known)
        self.began = time.perf_counter_ns()
        with ExitStack() as undo:  # an interrupt leaves nothing behind
            undo.callback(drop_plans_of, WATCHED)
            undo.callback(plan_from_now_on, WATCHED, False)
            self.recording = True
            undo.callback(driver.unwatch)
            driver.watch(_QUEUED, self._queue)
            driver.watch(_WAITS, self._wait)
            driver.watch(_MEMORY, self._segment)
            undo.enter_context(self._launches)
            undo.enter_context(self._blocks)
            undo.callback(reporting.watchers.remove, self._compiled)
            reporting.watchers.append(self._compiled)
            undo.callback(nvtx._listeners.remove, self._range)
            nvtx._listeners.append(self._range)
            plan_from_now_on(WATCHED, True)
            self._undo = undo.pop_all()

    def stop(self) -> None:
        """Record no more, and wait for the work that was queued."""
        run_all_deferred()
        self.recording = False
        self._undo.close()
        for clock in self._clocks.values():
            clock.read(wait=True)
        self.ended = time.perf_counter_ns()
        for thread, stack in self._ranges.items():
            while stack:  # ranges that are open still
                name, color, start = stack.pop()
                self.slices.append(Slice(thread, "range", name, start, self.ended, {}, color=color))

    @property
    def device_work(self) -> list[tuple[DeviceWork, int, int]]:
        """What devices did, with the ns of its beginning and its end."""
        return [done for clock in self._clocks.values() for done in clock.done]

    # --- work of devices

    def _clock(self, device: Device) -> DeviceClock:
        found = self._clocks.get(device.id)
        if found is None:
            with self._lock:
                found = self._clocks.get(device.id)
                if found is None:
                    found = self._clocks[device.id] = DeviceClock(device)
        return found

    def timed(
        self,
        category: str,
        name: str,
        details: dict[str, Any],
        device: Device,
        stream: int,
    ) -> Callable[[], None]:
        """Note the beginning of a call that queues work; what is returned notes its end."""
        thread = self.thread()
        clock = self._clock(device)
        start = time.perf_counter_ns()  # before the device can begin
        started = clock.begin(stream)

        def ended() -> None:
            end = time.perf_counter_ns()
            flow = 0
            if started is not None:
                with self._lock:
                    self._flow += 1
                    flow = self._flow
                track = stream, thread if stream == PER_THREAD else 0
                work = DeviceWork(device.id, track, category, name, details, flow)
                clock.end(started, stream, start, work)
            self.slices.append(Slice(thread, category, name, start, end, details, flow))

        return ended

    def _queue(self, name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A copy, a fill or the launch of a graph."""
        if not self.recording:
            return function(*args, **kwargs)
        asynchronous = name.endswith("_async") or name == "graph_launch"
        stream = kwargs.get("stream") or (args[-1] if asynchronous else 0)
        details = {}
        if name in _SIZES:
            at, width = _SIZES[name]
            details["bytes"] = args[at] * width
        title = next(text for start, text in _TITLES.items() if name.startswith(start))
        category = "copy"
        if name == "graph_launch":
            category, title = "graph", self._launches.graph_name() or title
        device = _device_of_context()
        if device is None:
            return function(*args, **kwargs)
        ended = self.timed(category, title, details, device, stream)
        try:
            return function(*args, **kwargs)
        finally:
            ended()

    # --- the host

    def _wait(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """A call that waits for a device."""
        start = time.perf_counter_ns()
        try:
            return function(*args)
        finally:
            end = time.perf_counter_ns()
            if self.recording:
                self.slices.append(Slice(self.thread(), "wait", _WAITS[name], start, end, {}))

    def thread(self) -> int:
        """The calling thread's number, whose name is kept."""
        number = threading.get_native_id()
        if number not in self.threads:
            self.threads[number] = threading.current_thread().name
        return number

    def _compiled(self, name: str, architecture: str, state: str, start: int, end: int) -> None:
        if state == "memory":
            return
        text = f"compile {name}" if state == "compiled" else f"load {name} from the cache"
        details = {"architecture": architecture, "state": state}
        self.slices.append(Slice(self.thread(), "compile", text, start, end, details))

    def _range(self, kind: str, message: str, color: int | None, number: int) -> None:
        thread, now = self.thread(), time.perf_counter_ns()
        if kind == "push":
            self._ranges.setdefault(thread, []).append((message, color, now))
        elif kind == "pop":
            stack = self._ranges.get(thread)
            if stack:  # one that began before the recording is not in it
                name, color, start = stack.pop()
                self.slices.append(Slice(thread, "range", name, start, now, {}, color=color))
        elif kind == "mark":
            self.marks.append(Mark(thread, "i", message, now, color, 0))
        elif kind == "start":
            self._numbered[number] = message
            self.marks.append(Mark(thread, "b", message, now, color, number))
        elif number in self._numbered:
            name = self._numbered.pop(number)
            self.marks.append(Mark(thread, "e", name, now, None, number))

    # --- memory

    def change(self, kind: str, device: int, address: int, size: int) -> None:
        """Note a change of memory."""
        line = running_lines()[-1:] if kind == "malloc" else []
        now = time.perf_counter_ns()
        self.memory.append(
            MemoryChange(now, device, self.thread(), kind, address, size, line[0] if line else None)
        )

    def _note_memory(self, device: Device) -> None:
        pool = get_default_memory_pool()
        with device:
            self.at_start[device.id] = pool.used_bytes(), pool.total_bytes()
        for arena in list(pool._arenas):
            if arena.device is device:
                for address, size in arena.pieces():
                    self._segments[address] = device.id, size

    def _segment(self, name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Memory from the driver, or given back to it."""
        if not self.recording or kwargs.get("kind", "mem_").startswith("mem_host"):
            return function(*args, **kwargs)
        if name == "mem_alloc_to":
            result = function(*args, **kwargs)
            device = _device_of_context()
            if device is not None:
                self._segments[args[0].value] = device.id, args[1]
                self.change("reserve", device.id, args[0].value, args[1])
            return result
        if name == "mem_map_range":
            result = function(*args, **kwargs)
            address, size, _, devices = args
            self._segments[address] = devices[0], size
            self.change("reserve", devices[0], address, size)
            return result
        before = [args[0]] if name == "mem_unmap_range" else list(args[0])
        try:
            return function(*args, **kwargs)
        finally:
            left = () if name == "mem_unmap_range" else args[0]
            for address in set(before).difference(left):
                if address in self._segments:
                    number, size = self._segments.pop(address)
                    self.change("release", number, address, size)


def _device_of_context() -> Device | None:
    """The device whose context is current, also in a thread that has no current stream."""
    context = driver.context_get_current()
    return next((x for x in list(Device._devices.values()) if x.context == context), None)


class _Launches(FunctionHook):
    """Tells a recorder of launches and of calls of libraries."""

    name = "gpuarray.profiler.trace"
    all_threads = True

    def __init__(self, recorder: Recorder):
        self._recorder = recorder
        self._thread = threading.local()

    def graph_name(self) -> str:
        """What the graph is called that this thread is about to launch; '' if nobody knows."""
        return self._thread.__dict__.pop("graph", "")

    def launch_preprocess(self, **kwargs: Any) -> None:
        if not any(kwargs["grid"]):  # a graph, of which the driver's function tells as well
            self._thread.graph = kwargs["name"].strip("<>")
            self._thread.__dict__.setdefault("open", []).append(lambda: None)
            return
        details = {
            "grid": list(kwargs["grid"]),
            "block": list(kwargs["block"]),
            "shared_bytes": kwargs["shared_mem"],
        }
        self._begin("kernel", details, **kwargs)

    def call_preprocess(self, **kwargs: Any) -> None:
        self._begin("library", {}, **kwargs)

    def _begin(
        self, category: str, details: dict[str, Any], *, name: str, stream: Any, **kwargs: Any
    ) -> None:
        lines = running_lines()
        if lines:
            details["lines"] = [str(x) for x in lines]
        ended = self._recorder.timed(category, name, details, stream.device, stream.handle)
        self._thread.__dict__.setdefault("open", []).append(ended)

    def launch_postprocess(self, **kwargs: Any) -> None:
        self._thread.open.pop()()

    def call_postprocess(self, **kwargs: Any) -> None:
        self._thread.open.pop()()


class _Blocks(MemoryHook):
    """Tells a recorder of memory that is handed out and given back."""

    name = "gpuarray.profiler.trace"
    all_threads = True

    def __init__(self, recorder: Recorder):
        self._recorder = recorder

    def malloc_postprocess(self, **kwargs: Any) -> None:
        if kwargs["mem_ptr"]:
            self._change("malloc", **kwargs)

    def free_postprocess(self, **kwargs: Any) -> None:
        self._change("free", **kwargs)

    def _change(
        self, kind: str, *, device_id: int, mem_ptr: int, mem_size: int, **kwargs: Any
    ) -> None:
        self._recorder.change(kind, device_id, mem_ptr, mem_size)
