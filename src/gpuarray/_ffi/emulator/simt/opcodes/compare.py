"""Comparison and selection (PTX ISA, "Comparison and Selection Instructions")."""

from __future__ import annotations

import numpy as np

from ...ptx.syntax import Pair
from ..emitter import Emitter, UnsupportedForm
from ..registry import handles, runtime
from ..types import HALF_TYPES, code_of, stored, unsigned
from .half import base_format, flush_half, widen

nd = np.ndarray
u2, u4 = np.uint16, np.uint32
_ORDERED = {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_NEGATED = {"ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<"}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_COMBINE = {"and": "&", "or": "|", "xor": "^"}
_SYMBOLS = {**_ORDERED, "ne": "!="}


def float_comparison(comparison: str, x: str, y: str) -> str:
    """An expression that compares floats; x and y appear up to twice."""
    if comparison in _ORDERED:
        return f"({x}{_ORDERED[comparison]}{y})"
    if comparison == "neu":
        return f"({x}!={y})"
    if comparison in _NEGATED:
        return f"(~({x}{_NEGATED[comparison]}{y}))"
    if comparison == "ne":
        return f"(({x}<{y})|({x}>{y}))"
    if comparison == "equ":
        return f"(~(({x}<{y})|({x}>{y})))"
    if comparison == "nan":
        return f"(({x}!={x})|({y}!={y}))"
    if comparison == "num":
        return f"(({x}=={x})&({y}=={y}))"
    raise UnsupportedForm(f"comparison .{comparison}")


def _flushed(i, bits: str, format_: str) -> str:
    """A half operand, without subnormals where the instruction has .ftz."""
    return f"flush_half({bits},{format_!r})" if "ftz" in i.opcode.flags else bits


def _comparison(e: Emitter, i, type_: str, comparison: str, a, b) -> str:
    if type_ in ("f16", "bf16"):
        x, y = e.temporary(), e.temporary()
        for name, operand in ((x, a), (y, b)):
            e.line(f"{name}=widen({_flushed(i, e.value(operand, 'u2'), type_)},{type_!r})")
        return float_comparison(comparison, x, y)
    code = code_of(type_)
    if code[0] == "f":
        x, y = (e.value(o, code, raw=True) for o in (a, b))
        if "ftz" in i.opcode.flags and code == "f4":
            x, y = f"flush({x})", f"flush({y})"
        return float_comparison(comparison, x, y)
    if comparison in _UNSIGNED:
        code, comparison = unsigned(code), _UNSIGNED[comparison]
    elif comparison in ("eq", "ne"):
        code = code if code == "b1" else stored(code)
    if e.may_be_affine(a) or e.may_be_affine(b):
        x, y = (e.value(o, code, affine=True) for o in (a, b))
        return f"affine_compare({comparison!r},{x},{y},L)"
    x, y = (e.value(o, code) for o in (a, b))
    return f"({x}{_SYMBOLS[comparison]}{y})"


@handles("setp")
def set_predicate(e: Emitter, i) -> None:
    """setp.cmp.combine.type p|q, a, b, c: p = cmp op c, q = !cmp op c."""
    modifiers = i.opcode.modifiers
    comparison = modifiers[0]
    type_ = i.opcode.types[-1]
    combine = next((m for m in modifiers[1:] if m in _COMBINE), None)
    target = i.operands[0]
    if type_ in ("f16x2", "bf16x2"):
        _set_pair_predicates(e, i, comparison, type_, combine)
        return
    result = _comparison(e, i, type_, comparison, i.operands[1], i.operands[2])
    if type(target) is not Pair:
        if combine:
            result = f"({result}){_COMBINE[combine]}{e.value(i.operands[3], 'b1')}"
        e.assign(target, result, "b1")
        return
    compared = e.temporary()
    e.line(f"{compared}={result}")
    other = f"(~{compared})"
    if combine:
        third = e.temporary()
        e.line(f"{third}={e.value(i.operands[3], 'b1')}")
        compared = f"({compared}){_COMBINE[combine]}{third}"
        other = f"{other}{_COMBINE[combine]}{third}"
    e.assign(target.first, compared, "b1")
    e.assign(target.second, other, "b1")


def _set_pair_predicates(e: Emitter, i, comparison: str, type_: str, combine: str | None) -> None:
    format_, _ = base_format(type_)
    a, b = (e.value(o, "u4") for o in i.operands[1:3])
    x, y = e.temporary(), e.temporary()
    third = f"{_COMBINE[combine]}{e.value(i.operands[3], 'b1')}" if combine else ""
    pair = i.operands[0]
    e.line(f"{x},{y}={a},{b}")
    for target, shift in ((pair.first, 0), (pair.second, 16)):
        u, v = e.temporary(), e.temporary()
        for wide, name in ((u, x), (v, y)):
            bits = f"({name}>>{e.constant(shift, 'u4')}).astype(u2)"
            e.line(f"{wide}=widen({_flushed(i, bits, format_)},{format_!r})")
        e.assign(target, f"({float_comparison(comparison, u, v)}){third}", "b1")


@handles("set")
def set_value(e: Emitter, i) -> None:
    """set.cmp.dtype.stype: 1.0 for floats and all ones for integers where the comparison holds."""
    comparison = i.opcode.modifiers[0]
    result_type, type_ = i.opcode.types[0], i.opcode.types[-1]
    combine = next((m for m in i.opcode.modifiers[1:] if m in _COMBINE), None)
    if type_ in ("f16x2", "bf16x2"):
        format_, _ = base_format(type_)
        a, b = (e.value(o, "u4") for o in i.operands[1:3])
        as_float = result_type in HALF_TYPES
        arguments = f"({a},{b},),{format_!r},{comparison!r},{as_float},{'ftz' in i.opcode.flags}"
        e.assign(i.operands[0], f"in_pairs(half_set,{arguments})", "u4")
        return
    result = _comparison(e, i, type_, comparison, i.operands[1], i.operands[2])
    if combine:
        result = f"({result}){_COMBINE[combine]}{e.value(i.operands[3], 'b1')}"
    code = code_of(result_type)
    one = {"f16": 0x3C00, "bf16": 0x3F80}.get(result_type, 1.0 if code[0] == "f" else -1)
    e.assign(i.operands[0], f"select({result},{e.constant(one, code)},{e.constant(0, code)})", code)


@handles("selp")
def select_by_predicate(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    target = i.operands[0]
    code, raw = copy_code(e, target, code)
    a, b = (e.value(o, code, raw=raw) for o in i.operands[1:3])
    e.assign(target, f"select({e.value(i.operands[3], 'b1')},{a},{b})", code)


@handles("slct")
def select_by_sign(e: Emitter, i) -> None:
    types = i.opcode.types
    code = stored(code_of(types[0]))
    a, b = (e.value(o, code) for o in i.operands[1:3])
    chooser = e.value(i.operands[3], code_of(types[-1]))
    if "ftz" in i.opcode.flags:
        chooser = f"flush({chooser})"
    e.assign(i.operands[0], f"select({chooser}>=0,{a},{b})", code)


def copy_code(e: Emitter, target, code: str) -> tuple[str, bool]:
    """The code in which to copy values: floats stay floats, and keep pending NaNs pending."""
    kept = e.codes.get(getattr(target, "name", ""), "")
    if kept in ("f4", "f8") and kept[1] == code[1]:
        return kept, target.name in e.pending
    return (code if code in ("b1", "f4", "f8") else stored(code)), False


# ------------------------------------------------------------------ at run time


@runtime
def select(condition, a, b):
    if type(condition) is not nd:
        return a if condition else b
    return np.where(condition, a, b)


@runtime
def half_set(a, b, format_: str, comparison: str, as_float: bool, ftz: bool):
    if ftz:
        a, b = flush_half(a, format_), flush_half(b, format_)
    x, y = widen(a, format_), widen(b, format_)
    unordered = np.isnan(x) | np.isnan(y)
    if comparison in ("nan", "num"):
        result = unordered if comparison == "nan" else ~unordered
    else:
        base = comparison[:2]
        result = {
            "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
            "gt": np.greater, "ge": np.greater_equal,
        }[base](x, y)  # fmt: skip
        result = result | unordered if comparison.endswith("u") else result & ~unordered
    one = (0x3C00 if format_ == "f16" else 0x3F80) if as_float else 0xFFFF
    return np.where(result, u2(one), u2(0))[()]
