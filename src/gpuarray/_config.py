"""Settings from the environment, read once when the package is imported.

This is the only module that reads ``os.environ``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = [
    "CHECKS", "FUSION_MODES", "VARIABLES", "Config", "checks_of", "child_environment", "config",
    "given_variables", "home_cache_directory", "nvtx_injection", "problems",
]  # fmt: skip

#: What the emulator's checkers can look for. A race is between warps, or between lanes.
CHECKS = ("races", "races=lane", "uninit", "bounds", "barriers", "host", "leaks")
_ALL_CHECKS = ("races", "uninit", "bounds", "barriers", "host", "leaks")

#: Every variable.
VARIABLES = (
    "GPUARRAY_BACKEND", "GPUARRAY_EMULATED_DEVICES", "GPUARRAY_STICKY_FAULTS",
    "GPUARRAY_CUDA_MAJOR", "GPUARRAY_CACHE_DIR", "GPUARRAY_CACHE_DIRS",
    "GPUARRAY_CACHE_IN_MEMORY", "GPUARRAY_CACHE_SIZE", "GPUARRAY_DEBUG", "GPUARRAY_DEBUG_BYTES",
    "GPUARRAY_DUMP_SOURCE", "GPUARRAY_RECORD", "GPUARRAY_CHECK", "GPUARRAY_MEMORY_LIMIT",
    "GPUARRAY_ADDRESS_RANGES", "GPUARRAY_PER_THREAD_DEFAULT_STREAM", "GPUARRAY_PROGRESS",
    "GPUARRAY_FUSION",
)  # fmt: skip

#: How operations on large arrays run.
FUSION_MODES = ("off", "on", "immediate")

#: Python 3.11 reads attributes of arrays the slow way once operations are recorded.
_FUSION = "on" if sys.version_info >= (3, 12) else "off"
_BACKENDS = ("auto", "cuda", "emulator")
_TRUE = ("1", "true", "yes", "on")
_FALSE = ("", "0", "false", "no", "off")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
#: More emulated devices than this only costs address space; nobody tests with more.
_MOST_EMULATED_DEVICES = 64


class Config(NamedTuple):
    """The settings of this process."""

    #: ``GPUARRAY_BACKEND``: 'auto', 'cuda' or 'emulator'.
    backend: str = "auto"
    #: ``GPUARRAY_EMULATED_DEVICES``: how many devices the emulator shows.
    emulated_devices: int = 1
    #: ``GPUARRAY_STICKY_FAULTS``: on the emulator, too, the fault of a kernel ends the use of its
    #: device.
    sticky_faults: bool = False
    #: ``GPUARRAY_CUDA_MAJOR``: take the CUDA libraries of this major version only.
    cuda_major: int | None = None
    #: ``GPUARRAY_CACHE_DIR``: the folder of compiled kernels (None: under the user's cache).
    cache_dir: str | None = None
    #: ``GPUARRAY_CACHE_DIRS``: folders of compiled kernels, read after that one.
    cache_dirs: tuple[str, ...] = ()
    #: ``GPUARRAY_CACHE_IN_MEMORY``: keep compiled kernels in this process only.
    cache_in_memory: bool = False
    #: ``GPUARRAY_CACHE_SIZE``: the cache folder's limit in bytes.
    cache_bytes: int = 1 << 30
    #: ``GPUARRAY_DEBUG``: synchronise after each launch and remember the Python line.
    debug: bool = False
    #: ``GPUARRAY_DEBUG_BYTES``: how much of a launch's arguments is kept for a replay.
    debug_bytes: int = 64 << 20
    #: ``GPUARRAY_DUMP_SOURCE``: a folder that gets the source of each compiled kernel.
    dump_source: str | None = None
    #: ``GPUARRAY_RECORD``: a file that gets what each compiled kernel is made of, for warmup().
    record: str | None = None
    #: ``GPUARRAY_CHECK``: what the emulator's checkers look for.
    checks: tuple[str, ...] = ()
    #: ``GPUARRAY_PER_THREAD_DEFAULT_STREAM``, or CuPy's ``CUPY_CUDA_PER_THREAD_DEFAULT_STREAM``:
    #: each thread begins on a default stream of its own.
    per_thread_default_stream: bool = False
    #: ``GPUARRAY_MEMORY_LIMIT``, or else ``CUPY_GPU_MEMORY_LIMIT``: how much of a device's memory
    #: a pool takes: bytes as an int (0: all of it), a fraction as a float.
    memory_limit: int | float = 0
    #: ``GPUARRAY_ADDRESS_RANGES``: pools map memory to reserved addresses. Off, they allocate it in
    #: segments, which other processes can open, and which libraries may expect that share memory.
    address_ranges: bool = True
    #: ``GPUARRAY_PROGRESS``: say on the terminal what a program waits for while kernels compile.
    progress: bool = True
    #: ``GPUARRAY_FUSION``: 'off', 'on' or 'immediate': whether operations on large arrays are
    #: recorded and run together, and whether their kernels are compiled before they first run.
    #: 'on' is the default, but for Python 3.11.
    fusion: str = _FUSION

    @classmethod
    def from_environment(
        cls, environ: Mapping[str, str], problems: list[str] | None = None
    ) -> Config:
        """Read every ``GPUARRAY_*`` variable.

        Values that mean nothing raise ValueError. With a list for the problems, their messages
        are added to it, and the settings are the defaults.
        """
        readers: dict[str, Callable[[], Any]] = {
            "backend": lambda: _choice(environ, "GPUARRAY_BACKEND", "auto", _BACKENDS),
            "emulated_devices": lambda: (
                _count(environ, "GPUARRAY_EMULATED_DEVICES", 1, _MOST_EMULATED_DEVICES) or 1
            ),
            "sticky_faults": lambda: _flag(environ, "GPUARRAY_STICKY_FAULTS"),
            "cuda_major": lambda: _count(environ, "GPUARRAY_CUDA_MAJOR", 11, 99),
            "cache_dir": lambda: _path(environ, "GPUARRAY_CACHE_DIR"),
            "cache_dirs": lambda: _directories(environ, "GPUARRAY_CACHE_DIRS"),
            "cache_in_memory": lambda: _flag(environ, "GPUARRAY_CACHE_IN_MEMORY"),
            "cache_bytes": lambda: _size(environ, "GPUARRAY_CACHE_SIZE", 1 << 30),
            "debug": lambda: _flag(environ, "GPUARRAY_DEBUG"),
            "debug_bytes": lambda: _size(environ, "GPUARRAY_DEBUG_BYTES", 64 << 20),
            "dump_source": lambda: _path(environ, "GPUARRAY_DUMP_SOURCE"),
            "record": lambda: _path(environ, "GPUARRAY_RECORD"),
            "checks": lambda: _checks(environ, "GPUARRAY_CHECK"),
            "per_thread_default_stream": lambda: _flag(
                environ, "GPUARRAY_PER_THREAD_DEFAULT_STREAM", "CUPY_CUDA_PER_THREAD_DEFAULT_STREAM"
            ),
            "memory_limit": lambda: _limit(
                environ, "GPUARRAY_MEMORY_LIMIT", "CUPY_GPU_MEMORY_LIMIT"
            ),
            "address_ranges": lambda: _flag(environ, "GPUARRAY_ADDRESS_RANGES", default=True),
            "progress": lambda: _flag(environ, "GPUARRAY_PROGRESS", default=True),
            "fusion": lambda: _choice(environ, "GPUARRAY_FUSION", _FUSION, FUSION_MODES),
        }
        found = {}
        for name, read in readers.items():
            try:
                found[name] = read()
            except ValueError as error:
                if problems is None:
                    raise
                problems.append(str(error))
        return cls(**found)


def _refuse(variable: str, value: str, accepted: str) -> ValueError:
    return ValueError(f"{variable}={value!r} is not understood: it takes {accepted}")


def _choice(environ: Mapping[str, str], variable: str, default: str, accepted: tuple) -> str:
    value = environ.get(variable, "").strip()
    if not value:
        return default
    if value.lower() not in accepted:
        raise _refuse(variable, value, "one of " + ", ".join(accepted))
    return value.lower()


def _count(environ: Mapping[str, str], variable: str, least: int, most: int) -> int | None:
    value = environ.get(variable, "").strip()
    if not value:
        return None
    if not value.isascii() or not value.isdigit() or not least <= int(value) <= most:
        raise _refuse(variable, value, f"a whole number from {least} to {most}")
    return int(value)


def _flag(
    environ: Mapping[str, str], variable: str, elsewhere: str = "", default: bool = False
) -> bool:
    """A variable that is on or off; of another library's, where it is not set."""
    if not environ.get(variable, "").strip() and elsewhere:
        variable = elsewhere
    value = environ.get(variable, "").strip()
    if not value:
        return default
    if value.lower() in _TRUE:
        return True
    if value.lower() in _FALSE:
        return False
    raise _refuse(variable, value, "1 or 0 (also true, yes, on; false, no, off)")


