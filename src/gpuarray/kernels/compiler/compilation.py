"""CUDA C++ source to image: from memory, from the disk cache, or from NVRTC.

`compile` is the only way to NVRTC for everything above.  It makes the key of the cache, looks in
this process's memory, then on disk, and only then opens NVRTC.  Threads and processes that ask for
the same image at the same time wait for the one that came first.
"""

from __future__ import annotations

import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from gpuarray import _fork
from gpuarray._config import config
from gpuarray._ffi import driver, prepared
from gpuarray.errors import CompileError
from gpuarray.kernels.compiler import recording, reporting, toolchain
from gpuarray.kernels.compiler.cache import FORMAT, PREPARED, Image, Label, default_cache, digest
from gpuarray.kernels.compiler.headers import Includes, fingerprint, follow, shadows
from gpuarray.kernels.compiler.image_memory import ImageMemory
from gpuarray.kernels.compiler.options import Options, checked_options, sort_options
from gpuarray.kernels.compiler.request import Request
from gpuarray.kernels.compiler.standins import STAND_INS

__all__ = ["KINDS", "Image", "Request", "compile", "compile_request"]

#: What a compilation can make; each with what an architecture's number is written after.
KINDS = {"cubin": "sm", "ptx": "compute", "lto": "compute"}

# LTO-IR is there to be linked, so what other inputs define or call has to stay visible.
_LINKABLE = ("-dlto", "-rdc=true")
# No file can be there, so that quoted includes of what has no directory are not looked for in the
# current one.
_NOWHERE = "/dev/null/"
_FORCING = ("-include=", "--pre-include=")
_NOT_A_DIRECTORY = ": Not a directory"


def compile(
    source: str,
    *,
    name: str,
    headers: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    architecture: str,
    kind: str = "cubin",
    name_expressions: Sequence[str] = (),
) -> Image:
    """Compile `source`, or find it compiled; for the parameters see `Request`.

    Returns
    -------
    Image
        The image's bytes and the mangled names. Where NVRTC is older than the device, it is PTX
        (and ``image.kind`` says so) though a cubin was asked for.

    Raises
    ------
    CompileError
        With the log and the numbered source lines around each fault.
    """
    request = Request(source, name, architecture, kind, headers or {}, options, name_expressions)
    return compile_request(request)[0]


def compile_request(request: Request) -> tuple[Image, bool]:
    """The image of a request, and whether it was compiled for this call."""
    source, kind, name = request.source, request.kind, request.name
    if kind not in KINDS:
        raise ValueError(f"an image is one of {', '.join(map(repr, KINDS))}, not {kind!r}")
    cache = default_cache()
    expected = toolchain.identity(cache)
    options = (*driver.image_options(kind), *checked_options(request.options))
    chosen = sort_options(options, request.architecture, expected.version)
    includes = follow(source, request.headers, chosen.directories, chosen.forced)
    if not includes.missing.isdisjoint(STAND_INS):
        request = request._replace(headers={**STAND_INS, **request.headers})
        includes = follow(source, request.headers, chosen.directories, chosen.forced)
    directories = toolchain.include_directories() if includes.toolkit else ()
    digests = _digests(includes, chosen, directories)
    expressions = tuple(request.name_expressions)
    built = False

    def key(compiler: toolchain.Toolchain) -> bytes:
        return digest(
            FORMAT,
            source,
            digests,
            chosen.passed,
            chosen.architecture,
            kind,
            compiler.version,
            compiler.build,
            expressions,
            name,  # __FILE__, and so assert(), put it into the image
            config.dump_source or "",  # and line information the path
        )

    def build() -> Image:
        nonlocal built
        built = True
        rest = (*(_LINKABLE if kind == "lto" else ()), *chosen.passed)
        rest += tuple(f"-I{directory}" for directory in directories)
        number = chosen.architecture.rpartition("_")[2]
        try:
            target = f"--gpu-architecture={KINDS[kind]}_{number}"
            return _compile(request, kind, program, (target, *rest))
        except CompileError as error:
            from gpuarray.kernels.compiler.remedies import UNKNOWN_ARCHITECTURE

            nearest = _nearest(number) if UNKNOWN_ARCHITECTURE.search(error.log) else None
            if kind != "cubin" or nearest is None:
                raise
        # A device that is newer than NVRTC: its driver compiles the PTX of an older one.
        _warn_of_ptx(chosen.architecture, nearest)
        return _compile(request, "ptx", program, (f"--gpu-architecture=compute_{nearest}", *rest))

    wanted = key(expected)
    program = _program(request, wanted, includes, chosen)
    if not includes.exact or chosen.files:
        # An include named by a macro: nobody knows what the key should say.
        start = time.perf_counter_ns()
        with reporting.waiting(name):
            image = build()
        reporting.found(name, chosen.architecture, "compiled", start)
        return image, True
    recording.note(request, includes)

    def build_labelled() -> tuple[bytes, Image, Label]:
        compiler = toolchain.opened(cache)
        image = build()
        # The stamp can be out of date; the image is stored as what it is.
        actual = wanted if compiler == expected else key(compiler)
        return actual, image, Label(name, chosen.architecture, str(compiler))

    return find_or_build(wanted, build_labelled, name, chosen.architecture), built


