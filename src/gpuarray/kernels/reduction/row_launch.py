"""Successive steps over rows: from steps and layouts to a call of one launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _calls, _dtypes, _layout
from gpuarray._dtypes import itemsize
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.reduction import computed, rows
from gpuarray.kernels.reduction.computed import Source
from gpuarray.kernels.reduction.launch import nothing
from gpuarray.kernels.reduction.rows import RowStep
from gpuarray.kernels.reduction.spec import BLOCK, unroll

#: Bytes that a thread keeps of a row, and where an operand has more than four bytes an element. On
#: an H200, kernels of 1e4 rows of 1e4 float32, which are 156 bytes a thread, took 221 and 283 us,
#: and 264 and 335 us where the rows were read again; those of float64 rows of 1000, which are 250,
#: took 484 and 447 us, and 360 and 290 us where they were read again: too few of their threads fit.
MOST_KEPT, MOST_KEPT_OF_WIDE = 160, 128
#: Blocks that a multiprocessor has room for. With one, the kernels of 1e4 rows of 1e4 float32 took
#: 276 and 313 us, for softmax and layer normalisation, and 223 and 287 us with three. Kept in
#: shared memory, with room for four blocks, they take 258 and 325 us, where 220 and 303 were
#: measured.
RESIDENT = 3


def make_call(
    name: str,
    steps: Sequence[RowStep],
    source: Source,
    layout: Layout,
    length: int,
    outputs: Sequence[Layout],
    given: Sequence[bool],
    stream: Stream,
) -> Callable[..., Any]:
    """A call of successive steps over the rows of arrays of one layout.

    Parameters
    ----------
    name : str
        What the kernel is called.
    steps : sequence of RowStep
        Those that reduce have specifications that agree in how rows are read.
    source : Source
        The arrays and the numbers that steps read; its expression has no meaning.
    layout : Layout
        That of the elements, gapless.
    length : int
        The elements of a row, which lie behind one another.
    outputs : sequence of Layout
        Those of the results that are stored, in the order of the steps.
    given : sequence of bool
        Of each whether the caller passes the array.
    stream : Stream
        Where to run.

    Returns
    -------
    callable
        Takes the arrays, the numbers, the numbers of the steps, and the given outputs; returns the
        results.
    """
    first = next(x.reduction for x in steps if x.reduction is not None)
    arranged = computed.arrange(source, layout)
    kept = rows.kept_of(steps, arranged.computed)
    vectors = 0
    if first.vector > 1 and kept:
        vectors = ceil_div(length, first.vector * first.width)
        widths = [itemsize(arranged.computed.inputs[i][0]) for i in kept]
        most = MOST_KEPT if max(widths) <= 4 else MOST_KEPT_OF_WIDE
        if vectors * first.vector * sum(widths) > most:
            vectors = 0
    base = computed.replace(
        arranged.computed,
        whole=arranged.lengths[-1] % first.vector == 0,
        kept=kept if vectors else (),
    )
    wide = _layout.needs_int64(layout.size, [layout, *source.arrays, *outputs])
    spec = rows.RowsSpec(
        name,
        tuple(steps),
        base,
        first.width,
        first.vector,
        unroll(first),
        "int64" if wide else "int32",
        vectors,
        RESIDENT,
    )
    function, kernel = load(spec, rows.render, stream.device)
    if source.purpose == "load":
        return nothing
    count = layout.size // length
    constants: dict[str, Any] = {"rows": count, "length": length}
    if arranged.strides:
        constants["places"] = arranged.places
    grid = grid_for(ceil_div(count * first.width, BLOCK))
    plan = LaunchPlan(function, grid, (kernel.block, 1, 1), constants)
    names = [x.name for x in kernel.parameters]
    arrays = [x for x in names if x.startswith("source")]
    numbers = [x for x in names if x.startswith(("passed", "number"))]
    stored = [x for x in names if x.startswith("out")]
    arguments = {x: f"x{i}" for i, x in enumerate([*arrays, *numbers])}
    arguments |= {x: f"y{i}" for i, x in enumerate(stored)}
    own = [x for step in steps if step.reduction is not None for x in step.reduction.scalars]
    dtypes = [*source.scalars, *[_dtypes.dtype_of(x) for x in own]]
    bound = BoundLaunch(plan, stream, dict(zip(numbers, dtypes, strict=True)))
    kinds = "a" * len(arrays) + "s" * len(numbers)
    new = [None if is_given else x for x, is_given in zip(outputs, given, strict=True)]
    return _calls.make_call(stream, kinds, new, [(bound, arguments)])
