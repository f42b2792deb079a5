"""Where the emulator keeps the Python that it makes of PTX: in the kernel cache.

The cache belongs to a room above this one, which puts its functions here. Without them nothing
is kept. What comes back is executed, so a store has to be this user's own, and to verify it.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Store", "keep_in", "store"]


class Store:
    """Functions that read and write by key."""

    def __init__(self) -> None:
        self.load: Callable[[bytes], bytes | None] = lambda key: None
        #: Takes the key, the data, and a name for people.
        self.save: Callable[[bytes, bytes, str], object] = lambda key, data, name: None


#: The store of this process.
store = Store()


def keep_in(
    load: Callable[[bytes], bytes | None], save: Callable[[bytes, bytes, str], object]
) -> None:
    """Use these functions from now on."""
    store.load, store.save = load, save
