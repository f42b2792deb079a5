"""What a public module answers when it is asked for a name that it does not have."""

from __future__ import annotations

import sys


def missing_name(module: str, name: str) -> AttributeError:
    """The error for a name that a module lacks; it suggests the nearest one that is there.

    Parameters
    ----------
    module : str
        The module's full name.
    name : str
        The name that was asked for.

    Returns
    -------
    AttributeError
        To be raised.
    """
    message = f"module {module!r} has no attribute {name!r}"
    # Tools ask modules for special names, and an answer to those costs nothing.
    if not name.startswith("__"):
        nearest = _nearest(name, sys.modules[module].__all__)
        if nearest is not None:
            message += f"; did you mean {nearest!r}?"
    # With a name and without an object, Python's traceback adds no suggestion of its own.
    return AttributeError(message, name=name)


def _nearest(name: str, known: list[str]) -> str | None:
    import difflib  # not at import: only a wrong name needs it

    lowered = {x.lower(): x for x in reversed(known)}
    found = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.7)
    return lowered[found[0]] if found else None
