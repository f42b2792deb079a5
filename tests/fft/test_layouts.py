"""The solver that brings transforms along any axes into cuFFT's plans: pure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuarray._libraries.fft_layouts import solve


def steps_of(shape, order=None):
    """The strides of a gapless array, whose axes are slow to fast in an order."""
    steps, step = [0] * len(shape), 1
    for axis in reversed(order or range(len(shape))):
        steps[axis] = step
        step *= shape[axis]
    return tuple(steps)


def places(side, n, batch, offset):
    """The elements of a side of a plan, as cuFFT's manual has it."""
    stride, distance = side.stride, side.distance
    steps = [stride]
    for length in side.embed[:0:-1]:
        steps.insert(0, steps[0] * length)
    index = np.indices((batch, *n)).reshape(len(n) + 1, -1)
    return offset + np.array([distance if batch > 1 else 0, *steps]) @ index


def execute(passes, source, target, lengths, halved=None, to_real=False):
    """Do the passes on flat arrays, as cuFFT would."""
    for one in passes:
        read = target if one.in_place else source
        n = one.n
        half = (*n[:-1], n[-1] // 2 + 1)
        real = halved is not None and not one.in_place
        for first, second in one.offsets():
            shapes = (half if real and to_real else n), (half if real and not to_real else n)
            x = read[places(one.source, shapes[0], one.batch, first)].reshape(one.batch, *shapes[0])
            axes = tuple(range(1, len(n) + 1))
            if not real:
                y = np.fft.fftn(x, axes=axes)
            elif to_real:
                y = np.fft.irfftn(x, s=n, axes=axes)
            else:
                y = np.fft.rfftn(x.real, axes=axes)
            target[places(one.target, shapes[1], one.batch, second)] = y.ravel()


@pytest.mark.parametrize(
    "shape, axes, n, batch, calls",
    [
        ((512, 512, 16), (0, 1), (512, 512), 16, 1),
        ((8, 4), (1,), (4,), 8, 1),
        ((8, 4), (0,), (8,), 4, 1),
        ((8, 4), (1, 0), (8, 4), 1, 1),
        ((3, 5, 7), (1,), (5,), 7, 3),
        ((3, 5, 7), (0, 2), (3, 7), 5, 1),
        ((2, 3, 4, 5), (1, 2, 3), (3, 4, 5), 2, 1),
        ((1, 6, 1), (1,), (6,), 1, 1),
    ],
)
def test_one_plan_without_a_transpose(shape, axes, n, batch, calls):
    (one,) = solve(shape, steps_of(shape), steps_of(shape), axes)
    assert (one.n, one.batch, one.calls) == (n, batch, calls)


def test_the_arguments_of_a_plan():
    shape = (512, 512, 16)
    (one,) = solve(shape, steps_of(shape), steps_of(shape), (0, 1))
    assert one.source == one.target
    assert one.source[0][1:] == (512,)
    assert one.source[1:] == (16, 1)


def test_more_than_three_axes_are_several_plans():
    shape = (2, 3, 4, 5, 6)
    first, second = solve(shape, steps_of(shape), steps_of(shape), range(5))
    assert (first.n, first.batch, first.in_place) == ((4, 5, 6), 6, False)
    assert (second.n, second.batch, second.in_place) == ((2, 3), 120, True)


def test_what_cannot_be_read():
    assert solve((4,), (-1,), (1,), (0,)) is None
    assert solve((4,), (0,), (1,), (0,)) is None
    assert solve((4, 4), (1, 3), (4, 1), (0, 1)) is not None  # rows that overlap, one by one
    assert solve((4,), (1,), (-1,), (0,)) is None


def test_dimensions_backwards_and_broadcast_are_loops():
    (one,) = solve((3, 4), (0, 1), (4, 1), (1,))
    assert (one.batch, one.offsets()) == (1, [(0, 0), (0, 4), (0, 8)])
    (one,) = solve((3, 4), (-4, 1), (4, 1), (1,))
    assert (one.batch, one.offsets()) == (1, [(0, 0), (-4, 4), (-8, 8)])


def test_the_length_of_an_axis_of_one_element_says_nothing():
    (one,) = solve((4, 1), (1, 99), (1, 7), (0, 1))
    assert (one.n, one.calls) == ((4,), 1)
    (one,) = solve((1, 1), (1, 99), (1, 7), (1,))
    assert (one.n, one.batch) == ((1,), 1)


@st.composite
def problems(draw):
    ndim = draw(st.integers(1, 5))
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=ndim, max_size=ndim)))
    axes = draw(st.permutations(range(ndim)))[: draw(st.integers(1, ndim))]
    orders = [draw(st.permutations(range(ndim))) for _ in range(2)]
    real = draw(st.sampled_from(["", "from real", "to real"]))
    return shape, axes, orders, real


@settings(max_examples=200, deadline=None)
@given(problems())
def test_passes_transform_arrays_in_any_order(problem):
    shape, axes, orders, real = problem
    halved = axes[-1] if real else None
    to_real = real == "to real"
    if to_real:
        axes = axes[-1:]
    half = list(shape)
    if real:
        half[halved] = shape[halved] // 2 + 1
    shapes = (tuple(half), shape) if to_real else (shape, tuple(half))
    steps = [steps_of(x, order) for x, order in zip(shapes, orders, strict=True)]
    passes = solve(shape, *steps, axes, halved, to_real)
    if passes is None:
        return
    assert len(passes) <= len(axes)
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shapes[0]) + 1j * rng.standard_normal(shapes[0])
    if real == "from real":
        x = x.real
        expected = np.fft.rfftn(x, axes=axes)
    elif to_real:
        expected = np.fft.irfft(x, shape[halved], halved)
    else:
        expected = np.fft.fftn(x, axes=axes)
    flat = np.zeros(math.prod(shapes[0]), complex)
    flat[np.indices(shapes[0]).reshape(len(shape), -1).T @ steps[0]] = x.ravel()
    result = np.full(math.prod(shapes[1]), np.nan, complex)
    execute(passes, flat, result, shape, halved, to_real)
    found = result[np.indices(shapes[1]).reshape(len(shape), -1).T @ steps[1]]
    np.testing.assert_allclose(found.reshape(shapes[1]), expected, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(problems())
def test_gapless_arrays_in_one_order_always_have_passes(problem):
    shape, axes, orders, _ = problem
    steps = steps_of(shape, orders[0])
    assert solve(shape, steps, steps, axes) is not None


def test_distances_beyond_32_bits():
    shape = (3, 1 << 31, 6)
    (one,) = solve(shape, steps_of(shape), steps_of(shape), (2,))
    assert (one.n, one.batch) == ((6,), 3 << 31)
    (one,) = solve(shape, steps_of(shape), steps_of(shape), (0,))
    assert (one.source.stride, one.batch, one.source.distance) == (6 << 31, 6 << 31, 1)
    (one,) = solve((1 << 33,), (1,), (1,), (0,))
    assert one.n == (1 << 33,)
