"""Test modules of other projects that import stand-ins in place of modules that they name.

Nothing is changed in the modules that others import: what a test module imports is found by an
``__import__`` of its own.
"""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.util
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class StandInModule(types.ModuleType):
    """A module some of whose names are others; all else is the module's own."""

    def __init__(self, original: types.ModuleType, names: Mapping[str, Any]):
        super().__init__(original.__name__, original.__doc__)
        self.__dict__.update(names)
        self.__dict__["_original"] = original
        self.__dict__["__path__"] = getattr(original, "__path__", [])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._original), *self.__dict__})


def _importing(stand_ins: Mapping[str, types.ModuleType]) -> Callable[..., Any]:
    """An ``__import__`` that finds stand-ins by the full names of modules."""

    def find(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        found = builtins.__import__(name, globals, locals, fromlist, level)
        full = name
        if level:
            full = importlib.util.resolve_name("." * level + name, globals["__package__"])
        return stand_ins.get(full if fromlist else full.partition(".")[0], found)

    return find


class _Loader(importlib.abc.Loader):
    """A loader that gives a module another ``__import__`` before it is run."""

    def __init__(self, loader: Any, stand_ins: Mapping[str, types.ModuleType]):
        self._loader, self._stand_ins = loader, stand_ins

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        names = dict(vars(builtins), __import__=_importing(self._stand_ins))
        module.__dict__["__builtins__"] = names
        self._loader.exec_module(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class Finder(importlib.abc.MetaPathFinder):
    """Finds test modules, by the packages they are in, and has them import stand-ins.

    Parameters
    ----------
    packages : mapping of str to mapping of str to module
        By a package of tests: what stands for the modules of these names there.
    """

    def __init__(self, packages: Mapping[str, Mapping[str, types.ModuleType]]):
        self._packages = packages

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        package, _, module = name.rpartition(".")
        stand_ins = self._packages.get(package)
        if stand_ins is None or not module.startswith("test_"):
            return None
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(name, path, target)) is not None:
                spec.loader = _Loader(spec.loader, stand_ins)
                return spec
        return None
