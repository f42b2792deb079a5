"""The precision of products of float32: whether tensor cores may round the factors."""

from __future__ import annotations

import numpy as np

from gpuarray import _dtypes, _fork
from gpuarray._runtime.plan_kinds import BFLOAT16, BFLOAT16X3, TF32, plan_from_now_on
from gpuarray._runtime.stream import Stream

__all__ = ["compute_type", "get_matmul_precision", "set_matmul_precision"]

#: The kind of plans (see :mod:`gpuarray._runtime.plan_kinds`) and cuBLAS's compute type, by name.
_PRECISIONS = {
    "highest": (0, "CUBLAS_COMPUTE_32F"),
    "high": (TF32, "CUBLAS_COMPUTE_32F_FAST_TF32"),
    "medium": (BFLOAT16, "CUBLAS_COMPUTE_32F_FAST_16BF"),
    "emulated": (BFLOAT16X3, "CUBLAS_COMPUTE_32F_EMULATED_16BFX9"),
}
_KINDS = TF32 | BFLOAT16 | BFLOAT16X3
_COMPUTE_TYPES = dict(_PRECISIONS.values())

_lock = _fork.new_lock()


def set_matmul_precision(precision: str) -> None:
    """Set how exact products of matrices of float32 and complex64 are, for the process.

    Parameters
    ----------
    precision : {'highest', 'high', 'medium', 'emulated'}
        'highest', which it is at first, multiplies and adds in float32. 'high' rounds the factors
        to TF32 (10 bits behind the point), 'medium' to bfloat16 (7 bits); sums are of float32.
        Both use tensor cores, and are several times as fast. 'emulated' makes each factor the sum
        of three bfloat16, which is about as exact as float32, on devices and with libraries that
        have it (cuBLAS 12.9 or later); cuBLAS refuses it elsewhere, or computes in float32.

    Raises
    ------
    ValueError
        If it is another name.

    Notes
    -----
    It holds for `matmul`, `dot`, `inner`, `tensordot`, `einsum` and the like, where cuBLAS does
    them; functions that need products for something else, such as `cov`, are always exact. Other
    dtypes have one precision. Graphs keep that with which they were captured.

    Each precision has launch plans of its own, so that calls pay nothing for the choice, and no
    plan is lost when it is changed.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.set_matmul_precision("high")
    >>> cp.cuda.get_matmul_precision()
    'high'
    >>> cp.cuda.set_matmul_precision("highest")
    """
    if not isinstance(precision, str) or precision not in _PRECISIONS:
        raise ValueError(
            f"set_matmul_precision: {precision!r} is none of {', '.join(map(repr, _PRECISIONS))}"
        )
    kind, _ = _PRECISIONS[precision]
    with _lock:
        if Stream.new_plan_kind & _KINDS != kind:
            plan_from_now_on(_KINDS, False)
            if kind:
                plan_from_now_on(kind, True)


def get_matmul_precision() -> str:
    """How exact products of matrices of float32 and complex64 are.

    Returns
    -------
    str
        The name that was given to `set_matmul_precision`, 'highest' at first.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.get_matmul_precision()
    'highest'
    """
    kind = Stream.new_plan_kind & _KINDS
    return next(name for name, (own, _) in _PRECISIONS.items() if own == kind)


def compute_type(operands: np.dtype, result: np.dtype, stream: Stream, exact: bool) -> str:
    """The compute type of a product, for a plan of a stream.

    ``exact`` is whether the precision that the user has set has no say.
    """
    if _dtypes.code(result) in ("f8", "c16"):
        return "CUBLAS_COMPUTE_64F"
    if operands.itemsize == 1:
        return "CUBLAS_COMPUTE_32I"
    if exact or operands.itemsize == 2:
        return "CUBLAS_COMPUTE_32F"
    return _COMPUTE_TYPES[stream.plan_kind & _KINDS]
