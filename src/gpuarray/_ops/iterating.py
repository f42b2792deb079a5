"""Indexing routines: arrays as one dimension of elements, and operands that broadcast."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _layout
from gpuarray._array import ArrayBase
from gpuarray._integers import shortened
from gpuarray._ops.coordinates import coordinates
from gpuarray._ops.creation import fill
from gpuarray._ops.dimensions import broadcast_to
from gpuarray._ops.manipulation import as_array, in_one_dimension, reshape
from gpuarray._ops.placing import place, repeated
from gpuarray._ops.ranges import arange
from gpuarray._ops.subscripts import getitem
from gpuarray._ops.taking import device_indices, put, stored_values
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["broadcast", "flatiter"]

#: Python's numbers (a bool is an int) and NumPy's.
_NUMBERS = (int, float, complex, np.generic)


class flatiter:
    """The elements of an array in C order, whatever its shape: what ``a.flat`` is.

    Integers, slices, masks and index arrays of one dimension select among them. What is assigned is
    repeated where it has fewer elements.

    Parameters
    ----------
    a : ndarray
        The array.

    Differences from NumPy
    ----------------------
    Elements are arrays without dimensions, as those of ``a[0]``: views of the array, so that
    nothing waits for the device. To loop over numbers, loop over ``a.ravel().tolist()``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.arange(6).reshape(2, 3)
    >>> a.flat[1:4]
    array([1, 2, 3])
    >>> a.flat[[0, -1]] = 9
    >>> a
    array([[9, 1, 2],
           [3, 4, 9]])
    """

    __slots__ = ("_base", "_index")
    __hash__ = None  # type: ignore[assignment]  # as NumPy's

    def __init__(self, a: ndarray):
        self._base = a
        self._index = 0

    def __repr__(self) -> str:
        return f"<flatiter of {len(self)} elements, the next is {self._index}>"

    @property
    def base(self) -> ndarray:
        """The array."""
        return self._base

    @property
    def index(self) -> int:
        """The number of the next element."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """The coordinates of the next element."""
        found = _coordinates(min(self._index, len(self)), self._base._layout.shape)
        return found

    def copy(self) -> ndarray:
        """A copy of the elements as one dimension.

        Returns
        -------
        ndarray, 1-D
            The copy.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.arange(4).reshape(2, 2).flat.copy()
        array([0, 1, 2, 3])
        """
        return reshape(self._base, (-1,) if len(self) else (0,), copy=True)

    def __len__(self) -> int:
        return self._base._layout.size

    def __iter__(self) -> flatiter:
        return flatiter(self._base)

    def __next__(self) -> ndarray:
        number = self._index
        if number >= len(self):
            self._index = 0
            raise StopIteration
        self._index = number + 1
        return self._element(number)

    def _element(self, number: int) -> ndarray:
        return self._base[_coordinates(number, self._base._layout.shape)]

    def _view(self) -> Any:
        """The elements as one dimension, if they are equally far apart."""
        layout = self._base._layout
        target = _layout.reshape_view(layout, (layout.size,))
        return None if target is None else _array.view(self._base, target)

    def __getitem__(self, key: Any) -> ndarray:
        key = _key(key)
        if isinstance(key, int):
            return self._element(_checked(key, len(self)))
        flat = self._view()
        if isinstance(key, slice):
            if flat is None:
                flat = in_one_dimension(self._base)
                return flat[key] if key != slice(None) else flat
            return copies.copy(flat[key])
        if _is_mask(key):
            chosen = in_one_dimension(self._base) if flat is None else flat
            _check_mask(key, len(self))
            return chosen[key]
        if flat is not None:
            return flat[key]
        found = device_indices(key, "flat", len(self))
        return getitem(self._base, tuple(coordinates(found, self._base._layout.shape, "raise")))

    def __setitem__(self, key: Any, value: Any) -> None:
        base = self._base
        layout = base._layout
        _layout.check_not_read_only(layout, "assignment")
        key = _key(key)
        if isinstance(key, int):
            number = _checked(key, len(self))
            if not isinstance(value, _NUMBERS):
                values = stored_values(value, "assignment", base)
                if values._layout.size != 1:
                    raise ValueError("Error setting single item of array: got "
                                     f"{values._layout.size} values")  # fmt: skip
                value = reshape(values, ())
            self._element(number)[...] = value
        elif isinstance(key, slice):
            self._store(key, value)
        elif _is_mask(key):
            _check_mask(key, len(self))
            place(base, key, value)
        else:
            put(base, key, value)

    def _store(self, key: slice, value: Any) -> None:
        number: Any = value
        layout = self._base._layout
        count = len(range(*key.indices(layout.size)))
        flat = self._view()
        whole = count == layout.size and (key.step or 1) > 0
        if isinstance(value, _NUMBERS):
            if whole:
                fill(self._base, number)
            elif flat is not None:
                fill(flat[key], number)
            else:
                put(self._base, arange(*key.indices(layout.size)), number)
            return
        values = stored_values(value, "assignment", self._base)
        if not count:
            return
        if not values._layout.size:
            raise ValueError("assignment: there are no values to store in the flat elements")
        if values._layout.size < count and values._layout.size > 1:
            values = repeated(values, count)
        if flat is not None:
            copies.assign(flat[key], values[:count])
        elif whole:
            same = values._layout.size >= count
            shape = layout.shape if same else (1,) * layout.ndim
            copies.assign(self._base, reshape(values[:count], shape))
        else:
            put(self._base, arange(*key.indices(layout.size)), values[:count])


def _key(key: Any) -> Any:
    """An index of one dimension: an int, a slice, or an array or list."""
    if isinstance(key, tuple):
        if len(key) > 1:
            raise IndexError("unsupported iterator index: the elements have one dimension")
        key = key[0] if key else Ellipsis
    if key is Ellipsis:
        return slice(None)
    if key is None or isinstance(key, str | float | complex):
        raise IndexError(f"unsupported iterator index {key!r}")
    if isinstance(key, bool | np.bool):
        raise IndexError(f"unsupported iterator index {key!r}; pass a mask of all elements")
    if isinstance(key, np.integer) or (isinstance(key, np.ndarray) and not key.ndim):
        return int(key)
    return key


def _checked(number: int, size: int) -> int:
    if not -size <= number < size:
        raise IndexError(f"index {shortened(number)} is out of bounds for size {size}")
    return number + size if number < 0 else number


def _is_mask(key: Any) -> bool:
    dtype = key._layout.dtype if isinstance(key, ArrayBase) else np.asarray(key).dtype
    return dtype.kind == "b"


def _check_mask(key: Any, size: int) -> None:
    given = key._layout.size if isinstance(key, ArrayBase) else np.size(key)
    if given != size:
        raise IndexError(
            f"boolean index did not match indexed flat iterator; its length is {size} but that of "
            f"the index is {given}"
        )


def _coordinates(number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The coordinates of an element in C order."""
    found = []
    for length in shape[:0:-1]:
        number, rest = divmod(number, length) if length else (number, 0)
        found.append(rest)
    return (number, *found[::-1]) if shape else ()


