"""Plans of cuFFT for transforms of the user's own, by CuPy's names."""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _calls, _layout
from gpuarray._ffi.library_kinds import COMPLEX_HALF
from gpuarray._layout import Layout
from gpuarray._libraries.fft_plans import Geometry, TransformCall
from gpuarray._ops.manipulation import as_array
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["TYPES", "Plan1d", "PlanNd", "get_current_plan"]

#: By the number of a kind of transform, the dtypes from and to which it goes.
TYPES = {
    0x29: ("c8", "c8"), 0x2A: ("f4", "c8"), 0x2C: ("c8", "f4"),
    0x69: ("c16", "c16"), 0x6A: ("f8", "c16"), 0x6C: ("c16", "f8"),
}  # fmt: skip


class _Side(NamedTuple):
    embed: tuple[int, ...]
    stride: int
    distance: int


class _Plan:
    """A geometry; plans of cuFFT for it are in the cache of the device, as those of transforms."""

    def __init__(
        self,
        name: str,
        n: tuple[int, ...],
        types: tuple[np.dtype, np.dtype],
        batch: Any,
        source: _Side,
        target: _Side,
    ) -> None:
        batch = _positive(batch, name, "batch")
        self.batch = batch
        self.gpus: None = None
        self._name = name
        self._types = types
        self._geometry = Geometry(n, *source, types[0], *target, types[1], batch)

    def __repr__(self) -> str:
        shape, (source, target) = self._geometry.n, self._types
        return f"<{self._name} of {self.batch} transforms of {shape}, {source} to {target}>"

    def _extent(self, side: _Side, half: bool) -> int:
        """How many elements there are from the first to the last."""
        n = self._geometry.n
        used = (*n[:-1], n[-1] // 2 + 1) if half else n
        steps = [side.stride]
        for length in side.embed[:0:-1]:
            steps.insert(0, steps[0] * length)
        last = sum([(length - 1) * step for length, step in zip(used, steps)])
        return last + (self.batch - 1) * side.distance + 1

    def fft(self, a: ArrayLike, out: ndarray, direction: int) -> None:
        """Transform an array into another, on the current stream.

        Parameters
        ----------
        a : ndarray
            The operand, of elements behind one another.
        out : ndarray
            The result, likewise.
        direction : int
            -1 is forward, 1 inverse; results are multiplied by nothing.

        Raises
        ------
        ValueError
            If an array is not of the plan's dtype, has gaps or too few elements.
        """
        a = as_array(a, "fft")
        if direction not in (-1, 1):
            raise ValueError(f"{self._name}.fft: direction is -1 or 1, got {direction!r}")
        geometry, (source, target) = self._geometry, self._types
        if not isinstance(out, _array.ArrayBase):
            raise TypeError(f"{self._name}.fft: out must be an ndarray, got {type(out).__name__}")
        sides = (
            (a, source, geometry[1:4], source.kind < target.kind, "the operand"),
            (out, target, geometry[5:8], target.kind < source.kind, "out"),
        )
        for x, dtype, side, half, what in sides:
            layout = x._layout
            needed = self._extent(_Side(*side), half)
            if dtype == COMPLEX_HALF:  # pairs of float16
                dtype, needed = np.dtype(np.float16), 2 * needed
            if layout.dtype != dtype or not layout.contiguous or layout.size < needed:
                raise ValueError(
                    f"{self._name}.fft: {what} has {layout.size} elements of {layout.dtype}, and "
                    f"the plan is for {needed} of {dtype} behind one another"
                )
        pair = max(source.itemsize, target.itemsize)
        if not (_array.is_aligned(a, pair) and _array.is_aligned(out, pair)):
            raise ValueError(
                f"{self._name}.fft: arrays begin at multiples of {pair} bytes; copy a view that "
                "begins elsewhere"
            )
        _layout.check_writable(out._layout, "fft")
        _plan_call(current.stream, a._layout, out._layout, geometry, int(direction))(a, out)

    def __enter__(self) -> _Plan:
        """Make the plan what `get_current_plan` returns."""
        _open.plans.append(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        _open.plans.pop()


class _OpenBlocks(threading.local):
    """The plans of the ``with`` blocks that the calling thread is in."""

    def __init__(self) -> None:
        self.plans: list[_Plan] = []


_open = _OpenBlocks()


def get_current_plan() -> Any:
    """The plan of the innermost ``with`` block of one, or None.

    Returns
    -------
    Plan1d or PlanNd or None
        The plan.
    """
    return _open.plans[-1] if _open.plans else None


@planned
def _plan_call(stream: Stream, a: Layout, out: Layout, geometry: Geometry, direction: int) -> Any:
    bound = TransformCall(geometry, direction, stream)
    return _calls.make_call(stream, "a", [None], [(bound, {"input": "x0", "output": "y0"})])


class Plan1d(_Plan):
    """A plan of transforms of one dimension, one behind another.

    Parameters
    ----------
    nx : int
        How many points each has.
    fft_type : int
        `CUFFT_C2C` and the like.
    batch : int
        How many there are.
    devices : None, optional
        A transform runs on one GPU.
    out : ndarray, optional
        Ignored: it is given to `fft`.

    Raises
    ------
    NotImplementedError
        If `devices` is given.
    """

    def __init__(
        self, nx: int, fft_type: int, batch: int, devices: Any = None, out: Any = None
    ) -> None:
        if devices is not None:
            raise NotImplementedError("Plan1d: a transform runs on one GPU")
        self.nx = _positive(nx, "Plan1d", "nx")
        self.fft_type = fft_type
        types = _types_of(fft_type, "Plan1d")
        sides = [
            _Side((length,), 1, length) for length in (_length(self.nx, types, i) for i in range(2))
        ]
        super().__init__("Plan1d", (self.nx,), types, batch, sides[0], sides[1])

    def get_output_array(self, a: ArrayLike, order: str = "C") -> ndarray:
        """A new array for the result of a transform.

        Parameters
        ----------
        a : ndarray
            The operand, whose last axis is transformed.
        order : {'C'}, optional
            Ignored.

        Returns
        -------
        ndarray
            Not initialised.
        """
        a = as_array(a, "get_output_array")
        shape = (*a._layout.shape[:-1], _length(self.nx, self._types, 1))
        return _array.empty(_layout.contiguous(self._types[1], shape))

    def check_output_array(self, a: ArrayLike, out: ndarray) -> None:
        """Refuse an array for the result that is not what `get_output_array` makes.

        Parameters
        ----------
        a : ndarray
            The operand.
        out : ndarray
            The result's array.

        Raises
        ------
        ValueError
            If it has another shape or dtype.
        """
        _check_output(self.get_output_array(a), out)


class PlanNd(_Plan):
    """A plan of transforms of one to three dimensions.

    Parameters
    ----------
    shape : tuple of int
        How many points there are along each dimension.
    fft_type : int
        `CUFFT_C2C` and the like.
    batch : int
        How many transforms there are.
    inembed, onembed : tuple of int, optional
        The lengths of dimensions in memory; as many as are used by default.
    istride, ostride : int, optional
        From one element to the next.
    idist, odist : int, optional
        From one transform to the next; behind one another by default.
    order : {'C', 'F'}, optional
        The memory order of arrays.
    last_axis, last_size : int, optional
        The last axis that is transformed, and how many points the result has along it.
    """

    fft_type: int | None

    def __init__(
        self,
        shape: Sequence[int],
        fft_type: int,
        batch: int,
        inembed: Sequence[int] | None = None,
        istride: int = 1,
        idist: int | None = None,
        onembed: Sequence[int] | None = None,
        ostride: int = 1,
        odist: int | None = None,
        order: str = "C",
        last_axis: int = -1,
        last_size: int | None = None,
    ) -> None:
        types = _types_of(fft_type, "PlanNd")
        self._make(
            "PlanNd", shape, types, batch, (inembed, istride, idist), (onembed, ostride, odist)
        )
        self.fft_type = fft_type
        self.order, self.last_axis, self.last_size = order, last_axis, last_size

    def _make(
        self, name: str, shape: Any, types: Any, batch: Any, source: Any, target: Any
    ) -> None:
        self.shape = tuple([_positive(length, name, "shape") for length in shape])
        if not 1 <= len(self.shape) <= 3:
            raise ValueError(f"{name}: one to three dimensions, got shape {self.shape}")
        sides = []
        for i, (embed, stride, distance) in enumerate((source, target)):
            used = (*self.shape[:-1], _length(self.shape[-1], types, i))
            embed = used if embed is None else tuple([_positive(x, name, "nembed") for x in embed])
            if len(embed) != len(used) or any(x < y for x, y in zip(embed[1:], used[1:])):
                raise ValueError(f"{name}: lengths {embed} in memory, and {used} are used")
            stride = _positive(stride, name, "stride")
            if distance is None:
                distance = math.prod(embed) * stride
            sides.append(_Side(embed, stride, _positive(distance, name, "dist")))
        _Plan.__init__(self, name, self.shape, types, batch, sides[0], sides[1])

    def get_output_array(self, a: ArrayLike, order: str = "C") -> ndarray:
        """A new array for the result of a transform.

        Parameters
        ----------
        a : ndarray
            The operand.
        order : {'C', 'F'}, optional
            Its memory order.

        Returns
        -------
        ndarray
            Not initialised.
        """
        a = as_array(a, "get_output_array")
        shape = list(a._layout.shape)
        if self._types[0].kind != self._types[1].kind:
            n = self.shape[-1] if self.last_size is None else self.last_size
            shape[self.last_axis] = _length(n, self._types, 1)
        elif self._types[0] == COMPLEX_HALF:  # the operand has pairs of float16
            return _array.empty(_layout.contiguous(np.dtype(np.float16), tuple(shape), order))
        if self._types[1] == COMPLEX_HALF:
            shape[-1] *= 2
            return _array.empty(_layout.contiguous(np.dtype(np.float16), tuple(shape), order))
        return _array.empty(_layout.contiguous(self._types[1], tuple(shape), order))

    def check_output_array(self, a: ArrayLike, out: ndarray) -> None:
        """Refuse an array for the result that is not what `get_output_array` makes.

        Parameters
        ----------
        a : ndarray
            The operand.
        out : ndarray
            The result's array.

        Raises
        ------
        ValueError
            If it has another shape or dtype.
        """
        _check_output(self.get_output_array(a), out)


def _positive(value: Any, name: str, what: str) -> int:
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {what} is an integer, got {value!r}") from None
    if found < 1:
        raise ValueError(f"{name}: {what} must be positive, got {found}")
    return found


def _types_of(fft_type: Any, name: str) -> tuple[np.dtype, np.dtype]:
    try:
        source, target = TYPES[fft_type]
    except (KeyError, TypeError):
        raise ValueError(f"{name}: fft_type is CUFFT_C2C or the like, got {fft_type!r}") from None
    return np.dtype(source), np.dtype(target)


def _length(n: int, types: tuple[np.dtype, np.dtype], side: int) -> int:
    """How many elements there are along the last dimension of the input (0) or the output (1)."""
    halved = types[0].kind != types[1].kind and types[side].kind != "f"
    return n // 2 + 1 if halved else n


def _check_output(expected: Any, out: Any) -> None:
    if not isinstance(out, _array.ArrayBase):
        raise TypeError(f"out must be an ndarray, got {type(out).__name__}")
    wanted, given = expected._layout, out._layout
    if (wanted.shape, wanted.dtype) != (given.shape, given.dtype):
        raise ValueError(
            f"the result has shape {wanted.shape} and dtype {wanted.dtype}, and out has "
            f"{given.shape} and {given.dtype}"
        )
