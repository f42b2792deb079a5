"""Python's operators and the ufuncs behind them: one table for arrays, fused functions and jit."""

from __future__ import annotations

from typing import NamedTuple


class Operator(NamedTuple):
    """An operator of Python's.

    Attributes
    ----------
    name : str
        The name of its special method without underscores: ``'add'`` of ``__add__``.
    symbol : str
        How it is written; empty where it is a call, as ``divmod(x, y)``.
    ufunc : str
        The ufunc that computes it.
    node : str
        Its class in Python's syntax tree (`ast`); empty where it is a call.
    """

    name: str
    symbol: str
    ufunc: str
    node: str

    @property
    def method(self) -> str:
        """The special method."""
        return f"__{self.name}__"

    @property
    def reflected_method(self) -> str:
        """The special method of the right operand, of binary operators."""
        return f"__r{self.name}__"

    @property
    def inplace_method(self) -> str:
        """The special method of the augmented assignment, of binary operators with a symbol."""
        return f"__i{self.name}__"


BINARY = (
    Operator("add", "+", "add", "Add"),
    Operator("sub", "-", "subtract", "Sub"),
    Operator("mul", "*", "multiply", "Mult"),
    Operator("truediv", "/", "divide", "Div"),
    Operator("floordiv", "//", "floor_divide", "FloorDiv"),
    Operator("mod", "%", "remainder", "Mod"),
    Operator("pow", "**", "power", "Pow"),
    Operator("lshift", "<<", "left_shift", "LShift"),
    Operator("rshift", ">>", "right_shift", "RShift"),
    Operator("and", "&", "bitwise_and", "BitAnd"),
    Operator("or", "|", "bitwise_or", "BitOr"),
    Operator("xor", "^", "bitwise_xor", "BitXor"),
    Operator("divmod", "", "divmod", ""),
)

#: The one operator of whole matrices, which fused functions and kernels do not have.
MATMUL = Operator("matmul", "@", "matmul", "MatMult")

COMPARISONS = (
    Operator("lt", "<", "less", "Lt"),
    Operator("le", "<=", "less_equal", "LtE"),
    Operator("eq", "==", "equal", "Eq"),
    Operator("ne", "!=", "not_equal", "NotEq"),
    Operator("gt", ">", "greater", "Gt"),
    Operator("ge", ">=", "greater_equal", "GtE"),
)

UNARY = (
    Operator("neg", "-", "negative", "USub"),
    Operator("pos", "+", "positive", "UAdd"),
    Operator("abs", "", "absolute", ""),
    Operator("invert", "~", "invert", "Invert"),
)

#: Those with an augmented assignment, as ``+=``.
INPLACE = tuple([x for x in BINARY if x.symbol])
