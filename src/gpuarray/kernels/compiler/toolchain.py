"""Which NVRTC would compile, found out without opening it.

The cache key names NVRTC's version and build.  Asking the library means to locate and open it:
50 ms of importing cuda-pathfinder and 6 to 100 ms of mapping 100 MB, in a process that may find
all its kernels in the cache.  So what the library answered is kept in a stamp beside the cache
entries, together with size and time stamp of its file; a later process only asks the file system
whether that file is still the same.

The stamp is trusted only for an NVRTC inside one of this interpreter's own package directories,
where environment variables do not decide which one is found.  Were it wrong all the same, an image
compiled by the stamped NVRTC from the same source would be used, until the next compilation opens
the library and corrects the stamp.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from gpuarray import _fork
from gpuarray._config import config
from gpuarray.kernels.compiler.cache import Cache, digest


class Toolchain(NamedTuple):
    """NVRTC's version and build."""

    version: tuple[int, int]
    build: str

    def __str__(self) -> str:
        return f"NVRTC {self.version[0]}.{self.version[1]} ({self.build})"


_current: Toolchain | None = None
_opened = False
_lock = _fork.new_lock()


def identity(cache: Cache) -> Toolchain:
    """The NVRTC that a compilation would use, from the stamp where that still holds."""
    global _current
    if _current is None:
        with _lock:
            if _current is None:
                _current = _from_stamp(cache)
    return _current if _current is not None else opened(cache)


def opened(cache: Cache) -> Toolchain:
    """The NVRTC that is really there; opens it, and renews the stamp."""
    global _current, _opened
    if _opened and _current is not None:
        return _current
    with _lock:
        if not _opened or _current is None:
            from gpuarray._ffi import nvrtc

            found = Toolchain(nvrtc.version(), nvrtc.build())
            if found != _current:
                _current = found
                _write_stamp(cache, found)
            _opened = True
        return _current


def include_directories() -> tuple[str, ...]:
    """The toolkit's include directories, of the same CUDA major as NVRTC."""
    from gpuarray._ffi import locate

    return tuple(locate.include_directories())


# -- the stamp ---------------------------------------------------------------------------------


def _package_directories() -> list[str]:
    """The folders of this interpreter that hold NVIDIA's wheels."""
    return [
        folder
        for folder in (os.path.join(entry, "nvidia") for entry in sys.path if entry)
        if os.path.isdir(folder)
    ]


def _stamp_key(folders: list[str]) -> bytes:
    # Installing another CUDA beside this one adds an entry to a folder and so changes its time.
    changed = [os.stat(folder).st_mtime_ns for folder in folders]
    return digest("nvrtc", sys.prefix, folders, changed, config.cuda_major or 0)


def _from_stamp(cache: Cache) -> Toolchain | None:
    try:
        folders = _package_directories()
        if not folders:
            return None
        texts = cache.get_stamp(_stamp_key(folders))
        if texts is None or _file_identity(texts["path"]) != texts["file"]:
            return None
        major, minor = texts["version"].split(".")
        return Toolchain((int(major), int(minor)), texts["build"])
    except (OSError, KeyError, ValueError):
        return None


def _write_stamp(cache: Cache, found: Toolchain) -> None:
    from gpuarray._ffi import locate

    try:
        folders = _package_directories()
        path = os.path.abspath(locate.library("nvrtc"))
        if not any(path.startswith(os.path.join(folder, "")) for folder in folders):
            return
        texts = {
            "path": path,
            "file": _file_identity(path),
            "version": f"{found.version[0]}.{found.version[1]}",
            "build": found.build,
        }
        cache.put_stamp(_stamp_key(folders), texts)
    except OSError:
        pass


def _file_identity(path: str) -> str:
    status = os.stat(path)
    return f"{status.st_size} {status.st_mtime_ns}"
