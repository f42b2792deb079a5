"""CUDA C++ source to image: from memory, from the disk cache, or from NVRTC.

`compile` is the only way to NVRTC for everything above.  It makes the key of the cache, looks in
this process's memory, then on disk, and only then opens NVRTC.  Threads that ask for the same image
at the same time wait for the one that came first.
"""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gpuarray._config import config
from gpuarray._ffi import prepared
from gpuarray.errors import CompileError
from gpuarray.kernels import toolchain
from gpuarray.kernels.cache import FORMAT, Image, Label, default_cache, digest
from gpuarray.kernels.headers import fingerprint, follow

__all__ = ["Image", "compile"]

_STANDARD = "-std=c++17"
# Functions without an execution space are device functions, as in CuPy: host code cannot exist
# here, and NVRTC refuses the function otherwise.
_DEVICE = "-default-device"
_MEMORY_BYTES = 128 << 20
_CCCL = re.compile(r'cannot open source file "(?:nv|cuda|cub|thrust|cccl)/')


@dataclass(frozen=True, slots=True)
class Options:
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


def sort_options(options: Sequence[str], architecture: str) -> Options:
    """Sort the caller's options, and put the defaults before them."""
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
    """Compile `source`, or find it compiled.

    Parameters
    ----------
    source : str
        CUDA C++.
    name : str
        What is compiled, for messages and ``cache list``.
    headers : mapping of str to str, optional
        In-memory headers by include name; only those that the source reaches count.
    options : sequence of str
        Options of NVRTC. An architecture or standard among them wins over the default.
    architecture : str
        The target, such as ``sm_90``.
    kind : {'cubin', 'ptx'}
        What is wanted.
    name_expressions : sequence of str
        C++ names, such as template instances, whose mangled names are wanted.

    Returns
    -------
    Image
        The image's bytes and the mangled names.

    Raises
    ------
    CompileError
        With the log and the numbered source lines around each fault.
    """
    if kind not in ("cubin", "ptx"):
        raise ValueError(f"an image is a 'cubin' or 'ptx', not {kind!r}")
    chosen = sort_options(options, architecture)
    includes = follow(source, headers or {}, chosen.directories, chosen.forced)
    directories = toolchain.include_directories() if includes.toolkit else ()
    # The toolkit's directories are named by content, so that two machines agree on a key.
    digests = (includes.digests, [fingerprint(directory) for directory in directories])
    cache = default_cache()
    expressions = tuple(name_expressions)

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
        )

    def build() -> Image:
        from gpuarray._ffi import nvrtc

        stem = "sm" if kind == "cubin" else "compute"
        target = f"--gpu-architecture={stem}_{chosen.architecture.rpartition('_')[2]}"
        try:
            data, _, lowered = nvrtc.compile(
                source,
                _dump(name, source, wanted),
                includes.texts,
                (target, *chosen.passed, *(f"-I{directory}" for directory in directories)),
                expressions,
                kind,
            )
        except CompileError as error:
            if _CCCL.search(error.log):
                error.add_note(
                    "That header belongs to CUDA's C++ core libraries, an optional wheel: "
                    "pip install 'gpuarray[cccl]' (or nvidia-cuda-cccl for CUDA 13)"
                )
            raise
        return Image(data, lowered)

    expected = toolchain.identity(cache)
    wanted = key(expected)
    if not includes.exact:
        return build()  # an include named by a macro: nobody knows what the key should say

    def find_or_build() -> Image:
        image = cache.get(wanted)
        if image is not None:
            return image
        compiler = toolchain.opened(cache)
        image = build()
        label = Label(name, chosen.architecture, kind, str(compiler))
        # The stamp can be out of date; the image is stored as what it is.
        cache.put(wanted if compiler == expected else key(compiler), image, label)
        return image

    return _memory.get(wanted, find_or_build)


def _dump(name: str, source: str, key: bytes) -> str:
    """Write the source for profilers and debuggers where that is asked for; the program's name."""
    if config.dump_source is None:
        return name
    stem = re.sub(r"[^\w.-]", "_", name)[:100]
    path = os.path.join(config.dump_source, f"{stem}.{key.hex()[:12]}.cu")
    try:
        os.makedirs(config.dump_source, exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(source)
    except OSError:
        return name
    return path


class _Pending:
    """An image that a thread is getting, for the threads that want it too."""

    __slots__ = ("done", "error", "image")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.image: Image | None = None
        self.error: CompileError | None = None


class Memory:
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


_memory = Memory()


def _load_prepared(key: bytes) -> bytes | None:
    image = default_cache().get(key)
    return None if image is None else image.data


def _save_prepared(key: bytes, data: bytes, name: str) -> None:
    default_cache().put(key, Image(data), Label(name, "", "python", ""))


# The emulator keeps the Python that it makes of an image beside the image.
prepared.keep_in(_load_prepared, _save_prepared)
