"""fuse: what a fused function returns is what the function returns."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._array import ArrayBase
from gpuarray._fusion import views
from gpuarray._runtime.current_stream import current
from tests.slow import slow_except, slow_off_axes


def same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            same(a, b)
    elif isinstance(expected, dict):
        same([*found.values()], [*expected.values()])
    elif isinstance(expected, ArrayBase):
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        rtol = 1e-6 if expected.dtype.kind in "fc" else 0
        np.testing.assert_allclose(cp.asnumpy(found), cp.asnumpy(expected), rtol=rtol)
    else:
        assert found == expected


def check(function, *args):
    fused = cp.fuse(function)
    for _ in range(2):  # traced, then with its plan
        same(fused(*args), function(*args))


FUNCTIONS = [
    lambda x, y: x * y + x,
    lambda x, y: -(abs(x - y) ** 2),
    lambda x, y: (x > y) & ~(x == y),
    lambda x, y: cp.where(x > y, x, y * 2),
    lambda x, y: cp.clip(x, 1, 5) + cp.maximum(y, 3),
    lambda x, y: (x + y).astype("f4") * 0.5,
    lambda x, y: (x, y, x + y, (x - y).sum()),
    lambda x, y: cp.sqrt(cp.sum(x * y, axis=-1)) + 1,
    lambda x, y: [(x - x.mean(axis=0)).max(), (y + 1).min(axis=1), cp.any(x > y), cp.all(x < 99)],
    lambda x, y: cp.exp(x / (1 + abs(y))) / cp.prod(1 + x * 0, axis=1, keepdims=True),
    lambda x, y: divmod(x, y + 1),
    lambda x, y: 3 - x + 2.5 * y - np.float32(1),
    lambda x, y: (x + y).clip(2, 4).sum(axis=0, dtype="f8"),
    lambda x, y: x,
    lambda x, y: (None, 3, cp.square(y)),
    lambda x, y: [{"sum": x + y}, {"sum": (x.sum())}["sum"]],
]


@pytest.mark.parametrize(
    ("number", "dtypes"),
    [
        *[(number, "ff") for number in range(len(FUNCTIONS))],
        *[
            pytest.param(number, ("ib", "ed")[number % 2], marks=pytest.mark.slow)
            for number in range(len(FUNCTIONS))
        ],
    ],
)
def test_functions(number, dtypes):
    function = FUNCTIONS[number]
    x = cp.asarray((np.arange(24) % 7).reshape(4, 6).astype(dtypes[0]))
    y = cp.asarray((np.arange(24) % 5 + 1).reshape(4, 6).astype(dtypes[1]))
    check(function, x, y)


@pytest.mark.parametrize("dtype", slow_except("if", "iefF"))
def test_numbers_follow_the_arrays(dtype):
    x = cp.asarray(np.arange(5).astype(dtype))
    numbers = (2, 2.5, True, 1 + 2j, np.float32(3), np.float64(3), np.int8(2))
    for number in numbers[:: 1 if dtype == "f" else 2]:
        if dtype == "e" and isinstance(number, complex):
            continue
        check(lambda a, b: a * b + b * a, x, number)


def test_broadcasting_and_layouts():
    x = cp.asarray(np.arange(24.0).reshape(4, 6))
    for y in (x.T.reshape(4, 6), x[::-1, ::-1], x[0], x[:, :1], cp.asarray(2.0), x.T.copy().T):
        check(lambda a, b: (a + b * a, b.sum()), x, y)
    check(lambda a: a.T if False else a * a, x.T)


def test_outer_arrays_and_numbers_are_followed():
    weight, scale = cp.asarray([1.0, 2.0, 3.0]), 2

    @cp.fuse
    def layer(x):
        return x * weight * scale

    x = cp.ones((2, 3))
    same(layer(x), x * weight * scale)
    weight = weight + 1
    same(layer(x), x * weight * scale)
    scale = 0.5
    same(layer(x), x * weight * scale)


def test_numbers_that_decide():
    @cp.fuse
    def power(x, n):
        result = x
        for _ in range(n - 1):
            result = result * x
        return result

    x = cp.arange(4)
    for n in (1, 2, 3, 2):
        same(power(x, n), x**n)
    same(power(x, n=3), x**3)


def test_in_place_on_intermediate_results():
    def function(x):
        y = x * 2
        z = y
        z += 1
        return y, z

    check(function, cp.arange(4.0))


def _add_to(x, y):
    x += y


def _assign(x, y):
    y[...] = x


def _fill(x, n):
    x[...] = n
    return x


def _step(x, y):
    old = x.copy()
    x *= 2
    y -= x
    return old, x, x + y, y.sum()


def _swap(x, y):
    old = x + 0
    x[:] = y
    y[:, :] = old


def _shapes(x, y):
    y += x[0, 0]
    z = x[0] * 2
    return z.sum(), z


def _both(x, row):
    x += row
    row *= 3


def _crossed(x, row):
    row += x[0] * 0 + 1
    x += row


def _reduced(x, y):
    total = x.sum(axis=0)
    total += 1
    x -= total
    y[...] = x.max()
    return total


IN_PLACE = [_add_to, _assign, _step, _swap, _shapes, _reduced]


def check_changes(function, *args):
    """The result, and what has become of the arguments; each call has new ones."""
    fused = cp.fuse(function)
    for _ in range(2):
        ours, theirs = ([x.copy() if isinstance(x, ArrayBase) else x for x in args] for _ in "ab")
        same(fused(*ours), function(*theirs))
        for a, b in zip(ours, theirs):
            same(a, b)
    return fused


@pytest.mark.parametrize("function", IN_PLACE, ids=lambda function: function.__name__)
def test_arguments_changed_in_place(function):
    x = cp.asarray(np.arange(12.0).reshape(3, 4))
    for y in (cp.ones((3, 4)), cp.ones((4, 3)).T, cp.ones((3, 8))[:, ::2]):
        check_changes(function, x, y)
    fused = check_changes(function, x, x + 1)
    assert current.stream.plans[fused, x._layout, x._layout] is not function


@pytest.mark.parametrize(
    ("dtype", "value"),
    slow_off_axes(["f4", "i1", "u8", "F", "?"], [2.5, True, 3, np.float32(7), np.int64(5)]),
)
def test_numbers_assigned_to_all_elements(dtype, value):
    x = cp.zeros((2, 3), dtype)
    check_changes(_fill, x, value)
    check_changes(_assign, cp.asarray(value), x)


def test_arguments_of_several_shapes_changed_in_place():
    x, row = cp.ones((3, 4)), cp.arange(4.0)
    check_changes(_both, x, row)
    check_changes(_crossed, x, row)


def test_changes_of_arrays_that_overlap():
    for function in (_add_to, _step, _swap):
        fused = cp.fuse(function)
        function_of = [
            lambda x: (x, x),
            lambda x: (x[1:], x[:-1]),
            lambda x: (x[:, ::-1], x),
        ]
        for pair in function_of:
            for _ in range(2):
                ours, theirs = cp.ones((4, 5)).cumsum(0), cp.ones((4, 5)).cumsum(0)
                same(fused(*pair(ours)), function(*pair(theirs)))
                same(ours, theirs)


def test_in_place_refuses_what_numpy_refuses():
    x = cp.arange(3)
    with pytest.raises(TypeError, match="same_kind"):
        cp.fuse(_add_to)(x, cp.ones(3))
    with pytest.raises(ValueError, match="non-broadcastable"):
        cp.fuse(_add_to)(x, cp.ones((2, 3), int))
    with pytest.raises(ValueError, match="read-only"):
        cp.fuse(_add_to)(cp.broadcast_to(cp.ones(1), (3,)), cp.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        cp.fuse(_assign)(cp.ones(4), cp.ones(3))
    with pytest.raises(OverflowError):
        cp.fuse(_fill)(cp.zeros(3, "i1"), 300)
    check_changes(_assign, cp.ones((1, 3)), cp.ones(3))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[0] + x[-1],
        lambda x: x[1:-1] * 2 - x[:-2] - x[2:],
        lambda x: (x[..., None] + 1, x[:, 1], x[::-1, ::2], x[0, 1]),
        lambda x: (x * 2)[1:] + 1,
        lambda x: x.sum(axis=0)[1:] * x[0, 1:],
        lambda x: (x + 1)[:, ::2][1],
        lambda x: x[[2, 0]] + x[x > 3].sum(),  # left to the single functions
        lambda x: x[...] + x[:],
    ],
)
def test_basic_indices(function):
    for x in (np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(4, 3).T):
        check(function, cp.asarray(x))


@pytest.mark.parametrize("read_only", [False, True])
def test_views_are_planned_with_the_layouts_that_they_have(read_only):
    x = cp.arange(12.0).reshape(3, 4)
    x.flags.writeable = not read_only
    for key in (slice(1, None), (0, slice(None, None, -2)), (..., None)):
        planned = views.view_layout(x._layout, views.basic_key(key))
        assert planned is x[key]._layout


def test_writes_to_views_are_left_to_the_single_functions():
    def rows(x):
        x[1:] += x[:-1]
        y = x[0]
        y *= 5
        x[:, 0] = 7
        return x

    check_changes(rows, cp.asarray(np.arange(12.0).reshape(3, 4)))
    with pytest.raises(IndexError, match="out of bounds"):
        cp.fuse(lambda x: x[5])(cp.arange(3))


def test_nested_and_methods():
    inner = cp.fuse(lambda x: x + 1)
    check(lambda x: inner(x) * 2, cp.arange(4))

    class Layer:
        @cp.fuse(kernel_name="forward")
        def forward(self, x):
            return x * 3

    same(Layer().forward(cp.arange(3)), cp.arange(3) * 3)


def test_host_arrays_and_empty_ones():
    function = cp.fuse(lambda x, y: np.add(x, y))
    found = function(np.arange(3), np.arange(3))
    assert isinstance(found, np.ndarray)
    check(lambda x: (x + 1, x.sum()), cp.ones((0, 3)))
    same(function(cp.arange(3), cp.arange(3)), cp.arange(3) * 2)


def test_integers_out_of_range():
    x = cp.arange(3, dtype="i1")
    check(lambda a: (a < 300) | (a == 1), x)
    check(lambda a, n: a < n, x, 300)
    with pytest.raises(OverflowError):
        cp.fuse(lambda a, n: a + n)(x, 300)
    with pytest.raises(ValueError, match="negative integer powers"):
        cp.fuse(lambda a, n: a**n)(x, -1)


def test_long_chains():
    def function(x):
        for _ in range(40):
            x = x * 0.5 + x * 0.5
        return x

    check(function, cp.arange(5.0))


def test_one_kernel():
    plans = current.stream.plans
    fused = cp.fuse(lambda x, y: (x * y + 1, x - y))
    x = cp.arange(7.0)
    fused(x, x)
    before = len(plans)
    fused(x, x)
    assert len(plans) == before
    # A single launch is the plan itself, without anything around it.
    run = plans[fused, x._layout, x._layout]
    assert run.__code__.co_filename.startswith("<call")
    total = cp.fuse(lambda x, y: cp.sqrt((x * y).sum()) * 2)
    total(x, x)
    assert plans[total, x._layout, x._layout].__code__.co_filename.startswith("<call")


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda x: x if x.sum() > 3 else -x, "decides by the value"),
        (lambda x: [1, 2, 3][x.max()], "decides by the value"),
        (lambda x: x * float(x.sum()), "decides by the value"),
        (lambda x: cp.sort(x), "cannot be fused"),
        (lambda x: cp.cumsum(x), "cannot be fused"),
        (lambda x: cp.zeros_like(x), "cannot be fused"),
        (lambda x: list(x), "iterates"),
        (lambda x: x @ x, "multiplies matrices"),
        (lambda x: cp.add(x, x, out=x), "out= or where="),
        (lambda x: cp.sum(x, initial=3), "initial="),
        (lambda x: cp.add.reduce(x, where=x > 1), "where="),
    ],
)
def test_what_cannot_be_fused(function, words):
    with pytest.raises(TypeError, match=words):
        cp.fuse(function)(cp.arange(4.0))


def test_attributes_of_symbols():
    check(lambda x: x * x.shape[0] + x.ndim + x.size, cp.ones((2, 3)))
    with pytest.raises(AttributeError, match="attribute 'T'"):
        cp.fuse(lambda x: x.T)(cp.ones((2, 3)))


def test_the_decorator():
    @cp.fuse()
    def documented(x):
        """Says what it does."""
        return x

    assert documented.__name__ == "documented"
    assert documented.__doc__ == "Says what it does."
    documented.clear_cache()
    with pytest.raises(TypeError, match="kernel_name"):
        cp.fuse(name="x")
    with pytest.raises(TypeError, match="one function"):
        cp.fuse(3)
    with pytest.raises(TypeError):
        documented(cp.ones(3), cp.ones(3))
