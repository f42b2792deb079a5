"""Docstrings that share what they have in common: parameters are described in one place."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: Sections that are taken from another docstring where a docstring has none of its own.
_TAKEN = ("Returns", "Yields", "Raises", "Examples")
_ORDER = ("", "Parameters", "Returns", "Yields", "Raises")


def shares(*originals: Any, but: tuple[str, ...] = ()) -> Callable[[F], F]:
    """A decorator: a docstring takes from others what it does not say itself.

    These are the entries of parameters that it does not have, or has without a type, and the
    sections on what is returned, what is raised, and the examples.

    Parameters
    ----------
    *originals : callable or str
        What has the docstrings, or such texts; the first one that has something is used.
    but : tuple of str, optional
        Sections that are not taken.

    Returns
    -------
    callable
        The decorator.
    """
    texts = [x if isinstance(x, str) else inspect.getdoc(x) or "" for x in originals]

    def decorate(function: F) -> F:
        own = inspect.getdoc(function)
        if own is not None:  # Python drops docstrings under -OO
            function.__doc__ = _completed(own, texts, parameters_of(function), but)
        return function

    return decorate


def parameters_of(function: Any) -> list[str]:
    """The names of a signature, with their asterisks."""
    kinds: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    return [
        kinds.get(x.kind, "") + x.name
        for x in inspect.signature(function).parameters.values()
        if x.name not in ("self", "cls")
    ]


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by their titles; what comes first has none."""
    parts = re.split(r"(?m)^([A-Z][\w ]+)\n-{3,}\n", inspect.cleandoc(text) + "\n")
    return {"": parts[0].strip(), **{k: v.rstrip() for k, v in zip(parts[1::2], parts[2::2])}}


def entries(section: str) -> list[tuple[list[str], str, str]]:
    """The entries of a section on parameters: names, type and description of each."""
    found = []
    for entry in re.split(r"(?m)^(?=[\w*])", section):
        head, _, body = entry.rstrip().partition("\n")
        if head:
            names, _, kind = head.partition(" : ")
            found.append(([name.strip() for name in names.split(",")], kind.strip(), body))
    return found


def _completed(own: str, texts: list[str], names: list[str], but: tuple[str, ...]) -> str:
    mine, theirs = sections(own), [sections(text) for text in texts]
    known: dict[str, tuple[list[str], str, str]] = {}
    for parts in (*reversed(theirs), mine):
        for entry in entries(parts.get("Parameters", "")):
            if entry[1]:  # one without a type leaves its description to another
                known |= dict.fromkeys([name.lstrip("*") for name in entry[0]], entry)
    lines: list[str] = []
    written: set[int] = set()
    for name in names:
        entry = known.get(name.lstrip("*"))  # type: ignore[assignment]  # it may have none
        if entry is None or id(entry) in written:
            continue
        written.add(id(entry))
        # Of names that are described together those that are here.
        here = [x for x in names if x.lstrip("*") in {y.lstrip("*") for y in entry[0]}]
        here = [x for x in here if known[x.lstrip("*")] is entry]
        lines += [f"{', '.join(here)} : {entry[1]}", entry[2]]
    if lines:
        mine["Parameters"] = "\n".join(lines)
    for title in _TAKEN:
        for parts in theirs:
            if title in parts and title not in mine and title not in but:
                mine[title] = parts[title]
    titles = [*(x for x in _ORDER if x in mine), *(x for x in mine if x not in _ORDER)]
    if "Examples" in titles:
        titles.remove("Examples")
        titles.append("Examples")
    return "\n\n".join(
        [
            f"{title}\n{'-' * len(title)}\n{mine[title]}" if title else mine[title]
            for title in titles
        ]
    )
