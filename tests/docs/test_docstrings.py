"""``help`` of everything public tells what a call needs: this counts the gaps.

A docstring begins with a sentence. Of a function or a method, and of a class, it names each
parameter of the signature with its type; it says what is returned, and what is raised where the
function itself raises; and it has an example (tests/docs/test_examples.py runs them).

A method needs no example of its own where that of its class calls it, and functions that belong
together (`TOGETHER`) none where their module has one.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import gpuarray as cp
from tests.docs import public

#: Where the example of the module is that of its functions: functions by CUDA's names, whose
#: documentation is CUDA's; functions of kernels; the same functions of series in six bases.
TOGETHER = (
    *[
        f"gpuarray.cuda.{name}."
        for name in (
            "cub", "cublas", "cufft", "curand", "cusolver", "cusparse", "driver", "nccl", "nvrtc",
            "nvtx", "profiler", "runtime", "texture", "thrust",
        )
    ],
    *[
        f"gpuarray.polynomial.{name}."
        for name in ("chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial")
    ],
    "gpuarray.polynomial.polyutils.",
    "gpuarray.fft.config.",
    "gpuarray.jit.",
)  # fmt: skip

#: What other rooms of the package call, and users need not.
INTERNAL = {
    f"gpuarray.cuda.{name}"
    for name in (
        "BaseMemory.check", "BaseMemory.copied_by", "BaseMemory.expose", "BaseMemory.used_by",
        "Device.when_reset", "MemoryPool.allocate", "MemoryPool.arena", "Stream.all_plans",
        "Stream.borrowed_class", "Stream.drop_plans", "Stream.keep_plan", "Stream.older_plan",
        "Stream.use_plans", "UnownedMemory.allocated_on", "memory.PooledMemory",
        "memory.PooledMemory.expose", "memory.PooledMemory.free",
        "memory.PooledMemory.used_by", "memory.SingleDeviceMemoryPool.allocate",
        "texture.SurfaceObject.used_by", "texture.SurfaceObject.argument",
    )
} | {"gpuarray.ufunc", "gpuarray.typing.NDArray"}  # fmt: skip

#: What is Python's: exceptions have its signature, and test cases unittest's.
PYTHONS = ("gpuarray.errors.", "gpuarray.testing.NumpyAlias")


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by their titles; what comes first has an empty one."""
    parts = re.split(r"(?m)^([A-Z][\w ]+)\n-{3,}$", text)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


def named(section: str) -> dict[str, str]:
    """The parameters that a section names, with their types."""
    found = {}
    for line in re.findall(r"(?m)^[\w*].*$", section):
        names, _, kind = line.partition(" : ")
        for name in names.split(","):
            found[name.strip().lstrip("*").strip("`")] = kind.strip()
    return found


@functools.cache
def _functions_of(path: str) -> dict[int, Any]:
    """The functions of a file by the lines where they begin."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    return {
        min([node.lineno, *[x.lineno for x in node.decorator_list]]): node for node in found
    }  # fmt: skip


def source_of(thing: Any) -> Any:
    """The syntax tree of a function, None of what is none."""
    code = getattr(inspect.unwrap(thing), "__code__", None)
    if code is None or "gpuarray" not in code.co_filename:
        return None
    return _functions_of(code.co_filename).get(code.co_firstlineno)


def raises(node: Any) -> bool:
    """Whether a function has a statement of its own that raises an error of the caller's."""
    inner = [x for x in ast.walk(node) if isinstance(x, ast.FunctionDef) and x is not node]
    hidden = {id(x) for function in inner for x in ast.walk(function)}
    return any(
        isinstance(x, ast.Raise) and x.exc is not None and id(x) not in hidden
        for x in ast.walk(node)
    )


