"""The trace of a function that is fused: arrays that it reads, and steps that need memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuarray import _arguments, _array, _broadcasting, _dtypes, _interchange, _layout
from gpuarray._fusion import views
from gpuarray._fusion.symbols import NeedsValue, Symbol, SymbolicNumber
from gpuarray._layout import Layout
from gpuarray._ufunc.planning import loop_of
from gpuarray.kernels.generator import operations
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input, Scalar
from gpuarray.kernels.reduction.arguments import reduced_shape

_PYTHON = (bool, int, float, complex)

#: Nodes of a tree that is computed anew rather than stored. Hashing a tree visits a node as often
#: as it is used, so trees must not grow without bound.
_MOST_NODES = 400

#: NumPy's characters for kinds of dtypes; each kind holds those before it.
_KINDS = "buifc"


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
            if not _broadcasting.broadcasts_to(value.shape, x.shape):
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
    shape = _broadcasting.broadcast_shapes([x.shape for x in symbols])
    return shape, 1 + sum([x.nodes for x in symbols])
