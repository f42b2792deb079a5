"""What a public module shows of itself: its public names, imported already or not."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuarray._namespace.missing_names import missing_name


def public_names(
    module: str, submodules: Sequence[str] = (), members: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A public module's ``__getattr__`` and ``__dir__``.

    The first imports what is imported at its first use, and suggests the nearest name for one that
    is missing. The second lists what ``__all__`` lists, and the special names: what a module
    imports for its own use is no name for a shell to complete.

    Modules define both out of type checkers' sight: the first would have them believe in any name.

    Parameters
    ----------
    module : str
        The module's full name.
    submodules : sequence of str, optional
        Its submodules that are imported at their first use.
    members : mapping of str to str, optional
        Names to the submodules that have them.

    Returns
    -------
    tuple of callable
        The two functions.
    """
    found = members or {}

    def load(name: str) -> Any:
        if name in submodules:
            return importlib.import_module(f"{module}.{name}")
        if name in found:
            value = getattr(importlib.import_module(f"{module}.{found[name]}"), name)
            # The next use finds it without a call.
            return vars(sys.modules[module]).setdefault(name, value)
        raise missing_name(module, name)

    return load, listing(module, (*submodules, *found))


def listing(module: str, further: Sequence[str] = ()) -> Callable[[], list[str]]:
    """A public module's ``__dir__``: see `public_names`.

    Parameters
    ----------
    module : str
        The module's full name.
    further : sequence of str, optional
        Public names beside those of ``__all__``.
    """

    def listed() -> list[str]:
        names = vars(sys.modules[module])
        special = [name for name in names if name.startswith("__")]
        return sorted({*special, *names["__all__"], *further})

    return listed
