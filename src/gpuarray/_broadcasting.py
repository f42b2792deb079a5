"""Broadcasting: shapes that operands have together, and layouts read as if they had them."""

from __future__ import annotations

from collections.abc import Sequence

from gpuarray._layout import OWN, UNALIGNED, Layout, layout_of


def broadcast_shapes(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of operands under NumPy's broadcasting rules."""
    first = shapes[0]
    for shape in shapes:
        if shape != first:
            break
    else:
        return first
    ndim = max([len(shape) for shape in shapes])
    result = [1] * ndim
    for shape in shapes:
        for i, length in enumerate(shape, ndim - len(shape)):
            if length != 1 and result[i] != length:
                if result[i] != 1:
                    listed = " ".join([str(s).replace(" ", "") for s in shapes])
                    raise ValueError(
                        f"operands could not be broadcast together with shapes {listed} : "
                        f"dimension {i - ndim} has lengths {result[i]} and {length}; "
                        "equal lengths or 1 are needed"
                    )
                result[i] = length
    return tuple(result)


def broadcast_strides(layout: Layout, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides that read ``layout`` as if it had ``shape`` (which it broadcasts to)."""
    if layout.shape == shape:
        return layout.strides
    lead = len(shape) - layout.ndim
    return (0,) * lead + tuple(
        [
            0 if length == 1 and target != 1 else stride
            for length, stride, target in zip(
                layout.shape, layout.strides, shape[lead:], strict=True
            )
        ]
    )


def without_leading_ones(layout: Layout, ndim: int) -> Layout:
    """A layout without leading dimensions of length 1 beyond ``ndim``.

    An assignment drops them, as in NumPy.
    """
    beyond = layout.ndim - ndim
    if beyond > 0 and set(layout.shape[:beyond]) == {1}:
        access = layout.access & UNALIGNED
        return layout_of(layout.dtype, layout.shape[beyond:], layout.strides[beyond:], access)
    return layout


def broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an array of ``shape`` can be read as if it had the shape ``target``."""
    lead = len(target) - len(shape)
    return lead >= 0 and all(
        length in (1, wanted) for length, wanted in zip(shape, target[lead:], strict=True)
    )


def broadcast_to(layout: Layout, shape: tuple[int, ...], access: int = OWN) -> Layout:
    """A layout read as if it had ``shape``; raises ``ValueError`` if it cannot be."""
    if not broadcasts_to(layout.shape, shape):
        raise ValueError(
            f"broadcast_to: an array of shape {layout.shape} cannot be broadcast to {shape}"
        )
    access |= layout.access & UNALIGNED
    return layout_of(layout.dtype, shape, broadcast_strides(layout, shape), access)


def broadcast_view(layout: Layout, shape: tuple[int, ...], access: int) -> Layout:
    """As `broadcast_to`, with NumPy's strides: 0 also where one element stays one.

    A copy in memory order 'K' shows the difference.
    """
    strides = broadcast_to(layout, shape).strides
    steps = [0 if length == 1 else stride for length, stride in zip(shape, strides, strict=True)]
    return layout_of(layout.dtype, shape, tuple(steps), access | layout.access & UNALIGNED)
