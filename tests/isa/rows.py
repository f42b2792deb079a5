"""What a row of the case tables is, and the PTX kernel it becomes.

A row names one instruction with its modifiers. Its kernel loads a thread's operands into ``%a``
``%b`` ``%c`` ``%e``, runs the code and stores ``%d`` ``%d1`` ``%d2`` ``%d3``, so that exactly the
instruction named is tested: PTX is written directly, no compiler chooses another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

#: Threads of a row, and threads of a block.
LANES = 512
BLOCK = 128
#: Bytes of scratch memory that belong to a thread (``%s``), in a row that asks for some.
SLOT = 64

INPUT_NAMES = ("a", "b", "c", "e")
OUTPUT_NAMES = ("d", "d1", "d2", "d3")

#: PTX type -> (NumPy dtype that carries it, register type, type of the load and the store).
TYPES: dict[str, tuple[str, str, str]] = {
    "b8": ("u1", "b16", "u8"), "u8": ("u1", "b16", "u8"), "s8": ("i1", "b16", "s8"),
    "b16": ("u2", "b16", "u16"), "u16": ("u2", "b16", "u16"), "s16": ("i2", "b16", "s16"),
    "b32": ("u4", "b32", "u32"), "u32": ("u4", "b32", "u32"), "s32": ("i4", "b32", "s32"),
    "b64": ("u8", "b64", "u64"), "u64": ("u8", "b64", "u64"), "s64": ("i8", "b64", "s64"),
    "f16": ("u2", "b16", "u16"), "bf16": ("u2", "b16", "u16"),
    "f16x2": ("u4", "b32", "u32"), "bf16x2": ("u4", "b32", "u32"),
    "s16x2": ("u4", "b32", "u32"), "u16x2": ("u4", "b32", "u32"), "tf32": ("u4", "b32", "u32"),
    "f32": ("f4", "f32", "f32"), "f64": ("f8", "f64", "f64"),
}  # fmt: skip

#: Registers that a row's code may use freely.
_REGISTERS = """\
.reg .pred %p<8>;
.reg .b16 %h<12>;
.reg .b32 %r<16>;
.reg .b64 %x<12>;
.reg .f32 %f<8>;
.reg .f64 %g<8>;
.reg .b32 %i, %t, %lane;
.reg .b64 %s, %sb;"""


@dataclass(frozen=True)
class Row:
    """One line of a case table."""

    #: Mnemonic with modifiers, and a remark where one mnemonic has several rows. Unique.
    name: str
    #: Types of the results and operands.
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    #: What is run; empty: the mnemonic on as many registers as there are operands.
    code: str = ""
    #: A generator of :mod:`.inputs` for each operand; empty: the one of its type.
    generators: tuple[str, ...] = ()
    #: Expected results by independent mathematics: f(*operands) -> array or arrays.
    expected: Callable | None = None
    #: How results are compared with the golden ones: see :mod:`.comparison`.
    compare: object = "bits"
    #: Declarations at module level (functions, constants); ``$`` is the kernel's name.
    prelude: str = ""
    #: Initial bytes of each thread's slot of scratch memory (SLOT of them), or nothing.
    scratch: bytes = b""
    #: Operands of which lanes are compared; None: all.
    mask: Callable | None = field(default=None)
    #: Operands that every thread loads from one address; empty: none.
    uniform: tuple[bool, ...] = ()

    @property
    def results(self) -> tuple[str, ...]:
        """Types of what comes back: the outputs, then the scratch memory."""
        return self.outputs + (("scratch",) if self.scratch else ())


def instruction(row: Row) -> str:
    """The code of a row."""
    if row.code:
        return row.code
    registers = [f"%{name}" for name in OUTPUT_NAMES[: len(row.outputs)]]
    registers += [f"%{name}" for name in INPUT_NAMES[: len(row.inputs)]]
    return f"{row.name.split()[0]} {', '.join(registers)};"


def kernel(row: Row, name: str) -> str:
    """PTX of a row's kernel, which takes nine pointers: operands, results, scratch."""
    parameters = [*INPUT_NAMES, *OUTPUT_NAMES, "s"]
    lines = [row.prelude.replace("$", name)] if row.prelude else []
    lines.append(f".visible .entry {name}({', '.join(f'.param .u64 p{p}' for p in parameters)})")
    lines += ["{", _REGISTERS]
    lines.append("mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %t, %tid.x;")
    lines.append("mad.lo.u32 %i, %r0, %r1, %t; and.b32 %lane, %t, 31;")
    for k, (operand, type_) in enumerate(zip(INPUT_NAMES, row.inputs, strict=False)):
        carrier, register, access = TYPES[type_]
        step = 0 if any(row.uniform[k : k + 1]) else np.dtype(carrier).itemsize
        lines.append(f".reg .{register} %{operand}; .reg .b64 %p{operand};")
        lines.append(f"ld.param.u64 %p{operand}, [p{operand}];")
        if step:
            lines.append(f"mad.wide.u32 %p{operand}, %i, {step}, %p{operand};")
        lines.append(f"ld.global.{access} %{operand}, [%p{operand}];")
    if row.scratch:
        lines.append("ld.param.u64 %sb, [ps];")
        lines.append(f"mad.wide.u32 %s, %i, {SLOT}, %sb;")
    for result, type_ in zip(OUTPUT_NAMES, row.outputs, strict=False):
        lines.append(f".reg .{TYPES[type_][1]} %{result};")
    lines += ["{", instruction(row).replace("$", name), "}"]
    for result, type_ in zip(OUTPUT_NAMES, row.outputs, strict=False):
        carrier, _, access = TYPES[type_]
        lines.append(f"ld.param.u64 %x0, [p{result}];")
        lines.append(f"mad.wide.u32 %x0, %i, {np.dtype(carrier).itemsize}, %x0;")
        lines.append(f"st.global.{access} [%x0], %{result};")
    lines += ["ret;", "}"]
    return "\n".join(lines)


def module(rows: list[Row]) -> str:
    """PTX of a family: kernel ``k<number>`` for each row."""
    kernels = [kernel(row, f"k{number}") for number, row in enumerate(rows)]
    return "\n".join([".version 8.5", ".target sm_90", ".address_size 64", *kernels])
