"""``python -m gpuarray info``: what a bug report needs to say."""

from __future__ import annotations

import platform
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _config
from gpuarray._commands import cache, terminal
from gpuarray._ffi import driver, locate
from gpuarray._namespace.signatures import without_annotations
from gpuarray._version import __version__
from gpuarray.errors import BackendWarning
from gpuarray.kernels.compiler.cache import default_cache

#: What a part says where it cannot be had.
_ERROR = "error"


def version_text(number: int) -> str:
    """CUDA's version numbers as text: ``version_text(12090) == '12.9'``."""
    return f"{number // 1000}.{number % 1000 // 10}"


def description(full: bool = True) -> dict[str, Any]:
    """The versions, the devices, the libraries, the cache and the settings, for JSON.

    A part that cannot be had is a dict with the key ``error``.

    Parameters
    ----------
    full : bool, optional
        Whether to look for the libraries, too, which may take a while.
    """
    parts: dict[str, Any] = {
        "gpuarray": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "numpy": np.__version__,
        "backend": _part(lambda: {"name": driver.backend, "description": driver.describe()}),
        "driver": _part(lambda: {"cuda": version_text(driver.driver_version())}),
        "devices": _part(_devices),
    }
    if full:
        parts["libraries"] = _part(_libraries)
    parts["nvrtc"] = _part(_nvrtc)
    parts["cache"] = _part(_cache)
    parts["settings"] = _config.given_variables()
    return parts


def _part(find: Callable[[], Any]) -> Any:
    try:
        return find()
    except (RuntimeError, ImportError, OSError, ValueError, MemoryError) as error:
        # The errors of the CUDA libraries and their absence (see gpuarray.errors).
        return {_ERROR: f"{error}"}


def _devices() -> list[dict[str, Any]]:
    found = []
    for index in range(driver.device_count()):
        device = driver.device_get(index)
        version = [
            driver.device_attribute(f"compute_capability_{x}", device) for x in ("major", "minor")
        ]
        found.append(
            {
                "id": index,
                "name": driver.device_name(device),
                "memory": driver.device_total_mem(device),
                "compute_capability": ".".join(map(str, version)),
                "pci_bus_id": driver.device_pci_bus_id(device),
            }
        )
    return found


def _libraries() -> dict[str, Any]:
    major = locate.cuda_major()
    fields = ("name", "path", "kind", "major", "chosen")
    return {
        "cuda_major": major,
        "found": [{x: getattr(found, x) for x in fields} for found in locate.report()],
    }


def _nvrtc() -> str:
    from gpuarray._ffi import nvrtc

    return ".".join(map(str, nvrtc.version()))


def _cache() -> dict[str, Any]:
    state = default_cache().info()
    return {
        "directory": state.directory,
        "entries": state.entries,
        "bytes": state.bytes,
        "capacity": state.capacity,
        "writable": state.writable,
        "description": cache.summary(state),
        "shared": [shared.directory for shared in state.shared],
    }


def _rows(full: bool = True) -> list[tuple[str, str]]:
    """The description as headings and texts."""
    parts = description(full)

    def shown(heading: str, part: Any, text: Callable[[Any], str]) -> tuple[str, str]:
        failed = isinstance(part, dict) and _ERROR in part
        return heading, f"not usable: {part[_ERROR]}" if failed else text(part)

    rows = [
        ("gpuarray", parts["gpuarray"]),
        ("Python", f"{parts['python']} on {parts['platform']}"),
        ("NumPy", parts["numpy"]),
        shown("backend", parts["backend"], lambda x: x["description"]),
        shown("driver", parts["driver"], lambda x: f"CUDA {x['cuda']}"),
    ]
    devices = parts["devices"]
    if isinstance(devices, list):
        rows += [(f"device {x['id']}", _device_text(x)) for x in devices]
    else:
        rows.append(shown("devices", devices, str))
    if full:
        libraries = parts["libraries"]
        rows.append(shown("CUDA", libraries, lambda x: f"major version {x['cuda_major']}"))
        for found in libraries.get("found", ()):
            mark = "" if found["chosen"] else ", not used"
            rows.append((found["name"], f"{found['path']} ({found['kind']}{mark})"))
    rows.append(shown("NVRTC", parts["nvrtc"], str))
    rows.append(shown("cache", parts["cache"], lambda x: x["description"]))
    rows += [("setting", f"{name}={value}") for name, value in parts["settings"].items()]
    return rows


def _device_text(device: dict[str, Any]) -> str:
    total = terminal.size(device["memory"])
    return f"{device['name']}, {total}, compute capability {device['compute_capability']}"


def run(as_json: bool = False) -> int:
    """Print the description; the exit status is 0 even where something is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BackendWarning)  # the description says it, too
        if as_json:
            import json

            print(json.dumps(description(), indent=2))
        else:
            print(_table(_rows()))
    return 0


def _table(rows: list[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join([f"{name:{width}}  {text}" for name, text in rows])


class RuntimeInfo:
    """The versions, the devices and the libraries; its text is a table of them.

    Attributes
    ----------
    rows : list of tuple of str
        Headings and what is said under them.
    """

    def __init__(self, rows: list[tuple[str, str]]):
        self.rows = rows

    def __str__(self) -> str:
        return _table(self.rows)

    __repr__ = __str__


def get_runtime_info(*, full: bool = True) -> RuntimeInfo:
    """The versions, the devices and the libraries: what ``python -m gpuarray info`` prints.

    Parameters
    ----------
    full : bool, optional
        Whether to look for the libraries, too, which may take a while.

    Returns
    -------
    RuntimeInfo
        To be printed.

    Examples
    --------
    >>> import gpuarray as cp
    >>> print(cp.get_runtime_info(full=False))
    gpuarray ...
    """
    return RuntimeInfo(_rows(full))


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Show the versions, the devices and the libraries: what ``python -m gpuarray info`` prints.

    Parameters
    ----------
    mode : {'stdout', 'dicts'}, optional
        Whether to print the description, or to return it.

    Returns
    -------
    dict or None
        The description by its headings, with a list where a heading has several lines.

    Raises
    ------
    AttributeError
        If the mode is another.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.show_config("dicts")["gpuarray"] == cp.__version__
    True
    """
    if mode == "stdout":
        run()
        return None
    if mode != "dicts":
        raise AttributeError(f"show_config: mode must be 'stdout' or 'dicts', got {mode!r}")
    found: dict[str, Any] = {}
    for name, text in _rows():
        if name in found:
            earlier = found[name]
            found[name] = [*(earlier if isinstance(earlier, list) else [earlier]), text]
        else:
            found[name] = text
    return found


without_annotations({"get_runtime_info": get_runtime_info, "show_config": show_config})
