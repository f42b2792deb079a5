"""`RandomState`: NumPy's older generator with CuPy's arguments, for speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes, _layout
from gpuarray._namespace.shared_texts import sharing
from gpuarray._namespace.signatures import without_annotations as _without_annotations
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import distribution
from gpuarray.random import _multivariate, _orders
from gpuarray.random._bit_generators import BitGenerator
from gpuarray.random._generator import as_bit_generator
from gpuarray.random._parameters import LEGACY_CHECKS, fitted_shape
from gpuarray.random._philox_stream import PhiloxStream, legacy_key_of
from gpuarray.random._state_closed_forms import ClosedForms
from gpuarray.random._state_continuous import ContinuousDistributions
from gpuarray.random._state_discrete import DiscreteDistributions
from gpuarray.random._state_examples import add_examples
from gpuarray.random._state_integers import IntegerDistributions
from gpuarray.random._state_standard import StandardDistributions
from gpuarray.random._texts import TEXTS
from gpuarray.random._variates import draw, variates

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_UINT64 = np.dtype(np.uint64)

#: Distributions whose variates `fill.cuh` makes: how, and its two numbers from the parameters.
_FILLS: dict[str, tuple[str, Callable[..., tuple[float, float]]]] = {
    "random": ("random", lambda: (0.0, 1.0)),
    "uniform": ("random", lambda low, high: (low, float(high) - low)),
    "standard_normal": ("normal", lambda: (0.0, 1.0)),
    "normal": ("normal", lambda loc, scale: (loc, scale)),
    "standard_exponential": ("exponential", lambda: (0.0, 1.0)),
    "exponential": ("exponential", lambda scale: (0.0, scale)),
}


@sharing(TEXTS)
class RandomState(
    StandardDistributions,
    ClosedForms,
    ContinuousDistributions,
    DiscreteDistributions,
    IntegerDistributions,
):
    """Random numbers by Philox4x32-10, made for speed.

    Parameters
    ----------
    seed : int, sequence of int or BitGenerator, optional
        From 0 to 2**32 - 1. Without, the system's entropy. A bit generator is drawn from: each
        element takes one word of it, which is slower.
    method : object, optional
        Ignored: cuRAND's number of a generator, for CuPy's sake.

    Notes
    -----
    A draw takes as many places of the stream as it needs, and the bits of a place follow from its
    number: J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy
    as 1, 2, 3", SC 2011. So a seed gives the same numbers on every device. In a captured graph a
    draw repeats its numbers at each launch.

    Differences from NumPy
    ----------------------
    The distributions are the same, the numbers are others; `default_rng` has NumPy's. Methods
    take a `dtype`, as CuPy's do.

    Examples
    --------
    >>> import gpuarray as cp
    >>> state = cp.random.RandomState(7)
    >>> first = state.rand(2, 3)
    >>> state.seed(7)
    >>> bool((state.rand(2, 3) == first).all())
    True
    """

    method: object = None

    def __init__(self, seed: Any = None, method: object = None):
        self._stream = PhiloxStream(0)
        self._bit_generator: Any = None  # what is drawn from in place of the stream
        #: What was given; it chooses nothing.
        self.method = method
        self.seed(seed)

    def __repr__(self) -> str:
        found = self._bit_generator
        name = "Philox4x32-10" if found is None else type(found).__name__
        return f"RandomState({name}) at 0x{id(self):X}"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._bit_generator is not None:
            return RandomState, (self._bit_generator,)
        return RandomState, (0,), self.get_state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.set_state(state)

    def seed(self, seed: Any = None) -> None:
        """Begin anew with a seed.

        Parameters
        ----------
        seed : int, sequence of int or BitGenerator, optional
            As the class takes it.
        """
        if isinstance(seed, BitGenerator | np.random.BitGenerator):
            self._bit_generator = as_bit_generator(seed)
            return
        self._stream.set(legacy_key_of(seed), 0)
        self._bit_generator = None

    def get_state(self, legacy: bool = False) -> dict[str, Any]:
        """The state, as `set_state` takes it.

        Parameters
        ----------
        legacy : bool, optional
            Ignored: NumPy's tuple is of the Mersenne Twister.

        Returns
        -------
        dict
            The generator's name, and under ``"state"`` the key and the next place; of a bit
            generator its state.

        Differences from NumPy
        ----------------------
        Always a dictionary.
        """
        if self._bit_generator is not None:
            return self._bit_generator.state
        state = {"key": self._stream.key, "place": self._stream.place}
        return {"bit_generator": "Philox4x32-10", "state": state}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on at a state that `get_state` returned.

        Parameters
        ----------
        state : dict
            The state.

        Raises
        ------
        TypeError, ValueError
            If it is none of this generator's.
        """
        if not isinstance(state, dict):
            raise TypeError("state must be a dict, as RandomState.get_state returns it")
        if self._bit_generator is not None:
            self._bit_generator.state = state
            return
        inner = state.get("state")
        if state.get("bit_generator") != "Philox4x32-10" or not isinstance(inner, dict):
            raise ValueError("set_state can only be used with states of Philox4x32-10")
        numbers = [inner.get(name) for name in ("key", "place")]
        if not all(isinstance(x, int) and 0 <= x < 2**64 for x in numbers):
            raise ValueError("a state has integers from 0 to 2**64 - 1 as its key and its place")
        self._stream.set(*numbers)

    # --- what draws are made of

    def _places(self, count: int) -> tuple[int, int] | None:
        return None if self._bit_generator is not None else self._stream.take(count)

    def _words(self, count: int) -> Any:
        if self._bit_generator is not None:
            return self._bit_generator._words(count)
        return variates(self, "word", (), _layout.contiguous(_UINT64, (count,)), None)

    def _draw(self, name: str, parameters: Sequence[Any], size: Any, dtype: Any) -> Any:
        """Variates of a distribution, in a dtype of its kind."""
        found = _FLOAT64 if dtype is float else _dtypes.canonical(dtype)
        fill = _FILLS.get(name)
        if (
            fill is not None
            and found in (_FLOAT64, _FLOAT32)
            and self._bit_generator is None
            and all(type(x) is float or type(x) is int for x in parameters)
        ):
            if parameters:
                getattr(LEGACY_CHECKS, name)(*parameters, size=0)
            shape = fitted_shape(size)
            run, places = distribution.launch.fill_call(current.stream, fill[0], found, shape)
            return run(*fill[1](*parameters), *self._stream.take(places))
        row = distribution.spec.DISTRIBUTIONS[name]
        if found.kind not in ("f" if row.result == "f8" else "iuf"):
            raise TypeError(f"Unsupported dtype {found!r} for {name}")
        return draw(self, name, parameters, size, found, None, LEGACY_CHECKS)

    # --- orders

    def permutation(self, x: int | ArrayLike) -> ndarray:
        """A random order of a range, or of an array's first axis.

        Parameters
        ----------
        x : int or array_like
            The array; an integer stands for ``arange(x)``.

        Returns
        -------
        ndarray
            In a new order; elements along other axes stay together.
        """
        return _orders.permutation(self, x)

    def shuffle(self, x: ndarray) -> None:
        """Put an array's first axis into a random order, in place.

        Parameters
        ----------
        x : ndarray
            The array.
        """
        _orders.shuffle(self, x)

    def choice(
        self,
        a: int | ArrayLike,
        size: int | Sequence[int] | None = None,
        replace: bool = True,
        p: ArrayLike | None = None,
    ) -> ndarray:
        """Elements of an array, picked at random.

        Parameters
        ----------
        a : int or array_like, 1-D
            What is picked from; an integer stands for ``arange(a)``.
        {size}
        replace : bool, optional
            Whether an element may be picked more than once.
        p : array_like, 1-D, optional
            The elements' probabilities.

        Returns
        -------
        ndarray
            The picked elements.

        Raises
        ------
        ValueError
            As NumPy's; an array of probabilities on the device is looked at on the emulator and
            under ``GPUARRAY_DEBUG=1``.

        Notes
        -----
        Of more than 1024 elements those without replacement are places in a random order that a
        Feistel network gives (M. Luby and C. Rackoff, 1988), without memory for the others. With
        probabilities and without replacement those of the smallest ``e / p`` are taken, with
        exponential variates e (P. S. Efraimidis and P. G. Spirakis, 2006).
        """
        return _orders.choice(self, a, size, replace, p)

    # --- vectors

    def dirichlet(
        self, alpha: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Dirichlet variates: shares that sum to 1.

        Parameters
        ----------
        alpha : array_like, 1-D
            Shapes of the shares, greater than 0.
        {vectors}
        {dtype}

        Returns
        -------
        ndarray
            The shares along the last axis.
        """
        drawn = _multivariate.dirichlet(self, alpha, size, LEGACY_CHECKS)
        return drawn.astype(dtype, copy=False)

    def multinomial(
        self, n: int, pvals: ArrayLike, size: int | Sequence[int] | None = None
    ) -> ndarray:
        """Multinomial variates: how many of n items fall into each category.

        Parameters
        ----------
        n : int
            How many items.
        pvals : array_like, 1-D
            Probabilities of the categories. The last one gets what the others leave.
        {vectors}

        Returns
        -------
        {counts}
        """
        return _multivariate.multinomial(self, n, pvals, size, LEGACY_CHECKS)

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: int | Sequence[int] | None = None,
        check_valid: str = "ignore",
        tol: float = 1e-8,
        method: str = "cholesky",
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Vectors of normal variates with a covariance.

        Parameters
        ----------
        mean : array_like, 1-D
            The mean.
        cov : array_like, 2-D
            The covariance, symmetric and positive semidefinite.
        {vectors}
        check_valid : {'warn', 'raise', 'ignore'}, optional
            What happens where the covariance is not positive semidefinite. To know waits for the
            device.
        tol : float, optional
            How far it may be from it.
        method : {'cholesky', 'eigh', 'svd'}, optional
            How the covariance is factorised. The first one is fast; where there is no such factor,
            since the covariance is only semidefinite, 'svd' takes its place.
        {dtype}

        Returns
        -------
        ndarray
            The vectors along the last axis.

        Differences from NumPy
        ----------------------
        The defaults of `check_valid` and `method` are CuPy's.
        """
        drawn = _multivariate.multivariate_normal(
            self, mean, cov, size, check_valid, tol, method, any_definite=True
        )
        return drawn.astype(dtype, copy=False)


add_examples(RandomState)
_without_annotations(globals())
