"""The store of the Python code that the emulator generates from PTX: the kernel cache.

The cache is implemented above this package, which sets its functions here; without them nothing
is stored. Loaded code is executed, so a store must belong to the user and verify what it loads.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Store", "keep_in", "store"]


class Store:
    """Functions that load and save by key."""

    def __init__(self) -> None:
        self.load: Callable[[bytes], bytes | None] = lambda key: None
        #: Takes the key, the data, and a name for listings.
        self.save: Callable[[bytes, bytes, str], object] = lambda key, data, name: None


#: The store of this process.
store = Store()


def keep_in(
    load: Callable[[bytes], bytes | None], save: Callable[[bytes, bytes, str], object]
) -> None:
    """Use these functions from now on."""
    store.load, store.save = load, save
