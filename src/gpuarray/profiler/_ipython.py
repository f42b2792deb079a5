"""The magic ``%gpu_timeit`` of IPython and Jupyter."""

from __future__ import annotations

import ast
import functools
import math
import re
import sys
import textwrap
from collections.abc import Callable
from typing import Any

from gpuarray.profiler._benchmark import benchmark

#: Name, the option's short and long form, and its type.
_OPTIONS = (
    ("n_repeat", "-n", "--n-repeat", int),
    ("n_warmup", "-w", "--n-warmup", int),
    ("max_duration", "", "--max-duration", float),
)


def load_ipython_extension(ipython: Any) -> None:
    """Add the magic ``%gpu_timeit``; IPython calls this for ``%load_ext gpuarray.profiler``.

    The magic times an expression in its line, or the code of a cell after ``%%gpu_timeit``, with
    `benchmark`. Before the code it takes ``-n`` (or ``--n-repeat``), ``-w`` (``--n-warmup``) and
    ``--max-duration``.

    Parameters
    ----------
    ipython : IPython.core.interactiveshell.InteractiveShell
        The shell.

    Examples
    --------
    >>> %load_ext gpuarray.profiler  # doctest: +SKIP
    >>> %gpu_timeit -n 100 cp.arange(1000).sum()  # doctest: +SKIP
    """
    magic = functools.partial(gpu_timeit, ipython)
    magic.__doc__ = gpu_timeit.__doc__  # type: ignore[attr-defined]  # partial objects have one
    ipython.register_magic_function(magic, magic_kind="line_cell", magic_name="gpu_timeit")


def unload_ipython_extension(ipython: Any) -> None:
    """Remove the magic; IPython calls this for ``%unload_ext gpuarray.profiler``.

    Parameters
    ----------
    ipython : IPython.core.interactiveshell.InteractiveShell
        The shell.

    Examples
    --------
    >>> %unload_ext gpuarray.profiler  # doctest: +SKIP
    """
    for kind in ("line", "cell"):
        ipython.magics_manager.magics[kind].pop("gpu_timeit", None)


def gpu_timeit(ipython: Any, line: str, cell: str | None = None) -> None:
    """Time code on the host and on the device.

    %gpu_timeit [-n N_REPEAT] [-w N_WARMUP] [--max-duration SECONDS] expression

    or, as the first line of a cell, %%gpu_timeit with the same options.
    """
    options, rest = _options(line)
    if cell is None:
        source = rest
    elif rest:
        raise ValueError(f"%%gpu_timeit: the code is in the cell, but its line has {rest!r}")
    else:
        source = textwrap.dedent(cell)
    if not source.strip():
        raise ValueError("%gpu_timeit: there is no code to time")
    result = benchmark(_function(source, ipython.user_ns), name="run", **options)
    sys.stdout.write(f"{result}\n")


def _function(source: str, namespace: dict[str, Any]) -> Callable[[], Any]:
    """Code as a function that returns the value of its last line, if that is an expression.

    The value would be dropped else, and the work that it is recorded for never done.
    """
    tree = ast.parse(source, "<gpu_timeit>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    before = compile(tree, "<gpu_timeit>", "exec")
    if not isinstance(last, ast.Expr):
        return lambda: exec(before, namespace)
    value = compile(ast.Expression(last.value), "<gpu_timeit>", "eval")
    if not tree.body:
        return lambda: eval(value, namespace)

    def both() -> Any:
        exec(before, namespace)
        return eval(value, namespace)

    return both


def _options(line: str) -> tuple[dict[str, Any], str]:
    """The options that a line begins with, and the code behind them as it is."""
    found: dict[str, Any] = {"max_duration": math.inf}
    rest = line.strip()
    while rest.startswith("-"):
        match = re.match(r"(--[a-z-]+|-[a-z])(?:\s*=?\s*)(\S+)\s*", rest)
        known = [row for row in _OPTIONS if match is not None and match[1] in row[1:3]]
        if match is None or not known:
            break  # an expression may begin with a minus sign
        name, _, _, type_ = known[0]
        try:
            found[name] = type_(match[2])
        except ValueError:
            raise ValueError(f"%gpu_timeit: {match[1]} takes a number, not {match[2]!r}") from None
        rest = rest[match.end() :]
    return found, rest
