"""NumPy as the oracle: the Python function itself, called with NumPy's scalars."""

from __future__ import annotations

import itertools
import linecache

import numpy as np

import gpuarray as cp
from gpuarray import jit

_numbers = itertools.count()


def function_of(text: str, **outside):
    """A function from its source, which kernels can be translated from."""
    name = f"<jit test {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"cp": cp, "np": np, "jit": jit, "__name__": __name__, **outside}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


def kernel_of(expression: str, count: int):
    """A kernel that computes an expression of a, b, ... for every element."""
    names = "abcd"[:count]
    arrays = "".join(f"x{name}, " for name in names)
    lines = [f"def f({arrays}out):", "    i = jit.grid(1)", "    if i < out.size:"]
    lines += [f"        {name} = x{name}[i]" for name in names]
    lines.append(f"        out[i] = {expression}")
    return jit.rawkernel(function_of("\n".join(lines) + "\n"))


def elementwise(function, *arrays):
    """What a Python function gives for every element, as an array of its own dtype."""
    with np.errstate(all="ignore"):
        found = [function(*items) for items in zip(*arrays, strict=True)]
    return np.array(found)


def compare(actual, expected, rtol=0.0):
    """Equal dtype and values."""
    assert actual.dtype == expected.dtype, (actual.dtype, expected.dtype)
    if rtol:
        np.testing.assert_allclose(cp.asnumpy(actual), expected, rtol=rtol)
    else:
        np.testing.assert_array_equal(cp.asnumpy(actual), expected)
