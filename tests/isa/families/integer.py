"""Integer arithmetic: "Integer Arithmetic", "Extended-Precision" and "SIMD Video" of the ISA."""

from __future__ import annotations

from itertools import product

from tests.isa.exact import lanewise
from tests.isa.rows import Row

_SIX = ("u16", "s16", "u32", "s32", "u64", "s64")
_WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}


def _width(type_: str) -> int:
    return int(type_[1:])


def _limits(type_: str) -> tuple[int, int]:
    half = 1 << _width(type_) - 1
    return (-half, half - 1) if type_[0] == "s" else (0, 2 * half - 1)


def _clamp(value: int, type_: str) -> int:
    low, high = _limits(type_)
    return min(max(value, low), high)


def _quotient(a: int, b: int) -> int:
    if not b:
        return -1  # the manual leaves this open; an H200 gives all ones, and as the remainder
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b) if b else -1


def _simple(rows: list[Row], name: str, type_: str, count: int, function, **more) -> None:
    rows.append(Row(name, (type_,), (type_,) * count, expected=lanewise(function, type_), **more))


def _basic() -> list[Row]:
    rows: list[Row] = []
    for t in _SIX:
        w = _width(t)
        _simple(rows, f"add.{t}", t, 2, lambda a, b: a + b)
        _simple(rows, f"sub.{t}", t, 2, lambda a, b: a - b)
        _simple(rows, f"mul.lo.{t}", t, 2, lambda a, b: a * b)
        _simple(rows, f"mul.hi.{t}", t, 2, lambda a, b, w=w: a * b >> w)
        _simple(rows, f"mad.lo.{t}", t, 3, lambda a, b, c: a * b + c)
        _simple(rows, f"mad.hi.{t}", t, 3, lambda a, b, c, w=w: (a * b >> w) + c)
        _simple(rows, f"div.{t}", t, 2, _quotient)
        _simple(rows, f"rem.{t}", t, 2, _remainder)
        _simple(rows, f"min.{t}", t, 2, min)
        _simple(rows, f"max.{t}", t, 2, max)
        _simple(rows, f"sad.{t}", t, 3, lambda a, b, c: abs(a - b) + c)
        if t in _WIDER:
            wide = _WIDER[t]
            function = lanewise(lambda a, b: a * b, wide)
            rows.append(Row(f"mul.wide.{t}", (wide,), (t, t), expected=function))
            function = lanewise(lambda a, b, c: a * b + c, wide)
            rows.append(Row(f"mad.wide.{t}", (wide,), (t, t, wide), expected=function))
        if t[0] == "s":
            _simple(rows, f"abs.{t}", t, 1, abs)
            _simple(rows, f"neg.{t}", t, 1, lambda a: -a)
    _simple(rows, "add.sat.s32", "s32", 2, lambda a, b: _clamp(a + b, "s32"))
    _simple(rows, "sub.sat.s32", "s32", 2, lambda a, b: _clamp(a - b, "s32"))
    _simple(rows, "mad.hi.sat.s32", "s32", 3, lambda a, b, c: _clamp((a * b >> 32) + c, "s32"))
    _simple(rows, "min.relu.s32", "s32", 2, lambda a, b: max(min(a, b), 0))
    _simple(rows, "max.relu.s32", "s32", 2, lambda a, b: max(a, b, 0))
    return rows


def _low24(type_: str, a: int) -> int:
    a &= 0xFFFFFF
    return a - (1 << 24) if type_ == "s32" and a >> 23 else a


def _short_products() -> list[Row]:
    rows: list[Row] = []
    for t in ("u32", "s32"):
        for half, shift in (("lo", 0), ("hi", 16)):

            def high(a, b, t=t, shift=shift):
                return _low24(t, a) * _low24(t, b) >> shift

            _simple(rows, f"mul24.{half}.{t}", t, 2, high)
            _simple(rows, f"mad24.{half}.{t}", t, 3, lambda a, b, c, f=high: f(a, b) + c)
    for ta, tb in product(("u32", "s32"), repeat=2):
        result = "s32" if "s32" in (ta, tb) else "u32"

        def part(x: int, t: str, k: int, width: int) -> int:
            x = x >> width * k & (1 << width) - 1
            return x - (1 << width) if t == "s32" and x >> width - 1 else x

        def dot4(a, b, c, ta=ta, tb=tb):
            return c + sum(part(a, ta, k, 8) * part(b, tb, k, 8) for k in range(4))

        types = (ta, tb, result)
        rows.append(Row(f"dp4a.{ta}.{tb}", (result,), types, expected=lanewise(dot4, result)))
        for half, first in (("lo", 0), ("hi", 2)):

            def dot2(a, b, c, ta=ta, tb=tb, first=first):
                return c + sum(part(a, ta, k, 16) * part(b, tb, first + k, 8) for k in range(2))

            name = f"dp2a.{half}.{ta}.{tb}"
            rows.append(Row(name, (result,), types, expected=lanewise(dot2, result)))
    return rows


