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
from gpuarray._version import DISTRIBUTION
from gpuarray.errors import BackendWarning


@dataclass(frozen=True)
class Diagnosis:
    """One line of the report: ``level`` is "ok", "note" or "FAULT"."""

    level: str
    text: str
    remedy: str = ""


Check = Callable[[], Iterator[Diagnosis]]

#: What to do about a driver that has no device, by the status that it returns.
_REMEDIES = {
    "CUDA_ERROR_NO_DEVICE": "see that `nvidia-smi` lists a GPU and that CUDA_VISIBLE_DEVICES does "
    "not hide it (`unset CUDA_VISIBLE_DEVICES`)",
    "CUDA_ERROR_STUB_LIBRARY": "the toolkit's stub was opened in place of the driver: take the "
    "folder `stubs` out of LD_LIBRARY_PATH",
    "CUDA_ERROR_SYSTEM_NOT_READY": "start NVIDIA's services for this machine, such as "
    "`sudo systemctl start nvidia-fabricmanager`",
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": "the driver's library and its kernel module have "
    "different versions, as after an update: restart the machine",
    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE": "the compatibility libraries of CUDA do not "
    "support this GPU: take their folder `compat` out of LD_LIBRARY_PATH, or update the driver",
    "CUDA_ERROR_UNKNOWN": "load the kernel module (`sudo modprobe nvidia-uvm`), or restart the "
    "machine",
}
#: The oldest driver for a CUDA major version.
_DRIVERS = {12: "525", 13: "580"}

#: The package and its dependencies, which are NVIDIA's wheels.
_REINSTALL = f"pip install --force-reinstall {DISTRIBUTION}"


def _remedy(text: str, otherwise: str) -> str:
    """The remedy for the status that a message names."""
    return next((remedy for name, remedy in _REMEDIES.items() if name in text), otherwise)


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
        install = (
            "on a machine with an NVIDIA GPU, install NVIDIA's driver and see that `nvidia-smi` "
            "lists the GPU (in a container: start it with `--gpus all`)"
        )
        text = str(warning.message)
        meant = "without one, set GPUARRAY_BACKEND=emulator to say that this is meant"
        yield Diagnosis("note", text, f"{_remedy(text, install)}; {meant}")
    yield Diagnosis("ok", f"runs on the {description}")


def _versions() -> Iterator[Diagnosis]:
    """Whether the driver can run what the compiler makes."""
    from gpuarray._ffi import driver, locate

    major = locate.cuda_major()
    supported = driver.driver_version()
    if supported // 1000 < major:
        usable = supported // 1000
        update = f"update NVIDIA's driver to {_DRIVERS.get(major, 'a newer one')} or newer"
        # There is nothing of this package for an older CUDA.
        older = usable in _DRIVERS
        yield Diagnosis(
            "FAULT",
            f"the driver supports CUDA {version_text(supported)}, the libraries are CUDA {major}",
            f"{update}, or install the libraries for CUDA {usable} (pip install "
            f"{' '.join(locate.wheels_of(usable))}) and set GPUARRAY_CUDA_MAJOR={usable}"
            if older
            else update,
        )
    else:
        yield Diagnosis(
            "ok", f"the driver supports CUDA {version_text(supported)}, the libraries are {major}"
        )


def _libraries() -> Iterator[Diagnosis]:
    """Each library, and the headers."""
    from gpuarray._ffi import locate

    missing = []
    for name in locate.LIBRARIES:
        try:
            path = locate.library(name)
        except ImportError as error:
            if name == "nvrtc":
                said = f"{error}; nothing can be compiled without it"
                yield Diagnosis("FAULT", said, f"pip install {locate.wheel(name)}")
            else:
                missing.append(name)
        except RuntimeError as error:  # another CUDA major version: the text says which
            level = "FAULT" if name == "nvrtc" else "note"
            yield Diagnosis(level, str(error), f"pip install {locate.wheel(name)}")
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
        yield from _headers()
    except (RuntimeError, ImportError) as error:
        install = f"pip install {' '.join(map(locate.wheel, ('runtime', 'crt', 'cccl')))}"
        yield Diagnosis("note", f"{error}; only kernels with an #include need them", install)
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


def _headers() -> Iterator[Diagnosis]:
    """Headers that come in wheels of their own."""
    from gpuarray._ffi import locate

    folders = locate.include_directories()
    # CUB, libcu++ and what cooperative_groups.h includes are in a wheel of their own.
    if not any(os.path.isfile(os.path.join(x, "cuda", "std", "cstdint")) for x in folders):
        yield Diagnosis(
            "note",
            "CUDA's core libraries (cub/..., cuda/std/...) were not found; only kernels that "
            "include them need them",
            f"pip install {locate.wheel('cccl')}",
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
    yield from _entries(state.directory, choose)
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


def _entries(directory: str, choose: str) -> Iterator[Diagnosis]:
    """Whether what is written to the cache can be read, now and from before."""
    from gpuarray.kernels.compiler.cache import SUFFIX, default_cache

    cache = default_cache()
    path = os.path.join(directory, f"doctor.{os.getpid()}")
    data = os.urandom(1 << 16)
    try:
        cache.write(path, data)
        found = cache.read_own(path)
        os.unlink(path)
    except OSError as error:  # a full disk, say
        yield Diagnosis(
            "FAULT", f"{directory} cannot be written: {error.strerror or error}", choose
        )
        return
    if found != data:
        yield Diagnosis(
            "FAULT",
            f"what is written to {directory} cannot be trusted: the file system gives files to "
            "another user, or lets others write to them",
            choose,
        )
    with os.scandir(directory) as files:
        paths = [file.path for file in files if file.name.endswith(SUFFIX)]
    unread = sum([cache.read_own(path) is None for path in paths])
    if unread:
        yield Diagnosis(
            "note",
            f"{unread:,} of {len(paths):,} kernels in {directory} cannot be read, belong to "
            "another user or can be written by others: they are compiled again",
            f"remove them: `python -m gpuarray cache clear`, or `rm {directory}/*{SUFFIX}`",
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
            text = f"{name}: {type(error).__name__}: {error}"
            findings = [Diagnosis("FAULT", text, _remedy(text, remedy))]
        for finding in findings:
            faults += finding.level == "FAULT"
            print(f"{finding.level:5}  {finding.text}")
            if finding.remedy:
                print(f"       remedy: {finding.remedy}")
    print("no fault found" if not faults else f"{faults} fault{'s' * (faults > 1)} found")
    return 1 if faults else 0
