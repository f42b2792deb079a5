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

Who runs something has a lock; who records has none. What is recorded is a node and a log, and each
batch has another log. An operation is recorded by statements without a call: a comparison of both
with what its operands were looked up in, and two stores. Between these the interpreter looks at
nothing: neither another thread, nor a signal, nor a finalizer of the collector comes in. What takes
the log away does it likewise, and who finds another one begins anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CodeType
from typing import Any

from gpuarray import _array, _fork
from gpuarray._fusion.batches import Batch, has_memory
from gpuarray._fusion.sequences import Node
from gpuarray._layout import Layout
from gpuarray._runtime import current_stream, recording
from gpuarray._runtime.current_stream import current, deferring_streams
from gpuarray._runtime.places import running, text_of
from gpuarray._runtime.pool import Allocation, Block
from gpuarray._runtime.stream import PLAN_LIMIT, Stream
from gpuarray._ufunc.function import ufunc
from gpuarray.kernels.reduction.moments import Deviation
from gpuarray.kernels.reduction.rules import ArgReduction, Reduction
from gpuarray.kernels.scan.rules import Accumulation

#: An operation that ran alone so many times in a row is launched at once where it was called.
USUAL = 8
#: But for one of so many calls: it is recorded, since another operation may join it by now.
PROBED = 64

#: Whether operations are recorded, on all streams.
enabled = False

#: Whether arrays may lack memory for good, since running what they are results of failed twice.
lost = False

#: One for all streams: what runs the operations of one may have to run those of others.
_lock = _fork.new_rlock()


def enable(on: bool) -> None:
    """Record operations from now on, or run them at once."""
    global enabled
    enabled = on


def _refuses() -> bool:
    """Whether operations run at once.

    What is recorded would not be ordered with what other threads do on a device.
    """
    if not enabled:
        return True
    threads = current_stream.threads
    if len(threads) > 1:
        threads.intersection_update([x.ident for x in threading.enumerate()])
    return len(threads) > 1


