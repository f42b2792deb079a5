"""The bytes of elements in the other order (``ndarray.byteswap``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout, _memory_order
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Constant, Input
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.kernels.generator.expressions import Expression


def byteswap(array: ndarray, inplace: bool = False) -> ndarray:
    """The array with the bytes of each element in the other order, and the same dtype.

    Parameters
    ----------
    inplace : bool, optional
        Whether to swap the bytes of the array itself, which is returned then.

    Returns
    -------
    ndarray
        A copy, or the array.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.array([1, 256], dtype=cp.int16).byteswap()
    array([256,   1], dtype=int16)
    """
    layout = array._layout
    if inplace:
        _layout.check_not_read_only(layout, "byteswap")
    if layout.dtype.names is not None:
        target = array if inplace else copies.copy(array, "A")
        for name in layout.dtype.names:
            byteswap(target[name], inplace=True)
        return target
    if layout.unaligned:  # fields of packed structures: whole words are swapped in a copy
        swapped = byteswap(copies.copy(array, "A"), inplace=True)
        if not inplace:
            return swapped
        copies.assign(array, swapped)
        return array
    if _word_size(layout.dtype) == 1:
        return array if inplace else copies.copy(array, "A")
    target = array
    if not inplace:
        target = _array.empty(_memory_order.like_prototype(layout.dtype, layout.shape, layout, "A"))
    run = current.stream.plans.get((_swap_call, layout, target._layout))  # the key of _swap_call
    if run is None:
        run = _swap_call(current.stream, layout, target._layout)
    run(array, target)
    return target


def _word_size(dtype: np.dtype) -> int:
    """Bytes that are swapped with one another: of a complex number, those of a part."""
    return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize


@planned
def _swap_call(stream: Stream, source: Layout, target: Layout) -> Callable[[Any, Any], Any]:
    words = [_as_words(source), _as_words(target)]
    code = _dtypes.code(words[0].dtype)
    swapped = _swapped(code, words[0].itemsize)
    return elementwise.launch.make_call("byteswap", [swapped], words[:1], words[1:], [True], stream)


def _as_words(layout: Layout) -> Layout:
    """The same memory as unsigned integers, of which a complex number has two."""
    size = _word_size(layout.dtype)
    if size not in (2, 4, 8):
        raise TypeError(f"byteswap: not possible for elements of dtype {layout.dtype}")
    shape, strides = layout.shape, layout.strides
    if layout.dtype.kind == "c":
        shape, strides = (*shape, 2), (*strides, size)
    return _layout.layout_of(_dtypes.canonical(f"u{size}"), shape, strides)


def _swapped(code: str, size: int) -> Expression:
    """An unsigned integer with its bytes in the other order: halves of halves change places."""
    word: Expression = Input(0, code)
    bits = 8
    while bits < 8 * size:
        mask = sum([((1 << bits) - 1) << start for start in range(0, 8 * size, 2 * bits)])
        up = _combined("left_shift", _combined("bitwise_and", word, mask), bits)
        down = _combined("bitwise_and", _combined("right_shift", word, bits), mask)
        word = Apply(operation("bitwise_or"), (up, down), code)
        bits *= 2
    return word


def _combined(name: str, word: Expression, number: int) -> Expression:
    return Apply(operation(name), (word, Constant(number, word.dtype)), word.dtype)