def _digests(
    includes: Includes, chosen: Options, directories: Sequence[str]
) -> tuple[Sequence[tuple[str, bytes]], Sequence[bytes]]:
    """What the headers that a source reaches have in them, for the key."""
    found = includes.digests
    if includes.beside or includes.texts_beside or chosen.forced:
        # Not to be confused with images for which NVRTC has searched the current directory.
        found = [*found, (_NOWHERE, b"")]
    if directories and chosen.directories:
        found = [*found, *shadows(chosen.directories, directories)]
    # The toolkit's directories are named by content, so that two machines agree on a key.
    return found, [fingerprint(directory) for directory in directories]


def content(
    source: str, headers: Mapping[str, str] | None = None, options: Sequence[str] = ()
) -> Hashable:
    """What a source and options are compiled with beside themselves, to compare with later.

    It is equal to an earlier answer only while the headers that the source reaches are as they
    were. Where nobody can know that, it is equal to nothing else.
    """
    if "include" not in source and not options:
        return ()
    chosen = sort_options(options, "")
    includes = follow(source, headers or {}, chosen.directories, chosen.forced)
    if not includes.exact or chosen.files:
        return object()
    found = includes.digests
    if includes.toolkit and chosen.directories:
        found = [*found, *shadows(chosen.directories, toolchain.include_directories())]
    return tuple(found)


def find_or_build(
    key: bytes,
    build: Callable[[], tuple[bytes, Image, Label]],
    name: str,
    architecture: str,
) -> Image:
    """The image of `key` from memory or disk, or from `build()`, which gives the key to store it.

    Of several threads and processes one builds. The name and the architecture are for messages.
    """
    cache = default_cache()
    start = time.perf_counter_ns()
    state = "memory"

    def find() -> Image:
        nonlocal state
        state = "disk"
        image = cache.get(key)
        if image is not None:
            return image
        with reporting.waiting(name), cache.claim(key) as image:
            if image is None:
                actual, image, label = build()
                cache.put(actual, image, label)
                state = "compiled"
            return image

    image = _memory.get(key, find)
    reporting.found(name, architecture, state, start)
    return image


def _nearest(number: str) -> int | None:
    """The newest architecture that NVRTC knows and a device of a newer one can run."""
    from gpuarray._ffi import nvrtc

    known = nvrtc.supported_architectures()
    if not number.isdecimal() or int(number) in known:
        return None
    return max((one for one in known if one < int(number)), default=None)


_warned_of_ptx = False


def _warn_of_ptx(architecture: str, nearest: int) -> None:
    global _warned_of_ptx
    if not _warned_of_ptx:
        _warned_of_ptx = True
        warnings.warn(
            f"NVRTC does not know {architecture}: it makes PTX for sm_{nearest}, which the driver "
            "compiles each time it loads a kernel. Update NVRTC's wheel (nvidia-cuda-nvrtc)",
            RuntimeWarning,
            stacklevel=2,
        )


def _compile(request: Request, kind: str, program: Program, options: tuple[str, ...]) -> Image:
    from gpuarray._ffi import nvrtc

    if program.isolated:
        # The prefix includes them.
        options = tuple(option for option in options if not option.startswith(_FORCING))
    try:
        data, _, lowered = nvrtc.compile(
            program.prefix + request.source,
            program.name,
            program.headers,
            (*program.options, *options),  # in-memory headers come before the caller's folders
            tuple(request.name_expressions),
            kind,
        )
    except CompileError as error:
        from gpuarray.kernels.compiler.remedies import remedy

        error.kernel_name = request.name
        error.source = request.source
        error.file_name = program.file_name
        error.log = error.log.replace(_NOT_A_DIRECTORY, "").replace(_NOWHERE, "")
        error.headers |= program.files
        note = remedy(error.log, request.source)
        if note:
            error.add_note(note)
        raise
    if driver.image_options(kind):
        data = _without_directory(data, {program.name, program.file_name, *program.headers})
    return Image(data, lowered, kind)


#: Where NVRTC declares CUDA's functions.
_BUILTIN_HEADER = b"__nv_nvrtc_builtin_header.h"
_FILE_DIRECTIVE = re.compile(rb'^(\s*\.file\s+\d+\s+")([^"]*)(?=")', re.M)


