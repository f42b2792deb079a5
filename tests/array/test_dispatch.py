"""NumPy's functions and operators with device arrays, alone and beside host arrays."""

from __future__ import annotations

import importlib
import operator

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ops import dispatch
from gpuarray.errors import HostArrayError
from tests.array.arrays import same
from tests.slow import slow_except

X = np.arange(1.0, 7).reshape(2, 3)


def test_get_array_module():
    assert cp.get_array_module(X) is np
    assert cp.get_array_module(1, cp.asarray(X)) is cp
    assert cp.get_array_module() is np


def test_numpys_ufuncs_run_on_the_device():
    x = cp.asarray(X)
    same(np.exp2(x), np.exp2(X))
    same(np.add(x, 1), X + 1)
    same(np.add(np.float32(2), x), X + 2)
    out = cp.empty_like(x)
    assert np.negative(x, out=out) is out
    same(out, -X)
    same(np.add.outer(x[0], x[0]), np.add.outer(X[0], X[0]))
    same(np.add.reduce(x), np.add.reduce(X))
    same(np.add.accumulate(x, axis=1), np.add.accumulate(X, axis=1))
    total = cp.empty(3)
    assert np.add.reduce(x, out=total) is total
    same(np.maximum.reduce(x, axis=1, keepdims=True), np.maximum.reduce(X, axis=1, keepdims=True))
    for ours, theirs in zip(np.modf(x / 4), np.modf(X / 4), strict=True):
        same(ours, theirs)


@pytest.mark.parametrize(
    "call",
    [
        lambda a: np.sum(a), lambda a: np.sum(a, axis=1), lambda a: np.concatenate([a, a]), lambda a: np.reshape(a, -1),
        lambda a: np.where(a > 2, a, 0), lambda a: np.clip(a, 2, 3), lambda a: np.mean(a, 0), lambda a: np.argmax(a), lambda a: np.transpose(a),
        lambda a: np.broadcast_to(a, (4, 2, 3)), lambda a: np.zeros_like(a), lambda a: np.full_like(a, 3), lambda a: np.stack([a, a], 1),
        lambda a: np.take(a, [0, 1]), lambda a: np.expand_dims(a, 0), lambda a: np.real(a), lambda a: np.round(a, 1), lambda a: np.copy(a),
    ],
)  # fmt: skip
def test_numpys_functions_run_on_the_device(call):
    same(call(cp.asarray(X)), call(X))


def _dispatched(module):
    """NumPy's functions of a module that ask arrays for theirs, by their public names."""
    found = {}
    for name in dir(module):
        function = getattr(module, name)
        if isinstance(function, np.ufunc) or hasattr(function, "_implementation"):
            found[name] = function
    return found


def test_every_namesake_is_dispatched():
    wrong = [
        name
        for name, function in _dispatched(np).items()
        if hasattr(cp, name) and dispatch.counterpart(function) is not getattr(cp, name)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", ["emath", "lib.stride_tricks", "linalg", "fft"])
def test_namesakes_in_other_modules_are_dispatched(name):
    theirs = operator.attrgetter(name)(np)
    try:
        ours = importlib.import_module(f"gpuarray.{name}")
    except ModuleNotFoundError:
        pytest.skip(f"there is no gpuarray.{name} yet")
    for function_name, function in _dispatched(theirs).items():
        if hasattr(ours, function_name):
            found = dispatch.counterpart(function)
            assert found is getattr(ours, function_name), function_name


def test_functions_that_are_not_numpys_have_no_counterpart():
    assert dispatch.counterpart(operator.add) is None
    assert dispatch.counterpart(test_get_array_module) is None


def test_another_librarys_ufunc_of_the_same_name_has_no_counterpart(monkeypatch):
    add = np.add
    assert dispatch.counterpart(add) is cp.add
    monkeypatch.setattr(np, "add", np.subtract)
    assert dispatch.counterpart(add) is None


def test_numpys_queries_of_device_arrays():
    x = cp.asarray(X)
    assert np.shape(x) == (2, 3)
    assert np.ndim(x) == 2
    assert np.size(x) == 6
    assert np.result_type(x, np.float32(1)) == np.float64
    assert np.iscomplexobj(x) is False
    assert np.can_cast(x.dtype, "f8")
    assert np.array_repr(x) == repr(X)


def test_what_is_missing_is_named():
    x = cp.asarray(X)
    for call, name in (
        (lambda: np.busday_count(x, x), "numpy.busday_count"),
        (lambda: np.frompyfunc(abs, 1, 1)(x), "numpy.abs"),
        (lambda: x.__array_ufunc__(np.add, "no_such_method", x), "numpy.add.no_such_method"),
    ):
        with pytest.raises(TypeError, match=name):
            call()


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, divmod]  # fmt: skip


