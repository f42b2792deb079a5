"""Bit-wise operations: bits of bytes as elements, and back."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._array import address_of
from gpuarray._layout import Layout
from gpuarray._ops.manipulation import along_axis, as_array
from gpuarray._ops.padding import pad
from gpuarray._ops.subscripts import getitem
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Cast, Constant, Expression, Input, apply, cast

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["packbits", "unpackbits"]

_BYTE, _WORD = np.dtype(np.uint8), np.dtype(np.uint64)

#: Times a word whose bytes are 0 or 1, its highest byte has these as bits, the first byte's lowest
#: or highest.
_GATHER = {"little": 0x0102040810204080, "big": 0x8040201008040201}
#: The bit of each byte of a word that a byte is spread to.
_SPREAD = {"little": 0x8040201008040201, "big": 0x0102040810204080}
_EACH, _MOST = 0x0101010101010101, 0x7F7F7F7F7F7F7F7F


#: Elements from which on bools that are no aligned words are copied to be.
_LARGE = 1 << 16


def _check_order(bitorder: Any, name: str) -> str:
    if not isinstance(bitorder, str):
        raise TypeError(f"{name}: bitorder must be a str, got {bitorder!r}")
    if bitorder[:1] not in ("b", "l"):
        raise ValueError(f"'order' must be either 'little' or 'big' (got {bitorder!r})")
    return "big" if bitorder[0] == "b" else "little"


def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: str = "big") -> ndarray:
    """Elements, eight each, as the bits of bytes.

    Parameters
    ----------
    a : ndarray
        Of bools or integers, of which those that are not 0 are bits that are set.
    axis : int, optional
        The axis along which they are packed; by default the flattened array.
    bitorder : {'big', 'little'}, optional
        Whether the first of eight is the highest bit or the lowest.

    Returns
    -------
    ndarray of uint8
        With an eighth of the length along the axis, rounded up.

    Raises
    ------
    TypeError
        If `a` has neither bools nor integers.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.packbits(cp.array([1, 0, 1, 1]))
    array([176], dtype=uint8)
    """
    a = as_array(a, "packbits")
    if a.dtype.kind not in "biu":
        raise TypeError(
            f"packbits: Expected an input array of integer or boolean data type, got {a.dtype}"
        )
    order = _check_order(bitorder, "packbits")
    a, axis = along_axis(a, axis)
    layout = a._layout
    if layout.f_contiguous and not layout.c_contiguous:
        return packbits(a.T, layout.ndim - 1 - axis, order).T
    words = layout.itemsize == 1 and layout.c_contiguous and axis == layout.ndim - 1
    if words and layout.dtype.kind == "b" and not layout.shape[axis] % 8:
        if address_of(a) % 8 == 0:
            return _plan_words(current.stream, layout, order)(a)
    if layout.size >= _LARGE and axis == layout.ndim - 1:
        # Gapless bools are read as words, which gains more than a copy costs.
        truth = copies.copy(a, "C", np.dtype(bool))
        if layout.shape[axis] % 8:
            truth = pad(truth, {axis: (0, -layout.shape[axis] % 8)})
        return packbits(truth, axis, order)
    shape = list(layout.shape)
    whole, rest = divmod(shape[axis], 8)
    shape[axis] = whole + (rest > 0)
    result = _array.empty(_layout.contiguous(_BYTE, tuple(shape)))
    stream = current.stream
    for start, stop, bits in ((0, whole, 8), (whole, whole + 1, rest)):
        if start < stop and bits and result.size:
            lead = (slice(None),) * axis
            part = getitem(result, (*lead, slice(start, stop)))
            read = [getitem(a, (*lead, slice(8 * start + k, 8 * stop, 8))) for k in range(bits)]
            run = _plan_bits(stream, read[0]._layout, part._layout, bits, order)
            run(*read, part)
    return result


@planned
def _plan_words(stream: Stream, layout: Layout, order: str) -> Any:
    """Eight bools at a time, where these are an aligned word."""
    shape = (*layout.shape[:-1], layout.shape[-1] // 8)
    read = _layout.contiguous(_WORD, shape)
    product = apply("multiply", "u8", Input(0, "u8"), Constant(_GATHER[order], "u8"))
    value = Cast("u1", apply("right_shift", "u8", product, Constant(56, "u8")))
    target = _layout.contiguous(_BYTE, shape)
    return elementwise.launch.make_call("packbits", [value], [read], [target], [False], stream)


@planned
def _plan_bits(stream: Stream, read: Layout, target: Layout, bits: int, order: str) -> Any:
    code = _dtypes.code(read.dtype)
    value: Expression = Constant(0, "u1")
    for k in range(bits):
        given: Expression = Input(k, code)
        is_set = cast("b1", given)
        bit = Constant(1 << (k if order == "little" else 7 - k), "u1")
        value = apply("bitwise_or", "u1", value, apply("multiply", "u1", Cast("u1", is_set), bit))
    inputs = [read] * bits
    return elementwise.launch.make_call("packbits", [value], inputs, [target], [True], stream)


def unpackbits(
    a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> ndarray:
    """The bits of bytes as elements that are 0 or 1.

    Parameters
    ----------
    a : ndarray of uint8
        The bytes.
    axis : int, optional
        The axis along which bits are put; by default the flattened array.
    count : int, optional
        How many bits; zeros are added where there are fewer. A negative number is how many are left
        out at the end.
    bitorder : {'big', 'little'}, optional
        Whether the first of eight is the highest bit or the lowest.

    Returns
    -------
    ndarray of uint8
        With eight times the length along the axis, or `count`.

    Raises
    ------
    TypeError
        If `a` has another dtype.
    ValueError
        If `count` leaves out more bits than there are.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.unpackbits(cp.array([176], dtype="u1"), count=4)
    array([1, 0, 1, 1], dtype=uint8)
    """
    a = as_array(a, "unpackbits")
    if a.dtype != _BYTE:
        raise TypeError(
            f"unpackbits: Expected an input array of unsigned byte data type, got {a.dtype}"
        )
    order = _check_order(bitorder, "unpackbits")
    a, axis = along_axis(a, axis)
    if a._layout.f_contiguous and not a._layout.c_contiguous:
        return unpackbits(a.T, a.ndim - 1 - axis, count, order).T
    bits = 8 * a.shape[axis]
    found = bits if count is None else operator.index(count)
    if found < 0:
        if bits + found < 0:
            raise ValueError(
                f"unpackbits: -count larger than number of elements: {count} of {bits} bits"
            )
        found += bits
    run, layout = _plan_unpack(current.stream, a._layout, axis, order)
    result = _array.rearranged(run(a), layout)
    if found < bits:
        result = getitem(result, (*(slice(None),) * axis, slice(found)))
        return result if result._layout.c_contiguous else copies.copy(result, "C")
    if found > bits:
        result = pad(result, {axis: (0, found - bits)})
    return result


@planned
def _plan_unpack(stream: Stream, layout: Layout, axis: int, order: str) -> Any:
    shape = (*layout.shape[:axis], 8 * layout.shape[axis], *layout.shape[axis + 1 :])
    result = _layout.contiguous(_BYTE, shape)
    if axis == layout.ndim - 1:
        # A byte is spread to the bytes of a word, in each of which one bit is kept.
        target = _layout.contiguous(_WORD, layout.shape)
        spread = apply("multiply", "u8", Cast("u8", Input(0, "u1")), Constant(_EACH, "u8"))
        kept = apply("bitwise_and", "u8", spread, Constant(_SPREAD[order], "u8"))
        carried = apply("add", "u8", kept, Constant(_MOST, "u8"))
        # A byte that is not 0 has its highest bit set now.
        value = apply("right_shift", "u8", carried, Constant(7, "u8"))
        value = apply("bitwise_and", "u8", value, Constant(_EACH, "u8"))
        inputs: list[Any] = [layout]
        run = elementwise.launch.make_call("unpackbits", [value], inputs, [target], [False], stream)
        return run, result
    # A dimension of eight behind the axis.
    ahead, behind = layout.shape[: axis + 1], layout.shape[axis + 1 :]
    target = _layout.contiguous(_BYTE, (*ahead, 8, *behind))
    steps = (*layout.strides[: axis + 1], 0, *layout.strides[axis + 1 :])
    read = _layout.layout_of(layout.dtype, target.shape, steps, layout.access)
    number: Expression = Input(1, "i8")
    if order == "big":
        number = apply("subtract", "i8", Constant(7, "i8"), number)
    shifted = apply("right_shift", "u1", Input(0, "u1"), Cast("u1", number))
    value = apply("bitwise_and", "u1", shifted, Constant(1, "u1"))
    bit = Coordinates(*[int(i == axis + 1) for i in range(target.ndim)])
    run = elementwise.launch.make_call(
        "unpackbits", [value], [read, bit], [target], [False], stream
    )
    return run, result
