"""What decorators keep of a function: its name, documentation and parameters."""

from __future__ import annotations

import inspect
import pydoc

import pytest

import gpuarray as cp
from gpuarray import jit


def scale(x, factor=2.0):
    """Multiply by a factor."""
    return x * factor


DECORATED = {
    "kernel": jit.rawkernel(scale),
    "kernel of a mode": jit.rawkernel(mode="cuda")(scale),
    "device function": jit.rawkernel(scale, device=True),
    "vectorize": cp.vectorize(scale),
    "vectorize with options": cp.vectorize(otypes="f")(scale),
    "vectorize of a device function": cp.vectorize(jit.rawkernel(scale, device=True)),
}


@pytest.mark.parametrize("decorated", DECORATED.values(), ids=DECORATED)
def test_the_function_is_kept(decorated):
    assert inspect.unwrap(decorated) is scale
    assert inspect.signature(decorated) == inspect.signature(scale)
    assert decorated.__name__ == "scale"
    assert decorated.__qualname__ == "scale"
    assert decorated.__module__ == __name__
    assert inspect.getdoc(decorated) == "Multiply by a factor."


@pytest.mark.parametrize("decorated", DECORATED.values(), ids=DECORATED)
def test_help(decorated):
    text = pydoc.plain(pydoc.render_doc(decorated))
    assert "scale(x, factor=2.0)" in text
    assert "Multiply by a factor." in text


def test_functions_without_a_signature():
    assert repr(cp.vectorize(type)) == "<vectorized type(...)>"
    assert repr(cp.vectorize()) == "<vectorized function>"
    assert cp.vectorize(scale, doc="Mine.").__doc__ == "Mine."
