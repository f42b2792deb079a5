"""Control flow: barriers, calls and traps (branches are the emitter's own business)."""

from __future__ import annotations

import numpy as np

from ...faults import ASSERT, LAUNCH_FAILED, DeviceFault, IndexFault, UnsupportedInstruction
from ...ptx.syntax import Identifier
from ..chunk import read_slot
from ..emitter import Emitter, UnsupportedForm
from ..formatting import c_string, formatted
from ..registry import EXTERNALS, external, handles, runtime
from ..routine import call_target
from ..slots import call_variables


@handles("bar", "barrier")
def barrier(e: Emitter, i) -> None:
    flags = i.opcode.flags
    if "cluster" in flags:
        _cluster_barrier(e, i)
        return
    if "warp" in flags:  # the block waited for its warps when it began
        if e.checked:
            e.line("S.checks.agents.warp_barrier(L)")
        return
    if "arrive" in flags:
        ident, count = (e.value(o, "i4") for o in i.operands[:2])
        e.line(f"S.arrive(L,{ident},{count})")
        return
    following = e.block.successors[0]
    e.barrier_lines[following.number] = i.line
    if "red" not in flags:
        ident = e.value(i.operands[0], "i4") if i.operands else "0"
        count = e.value(i.operands[1], "i4") if len(i.operands) > 1 else "None"
        e.line(
            f"return S.barrier(L,{following.number},{e.tuple_of(following.registers)},"
            f"uniform({ident}),uniform({count}))"
        )
        return
    target, ident, *rest = i.operands
    guard = rest.pop()
    count = e.value(rest[0], "i4") if rest else "None"
    mode = i.opcode.first_of("popc", "and", "or")
    registers = []
    slot = -1
    for k, register in enumerate(following.registers):
        if register == target.name:
            slot = k
            registers.append("None,")
        else:
            registers.append(e.name(register) + ",")
    vote = f"({mode!r},{e.value(guard, 'b1')},{slot})"
    e.line(
        f"return S.barrier(L,{following.number},({''.join(registers)}),"
        f"uniform({e.value(ident, 'i4')}),uniform({count}),{vote})"
    )


def _cluster_barrier(e: Emitter, i) -> None:
    """A cluster has one block: arriving has no effect, waiting is a barrier of the block."""
    if "arrive" in i.opcode.flags:
        return
    following = e.block.successors[0]
    registers = e.tuple_of(following.registers)
    e.line(f"return S.barrier(L,{following.number},{registers},-1,None)")


@handles("call")
def call(e: Emitter, i) -> None:
    target = call_target(i)
    returned, passed = call_variables(i)
    routine = e.routine
    slots = []
    for number, variable in enumerate(passed):
        for offset, _, register in routine.slot_writes.get(variable, ()):
            slots.append(f"({number},{offset}):{e.name(register)}")
    slots = "{" + ",".join(slots) + "}"
    results = {
        register: (offset, code)
        for variable in returned
        for offset, code, register in routine.slot_reads.get(variable, ())
    }
    if type(target) is Identifier and target.name in EXTERNALS:
        answer = e.temporary()
        e.line(f"{answer}=call_external(S,L,{target.name!r},{slots})")
        for register, (offset, code) in results.items():
            e.line(f"{e.name(register)}=read_slot({answer},0,{offset},{code!r},L)")
        return
    following = e.block.successors[0]
    registers = []
    results_read = []
    for k, register in enumerate(following.registers):
        if register in results:
            registers.append("None,")
            results_read.append((k, *results[register]))
        else:
            registers.append(e.name(register) + ",")
    if type(target) is Identifier:
        if target.name not in routine.program.module.functions:
            raise UnsupportedForm(f"a call to {target.name}, which is not defined")
        callee = repr(target.name)
    else:
        callee = e.value(target, "i8")
    e.line(
        f"return S.call(L,{callee},{slots},{following.number},"
        f"({''.join(registers)}),{tuple(results_read)!r})"
    )


@handles("trap")
def trap(e: Emitter, i) -> None:
    e.line(f"fail(L,{LAUNCH_FAILED},'trap')")


@handles("brkpt", "nanosleep", "membar", "fence", "pmevent", "griddepcontrol", "setmaxnreg")
def no_operation(e: Emitter, i) -> None:
    """Breakpoints, hints and fences: memory is always consistent here."""
    if e.checked and i.name in ("membar", "fence") and "proxy" not in i.opcode.flags:
        e.line("fence(S,L)")


runtime(read_slot)


@runtime
def uniform(x):
    """A number that all lanes agree on."""
    return x if x is None or type(x) is int else int(np.asarray(x).reshape(-1)[0])


@runtime
def fail(L, status: int, message: str):
    raise DeviceFault(status, message, int(L.ids[0]))


@runtime
def unsupported(S, L, text: str, why: str):
    raise UnsupportedInstruction(f"the emulator does not have {text} ({why})")


@runtime
def call_external(S, L, name: str, slots: dict) -> dict:
    return EXTERNALS[name](S, L, slots)


# ------------------------------------------------------------------ functions of the system


@external("vprintf")
def vprintf(S, L, slots: dict) -> dict:
    formats = L.filled(read_slot(slots, 0, 0, "i8", L))
    arguments = L.filled(read_slot(slots, 1, 0, "i8", L))
    texts: dict[int, bytes] = {}
    for format_, address in zip(formats.tolist(), arguments.tolist(), strict=True):
        if format_ not in texts:
            texts[format_] = c_string(S.arena, format_)
        S.program.on_print(formatted(S.arena, texts[format_], address))
    return {(0, 0): np.int32(0)}


@external("__assertfail")
def assertion(S, L, slots: dict) -> dict:
    addresses = [int(L.filled(read_slot(slots, k, 0, "i8", L))[0]) for k in (0, 1, 3)]
    message, file, function = (
        c_string(S.arena, address).decode("utf-8", "replace") for address in addresses
    )
    line = int(L.filled(read_slot(slots, 2, 0, "i4", L))[0])
    raise DeviceFault(
        ASSERT, f"{file}:{line}: {function}: assertion `{message}` failed", int(L.ids[0])
    )


@external("gpuarray_raise_index")
def raise_index(S, L, slots: dict) -> dict:
    index, length = (int(L.filled(read_slot(slots, k, 0, "i8", L))[0]) for k in (0, 1))
    message = f"index {index} is out of bounds for an axis of size {length}"
    raise IndexFault(message, int(L.ids[0]))


@external("malloc")
def malloc(S, L, slots: dict) -> dict:
    sizes = L.filled(read_slot(slots, 0, 0, "i8", L))
    found = [S.program.heap_allocate(size) for size in sizes.tolist()]
    if S.checks is not None:
        S.checks.allocated(found, sizes.tolist())
    return {(0, 0): np.array(found, np.int64)}


@external("free")
def free(S, L, slots: dict) -> dict:
    for address in L.filled(read_slot(slots, 0, 0, "i8", L)).tolist():
        S.program.heap_free(address)
    return {}
