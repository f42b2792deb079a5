"""The core and loop dimensions of a generalized ufunc's operands, in layouts of matrices."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _broadcasting, _layout, _memory_order
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name

if TYPE_CHECKING:
    from gpuarray._ufunc.generalized import GeneralizedOperation

__all__ = ["NO_VALUE", "CoreDimensions"]

#: What stands for `axes` and `axis` that are not given, as in NumPy.
NO_VALUE: Any = np._NoValue


class CoreDimensions:
    """Which axes of operands and result are core dimensions, and what the loop is.

    Operands are matrices or vectors, and so is the result, or it is a number.

    Parameters
    ----------
    row : GeneralizedOperation
        The function.
    layouts : sequence of Layout
        Of two operands, and of an output that is given.
    axes, axis, keepdims
        As for a call.
    """

    def __init__(
        self,
        row: GeneralizedOperation,
        layouts: Sequence[Layout],
        axes: Any = NO_VALUE,
        axis: Any = NO_VALUE,
        keepdims: bool = False,
    ) -> None:
        self._row = row
        self._layouts = layouts
        missing = {
            name
            for core, layout in zip(row.core, layouts[:2])
            if layout.ndim < len(core)
            for name in core
            if name.endswith("?")
        }
        #: The names of the core dimensions that operands and result have.
        self.core = [[x.rstrip("?") for x in core if x not in missing] for core in row.core]
        if keepdims:
            self._check_keepdims()
        self.keepdims = keepdims
        loops = [layout.ndim - len(core) for layout, core in zip(layouts, self.core[:2])]
        kept = len(self.core[0]) if keepdims else len(self.core[2])
        if len(layouts) == 3:
            if layouts[2].ndim < kept:
                raise ValueError(
                    f"{self._name}: Output operand 0 does not have enough dimensions (has "
                    f"{layouts[2].ndim}, gufunc core with signature {row.signature} requires "
                    f"{kept})"
                )
            loops.append(layouts[2].ndim - kept)
            if loops[2] < max(loops):
                raise ValueError(
                    f"{self._name}: non-broadcastable output operand with shape "
                    f"{layouts[2].shape} has {loops[2]} loop dimensions, and the operands "
                    f"{max(loops)}"
                )
        counts = [*[len(core) for core in self.core[:2]], kept]
        ndims = [layouts[0].ndim, layouts[1].ndim, max(loops) + kept]
        #: The axes that are core dimensions, of operands and result.
        self.axes = self._read_axes(axes, axis, counts, ndims)
        self.sizes: dict[str, int] = {}
        for i in range(2):
            self._note_sizes(i)
        shapes = [
            tuple([n for k, n in enumerate(layout.shape) if k not in own])
            for layout, own in zip(layouts[:2], self.axes)
        ]
        self.loop = _broadcasting.broadcast_shapes(shapes)

    @property
    def _name(self) -> str:
        return called_name(self._row.name)

    # ---- arguments -------------------------------------------------------------------------------

    def _check_keepdims(self) -> None:
        counts = [len(core) for core in self._row.core]
        what = ""
        if counts[2]:
            what = f"output 0 to have {counts[2]} core dimensions"
        elif counts[0] != counts[1]:
            what = f"input 1 to have {counts[1]} core dimensions"
        if what:
            raise TypeError(
                f"{self._name} does not support keepdims: its signature {self._row.signature} "
                f"requires {what}, but keepdims can only be used when all inputs have the same "
                "number of core dimensions and all outputs have no core dimensions."
            )

    def _read_axes(
        self, axes: Any, axis: Any, counts: Sequence[int], ndims: Sequence[int]
    ) -> list[tuple[int, ...]]:
        if axis is not NO_VALUE and axis is not None:
            if axes is not NO_VALUE and axes is not None:
                raise TypeError(f"{self._name}: cannot specify both 'axis' and 'axes'")
            names = {name for core in self._row.core for name in core}
            if len(names) != 1 or any(len(core) > 1 for core in self.core):
                raise TypeError(
                    f"{self._name}: axis can only be used with a single shared core dimension, "
                    f"not with the {len(names)} distinct ones implied by signature "
                    f"{self._row.signature}."
                )
            given: list[Any] = [(operator.index(axis),) if count else () for count in counts]
        elif axes is NO_VALUE or axes is None:
            given = [tuple(range(-count, 0)) for count in counts]
        else:
            given = self._listed_axes(axes, counts)
        found = []
        for i, (one, count, ndim) in enumerate(zip(given, counts, ndims, strict=True)):
            if not isinstance(one, tuple):
                try:
                    one = (operator.index(one),)
                except TypeError:
                    if count == 1:
                        raise
                    raise TypeError(
                        f"{self._name}: axes item {i} should be a tuple with {count} axes, or a "
                        "single integer for one of them"
                    ) from None
            if len(one) != count:
                raise np.exceptions.AxisError(
                    f"{self._name}: operand {i} has {count} core dimensions, but {len(one)} "
                    "dimensions are specified by axes tuple."
                )
            normal = tuple([_arguments.check_axis(x, ndim, bools=False) for x in one])
            if len(set(normal)) != len(normal):
                raise ValueError(f"{self._name}: axes item {i} has value {one} repeated")
            found.append(normal)
        return found

    def _listed_axes(self, axes: Any, counts: Sequence[int]) -> list[Any]:
        if not isinstance(axes, list):
            raise TypeError(f"{self._name}: axes should be a list, got {type(axes).__name__}")
        if len(axes) == 3:
            return axes
        if len(axes) != 2 or self.core[2]:
            raise ValueError(
                f"{self._name}: axes should be a list with an entry for all 3 inputs and outputs; "
                "entries for outputs can only be omitted if none of them has core axes, got "
                f"{len(axes)}"
            )
        # Without core dimensions of its own, the result keeps those of the first operand.
        return [*axes, axes[0] if counts[2] else ()]

    def _note_sizes(self, i: int, output: bool = False) -> None:
        layout = self._layouts[i]
        for k, (name, axis) in enumerate(zip(self.core[i], self.axes[i])):
            size = layout.shape[axis]
            known = self.sizes.setdefault(name, size)
            if known != size:
                what = "Output operand 0" if output else f"Input operand {i}"
                raise ValueError(
                    f"{self._name}: {what} has a mismatch in its core dimension {k}, with gufunc "
                    f"signature {self._row.signature} (size {size} is different from {known})"
                )

    # ---- layouts ---------------------------------------------------------------------------------

    def operands(self) -> list[Layout]:
        """The operands as stacks of matrices: rows of vectors on the left, columns on the right."""
        return [self._as_matrices(x, self.axes[i], i) for i, x in enumerate(self._layouts[:2])]

    def _as_matrices(self, layout: Layout, core: Sequence[int], i: int) -> Layout:
        loop = [axis for axis in range(layout.ndim) if axis not in core]
        moved = _layout.transpose(layout, [*loop, *core])
        if len(core) == 1:
            moved = _with_axis(moved, moved.ndim - 1 if i == 0 else moved.ndim)
        return _broadcasting.broadcast_to(moved, (*self.loop, *moved.shape[-2:]))

    @property
    def _inserted(self) -> list[int]:
        """The axes of length 1 that the matrices of the result have beyond its core dimensions.

        They count from the end.
        """
        return [-2 + i for i in range(2) if len(self.core[i]) == 1]

    def new_target(self, dtype: np.dtype, order: str) -> tuple[Layout, Layout]:
        """The layout of the products as stacks of matrices, and that of the array that is made."""
        core = tuple([self.sizes[name] for name in self.core[2]])
        layouts = self._layouts[:2]
        if order == "A":
            every_f = all(x.f_contiguous and not x.c_contiguous for x in layouts)
            order = "F" if every_f else "C"
        if order == "K":
            products = self._in_order_of_loops(dtype, core)
        else:
            products = _layout.contiguous(dtype, (*self.loop, *core), order)
        target = products
        for axis in self._inserted:
            target = _with_axis(target, len(self.loop) + 2 + axis)
        ndim = len(self.loop)
        kept = self.axes[2]
        if self.keepdims:
            products = _with_axis(products, ndim)
        places = [axis for axis in range(products.ndim) if axis not in kept]
        order_of_axes = [0] * products.ndim
        for i, place in enumerate([*places, *kept]):
            order_of_axes[place] = i
        return target, _layout.transpose(products, order_of_axes)

    def _in_order_of_loops(self, dtype: np.dtype, core: tuple[int, ...]) -> Layout:
        """The gapless layout whose loop dimensions are in the operands' memory order."""
        size = max(math.prod(core), 1)
        loops = []
        for layout, own in zip(self._layouts[:2], self.axes):
            axes = [axis for axis in range(layout.ndim) if axis not in own]
            loops.append(_layout.own(_layout.transpose(layout, axes)))
        outer = _memory_order.like_order(dtype, self.loop, loops)
        inner = _layout.contiguous(dtype, core)
        strides = (*[stride * size for stride in outer.strides], *inner.strides)
        return _layout.layout_of(dtype, (*self.loop, *core), strides)

    def given_target(self, given: Layout) -> Layout:
        """The layout of the products, in an output that the caller passes."""
        kept = self.axes[2]
        loop = [axis for axis in range(given.ndim) if axis not in kept]
        shape = tuple([given.shape[axis] for axis in loop])
        joint = _broadcasting.broadcast_shapes([self.loop, shape])
        if joint != shape:
            raise ValueError(
                f"{self._name}: non-broadcastable output operand with shape {given.shape} doesn't "
                f"match the broadcast shape {joint} of the loop dimensions"
            )
        self.loop = shape
        if self.keepdims:
            if [given.shape[axis] for axis in kept] != [1] * len(kept):
                raise ValueError(
                    f"{self._name}: Output operand 0 of shape {given.shape} has no axis of length "
                    "1 in the place of the core dimension, as keepdims asks for"
                )
            target = _layout.transpose(given, loop)
        else:
            self._note_sizes(2, output=True)
            target = _layout.transpose(given, [*loop, *kept])
        for axis in self._inserted:
            target = _with_axis(target, len(loop) + 2 + axis)
        return target


def _with_axis(layout: Layout, axis: int) -> Layout:
    """The layout with one more axis of length 1."""
    shape, strides = list(layout.shape), list(layout.strides)
    shape.insert(axis, 1)
    strides.insert(axis, layout.itemsize)
    return _layout.layout_of(layout.dtype, tuple(shape), tuple(strides), layout.access)
