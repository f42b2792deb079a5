"""Symbols of arrays and numbers, which record the operations of a function that is fused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _interchange, _layout, _ufunc
from gpuarray._fusion import views
from gpuarray._layout import Layout
from gpuarray._ufunc import operator_table
from gpuarray._ufunc.planning import loop_of
from gpuarray.kernels.generator import operations
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input, Scalar
from gpuarray.kernels.reduction.arguments import reduced_shape
from gpuarray.kernels.reduction.rules import NO_VALUE, REDUCTIONS, Reduction

_PYTHON = (bool, int, float, complex)

#: Nodes of a tree that is computed anew rather than stored. Hashing a tree visits a node as often
#: as it is used, so trees must not grow without bound.
_MOST_NODES = 400


#: NumPy's characters for kinds of dtypes; each kind holds those before it.
_KINDS = "buifc"


class NeedsValue(Exception):
    """The function does with a number what only its value can answer."""


class NotFused(Exception):
    """The function is right, but what it does here is left to the single functions."""


@dataclass(slots=True)
class Leaf:
    """An array in memory that expressions read."""

    layout: Layout
    argument: int | None = None  # of the function
    captured: Any = None  # an array from a closure or a module
    viewed: bool = False  # another leaf, or more, is a view of it
    view: bool = False  # it is a view of another leaf


@dataclass(slots=True)
class Reduced:
    """A reduction to run; its result is a leaf."""

    leaf: int
    reduction: Any
    source: Expression
    shape: tuple[int, ...]  # of what is reduced
    axes: tuple[int, ...]
    loop: np.dtype


@dataclass(slots=True)
class Stored:
    """An intermediate result to compute; it is a leaf."""

    leaf: int
    source: Expression
    shape: tuple[int, ...]


@dataclass(slots=True)
class Viewed:
    """A view to make of a leaf; it is a leaf."""

    leaf: int
    source: Input  # the leaf that it is a view of
    key: tuple


class FusionTrace:
    """The trace of one call of a function: what it reads, and the steps that need memory."""

    def __init__(self, name: str):
        self.name = name
        self.leaves: list[Leaf] = []
        self.steps: list[Reduced | Stored | Viewed] = []
        #: Arguments that are changed in place: leaves, with the symbols of their new elements.
        self.written: dict[int, Symbol] = {}
        self._captured: dict[int, Symbol] = {}

    def argument(self, position: int, layout: Layout) -> Symbol:
        """The symbol of an array that the function is called with."""
        return self._leaf(Leaf(layout, argument=position))

    def _leaf(self, leaf: Leaf) -> Symbol:
        self.leaves.append(leaf)
        dtype = leaf.layout.dtype
        node = Input(len(self.leaves) - 1, _dtypes.code(dtype))
        return Symbol(self, node, leaf.layout.shape, dtype, leaf=len(self.leaves) - 1)

    def symbol(self, x: Any) -> Symbol | Any:
        """An operand as a symbol; numbers stay what they are."""
        if isinstance(x, Symbol | SymbolicNumber):
            return x
        x = _interchange.as_operand(x, self.name)
        if isinstance(x, _array.ArrayBase):
            found = self._captured.get(id(x))
            if found is None:
                found = self._captured[id(x)] = self._leaf(Leaf(x._layout, captured=x))
            return found
        return x

    def result(self, node: Expression, shape: tuple[int, ...], nodes: int) -> Symbol:
        """The symbol of what an expression computes."""
        dtype = _dtypes.dtype_of(node.dtype)
        if nodes <= _MOST_NODES:
            return Symbol(self, node, shape, dtype, nodes)
        found = self._leaf(Leaf(_layout.contiguous(dtype, shape)))
        self.steps.append(Stored(len(self.leaves) - 1, node, shape))
        return found

    def call(self, function: Any, args: Sequence[Any], casting: str, dtype: Any) -> Any:
        """Apply a ufunc."""
        name = function.__name__
        operands = [self.symbol(x) for x in args]
        kinds = [_kind(x) for x in operands] + [None] * function.nout
        loop = loop_of(function.row, kinds, casting, dtype)
        if name == "power" and loop[1].kind == "i":
            if not isinstance(operands[1], Symbol):
                if isinstance(operands[1], SymbolicNumber):
                    raise NeedsValue
                if operands[1] < 0:
                    raise NotFused
        terms = tuple([self.term(x, to, name) for x, to in zip(operands, loop)])
        shape, nodes = _extent(operands)
        row = function.row
        if name == "power" and not isinstance(operands[1], Symbol):
            row = operations.with_one_exponent(row, _dtypes.code(loop[1]), kinds[1])
        results = tuple(
            [
                self.result(Apply(row, terms, _dtypes.code(x), i), shape, nodes)
                for i, x in enumerate(loop[function.nin :])
            ]
        )
        return results[0] if function.nout == 1 else results

    def choose(self, name: str, args: Sequence[Any]) -> Symbol:
        """Apply ``where`` or ``clip``, which have one dtype for all they choose from."""
        operands = [self.symbol(x) for x in args]
        chosen = operands[1:] if name == "where" else operands
        kinds = [_example(x) for x in chosen]
        found = _dtypes.canonical(np.result_type(*kinds))
        loop = [np.dtype(bool), found, found] if name == "where" else [found] * 3
        terms = tuple([self.term(x, to, name) for x, to in zip(operands, loop)])
        shape, nodes = _extent(operands)
        row = operations.operation(name)
        return self.result(Apply(row, terms, _dtypes.code(found)), shape, nodes)

    def term(self, x: Any, to: np.dtype, name: str) -> Expression:
        """An operand converted to the dtype of a loop."""
        code = _dtypes.code(to)
        if isinstance(x, Symbol):
            return x.node if x.node.dtype == code else Cast(code, x.node)
        if isinstance(x, SymbolicNumber):
            if not issubclass(x.type, np.generic):
                return Scalar(x.position, code)
            passed = Scalar(x.position, _dtypes.code(x.type))
            return passed if passed.dtype == code else Cast(code, passed)
        if isinstance(x, int) and not isinstance(x, bool) and to.kind in "iu":
            info = np.iinfo(to)
            if not info.min <= x <= info.max:
                raise NotFused  # a comparison has an answer, everything else an error
        if isinstance(x, np.generic) and x.dtype != to:
            return Cast(code, Constant(x.item(), _dtypes.code(x.dtype)))
        return Constant(x, code)

    def change(self, x: Symbol, node: Expression, nodes: int, name: str) -> None:
        """Let a symbol have other elements from now on, and so its array if it is an argument."""
        if x.leaf is not None:
            leaf = self.leaves[x.leaf]
            if leaf.viewed or leaf.view:
                raise NotFused  # what else reads this memory is not followed
            if leaf.argument is None:
                x.leaf = None
            else:
                _layout.check_writable(leaf.layout, name)
                self.written[x.leaf] = x
        x.node, x.nodes = node, nodes

    def view(self, x: Symbol, key: Any) -> Symbol:
        """The view of a symbol by a basic index."""
        found = views.basic_key(key)
        if found is None:
            raise NotFused
        if views.takes_everything(found, len(x.shape)):
            return x
        if x.leaf in self.written:
            raise NotFused
        if x.leaf is None:
            stored = self._leaf(Leaf(_layout.contiguous(x.dtype, x.shape)))
            assert stored.leaf is not None
            self.steps.append(Stored(stored.leaf, x.node, x.shape))
            x.node, x.nodes, x.leaf = stored.node, 1, stored.leaf
        leaf = self.leaves[x.leaf]
        leaf.viewed = True
        made = self._leaf(Leaf(views.view_layout(leaf.layout, found), view=True))
        assert made.leaf is not None
        self.steps.append(Viewed(made.leaf, Input(x.leaf, _dtypes.code(x.dtype)), found))
        return made

    def assign(self, x: Symbol, key: Any, value: Any) -> None:
        """``x[key] = value`` where the index stands for all elements."""
        found = views.basic_key(key)
        if found is None or not views.takes_everything(found, len(x.shape)):
            raise NotFused
        value = self.symbol(value)
        code = _dtypes.code(x.dtype)
        if isinstance(value, Symbol):
            if not _layout.broadcasts_to(value.shape, x.shape):
                raise NotFused  # which says what is wrong, or drops dimensions of length 1
            if value.dtype.kind == "c" and x.dtype.kind != "c":
                raise NotFused
            node = value.node if value.node.dtype == code else Cast(code, value.node)
            self.change(x, node, value.nodes + 1, "assignment")
            return
        given = np.result_type(_example(value))
        if _KINDS.index(given.kind) <= _KINDS.index(x.dtype.kind) and x.dtype.kind != "b":
            node = self.term(value, x.dtype, "assignment")
        elif given.kind == "c" or (given.kind == "f" and x.dtype.kind != "f"):
            raise NotFused  # it may not fit
        else:
            node = Cast(code, self.term(value, given, "assignment"))
        self.change(x, node, 1, "assignment")

    def reduce(self, x: Symbol, reduction: Any, axis: Any, dtype: Any, keepdims: bool) -> Symbol:
        """Reduce a symbol."""
        ndim = len(x.shape)
        axes = () if not ndim and axis in (None, 0, -1) else _arguments.check_axes(axis, ndim)
        shape = reduced_shape(x.shape, axes, bool(keepdims))
        loop, result = reduction._dtypes(x.dtype, dtype, None)
        found = self._leaf(Leaf(_layout.contiguous(result, shape)))
        self.steps.append(Reduced(len(self.leaves) - 1, reduction, x.node, x.shape, axes, loop))
        return found


def _kind(x: Any) -> Any:
    """What ``resolve_dtypes`` takes for an operand."""
    if isinstance(x, Symbol):
        return x.dtype
    if isinstance(x, SymbolicNumber):
        if issubclass(x.type, np.generic):
            return _dtypes.canonical(x.type)
        return np.dtype(bool) if x.type is bool else x.type
    if type(x) in _PYTHON:
        return np.dtype(bool) if type(x) is bool else type(x)
    return _dtypes.canonical(x.dtype)


def _example(x: Any) -> Any:
    """What ``result_type`` takes for an operand."""
    if isinstance(x, SymbolicNumber):
        number: Any = x.type
        return np.dtype(number) if issubclass(number, np.generic) else number(1)
    return x if type(x) in _PYTHON else x.dtype


def _extent(operands: Sequence[Any]) -> tuple[tuple[int, ...], int]:
    symbols = [x for x in operands if isinstance(x, Symbol)]
    if not symbols:
        raise NeedsValue
    shape = _layout.broadcast_shapes([x.shape for x in symbols])
    return shape, 1 + sum([x.nodes for x in symbols])


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
