"""Finds the CUDA libraries and headers, all of one CUDA major version.

A *root* is one installation of CUDA: the cu12 wheels, the cu13 wheels or a toolkit. Of the wheels
that can compile, those with most of the libraries are chosen (cu12 where both have as many), else
a toolkit. Its major version is the one for the whole process; ``GPUARRAY_CUDA_MAJOR`` picks
another. A library that the chosen root lacks may come from another root of the same major version.
cuSPARSE and cuRAND carry the same file name in CUDA 12 and 13, so it is the root that tells the
version, not the file.

Folders that no root covers (conda, ``LD_LIBRARY_PATH``, ...) are left to cuda-pathfinder.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from gpuarray._config import config
from gpuarray.errors import LibraryNotFoundError, MixedCUDAError

__all__ = [
    "LIBRARIES", "Found", "cuda_major", "include_directories", "installation", "library", "nvcc",
    "report", "wheel", "wheels_of",
]  # fmt: skip


class _LibraryFiles(NamedTuple):
    """Where one library is in the cu12 wheels, and its file names by CUDA major version."""

    wheel_12: str
    files: dict[int, tuple[str, ...]]
    pip_12: str
    pip_13: str
    #: Other libraries that it links to; they are opened first.
    needs: tuple[str, ...] = ()


def _files(name: str, major_12: str, *majors_13: str) -> dict[int, tuple[str, ...]]:
    return {
        12: (f"lib{name}.so.{major_12}",),
        13: tuple(f"lib{name}.so.{major}" for major in majors_13),
    }


#: Every library that gpuarray opens, apart from the driver.
LIBRARIES: dict[str, _LibraryFiles] = {
    "nvrtc": _LibraryFiles(
        "cuda_nvrtc", _files("nvrtc", "12", "13"), "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc"
    ),
    "cublas": _LibraryFiles(
        "cublas", _files("cublas", "12", "13"), "nvidia-cublas-cu12", "nvidia-cublas", ("cublasLt",)
    ),
    "cublasLt": _LibraryFiles(
        "cublas", _files("cublasLt", "12", "13"), "nvidia-cublas-cu12", "nvidia-cublas"
    ),
    "cusolver": _LibraryFiles(
        "cusolver",
        _files("cusolver", "11", "12"),
        "nvidia-cusolver-cu12",
        "nvidia-cusolver",
        ("nvJitLink", "cublas", "cusparse"),
    ),
    "cusparse": _LibraryFiles(
        "cusparse",
        _files("cusparse", "12", "12", "13"),
        "nvidia-cusparse-cu12",
        "nvidia-cusparse",
        ("nvJitLink",),
    ),
    "cudss": _LibraryFiles(
        "cu12",
        _files("cudss", "1", "1"),
        "nvidia-cudss-cu12",
        "nvidia-cudss-cu13",
        ("nvrtc", "cublas"),
    ),
    "curand": _LibraryFiles(
        "curand", _files("curand", "10", "10", "11"), "nvidia-curand-cu12", "nvidia-curand"
    ),
    "cufft": _LibraryFiles(
        "cufft", _files("cufft", "11", "12"), "nvidia-cufft-cu12", "nvidia-cufft"
    ),
    "nccl": _LibraryFiles("nccl", _files("nccl", "2", "2"), "nvidia-nccl-cu12", "nvidia-nccl-cu13"),
    "nvJitLink": _LibraryFiles(
        "nvjitlink", _files("nvJitLink", "12", "13"), "nvidia-nvjitlink-cu12", "nvidia-nvjitlink"
    ),
}

#: Libraries whose wheels for both versions of CUDA have one place and one file name. They contain
#: the CUDA runtime, so that they go with any other libraries.
_OF_ANY_MAJOR = ("nccl",)

#: Folders of the cu12 wheels that hold headers, in the order that a compiler searches them.
_WHEEL_12_HEADERS = ("cuda_runtime", "cuda_cccl", "cuda_nvcc", "curand")
#: The wheels of headers for CUDA 12 and 13.
_HEADER_WHEELS = {
    "cccl": ("nvidia-cuda-cccl-cu12", "nvidia-cuda-cccl"),
    "crt": ("nvidia-cuda-nvcc-cu12", "nvidia-cuda-crt"),
    "runtime": ("nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime"),
}
_TOOLKIT_LIBRARY_FOLDERS = ("lib64", "lib", f"targets/{os.uname().machine}-linux/lib")
#: Libraries whose file name ends in the CUDA major version.
_NAMED_AFTER_MAJOR = ("nvrtc", "cudart", "cublas", "nvJitLink")
_TOOLKIT_FOLDERS = ("/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda")


class _Root(NamedTuple):
    """One installation of CUDA."""

    kind: str
    major: int
    path: str

    def library(self, name: str) -> str | None:
        files = LIBRARIES[name].files.get(self.major, ())
        for folder in self._library_folders(name):
            for file in files:
                path = os.path.join(self.path, folder, file)
                if os.path.isfile(path):
                    return path
        return None

    def _library_folders(self, name: str) -> tuple[str, ...]:
        if self.kind == "cu12 wheels":
            return (f"{LIBRARIES[name].wheel_12}/lib",)
        if self.kind == "toolkit":
            return _TOOLKIT_LIBRARY_FOLDERS
        return ("lib",)

    def include_directories(self) -> tuple[str, ...]:
        if self.kind == "cu12 wheels":
            folders = tuple(f"{wheel}/include" for wheel in _WHEEL_12_HEADERS)
        else:
            folders = ("include", "include/cccl")
        paths = (os.path.join(self.path, folder) for folder in folders)
        return tuple(path for path in paths if os.path.isdir(path))

    def has_headers(self) -> bool:
        return any(
            os.path.isfile(os.path.join(folder, "cuda_runtime.h"))
            for folder in self.include_directories()
        )

    def libraries(self) -> dict[str, str]:
        found = {name: self.library(name) for name in LIBRARIES}
        return {name: path for name, path in found.items() if path is not None}

    def __str__(self) -> str:
        return f"{self.kind} of CUDA {self.major} in {self.path}"


class Found(NamedTuple):
    """One line of `report`: a library or the headers in one root."""

    name: str
    path: str
    kind: str
    major: int
    chosen: bool


def library(name: str) -> str:
    """The path of a CUDA library, such as 'nvrtc'.

    Raises
    ------
    LibraryNotFoundError
        It is nowhere; the message says what to install.
    MixedCUDAError
        It is there, but only for another CUDA major version than the other libraries.
    """
    root = _chosen_root()
    major = root.major if root is not None else config.cuda_major
    for roots in (_wheels, _toolkits):  # toolkits last: searching for them is slow
        for candidate in roots():
            if candidate.major != major and name not in _OF_ANY_MAJOR:
                continue
            path = candidate.library(name)
            if path is not None:
                return path
    others = [(r, r.library(name)) for r in _roots() if r.major != major]
    found_elsewhere = [(r, path) for r, path in others if path is not None]
    if not found_elsewhere:
        path = _pathfinder_library(name)
        if path is not None:
            found = _major_of(path, name)
            if major is None or found in (major, None):
                return path
            found_elsewhere = [(_Root("library", found, os.path.dirname(path)), path)]
    if found_elsewhere:
        raise _mixed(name, root, major, found_elsewhere)
    raise LibraryNotFoundError(_missing(name, major))


def dependencies(name: str) -> list[str]:
    """Paths of the libraries to open before `name`, in order."""
    paths: list[str] = []
    for needed in LIBRARIES[name].needs:
        for path in (*dependencies(needed), library(needed)):
            if path not in paths:
                paths.append(path)
    return paths


def cuda_major() -> int:
    """The CUDA major version of every library and header that this process uses."""
    root = _chosen_root()
    if root is not None:
        return root.major
    path = library("nvrtc")
    return _major_of(path, "nvrtc") or config.cuda_major or 12


def include_directories() -> tuple[str, ...]:
    """The folders of CUDA's own headers, of the same major version as the libraries.

    Raises
    ------
    LibraryNotFoundError
        There are none.
    MixedCUDAError
        There are some, but only of another CUDA major version.
    """
    major = cuda_major()
    root = _chosen_root()
    candidates = [root] if root is not None else []
    candidates += [r for r in _roots() if r.major == major and r != root]
    for candidate in candidates:
        if candidate.has_headers():
            return candidate.include_directories()
    elsewhere = [(r, r.include_directories()[0]) for r in _roots() if r.has_headers()]
    if not elsewhere:
        path = _pathfinder_headers()
        if path is not None:
            found = _header_major(path)
            if found in (major, None):
                return (path,)
            elsewhere = [(_Root("headers", found, path), path)]
    if elsewhere:
        raise _mixed("CUDA headers", root, major, elsewhere)
    suffix = "-cu12" if major == 12 else f"=={major}.*"
    raise LibraryNotFoundError(
        f"the headers of CUDA {major} were not found: pip install nvidia-cuda-runtime{suffix}"
    )


def installation() -> str | None:
    """The folder of the CUDA installation with the compiler that this process uses."""
    root = _chosen_root()
    if root is not None and root.kind == "toolkit":
        return root.path
    try:
        path = library("nvrtc")
    except (LibraryNotFoundError, MixedCUDAError):
        return None
    return os.path.dirname(os.path.dirname(os.path.realpath(path)))


def nvcc() -> str | None:
    """The path of nvcc: in the installation, in another toolkit, or where a shell finds it."""
    folders = [installation(), *_site_folders("nvidia/cuda_nvcc"), *_toolkit_folders()]
    for folder in folders:
        path = os.path.join(folder, "bin", "nvcc") if folder is not None else ""
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    import shutil  # it imports compressors

    return shutil.which("nvcc")


def wheel(name: str) -> str:
    """The wheel of a library or of headers, of the CUDA major version that the process uses.

    Parameters
    ----------
    name : str
        A name in `LIBRARIES`, or of headers: 'cccl', 'crt', 'runtime'.
    """
    wheels = _HEADER_WHEELS.get(name)
    if wheels is None:
        wheels = LIBRARIES[name].pip_12, LIBRARIES[name].pip_13
    try:
        major = cuda_major()
    except (ImportError, RuntimeError):  # nothing is there, or versions are mixed
        major = config.cuda_major or 12
    return wheels[major == 13]


def wheels_of(major: int) -> tuple[str, ...]:
    """The wheels of all libraries and headers for a CUDA major version, 12 or 13."""
    rows = [(library.pip_12, library.pip_13) for library in LIBRARIES.values()]
    found = [pair[major == 13] for pair in (*rows, *_HEADER_WHEELS.values())]
    return tuple(dict.fromkeys(found))


def report() -> list[Found]:
    """Every library and header folder in every root, for ``python -m gpuarray info``."""
    chosen = _chosen_root()
    lines = []
    for root in _roots():
        for name, path in root.libraries().items():
            if name in _OF_ANY_MAJOR and chosen is not None:
                lines.append(Found(name, path, chosen.kind, chosen.major, True))
            else:
                lines.append(Found(name, path, root.kind, root.major, root == chosen))
        if root.has_headers():
            path = root.include_directories()[0]
            lines.append(Found("headers", path, root.kind, root.major, root == chosen))
    return lines


def _mixed(
    name: str, root: _Root | None, major: int | None, elsewhere: list[tuple[_Root, str]]
) -> MixedCUDAError:
    there = "; ".join(f"CUDA {r.major} in {path} ({r.kind})" for r, path in elsewhere)
    if root is not None:
        held = ", ".join(sorted(root.libraries())) or "nothing that gpuarray opens"
        chosen = f"CUDA {major} was chosen: {root} has {held}"
    else:
        chosen = f"GPUARRAY_CUDA_MAJOR asks for CUDA {major}, which no installation here has"
    others = " or ".join(sorted({str(r.major) for r, _ in elsewhere}))
    return MixedCUDAError(
        f"{name} was found only for another CUDA major version, and versions must not be mixed. "
        f"{chosen}. {name}: {there}. Install {name} for CUDA {major}"
        f"{_pip(name, major)}, or set GPUARRAY_CUDA_MAJOR={others} if that installation is "
        "complete."
    )


def _missing(name: str, major: int | None) -> str:
    searched = ", ".join(str(root) for root in _roots()) or "no installation of CUDA"
    version = f" for CUDA {major}" if major is not None else ""
    return (
        f"the CUDA library {name}{version} was not found{_pip(name, major, ': ')} "
        f"(searched {searched}, and what cuda-pathfinder knows)"
    )


def _pip(name: str, major: int | None, before: str = " with ") -> str:
    entry = LIBRARIES.get(name)
    if entry is None:
        return ""
    return f"{before}pip install {entry.pip_13 if major == 13 else entry.pip_12}"


def _roots() -> tuple[_Root, ...]:
    """Every installation with a library or headers, in order of preference."""
    return _wheels() + _toolkits()


@cache
def _wheels() -> tuple[_Root, ...]:
    roots = [_Root("cu12 wheels", 12, path) for path in _site_folders("nvidia")]
    roots += [_Root("cu13 wheels", 13, path) for path in _site_folders("nvidia/cu13")]
    return tuple(root for root in roots if root.has_headers() or root.libraries())


@cache
def _toolkits() -> tuple[_Root, ...]:
    roots = []
    for path in _toolkit_folders():
        major = _toolkit_major(path)
        if major in (12, 13):
            roots.append(_Root("toolkit", major, path))
    return tuple(root for root in roots if root.has_headers() or root.libraries())


@cache
def _chosen_root() -> _Root | None:
    """The root that the process uses: it can compile, and has most of the libraries."""
    for roots in (_wheels, _toolkits):
        wanted = [root for root in roots() if config.cuda_major in (None, root.major)]
        able = [root for root in wanted if root.library("nvrtc") is not None]
        if able:
            return max(able, key=lambda root: len(root.libraries()))
    return None


def _site_folders(relative: str) -> list[str]:
    paths = (os.path.join(entry or os.curdir, relative) for entry in sys.path)
    return _existing(os.path.abspath(path) for path in paths)


def _toolkit_folders() -> list[str]:
    from cuda.pathfinder import get_cuda_path_or_home

    named = get_cuda_path_or_home()
    paths = [named] if named else []
    for pattern in _TOOLKIT_FOLDERS:
        paths += sorted(glob.glob(pattern), reverse=True)
    return _existing(os.path.realpath(path) for path in paths)


def _existing(paths: Iterable[str]) -> list[str]:
    return [path for path in dict.fromkeys(paths) if os.path.isdir(path)]


def _toolkit_major(path: str) -> int | None:
    found = _header_major(os.path.join(path, "include"))
    if found is not None:
        return found
    for folder in _TOOLKIT_LIBRARY_FOLDERS:
        for major in (13, 12):
            for name in _NAMED_AFTER_MAJOR:
                if os.path.exists(os.path.join(path, folder, f"lib{name}.so.{major}")):
                    return major
    return None


def _header_major(folder: str) -> int | None:
    try:
        with open(os.path.join(folder, "cuda.h"), encoding="utf-8", errors="replace") as file:
            match = re.search(r"^#define CUDA_VERSION (\d+)", file.read(1 << 16), re.MULTILINE)
    except OSError:
        return None
    return int(match[1]) // 1000 if match else None


def _major_of(path: str, name: str) -> int | None:
    """The CUDA major version of a library file, where its name tells one."""
    majors = [
        major
        for major, files in LIBRARIES[name].files.items()
        if any(file in os.path.basename(path) for file in files)
    ]
    return majors[0] if len(majors) == 1 else None


def _pathfinder_library(name: str) -> str | None:
    # Imported here: the import is slow and seldom needed.
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        return load_nvidia_dynamic_lib(name).abs_path
    except (DynamicLibNotFoundError, RuntimeError):
        return None


def _pathfinder_headers() -> str | None:
    from cuda.pathfinder import find_nvidia_header_directory

    return find_nvidia_header_directory("cudart")
