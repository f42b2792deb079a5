"""How a row of a special function is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuarray.kernels.generator.operations import HEAVY, HUGE, Operation, row

NAMESPACE = "gpuarray.scipy.special"


def special(
    name: str,
    nin: int,
    summary: str,
    *example: Any,
    loops: str,
    header: str = "special",
    floats: str | tuple[str, ...] | None = None,
    complexes: str | tuple[str, ...] | None = None,
    weight: int | Mapping[str, int] | None = None,
    **other: Any,
) -> Operation:
    """A row of a ufunc of ``scipy.special``.

    Parameters
    ----------
    name, nin, summary, example
        As of `row`.
    loops : str
        SciPy's loops in SciPy's order with blanks between them (``"d->d f->f"``): integers take
        the first one to which they can be cast safely.
    header : str, optional
        The file ``NAME.cuh`` of this folder that declares the functions. An operand of float32 is
        converted to double by a function that takes double, and the result back.
    floats, complexes : str or tuple of str
        The code, one text for each output. A function of complex numbers takes and returns
        ``complex<double>``: the operands that are complex are written ``wide(in0)``, and each
        result is narrowed to that of the loop.
    weight, other
        As of `row`.
    """
    include = f"gpuarray/{header}.cuh"
    if complexes is not None:
        texts = (complexes,) if isinstance(complexes, str) else complexes
        complexes = tuple([f"special::narrow<V>({text})" for text in texts])
    if weight is None:
        weight = {"float": HEAVY, "complex": HUGE}
    return row(
        name, nin, summary, *example, floats=floats, complexes=complexes, weight=weight,
        headers={"float": include, "complex": include}, loops=tuple(loops.split()),
        namespace=NAMESPACE, **other,
    )  # fmt: skip
