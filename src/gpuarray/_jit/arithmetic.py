"""Arithmetic on terms: with NumPy's dtypes, as the C++ of the table of operations."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit.values import (
    NumberType,
    PythonConstant,
    Term,
    TupleTerm,
    Value,
    Void,
    bare,
    describe,
    is_number,
    is_simple,
)
from gpuarray._ufunc import operator_table
from gpuarray.kernels.generator import expressions, operations, render
from gpuarray.kernels.generator.expressions import Apply, Input


def _invert(x: Any) -> Any:
    """Python's ``~``; a bool is inverted as the integer that it is, without the deprecated form."""
    return ~int(x) if isinstance(x, bool) else ~x


_COMPARISONS = {x.ufunc: getattr(operator, x.method) for x in operator_table.COMPARISONS}
#: Python's operators, by the names of their ufuncs: for constants.
_FOLDED: dict[str, Callable[..., Any]] = {
    **_COMPARISONS,
    **{x.ufunc: getattr(operator, x.method) for x in operator_table.BINARY if x.symbol},
    **{x.ufunc: getattr(operator, x.method) for x in operator_table.UNARY},
    "invert": _invert,
}

# An infix operator; W is the unsigned type in which integers wrap around.
_INFIX = re.compile(r"(?:in0 (?P<plain>\S+) in1|W\(in0\) (?P<wrapped>\S+) W\(in1\))")
_OPERAND = re.compile(r"\bin([0-9])\b")


