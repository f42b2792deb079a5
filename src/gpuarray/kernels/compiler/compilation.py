"""CUDA C++ source to image: from memory, from the disk cache, or from NVRTC.

`compile` is the only way to NVRTC for everything above.  It makes the key of the cache, looks in
this process's memory, then on disk, and only then opens NVRTC.  Threads and processes that ask for
the same image at the same time wait for the one that came first.
"""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from gpuarray._config import config
from gpuarray._ffi import prepared
from gpuarray.errors import CompileError
from gpuarray.kernels.compiler import recording, toolchain
from gpuarray.kernels.compiler.cache import FORMAT, PREPARED, Image, Label, default_cache, digest
from gpuarray.kernels.compiler.headers import Includes, fingerprint, follow
from gpuarray.kernels.compiler.request import Request

__all__ = ["KINDS", "Image", "Request", "compile", "compile_request"]

#: What a compilation can make; each with what an architecture's number is written after.
KINDS = {"cubin": "sm", "ptx": "compute", "lto": "compute"}

_STANDARD = "-std=c++17"
#: Leaves out NVRTC's declarations of textures and of the runtime API; NVRTC has it since 12.4.
MINIMAL = "--minimal"
_MINIMAL_SINCE = (12, 4)
# Functions without an execution space are device functions, as in CuPy: host code cannot exist
# here, and NVRTC refuses the function otherwise.
_DEVICE = "-default-device"
# LTO-IR is there to be linked, so what other inputs define or call has to stay visible.
_LINKABLE = ("-dlto", "-rdc=true")
_MEMORY_BYTES = 128 << 20


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
    standard = False
    rest = iter(checked_options(options))
    for option in rest:
        if option in ("-I", "--include-path", "-include", "--pre-include", "-arch"):
            # NVRTC takes these as one string only in the form with "=".
            option = f"{option}={next(rest, '')}"
        flag, _, value = option.partition("=")
        if option == MINIMAL and version < _MINIMAL_SINCE:
            continue
        if flag in ("-arch", "--gpu-architecture"):
            architecture = value
            continue
        if flag in ("-std", "--std"):
            standard = True
        elif option.startswith("-I"):
            directories.append(option[2:].removeprefix("="))
            option = f"-I{directories[-1]}"
        elif flag == "--include-path":
            directories.append(value)
        elif flag in ("-include", "--pre-include"):
            forced.append(value)
        passed.append(option)
    defaults = [_DEVICE] if standard else [_STANDARD, _DEVICE]
    if config.dump_source is not None:
        defaults.append("-lineinfo")
    return Options(tuple(defaults + passed), architecture, tuple(directories), tuple(forced))


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
    chosen = sort_options(request.options, request.architecture, expected.version)
    includes = follow(source, request.headers, chosen.directories, chosen.forced)
    directories = toolchain.include_directories() if includes.toolkit else ()
    # The toolkit's directories are named by content, so that two machines agree on a key.
    digests = (includes.digests, [fingerprint(directory) for directory in directories])
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
    program = _program(request, wanted, includes)
    if not includes.exact:
        return build(), True  # an include named by a macro: nobody knows what the key should say
    recording.note(request, includes)

    def build_labelled() -> tuple[bytes, Image, Label]:
        compiler = toolchain.opened(cache)
        image = build()
        # The stamp can be out of date; the image is stored as what it is.
        actual = wanted if compiler == expected else key(compiler)
        return actual, image, Label(name, chosen.architecture, str(compiler))

    return find_or_build(wanted, build_labelled), built


