"""The disk cache of compiled kernels.

One file per image in one flat directory.  Flat, because a single directory is made, protected and
listed with one call each, and the file systems in use index large directories; folders per key
prefix would buy nothing but 256 more places that can be missing or have the wrong mode.

A file is named by its key and holds an entry (`cache_entry`).  Of the emulator's prepared kernels
the image is marshalled code, which is why only files count that belong to the user and that nobody
else can write.  Entries are written to a temporary file beside the target and moved into place, so
a reader sees a whole entry or none; whatever does not verify is a miss and gets rewritten.

Below the user's own directory come shared ones (``GPUARRAY_CACHE_DIRS``), which are only read.  In
them the superuser's files count, too: whoever is root here can replace the interpreter as well.
Nobody else's do, the directory's owner among them: images run on the device with all the memory of
this process in reach.

The size is capped without counting the directory at every write: each write appends one byte per
4 KiB to the file ``written``, and only when that file says that a sixteenth of the capacity was
written since the last count (by any process), the directory is listed and the least recently used
entries are removed until fifteen sixteenths are left.  Between two counts no more than the missing
sixteenth can come in, beside what several processes are writing at that moment, so the cap holds.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from gpuarray import _fork
from gpuarray._config import config, home_cache_directory
from gpuarray._integers import ceil_div
from gpuarray.kernels.compiler import lock as cache_lock
from gpuarray.kernels.compiler.entry import (
    FORMAT,
    MAGIC,
    PREPARED,
    Field,
    Image,
    Label,
    decode_entry,
    decode_labelled,
    digest,
    encode_entry,
)

__all__ = [
    "FORMAT",
    "MAGIC",
    "PREPARED",
    "Cache",
    "CacheEntry",
    "CacheInfo",
    "Field",
    "Image",
    "Label",
    "SharedInfo",
    "decode_entry",
    "default_cache",
    "digest",
    "encode_entry",
]

SUFFIX = ".image"
STAMP = ".stamp"
PARTIAL = ".part"
#: The counter of bytes written, and the file whose bytes are locked while a kernel is compiled.
COUNTER, LOCKS = "written", "locks"

_BLOCK = 4096
# An entry's time stamp says when it was last used, to this accuracy (s); a finer one would turn
# every read into a write.
_USE_RESOLUTION = 3600.0
# A temporary file this old (s) was left by a process that died.
_ABANDONED = 3600.0
_ROOT = 0
#: Of every file that is opened: no symbolic link, no wait, not for child processes.
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
#: An entry larger than this (bytes) is none of ours, and is not read into memory.
_LARGEST = 1 << 30


class CacheEntry(NamedTuple):
    """One row of `Cache.entries`."""

    key: str
    label: Label
    kind: str
    bytes: int
    used: float
    directory: str


class SharedInfo(NamedTuple):
    """The state of a shared directory."""

    directory: str
    entries: int
    bytes: int
    #: Entries that belong to somebody else than this user and root, or that others can write.
    distrusted: int


class CacheInfo(NamedTuple):
    """The state of a cache directory."""

    directory: str | None
    entries: int
    bytes: int
    capacity: int
    writable: bool
    note: str
    shared: tuple[SharedInfo, ...] = ()


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
    shared : sequence of str
        Directories that are read, in order, where the first has no entry.

    Notes
    -----
    No method raises because of the disk: what cannot be read is a miss, what cannot be written
    stays in the caller's memory, with one warning per cache.
    """

    def __init__(
        self,
        directory: str | None,
        capacity: int,
        note: str = "",
        shared: Sequence[str] = (),
    ) -> None:
        self.directory = directory
        self.shared = tuple(shared)
        self.capacity = capacity
        self._note = note
        self._warned = False
        self._prefix = "" if directory is None else os.path.join(directory, "")
        # Entries of other users could hold any code, so only our own are trusted.
        self._user = os.geteuid() if hasattr(os, "geteuid") else None
        # Without O_NONBLOCK opening a FIFO would wait for somebody who writes to it.
        self._read_flags = os.O_RDONLY | _FLAGS
        self._locks = cache_lock.KeyLocks(self._prefix + LOCKS)

    # -- entries ---------------------------------------------------------------------------------

    def get(self, key: bytes) -> Image | None:
        """The image stored under `key`, or None."""
        data = self._find(key, SUFFIX)
        return None if data is None else decode_entry(key, data)

    @contextmanager
    def claim(self, key: bytes) -> Iterator[Image | None]:
        """Let one process at a time make the image of `key`.

        Yields
        ------
        Image or None
            The image, where another process has made it meanwhile; None where it is this
            process's turn. The others wait until the end of the ``with`` block.
        """
        if self.directory is None:
            yield None
            return
        deadline = time.monotonic() + cache_lock.PATIENCE
        pause = cache_lock.FIRST_PAUSE
        taken: bool | None = None
        try:
            taken = self._take(key)
            while taken is False and time.monotonic() < deadline:
                time.sleep(pause)
                pause = min(1.5 * pause, cache_lock.LONGEST_PAUSE)
                image = self.get(key)
                if image is not None:
                    yield image
                    return
                taken = self._take(key)
            # It may have come between the caller's look and the lock.
            yield self.get(key)
        finally:
            # None where locks do not work, and where an interrupt came before it was known.
            if taken is not False:
                try:
                    self._locks.release(key)
                except KeyboardInterrupt:
                    self._locks.release(key)
                    raise

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
        data = self._find(key, STAMP)
        image = None if data is None else decode_entry(key, data)
        return None if image is None else image.lowered_names

    def put_stamp(self, key: bytes, texts: Mapping[str, str]) -> None:
        """Keep `texts` under `key` where the disk allows it."""
        if self.directory is not None:
            try:
                self.write(self._path(key, STAMP), encode_entry(key, Image(b"", texts), Label()))
            except OSError:
                pass  # worth no warning: it is found out again

    def _find(self, key: bytes, suffix: str) -> bytes | None:
        """The file of `key` in the first directory that has one to be trusted."""
        if self.directory is not None:
            data = self.read_own(self._path(key, suffix))
            if data is not None:
                return data
        for directory in self.shared:
            data = self._read(os.path.join(directory, key.hex() + suffix), shared=True)
            if data is not None:
                return data
        return None

    def read_own(self, path: str) -> bytes | None:
        """The content of a regular file that belongs to this user and only they can write."""
        return self._read(path, shared=False)

    def _read(self, path: str, shared: bool) -> bytes | None:
        try:
            file = os.open(path, self._read_flags)
        except OSError:
            return None
        try:
            status = os.fstat(file)
            if not self._trusts(status, shared) or status.st_size > _LARGEST:
                return None
            # Reading a byte more than the size shows a file that is still growing.
            data = os.read(file, status.st_size + 1)
            if len(data) != status.st_size:
                return None
            if not shared and time.time() - status.st_mtime > _USE_RESOLUTION:
                try:
                    os.utime(file if os.utime in os.supports_fd else path)
                except OSError:
                    pass  # a read-only cache still serves
        except OSError:
            return None
        finally:
            os.close(file)
        return data

    def _trusts(self, status: os.stat_result, shared: bool) -> bool:
        """Whether a file is a regular one that only those can have written who may."""
        if status.st_mode & 0o170000 != 0o100000:
            return False
        if self._user is None:
            return True
        owners = (self._user, _ROOT) if shared else (self._user,)
        return status.st_uid in owners and not status.st_mode & 0o022

    def write(self, path: str, data: bytes) -> None:
        """Put `data` at `path` as a whole or not at all; raises OSError."""
        partial = f"{path}.{os.getpid()}.{os.urandom(6).hex()}{PARTIAL}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        file = -1
        try:
            try:
                try:
                    file = os.open(partial, flags, 0o600)
                except FileNotFoundError:
                    self._make_directory()
                    file = os.open(partial, flags, 0o600)
                view = memoryview(data)
                while view:
                    view = view[os.write(file, view) :]
            finally:
                if file >= 0:
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
        shared = tuple(map(self._shared_info, self.shared))
        return CacheInfo(
            self.directory, len(sizes), sum(sizes), self.capacity, writable, self._note, shared
        )

    def _shared_info(self, directory: str) -> SharedInfo:
        found = [status for name, _, status in _listing(directory) if name.endswith(SUFFIX)]
        trusted = [status.st_size for status in found if self._trusts(status, shared=True)]
        return SharedInfo(directory, len(trusted), sum(trusted), len(found) - len(trusted))

    def entries(self) -> list[CacheEntry]:
        """The intact entries of all directories, most recently used first."""
        rows = []
        for key, path, status, shared in self._images():
            data = self._read(path, shared)
            found = None if data is None else decode_labelled(key, data)
            if found is not None:
                image, label = found
                size, used, where = status.st_size, status.st_mtime, os.path.dirname(path)
                rows.append(CacheEntry(key.hex(), label, image.kind, size, used, where))
        return sorted(rows, key=lambda row: row.used, reverse=True)

    def stored(self) -> Iterator[tuple[bytes, bytes]]:
        """Key and file content of each entry of all directories, a key once, in order of keys."""
        paths: dict[bytes, tuple[str, bool]] = {}
        for key, path, _, shared in self._images():
            paths.setdefault(key, (path, shared))
        for key in sorted(paths):
            data = self._read(*paths[key])
            if data is not None:
                yield key, data

    def clear(self, unused_for: float = 0.0) -> int:
        """Remove the user's own entries; the number of files removed.

        Parameters
        ----------
        unused_for : float
            Only entries that nobody used for so many seconds; 0 removes everything.
        """
        if not unused_for:
            return sum(_remove(path) for _, path, _ in self._files())
        newest = time.time() - unused_for
        return sum(
            _remove(path)
            for name, path, status in self._files()
            if name.endswith((SUFFIX, PARTIAL)) and status.st_mtime <= newest
        )

    # -- size ------------------------------------------------------------------------------------

    def _count(self, size: int) -> None:
        path = self._prefix + COUNTER
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _FLAGS, 0o600)
        try:
            blocks = ceil_div(size, _BLOCK)
            os.write(file, b"." * blocks)
            # Read after writing, so that of many processes the last one sees them all. A counter
            # with nothing else is a new one: nobody knows what the directory holds already.
            counted = os.fstat(file).st_size
            if counted <= blocks or counted * _BLOCK > self.capacity // 16:
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
        """Our files in the own directory: entries, temporary files, the counter, stamps."""
        return iter(()) if self.directory is None else _listing(self.directory)

    def _images(self) -> Iterator[tuple[bytes, str, os.stat_result, bool]]:
        """Key, path, status of each entry's file, and whether it is in a shared directory."""
        for directory in (self.directory, *self.shared):
            if directory is None:
                continue
            for name, path, status in _listing(directory):
                try:
                    key = bytes.fromhex(name.removesuffix(SUFFIX))
                except ValueError:
                    continue
                if name.endswith(SUFFIX):
                    yield key, path, status, directory is not self.directory

    # -- details ---------------------------------------------------------------------------------

    def _path(self, key: bytes, suffix: str = SUFFIX) -> str:
        return self._prefix + key.hex() + suffix

    def _take(self, key: bytes) -> bool | None:
        taken = self._locks.take(key)
        if taken is None and self.directory is not None and not os.path.isdir(self.directory):
            try:
                self._make_directory()
            except OSError:
                return None
            taken = self._locks.take(key)
        return taken

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