class Arithmetic:
    """Operations on terms, for one kernel.

    Parameters
    ----------
    mode : {'numpy', 'cuda'}
        How dtypes promote.
    """

    def __init__(self, mode: str):
        self.mode = mode
        self.headers: set[str] = set()
        #: The C++ of functions for operations that use an operand twice; a dict as ordered set.
        self.functions: dict[str, None] = {}
        #: The integer dtypes that each variable which began as a Python integer is converted to.
        self.conversions: dict[str, set[str]] = {}
        wide = mode == "numpy"
        #: The dtypes of Python's numbers, by kind.
        self.weak = {
            "i": "i8" if wide else "i4", "f": "f8" if wide else "f4", "c": "c16" if wide else "c8",
        }  # fmt: skip

    # ---- types ----------------------------------------------------------------------------------

    def cpp(self, dtype: str) -> str:
        """The C++ type of a dtype, whose header is included from now on."""
        header = _dtypes.info(dtype).header
        if header:
            self.headers.add(header)
        return _dtypes.cpp_name(dtype)

    def number_type(self, x: Term) -> NumberType:
        """The type of a number.

        Raises
        ------
        TypeError
            The term is no number.
        """
        if isinstance(x, Value) and isinstance(x.type, NumberType):
            return x.type
        if isinstance(x, PythonConstant) and is_number(x.value):
            value = x.value
            if isinstance(value, np.generic):
                return NumberType(_dtypes.code(value.dtype))
            if isinstance(value, bool):
                return NumberType("b1")
            kind = "i" if isinstance(value, int) else "f" if isinstance(value, float) else "c"
            code = self.weak[kind]
            if kind == "i" and not -(2**31) <= value < 2**31:
                code = "i8" if value < 2**63 else "u8"
            return NumberType(code, True)
        remedy = (
            "index it to get an element" if isinstance(x, Value) else "only numbers can be used"
        )
        raise TypeError(f"a number is needed here, not {describe(x)}; {remedy}")

    def value(self, x: Term, dtype: str | None = None) -> Value:
        """A number as C++, by default of its own type."""
        if isinstance(x, Value) and dtype is None:
            self.number_type(x)
            return x
        own = self.number_type(x)
        if dtype is not None and isinstance(x, Value):
            return self.cast(x, dtype)
        assert isinstance(x, PythonConstant)
        code = dtype or own.dtype
        return Value(
            NumberType(code, dtype is None and own.weak), self._literal(x.value, code), simple=True
        )

    def _literal(self, value: Any, code: str) -> str:
        dtype = _dtypes.dtype_of(code)
        self.cpp(code)
        if isinstance(value, int) and not isinstance(value, bool):
            if dtype.kind in "iu":
                limits = np.iinfo(dtype)
                if not limits.min <= value <= limits.max:
                    raise OverflowError(
                        f"Python integer {value} out of bounds for {dtype.name}; convert the "
                        "other operand first, or write the constant with a dtype"
                    )
                if dtype.itemsize >= 4 and (value >= 0 or value > limits.min):
                    suffix = ("u" if dtype.kind == "u" else "") + "ll" * (dtype.itemsize == 8)
                    return f"{value}{suffix}" if value >= 0 else f"({value}{suffix})"
        with np.errstate(all="ignore"):
            if isinstance(value, np.generic):
                value = value.astype(dtype)
                if dtype.kind in "iu":
                    return self._literal(int(value), code)
            elif isinstance(value, complex) and dtype.kind != "c":
                value = value.real
            node = expressions.Constant(np.asarray(value).astype(dtype)[()], code)
        return render.literal(node)

    def cast(self, x: Value, dtype: str) -> Value:
        """A number converted as ``astype`` does."""
        given = self.number_type(x)
        source = given.dtype
        if given.weak and x.simple and given.kind in "iu" and dtype[0] in "iu":
            self.conversions.setdefault(x.text, set()).add(dtype)
        if source == dtype:
            return x if not x.type.weak else Value(NumberType(dtype), x.text, x.effect, x.simple)  # type: ignore[union-attr]
        code, header = render.cast_code(self.operand(x), source, dtype)
        if header:
            self.headers.add(header)
        self.cpp(dtype)
        if dtype == "b1":
            code = f"({code})"
        return Value(NumberType(dtype), code, x.effect)

    @staticmethod
    def operand(x: Value) -> str:
        """The text of a value as an operand: in parentheses where it needs them."""
        text = x.text
        if x.simple or is_simple(text) or text.endswith(")"):
            return text
        return f"({text})"

    def store(self, x: Term, dtype: str) -> Value:
        """A number converted to the dtype of an array that it is assigned to, as NumPy does."""
        found = self.number_type(x)
        if found.kind == "c" and dtype[0] != "c":
            raise TypeError(
                f"{describe(x)} cannot be stored in {_dtypes.dtype_of(dtype).name}: its imaginary "
                "part would be lost; use its .real"
            )
        return self.value(x, dtype)

    def truth(self, x: Term) -> Value:
        """Whether a number is not zero."""
        return self.value(x, "b1")

    def index(self, x: Term) -> Value:
        """An integer that is an index."""
        found = self.number_type(x)
        if found.kind not in "iu":
            raise TypeError(
                f"an index is an integer, not {describe(x)}; convert it with int() if it is whole"
            )
        return self.value(x)

    def common_type(self, terms: Sequence[Term]) -> NumberType:
        """The type of an expression that is one of several numbers."""
        types = [self.number_type(x) for x in terms]
        strong = [x for x in types if not x.weak]
        if not strong:
            return max(types, key=lambda x: ("biufc".index(x.kind), x.dtype))
        if len({x.dtype for x in types}) == 1:
            return strong[0]
        kinds = [self._promotion_operand(x) for x in types]
        examples = [k if isinstance(k, np.dtype) else k(1) for k in kinds]
        return NumberType(_dtypes.code(np.result_type(*examples)))

    @staticmethod
    def _promotion_operand(x: NumberType) -> Any:
        """The argument of ``resolve_dtypes`` for a type: a weak one is Python's."""
        if x.weak:
            return {"i": int, "u": int, "f": float, "c": complex}[x.kind]
        return _dtypes.dtype_of(x.dtype)

    # ---- operations -----------------------------------------------------------------------------

    def apply(
        self, name: str, terms: Sequence[Term], *, python: bool = False
    ) -> Value | PythonConstant:
        """The first output of a ufunc of numbers; of Python's own operator with ``python``."""
        found = self.apply_all(name, terms, python=python)
        return found[0]

    def apply_all(
        self, name: str, terms: Sequence[Term], *, python: bool = False
    ) -> list[Value | PythonConstant]:
        """All outputs of a ufunc of numbers."""
        row = operations.operation(name)
        if len(terms) != row.nin:
            raise TypeError(f"{name} takes {row.nin} numbers, not {len(terms)}")
        types = [self.number_type(x) for x in terms]
        if python and all(isinstance(x, PythonConstant) for x in terms) and row.name in _FOLDED:
            with np.errstate(all="ignore"):
                found = _FOLDED[row.name](*[x.value for x in terms])  # type: ignore[union-attr]
            return [PythonConstant(found)]
        if row.name in _COMPARISONS:
            decided = self._decided_comparison(row.name, terms, types)
            if decided is not None:
                return [PythonConstant(decided)]
            # A Python integer that is not a constant is compared in its own dtype.
            types = [
                NumberType(x.dtype) if x.weak and x.kind == "i" and isinstance(term, Value) else x
                for term, x in zip(terms, types)
            ]
        if row.name == "power":
            exponent = terms[1].value if isinstance(terms[1], PythonConstant) else None
            square = types[0].kind in "fc" or (types[0].kind in "iu" and types[1].kind == "i")
            if exponent == 2 and types[1].weak and square:
                return self.apply_all("square", terms[:1], python=python)
            if isinstance(exponent, int) and exponent < 0 and types[0].kind in "iu":
                raise ValueError(
                    "Integers to negative integer powers are not allowed; convert the base with "
                    "float() or a float dtype"
                )
        weak = all(x.weak for x in types)
        loop = self._loop(row, types, weak)
        operands = [self.value(x, _dtypes.code(to)) for x, to in zip(terms, loop)]
        results: list[Value | PythonConstant] = []
        for output in range(row.nout):
            code = _dtypes.code(loop[row.nin + output])
            found_value = self._result(row, operands, code, output, python and weak)
            found_value.type = NumberType(code, python and weak and code != "b1")
            results.append(found_value)
        return results

    def _decided_comparison(
        self, name: str, terms: Sequence[Term], types: Sequence[NumberType]
    ) -> bool | None:
        """The result of a comparison with a Python integer beyond the other operand's dtype."""
        for i in (0, 1):
            x, other = terms[i], types[1 - i]
            if not (isinstance(x, PythonConstant) and type(x.value) is int and other.kind in "iu"):
                continue
            if other.weak:
                continue
            limits = np.iinfo(_dtypes.dtype_of(other.dtype))
            if x.value < limits.min or x.value > limits.max:
                # All numbers within the limits compare with it as 0 does.
                pair = (x.value, 0) if i == 0 else (0, x.value)
                return _COMPARISONS[name](*pair)
        return None

    def _loop(
        self, row: operations.Operation, types: Sequence[NumberType], weak: bool
    ) -> list[np.dtype]:
        """The dtypes of operands and outputs of a ufunc's loop."""
        cuda = self.mode == "cuda"
        if cuda and row.name not in ("left_shift", "right_shift", "ldexp"):
            types = _as_c_converts(types)
        kinds = [_dtypes.dtype_of(x.dtype) if weak else self._promotion_operand(x) for x in types]
        outputs = (None,) * row.nout
        found = row.resolve_dtypes((*kinds, *outputs))
        if (
            cuda
            and any(x.char in "dD" for x in found)
            and not any(x.dtype in ("f8", "c16") and not x.weak for x in types)
        ):
            # No operand is a double: integers are divided in single precision.
            kinds = [np.dtype("f4") if x.kind in "iu" else k for x, k in zip(types, kinds)]
            found = row.resolve_dtypes((*kinds, *outputs))
        return [_dtypes.canonical(x) for x in found]

    def _result(
        self, row: Any, operands: list[Value], code: str, output: int, exact: bool
    ) -> Value:
        """The C++ of one output: an operator, a function of CUDA's or a generated function.

        Python's integers (`exact`) do not wrap around, so that they need no unsigned arithmetic.
        """
        effect = max([x.effect for x in operands])
        inputs = tuple([Input(i, x.type.dtype) for i, x in enumerate(operands)])  # type: ignore[union-attr]
        node = Apply(row, inputs, code, output)
        result = self.cpp(code)
        loop = operands[row.category_operand].type.dtype  # type: ignore[union-attr]
        written = row.code(node.category, output)
        text = written.text
        infix = _INFIX.fullmatch(text)
        wide = _dtypes.itemsize(loop) >= 4
        if infix and loop != "f2" and (wide or code == "b1"):
            a, b = self.operand(operands[0]), self.operand(operands[1])
            symbol = infix["plain"] or infix["wrapped"]
            if infix["plain"] or loop[0] == "u" or exact:
                if written.header:
                    self.headers.add(written.header)
                return Value(NumberType(code), f"({a} {symbol} {b})", effect)
            unsigned = "uint64_t" if loop == "i8" else "uint32_t"
            return Value(
                NumberType(code), f"{result}({unsigned}({a}) {symbol} {unsigned}({b}))", effect
            )
        if written.header:
            self.headers.add(written.header)
        if [int(x) for x in _OPERAND.findall(text)] == list(range(row.nin)):
            inner = render.apply_code(node, [self.operand(x) for x in operands]).text
            return Value(NumberType(code), f"{result}({inner})", effect)
        names = [f"in{i}" for i in range(row.nin)]
        body = render.apply_code(node, names).text
        types = [self.cpp(x.type.dtype) for x in operands]  # type: ignore[union-attr]
        name = f"numpy_{row.name}" + (f"_{output}" if row.nout > 1 else "")
        parameters = ", ".join([f"{t} {n}" for t, n in zip(types, names)])
        self.functions[
            f"GPUARRAY_DEVICE {result} {name}({parameters}) {{ return {result}({body}); }}"
        ] = None
        return Value(
            NumberType(code), f"{name}({', '.join([bare(x.text) for x in operands])})", effect
        )

    def uniform(self, name: str, terms: Sequence[Term]) -> Value:
        """An operation that NumPy has no ufunc for: operands and result have one dtype."""
        found = self.common_type(terms)
        values = [self.value(x, found.dtype) for x in terms]
        result = self._result(operations.operation(name), values, found.dtype, 0, False)
        result.type = found
        return result

    def choose(self, condition: Value, terms: Sequence[Term]) -> Value:
        """One of two numbers, both of which are computed."""
        found = self.common_type(terms)
        a, b = [self.value(x, found.dtype) for x in terms]
        text = f"({self.operand(condition)} ? {self.operand(a)} : {self.operand(b)})"
        return Value(found, text, max(condition.effect, a.effect, b.effect))


