"""fuse: what a fused function returns is what the function returns."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._array import ArrayBase
from gpuarray._runtime.device import current
from tests.slow import slow_except


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


@pytest.mark.parametrize("function", FUNCTIONS, ids=range(len(FUNCTIONS)))
@pytest.mark.parametrize("dtypes", slow_except(["ff"], ["ff", "ib", "ed"]))
def test_functions(function, dtypes):
    x = cp.asarray((np.arange(24) % 7).reshape(4, 6).astype(dtypes[0]))
    y = cp.asarray((np.arange(24) % 5 + 1).reshape(4, 6).astype(dtypes[1]))
    check(function, x, y)


@pytest.mark.parametrize("dtype", slow_except("if", "?iefF"))
def test_numbers_follow_the_arrays(dtype):
    x = cp.asarray(np.arange(5).astype(dtype))
    for number in (2, 2.5, True, 1 + 2j, np.float32(3), np.float64(3), np.int8(2)):
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
    with pytest.raises(TypeError, match="in place"):
        cp.fuse(lambda x: x.__iadd__(1))(cp.arange(4.0))


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
        (lambda x: x[0], "indexes"),
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
