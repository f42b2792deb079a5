"""Plans of cuFFT: a small cache for each device, and calls that take a plan out of it.

A plan belongs to the call that executes it, from the call that sets its stream and work area to the
one that queues the transform; then the next call of any stream and thread can have it. So threads
never share one, and a device has as many as run at the same time. Work areas come from the stream's
pool when a transform is executed, which leaves a plan with its tables only.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _fork
from gpuarray._config import config
from gpuarray._ffi import cufft, driver
from gpuarray._ffi.library_kinds import COMPLEX_HALF
from gpuarray._runtime import allocator
from gpuarray._runtime.device import Device
from gpuarray._runtime.library_call import BoundCall
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CuFFTError

__all__ = ["DEFAULT_SIZE", "Geometry", "PlanCache", "TransformCall", "cache_of"]

#: The plans of a device that are kept by default.
DEFAULT_SIZE = 16


class Geometry(NamedTuple):
    """What a plan is made for."""

    n: tuple[int, ...]
    inembed: tuple[int, ...]
    istride: int
    idist: int
    inputtype: np.dtype
    onembed: tuple[int, ...]
    ostride: int
    odist: int
    outputtype: np.dtype
    batch: int

    @property
    def executiontype(self) -> np.dtype:
        return self.outputtype if self.inputtype.kind == "f" else self.inputtype


class Plan:
    """A plan of cuFFT on the current device; destroyed when nothing has it."""

    __slots__ = ("area", "device", "generation", "handle", "nbytes", "stream")

    def __init__(self, geometry: Geometry, device: Device) -> None:
        self.device = device
        self.generation = device.generation
        self.stream = self.area = 0
        self.nbytes = 0
        # The library allocates its tables and fills them, which a capture would not survive.
        with driver.relaxed_capture():
            self.handle = cufft.library.cufftCreate()
            cufft.library.cufftSetAutoAllocation(self.handle, 0)
            n, inembed, onembed = [
                np.array(lengths, np.int64)
                for lengths in (geometry.n, geometry.inembed, geometry.onembed)
            ]
            self.nbytes = cufft.library.cufftXtMakePlanMany(
                self.handle,
                len(geometry.n),
                n.ctypes.data,
                inembed.ctypes.data,
                geometry.istride,
                geometry.idist,
                _TYPES[geometry.inputtype],
                onembed.ctypes.data,
                geometry.ostride,
                geometry.odist,
                _TYPES[geometry.outputtype],
                geometry.batch,
                _TYPES[geometry.executiontype],
            )
            if not self.nbytes:
                # Nothing is to be set before an execution, so it is said now that there is none.
                cufft.library.cufftSetWorkArea(self.handle, 0)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process this module's names may be gone, so it has the function.
        handle = getattr(self, "handle", None)
        if handle is not None and not ending() and self.generation == self.device.generation:
            give_back(partial(_destroy, self.device, self.generation), handle)


def _destroy(device: Device, generation: int, handle: int) -> None:
    """Destroy a plan, unless a reset has done it; after a fault its status says nothing."""
    if generation == device.generation:
        with device:
            cufft.library.raw("cufftDestroy")(handle)


#: The cudaDataType of each dtype.
_TYPES = {
    np.dtype("f4"): 0,
    np.dtype("f8"): 1,
    np.dtype("f2"): 2,
    np.dtype("c8"): 4,
    np.dtype("c16"): 5,
    COMPLEX_HALF: 6,
}


class Entry:
    """The plans of one geometry on a device, as a cache keeps them."""

    __slots__ = ("__weakref__", "geometry", "kept", "last", "made", "spare", "uses")

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        #: Plans that no call has at the moment.
        self.spare: list[Plan] = []
        #: Whether the cache has it. (A call need not look: geometries take long to hash.)
        self.kept = False
        #: How many plans were made, how many calls there were, and when the last one was.
        self.made = self.uses = self.last = 0

    @property
    def nbytes(self) -> int:
        """The work area of one execution."""
        return self.spare[0].nbytes if self.spare else 0


class PlanCache:
    """The plans of one device, of which those that were not used for longest are given up.

    Parameters
    ----------
    device : Device
        The device.

    Notes
    -----
    A call that was planned stays planned: if its plan of cuFFT is given up, it makes another.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.size = DEFAULT_SIZE
        #: The bytes of work areas that executions of all plans at once would need; -1 is no limit.
        self.memsize = -1
        self.entries: dict[Geometry, Entry] = {}
        #: Those of all calls that were planned.
        self._known: weakref.WeakValueDictionary[Geometry, Entry] = weakref.WeakValueDictionary()
        self.clock = itertools.count(1)
        self._lock = _fork.new_lock()
        #: Of entries that are gone.
        self._past_uses = self._past_made = 0

    def entry(self, geometry: Geometry) -> Entry:
        """The entry of a geometry, which need not be in the cache."""
        return self._known.get(geometry) or self._known.setdefault(geometry, Entry(geometry))

    def make(self, entry: Entry) -> Plan:
        """A new plan for a call, whose entry is in the cache from now on."""
        try:
            plan = Plan(entry.geometry, self.device)
        except CuFFTError as error:
            # A library that gets no memory may say just "internal error".
            if error.status not in [cufft.library.refusals[x] for x in ("memory", "internal")]:
                raise
            self.clear()
            allocator.free_idle_memory()
            plan = Plan(entry.geometry, self.device)
        entry.made += 1
        with self._lock:
            if self.size:
                new = entry.geometry not in self.entries
                self.entries[entry.geometry] = entry
                entry.kept = True
                entry.last = next(self.clock)
                self._shrink(entry, plan.nbytes if new else 0)
        return plan

    def _shrink(self, newest: Entry | None = None, nbytes: int = 0) -> None:
        """Drop what was not used for longest, until the limits hold."""
        total = nbytes + sum([entry.nbytes for entry in self.entries.values()])
        while len(self.entries) > self.size or 0 <= self.memsize < total:
            others = [entry for entry in self.entries.values() if entry is not newest]
            if not others:
                break
            oldest = min(others, key=lambda entry: entry.last)
            total -= oldest.nbytes
            self._drop(oldest)

    def _drop(self, entry: Entry) -> None:
        del self.entries[entry.geometry]
        entry.kept = False
        self._past_uses += entry.uses
        self._past_made += entry.made
        entry.uses = entry.made = 0
        entry.spare.clear()

    def clear(self) -> None:
        """Give up all plans, and forget the statistics."""
        with self._lock:
            for entry in list(self.entries.values()):
                self._drop(entry)
            self._past_uses = self._past_made = 0

    def set_size(self, size: int) -> None:
        """Set how many geometries are kept; with 0 each call makes its plan."""
        with self._lock:
            self.size = size
            self._shrink()

    def set_memsize(self, memsize: int) -> None:
        """Set how many bytes the work areas may have, or -1."""
        with self._lock:
            self.memsize = memsize
            self._shrink()

    @property
    def current_memsize(self) -> int:
        """The bytes of the work areas of all plans."""
        return sum([entry.nbytes for entry in list(self.entries.values())])

    @property
    def misses(self) -> int:
        """How many plans were made."""
        return self._past_made + sum([entry.made for entry in list(self.entries.values())])

    @property
    def hits(self) -> int:
        """How many executions found a plan."""
        uses = self._past_uses + sum([entry.uses for entry in list(self.entries.values())])
        return max(uses - self.misses, 0)


