"""Loads, stores and atomics of the code variant that runs under the checkers."""

from __future__ import annotations

from . import access
from .registry import NAMESPACE
from .types import SIZES

#: What takes the place of the plain functions in the namespace of checked code.
REPLACEMENTS: dict[str, object] = {}


def _replaces(function):
    REPLACEMENTS[function.__name__] = function
    return function


@_replaces
def load(S, L, a, offset: int, code: str, alias: bool = False, sync: int = 0):
    if sync:
        S.checks.agents.synchronise(L, True, False)
    S.checks.touch(L, a, offset, SIZES[code], reads=True, sync=sync)
    return access.load(S, L, a, offset, code, alias)


@_replaces
def load_synchronising(S, L, a, offset: int, code: str):
    return load(S, L, a, offset, code, False, 1)


@_replaces
def store(S, L, a, offset: int, value, code: str, sync: int = 0) -> None:
    if sync:
        S.checks.agents.synchronise(L, False, True)
    S.checks.touch(L, a, offset, SIZES[code], value=value, sync=sync)
    access.store(S, L, a, offset, value, code)


@_replaces
def store_synchronising(S, L, a, offset: int, value, code: str) -> None:
    store(S, L, a, offset, value, code, 1)


@_replaces
def load_vector(S, L, a, offset: int, code: str, width: int, sync: int = 0) -> list:
    if sync:
        S.checks.agents.synchronise(L, True, False)
    S.checks.touch(L, a, offset, SIZES[code] * width, reads=True, sync=sync)
    return access.load_vector(S, L, a, offset, code, width)


@_replaces
def load_vector_synchronising(S, L, a, offset: int, code: str, width: int) -> list:
    return load_vector(S, L, a, offset, code, width, 1)


@_replaces
def store_vector(S, L, a, offset: int, values: tuple, code: str, sync: int = 0) -> None:
    if sync:
        S.checks.agents.synchronise(L, False, True)
    S.checks.touch(L, a, offset, SIZES[code] * len(values), value=values, sync=sync)
    access.store_vector(S, L, a, offset, values, code)


@_replaces
def store_vector_synchronising(S, L, a, offset: int, values: tuple, code: str) -> None:
    store_vector(S, L, a, offset, values, code, 1)


@_replaces
def atomically(S, L, op: str, kind: str, a, offset: int, code: str, value, new, returns_old: bool):
    S.checks.agents.synchronise(L, returns_old, True)
    reads = op != "exch" or returns_old
    S.checks.touch(L, a, offset, SIZES[code], reads=reads, value=value, sync=1)
    return NAMESPACE["atomically"](S, L, op, kind, a, offset, code, value, new, returns_old)


@_replaces
def mbarrier_init(S, L, a, offset: int, count) -> None:
    S.checks.touch(L, a, offset, 8, value=0)
    NAMESPACE["mbarrier_init"](S, L, a, offset, count)


@_replaces
def mbarrier_arrive(S, L, a, offset: int, count, drops: bool):
    S.checks.agents.synchronise(L, False, True)
    S.checks.touch(L, a, offset, 8, reads=True, value=0, sync=1)
    return NAMESPACE["mbarrier_arrive"](S, L, a, offset, count, drops)


@_replaces
def mbarrier_done(S, L, a, offset: int, phase, parity: bool):
    S.checks.agents.synchronise(L, True, False)
    S.checks.touch(L, a, offset, 8, reads=True, sync=1)
    return NAMESPACE["mbarrier_done"](S, L, a, offset, phase, parity)


@_replaces
def copy_words(S, L, target, target_offset, source, source_offset, words, limit) -> None:
    if limit is None:
        S.checks.touch(L, source, source_offset, 4 * words, reads=True)
    S.checks.touch(L, target, target_offset, 4 * words, value=(0,) * words)
    access.copy_words(S, L, target, target_offset, source, source_offset, words, limit)


@_replaces
def fence(S, L) -> None:
    """A fence, or the release half of an access."""
    S.checks.agents.fence(L)
