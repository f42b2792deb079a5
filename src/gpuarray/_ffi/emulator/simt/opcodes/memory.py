"""Loads, stores and their relatives (PTX ISA, "Data Movement", second half)."""

from __future__ import annotations

from ...ptx.syntax import Address, Discard, Identifier, Immediate, Register
from .. import access
from ..emitter import Emitter, UnsupportedForm
from ..registry import handles
from ..slots import accessed_elements, operands_of, parameter_variable, slot_name
from ..types import SIZES, code_of

_POLLING = frozenset(("volatile", "acquire", "relaxed", "mmio"))
#: Stores that the checkers take for synchronisation with other threads.
_SYNCHRONISING = frozenset(("volatile", "release", "relaxed", "mmio"))
_SPACES = ("global", "shared", "local", "const", "param")
assert access  # its functions are in the namespace of generated code


def space_of(opcode) -> str:
    """The state space an access names; "generic" if none."""
    for modifier in opcode.modifiers:
        space = modifier.split("::")[0]
        if space in _SPACES:
            return space
    return "generic"


def address_of(e: Emitter, operand: Address, space: str, nbytes: int) -> tuple[str, int]:
    """(expression, byte offset) of an access."""
    base, offset = operand
    if space == "shared":
        if type(base) is Register and e.codes[base.name] == "i4":
            if e.may_be_affine(base):
                window = f"affine_cast({e.value(base, 'u4', affine=True)},i8,L)"
            else:
                window = f"({e.value(base, 'u4')}).astype(i8)"
        else:
            window = e.value(base, "i8", affine=True)
        return f"shared_address(S,L,{window},{offset},{nbytes})", offset
    if type(base) is Immediate:
        return e.constant(base.value, "i8"), offset
    address = e.value(base, "i8", affine=True)
    if space == "generic":
        return f"generic_address(S,L,{address},{offset},{nbytes})", offset
    return address, offset


def element_code(i) -> str:
    """The code of an access's elements: the sign matters only when they are extended."""
    type_ = i.opcode.types[-1]
    if type_ == "b128":
        raise UnsupportedForm("128-bit registers")
    code = code_of(type_)
    return {"i4": "u4", "i8": "u8"}.get(code, code) if type_[0] == "b" else code


def site(e: Emitter) -> str:
    """A name for this instruction, which ends in its PTX line."""
    return repr(f"{e.routine.name}:{e.block.number}:{e.position}:{e.ptx_line}")


@handles("ld", "ldu")
def load(e: Emitter, i) -> None:
    opcode = i.opcode
    space = space_of(opcode)
    address = next(o for o in i.operands if type(o) is Address)
    targets = operands_of(i.operands[0])
    code = element_code(i)
    if space == "param" and parameter_variable(i) is not None:
        _load_parameter(e, i, targets, code, address)
        return
    size = SIZES[code]
    base_address, offset = address_of(e, address, space, size * len(targets))
    polling = bool(opcode.flags & _POLLING)
    suffix = "_synchronising" if polling and e.checked else ""
    where = base_address
    if polling:
        where = e.temporary()
        e.line(f"{where}={base_address}")
    if len(targets) > 1:
        loaded = e.temporary()
        e.line(f"{loaded}=load_vector{suffix}(S,L,{where},{offset},{code!r},{len(targets)})")
        if polling:  # one element says enough: what is set aside for nothing runs again
            e.line(f"S.poll({site(e)},L,{where},{loaded}[0])")
        for k, target in enumerate(targets):
            if type(target) is not Discard:
                e.assign(target, f"{loaded}[{k}]", code)
        return
    target = targets[0]
    if type(target) is Register and SIZES[e.codes[target.name]] == size:
        code = e.codes[target.name] if e.codes[target.name] != "b1" else code
    if polling:
        value = e.temporary()
        e.line(f"{value}=load{suffix}(S,L,{where},{offset},{code!r})")
        e.line(f"S.poll({site(e)},L,{where},{value})")
        e.assign(target, value, code)
    else:
        alias = ",True" if e.may_alias(target) else ""
        e.assign(target, f"load(S,L,{base_address},{offset},{code!r}{alias})", code)


