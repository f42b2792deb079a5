"""Plans of cuFFT by dtypes, half precision among them, by CuPy's name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._ffi.library_kinds import COMPLEX_HALF
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray.cuda._fft_plans import TYPES, PlanNd

__all__ = ["XtPlanNd"]

_HALF = {
    (COMPLEX_HALF, COMPLEX_HALF): None,
    (np.dtype("f2"), COMPLEX_HALF): None,
    (COMPLEX_HALF, np.dtype("f2")): None,
}
#: The kind of the transform from a dtype to another; those of half precision have no name.
_TRANSFORMS: dict[tuple[np.dtype, np.dtype], int | None] = {
    (np.dtype(source), np.dtype(target)): kind for kind, (source, target) in TYPES.items()
} | _HALF


def _any_type(value: Any) -> np.dtype:
    """A dtype, or that of pairs of float16."""
    return COMPLEX_HALF if isinstance(value, str) and value == "E" else _dtypes.parsed(value)


@sharing(texts_of(PlanNd))
class XtPlanNd(PlanNd):
    """A plan of transforms of one to three dimensions, by dtypes.

    Parameters
    ----------
    shape : tuple of int
        How many points there are along each dimension.
    {inembed}
    {istride}
    {idist}
    idtype, odtype, edtype : dtype or {'E'}
        Of the input and the output, and the complex dtype that is computed in. 'E' is complex
        numbers in half precision: pairs of float16, so that arrays are of float16, and have two
        elements for each number.
    batch : int
        How many transforms there are.
    {order}
    {last_axis}

    Raises
    ------
    ValueError
        If cuFFT has no transform of these dtypes, or not in half precision: there lengths are
        powers of two, and reals lie behind one another.

    Notes
    -----
    The greatest number in half precision is 65504, and a transform adds as many numbers as it has
    points: beyond that are infinities, and differences of these are NaN. Divide the operand first.

    Examples
    --------
    >>> import gpuarray as cp
    >>> plan = cp.cuda.cufft.XtPlanNd((4,), None, 1, 4, "E", None, 1, 4, "E", 1, "E")
    >>> x = cp.array([1, 0, 0, 0, 0, 0, 0, 0], dtype="e")
    >>> out = cp.empty_like(x)
    >>> plan.fft(x, out, -1)
    >>> out
    array([1., 0., 1., 0., 1., 0., 1., 0.], dtype=float16)
    """

    def __init__(
        self,
        shape: Sequence[int],
        inembed: Sequence[int] | None,
        istride: int,
        idist: int,
        idtype: Any,
        onembed: Sequence[int] | None,
        ostride: int,
        odist: int,
        odtype: Any,
        batch: int,
        edtype: Any,
        *,
        order: str = "C",
        last_axis: int = -1,
        last_size: int | None = None,
    ) -> None:
        types = _any_type(idtype), _any_type(odtype)
        computed = types[1] if types[0].kind == "f" else types[0]
        if types not in _TRANSFORMS or _any_type(edtype) != computed:
            raise ValueError(
                f"XtPlanNd: there are no transforms from {idtype} to {odtype} by {edtype}"
            )
        self._make(
            "XtPlanNd", shape, types, batch, (inembed, istride, idist), (onembed, ostride, odist)
        )
        self.fft_type = _TRANSFORMS[types]
        self.order, self.last_axis, self.last_size = order, last_axis, last_size
        if computed == COMPLEX_HALF:
            self._check_half()

    def _check_half(self) -> None:
        """Refuse what cuFFT does not transform in half precision."""
        if any(length & (length - 1) for length in self.shape):
            raise ValueError(
                f"XtPlanNd: in half precision lengths are powers of two, got {self.shape}; fill "
                "with zeros, or transform in single precision"
            )
        geometry = self._geometry
        for dtype, side in zip(self._types, (geometry[1:4], geometry[5:8])):
            embed, stride, _ = side
            if dtype.kind == "f" and (stride != 1 or embed[1:] != self.shape[1:]):
                raise ValueError(
                    f"XtPlanNd: in half precision reals lie behind one another, got lengths "
                    f"{embed} and stride {stride}; copy them, or transform in single precision"
                )