@pytest.mark.parametrize("op", BINARY)
def test_host_arrays_are_refused_in_both_orders(op):
    x = cp.asarray(X)
    for mix in (lambda: op(x, X), lambda: op(X, x)):
        with pytest.raises(HostArrayError, match=r"numpy.*asarray"):
            mix()
    for mix in (lambda: np.add(x, X), lambda: cp.add(X, x), lambda: cp.add(x, x, out=X)):
        with pytest.raises(HostArrayError):
            mix()
    host = X.copy()
    with pytest.raises(TypeError):
        host += x
    with pytest.raises(TypeError):
        x += X
    same(x, X)


def test_the_error_names_both_operands():
    with pytest.raises(HostArrayError) as caught:
        cp.ones((2, 3), "f4") + X
    text = str(caught.value)
    assert "add" in text
    assert "numpy.ndarray of shape (2, 3)" in text
    assert "gpuarray array" in text
    assert "asarray" in text
    assert "asnumpy" in text


@pytest.mark.parametrize(
    "op",
    slow_except(
        [op for op in BINARY if op.__name__ not in ("ne", "lt", "le", "ge", "mod")], BINARY
    ),
)
def test_numpys_scalars_mix(op):
    x = cp.asarray(X.astype("f4"))
    for scalar in (np.float32(2), np.float64(2), np.int8(2), 2, 2.0, True):
        expected = op(X.astype("f4"), scalar), op(scalar, X.astype("f4"))
        for actual, wanted in zip((op(x, scalar), op(scalar, x)), expected, strict=True):
            if op is divmod:
                for one, other in zip(actual, wanted, strict=True):
                    same(one, other)
            elif op is operator.pow:
                np.testing.assert_allclose(actual.get(), wanted, rtol=3e-7)
                assert actual.dtype == wanted.dtype
            else:
                same(actual, wanted)


def test_foreign_operands_have_their_say():
    class Foreign:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

    assert cp.ones(2) + Foreign() == "mine"
    with pytest.raises(TypeError):
        cp.ones(2) + "a"
    with pytest.raises(TypeError):
        cp.ones(2) + None
    assert (cp.ones(2) == Foreign()) is False


def test_namespace_is_explicit():
    for name in cp.__all__:
        assert getattr(cp, name) is not None or name == "newaxis"
    assert cp.float32 is np.float32
    assert cp.bool_ is np.bool_
    assert cp.pi == np.pi
    assert cp.newaxis is None
    for name in ("empty", "array", "where", "clip", "roll", "take", "sum"):
        assert "Parameters" in getattr(cp, name).__doc__


def test_datatype_routines():
    x = cp.ones(2, "f4")
    assert cp.result_type(x, 1.5) == np.float32
    assert cp.result_type(x, "f8") == np.float64
    assert cp.can_cast(x, "f8")
    assert cp.common_type(x, cp.ones(1, int)) is np.float64
    assert cp.min_scalar_type(x) == np.float32
    assert cp.min_scalar_type(-1) == np.int8
    assert cp.isrealobj(x)
    assert not cp.isscalar(x)
    assert cp.finfo(cp.float32).eps == np.finfo("f4").eps


class Duck:
    """An array of another library, which answers calls of NumPy's functions itself."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return f"{ufunc.__name__}.{method}"

    def __array_function__(self, function, types, args, kwargs):
        return function.__name__


@pytest.mark.parametrize(
    "call",
    [
        lambda x, d: x + d, lambda x, d: x == d, lambda x, d: x < d, lambda x, d: divmod(x, d), lambda x, d: np.add(x, d),
        lambda x, d: np.add(d, x), lambda x, d: np.add.outer(x, d), lambda x, d: np.concatenate([x, d]),
        lambda x, d: np.concatenate([d, x]), lambda x, d: np.where(x > 1, x, d), lambda x, d: np.add(x, 1, out=d),
    ],
)  # fmt: skip
def test_arrays_of_other_libraries_are_asked(call):
    assert call(cp.asarray(X), Duck()) == call(X, Duck())
