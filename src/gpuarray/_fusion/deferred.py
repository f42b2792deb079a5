"""Operations that are recorded when they are called, and run when somebody looks at memory.

A plan of an operation on large arrays notes what it is called with and returns an array that has a
layout and no memory yet. When its memory is asked for, all that is noted on the stream runs, as few
kernels as possible (see gpuarray._fusion.chains).

Nothing on the path of a launch asks whether something is noted. An array without memory lacks the
two attributes, so that reading one of them leads to `lacking.memory_of`. A stream on which
something is noted lacks its handle, without which no call of the driver can be made on it, and has
a table of plans with nothing but plans that note operations, or read operands and give new
arrays: whatever else is looked up finds none, and asks here. So what waits, records an event or
copies runs everything first.

What is recorded becomes a `Batch`, which stays until all of it is queued, and so does what the
stream lacks: another thread may run what this one has recorded, and nothing that this one launches
meanwhile may overtake it. The thread that runs it comes by what the stream lacks the long way.
A batch that failed, or was interrupted, is resumed by whoever looks next.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from threading import get_ident
from typing import Any

from gpuarray import _array, _fork, _layout
from gpuarray._fusion.batches import ONLY_LISTED, STORED, Batch, has_memory
from gpuarray._fusion.steps import Node, Step, Use, View
from gpuarray._layout import Layout
from gpuarray._runtime import recording
from gpuarray._runtime.device import current, deferring_streams
from gpuarray._runtime.places import Place, running, text_of
from gpuarray._runtime.pool import Allocation, Block, exposed
from gpuarray._runtime.stream import PLAN_LIMIT, Stream
from gpuarray._ufunc.function import ufunc
from gpuarray.kernels.reduction.moments import Deviation
from gpuarray.kernels.reduction.rules import ArgReduction, Reduction
from gpuarray.kernels.scan.rules import Accumulation

#: From so many bytes of the result on an operation is recorded. On an H200 a lone one is slower for
#: it below 32 MiB, by up to 8 µs, and two that follow one another are quicker from 16 MiB on.
LEAST_BYTES = 16 << 20
#: What is recorded at most before it runs.
MOST_OPERATIONS = 64
#: Sequences of operations that a stream knows at most.
MOST_SEQUENCES = 4096

#: One for all streams: what runs the operations of one may have to run those of others.
_lock = _fork.new_rlock()


def _only_leaf() -> int:
    # As a local variable, as where it is compared: Python 3.14 counts those otherwise.
    for memory, _ in [(object(), 0)]:
        count = sys.getrefcount(memory)
    return count + 1


#: To memory that has one leaf.
_ONLY_LEAF = _only_leaf()

#: Small operands that nobody has any more do not matter: a share of 2**-6.
_SLACK = 6


class Deferred:
    """What is recorded on a stream and has not run.

    Attributes
    ----------
    node : Node
        The operations; `root` has none.
    arrays, leaves, scalars
        As of a `Batch`, arrays and scalars by their numbers; behind those of the operations there
        may be what does not matter.
    numbers : dict
        The operations whose results are pending, by the identity of those arrays.
    places : dict
        Where operations were called, by their numbers.
    table, storing : dict
        Plans that may be found while something is recorded, and while that stores to arrays that
        exist.
    batches : tuple of Batch
        What is about to run, or could not.
    small : set of Layout
        Layouts of small results of reductions, and of what follows from them: operations on them
        are recorded if they are pending, so that a sequence does not end there.
    """

    _SLOTS__ = (
        "__weakref__", "_argument", "_handle", "_plans", "_runner", "_sequences", "arrays",
        "batches", "begun", "held", "leaf_numbers", "leaves", "lock", "memories", "most", "node",
        "numbers", "places", "root", "run_recorded", "scalars", "small", "storing", "stream",
        "table",
    )  # fmt: skip

    def __init__(
        self,
        stream: Stream,
        run_recorded: Callable[[Stream, Batch], None],
    ):
        self.stream = stream
        self.run_recorded = run_recorded
        self.lock = _lock
        self.batches: tuple[Batch, ...] = ()
        #: Whether the stream lacks what it lacks then.
        self.begun = False
        #: The thread that runs them.
        self._runner = 0
        self.table: dict[Any, Any] = {}
        self.storing: dict[Any, Any] = {}
        self.small: set[Layout] = set()
        self.root = Node()
        self._sequences = 0
        # Functions that record have these objects, which stay the same.
        self.arrays: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}
        self.leaves: list[Any] = []
        self.leaf_numbers: dict[tuple[int, Layout], int] = {}
        self.scalars: dict[int, Any] = {}
        self.places: dict[int, Place] = {}
        #: Memory that is read by its identity, and how many references to it there are when nobody
        #: else has it.
        self.memories: dict[int, tuple[Any, int]] = {}
        self._clear()

    def _clear(self) -> None:
        """Forget what is recorded, all or a part: what is left does not matter.

        From the first line on nothing is found as an operand any more, from the second on nothing
        is recorded, and what the others drop is only kept for longer.
        """
        self.numbers.clear()
        self.leaf_numbers.clear()
        self.node = self.root
        self._forget()

    def forget_operands(self) -> None:
        """Forget those of an operation that was not recorded in the end."""
        if self.node is self.root:
            self._clear()

    def _forget(self) -> None:
        self.memories.clear()  # before leaves: what counts fewer references than there are is safe
        self.arrays.clear()
        self.leaves.clear()
        self.scalars.clear()
        self.places.clear()
        #: Bytes of the memory, and what running at once would have held at most, at least.
        self.held = self.most = 0

    # ---- recording -----------------------------------------------------------------------------
    #
    # In this order, so that an interrupt between any two lines leaves nothing half-recorded: what
    # is stored behind the operations of `node` does not matter.

    def operand(self, x: Any, layout: Layout) -> int | None:
        """The number of an array that has its memory; None if operations on it are not recorded."""
        pointer = x._pointer  # which runs what it is a result of, on another stream
        found = self.leaf_numbers.get((pointer, layout))
        if found is not None:
            return found
        own = _layout.own(layout)
        found = self.leaf_numbers.get((pointer, own))
        if found is not None:  # another view of the same elements
            self.leaf_numbers[pointer, layout] = found
            return found
        memory = x._memory
        if (
            type(memory) is not Allocation
            or memory.stream is not self.stream
            or id(memory) in exposed
        ):
            return None  # others may store there without being seen
        for target in self.node.stores:
            other = self.leaves[~target]
            if other._memory is memory and _array.overlap(x, other):
                self.run()
                break
        known = self.memories.get(id(memory))
        held = self.held if known is not None else self.held + memory.size
        number = id(memory)
        leaf = [_array.wrap(memory, pointer, layout)]
        found = ~len(self.leaves)
        # There is no interrupt from here on. One more reference has the table.
        self.held = held
        self.leaves += leaf
        self.memories[number] = memory, _ONLY_LEAF if known is None else known[1] + 1
        self.leaf_numbers[pointer, layout] = found
        self.leaf_numbers[pointer, own] = found
        return found

    def target(self, y: Any, layout: Layout) -> int | None:
        """The number of an array in memory that a result is stored to.

        None if the operation is not recorded. What is recorded runs first if it reads some of the
        elements otherwise.
        """
        found = self.operand(y, layout)
        if found is not None and found >= 0:
            found = self.node.at(found).target
        if found is None:
            return None
        memory = y._memory
        if self.memories[id(memory)][1] != _ONLY_LEAF:
            for number, other in enumerate(self.leaves):
                if ~number != found and other._memory is memory and _array.overlap(y, other):
                    if self.node is self.root:  # an operand of this operation
                        return None
                    self.run()
                    break
        return found

    def view(self, array: Any, layout: Layout, offset: int) -> Any:
        """Note a view of a result; its elements, if it cannot be noted."""
        with self.lock:
            node, parent = self.node, self.numbers.get(id(array))
            use = None if parent is None else node.at(parent)
            if parent is not None and use is not None:
                alike = _layout.own(use.step.layout) is _layout.own(array._layout)
                start = offset
                if isinstance(use.step, View):
                    start += use.step.offset
                    assert use.operands[0] is not None
                    parent = use.operands[0]
                result = node.at(parent).step.layout
                small = node.number < MOST_OPERATIONS and self._sequences < MOST_SEQUENCES
                if alike and small and layout.size and layout.dtype == result.dtype:
                    view = object.__new__(_array.array_class)
                    view._layout = layout
                    following = node.children.get((layout, start, parent))
                    if following is None:
                        self._sequences += 1
                        use = Use(View(layout, start), (parent,))
                        made = Node(node, use)
                        following = node.children.setdefault((layout, start, parent), made)
                    place = self.places[parent]
                    if self.node is node and self.begun:  # no collection has run what is recorded
                        self.places[node.number] = place
                        self.arrays[node.number] = view
                        self.node = following
                        self.numbers[id(view)] = node.number
                        return view
        memory, pointer = _array.place(array)
        return _array.wrap(memory, pointer + offset, layout)

    def store(self, following: Node, y: Any, target: int) -> bool:
        """Note an operation that stores to an array, or gives one that is pending a new result.

        False if what is recorded ran meanwhile, for a finalizer.
        """
        node, numbers = self.node, self.leaf_numbers
        number = node.number
        last = node.stores.get(target, target)
        changed = dict.fromkeys([x for x in numbers if target < 0 and numbers[x] == last], number)
        pending = {id(y): number}
        result, nobody = (STORED, None) if target < 0 else (y, object())
        stream, arrays, results = self.stream, self.arrays, self.numbers
        # There is no interrupt from here on.
        if self.node is not following.parent or not self.begun:
            return False
        arrays[number] = result
        if target < 0:
            numbers |= changed
            stream.plans = self.storing
        else:
            arrays[target] = nobody
            results |= pending
        self.node = following
        del nobody
        return True

    def follow(
        self, step: Step, operands: tuple[int | None, ...], target: int | None = None
    ) -> Node | None:
        """The sequence with one more operation; None if what is recorded had to run first."""
        node = self.node
        if node.number >= MOST_OPERATIONS or self._sequences >= MOST_SEQUENCES:
            self.run()
            if self._sequences >= MOST_SEQUENCES:
                self.root, self._sequences = Node(), 0
                self._clear()
            return None
        if target in node.viewed:  # the views show the new elements, too
            self.run()
            return None
        for x, kind in zip((*operands, target), (*step.inputs[: len(operands)], step.layout)):
            if x is not None and x >= 0:
                if _layout.own(node.at(x).step.layout) is not _layout.own(kind):
                    self.run()  # its shape was changed meanwhile
                    return None
        self._sequences += 1
        key = (step, *operands) if target is None else (step, *operands, target)
        return node.children.setdefault(key, Node(node, Use(step, operands, target)))

    def holds_more(self, following: Node) -> bool:
        """Whether running later would hold more memory than running at once.

        An operand that nobody has any more is freed later than if its operation had run. That must
        not be seen in what is in use at most.
        """
        number = following.number - 1
        if not number:
            return False
        uses = following.uses()
        nbytes = uses[number].step.nbytes if uses[number].target is None else 0
        for count, use in zip(map(sys.getrefcount, self.arrays.values()), uses[:number]):
            if count > ONLY_LISTED and isinstance(use.step, View):
                assert use.operands[0] is not None
                nbytes += following.at(use.operands[0]).step.nbytes
            elif count > ONLY_LISTED and (use.target is None or use.target >= 0):
                nbytes += use.step.nbytes
        # Running at once holds what is alive, but for the operands that nobody has any more.
        dropped = [x for x, only in self.memories.values() if sys.getrefcount(x) <= only]
        now = self.held + nbytes - sum([x.size for x in dropped])
        self.most = max(self.most, now)
        return self.held + nbytes > self.most + (self.most >> _SLACK)

    # ---- a stream on which something is recorded -----------------------------------------------

    def begin(self) -> None:
        """Let the stream lack what it lacks while something is recorded."""
        stream = self.stream
        deferring_streams[id(stream)] = self
        if not self.begun:  # there is no interrupt from here on
            self._plans, self._handle, self._argument = stream.plans, stream.handle, stream.argument
            stream.plans = self.table
            del stream.handle
            del stream.argument
            self.begun = True

    def _end(self) -> None:
        stream = self.stream
        if self.begun:
            stream.handle, stream.argument = self._handle, self._argument
            stream.plans = self._plans
            self.begun = False
        deferring_streams.pop(id(stream), None)

    def attribute(self, name: str) -> Any:
        """What the stream lacks, behind all that is recorded."""
        self.run()  # at once, if this thread is just about to
        return self._handle if name == "handle" else self._argument

    def find(self, key: tuple) -> Any:
        """A plan that is not in the table, as `Stream.older_plan` has to find it."""
        with self.lock:
            stream = self.stream
            if id(stream) in deferring_streams:
                plan = self._plans.get(key)
                if plan is None:
                    plan = stream.older_plans.pop(key, None)
                    if plan is not None:
                        self._plans[key] = plan
                if self._runner:
                    return plan
                if plan is not None and self._follows(key) and not recording.records(plan):
                    return None  # the plan that is there would read what is pending
                if plan is not None:
                    plan = self._meanwhile(key, plan)
                elif _only_reads(key):
                    return None
                if plan is not None:
                    return plan
                self.run()
            plan = stream.plans.get(key)
            return stream.older_plan(key) if plan is None else plan

    def _follows(self, key: tuple) -> bool:
        """Whether a key is an operation's on the small results of reductions."""
        return isinstance(key[0], ufunc) and not self.small.isdisjoint(key) and _only_reads(key)

    def keep(self, key: tuple, plan: Any) -> None:
        """Keep a plan that was made while something is recorded."""
        if getattr(plan, "only_meanwhile", False):
            self._meanwhile(key, plan)
            return
        if len(self._plans) >= PLAN_LIMIT:
            self.stream.older_plans, self._plans = self._plans, {}
        self._plans[key] = plan
        if not self._runner:
            self._meanwhile(key, plan)

    def _meanwhile(self, key: tuple, plan: Any) -> Any:
        """Keep a plan in the tables, as what takes results that are not computed.

        None for one that stores to arrays that exist, or is to read some that are stored to.
        """
        recorded = recording.records(plan)
        if recorded or _only_reads(key):
            for table in [self.table, self.storing] if recorded else [self.table]:
                if len(table) >= PLAN_LIMIT:
                    table.clear()
                table[key] = plan
            if recorded or self.stream.plans is not self.storing:
                return plan
        return None

    def add_small(self, layout: Layout) -> None:
        """Have operations on arrays of a layout planned anew while something is recorded."""
        if len(self.small) >= PLAN_LIMIT:
            self.small.clear()
        self.small.add(layout)

    def forget_plans(self) -> None:
        """Run what is recorded, before the stream has other plans."""
        self.run()
        self.table.clear()
        self.storing.clear()
        self.small.clear()
        self.root, self._sequences = Node(), 0
        self._clear()

    # ---- running -------------------------------------------------------------------------------

    def run(self) -> None:
        """Run what is recorded."""
        with self.lock:
            if self._runner:  # what runs it is what asks
                return
            self._take()
            try:
                self._runner = get_ident()
                stream = self.stream
                if not self.batches or current.stream.device is stream.device:
                    self._run_batches()
                else:
                    with stream.device:
                        self._run_batches()
                self._end()
            finally:
                self._runner = 0

    def _take(self) -> None:
        """Make a batch of what is recorded."""
        node = self.node
        if node is self.root:
            return
        # As in `_clear`: pending arrays are found among the arrays as well.
        self.numbers.clear()
        self.leaf_numbers.clear()
        batch = Batch(
            node,
            list(self.arrays.values())[: node.number],
            self.leaves[:],
            list(self.scalars.values()),
            list(self.places.values()),
        )
        for target, number in node.stores.items() if node.stores else ():
            memory, only = self.memories[id(self.leaves[~target]._memory)]
            if sys.getrefcount(memory) <= only and batch.arrays[number] is STORED:
                batch.unseen += (number,)
        # There is no interrupt between the two.
        self.batches, self.node = (*self.batches, batch), self.root
        self._forget()

    def _run_batches(self) -> None:
        for batch in self.batches:
            try:
                if self.stream.plan_kind:  # of a trace
                    with running(batch.places):
                        self.run_recorded(self.stream, batch)
                else:
                    self.run_recorded(self.stream, batch)
            except Exception as error:
                places = [batch.places[x] for x in sorted(batch.missing())]
                if places:
                    error.add_note(text_of(places))
                batch.failures += 1
                if batch.failures > 1:  # it must not stand in the way of everything for ever
                    self.batches = tuple([x for x in self.batches if x is not batch])
                raise
            self.batches = self.batches[1:]

    def computes(self, array: Any) -> bool:
        """Whether an array is a result that is recorded, or about to be computed."""
        lists: Iterable[Any] = [x.arrays for x in self.batches]
        return any(x is array for each in (list(self.arrays.values()), *lists) for x in each)

    def lose(self) -> None:
        """Forget everything, since a reset of the device took it away, or a fork."""
        pending = [*self.arrays.values(), *[x for batch in self.batches for x in batch.arrays]]
        for array in pending:
            if isinstance(array, _array.ArrayBase) and not has_memory(array):
                memory = Allocation(Block(0, 0), _nothing_to_free, self.stream)
                _array.fill_in(array, _array.wrap(memory, 0, array._layout))
        self._runner, self.batches, self.begun = 0, (), False
        self._clear()
        deferring_streams.pop(id(self.stream), None)


def _nothing_to_free(block: Block) -> None:
    """What returns memory that was lost."""


def _only_reads(key: tuple) -> bool:
    """Whether the plan under a key reads arrays, and stores to none that exists."""
    function = key[0]
    if isinstance(function, ufunc):
        nin, nout = function.nin, function.nout
        if len(key) == 1 + nin:
            return True
        # The key of every call: inputs, perhaps a mask, outputs, dtype, casting and order.
        outputs = key[1 + nin : 1 + nin + nout]
        return len(key) == 4 + nin + nout and all(x is None for x in outputs)
    if isinstance(function, Reduction):
        return len(key) == 4  # longer with a mask or an output
    if isinstance(function, Accumulation):
        return len(key) == 3  # longer with a dtype or an output
    if isinstance(function, ArgReduction):
        return len(key) == 4
    return isinstance(function, Deviation) and len(key) == 5
