"""Static analysis of registers: storage codes, affine values, NaNs to be canonicalised."""

from __future__ import annotations

from ..ptx.syntax import Identifier, Immediate, Instruction, Register, SpecialRegister
from .control_flow import BasicBlock, defines_and_uses, registers_in
from .types import CODES, stored

#: Opcodes that keep values affine.
_LINEAR = frozenset(("mov", "add", "sub", "mul", "mad", "shl", "cvt", "cvta"))
#: Opcodes that compute binary32 results, whose NaNs become the canonical one.
_COMPUTES = frozenset((
    "add", "sub", "mul", "fma", "mad", "div", "sqrt", "rcp", "rsqrt", "ex2", "lg2", "sin", "cos",
    "tanh", "min", "max", "neg", "abs", "cvt", "set",
))  # fmt: skip
_COPIES = frozenset(("mov", "selp", "shfl"))
_CANONICAL_NAN = 0x7FFFFFFF


def keeps_nan(i: Instruction) -> bool:
    """Conversions to binary32 from these types keep a NaN's sign and upper bits."""
    return i.name == "cvt" and i.opcode.types[-1] in ("f64", "bf16")


def _result_type(i: Instruction) -> str:
    types = i.opcode.types
    if not types:
        return ""
    if i.name in ("cvt", "set", "tex", "tld4"):
        return types[0]
    return types[-1]


def storage_codes(declared: dict[str, str], order: list[BasicBlock]) -> dict[str, str]:
    """The code in which each register is stored.

    Newer compilers declare ``.b32`` for everything; a register that is only written (or, failing
    that, only read) as a float is stored as one, which saves a view at every use.
    """
    # Instructions on 128-bit registers are not supported, which is reported when they execute.
    codes = {name: stored(CODES.get(type_, "i8")) for name, type_ in declared.items()}
    votes: dict[str, set[str]] = {}
    read_votes: dict[str, set[str]] = {}
    for block in order:
        for i in block.instructions:
            defines, uses = defines_and_uses(i)
            written = _result_type(i)
            if i.name in ("setp", "call"):
                continue
            for name in defines:
                if written and written[0] != "b":
                    votes.setdefault(name, set()).add(written)
            read = i.opcode.types[-1] if i.opcode.types else ""
            if read and (read[0] != "b" or i.name in ("and", "or", "xor", "not", "shl", "shr")):
                addresses = set()
                if i.name in ("ld", "st", "atom", "red"):
                    addresses = {
                        r.name
                        for operand in i.operands
                        if hasattr(operand, "base")
                        for r in registers_in((operand,))
                    }
                for name in uses:
                    if name not in addresses:
                        read_votes.setdefault(name, set()).add(read)
    for name, type_ in declared.items():
        if type_ in ("b32", "b64"):
            ballot = votes.get(name) or read_votes.get(name)
            if ballot == {"f32"} and type_ == "b32":
                codes[name] = "f4"
            elif ballot == {"f64"} and type_ == "b64":
                codes[name] = "f8"
    return codes


def affine_registers(codes: dict[str, str], order: list[BasicBlock], locals_: set[str]) -> set[str]:
    """Registers that may hold affine values; all others never do."""
    affine: set[str] = set()
    edges: list[tuple[str, list[str]]] = []
    for block in order:
        for i in block.instructions:
            if i.name not in _LINEAR:
                continue
            defines, uses = defines_and_uses(i)
            if len(defines) != 1:
                continue
            edges.append((defines[0], uses))
            source = i.operands[1]
            begins = (type(source) is SpecialRegister and source.name in ("tid.x", "ctaid.x")) or (
                type(source) is Identifier and source.name in locals_
            )
            if begins or (i.name == "cvta" and "shared" in i.opcode.flags):
                affine.add(defines[0])
    changed = True
    while changed:
        changed = False
        for target, sources in edges:
            if target not in affine and any(s in affine for s in sources):
                affine.add(target)
                changed = True
    return {name for name in affine if codes[name] in ("i4", "i8")}


def pending_registers(codes: dict[str, str], order: list[BasicBlock]) -> set[str]:
    """binary32 registers whose NaNs are canonicalised when they are read, not when written.

    That is correct for registers that only receive computed values; NaNs of loaded data must not
    change.
    """
    pending = {name for name, code in codes.items() if code == "f4"}
    copies: list[tuple[str, list]] = []
    for block in order:
        for i in block.instructions:
            defines, _ = defines_and_uses(i)
            if i.name in _COMPUTES and _result_type(i) == "f32" and not keeps_nan(i):
                continue
            if i.name in _COPIES and len(defines) >= 1:
                sources = i.operands[1:3] if i.name == "selp" else i.operands[1:2]
                copies += [(name, sources) for name in defines]
            else:
                pending.difference_update(defines)
        if block.instruction is not None:
            pending.difference_update(defines_and_uses(block.instruction)[0])
    changed = True
    while changed:
        changed = False
        for target, sources in copies:
            if target in pending and not all(_computed(s, pending) for s in sources):
                pending.discard(target)
                changed = True
    return pending


def _computed(operand, pending: set[str]) -> bool:
    if type(operand) is Register:
        return operand.name in pending
    if type(operand) is Immediate:
        bits = operand.value & 0x7FFFFFFF
        return operand.kind == "f64" or bits <= 0x7F800000 or operand.value == _CANONICAL_NAN
    return False
