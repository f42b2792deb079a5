"""Hooks: objects of the user's that are called before and after an event, such as a launch.

The hooks of a kind are entered by ``with``, in one thread or for all. Where there are none, nothing
of this is on the way of what they watch: the first one that is entered replaces functions, and the
last one that is left puts them back.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from gpuarray import _fork
from gpuarray._runtime.current_stream import run_all_deferred

_Result = TypeVar("_Result")


class Hook:
    """What hooks of every kind have: a name, and ``with``."""

    #: Hooks that are active together have different names.
    name = "Hook"
    #: Whether the hook is called for what other threads do as well.
    all_threads = False

    _hooks: Hooks

    def __repr__(self) -> str:
        active = "active" if self._hooks.has(self) else "not active"
        return f"<{type(self).__name__} {self.name!r}, {active}>"

    def __enter__(self) -> Any:
        self._hooks.enter(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._hooks.leave(self)


class _Thread(threading.local):
    """A thread's own hooks by name, and whether one of them is being called."""

    def __init__(self) -> None:
        self.hooks: dict[str, Any] = {}
        self.calling = False
        #: Events that are over, of which hooks have not been told yet.
        self.postponed: list[tuple[str, dict[str, Any]]] = []


class Hooks:
    """The active hooks of one kind.

    Parameters
    ----------
    kind : str
        What messages call them.
    begin, end : callable
        Called when the first hook of the process is entered, and when the last one was left.
    """

    def __init__(self, kind: str, begin: Callable[[], None], end: Callable[[], None]):
        self._kind = kind
        self._begin, self._end = begin, end
        self._thread = _Thread()
        self._shared: dict[str, Any] = {}
        self._lock = _fork.new_rlock()
        self._count = 0

    @property
    def active(self) -> bool:
        """Whether any thread has a hook."""
        return self._count > 0

    @property
    def calling(self) -> bool:
        """Whether a hook is being called in this thread."""
        return self._thread.calling

    def of_thread(self) -> dict[str, Any]:
        """The calling thread's own hooks by name, in the order in which they were entered."""
        return self._thread.hooks

    def has(self, hook: Any) -> bool:
        """Whether a hook is active in the calling thread."""
        return (self._shared if hook.all_threads else self._thread.hooks).get(hook.name) is hook

    def enter(self, hook: Any) -> None:
        """Activate a hook."""
        run_all_deferred()  # what was called before is not the hook's
        with self._lock:
            hooks = self._shared if hook.all_threads else self._thread.hooks
            if hook.name in self._shared or hook.name in self._thread.hooks:
                raise KeyError(
                    f"a {self._kind} named {hook.name!r} is active already; give this one another "
                    "name"
                )
            hooks[hook.name] = hook
            self._count += 1
            if self._count == 1:
                self._begin()

    def leave(self, hook: Any) -> None:
        """Deactivate a hook."""
        with self._lock:
            hooks = self._shared if hook.all_threads else self._thread.hooks
            name = hook.name
            if hooks.get(name) is not hook:
                raise KeyError(f"the {self._kind} {name!r} is not active in this thread")
            del hooks[name]
            self._count -= 1
            if self._count == 0:
                self._end()

    def around(
        self,
        event: str,
        arguments: dict[str, Any],
        work: Callable[[], _Result],
        outcome: Callable[[_Result | None], dict[str, Any]] | None = None,
    ) -> _Result:
        """Do the work of an event between the callbacks of the thread's hooks.

        Each hook whose callback before the work has returned is called behind it, also where the
        work raises. What a callback does itself calls no hook.

        Parameters
        ----------
        event : str
            What the names of the callbacks begin with.
        arguments : dict
            The keyword arguments of both callbacks.
        work : callable
            The work.
        outcome : callable, optional
            Returns keyword arguments that only the callback behind the work gets, from what the
            work returned or from None where it raised.
        """
        state = self._thread.__dict__  # read once, since the attributes of each thread are slow
        if state["calling"]:
            return work()
        hooks = [*self._shared.values(), *state["hooks"].values()]
        if not hooks:
            return work()
        before, behind = _names(event)
        called: list[Any] = []
        result = None
        try:
            self._call(state, hooks, before, arguments, called)
            result = work()
            return result
        finally:
            if outcome is not None:
                arguments = {**arguments, **outcome(result)}
            self._call(state, called, behind, arguments, [])

    def _call(
        self,
        state: dict[str, Any],
        hooks: list[Any],
        name: str,
        arguments: dict[str, Any],
        called: list[Any],
    ) -> None:
        """Call the hooks in order; those that returned are in ``called`` then."""
        state["calling"] = True
        try:
            for hook in hooks:
                getattr(hook, name)(**arguments)
                called.append(hook)
        finally:
            state["calling"] = False
            postponed = state["postponed"]
            while postponed:
                event, given = postponed.pop(0)
                self.around(event, given, _nothing)

    def postpone(self, event: str, arguments: dict[str, Any]) -> None:
        """Have the hooks called for an event that is over when the present callback has ended."""
        self._thread.postponed.append((event, arguments))


@functools.cache
def _names(event: str) -> tuple[str, str]:
    """The callbacks before and behind an event."""
    return f"{event}_preprocess", f"{event}_postprocess"


def _nothing() -> None:
    """The work of an event that is over."""
