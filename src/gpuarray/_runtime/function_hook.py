"""Hooks that are called before and after each launch of a kernel and each call of a C library."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._runtime import debugging
from gpuarray._runtime.hooks import Hook, Hooks
from gpuarray._runtime.launch_history import LaunchTrace
from gpuarray._runtime.plan_kinds import HOOKED, plan_from_now_on
from gpuarray._runtime.stream import Stream

#: The hooks that are active. Plans hold the functions that launch, so there are others with hooks.
hooks = Hooks(
    "function hook",
    begin=partial(plan_from_now_on, HOOKED, True),
    end=partial(plan_from_now_on, HOOKED, False),
)


class FunctionHook(Hook):
    """Base class of hooks that are called before and after each launch of a kernel.

    A hook is active inside its ``with`` block, in the thread that entered it, or in all threads if
    its attribute ``all_threads`` is true. Derived classes override what they need; all arguments
    are keyword arguments. Hooks run on the host: when the callback behind a launch is called, the
    kernel is queued on its stream, but need not have run.

    Attributes
    ----------
    name : str
        Two hooks that are active at once have different names.
    all_threads : bool
        Whether the hook is called for the launches of all threads; False by default.

    Notes
    -----
    While no hook is active, launches cost what they always do. Inside of the first hook every
    operation is planned anew, once; kernels stay loaded.

    What a callback launches itself calls no hook.

    Examples
    --------
    >>> import gpuarray as cp
    >>> class Launches(cp.cuda.FunctionHook):
    ...     name = "Launches"
    ...
    ...     def launch_preprocess(self, *, name, grid, block, **kwargs):
    ...         print(name, grid, block)
    >>> kernel = cp.RawKernel('extern "C" __global__ void nothing() {}', "nothing")
    >>> with Launches():
    ...     kernel((2,), (32,), ())
    nothing (2, 1, 1) (32, 1, 1)
    """

    name = "FunctionHook"

    _hooks = hooks

    def launch_preprocess(self, **kwargs: Any) -> None:
        """Called before a kernel is launched.

        Parameters
        ----------
        name : str
            The kernel's name; ``<Graph of 20 nodes on device 0>`` for the launch of a graph.
        grid, block : tuple of int
            Blocks of the grid and threads of a block, in x, y and z; zeros for a graph.
        shared_mem : int
            Dynamic shared memory of a block in bytes.
        device_id : int
            The device.
        stream : Stream
            The stream.
        """

    def launch_postprocess(self, **kwargs: Any) -> None:
        """Called behind a launch, with the arguments of `launch_preprocess`."""

    def call_preprocess(self, **kwargs: Any) -> None:
        """Called before a function of a C library, such as cuBLAS.

        Parameters
        ----------
        name : str
            The C function.
        device_id : int
            The device.
        stream : Stream
            The stream that the function queues its work on.
        """

    def call_postprocess(self, **kwargs: Any) -> None:
        """Called behind a library's function, with the arguments of `call_preprocess`."""


def get_function_hooks() -> dict[str, FunctionHook]:
    """The hooks that the calling thread has entered, by name.

    Returns
    -------
    dict of str to FunctionHook
        By their names.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.function_hook.get_function_hooks()
    {}
    """
    return hooks.of_thread()


def launch_of(trace: LaunchTrace, stream: Stream) -> Callable[..., int]:
    """What a plan calls to launch a kernel; the driver's function itself if nothing watches it."""
    launch = debugging.launch_of(trace, stream) if config.debug else driver.launch
    if stream.ongoing_capture is not None and stream.ongoing_capture.observer is not None:
        launch = stream.ongoing_capture.observer.watched(launch, trace)
    if not hooks.active:
        return launch
    arguments = {
        "name": trace.kernel,
        "grid": trace.grid,
        "block": trace.block,
        "shared_mem": trace.shared_bytes,
        "device_id": trace.device,
        "stream": stream,
    }
    return lambda *given: hooks.around("launch", arguments, lambda: launch(*given))


def call_of(
    function: Callable[..., int],
    trace: LaunchTrace,
    stream: Stream,
    failed: Callable[[int], BaseException],
) -> Callable[..., int]:
    """What a plan calls for a library's function; that itself if nothing watches it."""
    call = debugging.call_of(function, trace, stream, failed) if config.debug else function
    if not hooks.active:
        return call
    arguments = {"name": trace.kernel, "device_id": trace.device, "stream": stream}
    return lambda *given: hooks.around("call", arguments, lambda: call(*given))