def _size(environ: Mapping[str, str], variable: str, default: int) -> int:
    value = environ.get(variable, "").strip()
    if not value:
        return default
    match = re.fullmatch(r"(\d+)\s*([kmgt]?)(?:i?b)?", value, re.IGNORECASE | re.ASCII)
    if match is None:
        raise _refuse(variable, value, "a number of bytes, such as 1073741824, 512M or 2G")
    return int(match[1]) * _UNITS[match[2].lower()]


def _limit(environ: Mapping[str, str], *variables: str) -> int | float:
    """What the first variable that is set says: bytes, or a fraction of the device's memory."""
    for variable in variables:
        value = environ.get(variable, "").strip()
        percent = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*%", value, re.ASCII)
        if percent is None and value:
            try:
                return _size(environ, variable, 0)
            except ValueError:
                pass
        if percent is not None and float(percent[1]) <= 100:
            return float(percent[1]) / 100
        if value:
            raise _refuse(variable, value, "a number of bytes, such as 512M or 2G, or 50%")
    return 0


def checks_of(names: Iterable[str]) -> tuple[str, ...]:
    """The checks of these names, in order; ValueError for a name that is none of `CHECKS`."""
    wanted: list[str] = []
    for name in names:
        if name not in (*CHECKS, "all"):
            raise ValueError(f"no check is called {name!r}: there are {', '.join(CHECKS)} and all")
        wanted += _ALL_CHECKS if name == "all" else [name]
    return tuple(dict.fromkeys(wanted))


