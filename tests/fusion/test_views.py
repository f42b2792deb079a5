"""Views of results that are not computed, and ranges and constants that are never stored."""

from __future__ import annotations

import random

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _layout
from gpuarray._fusion import running
from gpuarray._fusion.viewing import viewed

HOST = np.linspace(-2, 2, 12, dtype="f4").reshape(3, 4)


def _two_ways(xp, x, z):
    u = x * z
    return u[1:] - u[:-1]


def _alive(xp, x, z):
    view = (x * 2)[1:]
    return view + 1, view


def _changed_behind_a_view(xp, x, z):
    y = x * 2
    row = y[1]
    y += 1
    return y, row


def _changed_through_a_view(xp, x, z):
    y = x * 2
    row = y[1]
    row += 1
    y[:, 2:] = z[:, 2:] * 3
    return y * 2, row


def _operand_changed(xp, x, z):
    y = (x * 2)[::-1]
    x += 1
    return y * 3, x


def _operand_changed_and_dead(xp, x, z):
    y = x * 2
    y = y[::-1] * z
    x += 1
    return y, x


def _overlapping(xp, x, z):
    y = x * 2
    xp.add(y[1:], y[:-1], out=y[1:])
    return y


def _doubled(xp, x, z):
    y = x
    for _ in range(30):  # each is seen twice by the next
        y = y + y
    return y[1:] * 2


def _another_shape(xp, x, z):
    y = x * 2
    y.shape = (4, 3)
    return y + 1


def _other_views(xp, x, z):
    first, second = xp.split(x * 2, 2, axis=1)
    return (
        xp.expand_dims(x * 2, 0) + 1,
        xp.swapaxes(x * 3, 0, 1) * 2,
        xp.squeeze((x * 2)[None]) + 1,
        xp.diagonal(x * 2) * 2,
        (x * 2).astype("c8").real * 2,
        (x * 2).view("i4") + 1,
        first + second,
        (x * 2)[1:].sum(axis=0),
        (x * 2)[1:1] + 1,
    )


def _constants(xp, x, z):
    x[...] = 3
    x += z
    x[1:] = 7
    y = xp.zeros((3, 4))
    y += x
    return xp.ones((3, 4), "f4") * x + xp.full((3, 4), 2.5, "f4"), y


PROGRAMS = {
    "slices": (lambda xp, x, z: (x + z)[1:-1] * 2, ["add_multiply"]),
    "transposed": (lambda xp, x, z: (x + z).T * 2, ["add_multiply"]),
    "transposed operand": (lambda xp, x, z: (x + z.reshape(4, 3).T).T * 2, ["add_multiply"]),
    "reshaped": (lambda xp, x, z: ((x + z) * x).reshape(-1)[::2] * 3, ["add_multiply"]),
    "backwards": (lambda xp, x, z: (x + z[0])[:, ::-1] * 2, ["add_multiply"]),
    "rows reshaped": (lambda xp, x, z: (x + z[0]).reshape(2, 6) * 2, ["add", "multiply"]),
    "columns": (lambda xp, x, z: (x + z[:, :1])[1:, 1:3] * 2 + 1, ["add_multiply"]),
    "views of views": (lambda xp, x, z: ((x * 2).T[1:].T + 1)[::-1] * z[:, 1:], ["multiply_add"]),
    "raveled": (lambda xp, x, z: ((x + z).T + z.T).ravel() * 2, None),
    "broadcast": (lambda xp, x, z: xp.broadcast_to(x[0] * 2, (3, 4)) + z, None),
    "new axis": (lambda xp, x, z: (x * 2)[:, None, :] + z[None] * 1, None),
    "two ways": (_two_ways, ["multiply", "subtract"]),
    "alive": (_alive, ["multiply", "add"]),
    "changed behind a view": (_changed_behind_a_view, None),
    "changed through a view": (_changed_through_a_view, None),
    "operand changed": (_operand_changed, None),
    "operand changed, and dead": (_operand_changed_and_dead, None),
    "overlapping": (_overlapping, None),
    "doubled": (_doubled, ["add_multiply"]),
    "another shape": (_another_shape, None),
    "other views": (_other_views, None),
    "constants": (_constants, None),
    "range transposed": (lambda xp, x, z: xp.arange(24).reshape(4, 6).T * 2, ["arange_multiply"]),
    "range backwards": (lambda xp, x, z: xp.arange(24.0)[::-2] + 1, ["arange_add"]),
    "range stored": (lambda xp, x, z: xp.arange(0.1, 5, 0.3) * 2, ["arange_multiply"]),
    "ranges": (
        lambda xp, x, z: xp.arange(4, dtype="f4") * x + xp.arange(3, dtype="f4")[:, None],
        ["arange_multiply_add"],
    ),
    "parts of a range": (
        lambda xp, x, z: xp.arange(12, dtype="f4").reshape(3, 4)[1:, ::2] + x[:2, ::2],
        ["arange_add"],
    ),
    "a grid": (
        lambda xp, x, z: xp.broadcast_to(xp.arange(4), (3, 4)) * 2 + xp.arange(3)[:, None],
        ["arange_multiply_add"],
    ),
    "a range with itself": (lambda xp, x, z: xp.arange(12) + xp.arange(12)[::-1], ["arange_add"]),
}


