"""Which kernels a run used, written down so that another process can compile them beforehand.

A recording is text, a JSON object a line: ``{"kernel": ..., "source": ..., ...}`` is a kernel, and
``{"text": ..., "digest": ...}`` an in-memory header that kernels after it name by its digest. Lines
are only appended, each by one write, so that the processes of a run can share a file. The package's
own device code is named by its digest alone: another digest is another version of the package.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpuarray import _fork
from gpuarray._config import config
from gpuarray.kernels.compiler.request import Request

if TYPE_CHECKING:
    from gpuarray.kernels.compiler.headers import Includes

#: Stands for the kind of image that the device loads, which differs between backends.
NATIVE = "native"


class Recorder:
    """Appends each kernel once to a file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._written: set[str] = set()
        self._lock = _fork.new_lock()

    def add(self, request: Request, includes: Includes) -> None:
        """Write down one kernel."""
        from gpuarray._ffi import driver
        from gpuarray.kernels.generator.headers import cuda_headers

        lines = []
        headers = {}
        for name, text in sorted(includes.texts.items()):
            headers[name] = _digest(text)
            if cuda_headers().get(name) != text:
                lines.append(_line({"text": text, "digest": headers[name]}))
        kernel = {
            "kernel": request.name,
            "source": request.source,
            "options": list(request.options),
            "name_expressions": list(request.name_expressions),
            "kind": NATIVE if request.kind == driver.image_kind else request.kind,
            "headers": headers,
        }
        lines.append(_line(kernel))
        with self._lock:
            new = [line for line in lines if line not in self._written]
            if new:
                self._append("".join(new).encode())
                self._written.update(new)

    def _append(self, data: bytes) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            os.write(file, data)
        finally:
            os.close(file)


def _line(fields: dict[str, Any]) -> str:
    import json  # here and below: only a process that records pays for it

    # ASCII: a lone surrogate in a source has no other form in JSON.
    return json.dumps(fields, ensure_ascii=True) + "\n"


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_recorders: list[Recorder] = [] if config.record is None else [Recorder(config.record)]


def note(request: Request, includes: Includes) -> None:
    """Write a kernel down wherever that is asked for."""
    for recorder in tuple(_recorders):
        try:
            recorder.add(request, includes)
        except OSError as error:
            import warnings

            _recorders.remove(recorder)
            warnings.warn(
                f"kernels are no longer recorded: {recorder.path!r} cannot be written "
                f"({error.strerror or error})",
                RuntimeWarning,
                stacklevel=4,
            )


@contextmanager
def record(path: str | os.PathLike[str]) -> Iterator[None]:
    """Append what the kernels compiled or loaded inside the ``with`` block are made of to a file.

    Every thread's kernels count. A kernel that the process has loaded before is not noted again:
    record from the start of the process (``GPUARRAY_RECORD=FILE`` does) to have all of them.

    Parameters
    ----------
    path : str or path
        The file; it is made where it does not exist.

    Yields
    ------
    None

    See Also
    --------
    gpuarray.warmup : compile what a recording names.

    Examples
    --------
    >>> import os, tempfile
    >>> import gpuarray as cp
    >>> from gpuarray.cuda import compiler
    >>> path = os.path.join(tempfile.mkdtemp(), "kernels.jsonl")
    >>> with compiler.record(path):
    ...     x = cp.asarray([1.0, 2.0]) * 3
    ...     image = compiler.compile('extern "C" __global__ void k(int* x) { *x = 1; }', name="k")
    >>> os.path.getsize(path) > 0
    True
    """
    recorder = Recorder(os.path.abspath(os.fspath(path)))
    recorder._append(b"")  # that it cannot be written shows here
    _recorders.append(recorder)
    try:
        yield
    finally:
        if recorder in _recorders:
            _recorders.remove(recorder)


class RecordingError(ValueError):
    """A file is no recording."""


def read(path: str | os.PathLike[str], architecture: str, kind: str) -> list[Request | str]:
    """The kernels of a recording, each once.

    Parameters
    ----------
    path : str or path
        The file.
    architecture, kind : str
        What to compile for, and the kind of image that such a device loads.

    Returns
    -------
    list of Request or str
        A kernel's name stands for one that needs device code of another version of the package.

    Raises
    ------
    RecordingError
        A line is none of a recording.
    """
    import json

    from gpuarray.kernels.generator.headers import cuda_headers

    texts = {_digest(text): text for text in cuda_headers().values()}
    found: dict[str, Request | str] = {}
    # Not a number: `open` would take it for a file that is open, and close it.
    with open(os.fspath(path), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if line in found or not line.strip():
                continue
            try:
                fields = json.loads(line)
                if "text" in fields:
                    texts[_digest(fields["text"])] = fields["text"]
                    continue
                request = Request(
                    source=_text(fields["source"]),
                    name=_text(fields["kernel"]),
                    architecture=architecture,
                    kind=kind if fields["kind"] == NATIVE else _text(fields["kind"]),
                    options=tuple(map(_text, fields["options"])),
                    name_expressions=tuple(map(_text, fields["name_expressions"])),
                )
                wanted = {_text(name): _text(key) for name, key in fields["headers"].items()}
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise RecordingError(
                    f"{os.fspath(path)!r}, line {number}, is not a line of a recording of kernels "
                    f"({type(error).__name__}: {error}): make one with GPUARRAY_RECORD=FILE"
                ) from None
            if all(key in texts for key in wanted.values()):
                headers = {name: texts[key] for name, key in wanted.items()}
                found[line] = request._replace(headers=headers)
            else:
                found[line] = request.name
    return list(found.values())


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value