def _load_parameter(e: Emitter, i, targets, code: str, address: Address) -> None:
    """A parameter by its name: of the kernel, of this function, or a call's result."""
    routine = e.routine
    name = address.base.name
    if routine.is_kernel and name in routine.parameter_offsets:
        for k, target in enumerate(targets):
            offset = routine.parameter_offsets[name] + address.offset + k * SIZES[code]
            key = (offset, code)
            if key not in routine.reads:
                routine.reads.append(key)
            e.assign(target, f"S.P[{routine.reads.index(key)}]", code)
        return
    for target, (offset, kept) in zip(targets, accessed_elements(i), strict=True):
        value = f"M({e.name(slot_name(name, offset, kept))},L)"
        e.assign(target, e.cast(value, kept, code), code)


@handles("st")
def store(e: Emitter, i) -> None:
    opcode = i.opcode
    space = space_of(opcode)
    address = i.operands[0]
    values = operands_of(i.operands[1])
    code = code_of(opcode.types[-1])
    if opcode.types[-1] == "b128":
        raise UnsupportedForm("128-bit registers")
    if opcode.flags & {"async", "bulk"}:
        raise UnsupportedForm("asynchronous stores")
    if space == "param":
        if type(address.base) is not Identifier:
            raise UnsupportedForm("a computed parameter address")
        for value, (offset, kept) in zip(values, accessed_elements(i), strict=True):
            slot = e.name(slot_name(address.base.name, offset, kept))
            e.line(f"{slot}={e.value(value, kept)}")
        return
    base_address, offset = address_of(e, address, space, SIZES[code] * len(values))
    kept_codes = {e.codes[v.name] for v in values if type(v) is Register}
    codes = {kept for kept in kept_codes if SIZES[kept] == SIZES[code]}
    if len(codes) == 1:  # store registers as they are kept
        code = codes.pop()
    if len(values) == 1 and type(values[0]) is Register and values[0].name in e.deferred:
        ufunc, a, b = e.deferred.pop(values[0].name)
        e.line(f"store_result(S,L,{base_address},{offset},{ufunc},{a},{b},{code!r})")
        return
    expressions = [e.value(v, code) for v in values]
    suffix = ""
    if e.checked and opcode.flags & _SYNCHRONISING:
        suffix = "_synchronising"
        if "release" in opcode.flags:
            e.line("fence(S,L)")
    if len(values) > 1:
        e.line(
            f"store_vector{suffix}(S,L,{base_address},{offset},({','.join(expressions)},),{code!r})"
        )
    else:
        e.line(f"store{suffix}(S,L,{base_address},{offset},{expressions[0]},{code!r})")


@handles("prefetch", "prefetchu", "discard", "applypriority", "createpolicy")
def cache_hint(e: Emitter, i) -> None:
    """Hints for caches have no effect."""
    if i.name == "createpolicy":
        e.assign(i.operands[0], e.constant(0, "i8"), "i8")


@handles("cp")
def copy_async(e: Emitter, i) -> None:
    """cp.async copies at once, so that waiting for it has no effect."""
    opcode = i.opcode
    flags = opcode.flags
    if "bulk" in flags or "async" not in flags:
        raise UnsupportedForm("bulk copies")
    if flags & {"commit_group", "wait_group", "wait_all", "mbarrier"}:
        if "mbarrier" in flags:
            raise UnsupportedForm("mbarrier")
        return
    target, source, size = i.operands[:3]
    nbytes = size.value
    count = nbytes // 4
    to, to_offset = address_of(e, target, "shared", nbytes)
    origin, from_offset = address_of(e, source, "global", nbytes)
    limit = "None"
    if len(i.operands) > 3 and "cache_hint" not in " ".join(opcode.modifiers):
        limit = e.value(i.operands[3], "u4")
    e.line(f"copy_words(S,L,{to},{to_offset},{origin},{from_offset},{count},{limit})")
