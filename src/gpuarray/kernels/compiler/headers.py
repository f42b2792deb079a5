"""Which headers a source uses, and what names their content.

The cache key has to change when any header that the compiler would read changes, and a warm start
must not read the CUDA toolkit's thousand headers.  So includes are followed here, by text:

* in-memory headers and headers in the caller's own ``-I`` directories are named by the digest of
  their text, and followed further;
* what neither answers comes from the toolkit.  Those files change only with the toolkit, so each
  toolkit directory as a whole is named by a fingerprint: the content of the files that carry its
  version, and the names and sizes of the files at its top.

Includes in comments or in branches not taken count too: the key then distinguishes more than it
must, never less.  NVRTC is handed only the in-memory headers that the scan reached, so a header
that the scan overlooked is a compile error and not a stale kernel.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpuarray.kernels.compiler.cache import digest

_COMMENT = re.compile(r"/\*.*?\*/")
_NAMED = re.compile(r'"([^"]+)"|<([^>]+)>')
_MOST_REMEMBERED = 4096

# Files that carry a version, relative to an include directory of a wheel or a toolkit.
_VERSION_FILES = (
    "cuda.h",
    "cuda_runtime_api.h",
    "cuda/std/__cccl/version.h",
    "cuda/std/detail/libcxx/include/__config",
    "cccl/cuda/std/__cccl/version.h",
    "../version.json",
    "../../version.json",
)


class Scan(NamedTuple):
    """The includes of one text."""

    digest: bytes
    quoted: tuple[str, ...]
    angled: tuple[str, ...]
    #: An include whose name is a macro can be any file.
    computed: bool


class Includes:
    """What a source reaches through its includes."""

    __slots__ = ("digests", "exact", "texts", "toolkit")

    def __init__(self) -> None:
        #: In-memory headers, name to text, as NVRTC gets them.
        self.texts: dict[str, str] = {}
        #: Name (or path) and digest of each header followed, sorted.
        self.digests: list[tuple[str, bytes]] = []
        #: Something is left for the toolkit's directories to answer.
        self.toolkit = False
        #: The digests name all that the compiler would read.
        self.exact = True


_scans: dict[str, Scan] = {}
_files: dict[str, tuple[tuple[int, int, int], Scan]] = {}


def scan(text: str) -> Scan:
    """Digest and includes of `text`; remembered by text."""
    found = _scans.get(text)
    if found is None:
        if len(_scans) >= _MOST_REMEMBERED:
            _scans.clear()
        found = _scans[text] = _scan(text)
    return found


def _scan(text: str) -> Scan:
    quoted: list[str] = []
    angled: list[str] = []
    computed = False
    joined = text
    if "\\" in text:
        joined = text.replace("\\\r\n", "").replace("\\\n", "")
    # Looking for the word and then at its line is ten times as fast as an expression for the line.
    at = joined.find("include")
    while at >= 0:
        end = joined.find("\n", at)
        end = len(joined) if end < 0 else end
        if _directs(joined[joined.rfind("\n", 0, at) + 1 : at]):
            rest = _COMMENT.sub(" ", joined[at + len("include") : end]).removeprefix("_next")
            named = _NAMED.match(rest.lstrip(" \t("))
            if named is None:
                computed = True
            elif named[1] is not None:
                quoted.append(named[1])
            else:
                angled.append(named[2])
        at = joined.find("include", at + 1)
    return Scan(digest(text), tuple(dict.fromkeys(quoted)), tuple(dict.fromkeys(angled)), computed)


def _directs(before: str) -> bool:
    """Whether ``include`` after `before` on its line can be a directive or ``__has_include``."""
    before = _COMMENT.sub(" ", before).rstrip(" \t")
    # A comment that began on an earlier line may follow the number sign there.
    return before.endswith(("#", "%:", "??=", "__has_", "*/"))


def follow(
    source: str,
    headers: Mapping[str, str],
    directories: Sequence[str] = (),
    forced: Sequence[str] = (),
) -> Includes:
    """Follow the includes of `source`.

    Parameters
    ----------
    source : str
        The text given to the compiler.
    headers : mapping of str to str
        In-memory headers by include name.
    directories : sequence of str
        The caller's own include directories, in their order.
    forced : sequence of str
        Names of headers included by an option (``--pre-include``).
    """
    result = Includes()
    first = scan(source)
    if not (first.quoted or first.angled or first.computed or forced):
        return result  # the usual case of a small kernel
    # A name included from several places is one file, unless it is relative to the includer.
    pending: list[tuple[Scan, str]] = [(first, "")]
    if forced:
        pending.append((Scan(b"", tuple(forced), (), False), ""))
    seen: set[tuple[str, str]] = set()
    digests: dict[str, bytes] = {}
    while pending:
        found, where = pending.pop()
        if found.computed:
            result.toolkit = True
            result.exact = result.exact and not directories
        for names, folder in ((found.quoted, where), (found.angled, "")):
            for name in names:
                if (name, folder) in seen:
                    continue
                seen.add((name, folder))
                text = headers.get(name)
                if text is not None:
                    result.texts[name] = text
                    inner = scan(text)
                    if name not in digests:
                        digests[name] = inner.digest
                        pending.append((inner, ""))
                    continue
                path = _find(name, ((folder,) if folder else ()) + tuple(directories))
                if path is None:
                    result.toolkit = True
                elif path not in digests:
                    inner = _scan_file(path)
                    digests[path] = inner.digest
                    pending.append((inner, os.path.dirname(path)))
    if result.toolkit and len(result.texts) < len(headers):
        # A header of the toolkit may include an in-memory one; nobody looks into the toolkit.
        for name, text in headers.items():
            result.texts[name] = text
            digests.setdefault(name, scan(text).digest)
    result.digests = sorted(digests.items())
    return result


def _find(name: str, directories: Sequence[str]) -> str | None:
    for directory in directories if not os.path.isabs(name) else ("",):
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            return path
    return None


def _scan_file(path: str) -> Scan:
    status = os.stat(path)
    identity = (status.st_size, status.st_mtime_ns, status.st_ino)
    known = _files.get(path)
    if known is not None and known[0] == identity:
        return known[1]
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        # Surrogates are not text to the digest, so they are put back first.
        text = file.read().encode("utf-8", "surrogateescape").decode("latin-1")
    if len(_files) >= _MOST_REMEMBERED:
        _files.clear()
    found = _scan(text)
    _files[path] = (identity, found)
    return found


# -- the toolkit's directories -----------------------------------------------------------------

_fingerprints: dict[str, bytes] = {}


def fingerprint(directory: str) -> bytes:
    """What names the content of a toolkit include directory, whatever its path.

    CUDA's version number is not enough (a patch release keeps it), a path even less, and a digest
    of all files costs more than a compilation.  So: the files that carry versions, whole, and the
    top level's names and sizes, which differ between any two releases.
    """
    known = _fingerprints.get(directory)
    if known is None:
        parts: list[bytes | str | int] = []
        for name in _VERSION_FILES:
            try:
                with open(os.path.join(directory, name), "rb") as file:
                    parts += (name, file.read())
            except OSError:
                continue
        try:
            with os.scandir(directory) as listing:
                rows = sorted(
                    (item.name, item.stat().st_size if item.is_file() else -1) for item in listing
                )
        except OSError:
            rows = []
        known = _fingerprints[directory] = digest(parts, rows)
    return known


# -- our own device code -----------------------------------------------------------------------
