"""The state of one function's translation, which leads from a syntax node to its translator.

The modules above translate the kinds of nodes by functions of this state. They are found through
tables that :mod:`gpuarray._jit.translator` fills, so that a node translates its children without
an import of what translates them.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray._jit import name_usage
from gpuarray._jit.functions import JitFunction
from gpuarray._jit.identifiers import identifier
from gpuarray._jit.source import FunctionSource
from gpuarray._jit.translation_unit import CodeLine, TranslatedFunction, TranslationUnit
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    NumberType,
    PythonConstant,
    Term,
    TupleTerm,
    Value,
    bare,
    describe,
    leading_name,
)

_UNSUPPORTED = {
    ast.Lambda: "a lambda; write a function with def and @jit.rawkernel(device=True)",
    ast.ListComp: "a list; use arrays, jit.shared_memory, or a loop",
    ast.List: "a list; use a tuple, arrays or jit.shared_memory",
    ast.Dict: "a dict; use arrays",
    ast.Set: "a set; use arrays",
    ast.NamedExpr: "an assignment in an expression; write it as a statement of its own",
    ast.Slice: "a slice; loop over the elements",
    ast.JoinedStr: "an f-string; print() takes several arguments",
    ast.Starred: "a starred expression; write the items one by one",
    ast.With: "with",
    ast.Try: "try; a kernel has no exceptions",
    ast.Raise: "raise; a kernel has no exceptions: use assert, or store a flag",
    ast.FunctionDef: "a function inside of it; define it outside with @jit.rawkernel(device=True)",
    ast.ClassDef: "a class",
    ast.Delete: "del",
    ast.Global: "global; store in an array",
    ast.Nonlocal: "nonlocal; store in an array",
    ast.Import: "import; import outside of it",
    ast.ImportFrom: "import; import outside of it",
    ast.Match: "match; use if and elif",
}

#: What may be called while a kernel is translated, if its arguments are known.
_FOLDABLE = (np.finfo, np.iinfo, np.dtype, np.result_type, np.promote_types)

#: Errors of a translation, which are raised anew with the file and the line.
_ERRORS = (
    TypeError, ValueError, ArithmeticError, LookupError, NameError, NotImplementedError,
    AttributeError, RecursionError,
)  # fmt: skip


class Retranslate(Exception):
    """The type of a variable or result is found too late: translate the function once more."""


class Translators(NamedTuple):
    """The functions that translate each kind of node, and whole functions."""

    expressions: Mapping[type[ast.expr], Callable[[Translation, Any], Term]]
    #: Each returns whether the statements behind it are never reached.
    statements: Mapping[type[ast.stmt], Callable[[Translation, Any], bool | None]]
    function: Callable[[TranslationUnit, JitFunction, tuple[Any, ...]], TranslatedFunction]


class Translation:
    """The translation of one function for given types of its arguments.

    Parameters
    ----------
    unit : TranslationUnit
        The unit that the function becomes a part of.
    source : FunctionSource
        The function.
    types : sequence
        Of its arguments: `NumberType`, `ArrayType`, `SharedArrayType`, `LiteralType`, or a tuple
        of these.
    kernel : bool
        Whether it is launched, or called by other functions.
    translators : Translators
        The functions that translate the nodes.

    Attributes
    ----------
    name : str
        The function's name in C++.
    adopted : dict of str to NumberType
        Types of variables that begin as Python's numbers and meet a dtype later.
    result : NumberType, tuple of NumberType or None
        The type of the results of the return statements so far.
    returns : bool
        Whether there was a return statement.
    variables : dict
        The term that each name stands for at the current statement.
    names : dict of str to str
        The names in C++.
    declarations : list of str
        Of variables whose first value is assigned in a branch or a loop.
    written : set of str
        C++ names of arrays whose elements are assigned to.
    effect : int
        What calling the function does besides computing: `PURE`, `READS` or `CHANGES`.
    lines : list of CodeLine
        The C++ so far.
    assigned : set of str
        Variables that have a value on every way to the current statement.
    partly : set of str
        Variables that got a value in some branches of an ``if`` above, and in others not.
    carried : set of str
        Variables that are read in a loop where only a pass before can have given them a value.
    sources : dict of str to str
        Of variables that are arrays, by C++ names: the array that it is, or is a part of.
    loops : int
        How many loops the current statement is in.
    """

    variables: dict[str, Term]
    names: dict[str, str]
    declarations: list[str]
    written: set[str]
    effect: int
    lines: list[CodeLine]
    assigned: set[str]
    partly: set[str]
    carried: set[str]
    sources: dict[str, str]
    loops: int
    depth: int
    line_number: int
    _temporaries: dict[str, int]

    def __init__(
        self,
        unit: TranslationUnit,
        source: FunctionSource,
        types: Sequence[Any],
        kernel: bool,
        translators: Translators,
    ):
        self.unit = unit
        self.math = unit.math
        self.source = source
        self.types = types
        self.kernel = kernel
        self.translators = translators
        self.name = unit.unique_name(f"jit_{source.name}" if kernel else source.name)
        self.adopted: dict[str, NumberType] = {}
        self.result: NumberType | tuple[NumberType, ...] | None = None
        self.returns = False
        self.assignments = name_usage.count_assignments(source.body)
        self.private_counters = name_usage.private_counters(source.body) - set(source.parameters)
        self.restart()

    def restart(self) -> None:
        """Begin at the function's first line, with the types that are known by now."""
        self.variables = {}
        self.names = {}
        self.declarations = []
        self.written = set()
        self.effect = PURE
        self.lines = []
        self.assigned = set()
        self.partly = set()
        self.carried = set()
        self.sources = {}
        self.loops = 0
        self.depth = 1
        self.line_number = self.source.node.lineno
        self._temporaries = {}

    # ---- lines and names ------------------------------------------------------------------------

    def emit(self, text: str, at: int | None = None) -> None:
        """Add a line of C++."""
        line = CodeLine(text, self.depth, self.line_number)
        self.lines.insert(len(self.lines) if at is None else at, line)

    @contextlib.contextmanager
    def captured(self, deeper: int = 0) -> Iterator[list[CodeLine]]:
        """Keep the lines that are added in a list of their own."""
        before, self.lines = self.lines, []
        self.depth += deeper
        try:
            yield self.lines
        finally:
            self.lines = before
            self.depth -= deeper

    def hoist(self, x: Value, at: int | None = None) -> Value:
        """A value that is computed before the current statement."""
        name = self.temporary()
        self.emit(f"const {x.type.cpp} {name} = {bare(x.text)};", at)
        return Value(x.type, name, PURE, True)

    def temporary(self, stem: str = "t") -> str:
        """A name that the function has not used yet."""
        count = self._temporaries.get(stem, 0)
        self._temporaries[stem] = count + 1
        return f"{stem}{count}"

    def cpp_name(self, name: str) -> str:
        """The C++ name of a variable."""
        found = self.names.get(name)
        if found is None:
            found = identifier(name, self.names.values())
            self.names[name] = found
        return found

    def changes(self) -> None:
        """Note that the function does more than compute."""
        self.effect = CHANGES
        self.unit.speculatable = False

    def writes(self, array: str) -> None:
        """Note that elements of an array, given as C++, are assigned to."""
        name = leading_name(array)
        while name not in self.written:
            self.written.add(name)
            name = self.sources.get(name, name)

    # ---- statements -----------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Translate statements; whether those behind them are never reached."""
        return any(self.statement(node) for node in body)

    def inner_block(self, body: Sequence[ast.stmt]) -> bool:
        """Translate the statements of a branch or a loop."""
        self.depth += 1
        ends = self.block(body)
        self.depth -= 1
        return ends

    def statement(self, node: ast.stmt) -> bool:
        """Translate a statement; whether those behind it are never reached."""
        if _does_nothing(node):
            return False
        translate = self.translators.statements.get(type(node))
        if translate is None:
            raise self._unsupported(node)
        self.line_number = node.lineno
        start = len(self.lines)
        depth = self.depth
        try:
            ends = bool(translate(self, node))
        except _ERRORS as error:
            raise self.located(error, node) from error.__cause__
        if len(self.lines) > start and self.lines[start].depth == depth:
            comment = self.source.lines[node.lineno - 1].strip()
            self.lines[start] = self.lines[start]._replace(comment=comment, number=node.lineno)
        return ends

    # ---- expressions ----------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Term:
        """Translate an expression.

        Raises
        ------
        Exception
            Of a fitting type; the message names the file, the line and the expression.
        """
        translate = self.translators.expressions.get(type(node))
        if translate is None:
            raise self._unsupported(node)
        try:
            return translate(self, node)
        except _ERRORS as error:
            raise self.located(error, node) from error.__cause__

    def terms(self, nodes: Sequence[ast.expr]) -> list[Term]:
        """Translate operands so that their effects happen from the left to the right."""
        found: list[Term] = []
        for node in nodes:
            start = len(self.lines)
            x = self.expression(node)
            if len(self.lines) > start:
                # Lines were emitted for this operand: those before it are computed before them.
                for i, earlier in enumerate(found):
                    if isinstance(earlier, Value) and earlier.effect:
                        found[i] = self.hoist(earlier, start)
                        start += 1
            found.append(x)
        effects = [x.effect for x in found if isinstance(x, Value) and x.effect]
        if len(effects) > 1 and CHANGES in effects:
            found = [self.hoist(x) if isinstance(x, Value) and x.effect else x for x in found]
        return found

    def device_function(self, function: JitFunction, types: tuple[Any, ...]) -> TranslatedFunction:
        """Translate a function that this one calls."""
        return self.unit.device_function(function, types, self.translators.function)

    def known(self, term: Term) -> Any:
        """The Python object of a term that has to be known.

        Raises
        ------
        TypeError
            It is computed by the kernel.
        """
        if isinstance(term, PythonConstant):
            return term.value
        if isinstance(term, TupleTerm):
            return tuple([self.known(x) for x in term.items])
        raise TypeError(
            f"{describe(term)} is computed by the kernel, but has to be known when it is "
            "translated: write a number, or a global or outer variable that is one"
        )

    # ---- errors ---------------------------------------------------------------------------------

    def _unsupported(self, node: ast.AST) -> Exception:
        description = _UNSUPPORTED.get(type(node), type(node).__name__)
        return self.source.error(NotImplementedError, node, f"a kernel cannot have {description}")

    def located(self, error: Exception, node: ast.AST) -> Exception:
        """The error with the file, the line and the expression in its message."""
        if getattr(error, "located", False):
            return error
        kind = type(error)
        # NumPy's own subclasses take other arguments.
        public = next(x for x in kind.__mro__ if x.__module__ in ("builtins", "gpuarray.errors"))
        message = error.args[0] if isinstance(error, KeyError) and error.args else str(error)
        return self.source.error(public, node, str(message))


def _does_nothing(node: ast.stmt) -> bool:
    """Whether a statement is ``pass`` or a docstring."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return isinstance(node.value.value, str)
    return isinstance(node, ast.Pass)


def is_foldable(called: Any) -> bool:
    """Whether a function may be called while the kernel is translated."""
    return any(called is x for x in _FOLDABLE)
