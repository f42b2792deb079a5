"""Signatures as `help` shows them: NumPy's names and defaults, without annotations."""

from __future__ import annotations

import functools
import inspect
import pydoc
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import gpuarray as cp


def _public(module: Any) -> dict[str, Any]:
    """What a module offers of our own, by its names."""
    found = {name: getattr(module, name) for name in module.__all__ if not name.startswith("_")}
    return {
        name: value
        for name, value in found.items()
        if getattr(value, "__module__", "").startswith("gpuarray.") or isinstance(value, cp.ufunc)
    }


MODULES = (
    cp, cp.cuda, cp.cuda.compiler, cp.cuda.device, cp.cuda.memory, cp.cuda.pinned_memory,
    cp.cuda.runtime, cp.cuda.stream, cp.debug, cp.jit, cp.linalg,
)  # fmt: skip
OURS = _public(cp)
OURS |= {f"linalg.{name}": x for name, x in _public(cp.linalg).items()}
FUNCTIONS = sorted(name for name, x in OURS.items() if isinstance(x, FunctionType | cp.ufunc))


def _of_numpy(name: str) -> Any:
    """What NumPy has under a name, or None."""
    return functools.reduce(lambda one, part: getattr(one, part, None), name.split("."), np)


#: NumPy's parameters without a meaning here: no other library is asked to make an array (`like`),
#: there are no subclasses, and `dtype` says what `signature` says.
NOT_HERE = {"like", "ndmax", "subok", "signature"}

#: Parameters that NumPy's functions have had since version 2.5.
NEW_IN_2_5 = {"descending"}

#: Functions with other defaults since then.
NEW_DEFAULTS_IN_2_5 = {"fromstring"}

#: Parameters that NumPy's functions lack; the names are CuPy's.
CUPY = {"blocking"}

#: Why the names or the defaults are others than NumPy's.
DIFFERENT = {
    "arange": "NumPy calls the first `start_or_stop`, and takes it by position only",
    "array": "the first is `obj`, as CuPy calls it",
    "array2string": "the options are handed on to NumPy's function",
    "astype": "that of the method, with `order` and `casting`",
    "clip": "the limits are called `min` and `max` first, as in the array API standard",
    "seterr": "decompositions that fail are `linalg`, as CuPy calls it",
}


def _plain(function: Any) -> None:
    """Nothing is annotated: an annotation would be shown as a quoted string."""
    text = str(inspect.signature(function))
    for part in ("Any", ": ", "->"):
        assert part not in text, (function, text)
    # Since Python 3.13 a long one has a line for each parameter.
    shown = pydoc.render_doc(function, renderer=pydoc.plaintext)
    assert "".join(text.split()) in "".join(shown.split())


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_plain_signatures(module):
    for value in _public(module).values():
        if isinstance(value, type):
            if not issubclass(value, Exception):  # Python's have no signature
                assert ": " not in str(inspect.signature(value)), value
            for name in dir(value):
                member = getattr(value, name)
                if isinstance(member, FunctionType) and (name[0] != "_" or value is cp.ndarray):
                    _plain(member)
        elif isinstance(value, FunctionType | cp.ufunc):
            _plain(value)


def test_fused_functions_keep_their_signature():
    def scaled(x, factor=2.0, *, offset=0):
        """Scale."""
        return x * factor + offset

    fused = cp.fuse(scaled)
    assert inspect.signature(fused) == inspect.signature(scaled)
    text = pydoc.render_doc(fused, renderer=pydoc.plaintext)
    assert "scaled(x, factor=2.0, *, offset=0)\n    Scale." in text


def _names_and_defaults(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {x.name: x.default for x in parameters if x.name not in NOT_HERE | CUPY}


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="the signatures are those of NumPy 2.4"
)
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if callable(_of_numpy(name))])
def test_names_and_defaults_are_those_of_numpy(name):
    if name in NEW_DEFAULTS_IN_2_5 and np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        pytest.skip("the default is that of NumPy 2.4")
    try:
        theirs = _names_and_defaults(_of_numpy(name))
    except ValueError:
        pytest.skip("NumPy's has no signature")
    mine = _names_and_defaults(OURS[name])
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":  # has parameters that 2.4 lacks
        theirs = {x: default for x, default in theirs.items() if x in mine}
    else:
        mine = {x: default for x, default in mine.items() if x not in NEW_IN_2_5}
    # What NumPy keeps from arrays of other libraries by <no value> has a value here.
    same = list(mine) == list(theirs) and all(
        mine[x] == theirs[x] or (repr(theirs[x]) == "<no value>" and mine[x] in (False, True, None))
        for x in mine
        if mine[x] is not theirs[x]
    )
    assert same != (name in DIFFERENT), (mine, theirs)
