"""A loaded PTX module: its globals in device memory, and its functions compiled on demand."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable

import numpy as np

from ..faults import ILLEGAL_ADDRESS, DeviceFault
from ..ptx.module import PTXModule
from ..ptx.syntax import TYPE_SIZES, Identifier, Instruction, PTXError, PTXFunction, Variable
from ..ptx.tokens import literal
from .registry import EXTERNALS
from .routine import GeneratedCode, Routine
from .shared_layout import lay_out_shared

#: Shared memory below this offset belongs to the system, in kernels that ask where it is.
RESERVED_SHARED_BYTES = 1024
#: How the names of CUDA's device runtime begin, by which a kernel launches kernels.
_DEVICE_RUNTIME = ("cuda", "__cudaCDP2")


class PTXProgram:
    """PTX text made executable. Loading is cheap: a function is compiled when it first runs, and
    parsed then too unless :meth:`check` is asked to look at all of them."""

    def __init__(self, ptx: str, arena, on_print: Callable[[str], object] | None = None):
        self.module = PTXModule(ptx)
        #: Stands for the text in the keys of cached code.
        self.digest = hashlib.sha256(ptx.encode(errors="surrogateescape")).digest()
        self.arena = arena
        self.on_print = on_print or (lambda text: sys.stdout.write(text))
        #: Generated code by its file name.
        self.code_files: dict[str, GeneratedCode] = {}
        self._routines: dict[str, Routine] = {}
        self._addresses: dict[str, tuple[int, int]] = {}
        #: (address, bytes) of the variables in constant memory, for isspacep.
        self.constants: list[tuple[int, int]] = []
        self._functions_by_address: dict[int, str] = {}
        #: The layout of what functions share, without gaps and with.
        self._module_shared: dict[bool, tuple[dict[str, int], int]] = {}
        self.reserved_shared = RESERVED_SHARED_BYTES if "%reserved_smem" in ptx else 0
        self._heap: set[int] = set()
        try:
            self._allocate_globals()
        except BaseException:
            self.unload()
            raise

    # -------------------------------------------------------------- the interface

    @property
    def kernel_names(self) -> list[str]:
        return self.module.kernel_names

    def kernel(self, name: str) -> Routine:
        """The kernel of this name; KeyError if the module has none."""
        if name not in self.module.kernel_names:
            raise KeyError(name)
        return self.compiled(name)

    def check(self, most_shared_bytes: int) -> None:
        """Raise for text that an assembler would refuse: no PTX, too much shared memory, or
        symbols that nothing defines.

        Functions whose code is cached were checked by an earlier process.
        """
        self._check_symbols()
        for name in self.module.functions:
            if not self.module.has_body(name):
                continue
            routine = self.compiled(name)
            if routine.is_kernel and routine.static_shared_bytes > most_shared_bytes:
                raise PTXError(
                    f"Entry function '{name}' uses too much shared data "
                    f"({routine.static_shared_bytes:#x} bytes, {most_shared_bytes:#x} max)"
                )

    def _check_symbols(self) -> None:
        """Raise for the use of a function or variable that is declared and defined nowhere."""
        module = self.module
        undefined = {
            name: "function"
            for name in module.functions
            if not module.has_body(name) and name not in EXTERNALS
        }
        undefined |= {
            v.name: "variable"
            for v in module.variables.values()
            if v.extern and v.space in ("global", "const")
        }
        if not undefined:
            return
        for variable in module.variables.values():
            for token in variable.initial or ():
                if token in undefined:
                    raise _unresolved(token, undefined[token], f"in {variable.name}")
        for function in filter(module.has_body, module.functions):
            for item in module.function(function).body:
                if type(item) is not Instruction:
                    continue
                for symbol in _symbols(item.operands):
                    if symbol in undefined:
                        where = f"line {item.line} of {function}"
                        raise _unresolved(symbol, undefined[symbol], where)

    def global_symbol(self, name: str) -> tuple[int, int]:
        """(address, bytes) of a variable of the module; KeyError if there is none."""
        if name not in self.module.variables:
            raise KeyError(name)
        return self._addresses[name]

    def unload(self) -> None:
        """Free the module's globals and the device heap allocations of its kernels."""
        for address, _ in self._addresses.values():
            self.arena.free(address)
        for address in self._heap:
            self.arena.free(address)
        self._addresses = {}
        self._heap = set()

    # -------------------------------------------------------------- functions

    def compiled(self, name: str) -> Routine:
        routine = self._routines.get(name)
        if routine is None:
            if not self.module.has_body(name):
                raise DeviceFault(ILLEGAL_ADDRESS, f"the function {name} is declared, not defined")
            routine = self._routines[name] = Routine(self, name)
        return routine

    def code_of_file(self, file: str) -> GeneratedCode | None:
        """The generated code that carries this file name."""
        return self.code_files.get(file)

    def function_at(self, address: int) -> str:
        """The name of the function at an address."""
        name = self._functions_by_address.get(address)
        if name is None:
            raise DeviceFault(ILLEGAL_ADDRESS, f"a call to 0x{address:x}, which is no function")
        return name

    # -------------------------------------------------------------- variables

    def symbol_address(self, name: str) -> int | None:
        """The address of a global variable or a function; None if there is none of the name."""
        found = self._addresses.get(name)
        if found is not None:
            return found[0]
        if name in self.module.functions:
            address = self.arena.allocate(16)
            self._addresses[name] = (address, 16)
            self._functions_by_address[address] = name
            return address
        return None

    def _allocate_globals(self) -> None:
        allocated = []
        for variable in self.module.variables.values():
            if variable.space in ("global", "const"):
                nbytes = max(variable.size, 1)
                address = self.arena.allocate(nbytes)
                self._addresses[variable.name] = (address, variable.size)
                if variable.space == "const":
                    self.constants.append((address, nbytes))
                allocated.append(variable)
        for variable in allocated:  # initialisers may name any other variable
            address, nbytes = self._addresses[variable.name]
            data = np.zeros(nbytes, np.uint8)
            if variable.initial:
                self._initialise(data, variable)
            self.arena.view(address, nbytes)[:] = data

    def _initialise(self, data: np.ndarray, variable: Variable) -> None:
        size = TYPE_SIZES[variable.type]
        tokens = [t for t in variable.initial if t not in "{},"]
        position = k = 0
        while k < len(tokens):
            token = tokens[k]
            sign = 1
            if token == "-":
                sign, k, token = -1, k + 1, tokens[k + 1]
            if token == "generic":
                address = self._initial_address(tokens[k + 2])
                k += 4
                if k < len(tokens) and tokens[k] == "+":
                    address += literal(tokens[k + 1]).value
                    k += 2
                value = address
            elif token[0] == "0" and token[1:2] in "fFdD" and token[1:2]:
                value = literal(token).value
                k += 1
            elif token[0].isdigit():
                if "." in token:
                    bits = np.array([float(token) * sign], f"f{size}").view(f"u{size}")
                    value, sign = int(bits[0]), 1
                else:
                    value = literal(token).value
                k += 1
            else:  # a symbol, perhaps with an offset
                value = self._initial_address(token)
                k += 1
                if k < len(tokens) and tokens[k] == "+":
                    value += literal(tokens[k + 1]).value
                    k += 2
            bits = (sign * value) & ((1 << 8 * size) - 1)
            data[position : position + size] = np.frombuffer(bits.to_bytes(size, "little"), "u1")
            position += size

    def _initial_address(self, name: str) -> int:
        address = self.symbol_address(name)
        if address is None:
            raise PTXError(f"an initialiser names {name}, which is not defined")
        return address

    # -------------------------------------------------------------- shared memory

    def shared_layout(
        self, function: PTXFunction, gaps: bool = False
    ) -> tuple[dict[str, int], int, list[Variable]]:
        """Offsets of the shared variables a function may name, its bytes of static ones, and
        those that a kernel and what it calls use.

        Variables of the module have the same offsets in every function. Dynamic ones begin
        behind all static ones; that depends on the kernel, so they are not in the table.
        """
        end = self.reserved_shared
        offsets: dict[str, int] = {}
        used: list[Variable] = []
        common, total = self._common_shared(gaps)
        if common:
            if not function.is_kernel or self._uses_any(function, set(common)):
                end = total
                used += self._common_variables()
            offsets = dict(common)
        if function.is_kernel:
            end = lay_out_shared(function.variables.values(), offsets, end, gaps)
            used += function.variables.values()
        return offsets, end, [v for v in used if v.space == "shared" and not v.extern]

    def _common_variables(self) -> list[Variable]:
        """The variables of the module and of its device functions with shared ones."""
        found = list(self.module.variables.values())
        for name in self.module.functions_with_shared():
            found += self.module.function(name).variables.values()
        return found

    def _common_shared(self, gaps: bool) -> tuple[dict[str, int], int]:
        """Offsets of the shared variables of the module and of its device functions."""
        if gaps not in self._module_shared:
            offsets: dict[str, int] = {}
            end = lay_out_shared(self._common_variables(), offsets, self.reserved_shared, gaps)
            self._module_shared[gaps] = offsets, end
        return self._module_shared[gaps]

    def _uses_any(self, function: PTXFunction, names: set[str]) -> bool:
        """Whether a function, or one that it calls, uses one of these symbols."""
        seen: set[str] = set()
        stack = [function.name]
        while stack:
            name = stack.pop()
            if name in seen or not self.module.has_body(name):
                continue
            seen.add(name)
            for item in self.module.function(name).body:
                if type(item) is Instruction:
                    for symbol in _symbols(item.operands):
                        if symbol in names:
                            return True
                        if symbol in self.module.functions:
                            stack.append(symbol)
        return False

    # -------------------------------------------------------------- the device heap

    def heap_allocate(self, nbytes: int) -> int:
        """``malloc`` in a kernel: memory that lives until it is freed or the module is unloaded."""
        try:
            address = self.arena.allocate(nbytes)
        except MemoryError:
            return 0
        self._heap.add(address)
        return address

    def heap_free(self, address: int) -> None:
        if address:
            if address not in self._heap:
                raise DeviceFault(
                    ILLEGAL_ADDRESS, f"free of 0x{address:x}, which is not on the device heap"
                )
            self._heap.discard(address)
            self.arena.free(address, at_once=False)


def _unresolved(name: str, what: str, where: str) -> PTXError:
    """The error for the use of a symbol without a definition; assemblers begin it in this way."""
    if name.startswith(_DEVICE_RUNTIME):
        remedy = "the emulator has no device runtime: launch kernels from the host"
    else:
        remedy = "the module declares it and nothing defines it: put its definition into the source"
    return PTXError(f"Unresolved extern {what} '{name}' ({where}): {remedy}")


def _symbols(operands):
    stack = list(operands)
    while stack:
        operand = stack.pop()
        if type(operand) is Identifier:
            yield operand.name
        elif isinstance(operand, tuple):
            stack += [x for x in operand if isinstance(x, tuple)]
