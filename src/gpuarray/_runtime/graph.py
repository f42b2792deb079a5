"""Graphs: recorded work that is launched as a whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime import capture as captures
from gpuarray._runtime import function_hook
from gpuarray._runtime.capture import Capture
from gpuarray._runtime.current_stream import current, deferring_streams, run_all_deferred
from gpuarray._runtime.device import Device, lost_error
from gpuarray._runtime.event import Event, check_stream
from gpuarray._runtime.memory import BaseMemory
from gpuarray._runtime.release import give_back, later
from gpuarray._runtime.stream import Stream
from gpuarray._runtime.stream_work import PER_THREAD
from gpuarray.errors import CaptureError

__all__ = ["Graph"]


class GraphMemory:
    """What the launches of a graph use: memory from outside, and memory of its own.

    Parameters
    ----------
    capture : Capture
        That the graph comes from.
    """

    __slots__ = ("__weakref__", "_latest", "_launched_on", "kept", "members")

    def __init__(self, capture: Capture):
        self.kept = capture.kept
        self.members = list(capture.members)  # they have the arenas that are private
        self._launched_on: dict[tuple[int, int, int], Stream] = {}
        #: The stream that was noted last, if nothing has to be done for its next launch.
        self._latest: Stream | None = None

    def launched_on(self, stream: Stream) -> None:
        """Note that a launch, which is queued on a stream already, uses the memory."""
        if stream is self._latest:
            return
        if stream.owned or stream.handle <= PER_THREAD:
            self._launched_on[stream.key] = stream
            self._latest = stream
            return
        # Its owner may destroy it before the memory is used again: an event stands for it.
        noted = self._launched_on.get(stream.key)
        if noted is None:
            noted = Stream._of_handle(stream.handle, stream.device)
            with stream.device:
                noted.work.event = Event(disable_timing=True)
            noted.work.owned = True
            self._launched_on[stream.key] = noted
        event: Any = noted.work.event
        event.record(noted)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process this module's names may be gone, so it has the function.
        if ending() or driver.forked():
            return
        note = partial(_note_launches, list(self._launched_on.values()), self.kept)
        if self._launched_on and not later(note):
            note()


def _note_launches(streams: list[Stream], kept: list[Any]) -> None:
    """Note that launches on streams may not have ended, in what a graph has kept."""
    for stream in streams:
        if stream.lost:
            continue
        for thing in kept:
            if isinstance(thing, BaseMemory) and (thing.lost or thing.stream is stream):
                continue
            if isinstance(thing, BaseMemory):
                thing.used_by(stream)
            elif hasattr(thing, "launched_on"):
                thing.launched_on(stream)


class Graph:
    """Recorded work, which is launched as a whole at a fraction of the cost of issuing it.

    Graphs are captured: see `Stream.begin_capture` and `Stream.capture`.

    Attributes
    ----------
    graph : int
        The handle of the graph (``cudaGraph_t``).
    graphExec : int
        The handle of its executable form (``cudaGraphExec_t``).
    host_funcargs : list of tuple
        The host functions that it calls, each with its argument.

    Notes
    -----
    The graph uses the arrays of its capture at the addresses that they had: what they hold at a
    launch is what it computes with, and what it computed is in the arrays that the capture gave.
    It keeps all of them alive, and the memory of temporary arrays, which nobody else gets before
    the graph is gone. Launches of one graph run one after another, on whichever streams.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.zeros(3)
    >>> with cp.cuda.Stream(non_blocking=True).capture() as graph:
    ...     y = cp.cumsum(x + 1)
    >>> x[:] = 1
    >>> graph.upload()
    >>> graph.launch()
    >>> y
    array([2., 4., 6.])
    >>> graph.debug_dot_str().startswith("digraph")
    True
    """

    __slots__ = (
        "__weakref__", "_exec", "_generation", "_graph", "_memory", "device", "host_funcargs",
    )  # fmt: skip

    device: Device
    host_funcargs: list[tuple[Any, Any]]
    _generation: int
    _memory: GraphMemory | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "Graph: graphs are captured, by 'with stream.capture() as graph' or by begin_capture "
            "and end_capture"
        )

    @classmethod
    def _without_work(cls, device: Device) -> Graph:
        self = object.__new__(cls)
        self.device = device
        self._generation = device.generation
        self._graph = self._exec = 0
        self._memory = None
        self.host_funcargs = []
        return self

    def _take(self, handle: int, capture: Capture) -> None:
        """Have the work of a capture that ended."""
        self._graph = handle
        self._memory = GraphMemory(capture)
        self.host_funcargs = list(capture.host_functions)
        with self.device, driver.relaxed_capture():
            self._exec = driver.graph_instantiate(handle)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process this module's names may be gone, so it has the function.
        if ending() or not hasattr(self, "_generation") or driver.forked():
            return
        if self._generation == self.device.generation:
            for destroy, name in (
                (driver.graph_exec_destroy, "_exec"),
                (driver.graph_destroy, "_graph"),
            ):
                handle = getattr(self, name)
                setattr(self, name, 0)
                if handle:
                    give_back(destroy, handle)

    @property
    def graph(self) -> int:
        """The handle of the graph."""
        return self._graph

    @property
    def graphExec(self) -> int:
        """The handle of the executable graph."""
        return self._exec

    def __repr__(self) -> str:
        if not self._exec or self._generation != self.device.generation:
            return f"<Graph on device {self.device.id} without work>"
        count = len(driver.graph_get_nodes(self._graph))
        return f"<Graph of {count} node{'s' if count != 1 else ''} on device {self.device.id}>"

    def _ready(self, name: str, stream: Stream | None) -> Stream:
        """The stream for a call that needs the executable graph."""
        if stream is None:
            stream = current.stream
        else:
            check_stream(stream)
        if self._generation != self.device.generation:
            raise lost_error("a graph", self.device)
        if not self._exec:
            raise CaptureError(f"Graph.{name}: the capture of this graph has not ended, or failed")
        if stream.device is not self.device:
            raise ValueError(
                f"Graph.{name}: the graph is of {self.device}, and {stream!r} is not; launch it on "
                "a stream of its device"
            )
        return stream

    def launch(self, stream: Stream | None = None) -> None:
        """Queue the work of the graph on a stream.

        On a stream that is being captured the graph becomes a part of the other one.

        Parameters
        ----------
        stream : Stream, optional
            Where; the current stream by default.
        """
        if deferring_streams:
            run_all_deferred()  # the graph may use the same memory
        if stream is None:
            stream = current.stream
        if (
            type(stream) is not Stream
            or stream.device is not self.device
            or not self._exec
            or self._generation != self.device.generation
        ):
            stream = self._ready("launch", stream)
        if stream.captured_as is not None or stream.ongoing_capture is not None:
            self._become_part(captures.member_of(stream))
            return
        if function_hook.hooks.active:
            self._launch_with_hooks(stream)
        elif stream.device is current.stream.device:
            driver.graph_launch(self._exec, stream.handle)
        else:
            with stream.device:
                driver.graph_launch(self._exec, stream.handle)
        self._memory.launched_on(stream)  # type: ignore[union-attr]  # it is there with the handle

    def _launch_with_hooks(self, stream: Stream) -> None:
        arguments = {
            "name": repr(self),
            "grid": (0, 0, 0),
            "block": (0, 0, 0),
            "shared_mem": 0,
            "device_id": self.device.id,
            "stream": stream,
        }
        with stream.device:
            function_hook.hooks.around(
                "launch", arguments, lambda: driver.graph_launch(self._exec, stream.handle)
            )

    def _become_part(self, member: Any) -> None:
        member.ongoing_capture.keep(self)
        member.ongoing_capture.keep(self._memory)
        member.ongoing_capture.host_functions += self.host_funcargs
        _, _, graph, nodes = driver.stream_get_capture_info(member.handle)
        node = driver.graph_add_child_graph_node(graph, nodes, self._graph)
        driver.stream_set_capture_dependencies(member.handle, [node])

    def upload(self, stream: Stream | None = None) -> None:
        """Do what the first launch would have to do first, such as copying to the device.

        Parameters
        ----------
        stream : Stream, optional
            Where; the current stream by default.

        Raises
        ------
        CaptureError
            If the stream is being captured.
        """
        stream = self._ready("upload", stream)
        if stream.captured_as is not None or stream.ongoing_capture is not None:
            raise CaptureError(f"Graph.upload: {stream!r} is being captured; upload it before")
        with stream.device:
            driver.graph_upload(self._exec, stream.handle)

    def update(self, graph: Graph) -> None:
        """Let launches from now on do the work of another graph.

        That is cheaper than a new graph, if both have the same nodes and dependencies and differ in
        addresses, numbers and the sizes of launches.

        Parameters
        ----------
        graph : Graph
            Of a capture of the same operations. It stays as it is.

        Raises
        ------
        DriverError
            If the graphs differ in more; this one is then as it was.

        Examples
        --------
        >>> import gpuarray as cp
        >>> stream, x, y = cp.cuda.Stream(non_blocking=True), cp.arange(3), cp.arange(3)
        >>> graphs = []
        >>> for operand in (x, y):
        ...     with stream.capture() as graph:
        ...         operand += 1
        ...     graphs.append(graph)
        >>> graphs[0].update(graphs[1])
        >>> graphs[0].launch()
        >>> x, y
        (array([0, 1, 2]), array([1, 2, 3]))
        """
        if not isinstance(graph, Graph):
            raise TypeError(f"Graph.update: graph is a gpuarray.cuda.Graph, not {graph!r}")
        for one in (self, graph):
            one._ready("update", self.device.default_stream)
        with self.device, driver.relaxed_capture():
            driver.graph_exec_update(self._exec, graph._graph)
        self._memory = graph._memory  # launches that are queued keep the former until they end
        self.host_funcargs = graph.host_funcargs

    def debug_dot_str(self, flags: int = 0) -> str:
        """A description of the graph in the DOT language, which Graphviz draws.

        Parameters
        ----------
        flags : int, optional
            What to tell of the nodes: the sum of constants
            ``runtime.cudaGraphDebugDotFlags...``.

        Returns
        -------
        str
            The text. It describes what was captured, whatever `update` has changed.
        """
        import tempfile

        self._ready("debug_dot_str", self.device.default_stream)
        folder = tempfile.mkdtemp(prefix="gpuarray-")
        path = os.path.join(folder, "graph.dot")
        try:
            driver.graph_debug_dot_print(self._graph, path, flags)
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()
        finally:
            if os.path.exists(path):
                os.remove(path)
            os.rmdir(folder)


def end_capture(stream: Stream) -> Graph:
    """End the capture of a stream; its graph."""
    member = captures.member_of(stream)
    if member is None:
        raise CaptureError(
            f"end_capture: {stream!r} is not being captured; begin_capture comes first"
        )
    graph = Graph._without_work(stream.device)
    _finish(graph, member.ongoing_capture, member)
    return graph


def _finish(graph: Graph, capture: Capture, stream: Stream) -> None:
    with stream.device:
        handle = capture.end(stream)
    try:
        graph._take(handle, capture)
    except BaseException:
        if not graph._graph:
            driver.graph_destroy(handle)
        raise


@contextmanager
def captured(
    stream: Stream, mode: int | str | None, observe: Callable[[Capture], Any] | None = None
) -> Iterator[Graph]:
    """Capture the work of a ``with`` block on a stream, which is current there."""
    graph = Graph._without_work(stream.device)
    with stream:
        capture = captures.begin(stream, mode)
        try:
            if observe is not None:
                observe(capture)
            yield graph
        except BaseException:
            discard(capture)
            raise
        _finish(graph, capture, capture.origin)


def discard(capture: Capture) -> None:
    """End a capture whose graph nobody wants; what had been recorded is never done."""
    if capture.origin.captured_as is None:
        return  # it was ended inside of the block
    try:
        with capture.origin.device:
            handle = capture.end(capture.origin)
    except CaptureError:
        return  # it was invalid, or a stream had not been joined
    driver.graph_destroy(handle)
