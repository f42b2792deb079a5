"""Submodules of a package, and names of theirs, that are imported when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from gpuarray._namespace.missing_names import missing_name


def submodules(package: str, names: Sequence[str]) -> Callable[[str], ModuleType]:
    """A package's ``__getattr__`` that imports one of ``names`` at its first use."""

    def load(name: str) -> ModuleType:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}")

    return load


def names(package: str, modules: Sequence[str], members: Mapping[str, str]) -> Callable[[str], Any]:
    """A public package's ``__getattr__``: for submodules, members of them, and wrong names.

    Parameters
    ----------
    package : str
        The package's full name.
    modules : sequence of str
        Its submodules that are imported at their first use.
    members : mapping of str to str
        Names to the submodules that have them.

    Returns
    -------
    callable
        It suggests the nearest name for one that is missing.
    """

    def load(name: str) -> Any:
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        if name in members:
            return getattr(importlib.import_module(f"{package}.{members[name]}"), name)
        raise missing_name(package, name)

    return load
