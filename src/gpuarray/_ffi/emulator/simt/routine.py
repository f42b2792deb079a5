"""A compiled function: a kernel or a device function, ready for the machine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuarray._integers import round_up

from ..ptx.syntax import Arguments, Identifier, Instruction, PTXFunction
from . import code_cache
from .checked_access import REPLACEMENTS
from .chunk import read_slot
from .control_flow import BasicBlock, build_blocks, defines_and_uses, registers_in, solve_liveness
from .emitter import Emitter
from .registry import EXTERNALS, NAMESPACE
from .shared_layout import SharedBounds, SharedVariable
from .slots import parameter_slots
from .storage import affine_registers, pending_registers, storage_codes
from .types import SCALARS

_DEFAULT_THREADS = 1024


class GeneratedCode(NamedTuple):
    """Generated functions: one for each basic block."""

    #: The function's name, for messages.
    name: str
    functions: list
    #: The PTX line of each line of Python.
    lines: list[int]
    #: The Python source; empty where the code came from the cache.
    source: str

    def ptx_line(self, line: int) -> int:
        """The PTX line of a line of generated code."""
        return self.lines[line - 1]


class Routine:
    """Code and layout of one function.

    ``code[k]`` runs basic block ``k``. Layouts of shared and local variables are offsets; the
    machine decides where the memory is.
    """

    def __init__(self, program, name: str):
        self.program = program
        self.name = name
        #: Its body is parsed only where its code is not cached.
        self.function: PTXFunction = program.module.functions[name]
        self.is_kernel = self.function.is_kernel
        self._lay_out_parameters()
        self.unsupported: set[str] = set()
        self._analysed = False
        self._code: list | None = None
        self._checked: list | None = None
        self._plain_key = code_cache.key_of(program.digest, name, False)
        self._cached = code_cache.load(self._plain_key)
        if self._cached is None:
            self._lay_out_variables()
        else:
            self.static_shared_bytes, self.dynamic_offset, self.local_bytes = self._cached["layout"]

    # -------------------------------------------------------------- layout

    def _lay_out_parameters(self) -> None:
        self.parameters: list[tuple[int, int]] = []
        self.parameter_offsets: dict[str, int] = {}
        offset = 0
        for parameter in self.function.parameters:
            offset = round_up(offset, parameter.align)
            self.parameters.append((offset, parameter.size))
            self.parameter_offsets[parameter.name] = offset
            offset += parameter.size
        self.parameter_bytes = offset
        #: What the code reads of the parameters: (offset, code), in the order of ``S.P``.
        self.reads: list[tuple[int, str]] = []

    def _lay_out_variables(self) -> None:
        self.program.module.function(self.name)
        self.shared: dict[str, int] = {}
        self.locals: dict[str, int] = {}
        local_bytes = 0
        for variable in self.function.variables.values():
            if variable.space == "local":
                local_bytes = round_up(local_bytes, variable.align)
                self.locals[variable.name] = local_bytes
                local_bytes += variable.size
        self.local_bytes = local_bytes
        self.shared, self.static_shared_bytes, _ = self.program.shared_layout(self.function)
        dynamic = [
            v
            for table in (self.function.variables, self.program.module.variables)
            for v in table.values()
            if v.space == "shared" and v.extern
        ]
        #: Dynamic shared variables: all begin at the same place, behind the static ones.
        self.dynamic_shared = {v.name for v in dynamic}
        self._dynamic_align = max((v.align for v in dynamic), default=16)
        self.dynamic_offset = self._dynamic_begin(self.static_shared_bytes)

    def _dynamic_begin(self, end: int) -> int:
        """Where dynamic shared memory begins, behind static one."""
        return round_up(end, max(self._dynamic_align, 16))

    def _lay_out_gaps(self) -> None:
        """The layout of shared memory under the checkers."""
        offsets, end, used = self.program.shared_layout(self.function, True)
        self.spaced_shared = offsets
        variables = [
            SharedVariable(offsets[v.name], v.size, self.shared[v.name], v.name) for v in used
        ]
        self.shared_variables = sorted(variables)
        self.spaced_dynamic_offset = self._dynamic_begin(end)

    def shared_bounds(self, dynamic_bytes: int) -> SharedBounds:
        """The gaps of shared memory under the checkers, with so much of the dynamic one."""
        if self._checked is None:
            self._checked = self._generate(True).functions
        return SharedBounds(
            self.shared_variables,
            self.program.reserved_shared,
            self.spaced_dynamic_offset,
            self.dynamic_offset,
            dynamic_bytes,
        )

    @property
    def max_threads(self) -> int:
        for key in (".maxntid", ".reqntid"):
            if key in self.function.attributes:
                return min(self._product_of(key), _DEFAULT_THREADS)
        return _DEFAULT_THREADS

    @property
    def cluster_blocks(self) -> int:
        """Blocks of the clusters that the kernel was compiled for."""
        return self._product_of(".reqnctapercluster")

    def _product_of(self, directive: str) -> int:
        """The product of a directive's numbers; 1 without it."""
        attributes = self.function.attributes
        total = 1
        if directive in attributes:
            for token in attributes[attributes.index(directive) + 1 :]:
                if token.isdigit():
                    total *= int(token)
                elif token != ",":
                    break
        return total

    # -------------------------------------------------------------- compilation

    @property
    def code(self) -> list:
        """The functions of the basic blocks."""
        if self._code is None:
            self._code = self._generate(False).functions
        return self._code

    @property
    def checked(self) -> list:
        """The same, with memory accesses that go through the checkers."""
        if self._checked is None:
            self._checked = self._generate(True).functions
        return self._checked

    def _analyse(self) -> None:
        """Analyse the body, for both variants of the code."""
        self._analysed = True
        if self._cached is not None:  # for the variant that is not cached
            self._lay_out_variables()
        order = build_blocks(self.function, self._is_internal_call)
        parameter_slots(self, order)
        self.order = order
        registers = self.function.registers
        self.codes = storage_codes(registers, order)
        self.codes.update(self.slot_codes)
        solve_liveness(order, self._effects)
        self.affine = affine_registers(self.codes, order, set(self.locals))
        self.pending = pending_registers(self.codes, order)
        self.pending -= set(self.slot_codes)
        self._entry_codes = [self.codes[r] for r in order[0].registers]
        self._entry_slots = [
            (k, *self.parameter_of_slot[r])
            for k, r in enumerate(order[0].registers)
            if r in self.parameter_of_slot
        ]

    def _generate(self, checked: bool) -> GeneratedCode:
        key, cached, source = self._plain_key, self._cached, ""
        if checked:
            key = code_cache.key_of(self.program.digest, self.name, True)
            cached = code_cache.load(key)
        if cached is None:
            cached = self._emit(checked)
            source = cached.pop("source")
            code_cache.save(key, cached, f"{self.name} (prepared)")
        if checked:
            self.spaced_dynamic_offset, variables = cached["shared"]
            self.shared_variables = [SharedVariable(*row) for row in variables]
        return self._link(cached, checked, source)

    def _emit(self, checked: bool) -> dict:
        """Generate and compile the code; the entry of the cache."""
        if not self._analysed:
            self._analyse()
        if checked:
            self._lay_out_gaps()
        emitter = Emitter(self, checked)
        for block in self.order:
            emitter.emit(block)
        source = "\n".join(emitter.lines)
        variant = " checked" if checked else ""
        file = f"<ptx {self.program.digest.hex()[:16]} {self.name}{variant}>"
        return {
            "layout": (self.static_shared_bytes, self.dynamic_offset, self.local_bytes),
            "shared": (
                (self.spaced_dynamic_offset, [tuple(v) for v in self.shared_variables])
                if checked
                else None
            ),
            "file": file,
            "code": compile(source, file, "exec"),
            "source": source,
            "lines": emitter.line_numbers,
            "blocks": [block.number for block in self.order],
            "constants": code_cache.packed(emitter.values),
            "addresses": emitter.addresses,
            "reads": self.reads,
            "entry": (self._entry_codes, self._entry_slots),
            "results": self.result_keys,
            "barriers": emitter.barrier_lines,
            "unsupported": sorted(self.unsupported),
        }

    def _link(self, cached: dict, checked: bool, source: str) -> GeneratedCode:
        """Make functions of a cache entry, with the addresses of this program."""
        self.reads = [tuple(read) for read in cached["reads"]]
        codes, self._entry_slots = cached["entry"]
        self._undefined = tuple(SCALARS[code](0) for code in codes)
        self.result_keys = cached["results"]
        #: The PTX line of the barrier before a block.
        self.barrier_lines = cached["barriers"]
        self.unsupported.update(cached["unsupported"])
        namespace = dict(NAMESPACE)
        if checked:
            namespace.update(REPLACEMENTS)
        namespace.update(code_cache.unpacked(cached["constants"]))
        for constant, (symbol, offset) in cached["addresses"].items():
            namespace[constant] = SCALARS["i8"](self.program.symbol_address(symbol) + offset)
        exec(cached["code"], namespace)
        functions = [namespace[f"b{number}"] for number in cached["blocks"]]
        code = GeneratedCode(self.name, functions, cached["lines"], source)
        self.program.code_files[cached["file"]] = code
        return code

    def _is_internal_call(self, i: Instruction) -> bool:
        target = call_target(i)
        return not (type(target) is Identifier and target.name in EXTERNALS)

    def _effects(self, block: BasicBlock):
        """(defines, uses) of everything in a block, in order, including parameter slots."""
        for i in block.instructions:
            yield self._effects_of(i)
        if block.sync is not None:
            yield [], []
        if block.guard is not None:
            yield [], [block.guard.name]
        if block.index is not None:
            yield [], [r.name for r in registers_in((block.index,))]
        if block.instruction is not None:
            yield self._effects_of(block.instruction)
        if block.kind == "return":
            yield [], self.result_registers

    def _effects_of(self, i: Instruction) -> tuple[list[str], list[str]]:
        defines, uses = defines_and_uses(i)
        if i.name in ("bar", "barrier") and "red" in i.opcode.flags:
            return (
                [r.name for r in registers_in(i.operands[:1])],
                [r.name for r in registers_in(i.operands[1:])],
            )
        extra = self.slot_effects.get(id(i))
        if extra:
            return [*defines, *extra[0]], [*uses, *extra[1]]
        opcode = i.opcode
        if "cc" in opcode.flags:
            defines = [*defines, "%cc"]
        if i.name in ("addc", "subc", "madc"):
            uses = [*uses, "%cc"]
        return defines, uses

    # -------------------------------------------------------------- for the machine

    def entry_registers(self, L, slots: dict) -> tuple:
        """Registers of the first block: arguments of a call; undefined ones are zero."""
        code = self.code  # compiles
        assert code is not None
        if not self._entry_slots:
            return self._undefined
        registers = list(self._undefined)
        for index, parameter, offset, slot_code in self._entry_slots:
            registers[index] = read_slot(slots, parameter, offset, slot_code, L)
        return tuple(registers)

    def decode(self, parameters: bytes) -> list:
        """Scalars of a kernel's parameters, for :attr:`Chunk.P`."""
        code = self.code
        assert code is not None
        return [
            np.frombuffer(parameters, _DTYPES[kind], 1, offset)[0] for offset, kind in self.reads
        ]


_DTYPES = {code: np.dtype(scalar) for code, scalar in SCALARS.items()}


def call_target(i: Instruction):
    """The function operand of a call."""
    operands = i.operands
    return operands[1] if type(operands[0]) is Arguments else operands[0]