def _packed() -> list[Row]:
    rows: list[Row] = []

    def in_pairs(function, signed: bool):
        def value(x: int) -> int:
            return x - 65536 if signed and x >> 15 else x

        def both(a, b):
            low = function(value(a & 0xFFFF), value(b & 0xFFFF)) & 0xFFFF
            return low | (function(value(a >> 16), value(b >> 16)) & 0xFFFF) << 16

        return both

    for t in ("u16x2", "s16x2"):
        signed = t[0] == "s"
        _simple(rows, f"add.{t}", t, 2, in_pairs(lambda a, b: a + b, signed))
        _simple(rows, f"min.{t}", t, 2, in_pairs(min, signed))
        _simple(rows, f"max.{t}", t, 2, in_pairs(max, signed))
    _simple(rows, "min.relu.s16x2", "s16x2", 2, in_pairs(lambda a, b: max(min(a, b), 0), True))
    _simple(rows, "max.relu.s16x2", "s16x2", 2, in_pairs(lambda a, b: max(a, b, 0), True))
    return rows


def _field(x: int, width: int) -> int:
    """The manual defines 0 to 255. Beyond, an H200 takes the low byte, or all of it for 64 bits."""
    return x & 255 if width == 32 else min(x, 255)


def _bits() -> list[Row]:
    rows: list[Row] = []
    for w in (32, 64):
        b = f"b{w}"
        rows.append(Row(f"popc.{b}", ("u32",), (b,), expected=lanewise(int.bit_count, "u32")))
        clz = lanewise(lambda a, w=w: w - a.bit_length(), "u32")
        rows.append(Row(f"clz.{b}", ("u32",), (b,), expected=clz))
        _simple(rows, f"brev.{b}", b, 1, lambda a, w=w: int(f"{a:0{w}b}"[::-1], 2))
        for t, after in product((f"u{w}", f"s{w}"), ("", "shiftamt.")):

            def find(a, w=w, after=after):
                found = (a if a >= 0 else ~a).bit_length() - 1
                return w - 1 - found if after and found >= 0 else found

            function = lanewise(find, "u32")
            rows.append(Row(f"bfind.{after}{t}", ("u32",), (t,), expected=function))
        for t in (f"u{w}", f"s{w}"):

            def field(a, start, length, t=t, w=w):
                start, length = _field(start, w), _field(length, w)
                sign = a >> min(start + length - 1, w - 1) & 1 if t[0] == "s" and length else 0
                a &= (1 << w) - 1
                kept = a >> start & (1 << length) - 1
                have = max(min(length, w - start), 0)
                return kept | (-sign << have)

            rows.append(
                Row(
                    f"bfe.{t}", (t,), (t, "u32", "u32"), generators=("any", "field", "field"),
                    expected=lanewise(field, t),
                )
            )  # fmt: skip

        def insert(a, into, start, length, w=w):
            start, length = _field(start, w), _field(length, w)
            mask = (1 << length) - 1 << start & (1 << w) - 1
            return into & ~mask | a << start & mask

        rows.append(
            Row(
                f"bfi.{b}", (b,), (b, b, "u32", "u32"), expected=lanewise(insert, b),
                generators=("any", "any", "field", "field"),
            )
        )  # fmt: skip
    rows.append(
        Row("fns.b32", ("b32",), ("b32", "b32", "s32"), expected=lanewise(_nth_set, "b32"),
            generators=("any", "lane", "offset"), mask=lambda a, b, c: b < 32)
    )  # fmt: skip
    for mode in ("clamp", "wrap"):

        def mask(start, length, mode=mode):
            if mode == "wrap":
                start, length = start & 31, length & 31
            return (1 << min(length, 32)) - 1 << min(start, 32)

        rows.append(
            Row(f"bmsk.{mode}.b32", ("b32",), ("u32", "u32"), generators=("width", "width"),
                expected=lanewise(mask, "b32"))
        )  # fmt: skip
        for t in ("u32", "s32"):

            def extend(a, length, mode=mode, t=t):
                length = length & 31 if mode == "wrap" else min(length, 32)
                kept = a & (1 << length) - 1
                negative = t == "s32" and length and kept >> length - 1
                return kept - (1 << length) if negative else kept

            rows.append(
                Row(f"szext.{mode}.{t}", (t,), (t, "u32"), generators=("any", "width"),
                    expected=lanewise(extend, t))
            )  # fmt: skip
    return rows


def _nth_set(mask: int, base: int, offset: int) -> int:
    """The manual's own listing of fns."""
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    position, left, step = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= position < 32:
        if mask >> position & 1:
            if left == 0:
                return position
            left -= 1
        position += step
    return 0xFFFFFFFF


