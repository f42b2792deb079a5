"""Before and behind Fourier transforms: from layouts to launches, which are steps of plans."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from gpuarray import _arguments, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, transform

__all__ = ["bound"]


def bound(
    rule: str,
    source: Layout,
    target: Layout,
    axis: int,
    stream: Stream,
    *,
    n: int = 0,
    factor: float = 1,
    edge_factor: float | None = None,
    sine: bool = False,
    mirrored: Sequence[int] = (),
) -> BoundLaunch:
    """A launch that makes an array of another; it takes ``target`` and ``source``.

    Parameters
    ----------
    rule : str
        One of `transform.spec.RULES`.
    source, target : Layout
        Of as many dimensions and one precision. Those of the target may be longer: elements that
        the source has not are 0. The target has an element at least. Of the rule 'whole' and its
        conjugate the target is the first half of the source, which is stored to as well.
    axis : int
        The rule's axis.
    stream : Stream
        Where to run.
    n : int, optional
        The length of the transform.
    factor, edge_factor : float, optional
        What elements are multiplied by, and those that a rule has factors of their own for.
    sine : bool, optional
        The rule's form for sine transforms.
    mirrored : sequence of int, optional
        Of the rules 'hermitian' and 'whole', and their conjugates: other axes that are transformed
        as well.
    """
    name = "fft"
    _layout.check_aligned(source, name)
    kept = {axis, *[i for i in mirrored if target.shape[i] > 1]}
    axes = _axes(source, target, kept)
    at = next(i for i, one in enumerate(axes) if one[4] == axis)
    mirrors = sum([1 << i for i, one in enumerate(axes) if one[4] in kept and i != at])
    wide = _layout.needs_int64(target.size, [source, target]) or 4 * n > _arguments.INT32_MAX
    padded = any(
        used < length
        for i, (length, used, *_) in enumerate(axes)
        if i != at or not _reads_all(rule)
    ) or source.shape[axis] < _elements_read(rule, n, target.shape[axis])
    spec = transform.spec.TransformSpec(
        rule,
        _dtypes.code(source.dtype),
        _dtypes.code(target.dtype),
        len(axes),
        at,
        sine,
        padded,
        "int64" if wide else "int32",
        mirrors,
    )
    function, code = load(spec, transform.spec.render, stream.device)
    bits = 64 if wide else 32
    fractions = [elementwise.variants.fraction(one[0], bits) for one in axes]
    dimensions: dict[str, Sequence[int]] = {
        "shape": [one[0] for one in axes],
        "multipliers": [one[0] for one in fractions],
        "shifts": [one[1] for one in fractions],
        "lengths": [one[1] for one in axes],
        "source": _layout.element_strides(name, [one[2] for one in axes], source),
        "target": _layout.element_strides(name, [one[3] for one in axes], target),
    }
    constants = {
        "size": target.size,
        "n": n,
        "factor": _bits(factor),
        "edge_factor": _bits(factor if edge_factor is None else edge_factor),
        "dimensions": dimensions,
    }
    grid = grid_for(ceil_div(target.size, code.block))
    return BoundLaunch(LaunchPlan(function, grid, (code.block, 1, 1), constants), stream, {}, name)


def _bits(number: float) -> int:
    return int(struct.unpack("=q", struct.pack("=d", number))[0])


def _reads_all(rule: str) -> bool:
    """Whether an element of the target may be of any of the source's along the axis."""
    return rule not in (
        "copy", "conjugate", "hermitian", "hermitian_conjugate", "whole", "whole_conjugate",
    )  # fmt: skip


def _elements_read(rule: str, n: int, length: int) -> int:
    """How many elements of the source a rule reads along its axis."""
    if not _reads_all(rule):
        return length
    if rule in ("cosine",):
        return n // 2 + 1
    if rule in ("real_part", "unturned"):
        return length
    if rule == "imaginary_part":
        return length + 1
    if rule == "unpairs":
        return n // 2
    return n


def _axes(
    source: Layout, target: Layout, kept: set[int]
) -> list[tuple[int, int, int, int, int | None]]:
    """The axes from slow to fast: length, the source's, both strides, its number.

    Axes that are as long in the source are joined where both allow it, but for those that are
    `kept`. Of the others the number is None.
    """
    found: list[tuple[int, int, int, int, int | None]] = []
    order = sorted(range(target.ndim), key=lambda i: (-abs(target.strides[i]), -target.shape[i]))
    for i in order:
        length, used = target.shape[i], source.shape[i]
        if length == 1 and i not in kept:
            continue
        one = (length, used, source.strides[i], target.strides[i], i if i in kept else None)
        outer = found[-1] if found else None
        if (
            outer is not None
            and outer[4] is None
            and i not in kept
            and outer[0] <= outer[1]
            and length <= used
            and outer[2] == one[2] * length
            and outer[3] == one[3] * length
        ):
            found[-1] = (outer[0] * length, outer[0] * length, one[2], one[3], None)
        else:
            found.append(one)
    return found