def _as_c_converts(types: Sequence[NumberType]) -> list[NumberType]:
    """The types of operands after C++'s usual conversions: the greatest kind, then size."""
    strong = [x for x in types if not x.weak]
    if not strong:
        return list(types)
    rank = max(["b", "iu", "f", "c"].index("iu" if x.kind in "iu" else x.kind) for x in strong)
    top = [
        x for x in strong if ["b", "iu", "f", "c"].index("iu" if x.kind in "iu" else x.kind) == rank
    ]
    size = max(_dtypes.itemsize(x.dtype) for x in top)
    kind = (
        "u"
        if any(x.kind == "u" and _dtypes.itemsize(x.dtype) == size for x in top)
        else top[0].kind
    )
    if kind == "u" or top[0].kind in "iu":
        kind = "u" if kind == "u" else "i"
    common = NumberType(f"{kind}{size}")
    return [x if x.weak else common for x in types]


def as_items(x: Term) -> list[Any]:
    """The items of a tuple."""
    if isinstance(x, TupleTerm):
        return list(x.items)
    if isinstance(x, PythonConstant) and isinstance(x.value, tuple | list):
        return [PythonConstant(item) for item in x.value]
    if isinstance(x, Void):
        raise TypeError("a function without a result has nothing to unpack")
    raise TypeError(f"a tuple is needed here, not {describe(x)}")
