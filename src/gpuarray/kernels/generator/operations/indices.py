"""Operations on indices, for kernels that take or make them; none is a ufunc."""

from __future__ import annotations

from gpuarray.kernels.generator.operations.rows import MEDIUM, Operation, row

_HEADER = {"signed": "gpuarray/indices.cuh"}


def _of_int64(name: str, nin: int, code: str) -> Operation:
    return row(name, nin, signed=code, headers=_HEADER, weight=MEDIUM)


#: An index of an axis by the axis's length, where negative ones count from the end.
WRAPPED = _of_int64("wrapped_index", 2, "gpuarray::wrapped<int64_t>(in0, in1)")

#: The same where negative ones are out of bounds.
CHECKED = _of_int64("checked_index", 2, "gpuarray::checked<int64_t>(in0, in1)")

#: Those out of bounds by NumPy's other modes.
PERIODIC = _of_int64("periodic_index", 2, "gpuarray::bounded<gpuarray::WRAP, int64_t>(in0, in1)")
CLIPPED = _of_int64("clipped_index", 2, "gpuarray::bounded<gpuarray::CLIP, int64_t>(in0, in1)")

#: The row of an element of a triangle whose rows have 1, 2, 3, ... elements.
TRIANGLE_ROW = _of_int64("triangle_row", 1, "gpuarray::triangle_row(in0)")
