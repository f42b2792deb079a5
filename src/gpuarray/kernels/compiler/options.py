"""The options of a compilation: the caller's, sorted by who has to know them, and the defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpuarray._config import config

_STANDARD = "-std=c++17"
#: Leaves out NVRTC's declarations of textures and of the runtime API; NVRTC has it since 12.4.
MINIMAL = "--minimal"
_MINIMAL_SINCE = (12, 4)
# Functions without an execution space are device functions, as in CuPy: host code cannot exist
# here, and NVRTC refuses the function otherwise.
_DEVICE = "-default-device"
# Options with which NVRTC reads or writes files of its own: such an image is not kept.
_OPTIONS_WITH_FILES = frozenset((
    "-pch", "--pch", "-create-pch", "--create-pch", "-use-pch", "--use-pch", "-pch-dir",
    "--pch-dir", "-time", "--time", "-fdevice-time-trace",
    "--fdevice-time-trace",
))  # fmt: skip


class Options(NamedTuple):
    """The options of one compilation, sorted by who has to know them."""

    #: What NVRTC gets beside the architecture and the toolkit's directories, in order.
    passed: tuple[str, ...]
    #: The architecture, the caller's or the one an option names.
    architecture: str
    #: The caller's own include directories.
    directories: tuple[str, ...]
    #: Headers that an option includes before the source.
    forced: tuple[str, ...]
    #: Whether NVRTC may read or write other files than includes.
    files: bool


def checked_options(options: Sequence[str]) -> tuple[str, ...]:
    """The options as a tuple, where they are a sequence of strings."""
    if isinstance(options, (str, bytes)):
        raise TypeError(
            f"compiler options are a sequence of strings, not {options!r}: write ({options!r},)"
        )
    checked = tuple(options)
    for option in checked:
        if not isinstance(option, str):
            raise TypeError(f"a compiler option is a string, not {option!r}")
    return checked


def sort_options(
    options: Sequence[str], architecture: str, version: tuple[int, int] = _MINIMAL_SINCE
) -> Options:
    """Sort the caller's options, and put the defaults before them, for a version of NVRTC."""
    passed: list[str] = []
    directories: list[str] = []
    forced: list[str] = []
    standard = files = False
    rest = iter(checked_options(options))
    for option in rest:
        option = option.strip()
        if option in ("-I", "--include-path", "-include", "--pre-include", "-arch"):
            # NVRTC takes these as one string only in the form with "=".
            option = f"{option}={next(rest, '').strip()}"
        flag, _, value = option.partition("=")
        files = files or flag in _OPTIONS_WITH_FILES
        if option == MINIMAL and version < _MINIMAL_SINCE:
            continue
        if flag in ("-arch", "--gpu-architecture"):
            architecture = value
            continue
        if flag in ("-std", "--std"):
            standard = True
        elif option.startswith("-I"):
            directories.append(option[2:].strip().removeprefix("=").strip())
            option = f"-I{directories[-1]}"
        elif flag == "--include-path":
            directories.append(value.strip())
        elif flag in ("-include", "--pre-include"):
            forced.append(value.strip())
        passed.append(option)
    defaults = [_DEVICE] if standard else [_STANDARD, _DEVICE]
    if config.dump_source is not None:
        defaults.append("-lineinfo")
    return Options(tuple(defaults + passed), architecture, tuple(directories), tuple(forced), files)