def _checks(environ: Mapping[str, str], variable: str) -> tuple[str, ...]:
    value = environ.get(variable, "").strip().lower()
    if value in _FALSE:
        return ()
    if value in _TRUE:
        return _ALL_CHECKS
    try:
        return checks_of(name.strip() for name in value.split(",") if name.strip())
    except ValueError:
        accepted = f"all, or some of {', '.join(CHECKS)}, separated by commas"
        raise _refuse(variable, value, accepted) from None


def _path(environ: Mapping[str, str], variable: str) -> str | None:
    value = environ.get(variable, "")
    return os.path.abspath(os.path.expanduser(value)) if value.strip() else None


def _directories(environ: Mapping[str, str], variable: str) -> tuple[str, ...]:
    parts = environ.get(variable, "").split(os.pathsep)
    named = [os.path.abspath(os.path.expanduser(part)) for part in parts if part.strip()]
    return tuple(dict.fromkeys(named))


def home_cache_directory() -> str | None:
    """The default folder of compiled kernels, or None where the user has no home.

    ``$XDG_CACHE_HOME/gpuarray``, else ``~/.cache/gpuarray``. The folder need not exist.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG specification says to ignore relative paths
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "gpuarray")


def child_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process with settings of its own."""
    return {**os.environ, **settings}


def nvtx_injection() -> str:
    """The library of the tool that takes NVTX marks, '' where no tool watches this process."""
    return os.environ.get("NVTX_INJECTION64_PATH", "")


def given_variables() -> dict[str, str]:
    """The variables of this package that are set, whatever they are called."""
    return {x: value for x, value in sorted(os.environ.items()) if x.startswith("GPUARRAY_")}


def _runs_command(arguments: Sequence[str]) -> bool:
    """Whether an interpreter's command line is that of ``python -m gpuarray``."""
    rest = iter(arguments[1:])
    for option in rest:
        if option in ("-X", "-W", "--check-hash-based-pycs"):
            next(rest, None)
        elif re.fullmatch(r"-[a-zA-Z]*m", option):
            return next(rest, "") == "gpuarray"
        elif option.startswith("-m"):
            return option == "-mgpuarray"
        elif not option.startswith("-") or option.startswith("-c") or option == "-":
            return False
    return False


#: What is wrong with the variables, where the command line of this package reports it. In other
#: programs the first problem is an error of the import.
problems: list[str] = []

#: The settings of this process.
config = Config.from_environment(os.environ, problems if _runs_command(sys.orig_argv) else None)
