"""`graphed`: a function whose launches are captured once for arguments of given layouts."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array, _fork, _interchange, _layout
from gpuarray._ffi import driver
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime import allocator
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.event import Event
from gpuarray._runtime.graph import Graph, captured
from gpuarray._runtime.memory import BaseMemory
from gpuarray._runtime.plans import static
from gpuarray._runtime.pool import Allocation
from gpuarray._runtime.relocation import Observer, Place, Range, order_of
from gpuarray._runtime.stream import Stream
from gpuarray.errors import DriverError, HostArrayError

__all__ = ["graphed"]

#: Kernels load and store up to 16 bytes at once, which an array's address must allow or not.
_ALIGNMENT = 16


class _OfAnotherLibrary(Exception):
    """An argument is an array of another library."""


class _Result(NamedTuple):
    """An array that a function returns: in memory of a number, or else always the same."""

    number: int  # of operands first, then of results; -1 for an array from elsewhere
    offset: int
    layout: Any
    same: Any = None


def graphed(function: Callable[..., Any] | None = None, *, maxsize: int = 16) -> Any:
    """Capture a function's launches at its first call, and launch them as a graph from then on.

    The function's Python runs at the first call with arguments of given layouts. Later calls with
    such arguments launch the graph with their arrays in place of those of the first one, at a
    fraction of the cost. So the function must do the same for all arrays of one layout: it cannot
    look at values (`CaptureError`), and what it does besides launching, such as printing, happens
    at captures alone.

    Parameters
    ----------
    function : callable
        Takes arrays, also in tuples, lists and dicts, and anything else that has a hash. It may
        change arrays in place and return arrays, in tuples, lists and dicts as well.
    maxsize : int, optional
        How many captures are kept; the one that was not used for the longest time goes first.

    Returns
    -------
    callable
        Called as the function is; ``__wrapped__`` is that one, ``cache_clear()`` forgets the
        captures and ``cache_len()`` says how many there are. Without a function: a decorator.

    Raises
    ------
    TypeError
        If the function is none.
    ValueError
        If `maxsize` is not a positive integer.

    Notes
    -----
    Arrays that are returned are new ones, or views of arguments, as without the decorator. Numbers
    and other arguments that are no arrays are parts of the graph, so a new value means a new
    capture. Arrays from closures and modules are used where they were at the capture, and kept.

    Where the graph has work of a C library (cuBLAS), or a kernel that gets an address as an integer
    or within a structure, arrays at other addresses mean that the function runs again, to update
    the graph.

    While the current stream is being captured, the function runs as it is.

    Examples
    --------
    >>> import gpuarray as cp
    >>> @cp.cuda.graphed
    ... def normalized(x, scale=1):
    ...     y = x - x.mean()
    ...     return y / abs(y).max() * scale
    >>> normalized(cp.asarray([1.0, 2.0, 3.0, 6.0]), scale=3)
    array([-2., -1.,  0.,  3.])
    >>> normalized(cp.asarray([3.0, 3.0, 5.0, 5.0]), scale=3)
    array([-3., -3.,  3.,  3.])
    >>> normalized.cache_len()
    1
    """
    if type(maxsize) is not int or maxsize < 1:
        raise ValueError(f"graphed: maxsize={maxsize!r} is not a positive integer")
    if function is None:
        return functools.partial(graphed, maxsize=maxsize)
    if not callable(function):
        raise TypeError(f"graphed: the function is callable, not {function!r}")
    return _GraphedFunction(function, maxsize)


class _GraphedFunction:
    """A function, and its captures."""

    __wrapped__: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], maxsize: int):
        functools.update_wrapper(self, function)
        self._maxsize = maxsize
        self._lock = _fork.new_rlock()
        self._captures: OrderedDict[Any, _Capture] = OrderedDict()
        self._streams: dict[tuple[int, int], Stream] = {}

    def __repr__(self) -> str:
        return f"<graphed {self.__wrapped__!r}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def cache_clear(self) -> None:
        """Forget all captures."""
        with self._lock:
            self._captures.clear()

    def cache_len(self) -> int:
        """How many captures are kept."""
        return len(self._captures)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        stream = current.stream
        if stream.ongoing_capture is not None:
            return self.__wrapped__(*args, **kwargs)
        operands: list[Any] = []
        parts: list[Any] = []
        cls = _array.array_class
        try:
            for x in args:
                if type(x) is cls:
                    operands.append(x)
                    parts.append(x._layout)
                else:
                    parts.append(self._key(x, operands))
            named = self._key(kwargs, operands) if kwargs else None
        except _OfAnotherLibrary:
            args, kwargs = self._on_device(args), self._on_device(kwargs)
            return self(*args, **kwargs)
        device = stream.device
        starts = _array.addresses_of(operands)
        aliases = _aliases(operands, starts) if len(operands) > 1 else ()
        alignment = tuple([start % _ALIGNMENT for start in starts])
        key = (device.id, device.generation, tuple(parts), named, alignment, aliases)
        with self._lock:
            found = self._captures.get(key)
            if found is None:
                while len(self._captures) >= self._maxsize:
                    self._captures.popitem(last=False)
                found = _Capture(self.__wrapped__, self._stream(stream))
                found.record(args, kwargs, operands)
                self._captures[key] = found
            else:
                self._captures.move_to_end(key)
            return found.run(stream, args, kwargs, operands, starts)

    def _stream(self, stream: Stream) -> Stream:
        """The stream for captures on the device of another one."""
        key = stream.device.id, stream.device.generation
        if key not in self._streams:
            self._streams[key] = Stream(non_blocking=True)
        return self._streams[key]

    def _on_device(self, value: Any) -> Any:
        """Arguments with arrays of ours in place of other libraries' arrays on the device."""
        if isinstance(value, dict):
            return {name: self._on_device(x) for name, x in value.items()}
        if isinstance(value, tuple | list):
            return _like(value, [self._on_device(x) for x in value])
        if not isinstance(value, _array.ArrayBase) and hasattr(value, "__cuda_array_interface__"):
            return _interchange.from_interface(value, self._name)
        return value

    @property
    def _name(self) -> str:
        return getattr(self.__wrapped__, "__name__", "graphed")

    def _key(self, value: Any, operands: list[Any]) -> Any:
        """What of the arguments a capture depends on; the arrays among them are added."""
        if isinstance(value, _array.ArrayBase):
            operands.append(value)
            return value._layout
        if isinstance(value, dict):
            names = list(value)
            return dict, tuple(names), tuple([self._key(value[x], operands) for x in names])
        if isinstance(value, tuple | list):
            return type(value), tuple([self._key(x, operands) for x in value])
        if isinstance(value, np.ndarray):
            raise HostArrayError(
                f"{self._name}: a graph cannot depend on a NumPy array; move it to the device by "
                "asarray first"
            )
        if hasattr(value, "__cuda_array_interface__"):
            raise _OfAnotherLibrary
        found = static(value)
        try:
            hash(found)
        except TypeError:
            raise TypeError(
                f"{self._name}: arguments of a graphed function are arrays or have a hash, not "
                f"{type(value).__name__}"
            ) from None
        return found


