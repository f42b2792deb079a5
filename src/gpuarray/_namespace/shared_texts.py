"""Texts that docstrings share: a line ``{name}`` stands for the text of that name.

Functions of a family have parameters with one meaning, which is written down once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from textwrap import indent
from typing import TypeVar

__all__ = ["sharing"]

_Function = TypeVar("_Function", bound=Callable[..., object])

_PLACE = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)


def sharing(texts: Mapping[str, str]) -> Callable[[_Function], _Function]:
    """Decorate functions whose docstrings name some of these texts."""

    def fill(function: _Function) -> _Function:
        documentation = function.__doc__
        if documentation is not None:  # `python -OO` leaves none
            function.__doc__ = _PLACE.sub(
                lambda place: indent(texts[place[2]].strip("\n"), place[1]), documentation
            )
        return function

    return fill