def _carries() -> list[Row]:
    """Chains of two, so that the carry is made and used."""
    rows: list[Row] = []
    for w, signs in ((32, "us"), (64, "us")):
        for sign in signs:
            t = f"{sign}{w}"
            unsigned = f"u{w}"
            full = (1 << 2 * w) - 1
            for name, function in (("add", lambda x, y: x + y), ("sub", lambda x, y: x - y)):

                def chain(a, b, c, e, w=w, full=full, function=function):
                    total = function(a | b << w, c | e << w) & full
                    return total, total >> w

                rows.append(
                    Row(f"{name}.cc.{t} {name}c.{t}", (unsigned, unsigned), (unsigned,) * 4,
                        f"{name}.cc.{t} %d, %a, %c; {name}c.{t} %d1, %b, %e;",
                        expected=lanewise(chain, unsigned, unsigned))
                )  # fmt: skip

                def long_chain(a, b, c, e, w=w, function=function, name=name):
                    total = function(a | b << w | c << 2 * w, c | e << w | a << 2 * w)
                    total &= (1 << 3 * w) - 1
                    over = function(a | b << w | c << 2 * w, c | e << w | a << 2 * w) >> 3 * w
                    last = (over & 1) if name == "add" else -(over & 1)
                    return total, total >> w, total >> 2 * w, last

                zero = "0"
                rows.append(
                    Row(f"{name}c.cc.{t}", (unsigned,) * 4, (unsigned,) * 4,
                        f"{name}.cc.{t} %d, %a, %c; {name}c.cc.{t} %d1, %b, %e; "
                        f"{name}c.cc.{t} %d2, %c, %a; {name}c.{t} %d3, {zero}, {zero};",
                        expected=lanewise(long_chain, *(unsigned,) * 4))
                )  # fmt: skip

            def product_sum(a, b, c, e, w=w, sign=sign, full=full):
                def value(x):
                    return x - (1 << w) if sign == "s" and x >> w - 1 else x

                total = (value(a) * value(b) + (c | e << w)) & full
                return total, total >> w

            rows.append(
                Row(f"mad.lo.cc.{t} madc.hi.{t}", (unsigned, unsigned), (unsigned,) * 4,
                    f"mad.lo.cc.{t} %d, %a, %b, %c; madc.hi.{t} %d1, %a, %b, %e;",
                    expected=lanewise(product_sum, unsigned, unsigned))
            )  # fmt: skip

            def whole(a, b, c, e, w=w, sign=sign):
                # The unsigned product of a and b, added to c and e, with the last carry.
                total = a * b + (c | e << w)
                return total, total >> w, total >> 2 * w

            if sign == "u":
                rows.append(
                    Row(f"mad.lo.cc.{t} madc.hi.cc.{t}", (unsigned,) * 3, (unsigned,) * 4,
                        f"mad.lo.cc.{t} %d, %a, %b, %c; madc.hi.cc.{t} %d1, %a, %b, %e; "
                        f"addc.{t} %d2, 0, 0;", expected=lanewise(whole, *(unsigned,) * 3))
                )  # fmt: skip

            def high_first(a, b, c, e, w=w, sign=sign):
                def value(x):
                    return x - (1 << w) if sign == "s" and x >> w - 1 else x

                low_mask = (1 << w) - 1
                first = (value(a) * value(b) >> w & low_mask) + c
                second = (a * b & low_mask) + e + (first >> w)
                return first, second, second >> w

            rows.append(
                Row(f"mad.hi.cc.{t} madc.lo.cc.{t}", (unsigned,) * 3, (unsigned,) * 4,
                    f"mad.hi.cc.{t} %d, %a, %b, %c; madc.lo.cc.{t} %d1, %a, %b, %e; "
                    f"addc.{t} %d2, 0, 0;",
                    expected=lanewise(high_first, *(unsigned,) * 3))
            )  # fmt: skip
    return rows


def _video() -> list[Row]:
    """Packed bytes and halfwords, whole words only, as CUDA's headers use them."""
    rows: list[Row] = []
    functions = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "absdiff": lambda a, b: abs(a - b),
        "min": min, "max": max, "avrg": lambda a, b: a + b + (a + b >= 0) >> 1,  # halves away from zero
    }  # fmt: skip
    for (name, function), count in product(functions.items(), (2, 4)):
        width = 32 // count
        for signs in ("uuu", "sss", "uss", "ssu") if name in ("add", "sub") else ("uuu", "sss"):
            for extra in ("", "sat", "add"):
                if (extra == "sat" and name in ("min", "max", "avrg")) or (
                    name == "avrg" and extra
                ):
                    continue
                types = ".".join(f"{s}32" for s in signs)
                suffix = f".{extra}" if extra else ""
                reference = _video_reference(function, width, count, signs, extra)
                rows.append(
                    Row(f"v{name}{count}.{types}{suffix}", ("u32",), ("u32",) * 3,
                        expected=lanewise(reference, "u32"))
                )  # fmt: skip
    return rows


def _video_reference(function, width: int, count: int, signs: str, extra: str):
    full = (1 << width) - 1

    def part(x: int, sign: str, k: int) -> int:
        x = x >> width * k & full
        return x - full - 1 if sign == "s" and x >> width - 1 else x

    def result(a, b, c):
        values = [function(part(a, signs[1], k), part(b, signs[2], k)) for k in range(count)]
        if extra == "add":
            return sum(values) + c
        if extra == "sat":
            low, high = (-(full // 2) - 1, full // 2) if signs[0] == "s" else (0, full)
            values = [min(max(v, low), high) for v in values]
        return sum((v & full) << width * k for k, v in enumerate(values))

    return result


ROWS = [*_basic(), *_short_products(), *_packed(), *_bits(), *_carries(), *_video()]
