"""Transforms of lines by our own kernels: the solver, the kernels, and the transforms made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray import _calls, _layout
from gpuarray._libraries import fft_costs, fft_layouts
from gpuarray._libraries.line_layouts import solve
from gpuarray._runtime import launch_history
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import fourier
from gpuarray.kernels.fourier.launch import Form, form_of
from gpuarray.kernels.fourier.spec import (
    FourierSpec,
    _accesses,
    is_line,
    pitch,
    points,
    radices,
    render,
)


def steps_of(shape, order):
    """The strides of a gapless array, whose axes are slow to fast in an order."""
    steps, step = [0] * len(shape), 1
    for axis in reversed(order):
        steps[axis] = step
        step *= shape[axis]
    return steps


def numbers(shape, dtype="c16"):
    rng = np.random.default_rng(0)
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def places(dimensions, side):
    """The elements of all indices of (length, source, target)."""
    index = np.indices([one[0] for one in dimensions]).reshape(len(dimensions), -1)
    return np.array([one[1 + side] for one in dimensions], int) @ index


def execute(passes, memory):
    """Do the passes on flat arrays, as the kernels do."""
    for one in passes:
        n, of, to = one.line
        dimensions = [*one.others, (1, 0, 0)]
        source = places(dimensions, 0)[:, None] + of * np.arange(n)
        target = places(dimensions, 1)[:, None] + to * np.arange(n)
        y = np.fft.fft(memory[one.reads][source], axis=1)
        if one.column >= 0:
            columns = dimensions[one.column][0]
            index = np.indices([x[0] for x in dimensions])[one.column].reshape(-1, 1)
            y = y * np.exp(-2j * np.pi * index * np.arange(n) / (n * columns))
        memory[one.stores][target] = y


def up_to_4(n):
    return n <= 4


@st.composite
def problems(draw):
    ndim = draw(st.integers(1, 4))
    axes = draw(st.permutations(range(ndim)))[: draw(st.integers(1, ndim))]
    lengths = [draw(st.sampled_from([1, 2, 3, 4, 6, 8, 16]) if i in axes else st.integers(1, 3))
               for i in range(ndim)]  # fmt: skip
    return lengths, axes, [draw(st.permutations(range(ndim))) for _ in range(2)]


@settings(max_examples=100, deadline=None)
@given(problems())
def test_passes_transform_arrays_in_any_order(problem):
    lengths, axes, orders = problem
    source, target = [steps_of(lengths, order) for order in orders]
    passes = solve(lengths, source, target, axes, up_to_4)
    if passes is None:
        assert all(lengths[axis] == 1 for axis in axes)
        return
    size, index = math.prod(lengths), np.indices(lengths).reshape(len(lengths), -1)
    x = numbers(lengths)
    memory = {name: np.full(size, np.nan, complex) for name in ("source", "target", "scratch")}
    memory["source"][np.array(source) @ index] = x.ravel()
    execute(passes, memory)
    found = memory["target"][np.array(target) @ index].reshape(lengths)
    np.testing.assert_allclose(found, np.fft.fftn(x, axes=axes), atol=1e-10)


def test_what_is_no_line():
    assert solve([5], [1], [1], [0], up_to_4) is None
    assert solve([32], [1], [1], [0], up_to_4) is None  # not even a matrix
    assert solve([1, 3], [3, 1], [3, 1], [0], up_to_4) is None
    assert solve([1 << 25], [1], [1], [0], lambda n: n < 1 << 20) is None
    lines = [n for n in range(1, 5000) if is_line(n)]
    assert lines[:14] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 18]
    assert lines[-1] == 4096
    assert not {11, 143, 3456 * 2}.intersection(lines)


def test_long_axes_are_matrices():
    first, second = solve([3, 8, 5], [40, 5, 1], [40, 5, 1], [1], up_to_4)
    assert (first.line, first.others, first.column) == (
        (4, 10, 10), ((3, 40, 40), (2, 5, 5), (5, 1, 1)), 1,
    )  # fmt: skip
    assert (second.line, second.others) == ((2, 5, 20), ((3, 40, 40), (4, 10, 5), (5, 1, 1)))
    assert [first.reads, first.stores, second.reads, second.stores] == [
        "source", "scratch", "scratch", "target",
    ]  # fmt: skip


def transformed(x, axis, form=None, inverse=False, factor=1.0, order="C"):
    stream, layout = current.stream, x._layout
    target = _layout.contiguous(layout.dtype, layout.shape)
    if order == "F":
        strides = tuple(np.empty(layout.shape, layout.dtype, order="F").strides)
        target = _layout.layout_of(layout.dtype, layout.shape, strides)
    both = list(zip(
        layout.shape, [s // layout.itemsize for s in layout.strides],
        [s // layout.itemsize for s in target.strides], strict=True,
    ))  # fmt: skip
    line = both.pop(axis)
    both.sort(key=lambda one: -one[2])
    dtype = layout.dtype.str[1:]
    form = Form(*form) if form else form_of(dtype, line, both, stream.device)
    bound = fourier.launch.bound(dtype, line, both, inverse, factor, stream, form=form)
    passed = {"target": "y0", "source": "x0"}
    return _calls.make_call(stream, "a", [target], [(bound, passed)])(x).get()


def slow(*given):
    return pytest.param(*given, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "n, form, dtype",
    [
        (2, (4, 1, (2,)), "c8"),
        (16, (2, 1, (16,)), "c8"),
        (32, (4, 4, (8, 4)), "c16"),
        (105, (2, 20, (7, 5, 3)), "c8"),  # no stage has butterflies for all threads
        slow(128, (2, 8, (16, 8)), "c8"),
        slow(240, (4, 16, (16, 3, 5)), "c8"),
        slow(512, (1, 64, (8, 8, 8)), "c16"),
        slow(1000, (2, 67, (8, 5, 5, 5)), "c8"),
        slow(4096, (1, 256, (16, 16, 16)), "c8"),
        slow(4096, (2, 128, (16, 16, 16)), "c16"),
    ],
)
def test_lines_of_any_step(n, form, dtype):
    """Along the line and across, in and out; the lines of the last block are not all there."""
    atol = (1e-6 if dtype == "c8" else 1e-14) * math.sqrt(n)
    for shape, axis, order, inverse in (
        ((3, n), 1, "C", False),
        ((n, 5), 0, "C", True),
        ((3, n), 1, "F", False),
        ((n, 3), 0, "F", True),
    ):
        x = numbers(shape, dtype)
        found = transformed(cp.asarray(x), axis, form, inverse, 0.5, order)
        function = np.fft.ifft if inverse else np.fft.fft
        norm = "forward" if inverse else "backward"
        expected = 0.5 * function(x.astype("c16"), axis=axis, norm=norm)
        np.testing.assert_allclose(found, expected, atol=atol, rtol=0)


@pytest.mark.parametrize("factors", [(9, 10), (14, 6), (15, 12)])
def test_radices_of_several_primes(factors):
    x = numbers((math.prod(factors), 2))
    found = transformed(cp.asarray(x), 0, (2, 10, factors), factors[0] == 9)
    expected = np.fft.fft(x, axis=0)
    if factors[0] == 9:
        expected = np.fft.ifft(x, axis=0, norm="forward")
    np.testing.assert_allclose(found, expected, atol=2e-13, rtol=0)


def bank_conflicts(radices, lines, threads, along, itemsize, pitch):
    """Turns that the accesses of a block's first warp take beyond those that they must."""
    banks, extra = 128 // itemsize, 0
    for own, at in _accesses(radices, lines, threads, along, np.arange(32)):
        words = own * pitch + at + at // 16
        for begin in range(0, 32, banks):
            there = at[begin : begin + banks] < math.prod(radices)
            if there.any():
                extra += np.bincount(words[begin : begin + banks][there] % banks).max() - 1
    return extra


