"""Fourier transforms of lines: from places in memory to launches, which are steps of plans."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from gpuarray import _arguments
from gpuarray._ffi import driver
from gpuarray._integers import ceil_div
from gpuarray._runtime.device import Device
from gpuarray._runtime.launch import GRID_LIMIT, BoundLaunch, LaunchPlan, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import fourier

__all__ = ["Form", "bound", "form_of"]

#: Dynamic shared memory that a kernel may have without being told.
_FREE_SHARED_BYTES = 48 << 10
#: Points of a block, where there is no reason for more (an estimate: none was timed). A block is
#: long enough then to hide what memory takes, and several of them share a multiprocessor.
_BLOCK_POINTS = 4096
#: Threads of a block whose lines' length is no power of two, unless that were less than a sector.
_ODD_THREADS = 400
#: Bytes of neighbouring lines that are accessed at a time: two sectors of memory.
_NEAR_BYTES = 64
_SECTOR = 32

#: The points of a line or of another dimension, and the elements from one to the next in source
#: and target.
Dimension = tuple[int, int, int]


class Form(NamedTuple):
    """How lines are shared among blocks and threads."""

    lines: int  # of a block
    threads: int  # of a line
    radices: tuple[int, ...]


def bound(
    dtype: str,
    line: Dimension,
    others: Sequence[Dimension],
    inverse: bool,
    factor: float,
    stream: Stream,
    *,
    form: Form,
    column: int = -1,
) -> BoundLaunch:
    """A launch that transforms lines; it takes ``target`` and ``source``.

    Parameters
    ----------
    dtype : {'c8', 'c16'}
        Of both, which are at multiples of its size. They are apart, or the same memory in the same
        layout.
    line : tuple of int
        That of the lines, of a length that `spec.radices` factors, and up to `spec.LONGEST`.
    others : sequence of tuple of int
        The other dimensions, from slow to fast.
    inverse : bool
        Whether the exponent is positive.
    factor : float
        What the results are multiplied by.
    stream : Stream
        Where to run.
    form : Form
        As of `form_of`.
    column : int, optional
        The lines are the first half of longer transforms, and the index along that dimension says
        which part of one a line is: its results are turned as the second half needs them.
    """
    others = list(others) or [(1, 0, 0)]
    count, along = _count(others), _along(line, others)
    index = "int64" if count + form.lines > _arguments.INT32_MAX else "int32"
    whole = line[0] * others[column][0]
    power = column >= 0 and whole & (whole - 1) == 0
    shared = (form.radices, form.lines, form.threads)
    spec = fourier.spec.FourierSpec(
        dtype, *shared, inverse, len(others), *along, column, power, index
    )
    function, source = load(spec, fourier.spec.render, stream.device)
    if spec.shared_bytes > _FREE_SHARED_BYTES:
        limit = "max_dynamic_shared_size_bytes"
        driver.function_set_attribute(function.handle, limit, spec.shared_bytes)
    constants = {
        "source_step": line[1],
        "target_step": line[2],
        "lines": count,
        "factor": int(struct.unpack("=q", struct.pack("=d", factor))[0]),
        "dimensions": {
            name: [one[i] for one in others] for i, name in enumerate(("shape", "source", "target"))
        },
    }
    grid = (ceil_div(count, form.lines), 1, 1)
    plan = LaunchPlan(function, grid, (source.block, 1, 1), constants, spec.shared_bytes)
    return BoundLaunch(plan, stream, {}, "fft")


def form_of(
    dtype: str, line: Dimension, others: Sequence[Dimension], device: Device
) -> Form | None:
    """The form of a transform; None if a line has no room on the device, or there are too many."""
    n, itemsize = line[0], fourier.spec.itemsize(dtype)
    along = _along(line, others)
    # As equal as they can be; short lines have several threads, which access sectors together.
    is_power = n & (n - 1) == 0
    largest = 4 if any(along) and n <= 16 else 8 if n in (32, 64, 512) else 16
    least = (_SECTOR if is_power else _NEAR_BYTES) // itemsize if any(along) else 1
    factored = fourier.spec.radices
    radices = factored(n, largest, least) or factored(n, max(largest, 8), least) or factored(n)
    if radices is None:
        return None
    _, threads = fourier.spec.idle(radices, least)
    lines = max(1, _BLOCK_POINTS // n)
    if not all(along):
        lines = max(lines, _NEAR_BYTES // itemsize)
    count = _count(others)
    most = fourier.spec.MOST_THREADS // threads
    if not is_power:
        most = min(most, max(_ODD_THREADS // threads, _SECTOR // itemsize))
    lines = min(lines, most, 1 << (count - 1).bit_length())
    lines = 1 << (lines.bit_length() - 1)
    room = device.attribute("max_shared_memory_per_block_optin")
    while lines and fourier.spec.shared_bytes(dtype, n, lines) > room:
        lines //= 2
    if not lines or ceil_div(count, lines) > GRID_LIMIT:
        return None
    return Form(lines, threads, radices)


def _count(others: Sequence[Dimension]) -> int:
    return math.prod([length for length, _, _ in others])


def _along(line: Dimension, others: Sequence[Dimension]) -> tuple[bool, bool]:
    """Whether the elements of a line are nearer in source and target than its neighbours are."""
    length, *steps = others[-1] if others else (1, 0, 0)
    source, target = [
        length == 1 or abs(own) <= abs(step) for own, step in zip(line[1:], steps, strict=True)
    ]
    return source, target