def gaps(found: public.Found) -> Iterator[str]:
    """What a docstring lacks."""
    thing = found.thing
    if isinstance(thing, staticmethod | classmethod):
        thing = thing.__func__
    if isinstance(thing, property):
        if not _summary(thing.__doc__ or ""):
            yield "a sentence"
        return
    if found.name == "gpuarray.cuda.Device.attribute_numbers":  # a table for `Device.attributes`
        return
    text = inspect.getdoc(thing) or ""
    if not _summary(text):
        yield "a sentence"
        return
    if not callable(thing) or found.name in INTERNAL:
        return
    parts = sections(text)
    parameters = _parameters(thing, found.owner is not None)
    told = {
        **(named(parts.get("Attributes", "")) if inspect.isclass(thing) else {}),
        **named(parts.get("Parameters", "")),
        **named(parts.get("Other Parameters", "")),
    }
    for name in parameters:
        if name not in told:
            yield f"the parameter {name}"
        elif not told[name] and "Parameters" in parts and name not in ("args", "kwargs"):
            yield f"the type of {name}"
    node = None if inspect.isclass(thing) else source_of(thing)
    nothing = (
        node is not None and isinstance(node.returns, ast.Constant) and node.returns.value is None
    )
    if not inspect.isclass(thing) and not nothing and not {"Returns", "Yields"} & set(parts):
        yield "what it returns"
    if node is not None and raises(node) and "Raises" not in parts:
        yield "what it raises"
    if ">>>" not in text and not _example_elsewhere(found):
        yield "an example"


def _summary(text: str) -> bool:
    return bool(re.search(r"\w.*[.:?]\s*(\n|$)", text))


def _parameters(thing: Any, method: bool) -> list[str]:
    """The names of parameters, but for the object, private ones, and what is handed on."""
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return []
    if method and parameters and parameters[0].name in ("self", "cls", "array", "a", "x"):
        parameters = parameters[1:]
    return [
        x.name
        for x in parameters
        if not x.name.startswith("_") and x.name not in ("self", "cls", "args", "kwargs", "kw")
    ]


def _example_elsewhere(found: public.Found) -> bool:
    name = found.name.rpartition(".")[2]
    if name.endswith(("_preprocess", "_postprocess")):  # users write them: their classes show it
        return True
    if found.name.startswith(TOGETHER):
        path = found.name if found.owner is None else found.name.rpartition(".")[0]
        module = importlib.import_module(path.rpartition(".")[0])
        if ">>>" in (module.__doc__ or ""):
            return True
    if found.owner is not None:
        owners = [inspect.getdoc(x) or "" for x in _derived(found.owner)]
        return any(re.search(rf">>>.*\.{name}\b|\.\.\. .*\.{name}\b", text) for text in owners)
    return False


@functools.cache
def _derived(owner: type) -> list[type]:
    """A public class, and the public ones that inherit from it."""
    return [x.thing for x in CLASSES if issubclass(x.thing, owner)]


CLASSES = public.classes()
THINGS = [
    x
    for x in [*public.things(), *public.members()]
    if not x.name.startswith(PYTHONS)
    and not (inspect.isclass(x.thing) and issubclass(x.thing, BaseException))
]


def test_docstrings_have_no_gaps():
    lacking = [f"{x.name} lacks {gap}" for x in THINGS for gap in gaps(x)]
    assert not lacking, f"{len(lacking)} gaps:\n" + "\n".join(lacking)


def test_everything_public_was_looked_at():
    assert len(THINGS) > 1500
    names = {x.name for x in THINGS}
    assert {"gpuarray.sum", "gpuarray.ndarray.sort", "gpuarray.cuda.MemoryPool.malloc"} <= names


RIGHT = """Add one.

Parameters
----------
x : int
    The number.

Returns
-------
int
    One more.

Examples
--------
>>> add(1)
2
"""


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        (RIGHT, []),
        ("", ["a sentence"]),
        ("Add one.", ["the parameter x", "what it returns", "an example"]),
        (RIGHT.replace("x : int", "x"), ["the type of x"]),
        (RIGHT.replace("x : int", "y : int"), ["the parameter x"]),
        (RIGHT.replace(">>> ", ""), ["an example"]),
        (RIGHT.replace("Returns\n-------", "Gives\n-----"), ["what it returns"]),
    ],
)
def test_gaps_are_found(text, lacking):
    def add(x):
        return x + 1

    add.__doc__ = text
    assert list(gaps(public.Found("gpuarray.add", add))) == lacking


def test_functions_that_raise_say_what():
    lacking = public.Found("gpuarray.compress", cp.compress)
    assert list(gaps(lacking)) == []
    said = cp.compress.__doc__
    try:
        cp.compress.__doc__ = inspect.getdoc(cp.compress).replace("Raises\n---", "Throws\n---")
        assert list(gaps(lacking)) == ["what it raises"]
    finally:
        cp.compress.__doc__ = said
