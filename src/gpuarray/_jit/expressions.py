"""Expressions of Python as C++."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _dtypes
from gpuarray._jit import intrinsics
from gpuarray._jit.operations import Arithmetic, as_items
from gpuarray._jit.source import FunctionSource
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    READS,
    Array,
    Constant,
    Items,
    Number,
    Shared,
    Term,
    Value,
    bare,
    describe,
    is_number,
    is_simple,
)

if TYPE_CHECKING:
    from gpuarray._jit.program import Program

BINARY = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
}
_UNARY = {ast.USub: "negative", ast.UAdd: "positive", ast.Invert: "invert"}
_COMPARE = {
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}
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


class Expressions:
    """The translation of a function's expressions; statements are the subclass's.

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

    def truth(self, node: ast.expr) -> Value | Constant:
        """Translate a condition; a constant where it is known."""
        if isinstance(node, ast.BoolOp):
            return self._conditions(node)
        found = self.expression(node)
        if isinstance(found, Constant):
            return Constant(bool(found.value))
        if isinstance(found, Items):
            return Constant(bool(found.items))
        try:
            return self.math.truth(found)
        except TypeError as error:
            raise self._located(error, node) from None

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

    # ---- names and literals ---------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Term:
        if node.value is Ellipsis or isinstance(node.value, bytes):
            raise NotImplementedError("a kernel has no such object; it has numbers and arrays")
        return Constant(node.value)

    def _name(self, node: ast.Name) -> Term:
        found = self.local(node.id)
        if found is not None:
            return found
        if self.is_local(node.id):
            raise NameError(
                f"{node.id!r} is read before a line above assigns to it; give it a value first "
                "(outside of the loop, if it is assigned in one)"
            )
        return self.outside(self.source.lookup(node.id), node.id)

    def outside(self, value: Any, name: str) -> Term:
        """An object from outside of the function."""
        if isinstance(value, _array.ArrayBase | np.ndarray):
            raise TypeError(
                f"{name} is an array from outside of the function; pass it as an argument"
            )
        return Constant(value)

    def _tuple(self, node: ast.Tuple) -> Term:
        return Items(self.terms(node.elts))  # type: ignore[arg-type]

    # ---- attributes and indices -----------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Term:
        base = self.expression(node.value)
        name = node.attr
        if isinstance(base, Constant):
            value = base.value
            if isinstance(value, intrinsics.Dim3):
                if name not in ("x", "y", "z"):
                    raise AttributeError(f"jit.{value.__name__} has x, y and z, but no {name!r}")
                if self.program.elements:
                    raise TypeError(
                        f"jit.{value.__name__} is for threads, but vectorize applies a function "
                        "to elements; write a kernel with gpuarray.jit.rawkernel"
                    )
                return Value(Number("u4"), f"{value.__name__}.{name}", PURE, True)
            if is_number(value) and name in ("real", "imag"):
                return Constant(getattr(value, name))
            return self.outside(getattr(value, name), f"{ast.unparse(node)}")
        if isinstance(base, Value):
            if isinstance(base.type, Number):
                return self.part(base, name)
            return self.array_attribute(base, name)
        raise AttributeError(f"{describe(base)} has no attribute {name!r} in a kernel")

    def part(self, base: Value, name: str) -> Term:
        assert isinstance(base.type, Number)
        if name == "dtype":
            return Constant(_dtypes.dtype_of(base.type.dtype))
        if name not in ("real", "imag"):
            raise AttributeError(
                f"a number has real, imag, dtype and the methods astype and conjugate in a "
                f"kernel, but no {name!r}"
            )
        if base.type.kind != "c":
            return base if name == "real" else Constant(_dtypes.dtype_of(base.type.dtype).type(0))
        part = Number("f4" if base.type.dtype == "c8" else "f8", base.type.weak)
        return Value(part, f"{self.math.operand(base)}.{name}", base.effect)

    def array_attribute(self, base: Value, name: str) -> Term:
        array = base.type
        assert isinstance(array, Array | Shared)
        if name == "dtype":
            return Constant(_dtypes.dtype_of(array.dtype))
        if name == "ndim":
            return Constant(array.ndim)
        if name == "itemsize":
            return Constant(_dtypes.itemsize(array.dtype))
        if isinstance(array, Shared):
            if name in ("shape", "size"):
                if array.shape is None:
                    raise AttributeError(
                        f"dynamic shared memory has no {name}: the launch says how much there "
                        "is; pass the number as an argument"
                    )
                size = 1
                for length in array.shape:
                    size *= length
                return Constant(array.shape if name == "shape" else size)
        else:
            whole = Number("i8", True)
            if name == "size":
                return Value(whole, f"{base.text}.size()", PURE, True)
            if name in ("shape", "strides"):
                return Items(
                    [
                        Value(whole, f"{base.text}.{name}({i})", PURE, True)
                        for i in range(array.ndim)
                    ]
                )
        raise AttributeError(
            f"an array has shape, size, ndim, strides, dtype and itemsize in a kernel, but no "
            f"{name!r}"
        )

    def _subscript(self, node: ast.Subscript) -> Term:
        base = self.expression(node.value)
        if isinstance(base, Value) and isinstance(base.type, Array | Shared):
            return self.element(base, node.slice)
        items = as_items(base)
        index = self.expression(node.slice)
        if not isinstance(index, Constant) or type(index.value) is not int:
            raise TypeError(
                "the index into a tuple has to be known when the kernel is translated; use an "
                "array for indices that are computed"
            )
        return items[index.value]

    def element(
        self, base: Value, index: ast.expr | Term, store: bool = False, twice: bool = False
    ) -> Value:
        """An element of an array, or the part that is left when not all dimensions are indexed.

        Parameters
        ----------
        base : Value
            The array.
        index : ast.expr or Term
            The index.
        store : bool
            As what can be assigned to.
        twice : bool
            The text will be used twice: indices that take work are computed before.
        """
        array = base.type
        assert isinstance(array, Array | Shared)
        if isinstance(index, ast.Tuple):
            found = self.terms(index.elts)
        else:
            found = [self.expression(index) if isinstance(index, ast.expr) else index]
        indices: list[Term] = [
            item for x in found for item in (x.items if isinstance(x, Items) else [x])
        ]
        if len(indices) == 1 and isinstance(indices[0], Constant):
            value = indices[0].value
            if isinstance(value, tuple):
                indices = [Constant(item) for item in value]
        if len(indices) > array.ndim:
            raise IndexError(
                f"too many indices: {describe(base)} is {array.ndim}-dimensional, but "
                f"{len(indices)} were indexed"
            )
        if twice:
            indices = [
                self.hoist(x) if isinstance(x, Value) and not is_simple(x.text) else x
                for x in indices
            ]
        texts = [self._place(base, axis, x) for axis, x in enumerate(indices)]
        effect = max([READS, *[x.effect for x in indices if isinstance(x, Value)]])
        if len(indices) < array.ndim:
            if isinstance(array, Shared):
                raise IndexError(
                    f"{describe(base)} needs {array.ndim} indices, but {len(indices)} were given"
                )
            part = Array(array.dtype, array.ndim - len(indices), array.contiguous, array.narrow)
            return Value(part, f"{base.text}.part({', '.join(texts)})", effect)
        text = f"{base.text}({', '.join(texts)})"
        self.math.cpp(array.dtype)
        self.effect = max(self.effect, CHANGES if store else READS)
        if store:
            self.written.add(base.text)
        if array.dtype == "b1" and not store:
            text = f"({text} != 0)"
        return Value(Number(array.dtype), text, effect)

    def _place(self, base: Value, axis: int, x: Term) -> str:
        """An index; a negative constant counts from the end."""
        if isinstance(x, Constant) and isinstance(x.value, int | np.integer):
            index = int(x.value)
            shape = getattr(base.type, "shape", None)
            if shape is not None and not -shape[axis] <= index < shape[axis]:
                raise IndexError(
                    f"index {index} is out of bounds for axis {axis} with size {shape[axis]}"
                )
            if index >= 0:
                return str(index)
            if shape is not None:
                return str(shape[axis] + index)
            if isinstance(base.type, Shared):
                raise IndexError("dynamic shared memory has no end to count from")
            return f"{base.text}.shape({axis}) - {-index}"
        if isinstance(x, Constant) and x.value in (None, Ellipsis):
            raise NotImplementedError(f"{x.value} as an index; a kernel takes elements by integers")
        return bare(self.math.index(x).text)

    # ---- operators ------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Term:
        name = BINARY.get(type(node.op))
        if name is None:
            raise NotImplementedError(
                "a kernel multiplies matrices by loops; @ is not available in it"
            )
        left, right = self.terms([node.left, node.right])
        if name == "add" and _is_tuple(left) and _is_tuple(right):
            return Items([*as_items(left), *as_items(right)])
        return self.math.apply(name, [left, right], python=True)

    def _unaryop(self, node: ast.UnaryOp) -> Term:
        if isinstance(node.op, ast.Not):
            found = self.truth(node.operand)
            if isinstance(found, Constant):
                return Constant(not found.value)
            return Value(Number("b1"), f"!{self.math.operand(found)}", found.effect)
        return self.math.apply(_UNARY[type(node.op)], [self.expression(node.operand)], python=True)

    def _compare(self, node: ast.Compare) -> Term:
        found = self.terms([node.left, *node.comparators])
        for i, x in enumerate(found[1:-1], 1):  # compared twice, computed once
            if isinstance(x, Value) and x.effect == CHANGES:
                found[i] = self.hoist(x)
        results = [self._compared(sign, found[i], found[i + 1]) for i, sign in enumerate(node.ops)]
        return self._all(results)

    def _compared(self, sign: ast.cmpop, left: Term, right: Term) -> Value | Constant:
        if type(sign) in _COMPARE:
            name = _COMPARE[type(sign)]
            if isinstance(left, Constant) and isinstance(right, Constant):
                if not (is_number(left.value) and is_number(right.value)):
                    if name not in ("equal", "not_equal"):
                        raise TypeError("a kernel orders numbers only")
                    return Constant((left.value == right.value) == (name == "equal"))
            return self.math.apply(name, [left, right], python=True)
        if isinstance(sign, ast.Is | ast.IsNot):
            same = isinstance(left, Constant) and isinstance(right, Constant)
            same = same and left.value is right.value  # type: ignore[union-attr]
            if not (isinstance(right, Constant) and right.value is None):
                raise NotImplementedError("a kernel knows 'is' for None only; compare with ==")
            return Constant(same == isinstance(sign, ast.Is))
        items = as_items(right)
        equal = [self._compared(ast.Eq(), left, x) for x in items]
        inverse = [self._not(x) for x in equal]
        none = self._all(inverse)
        return none if isinstance(sign, ast.NotIn) else self._not(none)

    def _not(self, x: Value | Constant) -> Value | Constant:
        if isinstance(x, Constant):
            return Constant(not x.value)
        return Value(Number("b1"), f"!{self.math.operand(x)}", x.effect)

    def _all(self, parts: Sequence[Value | Constant]) -> Value | Constant:
        """Whether all of several conditions hold."""
        kept: list[Value] = []
        for x in parts:
            if isinstance(x, Constant):
                if not x.value:
                    return Constant(False)
            else:
                kept.append(x)
        if not kept:
            return Constant(True)
        if len(kept) == 1:
            return kept[0]
        text = " && ".join([self.math.operand(x) for x in kept])
        return Value(Number("b1"), f"({text})", max([x.effect for x in kept]))

    def _boolop(self, node: ast.BoolOp) -> Term:
        """``and`` and ``or`` as values: one of the operands."""
        first = self.expression(node.values[0])
        if len(node.values) == 1:
            return first
        rest: ast.expr = node.values[1]
        if len(node.values) > 2:
            rest = ast.copy_location(ast.BoolOp(op=node.op, values=node.values[1:]), node.values[1])
        conjunction = isinstance(node.op, ast.And)
        if isinstance(first, Constant):
            return self.expression(rest) if bool(first.value) == conjunction else first
        if self.math.number(first).dtype == "b1":
            with self.captured(1) as lines:
                second = self.expression(rest)
            if not lines and isinstance(second, Value) and second.type == Number("b1"):
                sign = "&&" if conjunction else "||"
                a, b = self.math.operand(self.math.value(first)), self.math.operand(second)
                effect = max(self.math.value(first).effect, second.effect)
                return Value(Number("b1"), f"({a} {sign} {b})", effect)
        value = self.math.value(first)
        kept = value if value.simple else self.hoist(value)
        condition = self.math.truth(kept)
        branches: list[Callable[[], Term]] = [lambda: self.expression(rest), lambda: kept]
        return self._either(condition, *(branches if conjunction else branches[::-1]))

    def _conditions(self, node: ast.BoolOp) -> Value | Constant:
        """``and`` and ``or`` where only their truth matters."""
        conjunction = isinstance(node.op, ast.And)
        found: Value | Constant = self.truth(node.values[0])
        for operand in node.values[1:]:
            if isinstance(found, Constant):
                if bool(found.value) != conjunction:
                    return found
                found = self.truth(operand)
                continue
            with self.captured(1) as lines:
                second = self.truth(operand)
            if isinstance(second, Constant):
                # What comes before is still computed, for what it does.
                if bool(second.value) == conjunction:
                    continue
                if found.effect != CHANGES:
                    return second
                second = Value(Number("b1"), "true" if second.value else "false", PURE, True)
            a, b = self.math.operand(found), self.math.operand(second)
            if not lines:
                sign = "&&" if conjunction else "||"
                effect = max(found.effect, second.effect)
                found = Value(Number("b1"), f"({a} {sign} {b})", effect)
                continue
            name = self.temporary()
            self.emit(f"bool {name} = {bare(found.text)};")
            self.emit(f"if ({name if conjunction else '!' + name}) {{")
            self.lines += lines
            self.depth += 1
            self.emit(f"{name} = {bare(second.text)};")
            self.depth -= 1
            self.emit("}")
            found = Value(Number("b1"), name, PURE, True)
        return found

    def _ifexp(self, node: ast.IfExp) -> Term:
        condition = self.truth(node.test)
        if isinstance(condition, Constant):
            return self.expression(node.body if condition.value else node.orelse)
        return self._either(
            condition,
            lambda: self.expression(node.body),
            lambda: self.expression(node.orelse),
        )

    def _either(
        self, condition: Value, first: Callable[[], Term], second: Callable[[], Term]
    ) -> Value:
        """The value of one of two branches, of which only that one is evaluated."""
        with self.captured(1) as first_lines:
            a = first()
        with self.captured(1) as second_lines:
            b = second()
        found = self.math.unify([a, b])
        if not first_lines and not second_lines:
            return self._typed(self.math.choose(condition, [a, b]), found)
        name = self.temporary()
        self.emit(f"{found.cpp} {name};")
        self.emit(f"if ({bare(condition.text)}) {{")
        for lines, x in ((first_lines, a), (second_lines, b)):
            if lines is second_lines:
                self.emit("} else {")
            self.lines += lines
            self.depth += 1
            self.emit(f"{name} = {bare(self.math.value(x, found.dtype).text)};")
            self.depth -= 1
        self.emit("}")
        return Value(found, name, PURE, True)

    @staticmethod
    def _typed(x: Value, found: Number) -> Value:
        x.type = found
        return x

    # ---- calls ----------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Term:
        from gpuarray._jit import calls

        if any(isinstance(x, ast.Starred) for x in node.args) or any(
            x.arg is None for x in node.keywords
        ):
            raise NotImplementedError("a kernel calls functions without * and **")
        if isinstance(node.func, ast.Attribute):
            base = self.expression(node.func.value)
            if isinstance(base, Value):
                return calls.method(self, base, node)
        called = self.expression(node.func)
        if not isinstance(called, Constant):
            raise TypeError(f"{describe(called)} cannot be called")
        return calls.call(self, called.value, node)

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


def _is_tuple(x: Term) -> bool:
    return isinstance(x, Items) or (isinstance(x, Constant) and isinstance(x.value, tuple))
