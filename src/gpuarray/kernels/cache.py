"""The disk cache of compiled kernels.

One file per image in one flat directory.  Flat, because a single directory is made, protected and
listed with one call each, and the file systems in use index large directories; folders per key
prefix would buy nothing but 256 more places that can be missing or have the wrong mode.

A file is named by its key and holds::

    magic    8 bytes, with the format version
    digest   32 bytes, SHA-256 of all that follows
    key      32 bytes, so that a file under a wrong name is a miss
    label    kernel name, architecture, image kind, compiler: for people (``cache list``)
    names    the map from name expressions to mangled names
    image    the cubin, the PTX, or what the emulator made of PTX

No pickle is loaded; of the emulator's prepared kernels the image is marshalled code, which is why
only files count that belong to the user and that nobody else can write.  Entries are written to a
temporary file beside the target and moved into place, so a reader sees a whole entry or none;
whatever does not verify is a miss and gets rewritten.

The size is capped without counting the directory at every write: each write appends one byte per
4 KiB to the file ``written``, and only when that file says that a sixteenth of the capacity was
written since the last count (by any process), the directory is listed and the least recently used
entries are removed until fifteen sixteenths are left.  Between two counts no more than the missing
sixteenth can come in, so the cap holds.
"""

from __future__ import annotations

import os
import struct
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gpuarray._config import config, home_cache_directory

FORMAT = 1
MAGIC = b"GPUARR" + FORMAT.to_bytes(2, "little")
SUFFIX = ".image"
STAMP = ".stamp"
PARTIAL = ".part"

_LENGTH = struct.Struct("<I")
_DIGEST_BYTES = 32
_BODY = len(MAGIC) + _DIGEST_BYTES
_BLOCK = 4096
# An entry's time stamp says when it was last used, to this accuracy (s); a finer one would turn
# every read into a write.
_USE_RESOLUTION = 3600.0
# A temporary file this old (s) was left by a process that died.
_ABANDONED = 3600.0

Field: TypeAlias = "bytes | str | int | Sequence[Field]"


@dataclass(frozen=True, slots=True)
class Image:
    """A compiled kernel image with the mangled names of its name expressions."""

    data: bytes
    lowered_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Label:
    """What an entry is, for people."""

    name: str = ""
    architecture: str = ""
    kind: str = ""
    compiler: str = ""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One row of `Cache.entries`."""

    key: str
    label: Label
    bytes: int
    used: float


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """The state of a cache directory."""

    directory: str | None
    entries: int
    bytes: int
    capacity: int
    writable: bool
    note: str


def digest(*fields: Field) -> bytes:
    """SHA-256 over length-prefixed, type-tagged fields.

    No two different lists of fields give the same bytes to the hash: ``("ab", "c")`` and
    ``("a", "bc")`` differ by their lengths, ``"1"`` and ``1`` by their tags.
    """
    import hashlib  # not at module level: opens OpenSSL, and only compiling needs it

    parts: list[bytes] = []
    _encode(fields, parts)
    return hashlib.sha256(b"".join(parts)).digest()


def _encode(fields: Sequence[Field], parts: list[bytes]) -> None:
    parts.append(b"l" + len(fields).to_bytes(8, "little"))
    for value in fields:
        if isinstance(value, str):
            # surrogatepass: a stray surrogate in a source is the compiler's to complain about.
            data = value.encode("utf-8", "surrogatepass")
            parts.append(b"s" + len(data).to_bytes(8, "little"))
            parts.append(data)
        elif isinstance(value, bytes):
            parts.append(b"b" + len(value).to_bytes(8, "little"))
            parts.append(value)
        elif isinstance(value, int):
            parts.append(b"i" + value.to_bytes(16, "little", signed=True))
        else:
            _encode(value, parts)


def encode_entry(key: bytes, image: Image, label: Label) -> bytes:
    """The bytes of an entry's file."""
    import hashlib

    texts = [label.name, label.architecture, label.kind, label.compiler]
    for expression, lowered in image.lowered_names.items():
        texts += (expression, lowered)
    parts = [key, _LENGTH.pack(len(texts))]
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        parts += (_LENGTH.pack(len(data)), data)
    parts.append(image.data)
    body = b"".join(parts)
    return b"".join((MAGIC, hashlib.sha256(body).digest(), body))