def _listing(directory: str) -> Iterator[tuple[str, str, os.stat_result]]:
    """Name, path and status of the cache's files in a directory."""
    try:
        listing = os.scandir(directory)
    except OSError:
        return
    with listing:
        for item in listing:
            if item.name.endswith((SUFFIX, PARTIAL, STAMP)) or item.name in (COUNTER, LOCKS):
                try:
                    yield item.name, item.path, item.stat(follow_symlinks=False)
                except OSError:
                    continue  # removed by another process meanwhile


def _can_write(directory: str) -> bool:
    """Whether a file can be written there: permissions do not tell of quotas and full disks."""
    import tempfile  # only reports ask

    while not os.path.lexists(directory):  # it would be made
        directory = os.path.dirname(directory)
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(bytes(4096))
    except OSError:
        return False
    return True


_default: Cache | None = None
_default_lock = _fork.new_lock()


def default_cache() -> Cache:
    """The cache that the configuration names, made at first use."""
    global _default
    if _default is None:
        with _default_lock:
            if _default is None:
                _default = _configured_cache()
    return _default


def _configured_cache() -> Cache:
    shared = config.cache_dirs
    if config.cache_in_memory:
        return Cache(None, config.cache_bytes, shared=shared)
    if config.cache_dir is not None:
        return Cache(config.cache_dir, config.cache_bytes, shared=shared)
    home = home_cache_directory()
    if home is None:
        return Cache(None, config.cache_bytes, "this user has no home directory", shared)
    return Cache(home, config.cache_bytes, shared=shared)