def flat(a: ndarray) -> flatiter:
    """The elements in C order (``ndarray.flat``)."""
    return flatiter(a)


def set_flat(a: ndarray, value: ArrayLike) -> None:
    """Store values in the elements in C order, over and over (``ndarray.flat = value``)."""
    flatiter(a)[...] = value


class broadcast:
    """What becomes of operands that broadcast: their shape, without an operation.

    Parameters
    ----------
    *args : array_like
        The operands.

    Attributes
    ----------
    shape : tuple of int
        The shape that they broadcast to.
    nd, ndim : int
        Its dimensions.
    size : int
        Its elements.
    numiter : int
        How many operands there are.
    values : tuple of ndarray
        The operands as views of this shape.
    iters : tuple of flatiter
        The elements of each.
    index : int
        The number of the next element.

    Differences from NumPy
    ----------------------
    Elements are arrays without dimensions, views of the operands, so that nothing waits for the
    device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.broadcast(cp.zeros((3, 1)), cp.zeros(4)).shape
    (3, 4)
    """

    __slots__ = ("index", "nd", "numiter", "shape", "size", "values")

    def __init__(self, *args: ArrayLike):
        if len(args) > 64:
            raise ValueError("Need at least 0 and at most 64 array objects.")
        arrays = [as_array(x, "broadcast") for x in args]
        try:
            self.shape = _broadcasting.broadcast_shapes([x._layout.shape for x in arrays] or [()])
        except ValueError as error:
            raise ValueError(f"shape mismatch: objects cannot be broadcast to a single shape: "
                             f"{error}") from None  # fmt: skip
        self.nd = len(self.shape)
        self.size = math.prod(self.shape)
        self.numiter = len(arrays)
        self.values = tuple([
            x if x._layout.shape == self.shape else broadcast_to(x, self.shape) for x in arrays
        ])  # fmt: skip
        self.index = 0

    def __repr__(self) -> str:
        return f"<broadcast of {self.numiter} operands to {self.shape}, the next is {self.index}>"

    @property
    def ndim(self) -> int:
        """Dimensions of the shape."""
        return self.nd

    @property
    def iters(self) -> tuple[flatiter, ...]:
        """The elements of each operand."""
        return tuple([flatiter(x) for x in self.values])

    def reset(self) -> None:
        """Begin with the first element again.

        Examples
        --------
        >>> import gpuarray as cp
        >>> b = cp.broadcast(cp.arange(2), 1)
        >>> _ = next(b)
        >>> b.reset()
        >>> b.index
        0
        """
        self.index = 0

    def __iter__(self) -> broadcast:
        return self

    def __next__(self) -> tuple[ndarray, ...]:
        if self.index >= self.size:
            raise StopIteration
        at = _coordinates(self.index, self.shape)
        self.index += 1
        return tuple([x[at] for x in self.values])