class Deferred:
    """What is recorded on a stream and has not run.

    Attributes
    ----------
    node : Node
        The operations; `root` has none.
    log : list
        What they were called with: see `gpuarray._fusion.sequences`.
    memories : dict
        The places in the log of the memory of arrays, by that memory.
    most : int
        Bytes that running the operations at once would have held, if somebody looked.
    first : tuple of (dict, int)
        Where it is counted how often the first operation ran alone: the table, and the place of
        the call in it.
    begun : bool
        Whether the stream lacks what it lacks then. Only then something is recorded.
    code : code object
        The user's, that called an operation last.
    table, storing : dict
        Plans that may be found while something is recorded, and while that stores to arrays that
        exist.
    batches : tuple of Batch
        What is about to run, or could not.
    small : set of Layout
        Layouts of small results of reductions, and of what follows from them: operations on them
        are recorded if they are pending, so that a sequence does not end there.
    sequences : int
        How many the trie has.
    """

    __slots__ = (
        "__weakref__", "_argument", "_handle", "_key", "_plans", "_running", "batches", "begun",
        "code", "first", "lock", "log", "memories", "most", "node", "root", "run_recorded",
        "sequences", "small", "storing", "stream", "table",
    )  # fmt: skip

    def __init__(self, stream: Stream, run_recorded: Callable[[Stream, Batch], None]):
        self.stream = stream
        self.run_recorded = run_recorded
        self.lock = _lock
        self.batches: tuple[Batch, ...] = ()
        self.begun = False
        #: Whether a thread runs them.
        self._running = False
        self._key = id(stream)
        self.code: CodeType | None = None
        self.first: tuple[dict[int, int], int] = {}, 0
        self.table: dict[Any, Any] = {}
        self.storing: dict[Any, Any] = {}
        self.small: set[Layout] = set()
        self._lose()

    def _lose(self) -> None:
        """Begin anew, with nothing that is recorded."""
        log: list[Any] = []
        memories: dict[Any, int] = {}
        node, self.sequences, self.most = Node(), 0, 0
        # There is no interrupt from here on.
        self.root = self.node = node
        self.log, self.memories = log, memories

    def forget_sequences(self) -> None:
        """Run what is recorded, and have another trie."""
        while True:
            self.run()
            node = Node()
            if self.node is self.root:  # there is no interrupt from here on
                self.root = self.node = node
                self.sequences = 0
                return

    def number_of(self, array: Any) -> int | None:
        """The number of the operation whose result an array is."""
        node, log = self.node, self.log
        for number, place in enumerate(node.results):
            if log[place] is array:
                return number
        return None

    # ---- a stream on which something is recorded -----------------------------------------------

    def begin(self) -> bool:
        """Let the stream lack what it lacks while something is recorded; False if nothing is to be.

        Another thread that comes to the device notes that before it runs what is recorded. So
        either it is seen here, or that ends what begins here.
        """
        if not enabled:
            return False
        stream, key = self.stream, self._key
        # There is no interrupt until the call.
        deferring_streams[key] = self
        if not self.begun:
            self._plans, self._handle, self._argument = stream.plans, stream.handle, stream.argument
            stream.plans = self.table
            del stream.handle
            del stream.argument
            self.begun = True
        if not enabled or len(current_stream.threads) > 1:
            if _refuses():
                self.run()
                return False
        return True

    def _end(self) -> None:
        """Give the stream what it lacks, unless something was recorded meanwhile."""
        stream, key = self.stream, self._key
        if self.node is self.root and not self.batches:  # there is no interrupt from here on
            if self.begun:
                stream.handle, stream.argument = self._handle, self._argument
                stream.plans = self._plans
                self.begun = False
            if key in deferring_streams:
                del deferring_streams[key]

    def attribute(self, name: str) -> Any:
        """What the stream lacks, behind all that is recorded."""
        self.run()  # at once, if this thread is just about to
        return self._handle if name == "handle" else self._argument

    def find(self, key: tuple) -> Any:
        """A plan that is not in the table, as `Stream.older_plan` has to find it."""
        with self.lock:
            stream = self.stream
            if self._key in deferring_streams:
                plan = self._plans.get(key)
                if plan is None:
                    plan = stream.older_plans.pop(key, None)
                    if plan is not None:
                        self._plans[key] = plan
                if self._running:
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
        if not self._running:
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
        self.forget_sequences()
        self.table.clear()
        self.storing.clear()
        self.small.clear()

    # ---- running -------------------------------------------------------------------------------

    def run(self) -> None:
        """Run what is recorded."""
        with self.lock:
            if self._running:  # what runs it is what asks
                return
            if self.node is not self.root:
                self._take()
            if self.batches:
                device = self.stream.device
                try:
                    self._running = True
                    if current.stream.device is device:
                        self._run_batches()
                    else:
                        with device:
                            self._run_batches()
                finally:
                    self._running = False
            self._end()

    def _take(self) -> None:
        """Make a batch of what is recorded."""
        while (node := self.node) is not self.root:
            log: list[Any] = []
            memories: dict[Any, int] = {}
            batch = Batch(self.stream, node, self.log, self.most)
            batches = (*self.batches, batch)
            # There is no interrupt from here on.
            if self.node is node and self.log is batch.log:
                self.batches, self.node, self.most = batches, self.root, 0
                self.log, self.memories = log, memories
            if node.joined:
                times, call = self.first
                times[call] = 0

    def _run_batches(self) -> None:
        global lost
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
                    lost = True
                    self.batches = tuple([x for x in self.batches if x is not batch])
                raise
            self.batches = self.batches[1:]

    def computes(self, array: Any) -> bool:
        """Whether an array is a result that is recorded, or about to be computed."""
        # The log first: what takes it away meanwhile makes a batch of it.
        logs = [self.log]
        logs += [x.log for x in self.batches]
        return any(x is array for log in logs for x in log)

    def lose(self) -> None:
        """Forget everything, since a reset of the device took it away, or a fork."""
        for array in [*self.log, *[x for batch in self.batches for x in batch.log]]:
            if isinstance(array, _array.ArrayBase) and not has_memory(array):
                memory = Allocation(Block(0, 0), _nothing_to_free, self.stream)
                _array.fill_in(array, _array.wrap(memory, 0, array._layout))
        self._running, self.batches, self.begun = False, (), False
        self._lose()
        deferring_streams.pop(self._key, None)


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
