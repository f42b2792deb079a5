"""From a Python function to its syntax tree, and errors that point into it."""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import types
from typing import Any


class FunctionSource:
    """A Python function as the translator sees it.

    Attributes
    ----------
    name : str
        Its name; ``lambda_function`` for a lambda.
    file : str
        The Python file.
    parameters : list of str
        The names of its parameters.
    body : list of ast.stmt
        Its statements; of a lambda, one ``return``.
    """

    def __init__(self, function: Any):
        if not isinstance(function, types.FunctionType):
            raise TypeError(
                f"jit: {function!r} is a {type(function).__name__}; kernels are translated from "
                "functions written in Python with def"
            )
        self.function = function
        code = function.__code__
        self.name = function.__name__ if function.__name__ != "<lambda>" else "lambda_function"
        self.file = code.co_filename
        linecache.checkcache(self.file)
        self.lines = linecache.getlines(self.file, function.__globals__)
        if not self.lines:
            raise OSError(
                f"jit: the source of {self.name} cannot be read ({self.file}), and kernels are "
                "translated from it: define the function in a file or a notebook cell, not at "
                "the interpreter's prompt, with exec() or python -c"
            )
        node = _find(_parse("".join(self.lines), self.file), code)
        if node is None:
            raise OSError(
                f"jit: {self.name} is not in line {code.co_firstlineno} of {self.file}; if the "
                "file has changed since it was imported, import it again"
            )
        self.node = node
        arguments = node.args
        for kind, found in (
            ("*args", arguments.vararg),
            ("**kwargs", arguments.kwarg),
            ("keyword-only parameters", arguments.kwonlyargs),
        ):
            if found:
                raise self.error(
                    NotImplementedError,
                    found[0] if isinstance(found, list) else found,
                    f"{self.name} has {kind}, which a kernel cannot have; name each parameter",
                )
        self.parameters = [x.arg for x in [*arguments.posonlyargs, *arguments.args]]
        if isinstance(node, ast.Lambda):
            value = ast.Return(value=node.body)
            self.body: list[ast.stmt] = [ast.copy_location(value, node.body)]
        else:
            self.body = node.body
        self._closure = dict(zip(code.co_freevars, function.__closure__ or ()))

    def lookup(self, name: str) -> Any:
        """The value of a name from outside of the function."""
        if name in self._closure:
            try:
                return self._closure[name].cell_contents
            except ValueError:
                raise NameError(f"{name} has no value yet where {self.name} is defined") from None
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(
            f"name {name!r} is not defined: it is no parameter, is not assigned before, and no "
            f"global of {self.function.__module__}"
        )

    def lines_of_assignments(self, name: str) -> list[int]:
        """The numbers of the lines that assign to a variable."""
        found = {
            node.lineno
            for statement in self.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        }
        return sorted(found)

    def text(self, node: ast.AST) -> str:
        """The source of a node, on one line."""
        found = ast.get_source_segment("".join(self.lines), node)
        if found is None:
            found = ast.unparse(node)
        text = " ".join(found.split())
        return text if len(text) <= 100 else f"{text[:97]}..."

    def error(self, kind: type[Exception], node: ast.AST | None, message: str) -> Exception:
        """An exception that names file, line, function and expression."""
        where = node if node is not None else self.node
        line = getattr(where, "lineno", self.node.lineno)
        quoted = f": {self.text(where)!s}" if node is not None else ""
        found = kind(f"{self.file}:{line}, in {self.name}{quoted}\n{message}")
        found.located = True  # type: ignore[attr-defined]
        return found


@functools.lru_cache(64)
def _parse(text: str, file: str) -> ast.Module:
    return ast.parse(text, file)


def _find(tree: ast.Module, code: types.CodeType) -> ast.FunctionDef | ast.Lambda | None:
    """The definition that a code object was compiled from."""
    lambdas: list[ast.Lambda] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *[x.lineno for x in node.decorator_list]])
            if first == code.co_firstlineno:
                return node
        elif isinstance(node, ast.Lambda) and code.co_name == "<lambda>":
            names = [x.arg for x in [*node.args.posonlyargs, *node.args.args]]
            if node.lineno == code.co_firstlineno and names == list(
                code.co_varnames[: code.co_argcount]
            ):
                lambdas.append(node)
    if len(lambdas) > 1:  # several in a line: by the columns of their instructions
        positions = [(x[0], x[2]) for x in code.co_positions() if x[0] and x[2]]
        lambdas = [
            x
            for x in lambdas
            if all(
                (x.lineno, x.col_offset) <= position <= (x.end_lineno, x.end_col_offset)
                for position in positions
            )
        ]
    return lambdas[0] if len(lambdas) == 1 else None
