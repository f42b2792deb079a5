"""Element-wise plans against NumPy: every variant, sizes around its boundaries, any alignment.

The operands are views into buffers at any offset; the whole buffer of the output is compared, so
that nothing is stored beside the view.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from gpuarray import _array, _layout, cuda
from gpuarray._dtypes import code
from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.generator.operations import operation
from tests.slow import slow_except, slow_off_axes

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies


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
    run = elementwise.launch.make_call(
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


@pytest.fixture(params=slow_except(["int32"], ["int32", "int64"]))
def index(request, monkeypatch):
    if request.param == "int64":
        monkeypatch.setattr(_layout, "needs_int64", lambda *args: True)
    return request.param


#: Of whole tiles of a transpose, of parts of them, and of a few rows or columns.
SHAPES = [(65, 66), (64, 128), (129, 127), (31, 200), (320, 97), (1000, 3), (5, 700)]


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        *[("f4", shape) for shape in SHAPES],
        *[(dtype, SHAPES[0]) for dtype in ("i1", "f2", "f8", "c16")],
        *[
            pytest.param(*case, marks=pytest.mark.slow)
            for case in itertools.product(("i1", "c16"), SHAPES[1:4])
        ],
    ],
)
def test_transposes(dtype, shape, index, rng):
    size = np.dtype(dtype).alignment
    transposed = Operand(values(dtype, shape[::-1], rng), np.transpose)
    check_sum(Operand(np.full(shape, 77, dtype)), [transposed])
    # Every operand aligned differently, one in each order, and a row.
    inputs = [
        Operand(values(dtype, shape, rng), offset=size),
        Operand(values(dtype, shape[::-1], rng), np.transpose, 16 - size),
        Operand(values(dtype, shape[1], rng)),
    ]
    check_sum(Operand(np.full(shape, 77, dtype), offset=size), inputs)


@pytest.mark.parametrize(
    ("dtype", "axes"),
    slow_off_axes(["f4", "i1", "c16"], [(0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1), (1, 0, 2)]),
)
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


def test_many_transposed_operands(rng):
    for count in (2, 3, 5):
        inputs = [Operand(values("f8", (80, 70), rng), np.transpose) for _ in range(count)]
        check_sum(Operand(np.full((70, 80), 77.0)), inputs)


def test_steps_on_either_side_of_a_transpose(rng):
    source = Operand(values("f4", (140, 150), rng), lambda a: a[::-1, ::2].T)
    check_sum(Operand(np.full((75, 280), 77, "f4"), lambda a: a[:, ::2]), [source])
    source = Operand(values("f4", (140, 75), rng), lambda a: a.T[::-1])
    check_sum(Operand(np.full((75, 140), 77, "f4")), [source])


@pytest.mark.parametrize(
    ("dtype", "columns"),
    [
        *[("f4", columns) for columns in (131, 16, 33, 128, 300)],
        *[(dtype, 131) for dtype in ("i1", "f2", "f8", "c16")],
        *[pytest.param("i1", columns, marks=pytest.mark.slow) for columns in (16, 33, 300)],
        pytest.param("c16", 128, marks=pytest.mark.slow),
    ],
)
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


IMAGES = {
    "reversed": lambda a: a.reshape(-1)[::-1],
    "every second": lambda a: a.reshape(-1)[::2],
    "every third, backwards": lambda a: a.reshape(-1)[::-3],
    "every fourth": lambda a: a.reshape(-1)[2::4],
    "flipped": lambda a: a[:, ::-1],
    "upside down": lambda a: a[::-1],
    "channels reversed": lambda a: a[..., ::-1],
    "one channel": lambda a: a[..., 1],
    "without the last channel": lambda a: a[..., :-1],
    "without the first channel, flipped": lambda a: a[:, ::-1, 1:],
    "part, channels reversed": lambda a: a[1:-1, 3:-2, ::-1],
    "all reversed": lambda a: a[::-1, ::-1, ::-1],
}


@pytest.mark.parametrize(
    ("dtype", "channels", "view"),
    [
        *[("i1", 3, view) for view in IMAGES],
        *[pytest.param("f2", 3, view, marks=pytest.mark.slow) for view in IMAGES],
        *[
            pytest.param(dtype, channels, view, marks=pytest.mark.slow)
            for dtype, channels in (("?", 4), ("f2", 7))
            for view in ("flipped", "channels reversed", "part, channels reversed")
        ],
    ],
)
def test_images(dtype, view, channels, rng):
    """Small elements in another order or with gaps, at any alignment of input and output."""
    size = np.dtype(dtype).itemsize
    source = values(dtype, (5, 389, channels), rng)
    shape = IMAGES[view](source).shape
    for offset, out_offset in [(0, 0), (5 * size, 0), (16 - size, 3 * size)]:
        inputs = [Operand(source, IMAGES[view], offset)]
        check_sum(Operand(np.full(shape, 77, dtype), offset=out_offset), inputs)
    # With gapless operands, one a row, one a channel, one a pixel, and rows that are not aligned.
    inputs.append(Operand(values(dtype, shape, rng), offset=size))
    inputs.append(Operand(values(dtype, shape[-1:], rng), offset=size))
    if len(shape) > 1:
        inputs.append(Operand(values(dtype, (*shape[:-1], 1), rng), offset=size))
        inputs.append(Operand(values(dtype, (shape[0], *[1] * (len(shape) - 1)), rng)))
    check_sum(Operand(np.full(shape, 77, dtype)), inputs)
    wide = np.full((shape[0] + 3, *shape[1:]), 77, dtype)
    check_sum(Operand(wide, lambda a: a[1:-2], size), inputs)


@pytest.mark.parametrize("dtypes", [("u1", "f2"), ("f2", "u1"), ("?", "u1"), ("i1", "i2")])
def test_images_of_several_dtypes(dtypes, index, rng):
    source, other = dtypes
    x = Operand(values(source, (4, 300, 3), rng), lambda a: a[:, ::-1, ::-1], 2)
    y = Operand(values(other, (4, 300, 1), rng), lambda a: a[::-1])
    check_sum(Operand(np.full((4, 300, 3), 77, max(dtypes))), [x, y])


def test_64_bit_indices(monkeypatch, rng):
    """A case of each test above, whose other cases with these indices are slow."""
    monkeypatch.setattr(_layout, "needs_int64", lambda *args: True)
    test_transposes("f2", (65, 66), None, rng)
    test_permutations("i1", (2, 0, 1), None, rng)
    test_rows("i1", 131, None, rng)
    test_inner_parts_of_higher_dimensions("f4", None, rng)
    test_images("i1", "flipped", 3, rng)


@pytest.mark.emulator
def test_picks_are_clean(rng):
    for view in ("reversed", "every third, backwards", "part, channels reversed", "flipped"):
        with cuda.check("races", "uninit"):
            source = Operand(values("u1", (5, 389, 3), rng), IMAGES[view], 3)
            out = Operand(np.full(source.view.shape, 77, "u1"), offset=5)
            check_sum(out, [source, source])


def test_one_thread_with_an_aligned_row(rng):
    """The emulator once took the distance to the next thread's row for an access of this one."""
    inputs = [
        Operand(values("f2", (4, 262), rng), lambda a: a.T[1:261]),
        Operand(values("f2", (260, 5), rng), lambda a: a[::-1, :4], 2),
    ]
    check_sum(Operand(np.full((260, 4), 77, "f2"), offset=2), inputs)


