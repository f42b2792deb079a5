"""Emulated functions for contexts: primary and created ones, limits and peers."""

from __future__ import annotations

from .attributes import STACK_BYTES, STREAM_PRIORITIES
from .capture import refuse_unsafe
from .machine import EmulatedContext, Machine
from .statuses import (
    INVALID_CONTEXT,
    INVALID_VALUE,
    PEER_ACCESS_ALREADY_ENABLED,
    PEER_ACCESS_NOT_ENABLED,
    PEER_ACCESS_UNSUPPORTED,
    PRIMARY_CONTEXT_ACTIVE,
    UNSUPPORTED_LIMIT,
    Failure,
)

__all__ = ["ContextCalls"]

#: CUlimit: stack size, printf FIFO size, malloc heap size, ...
_LIMITS = {0: STACK_BYTES, 1: 1 << 20, 2: 8 << 20, 3: 2, 4: 2048, 5: 128, 6: 0}
_CONTEXT_FLAGS = 0xFF
_API_VERSION = 3020


class ContextCalls:
    """Contexts; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    # --- the primary context

    def primary_context_retain(self, ordinal: int) -> int:
        device = self._machine.device(ordinal)
        context = device.primary
        if device.fault is not None and not context.alive:
            # Where the context is alive it is still given out.
            raise device.fault.with_traceback(None)
        device.retained += 1
        if not context.alive:
            context.alive = True
            context.flags = device.primary_flags
        return context.handle

    def primary_context_release(self, ordinal: int) -> None:
        device = self._machine.device(ordinal)
        if not device.retained:
            raise Failure(
                INVALID_CONTEXT, f"the primary context of device {ordinal} is not retained"
            )
        device.retained -= 1
        if not device.retained:
            self._destroy_contents(device.primary)

    def primary_context_reset(self, ordinal: int) -> None:
        """Destroy the contents of the context, which is dead until it is retained again.

        A fault rules that out; callers that retained it before may still release it.
        """
        self._destroy_contents(self._machine.device(ordinal).primary)

    def primary_context_set_flags(self, ordinal: int, flags: int) -> None:
        device = self._machine.device(ordinal)
        _check_flags(flags)
        device.primary_flags = flags
        if device.primary.alive:
            device.primary.flags = flags

    def primary_context_get_state(self, ordinal: int) -> tuple[int, int]:
        device = self._machine.device(ordinal)
        return device.primary_flags, int(device.primary.alive)

    # --- created contexts

    def context_create(self, flags: int, ordinal: int) -> int:
        device = self._machine.device(ordinal)
        _check_flags(flags)
        context = self._machine.new_context(device, flags)
        self._machine.push(context)
        return context.handle

    def context_destroy(self, context: int) -> None:
        destroyed = self._machine.context(context)
        if destroyed.primary:
            raise Failure(
                PRIMARY_CONTEXT_ACTIVE if destroyed.alive else INVALID_CONTEXT,
                "a primary context is released or reset, not destroyed",
            )
        if self._machine.current_or_none() is destroyed:
            self._machine.pop()
        self._destroy_contents(destroyed)
        del self._machine.contexts[context]
        self._machine.space.remove_context(destroyed)

    def _destroy_contents(self, context: EmulatedContext) -> None:
        context.alive = False
        self._machine.destroy_contents(context)

    # --- the current context

    def context_set_current(self, context: int) -> None:
        self._machine.make_current(self._machine.context(context) if context else None)

    def context_push_current(self, context: int) -> None:
        self._machine.push(self._machine.context(context))

    def context_pop_current(self) -> int:
        return self._machine.pop().handle

    def context_get_current(self) -> int:
        context = self._machine.current_or_none()
        return 0 if context is None else context.handle

    def context_get_device(self) -> int:
        context = self._machine.current_or_none()
        if context is None:
            raise Failure(INVALID_CONTEXT, "no context is current in this thread")
        return context.device.ordinal

    def context_get_flags(self) -> int:
        return self._machine.current().flags

    def context_get_api_version(self, context: int) -> int:
        if context:
            self._machine.context(context)
        else:
            self._machine.current()
        return _API_VERSION

    def context_synchronize(self) -> None:
        context = self._machine.current()
        refuse_unsafe(self._machine, "waiting for a context", context)
        if (order := self._machine.order) is not None:
            order.host_waits_for_all(context)
        # Work is done when its call returns; only pools have something to release.
        for pool in context.device.pools:
            pool.release_unused()

    def context_get_stream_priority_range(self) -> tuple[int, int]:
        self._machine.current()
        return STREAM_PRIORITIES

    # --- limits

    def context_get_limit(self, limit: int) -> int:
        context = self._machine.current()
        return context.limits.get(limit, _default_limit(limit))

    def context_set_limit(self, limit: int, value: int) -> None:
        context = self._machine.current()
        _default_limit(limit)
        context.limits[limit] = value

    # --- peers

    def context_enable_peer_access(self, context: int, flags: int) -> None:
        own, peer = self._machine.current(), self._machine.live_context(context)
        if flags:
            raise Failure(INVALID_VALUE, f"peer access has no flags {flags}")
        if own is peer:
            raise Failure(INVALID_CONTEXT, "a context is no peer of its own")
        if own.device is peer.device:
            raise Failure(
                PEER_ACCESS_UNSUPPORTED, f"device {own.device.ordinal} is no peer of its own"
            )
        if peer in own.peers:
            raise Failure(
                PEER_ACCESS_ALREADY_ENABLED, f"device {peer.device.ordinal} is a peer already"
            )
        own.peers.add(peer)
        self._machine.space.refresh()

    def context_disable_peer_access(self, context: int) -> None:
        own, peer = self._machine.current(), self._machine.live_context(context)
        if peer not in own.peers:
            raise Failure(PEER_ACCESS_NOT_ENABLED, f"device {peer.device.ordinal} is not a peer")
        own.peers.remove(peer)
        self._machine.space.refresh()


def _check_flags(flags: int) -> None:
    if flags & ~_CONTEXT_FLAGS:
        raise Failure(INVALID_VALUE, f"contexts have no flags {flags}")


def _default_limit(limit: int) -> int:
    try:
        return _LIMITS[limit]
    except KeyError:
        raise Failure(UNSUPPORTED_LIMIT, f"there is no limit {limit}") from None