_caches: dict[int, PlanCache] = {}


def cache_of(device: Device) -> PlanCache:
    """The cache of a device."""
    found = _caches.get(device.id)
    if found is None:
        found = _caches.setdefault(device.id, PlanCache(device))
    return found


def _forget(device: Device) -> None:
    # Limits stay.
    cache = _caches.get(device.id)
    if cache is not None:
        cache.clear()


Device.when_reset(_forget)


class _NoHandle:
    """Stands for a library's handle: a call stores that of its plan."""

    handle = 0


class TransformCall(BoundCall):
    """Calls of one transform, at several places of the arrays.

    Its pointers are ``input`` and ``output``.

    Parameters
    ----------
    geometry : Geometry
        Of the plan.
    direction : int
        The sign of the exponent.
    stream : Stream
        Where it runs.
    offsets : sequence of tuple of int
        For each call the bytes from the beginning of the input and of the output.
    """

    __slots__ = ("_execute",)

    kind = "repeated library call"

    def __init__(
        self,
        geometry: Geometry,
        direction: int,
        stream: Stream,
        offsets: Sequence[tuple[int, int]] = ((0, 0),),
    ) -> None:
        pointers = ("input", "output")
        values = {"direction": direction}
        super().__init__(cufft.library, "cufftXtExec", values, pointers, _NoHandle, stream)
        function = self.function
        cache = cache_of(stream.device)
        entry = cache.entry(geometry)
        clock, take, give, make = cache.clock, entry.spare.pop, entry.spare.append, cache.make
        number = stream.handle
        allocate = allocator.allocate
        capture = stream.ongoing_capture
        debug = config.debug
        at_once = not debug and len(offsets) == 1 and offsets[0] == (0, 0)

        def execute(words: Any, *arguments: Any) -> int:
            try:
                plan = take()
            except IndexError:
                plan = make(entry)
            entry.uses += 1
            entry.last = next(clock)
            words[2] = plan.handle
            if plan.stream != number:
                cufft.library.cufftSetStream(plan.handle, number)
                plan.stream = number
            if capture is not None:
                capture.keep(plan)  # its tables are the graph's as well
            if plan.nbytes:
                _area, address = allocate(plan.nbytes, stream)  # the stream's, until it returns
                if plan.area != address:
                    cufft.library.cufftSetWorkArea(plan.handle, address)
                    plan.area = address
            if at_once:
                status = function(*arguments)
            else:
                given = (words, *arguments) if debug else arguments
                first, second = words[0], words[1]
                for source, target in offsets:
                    words[0], words[1] = first + source, second + target
                    status = function(*given)
                    if status:
                        break
            if entry.kept:
                give(plan)
            return status

        self._execute = execute

    def constants(self) -> dict[str, Any]:
        return {**super().constants(), "function": self._execute}
