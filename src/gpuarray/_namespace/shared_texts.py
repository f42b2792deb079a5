"""Texts that docstrings share: a line ``{name}`` stands for the text of that name.

Functions of a family have parameters with one meaning, which is written down once: in a table of
texts, or in the docstring of one of them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from textwrap import indent
from typing import Any, TypeVar

__all__ = ["add_sections", "sharing", "texts_of"]

_Documented = TypeVar("_Documented")

_PLACE = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)
#: Sections on how something is called, in their order.
_OF_CALLS = ("Parameters", "Returns", "Yields", "Raises", "Examples")
_TITLE = re.compile(r"^([A-Z][\w ]+)\n-{3,}\n", re.MULTILINE)


def sharing(texts: Mapping[str, str]) -> Callable[[_Documented], _Documented]:
    """Decorate functions whose docstrings name some of these texts, or classes of such methods."""

    def fill(documented: _Documented) -> _Documented:
        _fill(documented, texts)
        if isinstance(documented, type):
            for member in vars(documented).values():
                _fill(getattr(member, "__func__", member), texts)
        return documented

    return fill


def texts_of(documented: Any) -> dict[str, str]:
    """What a docstring has that others can share.

    Parameters
    ----------
    documented : object
        What has the docstring, or a str that is one.

    Returns
    -------
    dict of str to str
        Sections with their titles by these, and entries of parameters by their names.
    """
    text = documented if isinstance(documented, str) else inspect.getdoc(documented)
    if text is None:  # Python drops docstrings under -OO
        return {}
    _, *parts = _TITLE.split(text + "\n")
    texts = {}
    for title, body in zip(parts[::2], parts[1::2]):
        texts[title] = f"{title}\n{'-' * len(title)}\n{body.rstrip()}"
        if title == "Parameters":
            for entry in re.split(r"(?m)^(?=[\w*])", body.rstrip()):
                names = entry.partition(" : ")[0]
                texts |= dict.fromkeys(re.findall(r"\w+", names), entry.rstrip())
    return texts


def add_sections(documented: Any, texts: Mapping[str, str]) -> None:
    """Let a docstring go on with the sections among these texts that say how it is called."""
    if documented.__doc__ is not None:
        parts = [inspect.cleandoc(documented.__doc__)]
        documented.__doc__ = "\n\n".join(parts + [texts[x] for x in _OF_CALLS if x in texts])


def _fill(documented: Any, texts: Mapping[str, str]) -> None:
    documentation = documented.__doc__
    if documentation is not None and _PLACE.search(documentation):  # `python -OO` leaves none
        documented.__doc__ = _PLACE.sub(
            lambda place: indent(texts[place[2]].strip("\n"), place[1]), documentation
        )
