"""Which headers a source uses, and what names their content.

The cache key has to change when any header that the compiler would read changes, and a warm start
must not read the CUDA toolkit's thousand headers.  So includes are followed here, by text:

* in-memory headers and headers in the caller's own ``-I`` directories are named by the digest of
  their text, and followed further;
* what neither answers comes from the toolkit.  Those files change only with the toolkit, so each
  toolkit directory as a whole is named by a fingerprint: the content of the files that carry its
  version, and the names and sizes of the files at its top.  What the caller's directories have
  under the names of the toolkit's top level counts, too: they come first, also for the includes
  that stand in the toolkit's headers.

Includes in comments or in branches not taken count too: the key then distinguishes more than it
must, never less.  An include whose name is not in the text (a macro's) has no key: such a source
is compiled each time.  NVRTC is handed only the in-memory headers that the scan reached, so a
header that the scan overlooked is a compile error and not a stale kernel.

NVRTC looks for a quoted include in the directory of the file that includes it.  A program and an
in-memory header have none, and NVRTC takes the current directory instead; `Includes.beside` and
`Includes.texts_beside` say where that would happen, so that `compilation` can keep NVRTC from it.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gpuarray.kernels.compiler.cache import digest

_COMMENT = re.compile(r"/\*.*?\*/")
_NAMED = re.compile(r'"([^"]+)"|<([^>]+)>')
# A trigraph stands for the backslash in older standards; some compilers take spaces after it.
_CONTINUED = re.compile(r"(?:\\|\?\?/)[ \t]*\r?\n")
# Asks whether the compiler knows __has_include.
_ASKS = re.compile(r"(?:ifn?def|defined[\s(]*)\s*$")
_MOST_REMEMBERED = 4096
# A file that changed less than this ago (ns) may change again under the same time stamp.
_SETTLED = 2_000_000_000

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
    #: Names after ``include_next``: any of the directories can be meant.
    following: tuple[str, ...] = ()


class Includes:
    """What a source reaches through its includes."""

    __slots__ = ("beside", "digests", "exact", "missing", "texts", "texts_beside", "toolkit")

    def __init__(self) -> None:
        #: In-memory headers, name to text, as NVRTC gets them.
        self.texts: dict[str, str] = {}
        #: Name (or path) and digest of each header followed, sorted.
        self.digests: list[tuple[str, bytes]] = []
        #: Something is left for the toolkit's directories to answer.
        self.toolkit = False
        #: The names of that, as far as they are in a text.
        self.missing: set[str] = set()
        #: The digests name all that the compiler would read.
        self.exact = True
        #: The source has an include that NVRTC would look for in the current directory.
        self.beside = False
        #: In-memory headers with such an include.
        self.texts_beside: set[str] = set()


_scans: dict[str, Scan] = {}
#: By path: what tells that the file is unchanged, and its includes.
_files: dict[bytes, tuple[tuple[int, ...], Scan]] = {}


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
    following: list[str] = []
    computed = False
    joined = text
    if "\\" in text or "??/" in text:
        joined = _CONTINUED.sub("", text)
    # Looking for the word and then at its line is ten times as fast as an expression for the line.
    at = joined.find("include")
    while at >= 0:
        end = joined.find("\n", at)
        end = len(joined) if end < 0 else end
        before = joined[joined.rfind("\n", 0, at) + 1 : at]
        if _directs(before):
            rest = _COMMENT.sub(" ", joined[at + len("include") : end])
            next_one = rest.startswith("_next")
            rest = rest.removeprefix("_next").lstrip().removeprefix("(").lstrip()
            named = _NAMED.match(rest)
            if named is None:
                computed = computed or not (
                    before.endswith("__has_") and _ASKS.search(before.removesuffix("__has_"))
                )
            else:
                (angled if named[1] is None else quoted).append(named[1] or named[2])
                if next_one:
                    following.append(named[1] or named[2])
        at = joined.find("include", at + 1)
    if "embed" in joined and re.search(r"(?:#|%:|\?\?=|__has_|\*/)\s*embed\b", joined):
        computed = True  # of a newer C++: the content of any file
    names = [tuple(dict.fromkeys(found)) for found in (quoted, angled, following)]
    return Scan(digest(text), names[0], names[1], computed, names[2])


def _directs(before: str) -> bool:
    """Whether ``include`` after `before` on its line can be a directive or ``__has_include``."""
    before = _COMMENT.sub(" ", before).rstrip()
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
    digests: dict[str, bytes] = {}
    # Each text with the directory that its quoted includes are looked for first, None where it
    # has none, and the name of the in-memory header that it is. A name included from several
    # places is one file, unless it is relative to the includer.
    pending: list[tuple[Scan, str | None, str]] = [(first, None, "")]
    if forced:
        pending.append((Scan(b"", tuple(forced), (), False), None, ""))
    seen: set[tuple[str, str | None, bool]] = set()
    while pending:
        found, folder, header = pending.pop()
        if found.computed:
            result.toolkit = True
            result.exact = False
        if folder is None and (found.computed or any(name not in headers for name in found.quoted)):
            if header:
                result.texts_beside.add(header)
            else:
                result.beside = True
        for names, beside in ((found.quoted, folder), (found.angled, None)):
            for name in names:
                every = name in found.following
                if (name, beside, every) in seen:
                    continue
                seen.add((name, beside, every))
                text = headers.get(name)
                if text is not None:
                    result.texts[name] = text
                    inner = scan(text)
                    if name not in digests:
                        digests[name] = inner.digest
                        pending.append((inner, None, name))
                # NVRTC takes the in-memory header first, but not where `dump_source` has made a
                # file of it: so a file beside the includer counts as well.
                near = () if beside is None else (beside,)
                far = () if text is not None and not every else tuple(directories)
                paths = _find(name, (*near, *far))
                missing = True
                for path in paths:
                    known = path in digests or _follow_file(path, digests, pending)
                    missing = missing and not known
                    if known and not every:
                        break
                if every or (text is None and missing):
                    result.toolkit = True
                    result.missing.add(name)
    if result.toolkit and len(result.texts) < len(headers):
        # A header of the toolkit may include an in-memory one; nobody looks into the toolkit.
        for name, text in headers.items():
            result.texts[name] = text
            inner = scan(text)
            digests.setdefault(name, inner.digest)
            if inner.computed or any(inside not in headers for inside in inner.quoted):
                result.texts_beside.add(name)
    result.digests = sorted(digests.items())
    return result


def _follow_file(
    path: str, digests: dict[str, bytes], pending: list[tuple[Scan, str | None, str]]
) -> bool:
    """Add a file and what it includes; False where there is none."""
    found = _scan_file(path)
    if found is None:
        return False
    digests[path] = found.digest
    pending.append((found, os.path.dirname(path), ""))
    return True


def _find(name: str, directories: Sequence[str]) -> Iterator[str]:
    """The paths that a compiler tries for `name`, in order."""
    if os.path.isabs(name):
        yield name
        return
    for directory in directories:
        yield os.path.join(directory, name)


def _scan_file(path: str) -> Scan | None:
    """Digest and includes of a regular file; None where there is none to be read."""
    try:
        # As NVRTC gets names, whatever the locale.
        encoded = path.encode("utf-8", "surrogateescape")
        status = os.stat(encoded)
    except (OSError, ValueError):  # ValueError: a null character, a surrogate alone
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    identity = (
        status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev,
    )  # fmt: skip
    known = _files.get(encoded)
    if known is not None and known[0] == identity:
        return known[1]
    try:
        with open(encoded, "rb") as file:
            data = file.read()
    except OSError:
        return None  # NVRTC cannot read it, either
    found = _scan(data.decode("utf-8", "surrogateescape"))
    if len(_files) >= _MOST_REMEMBERED:
        _files.clear()
    if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _SETTLED:
        _files[encoded] = (identity, found)
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


_tops: dict[str, frozenset[str]] = {}


def shadows(directories: Sequence[str], toolkit: Sequence[str]) -> list[tuple[str, bytes]]:
    """Paths and digests of the caller's files that the toolkit's own includes may find first.

    Parameters
    ----------
    directories : sequence of str
        The caller's include directories.
    toolkit : sequence of str
        The toolkit's.
    """
    found: dict[str, bytes] = {}
    real = {os.path.realpath(directory) for directory in toolkit}
    names = frozenset().union(*[_top(directory) for directory in toolkit])
    for directory in directories:
        if os.path.realpath(directory) in real:
            continue  # its fingerprint is in the key
        try:
            own = names.intersection(os.listdir(directory or os.curdir))
        except OSError:
            continue
        for name in own:
            path = os.path.join(directory, name)
            inside = [os.path.join(at, file) for at, _, files in os.walk(path) for file in files]
            for file in inside or [path]:
                header = _scan_file(file)
                if header is not None:
                    found[file] = header.digest
    return sorted(found.items())


def _top(directory: str) -> frozenset[str]:
    known = _tops.get(directory)
    if known is None:
        try:
            known = frozenset(os.listdir(directory))
        except OSError:
            known = frozenset()
        _tops[directory] = known
    return known
