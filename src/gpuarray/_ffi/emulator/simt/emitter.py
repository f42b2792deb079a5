"""Turn basic blocks into Python functions.

A block becomes ``def b7(S, L, r1, r2): ...`` over the registers that live into it; ``S`` is the
chunk, ``L`` the lane set. It returns ``(next block, L, its registers)``, or None when
the scheduler has taken over the lanes (a divergent branch, a barrier, a call, the end).
"""

from __future__ import annotations

import numpy as np

from ..ptx.syntax import (
    Discard,
    Identifier,
    Immediate,
    Instruction,
    NegatedPredicate,
    Register,
    SpecialRegister,
)
from .control_flow import BasicBlock, blocks_behind, defines_and_uses, member_mask, registers_in
from .registry import HANDLERS
from .slots import parameter_variable
from .types import CODES, SCALARS, SIZES

#: Opcodes that make fresh arrays of their operands: safe consumers of values that alias memory.
_FRESH = frozenset((
    "add", "sub", "mul", "mad", "fma", "div", "min", "max", "setp", "st", "and", "or", "xor",
    "neg", "sqrt", "rcp", "ex2", "lg2",
))  # fmt: skip
#: Opcodes past which a computation may be moved: they do not access memory that changes.
_MOVABLE = frozenset((
    "add", "sub", "mul", "mad", "fma", "cvt", "cvta", "shl", "shr", "mov", "and", "or", "xor",
    "neg", "selp", "setp",
))  # fmt: skip
_WRITES = frozenset(("st", "atom", "red", "call", "cp", "stmatrix", "barrier", "bar", "mbarrier"))
#: Opcodes whose accesses or barriers the checkers see.
_CHECKED = frozenset((
    "ld", "ldu", "st", "atom", "red", "cp", "bar", "barrier", "call", "mbarrier", "tex", "tld4",
    "suld", "sust",
))  # fmt: skip


class UnsupportedForm(Exception):
    """A handler does not know this form of its instruction."""


