"""One process compiles a kernel while the others wait: locks by key in one file.

A lock is one byte of the file, at an offset made of the key: nothing has to be written, no file is
left for each key, and the system releases the lock when its process ends, however it ends. Locks
are the process's (POSIX record locks), which also work on network file systems with a lock
service. Threads are kept apart in `compiler`.

A lock only saves work. Entries are moved into place as a whole, so two processes that compile the
same kernel do no harm; where locks do not work (no such file system, no `fcntl`, a read-only
directory) each compiles for itself, and nobody waits longer than `PATIENCE`.
"""

from __future__ import annotations

import os
from types import ModuleType

from gpuarray import _fork

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

#: The longest wait for another process (s): its compilation may be long, or it may be suspended.
PATIENCE = 60.0
#: Between two looks (s): the first, and the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.001, 0.02

_OFFSET_BYTES = 7  # so that offsets are positive in 64 bits


class KeyLocks:
    """Locks between processes, by key, in the file `path`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = -1
        self._opening = _fork.new_lock()

    def take(self, key: bytes) -> bool | None:
        """Try to take the lock of `key`, without waiting.

        Returns
        -------
        bool or None
            True: taken. False: another process has it. None: locks do not work here.
        """
        if fcntl is None:
            return None
        try:
            file = self._open()
        except OSError:
            return None
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _offset(key), os.SEEK_SET)
        except (BlockingIOError, PermissionError):  # EAGAIN or EACCES: held
            return False
        except OSError:  # ENOLCK, ENOSYS, ...: not on this file system
            return None
        return True

    def release(self, key: bytes) -> None:
        """Give the lock of `key` back."""
        if fcntl is not None and self._file >= 0:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _offset(key), os.SEEK_SET)
            except OSError:
                pass  # it goes with the process

    def _open(self) -> int:
        """The file, opened once: closing any descriptor of it would release every lock."""
        with self._opening:
            if self._file >= 0 and not self._is_there():
                os.close(self._file)
                self._file = -1
            if self._file < 0:
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
                self._file = os.open(self._path, flags, 0o600)
            return self._file

    def _is_there(self) -> bool:
        """Whether the opened file is still the one at the path: `cache clear` removes it."""
        try:
            return os.path.samestat(os.fstat(self._file), os.stat(self._path))
        except OSError:
            return False


def _offset(key: bytes) -> int:
    return int.from_bytes(key[:_OFFSET_BYTES], "little")
