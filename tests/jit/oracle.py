"""NumPy as the oracle: the Python function itself, called with NumPy's scalars."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Mapping, Sequence

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
    return kernel_of_all([expression], count)


def kernel_of_all(expressions: Sequence[str], count: int, **outside):
    """A kernel that computes expressions of a, b, ... for every element, each into an array."""
    names = "abcd"[:count]
    arrays = [f"x{name}" for name in names] + [f"out{k}" for k in range(len(expressions))]
    lines = [f"def f({', '.join(arrays)}):", "    i = jit.grid(1)", "    if i < out0.size:"]
    lines += [f"        {name} = x{name}[i]" for name in names]
    lines += [f"        out{k}[i] = {expression}" for k, expression in enumerate(expressions)]
    return jit.rawkernel(function_of("\n".join(lines) + "\n", **outside))


def check_all(wanted: Mapping[str, np.ndarray], *operands, rtol=0.0, **outside):
    """Compare what a kernel gives for expressions of the operands with the arrays that they are.

    To compile one kernel takes much less time than to compile one for each.
    """
    results = [cp.empty(len(operands[0]), expected.dtype) for expected in wanted.values()]
    kernel = kernel_of_all([*wanted], len(operands), **outside)
    kernel[1, len(operands[0])](*map(cp.asarray, operands), *results)
    for (expression, expected), result in zip(wanted.items(), results, strict=True):
        compare(result, expected, rtol, expression)


def elementwise(function, *arrays):
    """What a Python function gives for every element, as an array of its own dtype."""
    with np.errstate(all="ignore"):
        found = [function(*items) for items in zip(*arrays, strict=True)]
    return np.array(found)


def compare(actual, expected, rtol=0.0, context=""):
    """Equal dtype and values."""
    assert actual.dtype == expected.dtype, (context, actual.dtype, expected.dtype)
    if rtol:
        np.testing.assert_allclose(cp.asnumpy(actual), expected, rtol=rtol, err_msg=context)
    else:
        np.testing.assert_array_equal(cp.asnumpy(actual), expected, context)
