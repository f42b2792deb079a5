"""``python -m gpuarray doctor``: check what can be wrong, and say what to do about it.

Each check returns findings and must not raise: the next check may say more.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gpuarray import _config
from gpuarray._commands import cache as cache_command
from gpuarray._commands.info import version_text
from gpuarray.errors import BackendWarning


@dataclass(frozen=True)
class Diagnosis:
    """One line of the report: ``level`` is "ok", "note" or "FAULT"."""

    level: str
    text: str
    remedy: str = ""


Check = Callable[[], Iterator[Diagnosis]]

#: Of the package's dependencies, which are NVIDIA's wheels.
_REINSTALL = "in a checkout of gpuarray: pip install --force-reinstall ."


def _settings() -> Iterator[Diagnosis]:
    """The variables: their names and values, and the paths that they name."""
    import difflib

    given = _config.given_variables()
    for problem in _config.problems:
        yield Diagnosis(
            "FAULT", problem, "correct or unset it: importing gpuarray raises until then"
        )
    for name in given.keys() - {*_config.VARIABLES}:
        prefix = "GPUARRAY_"
        ends = [x.removeprefix(prefix) for x in _config.VARIABLES]
        near = difflib.get_close_matches(name.removeprefix(prefix), ends, 1, 0.7)
        yield Diagnosis(
            "FAULT" if near else "note",
            f"{name} is no variable of gpuarray",
            f"it is {prefix}{near[0]}" if near else f"there are {', '.join(_config.VARIABLES)}",
        )
    settings = _config.config
    for directory in settings.cache_dirs:
        if not os.path.isdir(directory) or not os.access(directory, os.R_OK | os.X_OK):
            reason = "cannot be read" if os.path.isdir(directory) else "is no directory"
            yield Diagnosis(
                "FAULT", f"GPUARRAY_CACHE_DIRS names {directory}, which {reason}", "correct it"
            )
    for name, path in (
        ("GPUARRAY_RECORD", settings.record),
        ("GPUARRAY_DUMP_SOURCE", settings.dump_source),
    ):
        reason = _problem_of(path, folder=name == "GPUARRAY_DUMP_SOURCE") if path else ""
        if reason:
            yield Diagnosis("FAULT", f"{name}={path}: {reason}", "name a path that can be written")
    known = [f"{name}={value}" for name, value in given.items() if name in _config.VARIABLES]
    if known and not _config.problems:
        yield Diagnosis("ok", f"settings: {', '.join(known)}")


def _problem_of(path: str, folder: bool) -> str:
    """Why nothing can be written to a path, '' if something can."""
    if os.path.isdir(path) is not folder and os.path.lexists(path):
        return "it is a folder" if os.path.isdir(path) else "it is no folder"
    place = path if os.path.isdir(path) else os.path.dirname(path)
    if folder:
        while not os.path.lexists(place):  # it would be made
            place = os.path.dirname(place)
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
        if os.path.isfile(path):
            with open(path, "ab"):
                pass
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _backend() -> Iterator[Diagnosis]:
    """The driver and its devices."""
    from gpuarray._ffi import driver

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BackendWarning)
        description = driver.describe()
    for warning in caught:
        yield Diagnosis(
            "note",
            str(warning.message),
            "on a machine with an NVIDIA GPU, install NVIDIA's driver and see that `nvidia-smi` "
            "lists the GPU (in a container: start it with `--gpus all`); without one, set "
            "GPUARRAY_BACKEND=emulator to say that this is meant",
        )
    yield Diagnosis("ok", f"runs on the {description}")


def _versions() -> Iterator[Diagnosis]:
    """Whether the driver can run what the compiler makes."""
    from gpuarray._ffi import driver, locate

    major = locate.cuda_major()
    supported = driver.driver_version()
    if supported // 1000 < major:
        yield Diagnosis(
            "FAULT",
            f"the driver supports CUDA {version_text(supported)}, the libraries are CUDA {major}",
            f"update NVIDIA's driver, or install the libraries for CUDA {supported // 1000} and "
            f"set GPUARRAY_CUDA_MAJOR={supported // 1000}",
        )
    else:
        yield Diagnosis(
            "ok", f"the driver supports CUDA {version_text(supported)}, the libraries are {major}"
        )


def _libraries() -> Iterator[Diagnosis]:
    """Each library, and the headers."""
    from gpuarray._ffi import locate

    reinstall = _REINSTALL
    missing = []
    for name in locate.LIBRARIES:
        try:
            path = locate.library(name)
        except ImportError as error:
            if name == "nvrtc":
                yield Diagnosis("FAULT", f"{error}; nothing can be compiled without it", reinstall)
            else:
                missing.append(name)
        except RuntimeError as error:  # another CUDA major version: the text has the remedy
            yield Diagnosis("FAULT" if name == "nvrtc" else "note", str(error))
        else:
            yield Diagnosis("ok", f"{name}: {path}")
    if missing:
        yield Diagnosis(
            "note",
            f"not installed: {', '.join(missing)}; functions that need them fail",
            "pip install " + " ".join(dict.fromkeys(map(locate.wheel, missing))),
        )
    try:
        yield Diagnosis("ok", f"CUDA headers: {locate.include_directories()[0]}")
    except (RuntimeError, ImportError) as error:
        yield Diagnosis("note", f"{error}; only kernels with an #include need them", reinstall)
    majors = sorted({found.major for found in locate.report()})
    if len(majors) > 1:
        versions = " and ".join(map(str, majors))
        # Of a version without a compiler, with headers only, say, there is nothing to choose.
        usable = sorted({found.major for found in locate.report() if found.name == "nvrtc"})
        others = [f"GPUARRAY_CUDA_MAJOR={x}" for x in usable if x != locate.cuda_major()]
        yield Diagnosis(
            "note",
            f"CUDA {versions} are installed; CUDA {locate.cuda_major()} is used",
            f"{' or '.join(others)} chooses another one" if others else "",
        )


def _cache() -> Iterator[Diagnosis]:
    """The directory of compiled kernels."""
    from gpuarray.kernels.compiler.cache import default_cache

    state = default_cache().info()
    text = f"cache {cache_command.summary(state)}"
    choose = "set GPUARRAY_CACHE_DIR to a directory of yours that can be written"
    if state.directory is None:
        yield Diagnosis("note" if state.note else "ok", text, choose if state.note else "")
        return
    if not state.writable:
        yield Diagnosis("FAULT", text, f"kernels are compiled again in each process: {choose}")
        return
    yield Diagnosis("ok", text)
    if not os.path.isdir(state.directory) or not hasattr(os, "geteuid"):
        return
    status = os.stat(state.directory)
    if status.st_uid != os.geteuid():
        yield Diagnosis(
            "FAULT",
            f"{state.directory} belongs to another user, who could put kernels there",
            choose,
        )
    elif status.st_mode & 0o022:
        yield Diagnosis(
            "note",
            f"{state.directory} can be written by others, who could remove kernels",
            f"chmod 700 {state.directory}",
        )


def _kernel() -> Iterator[Diagnosis]:
    """The whole way: compile, launch, copy back."""
    import numpy as np

    import gpuarray as cp

    result = cp.asnumpy(cp.arange(1000, dtype="f4") * 2)
    if (result == np.arange(1000, dtype="f4") * 2).all():
        yield Diagnosis("ok", "a kernel was compiled and gave the right result")
    else:
        yield Diagnosis(
            "FAULT",
            "a kernel ran and gave a wrong result",
            "run `python -m gpuarray cache clear` and try again; if it stays, please report it "
            "with the output of `python -m gpuarray info`",
        )


_CHECKS: list[tuple[str, Check, str]] = [
    ("settings", _settings, "unset the variables GPUARRAY_..."),
    ("device", _backend, "see that `nvidia-smi` works, or set GPUARRAY_BACKEND=emulator"),
    ("libraries", _libraries, _REINSTALL),
    ("versions", _versions, "install NVIDIA's driver and the libraries for one CUDA version"),
    ("cache", _cache, "set GPUARRAY_CACHE_DIR to a directory of yours that can be written"),
    ("kernel", _kernel, "mend the faults above first"),
]


def run() -> int:
    """Run every check; the exit status is 1 if there is a fault."""
    faults = 0
    for name, check, remedy in _CHECKS:
        try:
            findings = list(check())
        except Exception as error:  # a check that breaks is itself a finding
            findings = [Diagnosis("FAULT", f"{name}: {type(error).__name__}: {error}", remedy)]
        for finding in findings:
            faults += finding.level == "FAULT"
            print(f"{finding.level:5}  {finding.text}")
            if finding.remedy:
                print(f"       remedy: {finding.remedy}")
    print("no fault found" if not faults else f"{faults} fault{'s' * (faults > 1)} found")
    return 1 if faults else 0
