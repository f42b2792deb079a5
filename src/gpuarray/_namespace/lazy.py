"""Submodules of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from types import ModuleType


def submodules(package: str, names: Sequence[str]) -> Callable[[str], ModuleType]:
    """A package's ``__getattr__`` that imports one of ``names`` at its first use."""

    def load(name: str) -> ModuleType:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}")

    return load
