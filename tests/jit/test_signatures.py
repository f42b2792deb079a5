"""What decorators keep of a function: its name, documentation and parameters, also as types."""

from __future__ import annotations

import inspect
import os
import pydoc
import subprocess
import sys
from pathlib import Path

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


# Each line with "#:" has an error or a revealed type with the text behind it; no other line has.
TYPES = """\
from __future__ import annotations
import gpuarray as cp
from gpuarray import jit

@jit.rawkernel
def axpy(a: float, x: cp.ndarray, y: cp.ndarray) -> None:
    i = jit.grid(1)
    if i < x.size:
        y[i] += square(a) * x[i]

@jit.rawkernel(device=True)
def square(x: float) -> float:
    return x * x

@jit.rawkernel(mode="cuda")
def store(x: cp.ndarray) -> None:
    x[jit.threadIdx.x] = jit.laneid()

@jit.rawkernel(mode="C++")  #: No overload variant
def misspelt(x: cp.ndarray) -> None:
    pass

@cp.vectorize
def difference(a: float, b: float) -> float:
    return a - b

@cp.vectorize(otypes="f")
def half(x: float) -> float:
    return x / 2

def launch(x: cp.ndarray) -> None:
    axpy[1, 32](2.0, x, x)
    axpy(1, 32, (2.0, x, x), shared_mem=64)
    axpy[1, 32](2.0, x)  #: Missing positional argument "y"
    axpy[1, 32](2.0, "x", x)  #: incompatible type "str"; expected "ndarray"
    store[1, 32](x, x)  #: Too many arguments
    square("x")  #: incompatible type "str"; expected "float"
    reveal_type(axpy[1, 32])  #: [a: float, x: gpuarray._ndarray.ndarray, y: gpuarray._ndarray.ndarray]
    reveal_type(square)  #: def (x: float) -> float
    reveal_type(difference)  #: vectorize[[a: float, b: float]]
    reveal_type(half)  #: vectorize[[x: float]]
    difference(x, x)
    half(x)
    half(3.0)
"""  # fmt: skip


def test_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(TYPES)
    source = Path(cp.__file__).parents[1]
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--check-untyped-defs", "--warn-unreachable",
         "--follow-imports=silent", "program.py"],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": str(source)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    messages: dict[int, str] = {}
    for line in result.stdout.splitlines():
        if line.startswith("program.py:"):
            number = int(line.split(":")[1])
            messages[number] = messages.get(number, "") + line
    wanted = {
        i: line.partition("#: ")[2] for i, line in enumerate(TYPES.splitlines(), 1) if "#: " in line
    }
    assert set(messages) == set(wanted), result.stdout + result.stderr
    for number, text in wanted.items():
        assert text in messages[number]
