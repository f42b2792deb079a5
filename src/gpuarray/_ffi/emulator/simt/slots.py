"""Parameters and results of calls, as registers.

PTX passes values through ``.param`` variables: ``st.param`` before a call, ``ld.param`` after
it and in the callee. Each element (variable, offset, type) that code accesses becomes a register
of its own, so that divergence, merging and liveness need to know nothing about parameters.
"""

from __future__ import annotations

from ..ptx.syntax import Address, Arguments, Identifier, Instruction, Vector
from .types import CODES, SIZES, stored


def slot_name(variable: str, offset: int, code: str) -> str:
    return f"~{variable}+{offset}:{code}"


def accessed_elements(i: Instruction) -> list[tuple[int, str]]:
    """(offset, code) of each element that an ``ld.param`` or ``st.param`` touches."""
    address = next(o for o in i.operands if type(o) is Address)
    code = stored(CODES[i.opcode.types[-1]])
    return [(address.offset + k * SIZES[code], code) for k in range(i.opcode.width)]


def parameter_variable(i: Instruction) -> str | None:
    """The variable of an ``ld.param``/``st.param`` that names one."""
    if i.name not in ("ld", "st") or not any(m.startswith("param") for m in i.opcode.modifiers):
        return None
    address = next((o for o in i.operands if type(o) is Address), None)
    if address is None or type(address.base) is not Identifier:
        return None
    return address.base.name


def parameter_slots(routine, order) -> None:
    """Find all elements of parameters that are accessed, and fill the routine's tables."""
    function = routine.function
    #: register -> code; register -> (parameter number, offset, code) for those set at entry
    routine.slot_codes = {"%cc": "b1"}
    routine.parameter_of_slot = {}
    #: id(instruction) -> (defines, uses)
    routine.slot_effects = {}
    #: result variable of a call -> [(offset, code, register)] that is read of it
    routine.slot_reads = {}
    #: local parameter variable -> [(offset, code, register)] that is stored to it
    routine.slot_writes = {}
    formal = {p.name: k for k, p in enumerate(function.parameters)}
    results = {p.name: k for k, p in enumerate(function.results)}
    routine.result_registers = []
    routine.result_keys = []
    calls: list[Instruction] = []
    for block in order:
        instructions = list(block.instructions)
        if block.instruction is not None:
            instructions.append(block.instruction)
        for i in instructions:
            if i.name == "call":
                calls.append(i)
                continue
            variable = parameter_variable(i)
            if variable is None or (variable in formal and function.is_kernel):
                continue
            registers = []
            for offset, code in accessed_elements(i):
                register = slot_name(variable, offset, code)
                registers.append(register)
                routine.slot_codes[register] = code
                entry = (offset, code, register)
                if i.name == "st":
                    entries = routine.slot_writes.setdefault(variable, [])
                    if entry not in entries:
                        entries.append(entry)
                        if variable in results:
                            routine.result_registers.append(register)
                            routine.result_keys.append((results[variable], offset))
                else:
                    if variable in formal:
                        routine.parameter_of_slot[register] = (formal[variable], offset, code)
                    entries = routine.slot_reads.setdefault(variable, [])
                    if entry not in entries:
                        entries.append(entry)
            if i.name == "st":
                routine.slot_effects[id(i)] = (registers, [])
            else:
                routine.slot_effects[id(i)] = ([], registers)
    for i in calls:
        returned, passed = call_variables(i)
        defines = [r for v in returned for _, _, r in routine.slot_reads.get(v, ())]
        uses = [r for v in passed for _, _, r in routine.slot_writes.get(v, ())]
        routine.slot_effects[id(i)] = (defines, uses)


def call_variables(i: Instruction) -> tuple[list[str], list[str]]:
    """Names of the parameter variables that a call returns to, and passes."""
    operands = list(i.operands)
    returned: list[str] = []
    if type(operands[0]) is Arguments:
        returned = [s.name for s in operands[0].items]
        operands = operands[1:]
    passed: list[str] = []
    if len(operands) > 1 and type(operands[1]) is Arguments:
        passed = [s.name for s in operands[1].items]
    return returned, passed


def operands_of(vector) -> tuple:
    """The elements of a vector operand, or the operand alone."""
    return vector.items if type(vector) is Vector else (vector,)
