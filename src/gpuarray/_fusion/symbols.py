"""Symbols: what a function that is fused gets in place of arrays and numbers, with operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes, _ufunc
from gpuarray._ufunc import operator_table
from gpuarray.kernels.generator.expressions import Cast, Expression
from gpuarray.kernels.reduction.rules import NO_VALUE, REDUCTIONS, Reduction

if TYPE_CHECKING:
    from gpuarray._fusion.trace import FusionTrace


class NeedsValue(Exception):
    """The function does with a number what only its value can answer."""


def _refuse(what: str, remedy: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"fuse: {self.trace.name} {what}, which a kernel cannot: {remedy}")

    return method


_CONDITION = _refuse(
    "decides by the value of an array (if, while, and, or, not, int(), float())",
    "choose elements with where(), or decide outside of the fused function",
)


def _binary(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Symbol, other: Any) -> Any:
        operands = (other, self) if reflected else (self, other)
        return self.trace.call(_ufunc.ufuncs[name], operands, "same_kind", None)

    return method


def _inplace(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Symbol, other: Any) -> Symbol:
        found = self.trace.call(_ufunc.ufuncs[name], (self, other), "same_kind", None)
        if found.shape != self.shape:
            raise ValueError(
                f"{name}: non-broadcastable output operand with shape {self.shape} doesn't match "
                f"the broadcast shape {found.shape}"
            )
        if not np.can_cast(found.dtype, self.dtype, "same_kind"):
            raise TypeError(
                f"Cannot cast ufunc {name!r} output from {found.dtype!r} to {self.dtype!r} with "
                "casting rule 'same_kind'"
            )
        code = _dtypes.code(self.dtype)
        node = found.node if found.node.dtype == code else Cast(code, found.node)
        self.trace.change(self, node, found.nodes, name)
        return self

    return method


def _unary(name: str) -> Callable[[Any], Any]:
    def method(self: Symbol) -> Any:
        return self.trace.call(_ufunc.ufuncs[name], (self,), "same_kind", None)

    return method


def _reducing(reduction: Any) -> Callable[..., Any]:
    def method(
        self: Symbol,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
    ) -> Symbol:
        return self.fused_reduction(reduction, axis, dtype, out, keepdims, NO_VALUE, True)

    return method


def _testing(reduction: Any) -> Callable[..., Any]:
    def method(self: Symbol, axis: Any = None, out: Any = None, keepdims: bool = False) -> Symbol:
        return self.fused_reduction(reduction, axis, None, out, keepdims, NO_VALUE, True)

    return method


class Symbol:
    """An array of a traced function: the expression of its elements, its shape and dtype."""

    __slots__ = ("dtype", "leaf", "node", "nodes", "shape", "trace")
    __array_priority__ = 200
    __hash__ = None  # type: ignore[assignment]  # as of arrays

    def __init__(
        self,
        trace: FusionTrace,
        node: Expression,
        shape: tuple[int, ...],
        dtype: np.dtype,
        nodes: int = 1,
        leaf: int | None = None,
    ):
        self.trace = trace
        self.leaf = leaf  # the leaf that it is, if it is no intermediate result
        self.node = node
        self.shape = shape
        self.dtype = dtype
        self.nodes = nodes

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    # ---- what operations of the package call ----------------------------------------------------

    def fused_call(
        self, function: Any, args: Sequence[Any], out: Any, where: Any, casting: str, dtype: Any
    ) -> Any:
        """A ufunc with a symbol among its arguments."""
        if out is not None or where is not True or len(args) != function.nin:
            raise TypeError(
                f"fuse: {self.trace.name} calls {function.__name__} with out= or where=, which "
                "is not fused; use the result, and where(condition, x, y)"
            )
        return self.trace.call(function, args, casting, dtype)

    def fused_choice(self, name: str, args: Sequence[Any]) -> Symbol:
        """``where`` or ``clip`` with a symbol among its arguments."""
        return self.trace.choose(name, args)

    def fused_reduction(
        self,
        reduction: Any,
        axis: Any,
        dtype: Any,
        out: Any,
        keepdims: bool,
        initial: Any,
        where: Any,
    ) -> Symbol:
        """A reduction of the symbol."""
        if out is not None or initial is not NO_VALUE or not (where is True or where is NO_VALUE):
            raise TypeError(
                f"fuse: {self.trace.name} reduces with out=, initial= or where=, which is not "
                "fused; use where(condition, x, 0) before it, and the result after it"
            )
        return self.trace.reduce(self, reduction, axis, dtype, keepdims)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        found = _ufunc.ufuncs.get(ufunc.__name__)
        if found is None or method != "__call__":
            raise TypeError(
                f"fuse: {self.trace.name} calls numpy.{ufunc.__name__} ({method}), which has no "
                "fused form"
            )
        return found(*inputs, **kwargs)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__cuda_array_interface__

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"fuse: {self.trace.name} uses the attribute {name!r} of an array, which cannot be "
            "fused; use it outside of the fused function and pass the result"
        )

    @property
    def __cuda_array_interface__(self) -> Any:
        raise TypeError(
            f"fuse: {self.trace.name} calls a function that cannot be fused; element-wise "
            "functions, where, clip, astype and sum, prod, max, min, any, all, mean can. Call it "
            "outside of the fused function"
        )

    # ---- methods --------------------------------------------------------------------------------

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Symbol:
        """The same in another dtype."""
        to = _dtypes.canonical(dtype)
        if not _dtypes.can_cast(self.dtype, to, casting):
            raise TypeError(
                f"Cannot cast array data from {self.dtype!r} to {to!r} according to the rule "
                f"{casting!r}"
            )
        code = _dtypes.code(to)
        node = self.node if self.node.dtype == code else Cast(code, self.node)
        return Symbol(self.trace, node, self.shape, to, self.nodes)

    def copy(self, order: str = "C") -> Symbol:
        """The same."""
        return Symbol(self.trace, self.node, self.shape, self.dtype, self.nodes)

    def clip(self, min: Any = None, max: Any = None) -> Any:
        """The elements limited to an interval."""
        if min is None:
            return self.trace.call(_ufunc.ufuncs["minimum"], (self, max), "same_kind", None)
        if max is None:
            return self.trace.call(_ufunc.ufuncs["maximum"], (self, min), "same_kind", None)
        return self.trace.choose("clip", (self, min, max))

    sum = _reducing(REDUCTIONS["add"])
    prod = _reducing(REDUCTIONS["multiply"])
    mean = _reducing(Reduction("add", mean=True))
    max = _testing(REDUCTIONS["maximum"])
    min = _testing(REDUCTIONS["minimum"])
    all = _testing(REDUCTIONS["logical_and"])
    any = _testing(REDUCTIONS["logical_or"])
    conj = _unary("conjugate")

    __bool__ = _CONDITION
    __int__ = _CONDITION
    __float__ = _CONDITION
    __complex__ = _CONDITION
    __index__ = _CONDITION
    __contains__ = _CONDITION
    item = _CONDITION

    def __getitem__(self, key: Any) -> Symbol:
        return self.trace.view(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.trace.assign(self, key, value)

    __iter__ = _refuse("iterates over an array", "use functions of whole arrays")
    __matmul__ = _refuse("multiplies matrices", "do it outside of the fused function")
    __rmatmul__ = __matmul__


class SymbolicNumber:
    """A number among the arguments, which is passed to the kernel and has no value in the trace."""

    __slots__ = ("position", "type")

    def __init__(self, position: int, type_: type):
        self.position = position
        self.type = type_

    def fused_call(self, function: Any, args: Sequence[Any], *options: Any) -> Any:
        """A ufunc of numbers, or with a symbol further on."""
        for x in args:
            if isinstance(x, Symbol):
                return x.fused_call(function, args, *options)
        raise NeedsValue

    def fused_choice(self, name: str, args: Sequence[Any]) -> Any:
        """The same of ``where`` and ``clip``."""
        for x in args:
            if isinstance(x, Symbol):
                return x.fused_choice(name, args)
        raise NeedsValue

    def fused_reduction(self, *args: Any) -> Any:
        """A reduction of a number."""
        raise NeedsValue

    def __getattr__(self, name: str) -> Any:
        raise NeedsValue


def _of_number(self: SymbolicNumber, other: Any = None, *rest: Any) -> Any:
    if isinstance(other, Symbol):
        return NotImplemented  # the symbol's reflected operator knows
    raise NeedsValue


def _install_operators() -> None:
    """Give both classes the special methods of the table of operators."""
    for x in operator_table.BINARY:
        setattr(Symbol, x.method, _binary(x.ufunc))
        setattr(Symbol, x.reflected_method, _binary(x.ufunc, reflected=True))
        setattr(SymbolicNumber, x.method, _of_number)
        setattr(SymbolicNumber, x.reflected_method, _of_number)
    for x in operator_table.INPLACE:
        setattr(Symbol, x.inplace_method, _inplace(x.ufunc))
    for x in operator_table.COMPARISONS:
        setattr(Symbol, x.method, _binary(x.ufunc))
        setattr(SymbolicNumber, x.method, _of_number)
    for x in operator_table.UNARY:
        setattr(Symbol, x.method, _unary(x.ufunc))
        setattr(SymbolicNumber, x.method, _of_number)
    for name in ("bool", "int", "float", "complex", "index", "str", "format", "hash", "round"):
        setattr(SymbolicNumber, f"__{name}__", _of_number)


_install_operators()
