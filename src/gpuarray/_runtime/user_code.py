"""Code of the user's own that is loaded on a device, until nothing refers to it any more.

Kernels of the package stay loaded: there is one for each specification, whatever the values.
Programs that write kernels of their own may write another one for each value.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from gpuarray._ffi import driver
from gpuarray._runtime.device import Device
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream import streams

#: Loaded kernels and modules from which on plans of kernels that are gone are looked for.
_FEW = 64

_Loaded = TypeVar("_Loaded", bound="LoadedCode")


class LoadedCode:
    """A module on a device, which is unloaded when the object dies."""

    __slots__ = ("__weakref__", "device", "generation", "module")

    def __init__(self, device: Device, image: bytes):
        with device:
            self.module = driver.module_load_data(image)
        self.device = device
        self.generation = device.generation

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process this module's names may be gone. Without a generation it was
        # never loaded. After a capture a graph may launch its kernels.
        if ending() or not hasattr(self, "generation") or driver.has_captured():
            return
        if self.generation == self.device.generation:
            give_back(self._unload, self.module)

    def _unload(self, module: int) -> None:
        with self.device:
            driver.context_synchronize()  # a kernel may be running
            driver.module_unload(module)


def find(device: Device, key: Any, load: Callable[[], _Loaded]) -> _Loaded:
    """What is loaded on a device under a key, from ``load()`` if that is needed.

    It stays loaded as long as somebody refers to it.
    """
    found = device.user_code.get(key)
    if found is None:
        found = device.user_code.setdefault(key, load())
        if len(device.user_code) >= device.user_code_limit:
            _drop_plans_of_the_dead()
            device.user_code_limit = max(_FEW, 2 * len(device.user_code))
    return found


def _drop_plans_of_the_dead() -> None:
    """Forget the plans of kernels that only the keys of plans refer to."""
    tables = [plans for stream in list(streams.values()) for plans in stream.all_plans()]
    keys = {id(key): key for plans in tables for key in list(plans)}
    counts = Counter([id(key[0]) for key in keys.values()])
    dead = {
        id(key[0])
        for key in keys.values()
        if _references(key) - _ONE_REFERENCE < counts[id(key[0])]
    }
    keys.clear()
    for plans in tables:
        for key in list(plans):
            if id(key[0]) in dead:
                plans.pop(key, None)


def _references(key: tuple) -> int:
    return sys.getrefcount(key[0])


#: The references to what one tuple alone refers to, less that one.
_ONE_REFERENCE = _references((object(),))
