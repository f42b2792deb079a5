"""The elements of PTX source: operands, instructions, variables, functions."""

from __future__ import annotations

import functools
from typing import NamedTuple


class PTXError(Exception):
    """The text is not PTX; the message names the line, and so does `line` where it is known."""

    def __init__(self, message: str, line: int = 0):
        super().__init__(message)
        self.line = line


TYPE_SIZES: dict[str, int] = {"pred": 1, "f16x2": 4, "bf16x2": 4, "bf16": 2, "tf32": 4}
for _kind in "busf":
    for _bits in (8, 16, 32, 64, 128):
        TYPE_SIZES[f"{_kind}{_bits}"] = _bits // 8
for _packed in ("s16x2", "u16x2"):
    TYPE_SIZES[_packed] = 4

SPACES = frozenset(("global", "shared", "local", "const", "param", "reg"))


class Register(NamedTuple):
    """A declared register; names of inner scopes are unique already."""

    name: str


class Immediate(NamedTuple):
    """A literal: ``kind`` is "int" (value is the number) or "f32"/"f64" (value is the bits)."""

    kind: str
    value: int


class Identifier(NamedTuple):
    """The name of a variable, function, label or parameter, plus a byte offset."""

    name: str
    offset: int = 0


class SpecialRegister(NamedTuple):
    """A special register such as ``%tid.x`` (the name is without the percent sign)."""

    name: str


class Address(NamedTuple):
    """``[base+offset]``."""

    base: Register | Identifier | Immediate
    offset: int


class Vector(NamedTuple):
    """``{a, b, ...}``."""

    items: tuple


class Arguments(NamedTuple):
    """``(a, b, ...)`` of a call."""

    items: tuple


class NegatedPredicate(NamedTuple):
    """``!p``."""

    operand: Register


class Pair(NamedTuple):
    """``d|p``: two destinations."""

    first: Register | Discard
    second: Register | Discard


class Discard(NamedTuple):
    """``_``: a destination whose value is discarded."""


Operand = (
    Register
    | Immediate
    | Identifier
    | SpecialRegister
    | Address
    | Vector
    | Arguments
    | NegatedPredicate
    | Pair
    | Discard
)


class Opcode:
    """An opcode with its modifiers, split once and shared by the instructions that have it."""

    __slots__ = ("checked", "flags", "modifiers", "name", "text", "types", "width")

    def __init__(self, text: str):
        self.text = text
        self.name, *modifiers = text.split(".")
        self.modifiers = tuple(modifiers)
        #: Whether all of its words were found in the vocabulary.
        self.checked = False
        self.flags = frozenset(modifiers)
        self.types = tuple(m for m in modifiers if m in TYPE_SIZES)
        self.width = next((int(m[1:]) for m in modifiers if m in ("v2", "v4", "v8")), 1)

    def first_of(self, *choices: str) -> str | None:
        """The first modifier, in source order, that is one of ``choices``."""
        return next((m for m in self.modifiers if m in choices), None)


opcode = functools.cache(Opcode)


class Instruction:
    """One instruction with its guard predicate and its line in the source."""

    __slots__ = ("effects", "guard", "line", "name", "negated", "operands", "opcode")

    def __init__(
        self,
        opcode: Opcode,
        operands: tuple,
        line: int,
        guard: Register | None = None,
        negated: bool = False,
    ):
        self.opcode = opcode
        self.name = opcode.name
        self.operands = operands
        self.line = line
        self.guard = guard
        self.negated = negated
        #: Names of the registers that it writes and reads; computed on demand.
        self.effects: tuple[list[str], list[str]] | None = None

    def __repr__(self) -> str:
        guard = f"@{'!' * self.negated}{self.guard.name} " if self.guard else ""
        return f"{guard}{self.opcode.text} {self.operands}"


class CodeLabel(NamedTuple):
    """A label in a body."""

    name: str


class Variable:
    """A variable of any state space, or a formal parameter."""

    __slots__ = ("align", "count", "extern", "initial", "name", "space", "type")

    def __init__(
        self,
        name: str,
        space: str,
        type: str,
        align: int | None = None,
        count: int | None = None,
        initial: list[str] | None = None,
        extern: bool = False,
    ):
        self.name = name
        self.space = space
        self.type = type
        self.align = align or TYPE_SIZES[type]
        self.count = count
        self.initial = initial
        self.extern = extern

    @property
    def size(self) -> int:
        """Bytes; an array without a length has none."""
        return TYPE_SIZES[self.type] * (1 if self.count is None else self.count)


class PTXFunction:
    """A kernel or device function. ``body`` is filled by :func:`~.body.parse_body`."""

    __slots__ = (
        "attributes",
        "body",
        "is_kernel",
        "name",
        "parameters",
        "registers",
        "results",
        "tables",
        "variables",
    )

    def __init__(
        self,
        name: str,
        is_kernel: bool,
        results: list[Variable],
        parameters: list[Variable],
        attributes: list[str],
    ):
        self.name = name
        self.is_kernel = is_kernel
        self.results = results
        self.parameters = parameters
        self.attributes = attributes
        self.body: list[Instruction | CodeLabel] = []
        self.registers: dict[str, str] = {}
        self.variables: dict[str, Variable] = {}
        self.tables: dict[str, list[str]] = {}
