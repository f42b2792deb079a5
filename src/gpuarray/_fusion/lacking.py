"""What arrays and streams lack while something is recorded, and what is done when it is asked for.

`memory_of` and `handle_of` become `__getattr__` of the arrays' and the streams' classes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gpuarray import _array
from gpuarray._fusion import noting
from gpuarray._fusion.batches import SLOTS, has_memory
from gpuarray._fusion.deferred import Deferred
from gpuarray._fusion.steps import View
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import deferring_streams
from gpuarray._runtime.stream import Stream

#: What is asked of arrays that may have no memory yet: see gpuarray._array.
_QUESTIONS = frozenset(["_held", "_viewed", "_noted_on", "_noted_root", "_noted_view"])


def _answer(deferred: Deferred, array: Any, name: str) -> Any:
    """What is asked of an array that has no memory yet."""
    if name == "_held":
        return None
    if name == "_noted_on":
        return deferred.stream
    if name == "_noted_view":
        return partial(noting.view, deferred, array)
    node, number = deferred.node, deferred.number_of(array)
    if number is None or deferred.node is not node:  # it is about to be computed
        return id(array._memory)
    use = node.at(number)
    return deferred, use.operands[0] if isinstance(use.step, View) else number


def memory_of(array: Any, name: str) -> Any:
    """What an array lacks: the memory or the address of a result that is still to be computed.

    As `_held` that memory is None; as `_viewed` it raises. `_noted_on` is the stream on which it
    will be computed, `_noted_view` makes a view of it, and `_noted_root` is equal for views of one
    result.
    """
    found = SLOTS.get(name)
    if found is not None:
        several = list(deferring_streams.values())
        for deferred in several:
            if len(several) == 1 or deferred.computes(array):
                deferred.run()
        try:
            return found.__get__(array)
        except AttributeError:
            raise AttributeError(
                "this array has no memory: if it was recorded, running it has failed twice, with "
                "the errors that were raised then; compute it again",
                name=name,
                obj=array,
            ) from None
    if name in _QUESTIONS:
        for deferred in list(deferring_streams.values()):
            if deferred.computes(array):
                if name == "_viewed":
                    raise _array.NotComputed
                return _answer(deferred, array, name)
        if has_memory(array):  # which another thread may have given it
            if name == "_noted_on":
                return array._memory.stream
            if name == "_noted_root":
                return id(array._memory)
            if name == "_noted_view":
                return partial(_array.shifted, array)
            return array._memory
    raise AttributeError(
        f"{type(array).__name__!r} object has no attribute {name!r}", name=name, obj=array
    )


def handle_of(stream: Stream, name: str) -> Any:
    """What a stream lacks on which something is recorded."""
    if name == "handle" or name == "argument":
        found = deferring_streams.get(id(stream))
        if found is not None:
            return found.attribute(name)
        return object.__getattribute__(stream, name)  # another thread has put it back meanwhile
    raise AttributeError(
        f"{type(stream).__name__!r} object has no attribute {name!r}", name=name, obj=stream
    )


# They become methods of public classes.
without_annotations({"memory_of": memory_of, "handle_of": handle_of})
