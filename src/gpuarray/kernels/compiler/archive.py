"""The cache's entries as one file, to take to another machine.

The file is a ZIP archive of entries as they are on disk, named by their keys, in order and with
fixed times and modes: the same entries give the same bytes. Reading one back trusts nothing but
names of the form of a key and entries whose digest fits, and never takes what would be executed on
the host. That an image does what its key promises nobody can tell: import what comes from people
whose programs you would run.
"""

from __future__ import annotations

import os
import re
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from gpuarray.kernels.compiler.cache import SUFFIX, Cache, encode_entry
from gpuarray.kernels.compiler.entry import PREPARED, decode_labelled, is_intact, printable

_NAME = re.compile(r"([0-9a-f]{64})" + re.escape(SUFFIX))
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a ZIP archive can hold
#: What a device loads, or what can be linked to that.
_KINDS = ("cubin", "ptx", "lto")
#: What `write_archive` writes, and no other decompressor gets bytes of unknown origin.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: How damaged archives and members make zipfile fail.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, OverflowError,
)  # fmt: skip


@dataclass(slots=True)
class ImportReport:
    """What `read_archive` did."""

    imported: int = 0
    #: Entries that the cache had.
    present: int = 0
    #: Why other members of the archive were left out.
    problems: list[str] = field(default_factory=list)


def selects(patterns: Sequence[str], name: str, key: str) -> bool:
    """Whether a kernel is asked for: by a shell pattern of its name, or the start of its key."""
    return not patterns or any(
        fnmatchcase(name, pattern) or (len(pattern) >= 8 and key.startswith(pattern))
        for pattern in patterns
    )


def write_archive(cache: Cache, path: str, patterns: Sequence[str] = ()) -> int:
    """Write the entries that `patterns` select to a new file; how many; raises OSError.

    Stamps and the emulator's prepared kernels are about this machine and are left out.
    """
    partial = f"{path}.{os.getpid()}.part"
    count = 0
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for key, data in cache.stored():
                found = decode_labelled(key, data)
                if found is None or found[0].kind == PREPARED:
                    continue
                if selects(patterns, found[1].name, key.hex()):
                    member = zipfile.ZipInfo(key.hex() + SUFFIX, _EPOCH)
                    member.compress_type = zipfile.ZIP_DEFLATED
                    member.create_system = 3  # Unix, wherever it is made
                    member.external_attr = 0o600 << 16
                    archive.writestr(member, data)
                    count += 1
        os.replace(partial, path)
    finally:
        try:
            os.unlink(partial)
        except OSError:
            pass
    return count


def read_archive(cache: Cache, path: str) -> ImportReport:
    """Store an archive's entries; raises OSError, or ValueError for a file that is no archive."""
    report = ImportReport()
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                problem = _import(cache, archive, member, report)
                if problem:
                    report.problems.append(f"{printable(member.filename)}: {problem}")
    except _DAMAGED as error:
        raise ValueError(f"{path!r} is not an archive of kernels ({error})") from None
    return report


def _import(
    cache: Cache, archive: zipfile.ZipFile, member: zipfile.ZipInfo, report: ImportReport
) -> str:
    """Store one member; why not, where it was not."""
    match = _NAME.fullmatch(member.filename)
    if match is None:
        return "not the name of a kernel"
    if member.file_size > cache.capacity:
        return "larger than the cache may be"
    if member.compress_type not in _METHODS:
        return f"compressed by method {member.compress_type}, which export does not use"
    key = bytes.fromhex(match[1])
    try:
        with archive.open(member) as file:
            # A few bytes can unpack to the size that the archive declares.
            intact = is_intact(key, file)
        if not intact:
            return "damaged, or of another version"
        with archive.open(member) as file:
            data = file.read()
    except (*_DAMAGED, OSError, MemoryError) as error:
        return f"cannot be unpacked ({printable(str(error))})"
    found = decode_labelled(key, data)
    if found is None:
        return "damaged, or of another version"
    image, label = found
    if image.kind not in _KINDS:
        return f"of a kind that is never imported ({printable(image.kind) or 'none'})"
    if cache.get(key) is not None:
        report.present += 1
        return ""
    # Written anew from what was understood, and nothing else.
    if encode_entry(key, image, label) != data or not cache.put(key, image, label):
        return "could not be stored"
    report.imported += 1
    return ""