def _without_directory(ptx: bytes, names: Collection[str]) -> bytes:
    """PTX that names the sources in memory as they are, without the current directory.

    NVRTC puts it before their names in line information, and the image is for any directory.
    """
    try:
        here = os.path.join(os.getcwd(), "").encode(errors="surrogateescape")
    except FileNotFoundError:  # somebody removed it
        return ptx
    known = {_BUILTIN_HEADER, *(name.encode(errors="surrogateescape") for name in names)}

    def name(match: re.Match[bytes]) -> bytes:
        start, path = match.groups()
        own = path.removeprefix(here)
        return start + (own if own in known else path)

    return _FILE_DIRECTIVE.sub(name, ptx)


class Program(NamedTuple):
    """What NVRTC is handed: the program's name, in-memory headers, and options for the rest."""

    name: str
    headers: Mapping[str, str]
    options: tuple[str, ...] = ()
    #: Headers by the names that messages have for them, where NVRTC was not given them by those.
    files: Mapping[str, str] = MappingProxyType({})
    #: The name in messages.
    file_name: str = ""
    #: What comes before the source, without counting as lines of it.
    prefix: str = ""
    #: Whether the program is kept from the current directory.
    isolated: bool = False


def _program(request: Request, key: bytes, includes: Includes, chosen: Options) -> Program:
    """The program as it is, or written to the folder of sources, where that is asked for."""
    program = _dumped(request, key, includes) or Program(request.name, includes.texts)
    name = program.name if "." in program.name else f"{program.name}.cu"
    program = program._replace(file_name=name)
    if not (includes.beside or includes.texts_beside or chosen.forced) or "\0" in request.source:
        return program
    # NVRTC looks for quoted includes in the directory of the program's name, or the current one.
    # Precompiled headers are files beside it, so there it is left to that.
    lines = [f'#include "{header}"\n' for header in chosen.forced]
    headers = dict(program.headers)
    for header in includes.texts_beside.intersection(headers):
        # The directory of an in-memory header is that of its name, too.
        headers[_NOWHERE + header] = _numbered(header) + headers[header]
        headers[header] = f'#include "{_NOWHERE}{header}"\n'
    program = program._replace(files={**includes.texts, **program.files})
    if chosen.files and not lines:
        return program._replace(headers=headers)
    prefix = "".join(lines) + _numbered(name)
    return program._replace(
        name=_NOWHERE + os.path.basename(name), headers=headers, prefix=prefix, isolated=True
    )


def _numbered(name: str) -> str:
    """A directive that makes the next line the first of a file."""
    quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'#line 1 "{quoted}"\n'


def _dumped(request: Request, key: bytes, includes: Includes) -> Program | None:
    """The program written to the folder of sources, where that is asked for and possible.

    Profilers and debuggers find sources by the paths that the compiler saw. In-memory headers have
    none, so they are written, too, to a folder named by their content, and included from there.
    It happens also for an image that is in the cache: the folder may have been emptied.
    """
    folder = config.dump_source
    if folder is None:
        return None
    stem = re.sub(r"[^\w.-]", "_", request.name)[:100]
    path = os.path.join(folder, f"{stem}.{key.hex()[:12]}.cu")
    below = {
        name: text
        for name, text in includes.texts.items()
        if not os.path.isabs(name) and os.pardir not in name.split("/")
    }
    headers = os.path.join(folder, f"headers.{digest(sorted(below.items())).hex()[:12]}")
    files = {os.path.join(headers, name): text for name, text in below.items()}
    try:
        for target, text in ((path, request.source), *files.items()):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            # Moved into place: other processes may be compiling what is there.
            partial = f"{target}.{os.getpid()}.{threading.get_ident()}"
            with open(partial, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            os.replace(partial, target)
    except (OSError, UnicodeEncodeError):
        return None
    rest = {name: text for name, text in includes.texts.items() if name not in below}
    return Program(path, rest, (f"-I{headers}",) if below else (), files)


_memory = ImageMemory()
_fork.in_child(_memory.forget_pending)


def _load_prepared(key: bytes) -> bytes | None:
    image = default_cache().get(key)
    # The kind is looked at because what comes back is executed: an image that somebody else
    # compiled (`cache import`) must never become Python.
    return image.data if image is not None and image.kind == PREPARED else None


def _save_prepared(key: bytes, data: bytes, name: str) -> None:
    default_cache().put(key, Image(data, kind=PREPARED), Label(name))


# The emulator keeps the Python that it makes of an image beside the image.
prepared.keep_in(_load_prepared, _save_prepared)
