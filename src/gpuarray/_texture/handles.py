"""Handles of the driver's that live as long as the work that uses them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from gpuarray import errors
from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device, lost_error
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream import Stream
from gpuarray._runtime.stream_work import StreamWork

#: When so many streams use a handle, those whose work has ended are forgotten.
_MANY = 32


class Handle:
    """A handle of the driver's, with what must live as long.

    It is destroyed when nothing refers to this object and the work that is known to use it has
    ended. Until then it waits in `_retired`.
    """

    __slots__ = ("destroy", "device", "generation", "keeps", "number", "users")

    def __init__(self, create: Callable[..., int], destroy: str, *args: Any, keeps: Any = None):
        _destroy_retired()
        self.device = current.stream.device
        self.generation = self.device.generation
        self.destroy = destroy
        self.keeps = keeps
        #: Streams with work that may use the handle.
        self.users: set[StreamWork] = set()
        with driver.relaxed_capture():
            self.number = create(*args)

    @property
    def lost(self) -> bool:
        """Whether a reset of the device took the handle away."""
        return self.generation != self.device.generation

    def used_by(self, stream: Stream, what: str) -> bool:
        """Note that work which is queued on a stream uses the handle; whether that is new."""
        if self.lost:
            raise lost_error(what, self.device)
        capture = stream.ongoing_capture
        work = stream.work
        if capture is None and work in self.users:
            return False
        if stream.device is not self.device:
            raise ValueError(
                f"{what} belongs to {self.device} and cannot be used on {stream.device}; make one "
                f"inside 'with Device({stream.device.id})'"
            )
        if capture is not None:
            capture.keep(self)
        else:
            self._add(work)
        return True

    def _add(self, work: StreamWork) -> None:
        if len(self.users) >= _MANY:
            self.users.difference_update([one for one in tuple(self.users) if _has_ended(one)])
        work.noted = True
        self.users.add(work)

    def launched_on(self, stream: Stream) -> None:
        """Note that a launch of a graph, which is queued on a stream, uses the handle."""
        self._add(stream.work)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        number = getattr(self, "number", None)
        if number is None or self.lost or ending() or driver.forked():
            return
        _retired.append(
            (number, self.destroy, self.device, self.generation, self.users, self.keeps)
        )
        _destroy_retired()


#: Handles whose objects are gone: number, name of the driver's function that destroys it, device
#: and its generation, the work that may use it, and what lives as long.
_retired: list[tuple[int, str, Device, int, set[StreamWork], Any]] = []


def _destroy_retired() -> None:
    """Destroy the handles that no work uses any more."""
    for _ in range(len(_retired)):
        try:
            entry = _retired.pop(0)
        except IndexError:  # another thread took the last one
            return
        number, destroy, device, generation, users, _ = entry
        if generation != device.generation:
            continue
        if all(map(_has_ended, users)):
            with driver.relaxed_capture():
                give_back(partial(_destroy, destroy, device), number)
        else:
            _retired.append(entry)


def _destroy(destroy: str, device: Device, number: int) -> None:
    with device:
        getattr(driver, destroy)(number)


def _has_ended(work: StreamWork) -> bool:
    """Whether work on a stream is known to have ended."""
    try:
        # A stream that is captured must not be asked, nor the default stream meanwhile.
        if work._stream() is not None and driver.stream_is_capturing(work.handle):
            return False
        return work.done
    except errors.DriverError:
        return False
