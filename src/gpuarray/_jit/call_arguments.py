"""The arguments of calls in kernels."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gpuarray._jit.translation import Translation
from gpuarray._jit.values import PythonConstant, Term, bare

#: Translates a call of one function.
CallTranslator = Callable[[Translation, ast.Call], Term]


def arguments(
    t: Translation, node: ast.Call, called: str, *names: str, **defaults: Any
) -> list[Any]:
    """The arguments of a call in the order of a signature; given defaults are Python objects."""
    order = [*names, *defaults]
    if len(node.args) > len(order):
        raise TypeError(f"{called}() takes {len(order)} arguments, not {len(node.args)}")
    given: dict[str, Term] = dict(zip(order, t.terms(node.args)))
    for keyword in node.keywords:
        name = str(keyword.arg)
        if name not in order:
            raise TypeError(f"{called}() got an unexpected keyword argument {name!r}")
        if name in given:
            raise TypeError(f"{called}() got multiple values for argument {name!r}")
        given[name] = t.expression(keyword.value)
    missing = [name for name in names if name not in given]
    if missing:
        raise TypeError(f"{called}() misses the argument {missing[0]!r}")
    return [given[name] if name in given else PythonConstant(defaults[name]) for name in order]


def argument_text(t: Translation, x: Term, dtype: str) -> str:
    """An argument as C++ of a dtype."""
    return bare(t.math.value(x, dtype).text)
