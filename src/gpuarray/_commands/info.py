"""``python -m gpuarray info``: what a bug report needs to say."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np

from gpuarray._commands import cache, terminal
from gpuarray._ffi import driver, locate
from gpuarray._namespace.signatures import without_annotations
from gpuarray._version import __version__
from gpuarray.errors import CUDAError
from gpuarray.kernels.compiler.cache import default_cache


def version_text(number: int) -> str:
    """CUDA's version numbers as text: ``version_text(12090) == '12.9'``."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _devices() -> list[tuple[str, str]]:
    rows = []
    for index in range(driver.device_count()):
        device = driver.device_get(index)
        total = terminal.size(driver.device_total_mem(device))
        rows.append((f"device {index}", f"{driver.device_name(device)}, {total}"))
    return rows


def _libraries() -> list[tuple[str, str]]:
    try:
        major = f"{locate.cuda_major()}"
    except (CUDAError, ImportError) as error:
        return [("CUDA", f"not usable: {error}")]
    rows = [("CUDA", f"major version {major}")]
    for found in locate.report():
        mark = "" if found.chosen else ", not used"
        rows.append((found.name, f"{found.path} ({found.kind}{mark})"))
    return rows


def _nvrtc() -> list[tuple[str, str]]:
    from gpuarray._ffi import nvrtc

    try:
        major, minor = nvrtc.version()
    except (CUDAError, ImportError) as error:
        return [("NVRTC", f"not usable: {error}")]
    return [("NVRTC", f"{major}.{minor}")]


def _rows(full: bool = True) -> list[tuple[str, str]]:
    return [
        ("gpuarray", __version__),
        ("Python", f"{platform.python_version()} on {platform.platform()}"),
        ("NumPy", np.__version__),
        ("backend", driver.describe()),
        ("driver", f"CUDA {version_text(driver.driver_version())}"),
        *_devices(),
        *(_libraries() if full else ()),
        *_nvrtc(),
        ("cache", cache.summary(default_cache().info())),
    ]


def run() -> int:
    """Print the description; the exit status is 0 even where something is missing."""
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
