"""This process's images, and the threads that wait for one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from gpuarray import _fork
from gpuarray.errors import CompileError
from gpuarray.kernels.compiler.cache import Image

_MEMORY_BYTES = 128 << 20
#: How often a thread that waits for another's image looks whether that one still gets it.
_LOOK_SECONDS = 0.2


class _Pending:
    """An image that a thread is getting, for the threads that want it too."""

    __slots__ = ("active", "done", "error", "image")

    def __init__(self) -> None:
        #: False when its thread is through with it, however that came; then ``done`` is mostly set.
        self.active = True
        self.done = threading.Event()
        self.image: Image | None = None
        self.error: CompileError | None = None


class ImageMemory:
    """This process's images, bounded, least recently used out first."""

    def __init__(self, capacity: int = _MEMORY_BYTES) -> None:
        self._capacity = capacity
        self._images: OrderedDict[bytes, Image] = OrderedDict()
        self._pending: dict[bytes, _Pending] = {}
        self._lock = _fork.new_lock()

    def get(self, key: bytes, produce: Callable[[], Image]) -> Image:
        """The image of `key`, from `produce()` where it is not known.

        Of several threads one produces and the others wait. A source that does not compile fails
        for all of them; after any other failure (an interrupt, say) the next one tries.
        """
        mine = _Pending()
        try:
            while True:
                with self._lock:
                    image = self._images.get(key)
                    if image is not None:
                        self._images.move_to_end(key)
                        return image
                    pending = self._pending.get(key)
                    if pending is None or not pending.active:
                        pending = self._pending[key] = mine
                if pending is mine:
                    return self._produce(key, produce, mine)
                while pending.active and not pending.done.wait(_LOOK_SECONDS):
                    pass
                if pending.image is not None:
                    return pending.image
                if pending.error is not None:
                    raise pending.error
        finally:
            # One store, which no interrupt can prevent; the rest saves others time and memory.
            mine.active = False
            mine.done.set()
            with self._lock:
                if self._pending.get(key) is mine:
                    del self._pending[key]

    def forget_pending(self) -> None:
        """In a child after a fork: there are no threads that might still get an image."""
        self._pending.clear()

    def clear(self) -> None:
        """Forget every image."""
        with self._lock:
            self._images.clear()

    def _produce(self, key: bytes, produce: Callable[[], Image], pending: _Pending) -> Image:
        try:
            image = pending.image = produce()
        except CompileError as error:
            pending.error = error
            raise
        with self._lock:
            self._images[key] = image
            nbytes = sum([len(one.data) for one in self._images.values()])
            while nbytes > self._capacity and len(self._images) > 1:
                nbytes -= len(self._images.popitem(last=False)[1].data)
        return image