def find_or_build(key: bytes, build: Callable[[], tuple[bytes, Image, Label]]) -> Image:
    """The image of `key` from memory or disk, or from `build()`, which gives the key to store it.

    Of several threads and processes one builds.
    """
    cache = default_cache()

    def find() -> Image:
        image = cache.get(key)
        if image is not None:
            return image
        with cache.claim(key) as image:
            if image is None:
                actual, image, label = build()
                cache.put(actual, image, label)
            return image

    return _memory.get(key, find)


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

    try:
        data, _, lowered = nvrtc.compile(
            request.source,
            program.name,
            program.headers,
            (*program.options, *options),  # in-memory headers come before the caller's folders
            tuple(request.name_expressions),
            kind,
        )
    except CompileError as error:
        from gpuarray.kernels.compiler.remedies import remedy

        error.kernel_name = request.name
        error.headers |= program.files
        note = remedy(error.log, request.source)
        if note:
            error.add_note(note)
        raise
    return Image(data, lowered, kind)


class Program(NamedTuple):
    """What NVRTC is handed: the program's name, in-memory headers, and options for the rest."""

    name: str
    headers: Mapping[str, str]
    options: tuple[str, ...] = ()
    #: Headers on disk by path, for the messages about them.
    files: Mapping[str, str] = MappingProxyType({})


def _program(request: Request, key: bytes, includes: Includes) -> Program:
    """The program as it is, or written to the folder of sources, where that is asked for.

    Profilers and debuggers find sources by the paths that the compiler saw. In-memory headers have
    none, so they are written, too, to a folder named by their content, and included from there.
    It happens also for an image that is in the cache: the folder may have been emptied.
    """
    folder = config.dump_source
    if folder is None:
        return Program(request.name, includes.texts)
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
        return Program(request.name, includes.texts)
    rest = {name: text for name, text in includes.texts.items() if name not in below}
    return Program(path, rest, (f"-I{headers}",) if below else (), files)


class _Pending:
    """An image that a thread is getting, for the threads that want it too."""

    __slots__ = ("done", "error", "image")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.image: Image | None = None
        self.error: CompileError | None = None


class ImageMemory:
    """This process's images, bounded, least recently used out first."""

    def __init__(self, capacity: int = _MEMORY_BYTES) -> None:
        self._capacity = capacity
        self._images: OrderedDict[bytes, Image] = OrderedDict()
        self._bytes = 0
        self._pending: dict[bytes, _Pending] = {}
        self._lock = threading.Lock()

    def get(self, key: bytes, produce: Callable[[], Image]) -> Image:
        """The image of `key`, from `produce()` where it is not known.

        Of several threads one produces and the others wait. A source that does not compile fails
        for all of them; after any other failure (an interrupt, say) the next one tries.
        """
        while True:
            with self._lock:
                image = self._images.get(key)
                if image is not None:
                    self._images.move_to_end(key)
                    return image
                pending = self._pending.get(key)
                first = pending is None
                if pending is None:
                    pending = self._pending[key] = _Pending()
            if first:
                return self._produce(key, produce, pending)
            pending.done.wait()
            if pending.image is not None:
                return pending.image
            if pending.error is not None:
                raise pending.error

    def clear(self) -> None:
        """Forget every image."""
        with self._lock:
            self._images.clear()
            self._bytes = 0

    def _produce(self, key: bytes, produce: Callable[[], Image], pending: _Pending) -> Image:
        try:
            image = pending.image = produce()
            with self._lock:
                self._images[key] = image
                self._bytes += len(image.data)
                while self._bytes > self._capacity and len(self._images) > 1:
                    self._bytes -= len(self._images.popitem(last=False)[1].data)
            return image
        except CompileError as error:
            pending.error = error
            raise
        finally:
            with self._lock:
                del self._pending[key]
            pending.done.set()


_memory = ImageMemory()


def _load_prepared(key: bytes) -> bytes | None:
    image = default_cache().get(key)
    # The kind is looked at because what comes back is executed: an image that somebody else
    # compiled (`cache import`) must never become Python.
    return image.data if image is not None and image.kind == PREPARED else None


def _save_prepared(key: bytes, data: bytes, name: str) -> None:
    default_cache().put(key, Image(data, kind=PREPARED), Label(name))


# The emulator keeps the Python that it makes of an image beside the image.
prepared.keep_in(_load_prepared, _save_prepared)