class Emitter:
    """The function being compiled, at one instruction of one block, to which handlers write."""

    def __init__(self, routine, checked: bool = False):
        self.routine = routine
        #: Whether the code runs under the checkers.
        self.checked = checked
        self.codes: dict[str, str] = routine.codes
        self.affine: set[str] = routine.affine
        self.pending: set[str] = routine.pending
        self.lines: list[str] = []
        self.line_numbers: list[int] = []
        #: The PTX line of the barrier before a block.
        self.barrier_lines: dict[int, int] = {}
        self.constants: dict[tuple, str] = {}
        self.values: dict[str, object] = {}
        #: Names of constants that are addresses: (symbol, offset).
        self.addresses: dict[str, tuple[str, int]] = {}
        self.names: dict[str, str] = {}
        self.block: BasicBlock = None  # type: ignore[assignment]
        self.position = 0
        self.ptx_line = 0
        #: Results that their store will compute: register -> (ufunc, operand, operand).
        self.deferred: dict[str, tuple[str, str, str]] = {}
        self._temporaries = 0
        self._behind = blocks_behind(routine.order) if checked else {}

    # -------------------------------------------------------------- text

    def line(self, text: str) -> None:
        self.lines.append(" " + text)
        self.line_numbers.append(self.ptx_line)

    def temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    def name(self, register: str) -> str:
        """The Python variable of a register."""
        found = self.names.get(register)
        if found is None:
            # The register's own name follows, for readers of the generated code.
            text = register[1:]
            found = f"r{len(self.names)}_{text}" if text.isalnum() else f"r{len(self.names)}"
            self.names[register] = found
        return found

    def constant(self, value, code: str) -> str:
        """The name of a NumPy scalar. Integers are taken modulo the width."""
        key = (value, code, str(value))
        found = self.constants.get(key)
        if found is None:
            found = self.constants[key] = f"K{len(self.constants)}"
            if code[0] in "iu":
                bits = int(value) & ((1 << 8 * SIZES[code]) - 1)
                unsigned = np.array([bits], f"u{SIZES[code]}")
                self.values[found] = unsigned.view(code)[0]
            else:
                self.values[found] = SCALARS[code](value)
        return found

    def immediate(self, operand: Immediate, code: str) -> str:
        if operand.kind == "int" and code[0] != "f":
            return self.constant(operand.value, code)
        if operand.kind == "int":  # the bits of a float
            operand = Immediate("f32" if code == "f4" else "f64", operand.value)
        size = 4 if operand.kind == "f32" else 8
        bits = np.array([operand.value], f"u{size}")
        if code[0] != "f":
            return self.constant(int(bits[0]), code)
        key = (operand, code)
        found = self.constants.get(key)
        if found is None:
            found = self.constants[key] = f"K{len(self.constants)}"
            self.values[found] = SCALARS[code](bits.view(f"f{size}")[0])
        return found

    # -------------------------------------------------------------- reading operands

    def may_be_affine(self, operand) -> bool:
        if type(operand) is Register:
            return operand.name in self.affine
        if type(operand) is SpecialRegister:
            return operand.name in ("tid.x", "ctaid.x")
        return type(operand) is Identifier and operand.name in self.routine.locals

    def value(self, operand, code: str, *, affine: bool = False, raw: bool = False) -> str:
        """An expression for an operand interpreted as ``code``.

        With ``affine`` it may yield an affine value; with ``raw`` it may yield binary32 NaNs that
        are not canonical, for consumers that compute with them.
        """
        kind = type(operand)
        if kind is Register:
            return self._register(operand.name, code, affine, raw)
        if kind is Immediate:
            return self.immediate(operand, code)
        if kind is NegatedPredicate:
            return f"(~{self.value(operand.operand, 'b1')})"
        if kind is SpecialRegister:
            return self._special(operand.name, code, affine)
        if kind is Identifier:
            return self._symbol(operand, code, affine)
        raise UnsupportedForm(f"operand {operand}")

    def _register(self, register: str, code: str, affine: bool, raw: bool) -> str:
        name = self.name(register)
        have = self.codes[register]
        if register in self.affine:
            if affine:
                return name if have == code else self.cast_affine(name, have, code)
            name = f"M({name},L)"
        if register in self.pending and not (raw and code == "f4"):
            name = f"canonical({name})"
        return self.cast(name, have, code)

    def cast(self, expression: str, have: str, want: str) -> str:
        """Reinterpret bits; a narrower integer takes the low bits, a wider one extends."""
        if have == want:
            return expression
        if SIZES[have] == SIZES[want] and "b1" not in (have, want):
            return f"{expression}.view({want})"
        if have[0] == "f":
            return self.cast(f"{expression}.view(i{SIZES[have]})", f"i{SIZES[have]}", want)
        if want[0] == "f":
            integer = f"u{SIZES[want]}"
            return f"{self.cast(expression, have, integer)}.view({want})"
        return f"{expression}.astype({want})"

    def cast_affine(self, expression: str, have: str, want: str) -> str:
        if have == want:
            return expression
        if want[0] not in "iu":
            return self.cast(f"M({expression},L)", have, want)
        function = "affine_view" if SIZES[have] == SIZES[want] else "affine_cast"
        return f"{function}({expression},{want},L)"

    def _special(self, name: str, code: str, affine: bool) -> str:
        if name in ("tid.x", "ctaid.x"):
            expression = f"special_{name.replace('.', '_')}(S,L)"
            if affine:
                return self.cast_affine(expression, "i4", code)
            return self.cast(f"M({expression},L)", "i4", code)
        if SIZES[code] == 8 or name in ("clock64", "globaltimer"):
            return self.cast(f"special_wide(S,L,{name!r})", "i8", code)
        return self.cast(f"special(S,L,{name!r})", "i4", code)

    def _symbol(self, symbol: Identifier, code: str, affine: bool) -> str:
        """The address of a variable (in its own state space) or function."""
        name, offset = symbol
        routine = self.routine
        if name in routine.shared:
            offsets = routine.spaced_shared if self.checked else routine.shared
            return self.constant(offsets[name] + offset, code)
        if name in routine.dynamic_shared:
            expression = f"i8(S.launch.dynamic_offset+{offset})"
            return self.cast(expression, "i8", code)
        if name in routine.locals:
            expression = f"S.local({routine.locals[name] + offset})"
            if affine:
                return self.cast_affine(expression, "i8", code)
            return self.cast(f"M({expression},L)", "i8", code)
        if name in routine.parameter_offsets and routine.is_kernel:
            parameter_offset = routine.parameter_offsets[name] + offset
            return self.cast(f"i8(S.launch.parameters_in_memory()+{parameter_offset})", "i8", code)
        address = routine.program.symbol_address(name)
        if address is None:
            raise UnsupportedForm(f"the symbol {name}")
        # Resolved when a program is loaded, so that the code is the same in every process.
        expression = f"A{len(self.addresses)}"
        self.addresses[expression] = (name, offset)
        return self.cast(expression, "i8", code)

    # -------------------------------------------------------------- writing registers

    def assign(self, operand, expression: str, code: str, *, computed: bool = False) -> None:
        """Write a register from an expression of type ``code``.

        With ``computed``, NaNs of a binary32 value may not be canonical yet.
        """
        if type(operand) is Discard:
            return
        if type(operand) is not Register:
            raise UnsupportedForm(f"destination {operand}")
        register = operand.name
        have = self.codes[register]
        if computed and code == "f4" and register not in self.pending:
            expression = f"canonical({expression})"
        if have != code:
            if register in self.affine:
                expression = self.cast_affine(f"({expression})", code, have)
            else:
                expression = self.cast(f"({expression})", code, have)
        self.line(f"{self.name(register)}={expression}")

    # -------------------------------------------------------------- what follows in the block

    def may_alias(self, operand) -> bool:
        """Whether a loaded value may alias memory: its uses precede the next write."""
        if type(operand) is not Register:
            return False
        register = operand.name
        block = self.block
        if any(register in s.live for s in block.successors) or block.instruction is not None:
            return False
        last = self.position
        for position in range(self.position + 1, len(block.instructions)):
            i = block.instructions[position]
            defines, uses = defines_and_uses(i)
            if register in uses:
                # A vector store writes an element before it reads the next one.
                if i.name not in _FRESH or (i.name == "st" and i.opcode.width > 1):
                    return False
                if parameter_variable(i) is not None:  # the value itself: a function's result
                    return False
                last = position
            if register in defines:
                break
        between = block.instructions[self.position + 1 : last]
        return not any(i.name in _WRITES for i in between)

    def defer(self, operand, code: str, ufunc: str, a: str, b: str) -> bool:
        """Let a store compute a result in place, where that store is the only use of it."""
        if self.checked or type(operand) is not Register or self.codes[operand.name] != code:
            return False
        register = operand.name
        block = self.block
        if any(register in s.live for s in block.successors) or block.instruction is not None:
            return False
        own = block.instructions[self.position]
        sources = {r.name for r in registers_in(own.operands[1:])}
        following = iter(block.instructions[self.position + 1 :])
        for i in following:
            defines, uses = defines_and_uses(i)
            if register in uses:
                if i.name != "st" or i.operands[1] != operand or uses.count(register) != 1:
                    return False
                if SIZES[CODES[i.opcode.types[-1]]] != SIZES[code]:
                    return False
                break
            if i.name not in _MOVABLE or register in defines or sources.intersection(defines):
                return False
        else:
            return False
        if parameter_variable(i) is not None or any(
            register in defines_and_uses(later)[1] for later in following
        ):
            return False
        self.deferred[register] = (ufunc, a, b)
        return True

    def is_used_later(self, operand) -> bool:
        """Whether a result is read at all."""
        if type(operand) is not Register:
            return False
        register = operand.name
        block = self.block
        if any(register in s.live for s in block.successors):
            return True
        if block.guard is not None and block.guard.name == register:
            return True
        if block.index is not None and block.index.name == register:
            return True
        following = block.instructions[self.position + 1 :]
        if block.instruction is not None:
            following = [*following, block.instruction]
        return any(register in defines_and_uses(i)[1] for i in following)

    # -------------------------------------------------------------- blocks

    def emit(self, block: BasicBlock) -> None:
        """Generate the function of one block."""
        self.block = block
        self._temporaries = 0
        arguments = ",".join(["S", "L", *(self.name(r) for r in block.registers)])
        self.lines.append(f"def b{block.number}({arguments}):")
        self.line_numbers.append(block.line)
        if block.number in self._behind:
            before = tuple(self._behind[block.number])
            self.line(f"if S.checks.awaited: S.checks.pass_by(L,{before})")
        if block.sync is not None:
            self._rendezvous(block)
        for self.position, i in enumerate(block.instructions):
            self.instruction(i)
        self.position = len(block.instructions)
        self.ptx_line = block.line
        self._end(block)

    def instruction(self, i: Instruction) -> None:
        self.ptx_line = i.line
        start = len(self.lines)
        try:
            handler = HANDLERS.get(i.name)
            if handler is None:
                raise UnsupportedForm("unknown opcode")
            if self.checked and i.name in _CHECKED:
                self.line(f"S.site={i.line}")
            handler(self, i)
        except (
            UnsupportedForm,
            KeyError,
            IndexError,
            AttributeError,
            TypeError,
            ValueError,
        ) as error:
            del self.lines[start:], self.line_numbers[start:]
            self.line(f"unsupported(S,L,{i.opcode.text!r},{str(error)!r})")
            self.routine.unsupported.add(i.opcode.text)
            for register in registers_in(i.operands[:1]):  # so that the code that follows compiles
                if defines_and_uses(i)[0]:
                    self.line(f"{self.name(register.name)}=None")

    def _rendezvous(self, block: BasicBlock) -> None:
        """Wait for the lanes of a member mask before the block runs."""
        self.ptx_line = block.sync.line
        mask = member_mask(block.sync)
        if self.checked:
            self.line(f"S.site={self.ptx_line}")
        self.line("if L.warps is not None:")
        registers = self.tuple_of(block.registers)
        is_barrier = self.checked and block.sync.name == "bar"
        if is_barrier:
            self.line(f" S.checks.warp_barrier_at({block.number})")
        self.line(f" t0=S.converge(L,{self.value(mask, 'u4')},{block.number},{registers})")
        self.line(" if t0 is not S: return t0")
        if self.checked:
            mask = self.value(mask, "u4")
            self.line(f"S.checks.members(L,{mask},{block.number},{self.ptx_line},{is_barrier})")

    def tuple_of(self, registers) -> str:
        return f"({''.join(self.name(r) + ',' for r in registers)})"

    def jump(self, block: BasicBlock) -> str:
        return f"({block.number},L,{self.tuple_of(block.registers)})"

    def _end(self, block: BasicBlock) -> None:
        kind = block.kind
        if kind == "jump":
            self.line(f"return {self.jump(block.successors[0])}")
        elif kind == "branch":
            guard = self.name(block.guard.name)
            yes, no = block.successors
            # One line: Python's compiler takes half of the time to prepare a kernel.
            self.line(
                f"return S.branch(L,{guard},"
                f"{yes.number},{self.tuple_of(yes.registers)},"
                f"{no.number},{self.tuple_of(no.registers)})"
            )
        elif kind == "switch":
            table = ",".join(f"({b.number},{self.tuple_of(b.registers)})" for b in block.table)
            self.line(f"return S.switch(L,{self.value(block.index, 'u4')},({table},))")
        elif kind in ("barrier", "call"):
            self.instruction(block.instruction)
        elif kind == "exit":
            self.line("return S.exit(L)")
        else:
            results = "".join(self.name(r) + "," for r in self.routine.result_registers)
            self.line(f"return S.leave(L,({results}))")
