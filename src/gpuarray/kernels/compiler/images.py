"""What compiled code is, and what PTX and cubins say about their kernels: names, parameters.

The driver does not check a launch's arguments: it reads as many as the kernel has from wherever
the caller's list ends. So they are counted here, once per kernel.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

_ELF = b"\x7fELF"
#: First bytes of the other formats of device code.
_MAGIC = {b"\x50\xed\x55\xba": "fatbin", b"\xed\x43\x4e\x7f": "lto", b"!<arch>\n": "library"}
_CUDA_MACHINE = 190  # e_machine of a cubin; another one is a host object
# Records of a kernel's .nv.info section: format, attribute, then a 16-bit value or size.
_SIZED = 4
_KPARAM_INFO = 0x17
_PTX_SIZES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}


def kind_of(image: bytes) -> str:
    """What `image` is: 'cubin', 'object', 'fatbin', 'library', 'lto', 'ptx', or '' for none."""
    if image[:4] == _ELF:
        return "cubin" if image[18:20] == _CUDA_MACHINE.to_bytes(2, "little") else "object"
    for magic, kind in _MAGIC.items():
        if image.startswith(magic):
            return kind
    # Comments may come before the directive that PTX begins with.
    return "ptx" if re.search(rb"^\s*\.version\s+\d", image, re.MULTILINE) else ""


def kernel_names(image: bytes) -> list[str]:
    """The symbols of the kernels in PTX or a cubin, as far as they can be read."""
    if image[:4] != _ELF:
        found = re.findall(rb"\.entry\s+([\w$]+)", image)
        return list(dict.fromkeys(name.decode("ascii", "replace") for name in found))
    try:
        # Each kernel of a cubin has a section of its own.
        names = [name for name, _ in _sections(image)]
    except (struct.error, ValueError, IndexError):
        return []
    return [name.removeprefix(".text.") for name in names if name.startswith(".text.")]


def parameter_sizes(image: bytes, symbol: str) -> tuple[int, ...] | None:
    """The sizes of a kernel's parameters in bytes, or None where the image does not tell."""
    try:
        if image[:4] == _ELF:
            return _cubin_parameters(image, symbol)
        return _ptx_parameters(image, symbol)
    except (struct.error, ValueError, IndexError, KeyError):
        return None


def _ptx_parameters(image: bytes, symbol: str) -> tuple[int, ...] | None:
    match = re.search(rb"\.entry\s+" + re.escape(symbol.encode()) + rb"\s*(?:\(([^)]*)\))?", image)
    if match is None:
        return None
    sizes = []
    for line in (match[1] or b"").decode().split(","):
        if not line.strip():
            continue
        parameter = re.search(r"\.[bsuf](8|16|32|64|128)\b[^\[]*(?:\[(\d+)\])?\s*$", line)
        if parameter is None:
            return None
        sizes.append(_PTX_SIZES[parameter[1]] * int(parameter[2] or 1))
    return tuple(sizes)


def _cubin_parameters(image: bytes, symbol: str) -> tuple[int, ...] | None:
    info = dict(_sections(image)).get(".nv.info." + symbol)
    if info is None:
        return None
    sizes = {}
    at = 0
    while at + 4 <= len(info):
        format, attribute, value = struct.unpack_from("<BBH", info, at)
        at += 4
        if format != _SIZED:
            continue
        if attribute == _KPARAM_INFO:
            _, ordinal, _, flags = struct.unpack_from("<IHHI", info, at)
            sizes[ordinal] = flags >> 18
        at += value
    if not sizes:
        return None  # no parameters, or records of a newer form
    return tuple(sizes[ordinal] for ordinal in range(len(sizes)))


def _sections(image: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and content of each section of a 64-bit little-endian ELF file."""
    (start,) = struct.unpack_from("<Q", image, 0x28)
    entry_size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    headers = [
        struct.unpack_from("<IIQQQQ", image, start + entry_size * index) for index in range(count)
    ]
    text = headers[names][4]
    for name, _, _, _, offset, size in headers:
        end = image.index(b"\0", text + name)
        yield image[text + name : end].decode("ascii"), image[offset : offset + size]
