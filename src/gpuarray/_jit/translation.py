"""What the translations of expressions and of statements have in common."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray._jit.operations import Arithmetic
from gpuarray._jit.source import FunctionSource
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    Constant,
    Items,
    Term,
    Value,
    bare,
    describe,
)

if TYPE_CHECKING:
    from gpuarray._jit.program import Program
_REFUSED = {
    ast.Lambda: "a lambda; write a function with def and @jit.rawkernel(device=True)",
    ast.ListComp: "a list; use arrays, jit.shared_memory, or a loop",
    ast.List: "a list; use a tuple, arrays or jit.shared_memory",
    ast.Dict: "a dict; use arrays",
    ast.Set: "a set; use arrays",
    ast.NamedExpr: "an assignment in an expression; write it as a statement of its own",
    ast.Slice: "a slice; loop over the elements",
    ast.JoinedStr: "an f-string; print() takes several arguments",
    ast.Starred: "a starred expression; write the items one by one",
}

#: What may be called while a kernel is translated, if its arguments are known.
_FOLDABLE = (np.finfo, np.iinfo, np.dtype, np.result_type, np.promote_types)

_Lines = list["Line"]


class Line(NamedTuple):
    """A line of C++, and the line of Python that it comes from."""

    text: str
    depth: int
    number: int = 0
    comment: str = ""


class Translation:
    """The translation of one function: its lines of C++, and what finds a node's method.

    Attributes
    ----------
    program : Program
        The kernel with its device functions.
    source : FunctionSource
        The function.
    lines : list of Line
        The C++ so far.
    """

    program: Program
    source: FunctionSource
    math: Arithmetic
    lines: _Lines
    depth: int
    line_number: int
    counts: dict[str, int]
    effect: int
    #: C++ names of arrays whose elements are assigned to.
    written: set[str]
    # ---- what statements provide ----------------------------------------------------------------

    def local(self, name: str) -> Term | None:
        """A variable of the function."""
        raise NotImplementedError

    def is_local(self, name: str) -> bool:
        """Whether the function assigns to a name somewhere."""
        raise NotImplementedError

    # ---- lines ----------------------------------------------------------------------------------

    def emit(self, text: str, at: int | None = None) -> None:
        """Add a line of C++."""
        line = Line(text, self.depth, self.line_number)
        self.lines.insert(len(self.lines) if at is None else at, line)

    @contextlib.contextmanager
    def captured(self, deeper: int = 0) -> Iterator[_Lines]:
        """Keep the lines that are added in a list of their own."""
        before, self.lines = self.lines, []
        self.depth += deeper
        try:
            yield self.lines
        finally:
            self.lines = before
            self.depth -= deeper

    def hoist(self, x: Value, at: int | None = None) -> Value:
        """A value that has been computed before the statement at hand."""
        name = self.temporary()
        self.emit(f"const {x.type.cpp} {name} = {bare(x.text)};", at)
        return Value(x.type, name, PURE, True)

    def temporary(self, stem: str = "t") -> str:
        """A name that the function has not used yet."""
        count = self.counts.get(stem, 0)
        self.counts[stem] = count + 1
        return f"{stem}{count}"

    # ---- expressions ----------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Term:
        """Translate an expression.

        Raises
        ------
        Exception
            Of a fitting type; the message names the file, the line and the expression.
        """
        method: Callable[[Any], Term] | None = getattr(
            self, f"_{type(node).__name__.lower()}", None
        )
        if method is None:
            what = _REFUSED.get(type(node), type(node).__name__)
            raise self.source.error(NotImplementedError, node, f"a kernel cannot have {what}")
        try:
            return method(node)
        except (
            TypeError, ValueError, ArithmeticError, LookupError, NameError, NotImplementedError,
            AttributeError, RecursionError,
        ) as error:  # fmt: skip
            raise self._located(error, node) from error.__cause__

    def _located(self, error: Exception, node: ast.AST) -> Exception:
        if getattr(error, "located", False):
            return error
        kind = type(error)
        # NumPy's own subclasses take other arguments.
        public = next(x for x in kind.__mro__ if x.__module__ in ("builtins", "gpuarray.errors"))
        message = error.args[0] if isinstance(error, KeyError) and error.args else str(error)
        return self.source.error(public, node, str(message))

    def number(self, node: ast.expr, dtype: str | None = None) -> Value:
        """Translate an expression that has to be a number."""
        found = self.expression(node)
        try:
            return self.math.value(found, dtype)
        except (TypeError, OverflowError) as error:
            raise self._located(error, node) from None

    def changes(self) -> None:
        """Note that the function does more than compute."""
        self.effect = CHANGES
        self.program.anywhere = False

    def terms(self, nodes: Sequence[ast.expr]) -> list[Term]:
        """Translate operands so that what they do happens from the left to the right."""
        found: list[Term] = []
        for node in nodes:
            start = len(self.lines)
            x = self.expression(node)
            if len(self.lines) > start:
                # Something of this operand is computed before: so is what stands before it.
                for i, earlier in enumerate(found):
                    if isinstance(earlier, Value) and earlier.effect:
                        found[i] = self.hoist(earlier, start)
                        start += 1
            found.append(x)
        effects = [x.effect for x in found if isinstance(x, Value) and x.effect]
        if len(effects) > 1 and CHANGES in effects:
            found = [self.hoist(x) if isinstance(x, Value) and x.effect else x for x in found]
        return found

    def known(self, term: Term) -> Any:
        """The Python object of a term that has to be known.

        Raises
        ------
        TypeError
            It is computed by the kernel.
        """
        if isinstance(term, Constant):
            return term.value
        if isinstance(term, Items):
            return tuple([self.known(x) for x in term.items])
        raise TypeError(
            f"{describe(term)} is computed by the kernel, but has to be known when it is "
            "translated: write a number, or a global or outer variable that is one"
        )

    @staticmethod
    def foldable(called: Any) -> bool:
        """Whether a function may be called while the kernel is translated."""
        return any(called is x for x in _FOLDABLE)
