"""Element-wise plans against NumPy: every variant, sizes around its boundaries, any alignment.

The operands are views into buffers at any offset; the whole buffer of the output is compared, so
that nothing is stored beside the view.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gpuarray import _array, _elementwise, _layout
from gpuarray._device import current
from gpuarray._dtypes import code
from gpuarray._ffi import driver
from gpuarray.kernels.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.operations import operation

DTYPES = ["?", "i1", "f2", "f4", "f8", "c8", "c16"]


class Operand:
    """A view of a host buffer, and the same view of its copy on the device."""

    def __init__(self, values: np.ndarray, take: Callable = lambda a: a, offset: int = 0):
        self.values = values
        self.view = take(values)
        self.offset = offset
        dtype = self.view.dtype
        self.memory = _array.empty(
            _layout.contiguous(np.dtype("u1"), (max(1, values.nbytes + offset),))
        )
        self.pointer = self.memory._pointer + offset
        driver.memcpy_htod_async(
            self.pointer, values.ctypes.data, values.nbytes, current.stream.handle
        )
        current.stream.synchronize()
        start = self.view.ctypes.data - values.ctypes.data
        layout = _layout.layout_of(dtype, self.view.shape, self.view.strides)
        self.array = _array.wrap(self.memory._memory, self.pointer + start, layout)

    def fetch(self) -> np.ndarray:
        """The buffer as it is on the device."""
        result = np.empty_like(self.values)
        driver.memcpy_dtoh_async(
            result.ctypes.data, self.pointer, result.nbytes, current.stream.handle
        )
        current.stream.synchronize()
        return result


def values(dtype, shape, rng):
    if dtype == "?":
        return rng.random(shape) < 0.5
    return rng.integers(0, 50, shape).astype(dtype)


def check_sum(out: Operand, inputs: list[Operand], mask: Operand | None = None) -> None:
    """Add up the inputs, in the output's dtype, where the mask says so."""
    dtype = code(out.view.dtype)
    name = "logical_or" if dtype == "b1" else "add"
    terms: list[Expression] = []
    for i, x in enumerate(inputs):
        term: Expression = Input(i, code(x.view.dtype))
        terms.append(term if term.dtype == dtype else Cast(dtype, term))
    total = terms[0]
    expected = inputs[0].view.astype(out.view.dtype)
    for term, x in zip(terms[1:], inputs[1:], strict=True):
        total = Apply(operation(name), (total, term), dtype)
        more = x.view.astype(out.view.dtype)
        expected = (expected | more) if dtype == "b1" else expected + more
    np.copyto(out.view, expected, where=True if mask is None else mask.view)
    operands = [*inputs, *([] if mask is None else [mask])]
    run = _elementwise.make_call(
        "sum",
        [total],
        [x.array._layout for x in operands],
        [out.array._layout],
        [True],
        current.stream,
        mask is not None,
    )
    run(*[x.array for x in operands], out.array)
    np.testing.assert_array_equal(out.fetch(), out.values)


@pytest.fixture(params=["int32", "int64"])
def index(request, monkeypatch):
    if request.param == "int64":
        monkeypatch.setattr(_layout, "needs_int64", lambda *args: True)
    return request.param


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("rows", "columns"),
    [(64, 128), (65, 66), (129, 127), (31, 200), (320, 97), (1000, 3), (5, 700)],
)
def test_transposes(dtype, rows, columns, index, rng):
    shape = (rows, columns)
    size = np.dtype(dtype).alignment
    transposed = Operand(values(dtype, shape[::-1], rng), np.transpose)
    check_sum(Operand(np.full(shape, 77, dtype)), [transposed])
    # Every operand aligned differently, one in each order, and a row.
    inputs = [
        Operand(values(dtype, shape, rng), offset=size),
        Operand(values(dtype, shape[::-1], rng), np.transpose, 16 - size),
        Operand(values(dtype, columns, rng)),
    ]
    check_sum(Operand(np.full(shape, 77, dtype), offset=size), inputs)


@pytest.mark.parametrize("dtype", ["i1", "f4", "c16"])
@pytest.mark.parametrize("axes", [(0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1), (1, 0, 2)])
def test_permutations(dtype, axes, index, rng):
    source = Operand(values(dtype, (37, 41, 43), rng), lambda a: a.transpose(axes))
    check_sum(Operand(np.full(source.view.shape, 77, dtype)), [source])


@pytest.mark.parametrize("dtype", ["i1", "f4", "f8"])
def test_masked_and_mixed_transposes(dtype, index, rng):
    masks = [
        Operand(values("?", (70, 90), rng)),
        Operand(values("?", (90, 70), rng), np.transpose),
    ]
    for mask in masks:
        inputs = [
            Operand(values("f2", (90, 70), rng), np.transpose),
            Operand(values("i2", (70, 1), rng)),
        ]
        out = Operand(np.full((70, 100), 77, dtype), lambda a: a[:, 3:93])
        check_sum(out, inputs, mask)


def test_many_crossed_operands(rng):
    for count in (2, 3, 5):
        inputs = [Operand(values("f8", (80, 70), rng), np.transpose) for _ in range(count)]
        check_sum(Operand(np.full((70, 80), 77.0)), inputs)


def test_steps_on_either_side_of_a_transpose(rng):
    source = Operand(values("f4", (140, 150), rng), lambda a: a[::-1, ::2].T)
    check_sum(Operand(np.full((75, 280), 77, "f4"), lambda a: a[:, ::2]), [source])
    source = Operand(values("f4", (140, 75), rng), lambda a: a.T[::-1])
    check_sum(Operand(np.full((75, 140), 77, "f4")), [source])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [16, 33, 128, 131, 300])
def test_rows(dtype, columns, index, rng):
    size = np.dtype(dtype).alignment
    inputs = [
        Operand(values(dtype, (9, columns + 9), rng), lambda a: a[:, 1 : 1 + columns], size),
        Operand(values(dtype, (9, 1), rng)),
        Operand(values(dtype, columns, rng), offset=16 - size),
    ]
    out = Operand(np.full((11, columns + 3), 77, dtype), lambda a: a[1:-1, 2:-1])
    mask = Operand(values("?", (9, columns), rng), offset=3)
    check_sum(out, inputs)
    check_sum(out, inputs, mask)
    check_sum(Operand(np.full((9, columns), 77, dtype)), inputs)


@pytest.mark.parametrize("dtype", ["i1", "f4", "f8"])
def test_inner_parts_of_higher_dimensions(dtype, index, rng):
    source = Operand(values(dtype, (5, 6, 7, 40), rng), lambda a: a[1:, :-1, 1:-1, 1:-2])
    part = Operand(values(dtype, (4, 1, 5, 1), rng))
    out = Operand(np.full((5, 6, 7, 37), 77, dtype), lambda a: a[:-1, 1:, 2:])
    check_sum(out, [source, part])
