"""Moving and packing data within registers (PTX ISA, "Data Movement", first half)."""

from __future__ import annotations

import numpy as np

from ...ptx.syntax import Discard, Identifier, SpecialRegister, Vector
from ..emitter import Emitter, UnsupportedForm
from ..registry import handles, runtime
from ..types import SIZES, code_of, stored
from .compare import copy_code

nd = np.ndarray
u1, u4, u8, i8 = np.uint8, np.uint32, np.uint64, np.int64


@handles("mov")
def move(e: Emitter, i) -> None:
    target, source = i.operands
    type_ = i.opcode.types[-1]
    if type_ == "b128":
        raise UnsupportedForm("128-bit registers")
    code = code_of(type_)
    if type(target) is Vector:
        _unpack(e, target, source, code)
    elif type(source) is Vector:
        _pack(e, target, source, code)
    elif code == "b1":
        e.assign(target, e.value(source, "b1"), "b1")
    elif type(source) in (SpecialRegister, Identifier) or e.may_be_affine(target):
        kept = stored(code)
        e.assign(target, e.value(source, kept, affine=e.may_be_affine(target)), kept)
    else:
        kept, raw = copy_code(e, target, code)
        e.assign(target, e.value(source, kept, raw=raw), kept)


def _unpack(e: Emitter, target: Vector, source, code: str) -> None:
    """mov.b64 {a,b}, x: the low part comes first."""
    size = SIZES[code]
    part = f"u{size // len(target.items)}"
    whole = e.temporary()
    wide = f"u{size}"
    e.line(f"{whole}={e.value(source, wide)}")
    for k, item in enumerate(target.items):
        if type(item) is Discard:
            continue
        shift = e.constant(8 * SIZES[part] * k, wide)
        piece = f"({whole}>>{shift}).astype({part})" if k else f"{whole}.astype({part})"
        e.assign(item, piece, part)


def _pack(e: Emitter, target, source: Vector, code: str) -> None:
    size = SIZES[code]
    part = f"u{size // len(source.items)}"
    wide = f"u{size}"
    pieces = []
    for k, item in enumerate(source.items):
        piece = f"({e.value(item, part)}).astype({wide})"
        pieces.append(f"({piece}<<{e.constant(8 * SIZES[part] * k, wide)})" if k else piece)
    e.assign(target, "|".join(pieces), wide)


@handles("cvta")
def convert_address(e: Emitter, i) -> None:
    """Between generic addresses and those of a space; only shared memory has its own."""
    target, source = i.operands
    opcode = i.opcode
    to = opcode.modifiers[0] == "to"
    space = opcode.modifiers[1 if to else 0].split("::")[0]
    value = e.value(source, "i8", affine=True)
    if space == "shared":
        value = f"affine_{'sub' if to else 'add'}({value},S.shared,L)"
        affine = True
    else:
        affine = e.may_be_affine(source)
    if not e.may_be_affine(target) and affine:
        value = f"M({value},L)"
    e.assign(target, value, "i8")


@handles("mapa", "getctarank")
def map_to_cluster(e: Emitter, i) -> None:
    """Clusters have one block: an address maps to itself, and its rank is zero."""
    if i.name == "getctarank":
        e.assign(i.operands[0], e.constant(0, "i4"), "i4")
    else:
        code = stored(code_of(i.opcode.types[-1]))
        e.assign(i.operands[0], e.value(i.operands[1], code), code)


@handles("isspacep")
def is_in_space(e: Emitter, i) -> None:
    space = i.opcode.modifiers[0].split("::")[0]
    address = e.value(i.operands[1], "i8")
    e.assign(i.operands[0], f"in_space(S,L,{address},{space!r})", "b1")


@handles("prmt")
def permute_bytes(e: Emitter, i) -> None:
    a, b, selector = (e.value(o, "u4") for o in i.operands[1:4])
    mode = i.opcode.first_of("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
    e.assign(i.operands[0], f"permuted({a},{b},{selector},{mode!r})", "u4")


# ------------------------------------------------------------------ at run time


@runtime
def in_space(S, L, address, space: str):
    """Whether generic addresses lie in the window of a space."""
    shared_low = S.shared_base
    shared_high = shared_low + S.shared_bytes * S.nb
    if space == "shared":
        return (address >= shared_low) & (address < shared_high)
    local = address < 0
    for memory in S.locals:
        local = local | memory.covers(address)
    if space == "local":
        return local
    constant = address != address
    for low, size in S.program.constants:
        constant = constant | ((address >= low) & (address < low + size))
    if space == "const":
        return constant
    if space == "global":
        return ~local & ~constant & ~((address >= shared_low) & (address < shared_high))
    low = S.launch.parameter_address
    if space == "param" and low:
        return (address >= low) & (address < low + len(S.launch.parameters))
    return address != address


_PATTERNS = {
    "f4e": ((0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)),
    "b4e": ((0, 7, 6, 5), (1, 0, 7, 6), (2, 1, 0, 7), (3, 2, 1, 0)),
    "rc8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    "ecl": ((0, 1, 2, 3), (1, 1, 2, 3), (2, 2, 2, 3), (3, 3, 3, 3)),
    "ecr": ((0, 0, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 1, 2, 3)),
    "rc16": ((0, 1, 0, 1), (2, 3, 2, 3), (0, 1, 0, 1), (2, 3, 2, 3)),
}


@runtime
def permuted(a, b, selector, mode: str | None):
    """Pick four of eight bytes; bit 3 of a choice repeats the byte's sign instead."""
    source = a.astype(u8) | (b.astype(u8) << u8(32))
    if mode is not None:
        table = np.array(
            [sum(byte << 4 * k for k, byte in enumerate(row)) for row in _PATTERNS[mode]], u4
        )
        selector = table[selector & u4(3)]
    if type(selector) is not nd:
        result = u4(0)
        for k in range(4):
            choice = int(selector) >> 4 * k & 15
            byte = ((source >> u8(8 * (choice & 7))) & u8(255)).astype(u4)
            if choice & 8:
                byte = ((byte >> u4(7)) * u4(255)).astype(u4)
            result = result | (byte << u4(8 * k))
        return result
    result = u4(0)
    for k in range(4):
        choice = (selector >> u4(4 * k)) & u4(15)
        byte = ((source >> ((choice & u4(7)).astype(u8) * u8(8))) & u8(255)).astype(u4)
        byte = np.where(choice & u4(8), (byte >> u4(7)) * u4(255), byte).astype(u4)
        result = result | (byte << u4(8 * k))
    return result
