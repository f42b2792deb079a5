"""printf of kernels: the format and a buffer of arguments, both in device memory."""

from __future__ import annotations

import re

import numpy as np

from gpuarray._integers import round_up

_SPECIFICATION = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    rb"(?P<length>hh|h|ll|l|z|t|j|L)?(?P<kind>[diouxXeEfFgGaAcsp%])"
)
_WIDE = frozenset((b"l", b"ll", b"z", b"t", b"j"))


def c_string(arena, address: int) -> bytes:
    """The zero-terminated string at an address."""
    found = arena.find(address)
    if found is None:
        return arena.view(address, 1).tobytes()  # faults
    start, nbytes = found
    data = arena.view(address, start + nbytes - address)
    zeros = np.flatnonzero(data == 0)
    return data[: zeros[0] if len(zeros) else None].tobytes()


def formatted(arena, format_: bytes, address: int) -> str:
    """The text that one thread prints."""
    position = address

    def argument(code: str):
        nonlocal position
        size = int(code[1])
        position = round_up(position, size)
        value = arena.view(position, size).view(code)[0]
        position += size
        return value.item()

    def render(match: re.Match) -> bytes:
        kind = match["kind"]
        if kind == b"%":
            return b"%"
        width = argument("i4") if match["width"] == b"*" else match["width"].decode()
        precision = match["precision"]
        if precision is not None:
            precision = argument("i4") if precision == b"*" else precision.decode()
        spec = f"%{match['flags'].decode()}{width}"
        if precision is not None:
            spec += f".{precision}"
        if kind in b"sp":
            value = argument("i8")
            if kind == b"p":
                return (f"{spec}s" % f"0x{value & 2**64 - 1:x}").encode()
            text = c_string(arena, value).decode("latin1") if value else "(null)"
            return (f"{spec}s" % text).encode("latin1")
        if kind == b"c":
            return (f"{spec}s" % chr(argument("i4") & 255)).encode("latin1")
        if kind in b"aA":
            text = float.hex(argument("f8"))
            return (f"{spec.split('.')[0]}s" % (text.upper() if kind == b"A" else text)).encode()
        if kind in b"eEfFgG":
            return ((spec + kind.decode()) % argument("f8")).encode()
        signed = kind in b"di"
        letter = "i" if signed else "u"
        value = argument(letter + ("8" if match["length"] in _WIDE else "4"))
        if match["length"] in (b"h", b"hh"):
            bits = 16 if match["length"] == b"h" else 8
            value &= (1 << bits) - 1
            if signed and value >> bits - 1:
                value -= 1 << bits
        return ((spec + ("d" if kind in b"diu" else kind.decode())) % value).encode()

    text = _SPECIFICATION.sub(render, format_)
    return text.decode("utf-8", "replace")
