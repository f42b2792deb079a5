"""Generated code as it is cached between processes.

It depends on the PTX and the emulator alone: addresses of the module's variables are names that
are resolved when a program is loaded. The key holds all that it depends on: the PTX,
the emulator's own source files, the versions of Python and NumPy, and what was probed about the
processor. The store verifies that the data are unchanged.
"""

from __future__ import annotations

import functools
import hashlib
import marshal
import os
import sys
import zlib

import numpy as np

from gpuarray._version import __version__

from ...prepared import store
from .fused import FUSED

#: Changes when the fields below do.
_FORMAT = 1


@functools.cache
def _emulator() -> bytes:
    """The identity of this emulator: its version, and what its source files have in them.

    Not when they were written: the same files in another environment have the same code.
    """
    identity = hashlib.sha256()
    for part in (__version__, sys.version, np.__version__, str(FUSED), str(_FORMAT)):
        identity.update(part.encode() + b"\0")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in ("ptx", "simt", os.path.join("simt", "opcodes")):
        try:
            names = sorted(os.listdir(os.path.join(package, folder)))
        except OSError:  # in an archive the version is all there is
            continue
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(package, folder, name), "rb") as file:
                    text = file.read()
                identity.update(f"{name} {len(text)}\0".encode() + text)
    return identity.digest()


def key_of(ptx: bytes, name: str, checked: bool) -> bytes:
    """The key of one function's code; ``ptx`` is a digest of the module."""
    fields = b"\0".join((_emulator(), ptx, name.encode(), b"checked" if checked else b"plain"))
    return hashlib.sha256(fields).digest()


def load(key: bytes) -> dict | None:
    """The cached entry of a key, or None."""
    data = store.load(key)
    if data is None:
        return None
    try:
        return marshal.loads(zlib.decompress(data))
    except (EOFError, ValueError, TypeError, zlib.error):
        return None


def save(key: bytes, entry: dict, name: str) -> None:
    store.save(key, zlib.compress(marshal.dumps(entry), 1), name)


def packed(values: dict[str, object]) -> dict[str, tuple[str, bytes]]:
    """NumPy scalars as bytes."""
    return {name: (value.dtype.str, value.tobytes()) for name, value in values.items()}


def unpacked(values: dict[str, tuple[str, bytes]]) -> dict[str, object]:
    return {name: np.frombuffer(data, code)[0] for name, (code, data) in values.items()}
