"""What a kernel cannot have: errors name file, line, expression and remedy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import jit
from gpuarray.errors import UnsupportedDTypeError
from tests.jit.oracle import function_of

STATEMENTS = [
    ("s = np.float32(0)\n    s = x[0]", TypeError, "the variable s is float32 above, but the value here is float64"),
    ("s = x[0]\n    s = 1j", TypeError, "the variable s is float64 above, but the value here is complex"),
    ("s = True\n    s = 1", TypeError, "the variable s is bool above"),
    ("s = x\n    s = x[0]", TypeError, "the variable s is array.* above and float64 here; use two names"),
    ("s = np.float32\n    s = 1", TypeError, "use two names"),
    ("for i in range(2):\n        if i > 0: x[0] = late\n        late = i", NameError, "'late' is read before a line above"),
    ("if x[0] > 0: v = 1.0\n    x[0] = v", NameError, r"'v' may have no value here: it is assigned in one branch only \(line 2\)"),
    ("if x[0] > 0:\n        x[1] = 0\n    else:\n        v = 1.0\n    x[0] = v", NameError, r"'v' may have no value .*\(line 5\)"),
    ("if x[0] > 0: v = 1.0\n    elif x[0] < 0: v = 2.0\n    x[0] = v", NameError, r"'v' .*\(line 2 and 3\)"),
    ("if x[0] > 0: v = 1.0\n    else: x[0] = v", NameError, r"'v' may have no value"),
    ("if x[0] > 0: v = 1.0\n    v += 1", NameError, r"'v' may have no value"),
    ("for i in range(3):\n        if x[i] > 0: v = 1.0\n        x[i] = v", NameError, "'v' may have no"),
    ("for i in range(3):\n        if x[i] > 0: v = 1.0\n    x[0] = v", NameError, "'v' may have no value"),
    ("if x[0] > 0:\n        if x[1] > 0: v = 1.0\n    else: v = 2.0\n    x[0] = v", NameError, "'v' may have"),
    ("x[0] = missing", NameError, "name 'missing' is not defined"),
    ("x[0] = x", TypeError, "a number is needed here, not array.*index it to get an element"),
    ("x[0.5] = 1", TypeError, "an index is an integer, not the float 0.5"),
    ("x[0, 1] = 1", IndexError, "too many indices: .* is 1-dimensional, but 2 were indexed"),
    ("x[1:] = 1", NotImplementedError, "a slice; loop over the elements"),
    ("x[0] = 1j", TypeError, "cannot be stored in float64: its imaginary part would be lost"),
    ("x += 1", TypeError, "x is array.*change its elements"),
    ("x.y = 1", NotImplementedError, "assigns to variables and elements"),
    ("x.sum()", AttributeError, "an array has no methods; loop over its elements"),
    ("x[0] = x.T", AttributeError, "an array has shape, size"),
    ("x[0] = x[0].imaginary", AttributeError, "no 'imaginary'"),
    ("x[0] = jit.threadIdx.w", AttributeError, "jit.threadIdx has x, y and z, but no 'w'"),
    ("x[0] = cp.sum(x)", NotImplementedError, "sum cannot be called in a kernel"),
    ("x[0] = plain(1)", NotImplementedError, r"decorate it with gpuarray.jit.rawkernel\(device=True\)"),
    ("x[0] = kernel(1)", TypeError, "is a kernel, which a kernel cannot call"),
    ("x[0] = recursive(3)", RecursionError, "recursive calls itself"),
    ("x[0] = sometimes(x[0])", TypeError, "may end without a return"),
    ("x[0] = mixed(x[0])", TypeError, "returns float64 in one place and float32 in another"),
    ("x[0] = nothing()", TypeError, "a number is needed here, not None"),
    ("recursive(1, 2)", TypeError, r"recursive\(\) takes 1 arguments, not 2"),
    ("x[0] = outer_array[0]", TypeError, "outer_array is an array from outside of the function; pass it"),
    ("return 1", TypeError, "a kernel returns nothing; store results in an array"),
    ("with x: pass", NotImplementedError, "a kernel cannot have with"),
    ("try:\n        pass\n    except ValueError: pass", NotImplementedError, "a kernel has no exceptions"),
    ("raise ValueError", NotImplementedError, "use assert, or store a flag"),
    ("import os", NotImplementedError, "import outside of it"),
    ("def g(): pass", NotImplementedError, "define it outside"),
    ("y = [1, 2]", NotImplementedError, "a list; use a tuple"),
    ("y = [i for i in range(2)]", NotImplementedError, "a list"),
    ("y = {}", NotImplementedError, "a dict; use arrays"),
    ("y = lambda: 1", NotImplementedError, "a lambda"),
    ("for i in x: pass", NotImplementedError, r"for goes over range\(\) or jit.range\(\)"),
    ("for i in range(2): pass\n    else: pass", NotImplementedError, "loops have no else"),
    ("for i in range(0, 5, 0): pass", ValueError, "arg 3 must not be zero"),
    ("for i in range(0.5): pass", TypeError, "range.. takes integers"),
    ("for i in jit.range(4, unroll=-1): pass", ValueError, "unroll is a positive number"),
    ("x[0] = x[0] @ x[0]", NotImplementedError, "multiplies matrices by loops"),
    ("x[0] = x[0] << 1", TypeError, "ufunc 'left_shift' not supported|could not be|no loop"),
    ("x[0] = np.int32(2) ** -1", ValueError, "Integers to negative integer powers"),
    ("x[0] = n[0] ** -2", ValueError, "Integers to negative integer powers"),
    ("x[0] = n[0] + 2**40", OverflowError, "out of bounds for int32"),
    ("x[0] = 1 // 0", ZeroDivisionError, "division"),
    ("a, b = 1, 2, 3", ValueError, "2 names are given 3 values"),
    ("a, b = x[0]", TypeError, "a tuple is needed here"),
    ("s = jit.shared_memory(np.float32, n[0])", TypeError, "has to be known when it is translated"),
    ("s = jit.shared_memory(np.float32, 0)", ValueError, "a positive int"),
    ("s = jit.shared_memory('U3', 4)", TypeError, "not supported on the device"),
    ("s = jit.shared_memory(np.float32, 4)\n    s[5] = 1", IndexError, "index 5 is out of bounds for axis 0 with size 4"),
    ("jit.atomic_and(x, 0, 1)", TypeError, "no form for float64; it has for int32, int64"),
    ("jit.atomic_add(n, 0, 1.5)", TypeError, "cannot convert"),
    ("jit.atomic_add(1, 0, 1)", TypeError, "changes an element of an array"),
    ("jit.grid(4)", ValueError, "1, 2 or 3 dimensions, not 4"),
    ("x[0] = jit.shfl_sync(1.5, x[0], 0)", TypeError, "the mask is an integer"),
    ("x[0] = np.exp(x[0], dtype='f')", NotImplementedError, "takes no dtype="),
    ("x[0] = np.exp(x[0], x[0])", TypeError, "exp takes 1 numbers, not 2"),
    ("x[0] = (1, 2)[n[0]]", TypeError, "has to be known"),
    ("x[0] = jit.laneid(1)", TypeError, r"laneid\(\) takes 0 arguments, not 1"),
    ("x[0] = open('file')", NotImplementedError, "open cannot be called in a kernel"),
    ("x[0] = jit.cg.this_grid()", AttributeError, "gpuarray.jit has no cg .cooperative groups.: use"),
]  # fmt: skip


def plain(x):
    return x


@jit.rawkernel
def kernel(x):
    pass


@jit.rawkernel(device=True)
def recursive(n):
    return n * recursive(n - 1) if n else 1


@jit.rawkernel(device=True)
def sometimes(x):
    if x > 0:
        return 1.0


@jit.rawkernel(device=True)
def mixed(x):
    if x > 0:
        return x
    return np.float32(1)


@jit.rawkernel(device=True)
def nothing():
    pass


@pytest.mark.parametrize(("text", "kind", "message"), STATEMENTS, ids=[x[0] for x in STATEMENTS])
def test_refusals(text, kind, message):
    function = function_of(
        f"def f(x, n):\n    {text}\n", plain=plain, kernel=kernel, recursive=recursive,
        sometimes=sometimes, mixed=mixed, nothing=nothing, outer_array=cp.zeros(3),
    )  # fmt: skip
    with pytest.raises(kind, match=message) as caught:
        jit.rawkernel(function)[1, 1](cp.zeros(3), cp.zeros(3, "i4"))
    assert type(caught.value) in (kind, UnsupportedDTypeError)
    first, _, rest = str(caught.value).partition("\n")
    assert first.startswith("<jit test ") or "test_errors.py:" in first
    assert ", in " in first
    assert rest


def test_the_very_line_is_named():
    @jit.rawkernel
    def f(x):
        i = jit.grid(1)
        x[i] = (
            x[i] +
            wrong  # noqa: F821
        )  # fmt: skip

    line = f.__wrapped__.__code__.co_firstlineno + 5
    with pytest.raises(NameError, match=rf"test_errors.py:{line}, in f: wrong\nname 'wrong' is"):
        f[1, 1](cp.zeros(3))


def test_signatures():
    for text in ("def f(*x): pass", "def f(**x): pass", "def f(*, x): pass"):
        with pytest.raises(NotImplementedError, match="which a kernel cannot have; name each"):
            jit.rawkernel(function_of(text + "\n"))[1, 1](cp.zeros(1))
    with pytest.raises(TypeError, match="rawkernel takes a function, not 3"):
        jit.rawkernel(3)
    with pytest.raises(TypeError, match="kernels are translated from functions written in Python"):
        jit.rawkernel(len)[1, 1](cp.zeros(1))


def test_outside_of_kernels():
    with pytest.raises(RuntimeError, match="jit.syncthreads runs in kernels only"):
        jit.syncthreads()
    with pytest.raises(RuntimeError, match="jit.threadIdx.x exists in kernels only"):
        _ = jit.threadIdx.x
    with pytest.raises(AttributeError, match="has x, y and z, but no 'w'"):
        _ = jit.threadIdx.w
    assert not hasattr(jit, "cub")
    assert "barrier" not in dir(jit)
    assert jit.warpsize == 32
    assert "Wait for all threads" in jit.syncthreads.__doc__
    for name in jit.__all__:
        assert getattr(jit, name) is not None


def test_a_source_that_cannot_be_read():
    scope = {"jit": jit}
    exec("@jit.rawkernel\ndef f(x):\n    x[0] = 1\n", scope)
    with pytest.raises(
        OSError, match="the source of f cannot be read .*define the function in a file"
    ):
        scope["f"][1, 1](cp.zeros(1))
    text = (
        "import gpuarray as cp\nfrom gpuarray import jit\n"
        "@jit.rawkernel\ndef f(x):\n    x[0] = 1\nf[1, 1](cp.zeros(1))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False
    )
    if sys.version_info < (3, 13):
        assert "OSError: jit: the source of f cannot be read" in result.stderr