@pytest.mark.parametrize("n", [15, 60, 64, 105, 120, 256, 1024])
def test_neighbouring_lines_are_in_banks_of_their_own(n):
    for dtype, itemsize in (("c8", 8), ("c16", 16)):
        form = form_of(dtype, (n, 999, 999), [(999, 1, 1)], Device(227 << 10))
        across = (form.radices, form.lines, form.threads, (False, False), itemsize)
        assert bank_conflicts(*across, pitch(*across)) == 0


def test_both_widths_of_indices_give_the_same(monkeypatch):
    x = cp.asarray(numbers((2, 16, 3), "c8"))
    narrow = transformed(x, 1, (2, 1, (16,)))
    monkeypatch.setattr(_layout, "INT32_MAX", 7)
    np.testing.assert_array_equal(transformed(x, 1, (2, 1, (16,))), narrow)


def test_single_precision_is_nearly_as_good_as_it_can_be():
    x = numbers((256,), "c8")
    found, expected = transformed(cp.asarray(x), 0), np.fft.fft(x.astype("c16"))
    assert np.linalg.norm(found - expected) < 2e-7 * np.linalg.norm(expected)


@pytest.fixture
def any_size(monkeypatch):
    """Lines for small arrays, too, and matrices of 16 columns."""
    monkeypatch.setattr(fft_costs, "LEAST_LINE_BYTES", 0)
    monkeypatch.setattr(fft_costs, "_MARGIN", math.inf)
    monkeypatch.setattr(fourier.spec, "LONGEST", 16)


