"""Calls: a Python function that allocates outputs, fills argument buffers and runs steps.

A step is a launch of a kernel or a call of a C library's function.

Every operation ends in such a function, kept per stream under its operands' layouts, and the
time of a small operation is the time of this function. So its source is written for exactly the
operands at hand (how many, arrays or scalars, outputs new or given), with no loop and no test
that could have been made before; the functions of one signature share their code.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._layout import Layout
from gpuarray._runtime import allocator, launch_history, pool
from gpuarray._runtime.launch import BoundLaunch
from gpuarray._runtime.step_source import step_lines
from gpuarray._runtime.stream import Stream

if TYPE_CHECKING:
    from gpuarray._runtime.library_call import BoundCall


#: What the names of this package's modules begin with.
_PACKAGE = __name__.partition(".")[0] + "."


def make_call(
    stream: Stream,
    inputs: str,
    outputs: Sequence[Layout | None],
    steps: Sequence[tuple[BoundLaunch | BoundCall, Mapping[str, str]]],
    scratch: Sequence[int] = (),
    cleared: bool = False,
    elsewhere: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """A function that runs steps on a stream.

    Parameters
    ----------
    stream : Stream
        Where the steps were bound to.
    inputs : str
        A letter for each input: ``'a'`` for an array, ``'s'`` for a scalar, ``'h'`` for the address
        of memory on the host, which the caller keeps until the work is done.
    outputs : sequence of Layout or None
        The layouts of outputs to allocate; ``None`` for one that the caller passes.
    steps : sequence of (BoundLaunch or BoundCall, passed)
        ``passed`` says by the names of the kernel's parameters, or of the library function's
        pointers, what they get: ``'x0'`` an input, ``'y0'`` an output, ``'t0'`` scratch memory.
    scratch : sequence of int
        Bytes of scratch memory, from the pool and returned to it after the last step.
    cleared : bool, optional
        Whether new outputs are filled with zero bytes first.
    elsewhere : callable, optional
        What is called instead, with the same arguments, where the last array among them is on
        another device than the stream.

    Returns
    -------
    callable
        Takes the inputs, then the given outputs; returns the output, or a tuple of several.
    """
    # A new output has memory of its own, whatever the operand has that it is like.
    outputs = [x if x is None or not x.access else _layout.own(x) for x in outputs]
    signature = (
        inputs,
        "".join(["g" if layout is None else "n" for layout in outputs]),
        tuple([(bound.kind, bound.arguments(passed)) for bound, passed in steps]),
        len(scratch),
        cleared,
        elsewhere is not None,
    )
    values: dict[str, Any] = {
        "stream": stream,
        "new": object.__new__,
        "cls": _array.array_class,
        "Allocation": pool.Allocation,
        "allocate": allocator.allocate,
        "note": launch_history.note,
    }
    for i, layout in enumerate(outputs):
        if layout is not None:
            freed = allocator.fast_bin(layout.nbytes, stream)
            values[f"layout{i}"] = layout
            values[f"nbytes{i}"] = layout.nbytes
            values[f"pop{i}"] = freed.pop
            values[f"push{i}"] = freed.append
            if cleared:
                values["clear"] = driver.memset_d8_async
                values["handle"] = stream.handle
    if elsewhere is not None:
        values["elsewhere"] = elsewhere
    for i, nbytes in enumerate(scratch):
        freed = allocator.fast_bin(nbytes, stream)
        values[f"scratch{i}"] = nbytes
        values[f"scratch_pop{i}"] = freed.pop
        values[f"scratch_push{i}"] = freed.append
    for k, (bound, _) in enumerate(steps):
        for name, value in bound.constants().items():
            values[f"{name}{k}"] = value
    return _factory(signature, tuple(values))(*values.values())


def here_or(
    elsewhere: Callable[..., Any], run: Callable[..., Any], stream: Stream
) -> Callable[..., Any]:
    """A call that goes elsewhere if its last argument is on another device than a stream."""

    def call(*args: Any) -> Any:
        here = args[-1]._memory.device is stream.device
        return run(*args) if here else elsewhere(*args)

    return call


def discards_imaginary(source: np.dtype, target: np.dtype) -> bool:
    """Whether a cast loses imaginary parts, of which NumPy warns."""
    return source.kind == "c" and target.kind not in "cb"


def with_complex_warning(run: Callable[..., Any]) -> Callable[..., Any]:
    """A call that warns that it discards imaginary parts, in the user's line."""

    def call(*args: Any) -> Any:
        level, frame = 2, sys._getframe(1)
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
            level, frame = level + 1, frame.f_back
        warnings.warn(
            "Casting complex values to real discards the imaginary part",
            np.exceptions.ComplexWarning,
            stacklevel=level,
        )
        return run(*args)

    return call


