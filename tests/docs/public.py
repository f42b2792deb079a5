"""Every public module, class and member of a class, for the tests of what users see of them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import gpuarray

#: Rooms without an underscore that are not for users.
_NOT_PUBLIC = ("gpuarray.kernels",)


class Found(NamedTuple):
    """A public thing: its name, what it is, and the class that it is a member of."""

    name: str
    thing: Any
    owner: type | None = None


def modules() -> list[ModuleType]:
    """The public modules, in the order of their names."""
    names = [
        found.name
        for found in pkgutil.walk_packages(gpuarray.__path__, "gpuarray.")
        if "._" not in found.name and not found.name.startswith(_NOT_PUBLIC)
    ]
    return [gpuarray, *(importlib.import_module(name) for name in sorted(names))]


def ours(thing: Any) -> bool:
    """Whether a thing is defined by this package."""
    module = getattr(thing, "__module__", None) or type(thing).__module__
    return str(module).split(".")[0] == "gpuarray"


def things() -> Iterator[Found]:
    """Every function and class of the public modules, each once, by its shortest name."""
    found: dict[int, Found] = {}
    for module in modules():
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing) and ours(thing) and not inspect.ismodule(thing):
                full = f"{module.__name__}.{name}"
                known = found.get(id(thing))
                if known is None or full.count(".") < known.name.count("."):
                    found[id(thing)] = Found(full, thing)
    yield from found.values()


def classes() -> list[Found]:
    """The public classes that are no exceptions."""
    return [x for x in things() if inspect.isclass(x.thing) and not _is_exception(x.thing)]


def _is_exception(thing: type) -> bool:
    return issubclass(thing, BaseException)


def members() -> Iterator[Found]:
    """Every public method and property of the public classes, where it is defined first."""
    seen: set[int] = set()
    for owner in classes():
        for key in sorted(dir(owner.thing)):
            member = inspect.getattr_static(owner.thing, key)
            inner = getattr(member, "__func__", member)
            known = ours(getattr(inner, "fget", inner))
            if key.startswith("_") or id(inner) in seen or not known:
                continue
            seen.add(id(inner))
            yield Found(f"{owner.name}.{key}", member, owner.thing)
