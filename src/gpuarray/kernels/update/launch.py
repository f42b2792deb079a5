"""Updates at index arrays: from layouts to calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _arguments, _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import update
from gpuarray.kernels.generator.expressions import Expression


def make_call(
    name: str,
    kind: str,
    combined: Expression,
    operand: Layout | None,
    indexed: Layout,
    whole: Layout,
    indices: Sequence[tuple[Layout, int, int]],
    stream: Stream,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of one of the family's kernels.

    Parameters
    ----------
    name : str
        The ufunc's.
    kind : {'atomic', 'locate', 'ordered'}
        The kernel; see `UpdateSpec`.
    combined : Expression
        Of Input 0, an element, and Input 1, an operand: the new element.
    operand : Layout or None
        The operands, in the shape of what the index selects; None of a function of one argument.
    indexed, whole, indices
        As for `gather.launch.transfer`.
    stream : Stream
        Where to run.

    Returns
    -------
    callable
        'atomic' takes the operands, the index arrays, and the indexed array; 'locate' the index
        arrays, and returns the offsets of elements, of `indexed`'s size; 'ordered' the operands,
        the offsets, the order of operands by them, and the indexed array.
    """
    shape, size = indexed.shape, indexed.size
    read = operand
    if read is None:
        read = _layout.layout_of(indexed.dtype, shape, (0,) * len(shape))
    layouts = [read, indexed, *[index for index, _, _ in indices]]
    # Operands keep their order: it is C order, whatever their strides.
    dims, strides = _layout.collapse(
        shape, [_layout.contiguous_strides(shape, 1), *[x.strides for x in layouts]]
    )
    narrow = size and not _layout.needs_int64(size, [*layouts, whole])
    narrow = narrow and all(length <= _arguments.INT32_MAX for _, length, _ in indices)
    spec = update.spec.UpdateSpec(
        name,
        kind,
        combined,
        _dtypes.code(indexed.dtype),
        "" if operand is None else _dtypes.code(operand.dtype),
        tuple([_dtypes.code(one.dtype) for one, _, _ in indices]),
        len(dims),
        "int32" if narrow else "int64",
    )
    function, source = load(spec, update.spec.render, stream.device)
    dimensions = {
        "shape": dims,
        "strides": [
            stride
            for one, layout in zip(strides[1:], layouts, strict=True)
            for stride in _layout.element_strides(name, one, layout)
        ],
        "lengths": [length for _, length, _ in indices],
        "steps": _layout.element_strides(name, [stride for _, _, stride in indices], indexed),
    }
    plan = LaunchPlan(
        function, grid_for(ceil_div(size, source.block)), (source.block, 1, 1),
        {"size": size, "dimensions": dimensions},
    )  # fmt: skip
    inputs = [] if operand is None or kind == "locate" else ["operands"]
    if kind == "ordered":
        inputs += ["targets", "order"]
    else:
        inputs += [f"index{i}" for i in range(len(indices))]
    passed = {one: f"x{i}" for i, one in enumerate(inputs)}
    made: Layout | None = None
    if kind == "locate":
        passed["targets"] = "y0"
        made = _layout.contiguous(_dtypes.dtype_of("i8"), (size,))
    else:
        passed["indexed"] = "y0"
    bound = BoundLaunch(plan, stream)
    return _calls.make_call(stream, "a" * len(inputs), [made], [(bound, passed)])
