"""Messages name the function that was called, and lists are operands everywhere."""

from __future__ import annotations

import builtins
import inspect
import re
import string
from types import FunctionType

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import HostArrayError

FUNCTIONS = {
    name: value
    for name in cp.__all__
    if isinstance(value := getattr(cp, name), FunctionType | cp.ufunc)
}
METHODS = [
    name
    for name in dir(cp.ndarray)
    if not name.startswith("_") and callable(getattr(cp.ndarray, name))
]
#: What is not about arrays, or writes files.
OTHERS = {"fuse", "get_array_module", "warmup", "tofile", "dump", "dumps"}


@pytest.fixture(autouse=True)
def _away(tmp_path, monkeypatch):
    """Some functions write a file where their first argument is a text."""
    monkeypatch.chdir(tmp_path)


def _names(name, of):
    """The names that a message may have for a function: all that stand for one object."""
    value = getattr(of, name)
    return {x for x in dir(of) if getattr(of, x, None) is value} | {name}


def _calls(function, method):
    """Arguments that a function refuses, each in one place."""
    parameters = list(inspect.signature(function).parameters.values())[method:]
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [x for x in parameters if x.default is x.empty and x.kind in places]
    base = [cp.ones(3) for _ in required]
    for k in range(len(required)):
        for bad in (np.ones(3), "abc", object(), ["a", "b"]):
            yield [*base[:k], bad, *base[k + 1 :]], {}
    if any(x.name == "out" for x in parameters):
        yield base, {"out": np.ones(3)}
        yield base, {"out": "abc"}
    yield base + [cp.ones(3)] * 12, {}
    yield base, {"nonsense": 1}


def _misnamed(called, arguments, keywords, allowed):
    """The message of a call that fails, if it names another function."""
    try:
        called(*arguments, **keywords)
    except Exception as error:  # whatever it is, its message counts
        message = str(error)
    else:
        return None
    found = re.match(r"(?:\w+\.)?(_?[a-z]\w*)(?:\(\)|: )", message)
    known = found and (found[1] in FUNCTIONS or found[1] in METHODS)
    inner = found and "()" in found[0] and not known and not hasattr(builtins, found[1])
    wrong = known and found[1] not in allowed
    return message if wrong or inner or "attribute '_" in message else None


def _beginning_with(initial, names):
    return [name for name in sorted(set(names) - OTHERS) if name[0] == initial]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("initial", string.ascii_lowercase)
def test_functions(initial):
    wrong = {}
    for name in _beginning_with(initial, FUNCTIONS):
        allowed = _names(name, cp)
        if isinstance(FUNCTIONS[name], cp.ufunc):
            allowed.add("__call__")
        for arguments, keywords in _calls(FUNCTIONS[name], False):
            message = _misnamed(FUNCTIONS[name], arguments, keywords, allowed)
            if message is not None:
                wrong[name] = message
    assert not wrong


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("initial", string.ascii_lowercase)
def test_methods(initial):
    wrong = {}
    for name in _beginning_with(initial, METHODS):
        for arguments, keywords in _calls(getattr(cp.ndarray, name), True):
            method = getattr(cp.ones(3), name)
            message = _misnamed(method, arguments, keywords, _names(name, cp.ndarray))
            if message is not None:
                wrong[name] = message
    assert not wrong


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda x: cp.mean(np.ones(3)), "mean"),
        (lambda x: cp.any(np.ones(3)), "any"),
        (lambda x: cp.ptp(np.ones(3)), "ptp"),
        (lambda x: cp.sum(np.ones(3)), "sum"),
        (lambda x: cp.allclose(x, np.ones(3)), "allclose"),
        (lambda x: cp.cumsum(np.ones(3)), "cumsum"),
        (lambda x: cp.clip(x, np.ones(3), 2), "clip"),
        (lambda x: cp.add.reduce(np.ones(3)), "add"),
        (lambda x: x + np.ones(3), "add"),
        (lambda x: np.add(x, object()), "add"),
        (lambda x: np.mean(x, where=np.ones(3, bool)), "mean"),
        (lambda x: x.max(where=np.ones(3, bool)), "max"),
        (lambda x: x.sort(reverse=True), r"ndarray.sort\(\) got an unexpected"),
        (lambda x: x.partition(), r"ndarray.partition\(\) missing"),
        (lambda x: x.get(out=3), "get"),
        (lambda x: cp.asnumpy(x, out=3), "asnumpy"),
        (lambda x: cp.full(3, 1j, "i1"), "full: 1j"),
        (lambda x: cp.full_like(x, 1j), "full_like: 1j"),
        (lambda x: x.fill(1j), "fill: 1j"),
        (lambda x: x.__setitem__(0, 1j), "assignment: 1j"),
        (lambda x: cp.take(x[:0], x), "take: Cannot cast"),
    ],
)  # fmt: skip
def test_the_message_names_what_was_called(call, name):
    with pytest.raises(TypeError, match=rf"^{name}"):
        call(cp.ones(3))


def test_a_function_of_the_users_is_not_named():
    def mean(x):
        return cp.sum(x) / 3

    with pytest.raises(HostArrayError, match="^sum: "):
        mean(np.ones(3))


@pytest.mark.parametrize("made", [list, tuple])
@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: xp.add(x, 1),
        lambda xp, x: xp.ones(3) * x,
        lambda xp, x: x - xp.ones(3),
        lambda xp, x: xp.ones(3) == x,
        lambda xp, x: xp.sum(x),
        lambda xp, x: xp.mean(x),
        lambda xp, x: xp.any(x),
        lambda xp, x: xp.ptp(x),
        lambda xp, x: xp.argmax(x),
        lambda xp, x: xp.where(x, x, 0),
        lambda xp, x: xp.clip(x, 0, 2),
        lambda xp, x: xp.cumsum(x),
        lambda xp, x: xp.sort(x),
        lambda xp, x: xp.median(x),
        lambda xp, x: xp.isclose(x, x),
        lambda xp, x: xp.maximum.outer(x, x),
        lambda xp, x: xp.add.reduce(x, keepdims=True),
        lambda xp, x: xp.concatenate([x, x]),
        lambda xp, x: xp.var(x),
    ],
    ids=range(19),
)
def test_lists_are_operands(call, made):
    x = made([3.0, 1.0, 2.0])
    np.testing.assert_allclose(cp.asnumpy(call(cp, x)), call(np, x))


def test_lists_of_arrays_are_operands():
    rows = [cp.ones(2), cp.zeros(2)]
    assert cp.add(rows, 1).tolist() == [[2, 2], [1, 1]]
    assert cp.sum(rows, axis=0).tolist() == [1, 1]
    assert cp.fuse(lambda x: x + [1, 2])(cp.ones(2)).tolist() == [2, 3]


def test_kernels_take_no_lists():
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x", "same")
    with pytest.raises(HostArrayError, match="same: a list is given for T x"):
        kernel([1, 2])


def test_pythons_round():
    x = cp.asarray(2.567)
    assert round(x) == 3
    assert type(round(x)) is int
    assert isinstance(round(x, 2), cp.ndarray)
    assert round(x, 2).item() == 2.57
    assert round(cp.asarray(1234), -2).item() == 1200
    with pytest.raises(TypeError, match="use gpuarray.round"):
        round(cp.ones(3), 2)