@st.composite
def any_views(draw):
    """Views of small and larger arrays, all of one shape, and an output gapless or not."""
    shape = draw(
        st.sampled_from(
            [(700,), (3, 400), (70, 66), (2, 3, 90), (2, 150, 3), (260, 4), (99, 7), (5, 6, 7)]
        )
    )
    dtype = draw(st.sampled_from(["u1", "i1", "f2", "f4"]))

    def view():
        steps = [draw(st.sampled_from([1, 1, 1, 1, -1, -1, 2, -3])) for _ in shape]
        starts = [draw(st.integers(0, 2)) for _ in shape]
        repeated = [draw(st.sampled_from([False, False, False, True])) for _ in shape]
        order = draw(st.permutations(range(len(shape)))) if draw(st.booleans()) else None
        full = [
            1 if once else (n + start) * abs(step)
            for n, step, start, once in zip(shape, steps, starts, repeated, strict=True)
        ]
        axes = order or range(len(shape))

        def take(a):
            a = a.transpose(np.argsort(axes))
            a = a[
                tuple(
                    slice(None) if once else slice(None, None, step)
                    for step, once in zip(steps, repeated, strict=True)
                )
            ]
            return a[
                tuple(
                    slice(None) if once else slice(start, start + n)
                    for n, start, once in zip(shape, starts, repeated, strict=True)
                )
            ]

        return tuple(full[i] for i in axes), take, draw(st.integers(0, 8))

    gapped = draw(st.sampled_from([False, False, True]))
    return shape, dtype, [view() for _ in range(draw(st.integers(1, 2)))], gapped


def any_case(case, out_offset, seed):
    shape, dtype, views, gapped = case
    rng = np.random.default_rng(seed)
    size = np.dtype(dtype).itemsize
    inputs = [
        Operand(values(dtype, full, rng), take, offset * size) for full, take, offset in views
    ]
    inputs = [x for x in inputs if np.broadcast_shapes(x.view.shape, shape) == shape]
    last = shape[-1]
    out = Operand(
        np.full((*shape[:-1], last + 2 * gapped), 77, dtype),
        lambda a: a[..., gapped : last + gapped],
        out_offset * size,
    )
    check_sum(out, inputs)


_given = hypothesis.given(case=any_views(), out_offset=st.integers(0, 8), seed=st.integers(0, 99))
test_any_views = hypothesis.settings(max_examples=15)(_given(any_case))
test_many_views = pytest.mark.slow(hypothesis.settings(max_examples=80)(_given(any_case)))
