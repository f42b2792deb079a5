"""Standard distributions whose numbers are NumPy's: what is drawn from the stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._namespace.shared_texts import sharing
from gpuarray.kernels import random as kernels
from gpuarray.random._bit_generators import BitGenerator, sized_call
from gpuarray.random._parameters import check_out, size_of_plan
from gpuarray.random._texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray

_FLOAT64, _FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)
_FLOATS: dict[Any, np.dtype] = {np.float64: _FLOAT64, np.float32: _FLOAT32, float: _FLOAT64}

Size = int | tuple[int, ...] | None


def float_dtype(dtype: Any, name: str) -> np.dtype:
    """A ``dtype`` argument: float64 or float32."""
    if type(dtype) is type and dtype in _FLOATS:
        return _FLOATS[dtype]
    found = _dtypes.parsed(dtype)
    if found not in (_FLOAT64, _FLOAT32):
        raise TypeError(f"Unsupported dtype {found!r} for {name}")
    return found


@sharing(TEXTS)
class StandardStreamDistributions:
    """Methods of `Generator` without location and scale, whose numbers are NumPy's."""

    _bit_generator: BitGenerator

    def _standard(self, draw: str, size: Any, dtype: np.dtype, out: Any) -> Any:
        """A draw of `DrawSpec` by its name."""
        if out is None:
            if type(size) is int:
                return self._bit_generator._draw_many(draw, size, dtype)
            static = (draw, size_of_plan(size), dtype)
            return self._bit_generator._draw(sized_call, static)
        out = check_out(out, size, dtype, any_order=True)
        if not out._layout.c_contiguous:  # NumPy's numbers go where memory goes on
            self._standard(draw, None, dtype, out.T)
            return out
        layout = out._layout
        return self._bit_generator._draw(kernels.launch.draw_call, (draw, layout, True), out)

    def random(
        self, size: Size = None, dtype: DTypeLike = np.float64, out: ndarray | None = None
    ) -> ndarray:
        """Numbers in [0, 1): those of NumPy's, bit by bit.

        Parameters
        ----------
        {size_or_scalar}
        {float_dtype}
        {out}

        Returns
        -------
        ndarray
            The numbers. NumPy returns a Python float without `size`.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).random(3)
        array([0.51182162, 0.9504637 , 0.14415961])
        """
        return self._standard("uniform", size, float_dtype(dtype, "random"), out)

    def standard_normal(
        self, size: Size = None, dtype: DTypeLike = np.float64, out: ndarray | None = None
    ) -> ndarray:
        """Normally distributed numbers with mean 0 and standard deviation 1: NumPy's.

        Parameters
        ----------
        {size_or_scalar}
        {float_dtype}
        {out}

        Returns
        -------
        ndarray
            NumPy's numbers; those beyond 3.65 (one in 4000) can differ in the last digit, since
            the device rounds logarithms differently.

        Notes
        -----
        Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables", 2000. The
        numbers do not depend on how many are asked for at a time.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).standard_normal(3)
        array([0.34558419, 0.82161814, 0.33043708])
        """
        return self._standard("normal", size, float_dtype(dtype, "standard_normal"), out)

    def standard_exponential(
        self,
        size: Size = None,
        dtype: DTypeLike = np.float64,
        method: str = "zig",
        out: ndarray | None = None,
    ) -> ndarray:
        """Exponentially distributed numbers with mean 1: NumPy's.

        Parameters
        ----------
        {size_or_scalar}
        {float_dtype}
        method : {'zig', 'inv'}, optional
            By a ziggurat, or by the inverse of the distribution function. As in NumPy, everything
            but 'zig' is 'inv'.
        {out}

        Returns
        -------
        ndarray
            NumPy's numbers. With 'inv', and beyond 7.69 with 'zig', they can differ in the last
            digit, since the device rounds logarithms differently.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).standard_exponential(3)
        array([1.07302903, 0.30845314, 5.37543687])
        """
        draw = "exponential" if method == "zig" else "inverse"
        return self._standard(draw, size, float_dtype(dtype, "standard_exponential"), out)
