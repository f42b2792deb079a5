"""From what a function did with symbols to launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _layout, _memory_order
from gpuarray._fusion import views
from gpuarray._fusion.symbols import NeedsValue, Symbol, SymbolicNumber
from gpuarray._fusion.trace import FusionTrace, Leaf, NotFused, Reduced, Stored, Viewed
from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, reduction
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input, Scalar


def trace(
    function: Callable[..., Any], name: str, args: Sequence[Any], numbers: bool, stream: Stream
) -> Callable[..., Any] | None:
    """What runs a function of these arguments.

    Parameters
    ----------
    function : callable
        The function.
    name : str
        What its kernels are called.
    args : sequence
        Arguments to trace it with.
    numbers : bool
        Whether numbers among them may have other values in later calls.
    stream : Stream
        Where to run.

    Returns
    -------
    callable or None
        The function itself where it cannot be improved on; None if the values of numbers matter.
    """
    traced = FusionTrace(name)
    given: list[Any] = []
    for i, x in enumerate(args):
        if isinstance(x, _array.ArrayBase):
            given.append(traced.argument(i, x._layout))
        elif numbers:
            given.append(SymbolicNumber(i, type(x)))
        else:
            given.append(x)
    try:
        result = function(*given)
        run = Plan(traced, result, len(args), stream).make_call()
    except NeedsValue:
        return None
    except NotFused:
        return function
    written = [traced.leaves[leaf].argument for leaf in traced.written]
    return _apart(run, function, written, traced) if written else run


def _apart(
    run: Callable[..., Any], function: Callable[..., Any], written: Sequence[Any], traced: Any
) -> Callable[..., Any]:
    """What runs the function itself where an array that it changes overlaps another."""
    captured = [x.captured for x in traced.leaves if x.captured is not None]
    arguments = [x.argument for x in traced.leaves if x.argument is not None]

    def call(*args: Any) -> Any:
        for i in written:
            others = [args[k] for k in arguments if k != i] + captured
            if any(_array.overlap(args[i], x) for x in others):
                return function(*args)
        return run(*args)

    return call


class _Launch(NamedTuple):
    """One call, what it takes and what it gives, as numbers of values.

    Values are the function's arguments, then its leaves, then its results.
    """

    run: Callable[..., Any]
    takes: tuple[int, ...]
    gives: tuple[int, ...]


class _Terms:
    """What an expression reads, found by walking it once."""

    def __init__(self, expressions: Sequence[Expression]):
        self.leaves: set[int] = set()
        self.scalars: dict[int, set[str]] = {}
        seen: set[int] = set()
        pending = list(expressions)
        while pending:
            node = pending.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            match node:
                case Input():
                    self.leaves.add(node.index)
                case Scalar():
                    self.scalars.setdefault(node.index, set()).add(node.dtype)
                case _:
                    pending.extend(node.operands)


def rewrite(
    node: Expression, replace: Callable[[Any], Expression], done: dict[int, Expression]
) -> Expression:
    """An expression with its inputs and scalars replaced; what was shared stays shared."""
    found = done.get(id(node))
    if found is None:
        match node:
            case Input() | Scalar():
                found = replace(node)
            case Cast():
                found = Cast(node.dtype, rewrite(node.operand, replace, done))
            case Apply():
                operands = tuple([rewrite(x, replace, done) for x in node.operands])
                found = Apply(node.operation, operands, node.dtype, node.output)
            case _:
                found = node
        done[id(node)] = found
    return found


class Plan:
    """The launches of a traced function.

    Parameters
    ----------
    trace : FusionTrace
        What the function did.
    result : object
        What it returned: a symbol, a number, None, or a tuple, list or dict of these.
    arguments : int
        How many arguments it was called with.
    stream : Stream
        Where to run.
    """

    def __init__(self, trace: FusionTrace, result: Any, arguments: int, stream: Stream):
        self.trace = trace
        self.stream = stream
        self.arguments = arguments
        self.launches: list[_Launch] = []
        self.values = arguments + len(trace.leaves)
        self.outputs: list[Symbol] = []
        self.form = self._form(result)
        self._position_outputs()

    def _form(self, result: Any) -> Any:
        """What is returned, with symbols replaced by their numbers among the outputs."""
        if isinstance(result, Symbol):
            for i, x in enumerate(self.outputs):
                if x is result:
                    return _Output(i)
            self.outputs.append(result)
            return _Output(len(self.outputs) - 1)
        if isinstance(result, SymbolicNumber):
            return _Argument(result.position)
        if isinstance(result, tuple | list):
            return type(result)([self._form(x) for x in result])
        if isinstance(result, dict):
            return {key: self._form(x) for key, x in result.items()}
        return result

    def _value_of_leaf(self, index: int) -> int:
        leaf = self.trace.leaves[index]
        return self.arguments + index if leaf.argument is None else leaf.argument

    def _position_outputs(self) -> None:
        trace = self.trace
        self.positions: list[int] = [-1] * len(self.outputs)
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, x in enumerate(self.outputs):
            if x.leaf is not None:
                self.positions[i] = self._value_of_leaf(x.leaf)
            else:
                groups.setdefault(x.shape, []).append(i)
        folded = self._folded(groups)
        needed = self._needed()
        for step in trace.steps:
            if step.leaf in needed:
                self._run_step(step, folded.get(step.leaf))
        for members in groups.values():
            rest = [i for i in members if i not in folded.values()]
            if rest:
                gives = []
                for i in rest:
                    self.positions[i] = self.values
                    gives.append(self.values)
                    self.values += 1
                nodes = [self.outputs[i].node for i in rest]
                self._elementwise(nodes, self.outputs[rest[0]].shape, gives)
        self._write()

    def _write(self) -> None:
        """Store the new elements of arguments, after everything that reads the old ones."""
        waiting: dict[tuple[int, ...], list[int]] = {}
        for leaf, x in self.trace.written.items():
            waiting.setdefault(x.shape, []).append(leaf)
        nodes = {leaf: x.node for leaf, x in self.trace.written.items()}
        if len(waiting) > 1 and any(_Terms([x]).scalars for x in nodes.values()):
            # A number that does not fit must be noticed before anything is stored.
            raise NotFused
        while waiting:
            for shape, members in waiting.items():
                others = _Terms([nodes[x] for x in nodes if self._shape_in(x, waiting, shape)])
                if not others.leaves & set(members):
                    break
            else:
                raise NotFused  # each needs the other's old elements
            gives = [self._value_of_leaf(leaf) for leaf in members]
            given = [self.trace.leaves[leaf].layout for leaf in members]
            self._elementwise([nodes[leaf] for leaf in members], shape, gives, given)
            del waiting[shape]

    def _shape_in(self, leaf: int, waiting: Any, but: tuple[int, ...]) -> bool:
        """Whether a changed leaf has one of the shapes that wait, but for one."""
        shape = self.trace.written[leaf].shape
        return shape != but and shape in waiting

    def _needed(self) -> set[int]:
        """Leaves that an output depends on."""
        sources = {step.leaf: step.source for step in self.trace.steps}
        needed: set[int] = set()
        pending = [x.node for x in (*self.outputs, *self.trace.written.values())]
        while pending:
            for leaf in _Terms([pending.pop()]).leaves - needed:
                needed.add(leaf)
                if leaf in sources:
                    pending.append(sources[leaf])
        return needed

    def _folded(self, groups: dict[tuple[int, ...], list[int]]) -> dict[int, int]:
        """Reductions whose result is only used by one output: leaf to output."""
        uses: dict[int, int] = {}
        nodes = [x.node for x in self.outputs] + [step.source for step in self.trace.steps]
        nodes += [x.node for x in self.trace.written.values()]
        for node in nodes:
            for leaf in _Terms([node]).leaves:
                uses[leaf] = uses.get(leaf, 0) + 1
        folded = {}
        for step in self.trace.steps:
            if not isinstance(step, Reduced) or uses.get(step.leaf) != 1:
                continue
            for members in groups.values():
                for i in members:
                    x = self.outputs[i]
                    if _Terms([x.node]).leaves == {step.leaf}:
                        if x.shape == self.trace.leaves[step.leaf].layout.shape:
                            folded[step.leaf] = i
        return folded

    def _run_step(self, step: Reduced | Stored | Viewed, output: int | None) -> None:
        if isinstance(step, Viewed):
            leaves, parent = self.trace.leaves, step.source.index
            leaves[step.leaf] = Leaf(views.view_layout(leaves[parent].layout, step.key))
            take = partial(_view, key=step.key)
            takes, gives = self._value_of_leaf(parent), self._value_of_leaf(step.leaf)
            self.launches.append(_Launch(take, (takes,), (gives,)))
            return
        if isinstance(step, Stored):
            self._elementwise([step.source], step.shape, [self._value_of_leaf(step.leaf)])
            return
        if output is None:
            self._reduce(step, None, self._value_of_leaf(step.leaf))
            return
        self.positions[output] = self.values
        self._reduce(step, self.outputs[output], self.values)
        self.values += 1

    # ---- launches ------------------------------------------------------------------------------

    def _scalars(self, terms: _Terms) -> dict[int, str]:
        """The dtype that each number is passed in."""
        found = {}
        for position, codes in sorted(terms.scalars.items()):
            integers = [code for code in codes if code[0] in "iu"]
            if len(codes) == 1:
                found[position] = next(iter(codes))
            elif integers:
                # The narrowest, so that what does not fit is noticed; it widens exactly.
                found[position] = min(integers, key=lambda code: (_dtypes.itemsize(code), code))
            else:
                kinds = [code for code in codes if code != "b1"]
                found[position] = max(kinds, key=lambda code: (code[0] == "c", int(code[1:])))
                if found[position] in ("f2", "f4"):
                    found[position] = "f8"
        return found

    def _elementwise(
        self,
        nodes: Sequence[Expression],
        shape: tuple[int, ...],
        gives: list[int],
        given: Sequence[Layout] = (),
    ) -> None:
        """Compute expressions into new arrays, or into those that ``gives`` names."""
        terms = _Terms(nodes)
        scalars = self._scalars(terms)
        takes = [(self._value_of_leaf(leaf), leaf, True) for leaf in terms.leaves]
        takes += [(position, position, False) for position in scalars]
        takes.sort()
        where = {(number, array): i for i, (_, number, array) in enumerate(takes)}
        leaves = self.trace.leaves
        inputs: list[Layout | np.dtype] = [
            leaves[number].layout if array else _dtypes.dtype_of(scalars[number])
            for _, number, array in takes
        ]

        def replace(node: Any) -> Expression:
            i = where[node.index, isinstance(node, Input)]
            if isinstance(node, Input):
                return Input(i, node.dtype)
            passed = Scalar(i, scalars[node.index])
            return passed if passed.dtype == node.dtype else Cast(node.dtype, passed)

        done: dict[int, Expression] = {}
        expressions = [rewrite(node, replace, done) for node in nodes]
        layouts = [x for x in inputs if isinstance(x, Layout)]
        targets = list(given) or [
            _memory_order.like_order(_dtypes.dtype_of(node.dtype), shape, layouts) for node in nodes
        ]
        for value, target in zip(gives, targets):
            if not given and self.arguments <= value < self.arguments + len(leaves):
                leaves[value - self.arguments] = Leaf(target)
        run = elementwise.launch.make_call(
            self.trace.name, expressions, inputs, targets, [bool(given)] * len(nodes), self.stream
        )
        passed = [value for value, *_ in takes] + (gives if given else [])
        self.launches.append(_Launch(run, tuple(passed), tuple(gives)))

    def _reduce(self, step: Reduced, output: Symbol | None, gives: int) -> None:
        leaves = self.trace.leaves
        result = leaves[step.leaf].layout.dtype
        computation = step.reduction._computation(
            _dtypes.dtype_of(step.source.dtype), step.loop, result, None
        )
        after = [] if output is None else [output.node]
        scalars = self._scalars(_Terms([step.source, *after]))
        order = sorted(_Terms([step.source]).leaves, key=self._value_of_leaf)
        positions = {position: i for i, position in enumerate(scalars)}

        def replace(first: int, inputs: Callable[[Input], Expression]) -> Callable:
            def one(node: Any) -> Expression:
                if isinstance(node, Input):
                    return inputs(node)
                passed = Scalar(first + positions[node.index], scalars[node.index])
                return passed if passed.dtype == node.dtype else Cast(node.dtype, passed)

            return one

        source = rewrite(
            step.source,
            replace(len(order), lambda node: Input(order.index(node.index), node.dtype)),
            {},
        )
        mapped = rewrite(computation.mapped, lambda node: source, {})
        finished = computation.finished
        target = leaves[step.leaf].layout
        if output is not None:
            reduced = Cast(_dtypes.code(result), finished)
            first = reduction.functions.INITIAL + 1
            finished = rewrite(output.node, replace(first, lambda node: reduced), {})
            target = _layout.contiguous(output.dtype, output.shape)
        operands = [_broadcasting.broadcast_to(leaves[leaf].layout, step.shape) for leaf in order]
        run = reduction.launch.make_call(
            computation._replace(
                name=self.trace.name,
                mapped=mapped,
                finished=finished,
                scalars=tuple(scalars.values()),
                packed=None,
            ),
            operands,
            False,
            step.axes,
            target,
            False,
            self.stream,
        )
        takes = [self._value_of_leaf(leaf) for leaf in order] + list(scalars)
        self.launches.append(_Launch(run, tuple(takes), (gives,)))

    # ---- the call ------------------------------------------------------------------------------

    def make_call(self) -> Callable[..., Any]:
        """A function of the arguments that does everything."""
        captured = [
            (self.arguments + i, leaf.captured)
            for i, leaf in enumerate(self.trace.leaves)
            if leaf.captured is not None
        ]
        form = _resolve(self.form, self.positions)
        if len(self.launches) == 1 and not captured:
            run, takes, gives = self.launches[0]
            whole = _Value(gives[0]) if len(gives) == 1 else tuple([_Value(i) for i in gives])
            if form == whole:
                if takes == tuple(range(self.arguments)):
                    return run
                if len(takes) == 1:
                    (only,) = takes
                    return lambda *args: run(args[only])
                pick = itemgetter(*takes)
                return lambda *args: run(*pick(args))
        launches, count, arguments = self.launches, self.values, self.arguments

        def call(*args: Any) -> Any:
            values = [*args, *[None] * (count - arguments)]
            for position, array in captured:
                values[position] = array
            for run, takes, gives in launches:
                found = run(*[values[i] for i in takes])
                if len(gives) == 1:
                    values[gives[0]] = found
                else:
                    for position, one in zip(gives, found):
                        values[position] = one
            return _fill(form, values)

        return call


def _view(array: Any, key: tuple) -> Any:
    return array[key]


class _Output(NamedTuple):
    output: int


class _Argument(NamedTuple):
    position: int


class _Value(NamedTuple):
    number: int


def _resolve(form: Any, positions: list[int]) -> Any:
    if isinstance(form, _Output):
        return _Value(positions[form.output])
    if isinstance(form, _Argument):
        return _Value(form.position)
    if isinstance(form, tuple | list):
        return type(form)([_resolve(x, positions) for x in form])
    if isinstance(form, dict):
        return {key: _resolve(x, positions) for key, x in form.items()}
    return form


def _fill(form: Any, values: list[Any]) -> Any:
    if isinstance(form, _Value):
        return values[form.number]
    if isinstance(form, tuple | list):
        return type(form)([_fill(x, values) for x in form])
    if isinstance(form, dict):
        return {key: _fill(x, values) for key, x in form.items()}
    return form
