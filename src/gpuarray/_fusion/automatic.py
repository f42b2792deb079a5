"""Whether operations are recorded, and the plans that record."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes
from gpuarray._config import FUSION_MODES, config
from gpuarray._ffi import driver
from gpuarray._fusion import deferred, lacking, recorders, running
from gpuarray._fusion.deferred import Deferred
from gpuarray._fusion.steps import Reduced, Step
from gpuarray._layout import Layout
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime import recording
from gpuarray._runtime.current_stream import deferring_streams, run_all_deferred
from gpuarray._runtime.plan_kinds import ASKING, HOOKED, WATCHED
from gpuarray._runtime.stream import Stream, streams
from gpuarray.kernels.generator.expressions import Expression

if TYPE_CHECKING:
    from typing import Self

_HOOK_IS_SLOW = sys.version_info < (3, 12)


def recorder(
    make: Callable[[], Callable[..., Any]],
    layout: Layout,
    name: str,
    expression: Expression,
    inputs: Sequence[Any],
    given: bool,
    stream: Stream,
) -> Callable[..., Any]:
    """As :class:`gpuarray._runtime.recording.Recorder` describes it."""
    if not _is_recorded_on(stream) or not _is_plain(inputs, layout):
        return make()
    if given and not _is_apart(layout):
        return make()
    if layout.nbytes > driver.device_total_mem(stream.device.handle):
        return make()  # which raises in the line that asks for it
    noted = _noted_on(stream)
    is_small = layout.nbytes < recording.LEAST_BYTES
    if is_small and (given or noted.small.isdisjoint(inputs)):
        return make()
    if is_small:
        noted.add_small(layout)
    step = Step(make, name, expression, inputs, layout)
    return recorders.recorder_of(step, noted, given, only_pending=is_small)


def reduction_recorder(
    make: Callable[[], Callable[..., Any]],
    operand: Layout,
    function: Any,
    layout: Layout,
    options: tuple[Any, ...],
    numbers: tuple[np.dtype, ...],
    stream: Stream,
) -> Callable[..., Any]:
    """As :class:`gpuarray._runtime.recording.ReductionRecorder` describes it."""
    if operand.nbytes < recording.LEAST_BYTES or not operand.size or not _is_recorded_on(stream):
        return make()
    if operand.dtype.kind not in "biufc" or not _is_plain((operand, *numbers), layout):
        return make()
    if layout.nbytes > driver.device_total_mem(stream.device.handle):
        return make()  # which raises in the line that asks for it
    noted = _noted_on(stream)
    if layout.nbytes < recording.LEAST_BYTES:
        noted.add_small(layout)
    step = Reduced(make, function, options, (operand, *numbers), layout)
    # One that reads memory takes a fourth of the time of an operation that stores as much.
    only_pending = operand.nbytes < 4 * recording.LEAST_BYTES
    return recorders.recorder_of(step, noted, only_pending=only_pending)


def _is_recorded_on(stream: Stream) -> bool:
    """Whether operations that are planned for a stream now may be recorded."""
    kind = stream.plan_kind
    # Hooks and allocators of the user's see each operation; a trace sees what runs without it.
    is_watched = kind & (ASKING | HOOKED) and not kind & WATCHED
    return not (is_watched or stream.ongoing_capture or config.debug)


def _noted_on(stream: Stream) -> Deferred:
    """What is recorded on a stream."""
    noted: Deferred | None = stream.deferred
    if noted is None:
        noted = stream.deferred = Deferred(stream, running.run)
    return noted


def _is_plain(inputs: Sequence[Any], layout: Layout) -> bool:
    """Whether operands are numbers, in memory of which all accesses are known."""
    for x in (*inputs, layout):
        if isinstance(x, Layout):
            if x.foreign or x.unaligned or _dtypes.is_raw(x.dtype):
                return False
        elif isinstance(x, np.dtype) and x.kind not in "fcbiu":
            return False
    return True


def _is_apart(layout: Layout) -> bool:
    """Whether each element of an array that is stored to has bytes of its own."""
    extent = layout.itemsize
    for stride, length in sorted([(abs(x), n) for x, n in zip(layout.strides, layout.shape)]):
        if length > 1:
            if stride < extent:
                return False
            extent = stride * length
    return layout.writable


def current_mode() -> str:
    """How operations run: 'off', 'on' or 'immediate'."""
    if not deferred.enabled:
        return "off"
    return "immediate" if running.immediate else "on"


def set_mode(wanted: str) -> None:
    """Run operations so from now on."""
    deferred.enable(wanted != "off")
    run_all_deferred()
    running.immediate = wanted == "immediate"
    _let_arrays_lack_memory(deferred.enabled)
    if deferred.enabled and recording.recorder is not recorder:
        Stream.__getattr__ = lacking.handle_of  # type: ignore[attr-defined]
        asked = recording.recorder is not None  # for all plans
        recording.recorder = recorder
        recording.reduction_recorder = reduction_recorder
        if not asked:
            for stream in list(streams.values()):
                stream.drop_plans()  # those that were made before record nothing


def _let_arrays_lack_memory(may: bool) -> None:
    """Have what looks at an array without memory run what is recorded, or let no array be one.

    Python 3.11 reads all attributes of a class with `__getattr__` the slow way. So it is taken
    away again, but only there: later versions have a bound for changes of a class.
    """
    is_there = "__getattr__" in vars(_array.ArrayBase)
    if may and not is_there:
        _array.ArrayBase.__getattr__ = lacking.memory_of  # type: ignore[attr-defined]
    elif not may and is_there and _HOOK_IS_SLOW and not (deferred.lost or deferring_streams):
        del _array.ArrayBase.__getattr__  # type: ignore[attr-defined]


class fusion:
    """Run operations on large arrays together, as few kernels as possible.

    Parameters
    ----------
    mode : {'on', 'off', 'immediate'}
        With ``'on'`` operations are recorded, and run when somebody looks at a result; kernels are
        compiled in the background, and operations run one by one until they are there. With
        ``'immediate'`` a program waits for them. With ``'off'`` each operation runs when it is
        called.

    Raises
    ------
    ValueError
        For another mode.

    Notes
    -----
    It sets the mode at once; as a context manager it goes back to the mode before, with which the
    environment variable ``GPUARRAY_FUSION`` begins. What is recorded runs first. The mode is the
    process's, not the thread's. Results have the same bits in each mode.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.linspace(0, 1, 5)
    >>> with cp.fusion("immediate"):
    ...     y = cp.sqrt(x * 4) + 1
    >>> y
    array([1.        , 2.        , 2.41421356, 2.73205081, 3.        ])
    """

    def __init__(self, mode: str = "on"):
        if mode not in FUSION_MODES:
            raise ValueError(f"fusion: mode={mode!r} is none of {', '.join(FUSION_MODES)}")
        self._before = current_mode()
        self._mode = mode
        set_mode(mode)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        set_mode(self._before)

    def __repr__(self) -> str:
        return f"fusion({self._mode!r})"


if config.fusion != "off":
    set_mode(config.fusion)

without_annotations(globals())
