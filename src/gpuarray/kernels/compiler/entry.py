"""An entry of the kernel cache as bytes, and the digests that keys are made of.

An entry holds::

    magic    8 bytes, with the format version
    digest   32 bytes, SHA-256 of all that follows
    key      32 bytes, so that a file under a wrong name is a miss
    label    kernel name, architecture, image kind, compiler: for people (``cache list``)
    names    the map from name expressions to mangled names
    image    the cubin, the PTX, the LTO-IR, or what the emulator made of PTX

The digest vouches for the bytes, not for who wrote them: that is told from the file's owner (see
`cache`). Nothing here is a pickle.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import IO, NamedTuple, TypeAlias

FORMAT = 1
MAGIC = b"GPUARR" + FORMAT.to_bytes(2, "little")
#: The kind of what the emulator makes of PTX: marshalled Python, which is executed on the host.
PREPARED = "python"

_LENGTH = struct.Struct("<I")
_DIGEST_BYTES = 32
_BODY = len(MAGIC) + _DIGEST_BYTES
_CHUNK = 1 << 20

Field: TypeAlias = "bytes | str | int | Sequence[Field]"


# Not dataclasses, here and in what else a process with warm kernels imports: making one takes half
# a millisecond.
class Image:
    """A compiled image.

    Attributes
    ----------
    data : bytes
        The cubin, PTX or LTO-IR; ``bytes(image)`` is the same.
    lowered_names : mapping of str to str
        The symbol of each name expression.
    kind : str
        'cubin', 'ptx' or 'lto'; '' where nobody said.

    Examples
    --------
    >>> import gpuarray as cp
    >>> image = cp.cuda.compiler.compile('extern "C" __global__ void f() {}')
    >>> isinstance(image.data, bytes)
    True
    """

    __slots__ = ("data", "kind", "lowered_names")

    def __init__(
        self, data: bytes, lowered_names: Mapping[str, str] = MappingProxyType({}), kind: str = ""
    ) -> None:
        self.data = data
        self.lowered_names = lowered_names
        self.kind = kind

    def __bytes__(self) -> bytes:
        return self.data

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Image):
            return NotImplemented
        mine, its = (self.data, self.kind), (other.data, other.kind)
        return mine == its and self.lowered_names == other.lowered_names

    def __hash__(self) -> int:
        return hash((self.data, self.kind))

    def __repr__(self) -> str:
        names = f", {len(self.lowered_names)} names" if self.lowered_names else ""
        return f"<{self.kind or 'image'} of {len(self.data)} bytes{names}>"


class Label(NamedTuple):
    """What an entry is, for people."""

    name: str = ""
    architecture: str = ""
    compiler: str = ""


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

    texts = [label.name, label.architecture, image.kind, label.compiler]
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
    found = decode_labelled(key, data)
    return None if found is None else found[0]


def decode_labelled(key: bytes, data: bytes) -> tuple[Image, Label] | None:
    """Image and label of an entry's file, or None like `decode_entry`."""
    import hashlib

    if data[: len(MAGIC)] != MAGIC or data[_BODY : _BODY + _DIGEST_BYTES] != key:
        return None
    if hashlib.sha256(memoryview(data)[_BODY:]).digest() != data[len(MAGIC) : _BODY]:
        return None
    try:
        # Anybody can make a digest fit (`cache import`), so the lengths may still be nonsense.
        texts, start = _texts(data)
        name, architecture, kind, compiler = texts[:4]
        names = dict(zip(texts[4::2], texts[5::2], strict=True))
    except (ValueError, struct.error):
        return None
    return Image(data[start:], names, kind), Label(name, architecture, compiler)


def is_intact(key: bytes, file: IO[bytes]) -> bool:
    """Whether a file holds an entry of `key` whose digest fits, without keeping it in memory."""
    import hashlib

    head = file.read(_BODY + _DIGEST_BYTES)
    if head[: len(MAGIC)] != MAGIC or head[_BODY:] != key:
        return False
    found = hashlib.sha256(key)
    while chunk := file.read(_CHUNK):
        found.update(chunk)
    return found.digest() == head[len(MAGIC) : _BODY]


def printable(text: str) -> str:
    """A text of unknown origin, such as a label, safe to print on any terminal."""
    return text.encode("ascii", "backslashreplace").decode() if text.isprintable() else ascii(text)


def _texts(data: bytes) -> tuple[list[str], int]:
    at = _BODY + _DIGEST_BYTES
    (count,) = _LENGTH.unpack_from(data, at)
    at += _LENGTH.size
    texts = []
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        if at + length > len(data):
            raise ValueError("a text reaches beyond the entry")
        texts.append(data[at : at + length].decode("utf-8", "surrogatepass"))
        at += length
    return texts, at