@pytest.mark.parametrize(
    "shape, axes",
    [((3, 16, 5), (1,)), ((2, 32, 3), (1,)), ((60,), (0,)), ((15, 4, 8), (0, 1, 2))],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_transforms(any_size, shape, axes, order):
    x = np.asarray(numbers(shape, "c8"), order=order)
    d = cp.asarray(x)
    expected = np.fft.ifftn(x, axes=axes)
    atol = 1e-6
    found = cp.fft.ifftn(d, axes=axes)
    assert found.strides == expected.strides
    np.testing.assert_allclose(found.get(), expected, atol=atol)
    np.testing.assert_allclose(
        cp.fft.fftn(d[::-1], axes=axes).get(), np.fft.fftn(x[::-1], axes=axes), atol=20 * atol
    )
    cp.fft.ifftn(d, axes=axes, out=d)
    np.testing.assert_allclose(d.get(), expected, atol=atol)


def test_padding_and_views_that_begin_anywhere(any_size):
    x = numbers((5, 13), "c8")
    d = cp.asarray(x)
    np.testing.assert_allclose(cp.fft.ifft(d, 16).get(), np.fft.ifft(x, 16), atol=1e-6)
    packed = np.zeros(16, [("a", "c8"), ("b", "c16")])  # at multiples of 8 bytes
    packed["b"] = numbers(16)
    found = cp.fft.ifft(cp.asarray(packed)["b"])
    np.testing.assert_allclose(found.get(), np.fft.ifft(packed["b"]), atol=1e-14)


def launched(call):
    """The kernels and functions of libraries that a call launches."""
    launch_history.forget()
    kept = call()
    found = [x.kernel for x in launch_history._recent if isinstance(x, launch_history.LaunchTrace)]
    del kept
    return ["line" if name.startswith("gpuarray_fourier") else name for name in found]


def test_the_factor_costs_no_pass(any_size):
    x = cp.asarray(numbers((4, 16), "c8"))
    assert launched(lambda: cp.fft.ifft(x)) == ["line"]
    assert launched(lambda: cp.fft.fft(x, axis=0)) == ["line"]
    # Each element is read and written once.
    assert launched(lambda: cp.fft.fft(x)) == ["cufftXtExec"]
    assert launched(lambda: cp.fft.fft(x.T, axis=0)) == ["cufftXtExec"]


def test_small_arrays_are_cuffts():
    x = cp.asarray(numbers((16, 16), "c8"))
    assert launched(lambda: cp.fft.fft(x, axis=0)) == ["cufftXtExec"]


def chosen(shape, axes, dtype="c8", factor=1.0):
    """How many passes of lines a transform of a gapless array gets, where cuFFT has one plan."""
    steps = steps_of(shape, range(len(shape)))
    itemsize = np.dtype(dtype).itemsize
    nbytes = math.prod(shape) * itemsize
    (one,) = fft_layouts.solve(shape, steps, steps, axes)
    seconds = fft_costs.pass_seconds(one, nbytes, itemsize)
    seconds += 0 if factor == 1 else fft_costs.factor_seconds(nbytes)
    passes = solve(shape, steps, steps, axes, is_line)
    forms = [form_of(dtype, x.line, x.others, Device(227 << 10)) for x in passes]
    parts = list(zip(passes, [(form.lines, form.radices) for form in forms], strict=True))
    return len(passes) * fft_costs.lines_pay(parts, nbytes, itemsize, seconds)


def test_what_moves_fewer_bytes_is_chosen():
    assert chosen((1000, 64, 250), [1]) == 1  # instead of two copies and a transform
    assert chosen((1000, 60, 250), [1]) == 1
    assert chosen((64, 512, 512), [1]) == 1
    assert chosen((512, 512, 16), [0, 1], "c16") == 2
    assert chosen((4096, 4096), [1], factor=0.5) == 1  # the factor is a pass of its own
    assert chosen((1 << 24,), [0], factor=0.5) == 2
    assert chosen((64, 512, 512), [1, 2]) == 0
    assert chosen((256, 256, 256), [0, 1, 2], factor=0.5) == 3
    assert chosen((256, 256, 256), [0, 1, 2]) == 0
    assert chosen((4096, 4096), [0]) == 1  # a sector of memory at a time
    assert chosen((10**7,), [0], factor=0.5) == 0  # half a sector, in the first of two passes
    assert chosen((16000, 1000), [1], factor=0.5) == 1


class Device:
    """One with so much shared memory."""

    def __init__(self, room):
        self.room = room

    def attribute(self, name):
        assert name == "max_shared_memory_per_block_optin"
        return self.room


def test_a_device_with_little_shared_memory(any_size, monkeypatch):
    line, others = (4096, 1, 1), [(3, 4096, 4096)]
    assert form_of("c16", line, others, Device(227 << 10)).lines == 1
    assert form_of("c16", line, others, Device(64 << 10)) is None
    assert form_of("c8", (4096, 3, 3), [(3, 1, 1)], Device(99 << 10)).lines == 2
    monkeypatch.setattr(fourier.launch, "form_of", lambda *given: None)
    x = cp.asarray(numbers((16, 3), "c8"))
    expected = np.fft.fft(x.get(), axis=0)
    np.testing.assert_allclose(cp.fft.fft(x, axis=0).get(), expected, atol=1e-5)


@pytest.mark.parametrize("dtype, itemsize", [("c8", 8), ("c16", 16)])
def test_forms_fit_into_a_block(dtype, itemsize):
    for n in filter(is_line, [*range(2, 100), *[1 << i for i in range(7, 13)], 1000, 3840]):
        for steps in ((1, n), (1000, 1)):
            for count in (1, 3, 1000):
                line, others = (n, steps[0], steps[0]), [(count, steps[1], steps[1])]
                form = form_of(dtype, line, others, Device(227 << 10))
                spec = FourierSpec(
                    dtype, form.radices, form.lines, form.threads, False, 1, True, True
                )
                assert spec.n == n
                assert spec.block <= 1024
                assert spec.shared_bytes <= 227 << 10
                assert points(form.radices, form.threads) <= 16
                if count == 1000 and steps[0] > 1:  # sectors are accessed whole
                    assert form.lines * itemsize >= 32


def test_too_many_lines_for_a_grid():
    assert form_of("c8", (2, 1, 1), [(1 << 42, 2, 2)], Device(227 << 10)) is None


def test_radices_are_few_and_nearly_equal():
    assert radices(4096) == (16, 16, 16)
    assert radices(4096, 8) == (8, 8, 8, 8)
    assert radices(1024) == (16, 8, 8)
    assert radices(2) == (2,)
    assert radices(60) == (15, 4)
    assert radices(343) == (7, 7, 7)
    assert radices(1000) == (10, 10, 10)
    assert radices(11) is radices(22) is radices(1) is radices(5**5) is None


@pytest.mark.parametrize(
    "given",
    [{"radices": (11,)}, {"radices": ()}, {"radices": (16, 16, 16, 2)}, {"threads": 0},
     {"threads": 17}, {"dtype": "f4"}, {"lines": 0}, {"ndim": 0}],
)  # fmt: skip
def test_specifications_that_make_no_sense(given):
    spec = {"dtype": "c8", "radices": (16,), "lines": 1, "threads": 1, "inverse": False,
            "ndim": 1, "in_along": True, "out_along": True}  # fmt: skip
    with pytest.raises(ValueError):
        FourierSpec(**{**spec, **given})


def test_names_tell_kernels_apart():
    specs = [
        FourierSpec("c8", factors, 2, threads, inverse, 2, along, not along, column, power, index)
        for factors in ((4, 4), (8, 2))
        for threads in (2, 4)
        for inverse in (False, True)
        for along in (False, True)
        for column, power in ((-1, False), (0, False), (1, False), (1, True))
        for index in ("int32", "int64")
    ]
    assert len({render(spec).name for spec in specs}) == len(specs)


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find(any_size):
    x = cp.asarray(numbers((3, 16, 5), "c8"))
    with cp.cuda.check("races=lane", "uninit", "barriers"):
        cp.fft.ifft(x, axis=1)
        cp.fft.ifft(x.reshape(5, 48)[:, :32])
        transformed(x, 1, (4, 4, (4, 4)), order="F")
        transformed(cp.asarray(numbers((15, 3), "c8")), 0, (4, 4, (3, 5)))
        cp.fft.fftn(cp.arange(21.0).reshape(3, 7))