@lru_cache(maxsize=4096)
def _factory(signature: tuple, names: tuple[str, ...]) -> Callable[..., Callable]:
    """The function that closes a call of this signature over its values."""
    source = _source(*signature)
    code = [f"def factory({', '.join(names)}):", *[f"    {line}" for line in source]]
    code.append("    return call")
    scope: dict[str, Any] = {"__name__": __name__}
    exec(compile("\n".join(code), f"<call {signature[0]}->{signature[1]}>", "exec"), scope)
    return scope["factory"]


def _source(
    inputs: str,
    outputs: str,
    steps: tuple[tuple[str, tuple[tuple[str, int], ...]], ...],
    scratch: int,
    cleared: bool,
    elsewhere: bool = False,
) -> list[str]:
    given = [f"y{i}" for i, kind in enumerate(outputs) if kind == "g"]
    arguments = [f"x{i}" for i in range(len(inputs))] + given
    arrays = [f"x{i}" for i, kind in enumerate(inputs) if kind == "a"] + given
    address = {name: _array.address_source(name) for name in arrays}
    address |= {f"x{i}": f"x{i}" for i, kind in enumerate(inputs) if kind == "h"}
    lines = [f"def call({', '.join(arguments)}):"]
    if elsewhere:
        followed, *arrays = arrays[-1], *arrays[:-1]
        source = _array.use_source(followed, f"elsewhere({', '.join(arguments)})")
        lines += [f"    {line}" for line in source]
    for name in arrays:
        lines += [f"    {line}" for line in _array.use_source(name)]
    for i, kind in enumerate(outputs):
        if kind == "n":
            lines += [
                f"    y{i} = new(cls)",
                f"    y{i}._layout = layout{i}",
                "    try:",
                f"        block = pop{i}()",
                f"        y{i}._memory = Allocation(block, push{i}, stream)",
                f"        y{i}._pointer = address{i} = block.pointer",
                "    except IndexError:",
                f"        y{i}._memory, address{i} = allocate(nbytes{i}, stream)",
                f"        y{i}._pointer = address{i}",
            ]
            address[f"y{i}"] = f"address{i}"
            if cleared:
                lines.append(f"    clear(address{i}, 0, nbytes{i}, handle)")
    for i in range(scratch):
        lines += [
            "    try:",
            f"        block = scratch_pop{i}()",
            f"        t{i} = Allocation(block, scratch_push{i}, stream)",
            f"        scratch_address{i} = block.pointer",
            "    except IndexError:",
            f"        t{i}, scratch_address{i} = allocate(scratch{i}, stream)",
        ]
        address[f"t{i}"] = f"scratch_address{i}"
    for k, (kind, names) in enumerate(steps):
        lines += [f"    {line}" for line in _STEPS[kind](k, names, address)]
    results = [f"y{i}" for i in range(len(outputs))]
    lines.append(f"    return {', '.join(results)}")
    return lines


def _launch(k: int, names: Sequence[tuple[str, int]], address: dict[str, str]) -> list[str]:
    """The lines of a kernel's launch."""
    passed = ", ".join([name for name, _ in names])
    extra = f"(words, {passed})" if config.debug else None
    return step_lines(
        k,
        passed,
        ["words", "params", *[f"slot_{name}" for name, _ in names if name not in address]],
        [
            line
            for name, word in names
            for line in (
                [f"words[{word}] = {address[name]}"] if name in address else _scalar(k, name)
            )
        ],
        f"launch{k}(config{k}, function{k}, params, {extra})",
        f"failed{k}(status)",
        f"trace{k}",
    )


def _scalar(k: int, name: str) -> list[str]:
    """The lines that store a scalar argument."""
    return [
        "try:",
        f"    slot_{name}[0] = {name}",
        "except (ValueError, OverflowError):",
        f"    raise overflow{k}({name!r}, {name}) from None",
    ]


def _library_call(
    k: int, names: Sequence[tuple[str, int]], address: dict[str, str], words: bool | None = None
) -> list[str]:
    """The lines of a call of a library's function; its last word is the thread's handle.

    ``words`` is whether the function takes the words as well, as it does to be debugged.
    """
    words = config.debug if words is None else words
    stores = [f"words[{word}] = {address[name]}" for name, word in names]
    return step_lines(
        k,
        ", ".join([name for name, _ in names]),
        ["words", "arguments"],
        [*stores, f"words[{len(names)}] = handles{k}.handle"],
        f"function{k}({'words, ' if words else ''}*arguments)",
        f"failed{k}(status)",
        f"trace{k}",
    )


#: What writes the lines of each kind of step.
_STEPS: dict[str, Callable[..., list[str]]] = {
    "launch": _launch,
    "library call": _library_call,
    "repeated library call": partial(_library_call, words=True),
}
