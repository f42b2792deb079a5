"""Calls of functions of cuBLAS and cuSOLVER on matrices of the host, as their manuals see them."""

from __future__ import annotations

import numpy as np

from gpuarray import _layout
from gpuarray._libraries.steps import Steps
from gpuarray._runtime.current_stream import current


def _by_columns(matrices):
    return np.ascontiguousarray(matrices.swapaxes(-1, -2))


class Call:
    """Calls of a function on arrays: column-major matrices go in, and come back, by rows."""

    def __init__(self, xp, solver):
        self.xp, self.solver = xp, solver

    def __call__(self, function, values, arrays, addresses=()):
        """`addresses` are the pointers that get addresses of stacked matrices."""
        held = {name: self.xp.asarray(_by_columns(x) if x.ndim > 1 else x)
                for name, x in arrays.items()}  # fmt: skip
        steps = Steps(current.stream, *[x._layout for x in held.values()])
        operands = dict(zip(held, steps.inputs, strict=True))
        for name in addresses:
            operands[name] = steps.addresses(operands[name])
        (steps.solver if self.solver else steps.blas)(function, values, operands)
        steps.output(_layout.contiguous(np.dtype("u1"), ()))  # a call returns something
        steps.make()(*held.values())
        found = {name: x.get() for name, x in held.items()}
        return {name: x.swapaxes(-1, -2) if x.ndim > 1 else x for name, x in found.items()}