def run(program):
    found = program(cp, cp.asarray(HOST), cp.asarray(HOST[::-1].copy()))
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", PROGRAMS)
def test_views(name, ran):
    program, kernels = PROGRAMS[name]
    with cp.fusion("off"):
        expected = [(x.strides, x.dtype, x.get().tobytes()) for x in run(program)]
    for mode in ("immediate", "on"):
        with cp.fusion(mode):
            for _ in range(2):
                results = run(program)
                ran.clear()
                results[0].data.mem  # noqa: B018 (it has its memory now)
                first = ran[-1:]
                found = [(x.strides, x.dtype, x.get().tobytes()) for x in results]
                assert found == expected
                running.wait()
    if kernels is not None:
        assert first == [kernels]


def _random_view(rng, x):
    kind = rng.randrange(5)
    if kind == 0:
        return x[tuple(slice(rng.randrange(-n, n), None, rng.choice((1, 2, -1))) for n in x.shape)]
    if kind == 1:
        return x.transpose(rng.sample(range(x.ndim), x.ndim))
    if kind == 2:
        return x.reshape(rng.choice(((-1,), (2, -1), (-1, 3), (3, 2, -1))))
    if kind == 3:
        return x[rng.randrange(x.shape[0])] if x.ndim > 1 else x[None]
    return np.broadcast_to(x, (2, *x.shape)) if x.ndim < 4 else x


def test_views_of_operands():
    """Of random results, operands and views: the elements are the same, or none are given."""
    rng, found = random.Random(3), 0
    for _ in range(600):
        shape = rng.choice(((12,), (3, 4), (2, 3, 4), (6, 1, 2)))
        order = rng.choice("CF")
        result = np.zeros(shape, "f4", order)
        size = result.size
        memory = np.arange(2 * size).astype("i8")
        operand = memory[:size].reshape(shape)
        if rng.random() < 0.3:
            operand = memory[:size].reshape(shape[::-1]).T
        elif rng.random() < 0.3:
            operand = np.broadcast_to(operand[..., :1], shape)
        elif rng.random() < 0.3:
            operand = memory.reshape(*shape, 2)[..., 1]
        line = np.arange(size)  # the elements of the result as they lie in memory
        view = np.lib.stride_tricks.as_strided(
            line, shape, [x // 4 * line.itemsize for x in result.strides]
        )
        for _ in range(rng.randrange(1, 3)):
            try:
                moved = _random_view(rng, view)
            except ValueError:
                continue
            if moved.size and np.shares_memory(moved, line):
                view = moved
        offset = (view.__array_interface__["data"][0] - line.__array_interface__["data"][0]) // 8

        def layout(x, dtype=None, scale=1):
            strides = tuple([s * scale // x.itemsize for s in x.strides])
            return _layout.layout_of(np.dtype(dtype or x.dtype), x.shape, strides)

        seen = viewed(
            layout(operand, scale=8),
            layout(result, scale=4),
            layout(view, "f4", 4),
            offset * 4,
        )
        if seen is None:
            continue
        found += 1
        part, start = seen
        first = operand.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
        elements = np.lib.stride_tricks.as_strided(
            memory[(first + start) // 8 :], part.shape, part.strides
        )
        # Which elements of the result the view has, by their places in memory.
        flat = np.empty(size, "i8")
        places = np.lib.stride_tricks.as_strided(flat, shape, [x * 2 for x in result.strides])
        places[...] = operand
        np.testing.assert_array_equal(elements, flat[view])
    assert found > 300


@pytest.mark.parametrize("dtype", ["f4", "?", "c16", "f2", "M8[s]"])
def test_zeros(dtype, ran):
    for _ in range(2):  # the first one's plan is made when nothing is recorded any more
        ran.clear()
        x = cp.zeros((3, 4), dtype)
        assert x.get().tobytes() == np.zeros((3, 4), dtype).tobytes()
    assert ran == ([] if dtype == "M8[s]" else [["fill"]])


def test_where_a_range_begins_is_no_place_of_a_scalar():
    # Both were a tuple with a 2.
    found = (cp.arange(3)[::-1] * 0.5).reshape(1, 3)
    assert found.tolist() == [[1, 0.5, 0]]


def test_bases_are_not_those_of_kernels():
    # A compiled sequence has arrays of its own, without memory, which kernels take operands from.
    x = cp.asarray(HOST)
    np.testing.assert_array_equal((x * 2 + x).get(), HOST * 3)
    empty = cp.zeros((0, 3))[:, 1:]
    assert empty.base.shape == (0,)
