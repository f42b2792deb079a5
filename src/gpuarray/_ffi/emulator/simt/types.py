"""How PTX types are stored in NumPy arrays.

A *code* is NumPy's short name of a dtype ("i4"). Registers of 32 and 64 bits are stored signed,
since most indices are signed and integer addition is the same for both; those of 16 and 8 bits
are unsigned. A float register is stored as floats; its bits are read through views.
"""

from __future__ import annotations

import numpy as np

CODES: dict[str, str] = {
    "pred": "b1", "b8": "u1", "u8": "u1", "s8": "i1", "b16": "u2", "u16": "u2", "s16": "i2",
    "b32": "i4", "u32": "u4", "s32": "i4", "b64": "i8", "u64": "u8", "s64": "i8",
    "f16": "u2", "bf16": "u2", "f16x2": "i4", "bf16x2": "i4", "s16x2": "i4", "u16x2": "i4",
    "f32": "f4", "tf32": "i4", "f64": "f8",
}  # fmt: skip

SIZES: dict[str, int] = {
    "b1": 1, "i1": 1, "u1": 1, "i2": 2, "u2": 2, "f2": 2, "i4": 4, "u4": 4, "f4": 4, "i8": 8,
    "u8": 8, "f8": 8,
}  # fmt: skip

#: The NumPy scalar types, under the names that generated code uses for them.
SCALARS: dict[str, type] = {code: np.dtype("?" if code == "b1" else code).type for code in SIZES}

_STORED = {"u4": "i4", "u8": "i8", "i2": "u2", "i1": "u1"}
UNSIGNED = {"i1": "u1", "i2": "u2", "i4": "u4", "i8": "u8"}
SIGNED = {"u1": "i1", "u2": "i2", "u4": "i4", "u8": "i8"}
WIDER = {"i1": "i2", "u1": "u2", "i2": "i4", "u2": "u4", "i4": "i8", "u4": "u8"}

HALF_TYPES = frozenset(("f16", "bf16", "f16x2", "bf16x2"))


def stored(code: str) -> str:
    """The code that registers use for values of this width."""
    return _STORED.get(code, code)


def code_of(type_: str) -> str:
    """The code that interprets a value of a PTX type."""
    return CODES[type_]


def unsigned(code: str) -> str:
    return UNSIGNED.get(code, code)


def signed(code: str) -> str:
    return SIGNED.get(code, code)
