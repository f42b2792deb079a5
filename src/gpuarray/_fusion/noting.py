"""How an operation is recorded where that takes more than the comparisons of a recorder.

That is so where a sequence is new, or another one than the last time; where arrays share memory
that is stored to; and for views of results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _array, _layout
from gpuarray._fusion import holding
from gpuarray._fusion.batches import STORED
from gpuarray._fusion.deferred import Deferred
from gpuarray._fusion.sequences import Node
from gpuarray._fusion.steps import Step, Use, View
from gpuarray._layout import Layout
from gpuarray._runtime.places import Place
from gpuarray._runtime.pool import Allocation, exposed

#: What is recorded at most before it runs.
MOST_OPERATIONS = 64
#: Sequences of operations that a stream knows at most.
MOST_SEQUENCES = 4096

#: An array in memory that a sequence does not have yet: memory, address, layout, and the place of
#: the memory in the log if it is there.
_Fresh = tuple[Any, int, Layout, int | None]


def note(
    noted: Deferred,
    step: Step,
    given: bool,
    only_pending: bool,
    run: Callable[..., Any],
    place: Place,
    *arguments: Any,
) -> Any:
    """Record an operation and return its result, or run it at once if it cannot be recorded.

    Parameters
    ----------
    noted : Deferred
        What is recorded on its stream.
    step : Step
        The operation.
    given : bool
        Whether the last argument is the output.
    only_pending : bool
        Whether it is recorded only where an operand is pending.
    run : callable
        Runs it at once.
    place : Place
        Where it was called.
    *arguments
        Operands, of which the scalars fit, and perhaps the output.
    """
    operands = arguments[: len(arguments) - given]
    scalars = [x for x, kind in zip(operands, step.inputs) if not isinstance(kind, Layout)]
    while noted.begun or noted.begin():
        node, log, memories = noted.node, noted.log, noted.memories
        if only_pending and all(noted.number_of(x) is None for x in operands):
            break
        fresh: list[_Fresh] = []
        numbers: list[int | None] = []
        for x, kind in zip(operands, step.inputs):
            number = None
            if isinstance(kind, Layout):
                number = _operand(noted, node, log, memories, fresh, x, kind)
                if number is None:
                    break
            numbers.append(number)
        target = None
        if given and len(numbers) == len(operands):
            target = _target(noted, node, log, memories, fresh, arguments[-1], step.layout)
        if noted.node is not node or noted.log is not log:
            continue  # it ran, since it is not to be read or stored to behind this one
        if len(numbers) < len(operands) or (given and target is None):
            break
        following = _follow(noted, node, step, tuple(numbers), target, fresh)
        if following is not None and (following.checked or node.leaves):
            if holding.holds_more(noted, following, log, fresh):
                noted.run()
                following = None
        if following is None:
            if noted.node is node and noted.log is log:
                break  # it is what runs now that asks
            continue
        result = arguments[-1] if given else object.__new__(_array.array_class)
        if not given:
            result._layout = step.layout
        first = STORED if target is not None and target < 0 else result
        read: list[Any] = []
        added = {}
        for memory, pointer, _, shared in fresh:
            if shared is None:
                added[memory] = node.length + 2 + len(read)
            read += [memory if shared is None else None, pointer]
        entry = (first, place, *read, *scalars)
        # There is no interrupt from here on.
        if noted.node is node and noted.log is log and noted.begun:
            memories |= added
            log += entry
            if target is not None:
                if target < 0:
                    noted.stream.plans = noted.storing
                else:
                    log[node.results[target]] = None
            noted.node = following
            if following.sources is not None and not following.checked:
                node.next = following
            return result
    return run(*arguments)


def _operand(
    noted: Deferred,
    node: Node,
    log: list[Any],
    memories: dict[Any, int],
    fresh: list[_Fresh],
    x: Any,
    layout: Layout,
) -> int | None:
    """The number of an operand; None if operations on it are not recorded."""
    for number, place in enumerate(node.results):
        if log[place] is x:
            return number
    memory = x._memory  # which runs what it is a result of, on another stream
    pointer, own = x._pointer, _layout.own(layout)
    known = len(node.leaves)
    for k, leaf in enumerate(node.leaves):
        if log[leaf.address] == pointer and _layout.own(leaf.layout) is own:
            return node.stores.get(~k, ~k)
    for k, (_, address, other, _) in enumerate(fresh):
        if address == pointer and _layout.own(other) is own:
            return ~(known + k)
    if type(memory) is not Allocation or memory.stream is not noted.stream or id(memory) in exposed:
        return None  # others may store there without being seen
    shared = memories.get(memory)
    if shared is not None:
        for target in node.stores:
            leaf = node.leaves[~target]
            if leaf.memory == shared and _layout.overlap(
                layout, pointer, leaf.layout, log[leaf.address]
            ):
                noted.run()
                return None
    for k, (other, *_) in enumerate(fresh):
        if shared is None and other is memory:
            shared = node.length + 2 + 2 * k
    fresh.append((memory, pointer, layout, shared))
    return ~(known + len(fresh) - 1)


def _target(
    noted: Deferred,
    node: Node,
    log: list[Any],
    memories: dict[Any, int],
    fresh: list[_Fresh],
    y: Any,
    layout: Layout,
) -> int | None:
    """The number of what a result is stored to; None if the operation is not recorded.

    What is recorded runs first if it reads some of the elements otherwise.
    """
    found = _operand(noted, node, log, memories, fresh, y, layout)
    if found is None:
        return None
    if found >= 0:
        stored = node.at(found).target
        if stored is None or stored >= 0:
            return found
        found = stored
    memory = y._memory
    leaves = [(log[x.memory], log[x.address], x.layout) for x in node.leaves]
    leaves += [(other, address, kind) for other, address, kind, _ in fresh]
    for k, (other, address, kind) in enumerate(leaves):
        if ~k != found and other is memory and _layout.overlap(layout, y._pointer, kind, address):
            if node.number:
                noted.run()
            return None  # an operand of this operation
    return found


def _follow(
    noted: Deferred,
    node: Node,
    step: Step,
    operands: tuple[int | None, ...],
    target: int | None,
    fresh: Sequence[_Fresh],
) -> Node | None:
    """The sequence with one more operation; None if what is recorded had to run first."""
    shared = tuple([x[3] for x in fresh])
    key = (step, operands, target, shared)
    found = node.children.get(key)
    if found is not None:
        return found
    if node.number >= MOST_OPERATIONS:
        noted.run()
        return None
    if noted.sequences >= MOST_SEQUENCES:
        noted.forget_sequences()
        return None
    if target in node.viewed:  # the views show the new elements, too
        noted.run()
        return None
    for x, kind in zip((*operands, target), (*step.inputs[: len(operands)], step.layout)):
        if x is not None and x >= 0:
            if _layout.own(node.at(x).step.layout) is not _layout.own(kind):
                noted.run()  # its shape was changed meanwhile
                return None
    noted.sequences += 1
    made = node.child(Use(step, operands, target), tuple([(x[2], x[3]) for x in fresh]))
    return node.children.setdefault(key, made)


def view(noted: Deferred, array: Any, layout: Layout, offset: int) -> Any:
    """Record a view of a result; its elements, if it cannot be recorded."""
    while True:
        node, log, parent = noted.node, noted.log, noted.number_of(array)
        use = None if parent is None or noted.node is not node else node.at(parent)
        if parent is None or use is None:
            break
        alike = _layout.own(use.step.layout) is _layout.own(array._layout)
        start = offset
        if isinstance(use.step, View):
            start += use.step.offset
            assert use.operands[0] is not None
            parent = use.operands[0]
        result = node.at(parent).step.layout
        room = node.number < MOST_OPERATIONS and noted.sequences < MOST_SEQUENCES
        if not (alike and room and layout.size and layout.dtype == result.dtype):
            break
        following = node.children.get((layout, start, parent))
        if following is None:
            noted.sequences += 1
            made = node.child(Use(View(layout, start), (parent,)))
            following = node.children.setdefault((layout, start, parent), made)
        seen = object.__new__(_array.array_class)
        seen._layout = layout
        entry = (seen, log[node.results[parent] + 1])
        # There is no interrupt from here on.
        if noted.node is node and noted.log is log and noted.begun:
            log += entry
            noted.node = following
            return seen
    memory, pointer = _array.place(array)
    return _array.wrap(memory, pointer + offset, layout)
