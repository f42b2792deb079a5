"""Keyword arguments that NumPy takes and programs rarely pass, and the warnings of casts."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_alike, same
from tests.slow import slow_except

INTS = np.array([1, 2, 3], "i1")
COMPLEX = np.array([1 + 2j, 3])

# ---- ufuncs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("signature", ["dd->d", "ff->f", ("f4", "f4", "f4"), (None, None, "f8"),
                                       (None, None, None), (np.float32,) * 3])  # fmt: skip
def test_signature(signature):
    x = cp.asarray(INTS)
    same(cp.add(x, 1, signature=signature), np.add(INTS, 1, signature=signature))
    same(cp.add(x, x, sig=signature), np.add(INTS, INTS, sig=signature))
    out = cp.zeros(3)
    assert cp.add(x, x, out=out, signature=signature) is out
    same(out, np.add(INTS, INTS, out=np.zeros(3), signature=signature))


@pytest.mark.parametrize(
    "keywords",
    [
        {"signature": "d->d"},
        {"signature": "dd"},
        {"signature": ""},
        {"signature": ()},
        {"signature": ("d", "d")},
        {"signature": ("d",)},
        {"signature": "d"},
        {"signature": 1},
        {"signature": "ff->d"},
        {"signature": "dd->d", "dtype": "d"},
        {"signature": "dd->d", "sig": "dd->d"},
        {"subok": 1},
        {"subok": "a"},
        {"order": "x"},
        {"order": 1},
        {"casting": "x"},
        {"unknown": 1},
    ],
    ids=str,
)
def test_arguments_that_a_ufunc_refuses(keywords):
    x = cp.asarray(INTS)
    raises_alike(lambda: np.add(INTS, INTS, **keywords), lambda: cp.add(x, x, **keywords))
    if "order" in keywords:
        out = cp.empty(3, "i1")
        raises_alike(
            lambda: np.add(INTS, 1, out=INTS.copy(), **keywords),
            lambda: cp.add(x, 1, out=out, **keywords),
        )


def test_subok():
    for subok in (True, False):
        same(cp.add(cp.asarray(INTS), 1, subok=subok), INTS + np.int8(1))
        same(np.sqrt(cp.asarray(INTS), subok=subok), np.sqrt(INTS))


@pytest.mark.parametrize("name", ["add", "divmod", "sqrt", "logical_and"])
def test_pickles_of_ufuncs(name):
    function = getattr(cp, name)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(function, protocol)) is function
    assert copy.copy(function) is copy.deepcopy(function) is function


@pytest.mark.parametrize("dtype", slow_except(["?", "f4"], ["?", "i1", "u8", "f4", "c8"]))
def test_powers_by_numbers(dtype):
    """NumPy squares where the exponent is the Python integer 2: bools to int8."""
    host = np.array([0, 1, 1]).astype(dtype)
    x = cp.asarray(host)
    for exponent in (2, 3, 2, True, 0.5, np.int8(2), 2j):
        same(x**exponent, host**exponent, ulps=4)
        same(cp.power(x, exponent), np.power(host, exponent), ulps=4)
        same(exponent**x, exponent**host, ulps=4)


# ---- memory orders -----------------------------------------------------------------------------

ORDERED = {
    "zeros": lambda xp, x, order: xp.zeros((2, 3), order=order),
    "ones": lambda xp, x, order: xp.ones((2, 3), order=order),
    "full": lambda xp, x, order: xp.full((2, 3), 1, order=order),
    "eye": lambda xp, x, order: xp.eye(3, order=order),
    "zeros_like": lambda xp, x, order: xp.zeros_like(x, order=order),
    "full_like": lambda xp, x, order: xp.full_like(x, 3, order=order),
    "array": lambda xp, x, order: xp.array(x, order=order),
    "array of a list": lambda xp, x, order: xp.array([[1, 2], [3, 4]], order=order),
    "asarray": lambda xp, x, order: xp.asarray(x, order=order),
    "copy": lambda xp, x, order: xp.copy(x, order=order),
    "astype": lambda xp, x, order: x.astype("f4", order=order),
    "reshape": lambda xp, x, order: xp.reshape(x, (2, 3), order=order),
    "ndarray.reshape": lambda xp, x, order: x.reshape(2, 3, order=order),
    "ravel": lambda xp, x, order: xp.ravel(x, order=order),
    "flatten": lambda xp, x, order: x.flatten(order=order),
    "add": lambda xp, x, order: xp.add(x, 1, order=order),
}


@pytest.mark.parametrize("name", ORDERED)
def test_memory_orders(name):
    host = np.arange(6.0).reshape(2, 3).T
    x = cp.asarray(host)
    for order in ("c", "f", "a", "k", "C", "F", "A", "K", None, "x", "", "CF", 1):
        try:
            expected = ORDERED[name](np, host, order)
        except (TypeError, ValueError):
            raises_alike(
                lambda o=order: ORDERED[name](np, host, o), lambda o=order: ORDERED[name](cp, x, o)
            )
            continue
        result = ORDERED[name](cp, x, order)
        same(result, expected, context=order)
        assert result.strides == expected.strides, order


# ---- shapes of values and outputs --------------------------------------------------------------


def test_outputs_that_are_wider():
    x, host = cp.asarray(INTS), INTS
    for limits in ((1, 2), (1, None), (None, 2)):
        same(cp.clip(x, *limits, out=cp.zeros((2, 3), "i1")),
             np.clip(host, *limits, out=np.zeros((2, 3), "i1")))  # fmt: skip
    raises_alike(lambda: np.clip(host, 1, 2, out=np.zeros(2, "i1")),
                 lambda: cp.clip(x, 1, 2, out=cp.zeros(2, "i1")))  # fmt: skip


def test_leading_lengths_of_one_are_dropped():
    values = [[[1, 2, 3]]]
    same(cp.full(3, values), np.full(3, values))
    same(cp.full((2, 3), values), np.full((2, 3), values))
    for where in (True, [True, False, True], [[True], [False]]):
        host, x = np.zeros((2, 3)), cp.zeros((2, 3))
        np.copyto(host, np.array(values), where=where)
        cp.copyto(x, cp.array(values), where=where)
        same(x, host)
    raises_alike(lambda: np.full(3, [[1], [2]]), lambda: cp.full(3, [[1], [2]]))
    raises_alike(lambda: np.copyto(np.zeros(3), np.ones((2, 3)), where=np.ones(3, bool)),
                 lambda: cp.copyto(cp.zeros(3), cp.ones((2, 3)), where=cp.ones(3, bool)))  # fmt: skip


def test_ranges():
    host, x = np.arange(5.0), cp.arange(5.0)
    same(x[range(1, 4)], host[range(1, 4)])
    same(x[range(0)], host[range(0)])
    same(cp.take(x, range(2)), np.take(host, range(2)))
    x[range(2)] = 7
    x[2:] = range(3)
    host[range(2)] = 7
    host[2:] = range(3)
    same(x, host)
    same(cp.full(3, range(3)), np.full(3, range(3)))


@pytest.mark.parametrize(
    "call",
    [
        lambda like: np.ones(3, like=like),
        lambda like: np.zeros((2, 3), "i4", like=like),
        lambda like: np.full(3, 2, like=like),
        lambda like: np.eye(3, k=1, like=like),
        lambda like: np.identity(3, like=like),
        lambda like: np.arange(3, like=like),
        lambda like: np.array([1, 2], like=like),
        lambda like: np.asarray([1, 2], like=like),
        lambda like: np.linspace(like, 5.0, 3),
    ],
)
def test_like(call):
    result = call(cp.ones(2))
    assert isinstance(result, cp.ndarray)
    same(result, call(np.ones(2)))


@pytest.mark.parametrize("shape, axis", [((0,), None), ((0, 3), 0), ((3, 0), 1), ((0, 3), None)])
@pytest.mark.parametrize("dtype", ["f8", "i4"])
@pytest.mark.filterwarnings("ignore:Mean of empty slice:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_quantiles_of_nothing(shape, axis, dtype):
    for name, q in (("nanquantile", 0.5), ("nanquantile", [0.1, 0.2]), ("nanpercentile", 50)):
        for keepdims in (False, True):
            same(getattr(cp, name)(cp.zeros(shape, dtype), q, axis, keepdims=keepdims),
                 getattr(np, name)(np.zeros(shape, dtype), q, axis, keepdims=keepdims))  # fmt: skip


def test_deviations_in_integers():
    host = np.array([[1, 5, 9], [2, 2, 8]])
    for dtype in ("i4", "u1"):
        for values in (host, host.astype("f4")):
            x = cp.asarray(values)
            same(cp.std(x, dtype=dtype), np.std(values, dtype=dtype))
            same(cp.var(x, axis=1, dtype=dtype), np.var(values, axis=1, dtype=dtype))
            raises_alike(
                lambda v=values, d=dtype: np.std(v, 1, d), lambda x=x, d=dtype: cp.std(x, 1, d)
            )
            raises_alike(
                lambda v=values, d=dtype: np.std(v, out=np.zeros((), d)),
                lambda x=x, d=dtype: cp.std(x, out=cp.zeros((), d)),
            )


# ---- casts of complex numbers ------------------------------------------------------------------

LOSSY = {
    "astype": lambda xp, c: c.astype(float),
    "array": lambda xp, c: xp.array(c, dtype="i4"),
    "assignment": lambda xp, c: xp.zeros(2).__setitem__(slice(None), c),
    "by indices": lambda xp, c: xp.zeros(2).__setitem__([0, 1], c),
    "by a mask": lambda xp, c: xp.zeros(2).__setitem__(xp.array([True, True]), c),
    "copyto": lambda xp, c: xp.copyto(xp.zeros(2), c, casting="unsafe"),
    "out": lambda xp, c: xp.add(c, 1, out=xp.zeros(2), casting="unsafe"),
    "dtype": lambda xp, c: xp.add(c, 1, dtype="f8", casting="unsafe"),
    "clip": lambda xp, c: xp.clip(c, 1, 2, out=xp.zeros(2), casting="unsafe"),
    "sum": lambda xp, c: xp.sum(c, dtype="f8"),
    "max": lambda xp, c: xp.max(c, out=xp.zeros(())),
    "cumsum": lambda xp, c: xp.cumsum(c, out=xp.zeros(2)),
    "concatenate": lambda xp, c: xp.concatenate([c], dtype="f8", casting="unsafe"),
    "full": lambda xp, c: xp.full(2, c, dtype="f8"),
}
LOSSLESS = {
    "bool": lambda xp, c: c.astype(bool),
    "complex64": lambda xp, c: c.astype("c8"),
    "var": lambda xp, c: xp.var(c),
    "absolute": lambda xp, c: xp.abs(c),
    "any": lambda xp, c: xp.any(c),
}


@pytest.mark.parametrize("name", [*LOSSY, *LOSSLESS])
def test_complex_warning(name):
    call = (LOSSY | LOSSLESS)[name]
    with warnings.catch_warnings(record=True) as theirs:
        warnings.simplefilter("always")
        expected = call(np, COMPLEX)
    for _ in range(2):  # a kept plan warns as well
        with warnings.catch_warnings(record=True) as ours:
            warnings.simplefilter("always")
            result = call(cp, cp.asarray(COMPLEX))
        assert {x.category for x in ours} == {x.category for x in theirs}
        assert len(ours) == (name in LOSSY)
        assert {x.filename for x in ours} <= {__file__}
        if expected is not None:
            same(result, expected)


def test_an_array_is_no_dtype():
    """NumPy refuses its own arrays; anything else with an attribute ``dtype`` stands for that."""
    for call in (
        lambda xp: xp.zeros(3, xp.ones(2)),
        lambda xp: xp.ones(3).astype(xp.ones(2)),
        lambda xp: xp.ones(3).astype(xp.asarray(1)),
        lambda xp: xp.ones(3).sum(dtype=xp.ones(2)),
    ):
        raises_alike(lambda c=call: c(np), lambda c=call: c(cp))


def test_no_integers_to_a_negative_power():
    same(cp.zeros(0, int) ** -1, np.zeros(0, int) ** -1)
    raises_alike(lambda: np.zeros(1, int) ** -1, lambda: cp.zeros(1, int) ** -1)
