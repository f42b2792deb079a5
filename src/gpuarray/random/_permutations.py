"""Orders and choices of `Generator`."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray import _arguments, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import random as kernels
from gpuarray.random._bit_generators import BitGenerator
from gpuarray.random._parameters import checks_device_arrays, judged, result_shape

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

#: An order of so many elements at most is made by one thread, and is NumPy's.
SAME_ORDER = 1024
#: Lines with so many elements together at most.
SAME_ORDERS = 1 << 16

_INT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)


class Permutations:
    """Methods of `Generator` that order and choose."""

    _bit_generator: BitGenerator

    def _orders(self, rows: int, count: int) -> Any:
        """Random orders of the integers below ``count``, of shape (rows, count)."""
        if count <= SAME_ORDER and rows * count <= SAME_ORDERS:
            if count < 2 or not rows:  # nothing is drawn
                return cp.zeros((rows, count), _INT64)
            return self._bit_generator._draw(kernels.launch.orders_call, ("orders", rows, count))
        if rows == 1:
            return self._sample(count, count).reshape(1, count)
        return cp.argsort(self._bit_generator._words((rows, count)), axis=-1)

    def _sample(self, population: int, count: int) -> Any:
        """The first ``count`` places of a random order of the integers below ``population``."""
        key = self._bit_generator._words(2)
        return kernels.launch.sample_call(current.stream, count)(key, population)

    def permutation(self, x: int | ArrayLike, axis: int = 0) -> ndarray:
        """A random order of a range, or of the slices of an array along an axis.

        Parameters
        ----------
        x : int or array_like
            How many integers, or the array.
        axis : int, optional
            The axis whose slices are put into another order.

        Returns
        -------
        ndarray
            A new array.

        Raises
        ------
        AxisError
            If the axis is out of range.

        Differences from NumPy
        ----------------------
        Up to 1024 elements have NumPy's order. Of more each place is computed by itself, by a
        Feistel network with a key of 128 bits (Black and Rogaway, "Ciphers with Arbitrary Finite
        Domains", 2002); NumPy's shuffle moves one element after another.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).permutation(5)
        array([4, 0, 1, 2, 3])
        """
        if _is_integer(x):
            count = operator.index(x)  # type: ignore[arg-type]
            if count > _arguments.INT64_MAX:
                raise ValueError(f"Maximum allowed size exceeded: {count} elements")
            return self._orders(1, max(count, 0))[0]
        array = as_values(x, "permutation")  # type: ignore[arg-type]
        if not array._layout.ndim:
            raise np.exceptions.AxisError(axis, 0)
        axis = _arguments.check_axis(axis, array._layout.ndim)
        return cp.take(array, self._orders(1, array._layout.shape[axis])[0], axis=axis)

    def shuffle(self, x: ndarray, axis: int = 0) -> None:
        """Put an array's slices along an axis into a random order, in place.

        Parameters
        ----------
        x : ndarray
            The array.
        axis : int, optional
            The axis whose slices are moved.

        Raises
        ------
        TypeError
            If `x` is no device array, or has no dimensions.

        Differences from NumPy
        ----------------------
        The array is in device memory; lists are not taken. Up to 1024 slices have NumPy's order:
        see `permutation`.

        Examples
        --------
        >>> import gpuarray as cp
        >>> x = cp.arange(5)
        >>> cp.random.default_rng(1).shuffle(x)
        >>> x
        array([4, 0, 1, 2, 3])
        """
        target: Any = x
        if not isinstance(x, ArrayBase):
            raise TypeError(f"shuffle: x is a device array, not {type(x).__name__}")
        if not x._layout.ndim:
            raise TypeError("shuffle: x has at least one dimension")
        _layout.check_writable(x._layout, "shuffle")
        target[...] = self.permutation(x, axis)

    def permuted(
        self, x: ArrayLike, *, axis: int | None = None, out: ndarray | None = None
    ) -> ndarray:
        """Each line of an array along an axis in a random order of its own.

        Parameters
        ----------
        x : array_like
            The array.
        axis : int, optional
            The axis; all elements are one line by default.
        out : ndarray, optional
            Where the result is stored: of the shape of `x`; may be `x` itself.

        Returns
        -------
        ndarray
            A new array, or `out`.

        Raises
        ------
        TypeError
            If `out` is no device array.
        ValueError
            If it has another shape.

        Differences from NumPy
        ----------------------
        Lines of up to 1024 elements, and 65536 in all, have NumPy's order: see `permutation`.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).permuted(cp.arange(6).reshape(2, 3), axis=1)
        array([[0, 1, 2],
               [5, 3, 4]])
        """
        array = as_values(x, "permuted")
        shape, ndim = array._layout.shape, array._layout.ndim
        if not ndim:
            raise TypeError("permuted: x has at least one dimension")
        if out is not None:
            if not isinstance(out, ArrayBase):
                raise TypeError(f"permuted: out is a device array, not {type(out).__name__}")
            if not np.can_cast(array._layout.dtype, out._layout.dtype, "safe"):
                raise TypeError(
                    f"Cannot cast array data from {array._layout.dtype!r} to "
                    f"{out._layout.dtype!r} according to the rule 'safe'"
                )
            if out._layout.shape != shape:
                raise ValueError("out must have the same shape as x")
        if axis is None:
            order = self._orders(1, array._layout.size)[0]
            found = cp.take(array.reshape(-1), order).reshape(shape)
        else:
            axis = _arguments.check_axis(axis, ndim)
            rows = [*shape[:axis], *shape[axis + 1 :]]
            orders = self._orders(math.prod(rows), shape[axis]).reshape(*rows, shape[axis])
            found = cp.take_along_axis(array, cp.moveaxis(orders, -1, axis), axis)
        if out is None:
            return found
        target: Any = out
        target[...] = found
        return out

    def choice(
        self,
        a: int | ArrayLike,
        size: int | tuple[int, ...] | None = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> ndarray:
        """Elements of a range or of an array, picked at random.

        Parameters
        ----------
        a : int or array_like
            The range's length, or the array.
        size : int or tuple of int, optional
            How many are picked, in which shape; one by default.
        replace : bool, optional
            Whether an element may be picked more than once.
        p : array_like of float, optional
            The probabilities of the elements.
        axis : int, optional
            The axis of the array along which slices are picked.
        shuffle : bool, optional
            Without `replace`: whether the order of what is picked is random as well.

        Returns
        -------
        ndarray
            What is picked; `size` takes the place of the axis.

        Raises
        ------
        ValueError
            As NumPy's. Probabilities in device memory are looked at where `GPUARRAY_DEBUG` is set,
            and without `replace`, which fetches them.

        Notes
        -----
        Without `replace` and `p`, up to 1705 elements are NumPy's: one thread draws them by Floyd's
        algorithm, without memory of the population's size. More of them are the first places of a
        random order: see `permutation`.

        Without `replace` and with `p` the host decides, as NumPy does, what has to be drawn
        again: the call waits for the device.

        Differences from NumPy
        ----------------------
        With `replace`, and in the cases above, the elements are NumPy's; with `p` in device memory
        but for the rounding of its cumulative sum.

        Examples
        --------
        >>> import gpuarray as cp
        >>> rng = cp.random.default_rng(1)
        >>> rng.choice(100, 3)
        array([47, 51, 75])
        >>> rng.choice(10**9, 2, replace=False)
        array([ 34852552, 950463695])
        """
        if _is_integer(a):
            values, population = None, operator.index(a)  # type: ignore[arg-type]
        else:
            values = as_values(a, "choice")  # type: ignore[arg-type]
            if not values._layout.ndim:
                judged("choice", asnumpy(values).item(), size, replace)
            axis = _arguments.check_axis(axis, values._layout.ndim)
            population = values._layout.shape[axis]
        shape = result_shape(size)
        count = math.prod(shape)
        if population <= 0 and count:
            if values is None:
                raise ValueError("a must be a positive integer unless no samples are taken")
            raise ValueError("a cannot be empty unless no samples are taken")
        if p is not None:
            found = self._weighted(population, shape, replace, p)
        elif replace:
            found = self.integers(0, population, size=shape) if count else cp.empty(shape, _INT64)
        else:
            if count > population:
                raise ValueError(
                    "Cannot take a larger sample than population when replace is False"
                )
            found = self._different(population, count, bool(shuffle)).reshape(shape)
        if values is None:
            return found
        return cp.take(values, found, axis=axis)

    def _different(self, population: int, count: int, shuffled: bool) -> Any:
        """``count`` different integers below ``population``."""
        if not count:
            return cp.empty(0, _INT64)
        tail = population > 10000 and count > population // (50 if shuffled else 20)
        if tail and population <= 50 * SAME_ORDER:
            first = max(population - count, 1)
            static = ("tail", 1, population, first)
            order = self._bit_generator._draw(kernels.launch.orders_call, static)
            return order[0, population - count :].copy()
        if not tail and count <= kernels.launch.most_chosen():
            some = (count, shuffled)
            return self._bit_generator._draw(kernels.launch.choose_call, some, population)
        return self._sample(population, count)

    def _weighted(self, population: int, shape: tuple[int, ...], replace: bool, p: Any) -> Any:
        """Integers below ``population`` of given probabilities."""
        device = isinstance(p, ArrayBase)
        host = None
        if not device or not replace or checks_device_arrays():
            given = asnumpy(p) if device else p
            judged("choice", max(population, 1), 0, p=given)  # whose dtype says how exact sums are
            host = np.array(given, np.float64)
        elif p._layout.shape != (population,):
            raise ValueError("a and p must have same size")
        count = math.prod(shape)
        if replace:
            if device:
                total = cp.cumsum(p.astype(_FLOAT64))
                total = total / total[-1]
            else:
                assert host is not None
                sums = host.cumsum()
                total = cp.asarray(sums / sums[-1])
            return cp.searchsorted(total, self.random(shape), side="right").reshape(shape)
        assert host is not None
        if count > population:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if np.count_nonzero(host > 0) < count:
            raise ValueError("Fewer non-zero entries in p than size")
        found = np.zeros(count, np.int64)
        known = 0
        while known < count:
            drawn = asnumpy(self.random((count - known,)))
            host[found[:known]] = 0
            sums = host.cumsum()
            new = (sums / sums[-1]).searchsorted(drawn, side="right")
            _, places = np.unique(new, return_index=True)
            new = new[np.sort(places)]
            found[known : known + new.size] = new
            known += new.size
        return cp.asarray(found.reshape(shape))

    if TYPE_CHECKING:

        def integers(self, low: Any, high: Any = None, size: Any = None) -> Any: ...

        def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any: ...


def _is_integer(x: Any) -> bool:
    if isinstance(x, np.ndarray) and not x.ndim:
        x = x[()]
    return isinstance(x, int | np.integer)
