"""nvJitLink: PTX, cubins, LTO-IR and host libraries to one cubin, or LTO-IR to PTX."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from ctypes import c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import Any

from gpuarray import _fork
from gpuarray.errors import LinkError

from . import locate
from .library import LocatedLibrary, Out, Prototypes
from .text import encoded

__all__ = ["INPUT_KINDS", "identity", "link", "version"]

_PROTOTYPES: Prototypes = {
    "create": ("nvJitLinkCreate", (Out(c_uint64), c_uint32, c_void_p)),
    "destroy": ("nvJitLinkDestroy", (c_void_p,)),
    "add_data": ("nvJitLinkAddData", (c_uint64, c_int, c_char_p, c_size_t, c_char_p)),
    "complete": ("nvJitLinkComplete", (c_uint64,)),
    "cubin_size": ("nvJitLinkGetLinkedCubinSize", (c_uint64, Out(c_size_t))),
    "cubin": ("nvJitLinkGetLinkedCubin", (c_uint64, c_void_p)),
    "ptx_size": ("nvJitLinkGetLinkedPtxSize", (c_uint64, Out(c_size_t))),
    "ptx": ("nvJitLinkGetLinkedPtx", (c_uint64, c_void_p)),
    "error_log_size": ("nvJitLinkGetErrorLogSize", (c_uint64, Out(c_size_t))),
    "error_log": ("nvJitLinkGetErrorLog", (c_uint64, c_void_p)),
    "info_log_size": ("nvJitLinkGetInfoLogSize", (c_uint64, Out(c_size_t))),
    "info_log": ("nvJitLinkGetInfoLog", (c_uint64, c_void_p)),
}

#: nvJitLinkInputType.
INPUT_KINDS = {"cubin": 1, "ptx": 2, "lto": 3, "fatbin": 4, "object": 5, "library": 6}

_STATUSES = (
    "NVJITLINK_SUCCESS",
    "NVJITLINK_ERROR_UNRECOGNIZED_OPTION",
    "NVJITLINK_ERROR_MISSING_ARCH",
    "NVJITLINK_ERROR_INVALID_INPUT",
    "NVJITLINK_ERROR_PTX_COMPILE",
    "NVJITLINK_ERROR_NVVM_COMPILE",
    "NVJITLINK_ERROR_INTERNAL",
    "NVJITLINK_ERROR_THREADPOOL",
    "NVJITLINK_ERROR_UNRECOGNIZED_INPUT",
    "NVJITLINK_ERROR_FINALIZE",
)


class _Versioned:
    """The library's functions without the version that its symbols end in.

    nvJitLink.h defines its functions inline, on symbols such as ``__nvJitLinkCreate_12_9``; those
    of the library's own version are the ones that take all of its options.
    """

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)
        major, minor = c_uint32(), c_uint32()
        self._library["nvJitLinkVersion"](ctypes.byref(major), ctypes.byref(minor))
        self.version = major.value, minor.value

    def __getitem__(self, c_name: str) -> Any:
        major, minor = self.version
        return self._library[f"__{c_name}_{major}_{minor}"]


_library = LocatedLibrary(
    "nvJitLink", "nvJitLink", _PROTOTYPES, dict(enumerate(_STATUSES)), load=_Versioned
)
_fork.in_child(_library.lose_if_busy)


@cache
def identity() -> str:
    """What tells this build of nvJitLink from others, for the key of a cache."""
    major, minor = version()
    return f"nvJitLink {major}.{minor} ({os.path.getsize(locate.library('nvJitLink'))} bytes)"


@cache
def version() -> tuple[int, int]:
    """nvJitLink's version, (major, minor). It opens the library."""
    source = _library.source
    assert isinstance(source, _Versioned)
    return source.version


@_library.long_call()
def link(
    inputs: Sequence[tuple[str, bytes, str]],
    options: Sequence[str],
    kind: str = "cubin",
    name: str = "linked",
) -> tuple[bytes, str]:
    """Link device code.

    Parameters
    ----------
    inputs : sequence of (str, bytes, str)
        Kind (of `INPUT_KINDS`), content, and name in messages, of each input.
    options : sequence of str
        nvJitLink's options, ``-arch=`` among them; LTO-IR needs ``-lto``.
    kind : {'cubin', 'ptx'}
        What to make; 'ptx' needs ``-lto`` and ``-ptx`` in the options and LTO-IR for each input.
    name : str
        What the result is called in messages.

    Returns
    -------
    image : bytes
        The cubin or PTX.
    log : str
        What the linker says.

    Raises
    ------
    LinkError
        The inputs do not fit together, or one or an option is wrong.
    """
    texts = (c_char_p * len(options))(*(encoded(option, "an option") for option in options))
    handle = c_uint64()
    status = _library.raw("create")(ctypes.byref(handle), len(options), texts)
    try:
        call = "nvJitLinkCreate"
        for input_kind, data, label in inputs:
            if status:
                break
            call = f"nvJitLinkAddData of {label}"
            status = _library.raw("add_data")(
                handle,
                INPUT_KINDS[input_kind],
                data,
                len(data),
                encoded(label, "an input"),
            )
        if not status:
            # After a failure it is not called: it would make an empty image and succeed.
            call = "nvJitLinkComplete"
            status = _library.raw("complete")(handle)
        if status:
            log = _text(handle.value, "error_log").strip() if handle.value else ""
            raise LinkError(
                "\n".join(part for part in (log, str(_library.error(call, status))) if part),
                options=options,
                kernel_name=name,
            )
        return _bytes(handle.value, kind), _text(handle.value, "info_log")
    finally:
        if handle.value:
            _library.raw("destroy")(ctypes.byref(handle))


def _bytes(handle: int, what: str) -> bytes:
    size: int = getattr(_library, f"{what}_size")(handle)
    buffer: Any = ctypes.create_string_buffer(size)
    if size:
        getattr(_library, what)(handle, buffer)
    return buffer.raw if what == "cubin" else buffer.raw.rstrip(b"\0")


def _text(handle: int, what: str) -> str:
    return _bytes(handle, what).decode(errors="replace")
