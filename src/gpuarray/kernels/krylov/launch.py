"""Steps of Krylov methods: from layouts to a launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuarray import _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import reduction
from gpuarray.kernels.krylov import spec as specs


@planned
def step_call(stream: Stream, name: str, vector: Layout, given: bool = False) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of a step.

    Parameters
    ----------
    stream : Stream
        Where to run.
    name : str
        One of `gpuarray.kernels.krylov.spec.STEPS`.
    vector : Layout
        Of all vectors: contiguous, with one dimension.
    given : bool, optional
        Whether the call is given its vectors behind the other arrays. They may be operands.

    Returns
    -------
    callable
        Takes the step's vectors and then its numbers, arrays without dimensions of the same dtype;
        returns its results and the dot product, without dimensions, where it has one. Behind the
        numbers it takes then an address in page-locked memory, where that is stored as well, or 0.
        One launch; the same bits each time on the same kind of device.
    """
    step = specs.STEPS[name]
    targets: list[Layout | None] = [None if given else vector] * len(step.results)
    if step.product:
        targets.append(_layout.contiguous(vector.dtype, ()))
    inputs = step.vectors + step.numbers + ("shown",) * bool(step.product)
    letters = "a" * len(step.vectors + step.numbers) + "h" * bool(step.product)
    spec = specs.StepSpec(name, _dtypes.code(vector.dtype))
    function, source = load(spec, specs.render, stream.device)
    each = max(1, 16 // vector.dtype.itemsize)
    blocks = ceil_div(vector.size, source.block * each)
    # One block without elements, too: it stores the dot product, also where the host looks for it.
    blocks = min(max(blocks, 1), specs.RESIDENT * stream.device.multiprocessors)
    constants: dict[str, Any] = {"size": vector.size}
    plan = reduction.launch.SplitPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    passed = {key: f"x{i}" for i, key in enumerate(inputs)}
    passed |= {key: f"y{i}" for i, key in enumerate((*step.results, "product")[: len(targets)])}
    scratch = []
    if step.product:
        plan.counters = reduction.launch.counters(stream)
        constants["counters"] = plan.counters[1]
        passed["parts"] = "t0"
        scratch = [blocks * vector.dtype.itemsize]
    bound = BoundLaunch(plan, stream)
    return _calls.make_call(stream, letters, targets, [(bound, passed)], scratch)