def decode_entry(key: bytes, data: bytes) -> Image | None:
    """The image of an entry's file, or None where the bytes are not an intact entry of `key`."""
    import hashlib

    if data[: len(MAGIC)] != MAGIC or data[_BODY : _BODY + _DIGEST_BYTES] != key:
        return None
    if hashlib.sha256(memoryview(data)[_BODY:]).digest() != data[len(MAGIC) : _BODY]:
        return None
    # The digest vouches for all that follows, so the lengths need no checks of their own.
    texts, start = _texts(data)
    names = dict(zip(texts[4::2], texts[5::2], strict=True))
    return Image(data[start:], names)


def _texts(data: bytes) -> tuple[list[str], int]:
    at = _BODY + _DIGEST_BYTES
    (count,) = _LENGTH.unpack_from(data, at)
    at += _LENGTH.size
    texts = []
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        texts.append(data[at : at + length].decode("utf-8", "surrogatepass"))
        at += length
    return texts, at


class Cache:
    """Compiled images on disk.

    Parameters
    ----------
    directory : str or None
        Where the entries are; None means that nothing is kept on disk.
    capacity : int
        The most bytes that the entries may take.
    note : str
        Why there is no directory, for `info`.

    Notes
    -----
    No method raises because of the disk: what cannot be read is a miss, what cannot be written
    stays in the caller's memory, with one warning per cache.
    """

    def __init__(self, directory: str | None, capacity: int, note: str = "") -> None:
        self.directory = directory
        self.capacity = capacity
        self._note = note
        self._warned = False
        self._prefix = "" if directory is None else os.path.join(directory, "")
        # Entries of other users could hold any code, so only our own are trusted.
        self._user = os.geteuid() if hasattr(os, "geteuid") else None
        self._read_flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

    # -- entries ---------------------------------------------------------------------------------

    def get(self, key: bytes) -> Image | None:
        """The image stored under `key`, or None."""
        if self.directory is None:
            return None
        path = self._path(key)
        data = self.read_own(path)
        return None if data is None else decode_entry(key, data)

    def put(self, key: bytes, image: Image, label: Label | None = None) -> bool:
        """Store `image` under `key`; False where that was not possible."""
        if self.directory is None:
            self._warn(self._note)
            return False
        data = encode_entry(key, image, label or Label())
        if len(data) > self.capacity:
            return False
        try:
            self.write(self._path(key), data)
        except OSError as error:
            self._warn(f"{self.directory!r} cannot be written ({error.strerror or error})")
            return False
        try:
            self._count(len(data))
        except OSError:
            pass  # the entry is safe; another write will count
        return True

    # -- stamps: small facts about this machine that are slow to find out -------------------------

    def get_stamp(self, key: bytes) -> Mapping[str, str] | None:
        """The texts stored by `put_stamp` under `key`, or None."""
        data = None if self.directory is None else self.read_own(self._path(key, STAMP))
        image = None if data is None else decode_entry(key, data)
        return None if image is None else image.lowered_names

    def put_stamp(self, key: bytes, texts: Mapping[str, str]) -> None:
        """Keep `texts` under `key` where the disk allows it."""
        if self.directory is not None:
            try:
                self.write(self._path(key, STAMP), encode_entry(key, Image(b"", texts), Label()))
            except OSError:
                pass  # worth no warning: it is found out again

    def read_own(self, path: str) -> bytes | None:
        """The content of a regular file that belongs to this user and only they can write."""
        try:
            file = os.open(path, self._read_flags)
        except OSError:
            return None
        try:
            status = os.fstat(file)
            if self._user is not None and (status.st_uid != self._user or status.st_mode & 0o022):
                return None
            if status.st_mode & 0o170000 != 0o100000:
                return None
            # Reading a byte more than the size shows a file that is still growing.
            data = os.read(file, status.st_size + 1)
            if len(data) != status.st_size:
                return None
            if time.time() - status.st_mtime > _USE_RESOLUTION:
                try:
                    os.utime(path)
                except OSError:
                    pass  # a read-only cache still serves
        except OSError:
            return None
        finally:
            os.close(file)
        return data

    def write(self, path: str, data: bytes) -> None:
        """Put `data` at `path` as a whole or not at all; raises OSError."""
        partial = f"{path}.{os.getpid()}.{os.urandom(6).hex()}{PARTIAL}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        try:
            file = os.open(partial, flags, 0o600)
        except FileNotFoundError:
            self._make_directory()
            file = os.open(partial, flags, 0o600)
        try:
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(file, view) :]
            finally:
                os.close(file)
            # No fsync: after a power failure a torn entry fails its digest and is a miss.
            os.replace(partial, path)
        except BaseException:
            try:
                os.unlink(partial)
            except OSError:
                pass
            raise

    # -- for people ------------------------------------------------------------------------------

    def info(self) -> CacheInfo:
        """Directory, number and size of the entries, capacity, and whether it can be written."""
        sizes = [status.st_size for name, _, status in self._files() if name.endswith(SUFFIX)]
        writable = self.directory is not None and _can_write(self.directory)
        return CacheInfo(
            self.directory, len(sizes), sum(sizes), self.capacity, writable, self._note
        )

    def entries(self) -> list[CacheEntry]:
        """The intact entries, most recently used first."""
        rows = []
        for name, path, status in self._files():
            if not name.endswith(SUFFIX):
                continue
            try:
                key = bytes.fromhex(name[: -len(SUFFIX)])
            except ValueError:
                continue
            data = self.read_own(path)
            if data is None or decode_entry(key, data) is None:
                continue
            label = Label(*_texts(data)[0][:4])
            rows.append(CacheEntry(key.hex(), label, status.st_size, status.st_mtime))
        return sorted(rows, key=lambda row: row.used, reverse=True)

    def clear(self) -> int:
        """Remove every entry and left-over; the number of files removed."""
        return sum(_remove(path) for _, path, _ in self._files())

    # -- size ------------------------------------------------------------------------------------

    def _count(self, size: int) -> None:
        path = self._prefix + "written"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            before = os.fstat(file).st_size
            os.write(file, b"." * -(-size // _BLOCK))
            # An empty counter is a new one: nobody knows what the directory holds already.
            if before == 0 or (before * _BLOCK + size) > self.capacity // 16:
                os.ftruncate(file, 0)
                os.write(file, b".")
                self._trim()
        finally:
            os.close(file)

    def _trim(self) -> None:
        kept: list[tuple[float, int, str]] = []
        now = time.time()
        for name, path, status in self._files():
            if name.endswith(SUFFIX):
                kept.append((status.st_mtime, status.st_size, path))
            elif name.endswith(PARTIAL) and now - status.st_mtime > _ABANDONED:
                _remove(path)
        total = sum(size for _, size, _ in kept)
        target = self.capacity - self.capacity // 16
        if total <= target:
            return
        # Stable order for equal stamps is of no use; the oldest use goes first.
        for _, size, path in sorted(kept):
            if total <= target:
                break
            _remove(path)
            total -= size

    def _files(self) -> Iterator[tuple[str, str, os.stat_result]]:
        """Our files in the directory: entries, temporary files, the counter, stamps."""
        if self.directory is None:
            return
        try:
            listing = os.scandir(self.directory)
        except OSError:
            return
        with listing:
            for item in listing:
                if item.name.endswith((SUFFIX, PARTIAL, STAMP)) or item.name == "written":
                    try:
                        yield item.name, item.path, item.stat(follow_symlinks=False)
                    except OSError:
                        continue  # removed by another process meanwhile

    # -- details ---------------------------------------------------------------------------------

    def _path(self, key: bytes, suffix: str = SUFFIX) -> str:
        return self._prefix + key.hex() + suffix

    def _make_directory(self) -> None:
        assert self.directory is not None
        os.makedirs(os.path.dirname(self.directory) or ".", exist_ok=True)
        try:
            os.mkdir(self.directory, 0o700)
        except FileExistsError:
            pass

    def _warn(self, reason: str) -> None:
        if self._warned or not reason:
            return
        self._warned = True
        warnings.warn(
            f"compiled kernels are kept in memory only: {reason}. Set GPUARRAY_CACHE_DIR to a "
            "writable directory, or GPUARRAY_CACHE_IN_MEMORY=1 to ask for this",
            RuntimeWarning,
            stacklevel=3,
        )


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def _can_write(directory: str) -> bool:
    while not os.path.lexists(directory):  # it would be made
        directory = os.path.dirname(directory)
    return os.path.isdir(directory) and os.access(directory, os.W_OK | os.X_OK)


_default: Cache | None = None
_default_lock = threading.Lock()


def default_cache() -> Cache:
    """The cache that the configuration names, made at first use."""
    global _default
    if _default is None:
        with _default_lock:
            if _default is None:
                _default = _configured_cache()
    return _default


def _configured_cache() -> Cache:
    if config.cache_in_memory:
        return Cache(None, config.cache_bytes)
    if config.cache_dir is not None:
        return Cache(config.cache_dir, config.cache_bytes)
    home = home_cache_directory()
    if home is None:
        return Cache(None, config.cache_bytes, "this user has no home directory")
    return Cache(home, config.cache_bytes)
