"""Who has the most memory, for the message of an allocation that failed."""

from __future__ import annotations

import gc
import sys
from typing import Any

from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import BaseMemory

#: How many are named.
_MOST = 5
_PACKAGE = __name__.partition(".")[0]


def largest(device: Device) -> tuple[str, ...]:
    """A line for each of the largest memory objects of a device: size, arrays, where it is from."""
    found = [
        x
        for x in gc.get_objects()
        # `isinstance` would ask proxies what they stand for.
        if issubclass(type(x), BaseMemory) and not x.foreign
    ]
    living = [x for x in found if _size(x, device)]
    living.sort(key=lambda memory: memory.size, reverse=True)
    del found, living[_MOST:]
    arrays: dict[int, list[str]] = {}
    for referrer in gc.get_referrers(*living) if living else ():
        layout = getattr(type(referrer), "_layout", None) and referrer._layout
        if layout is not None:
            text = f"array of shape {layout.shape}, {layout.dtype}"
            arrays.setdefault(id(referrer._memory), []).append(text)
    return tuple([_line(memory, arrays.get(id(memory), [])) for memory in living])


def _size(memory: Any, device: Device) -> int:
    """The bytes of memory that is there, 0 if it is on another device."""
    try:
        return memory.size if memory.device is device and not memory.lost else 0
    except AttributeError:  # another thread is making it
        return 0


def _line(memory: BaseMemory, arrays: list[str]) -> str:
    text = f"{memory.size:,} bytes"
    if arrays:
        text += f": {arrays[0]}" + (f", and {len(arrays) - 1} more" if arrays[1:] else "")
    tracemalloc: Any = sys.modules.get("tracemalloc")  # whoever traces has imported it
    tracing = tracemalloc is not None and tracemalloc.is_tracing()
    trace = tracemalloc.get_object_traceback(memory) if tracing else None
    for frame in reversed(trace or ()):  # the most recent call comes last
        module = sys.modules.get(_PACKAGE)
        inside = frame.filename.startswith((*(module.__path__ if module else ()), "<"))
        if not inside:
            return f"{text}, allocated at {frame.filename}:{frame.lineno}"
    return text
