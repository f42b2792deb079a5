"""What dead objects held is freed, at once or where CUDA may be called again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import captured_streams, need_context
from gpuarray.errors import DriverError

_Handle = TypeVar("_Handle")

_CONTEXT_IS_DESTROYED = 709


def later(release: Callable[[], object]) -> bool:
    """Whether CUDA must not be called here; then the function is called by the next that waits."""
    if driver.in_host_function():
        driver.waiting.append(release)
        return True
    return False


def after_captures(release: Callable[[], object]) -> bool:
    """Whether a stream is captured; then the function is called when that has ended.

    Freeing may wait for the device, which makes a capture invalid.
    """
    for member in list(captured_streams.values()):
        capture = member.ongoing_capture
        if capture is not None:
            capture.afterwards.append(release)
            if member.ongoing_capture is None:  # it has ended meanwhile
                capture.do_afterwards()
            return True
    return False


def give_back(release: Callable[[_Handle], object], handle: _Handle) -> None:
    """Free what a dead object held. In a lost context that is neither possible nor needed."""
    again = partial(give_back, release, handle)
    if driver.forked() or later(again) or after_captures(again):
        return
    try:
        need_context()  # the last reference may go in a thread that has used no device
        release(handle)
    except DriverError as error:
        if not driver.is_sticky(error.status) and error.status != _CONTEXT_IS_DESTROYED:
            raise