def _like(sequence: Any, items: list[Any]) -> Any:
    """A tuple, a named tuple or a list of the same type with other items."""
    kind = type(sequence)
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def _aliases(operands: Sequence[Any], starts: Sequence[int]) -> tuple:
    """Which operands overlap, and how: kernels for those may be others."""
    memories = set()
    access = 0
    for x in operands:
        memories.add(id(x._memory))
        access |= x._layout.access
    if len(memories) == len(operands) and not access & _layout.FOREIGN:
        return ()
    return tuple(
        [
            (i, j, starts[j] - starts[i])
            for j, b in enumerate(operands)
            for i, a in enumerate(operands[:j])
            if _array.overlap(a, b)
        ]
    )


class _OperandMemory(BaseMemory):
    """The memory of an operand, for a function that is captured."""

    __slots__ = (
        "device",
        "foreign",
        "generation",
        "owner",
        "pointer",
        "size",
        "stream",
        "writable",
    )

    def __init__(self, owner: BaseMemory, stream: Stream):
        self.owner = owner
        self.pointer, self.size, self.device = owner.pointer, owner.size, owner.device
        self.foreign, self.writable = owner.foreign, owner.writable
        self.generation = owner.device.generation
        self.stream = stream


class _Capture:
    """One capture of a function."""

    def __init__(self, function: Callable[..., Any], stream: Stream):
        self._function = function
        self._stream = stream
        self._graph: Graph | None = None
        #: Where operands and results are in the graph; None if it is for these addresses alone.
        self._places: list[tuple[driver.NodeParameters, list[Place]]] | None = None
        self._starts: list[int] = []
        self._sizes: list[int] = []
        self._result: Any = None
        #: Recorded behind copies of results that are always in the same memory.
        self._copied = Event(disable_timing=True)

    def record(self, args: Any, kwargs: Any, operands: list[Any], own: bool = True) -> None:
        """Capture the function with these arguments.

        With ``own`` operands have memory objects of their own for the function. So it is known
        whether the function uses the same memory by another way as well.
        """
        observers: list[Observer] = []
        given: dict[int, Any] = {}
        stream = self._stream
        with captured(stream, "relaxed", lambda x: observers.append(Observer(x))) as graph:
            if own:
                args, kwargs = self._with_own_memory((args, kwargs), operands, given)
            result = self._function(*args, **kwargs)
        memory: Any = graph._memory
        kept = {id(x) for x in memory.kept}
        originals = [x._memory for x in operands]
        if own and any(id(x) in kept for x in originals):
            self.record(args, kwargs, operands, own=False)
            return
        results: list[BaseMemory] = []
        passed = [given.get(id(x), x) for x in operands]
        self._result = self._described(result, passed, memory.members, results)
        self._starts = _array.addresses_of(operands) + [x.pointer for x in results]
        self._sizes = [x.size for x in results]
        self._places = self._found(graph, observers[0], operands, results) if own else None
        if self._places is None:
            memory.kept += originals
            if self._graph is not None:
                try:
                    self._graph.update(graph)
                    return
                except DriverError:
                    pass  # it has other nodes this time
        self._graph = graph

    def _with_own_memory(self, value: Any, operands: list[Any], given: dict[int, Any]) -> Any:
        """Arguments with other array objects for operands; those by the identity of operands."""
        if not given and operands:
            memories: dict[int, _OperandMemory] = {}
            for x in operands:
                memory = x._memory
                if memory.size and id(memory) not in memories:
                    memories[id(memory)] = _OperandMemory(memory, current.stream)
                found = memories.get(id(memory), memory)
                given[id(x)] = _array.wrap(found, _array.address_of(x), x._layout)
        if isinstance(value, _array.ArrayBase):
            return given[id(value)]
        if isinstance(value, dict):
            return {name: self._with_own_memory(x, operands, given) for name, x in value.items()}
        if isinstance(value, tuple | list):
            return _like(value, [self._with_own_memory(x, operands, given) for x in value])
        return value

    def _described(
        self, value: Any, operands: list[Any], members: Any, results: list[BaseMemory]
    ) -> Any:
        """A function's result with descriptions in place of arrays."""
        if isinstance(value, _array.ArrayBase):
            for number, x in enumerate(operands):
                if value is x:
                    return _Result(number, 0, None)
            for number, x in enumerate(operands):
                if value._memory is x._memory:
                    offset = _array.address_of(value) - _array.address_of(x)
                    return _Result(number, offset, value._layout)
            memory: Any = value._memory
            if isinstance(memory, Allocation) and any(memory.stream is x for x in members):
                if all(memory is not x for x in results):
                    results.append(memory)
                number = next(i for i, x in enumerate(results) if x is memory)
                offset = _array.address_of(value) - memory.pointer
                return _Result(len(operands) + number, offset, value._layout)
            return _Result(-1, 0, None, value)
        if isinstance(value, dict):
            return {
                name: self._described(x, operands, members, results) for name, x in value.items()
            }
        if isinstance(value, tuple | list):
            items = [self._described(x, operands, members, results) for x in value]
            return _like(value, items)
        return value

    def _found(
        self, graph: Graph, observer: Observer, operands: list[Any], results: list[BaseMemory]
    ) -> list[tuple[driver.NodeParameters, list[Place]]] | None:
        """Where the graph names operands and results; None if that cannot be told."""
        order = order_of(graph.graph)
        if order is None:
            return None
        ranges = [
            Range(start + x._layout.low, start + x._layout.high)
            for x, start in zip(operands, self._starts)
        ]
        for result in results:
            first = observer.nodes_before(result, order)
            if first is None:
                return None
            ranges.append(Range(result.pointer, result.pointer + result.size, first))
        others = [Range(x._memory.pointer, x._memory.pointer + x._memory.size) for x in operands]
        found = observer.places(order, ranges, others)
        if found is None:
            return None
        # An offset is counted from the first element, which need not be the first byte.
        begins = [x.start - start for x, start in zip(ranges, self._starts)]
        return [
            (node, [Place(word, k, begins[k] + offset) for word, k, offset in places])
            for node, places in found
        ]

    def run(
        self, stream: Stream, args: Any, kwargs: Any, operands: list[Any], starts: list[int]
    ) -> Any:
        """Launch the graph with these arrays, which have these addresses; the function's result."""
        fresh = [allocator.allocate(nbytes, stream) for nbytes in self._sizes]
        if self._places is None:
            return self._run_fixed(stream, args, kwargs, operands, fresh, starts)
        starts += [address for _, address in fresh]
        try:
            self._move(starts)
        except DriverError:
            # The driver does not change such a node.
            self.record(args, kwargs, operands, own=False)
            fresh = [allocator.allocate(nbytes, stream) for nbytes in self._sizes]
            return self._run_fixed(stream, args, kwargs, operands, fresh, starts)
        self._launch(stream, operands)
        memories = [x._memory for x in operands] + [memory for memory, _ in fresh]
        return self._results(self._result, operands, memories, starts)

    def _move(self, starts: list[int]) -> None:
        """Let the graph use operands and results at these addresses."""
        before = self._starts
        if before == starts:
            return
        moved = [new != old for new, old in zip(starts, before)]
        executable = self._graph.graphExec  # type: ignore[union-attr]  # recorded before
        self._starts = []  # as long as it has some of both
        for node, places in self._places:  # type: ignore[union-attr]
            words, changed = node.words, not before
            for word, number, offset in places:
                if not before or moved[number]:
                    words[word] = starts[number] + offset
                    changed = True
            if changed:
                node.set_in(executable)
        self._starts = starts

    def _launch(self, stream: Stream, operands: list[Any]) -> None:
        for x in operands:
            if x._memory.stream is not stream:
                x._memory.used_by(stream)
        self._graph.launch(stream)  # type: ignore[union-attr]

    def _run_fixed(
        self,
        stream: Stream,
        args: Any,
        kwargs: Any,
        operands: list[Any],
        fresh: list[tuple[BaseMemory, int]],
        starts: list[int],
    ) -> Any:
        """Launch a graph that has its operands where they are, and copy what it returns."""
        if self._starts[: len(operands)] != starts[: len(operands)]:
            self.record(args, kwargs, operands)
            fresh = [allocator.allocate(nbytes, stream) for nbytes in self._sizes]
            if self._places is not None:
                return self.run(stream, args, kwargs, operands, starts)
        stream.wait_event(self._copied)
        self._launch(stream, operands)
        starts = starts[: len(operands)]
        sources = self._starts[len(operands) :]
        for (_, address), source, nbytes in zip(fresh, sources, self._sizes):
            driver.memcpy_dtod_async(address, source, nbytes, stream.handle)
            starts.append(address)
        self._copied.record(stream)
        memories = [x._memory for x in operands] + [memory for memory, _ in fresh]
        return self._results(self._result, operands, memories, starts)

    def _results(
        self, described: Any, operands: list[Any], memories: list[Any], starts: list[int]
    ) -> Any:
        """A function's result with this call's arrays."""
        if type(described) is _Result:
            number, offset, layout, same = described
            if number < 0:
                return same
            if layout is None:
                return operands[number]
            return _array.wrap(memories[number], starts[number] + offset, layout)
        if isinstance(described, dict):
            return {
                name: self._results(x, operands, memories, starts) for name, x in described.items()
            }
        if isinstance(described, tuple | list):
            items = [self._results(x, operands, memories, starts) for x in described]
            return _like(described, items)
        return described


without_annotations(globals())
