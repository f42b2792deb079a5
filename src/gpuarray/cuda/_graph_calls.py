"""The CUDA runtime's functions for captures and graphs, by handles."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any

from gpuarray._ffi import driver
from gpuarray._runtime import capture
from gpuarray._runtime.current_stream import captured_streams, current, need_context
from gpuarray._runtime.stream_work import key_of_handle
from gpuarray.cuda._runtime_constants import streamCaptureModeRelaxed

if TYPE_CHECKING:
    from gpuarray._runtime.graph import GraphMemory

#: What graphs and executable graphs use that were made by these functions, by handles.
_graphs: dict[int, GraphMemory] = {}
_executables: dict[int, GraphMemory] = {}


def streamBeginCapture(stream: int, mode: int = streamCaptureModeRelaxed) -> None:
    """Begin to record the work of a stream into a graph.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`.
    mode : int, optional
        One of the constants ``streamCaptureMode...``.
    """
    need_context()
    capture.begin(capture.object_of(operator.index(stream)), operator.index(mode))


def streamEndCapture(stream: int) -> int:
    """End a capture.

    Parameters
    ----------
    stream : int
        The handle of the stream where it began.

    Returns
    -------
    int
        The handle of the graph, for `graphInstantiate` and `graphDestroy`.
    """
    from gpuarray._runtime.graph import GraphMemory

    need_context()
    member: Any = captured_streams.get(key_of_handle(current.stream.device, stream))
    if member is None:
        return driver.stream_end_capture(stream)
    ended = member.ongoing_capture
    graph = ended.end(member)
    _graphs[graph] = GraphMemory(ended)
    return graph


def graphInstantiate(graph: int) -> int:
    """Make an executable graph.

    Parameters
    ----------
    graph : int
        The handle of a graph.

    Returns
    -------
    int
        The handle of the executable graph, for `graphLaunch` and `graphExecDestroy`.
    """
    need_context()
    with driver.relaxed_capture():
        executable = driver.graph_instantiate(graph)
    if graph in _graphs:
        _executables[executable] = _graphs[graph]
    return executable


def graphLaunch(graphExec: int, stream: int) -> None:
    """Queue the work of an executable graph on a stream.

    Parameters
    ----------
    graphExec : int
        The handle of an executable graph.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    driver.graph_launch(operator.index(graphExec), operator.index(stream))
    memory = _executables.get(graphExec)
    if memory is not None:
        memory.launched_on(capture.object_of(stream))


def graphUpload(graphExec: int, stream: int) -> None:
    """Do what the first launch of an executable graph would have to do first.

    Parameters
    ----------
    graphExec : int
        The handle of an executable graph.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    driver.graph_upload(graphExec, stream)


def graphDestroy(graph: int) -> None:
    """Destroy a graph; what was made of it lives on.

    Parameters
    ----------
    graph : int
        Its handle.
    """
    need_context()
    driver.graph_destroy(graph)
    _graphs.pop(graph, None)


def graphExecDestroy(graphExec: int) -> None:
    """Destroy an executable graph; launches that are queued run to their end.

    Parameters
    ----------
    graphExec : int
        Its handle.
    """
    need_context()
    driver.graph_exec_destroy(graphExec)
    _executables.pop(graphExec, None)


def graphDebugDotPrint(graph: int, path: str, flags: int) -> None:
    """Write a description of a graph in the DOT language to a file.

    Parameters
    ----------
    graph : int
        The handle of a graph.
    path : str
        The file.
    flags : int
        The sum of constants ``cudaGraphDebugDotFlags...``.
    """
    need_context()
    driver.graph_debug_dot_print(graph, os.fsdecode(path), operator.index(flags))
