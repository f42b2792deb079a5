"""Integer instructions against Python's integers."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

TYPES = {"s16": "i2", "u16": "u2", "s32": "i4", "u32": "u4", "s64": "i8", "u64": "u8"}


def operands(dtype, n=400, seed=0):
    random = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    a, b = (random.integers(info.min, info.max, n, dtype, endpoint=True) for _ in range(2))
    b[::3] %= 23
    edges = np.array([info.min, info.max, 0, 1, info.max - 1, info.min + 1], dtype)
    a[:36], b[:36] = np.repeat(edges, 6), np.tile(edges, 6)
    return a, b


def wrap(values, dtype):
    bits = 8 * np.dtype(dtype).itemsize
    unsigned = [int(v) & ((1 << bits) - 1) for v in values]
    return np.array(unsigned, f"u{bits // 8}").view(dtype)


def truncated(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul.lo": lambda a, b: a * b,
    "min": min,
    "max": max,
    "div": lambda a, b: truncated(a, b) if b else -1,
    "rem": lambda a, b: a - b * truncated(a, b) if b else -1,  # as an H200 does
}


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("operation", BINARY)
def test_binary(evaluate, operation, type_):
    dtype = TYPES[type_]
    a, b = operands(dtype)
    result = evaluate(f"{operation}.{type_} %d, %a, %b;", dtype, a, b)
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    expected = wrap([BINARY[operation](x, y) for x, y in pairs], dtype)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("type_", TYPES)
def test_high_and_wide_products(evaluate, type_):
    dtype = TYPES[type_]
    bits = 8 * np.dtype(dtype).itemsize
    a, b = operands(dtype)
    products = [x * y for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    result = evaluate(f"mul.hi.{type_} %d, %a, %b;", dtype, a, b)
    np.testing.assert_array_equal(result, wrap([p >> bits for p in products], dtype))
    result = evaluate(f"mad.lo.{type_} %d, %a, %b, %a;", dtype, a, b)
    sums = [p + x for p, x in zip(products, a.tolist(), strict=True)]
    np.testing.assert_array_equal(result, wrap(sums, dtype))
    if bits < 64:
        wide = f"{dtype[0]}{bits // 4}"
        result = evaluate(f"mul.wide.{type_} %d, %a, %b;", wide, a, b)
        np.testing.assert_array_equal(result, wrap(products, wide))


@pytest.mark.parametrize("type_", ["s16", "s32", "s64"])
def test_negation_and_magnitude(evaluate, type_):
    dtype = TYPES[type_]
    a, _ = operands(dtype)
    for operation, function in (("neg", lambda x: -x), ("abs", abs)):
        result = evaluate(f"{operation}.{type_} %d, %a;", dtype, a)
        np.testing.assert_array_equal(result, wrap(map(function, a.tolist()), dtype))


def test_saturating_sums(evaluate):
    a, b = operands("i4")
    result = evaluate("add.sat.s32 %d, %a, %b;", "i4", a, b)
    expected = np.clip(a.astype("i8") + b, -(2**31), 2**31 - 1)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("bits", [32, 64])
def test_carries_chain(evaluate, bits):
    """A sum, a difference and a product of twice the width, by their halves."""
    dtype = f"u{bits // 8}"
    a, b = operands(dtype)
    c, d = operands(dtype, seed=1)
    t = f".u{bits}"
    register = "t" if bits == 32 else "w"
    low, high = f"%{register}3", "%d"
    mask = (1 << bits) - 1
    for operation, function in (("add", lambda x, y: x + y), ("sub", lambda x, y: x - y)):
        code = f"{operation}.cc{t} {low}, %a, %b; {operation}c{t} {high}, %c, %e;"
        code = code.replace("%e", "%c")
        result = evaluate(code, dtype, a, b, c)
        expected = []
        for x, y, z in zip(a.tolist(), b.tolist(), c.tolist(), strict=True):
            expected.append(function(x | z << bits, y | z << bits) >> bits & mask)
        np.testing.assert_array_equal(result, np.array(expected, dtype))
    code = f"mad.lo.cc{t} {low}, %a, %b, %c; madc.hi{t} {high}, %a, %b, %c;"
    result = evaluate(code, dtype, a, b, d)
    expected = [
        (x * y + z + (z << bits)) >> bits & mask
        for x, y, z in zip(a.tolist(), b.tolist(), d.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(result, np.array(expected, dtype))


@pytest.mark.parametrize("bits", [32, 64])
def test_counting_bits(evaluate, bits):
    dtype = f"u{bits // 8}"
    a, _ = operands(dtype)
    a[40:104] = [1 << (k % bits) for k in range(64)]
    values = a.tolist()
    cases = {
        f"popc.b{bits}": [x.bit_count() for x in values],
        f"clz.b{bits}": [bits - x.bit_length() for x in values],
        f"bfind.u{bits}": [x.bit_length() - 1 for x in values],
        f"bfind.shiftamt.u{bits}": [bits - x.bit_length() if x else -1 for x in values],
        f"bfind.s{bits}": [
            (x if x < 1 << bits - 1 else ~x & (1 << bits) - 1).bit_length() - 1 for x in values
        ],
    }
    for operation, expected in cases.items():
        result = evaluate(f"{operation} %d, %a;", "u4", a)
        np.testing.assert_array_equal(result, wrap(expected, "u4"), operation)
    result = evaluate(f"brev.b{bits} %d, %a;", dtype, a)
    expected = [int(f"{x:0{bits}b}"[::-1], 2) for x in values]
    np.testing.assert_array_equal(result, np.array(expected, dtype))


@pytest.mark.parametrize("bits", [32, 64])
def test_bit_fields(evaluate, bits):
    dtype = f"u{bits // 8}"
    a, b = operands(dtype, 600)
    random = np.random.default_rng(3)
    start = random.integers(0, 80, 600).astype("u4")
    length = random.integers(0, 80, 600).astype("u4")
    length[:50] = 0
    rows = list(zip(*(v.tolist() for v in (a, b, start, length)), strict=True))

    def bit(x, k):
        return x >> k & 1

    def extract(x, p, n, signed):
        fill = bit(x, min(p + n - 1, bits - 1)) if signed and n else 0
        return sum((bit(x, p + k) if k < n and p + k < bits else fill) << k for k in range(bits))

    for sign in "us":
        result = evaluate(f"bfe.{sign}{bits} %d, %a, %b, %c;", dtype, a, start, length)
        expected = [extract(x, p, n, sign == "s") for x, _, p, n in rows]
        np.testing.assert_array_equal(result, np.array(expected, dtype), sign)

    def insert(x, y, p, n):
        for k in range(n):
            if p + k < bits:
                y = y & ~(1 << p + k) | bit(x, k) << p + k if k < bits else y
        return y

    result = evaluate(f"bfi.b{bits} %d, %a, %b, %c, %e;".replace("%e", "40"), dtype, a, b, start)
    expected = [insert(x, y, p, 40) for x, y, p, _ in rows]
    np.testing.assert_array_equal(result, np.array(expected, dtype))


def test_shifts_beyond_the_width(evaluate):
    a, _ = operands("i4")
    amount = np.resize(np.array([0, 1, 31, 32, 33, 255, 2**31], "u4"), 400)
    rows = list(zip(a.tolist(), amount.tolist(), strict=True))
    for code, function in (
        ("shl.b32", lambda x, k: x << k if k < 32 else 0),
        ("shr.s32", lambda x, k: x >> min(k, 31)),
        ("shr.u32", lambda x, k: (x & 2**32 - 1) >> k if k < 32 else 0),
    ):
        result = evaluate(f"{code} %d, %a, %b;", "i4", a, amount)
        np.testing.assert_array_equal(result, wrap([function(*r) for r in rows], "i4"), code)
    for mode, amount_of in (("wrap", lambda k: k & 31), ("clamp", lambda k: min(k, 32))):
        b = a[::-1].copy()
        pairs = [((y & 2**32 - 1) << 32) | (x & 2**32 - 1) for x, y in zip(a.tolist(), b.tolist())]
        left = evaluate(f"shf.l.{mode}.b32 %d, %a, %b, %c;", "u4", a, b, amount)
        expected = [(p << amount_of(k)) >> 32 for p, (_, k) in zip(pairs, rows)]
        np.testing.assert_array_equal(left, wrap(expected, "u4"))
        right = evaluate(f"shf.r.{mode}.b32 %d, %a, %b, %c;", "u4", a, b, amount)
        expected = [p >> amount_of(k) for p, (_, k) in zip(pairs, rows)]
        np.testing.assert_array_equal(right, wrap(expected, "u4"))


def test_logic_of_three_inputs(evaluate):
    a, b = operands("u4")
    c = np.roll(a, 17)
    for table in (0x96, 0xE8, 0xCA, 0x00, 0xFF, 0x1B):
        result = evaluate(f"lop3.b32 %d, %a, %b, %c, {table};", "u4", a, b, c)
        expected = []
        for x, y, z in zip(a.tolist(), b.tolist(), c.tolist()):
            rows = [(x >> k & 1) * 4 + (y >> k & 1) * 2 + (z >> k & 1) for k in range(32)]
            expected.append(sum((table >> row & 1) << k for k, row in enumerate(rows)))
        np.testing.assert_array_equal(result, np.array(expected, "u4"))


def test_byte_permutation(evaluate):
    a, b = operands("u4")
    selector = np.random.default_rng(5).integers(0, 2**16, 400).astype("u4")

    def permuted(x, y, s):
        data = x | y << 32
        out = 0
        for k in range(4):
            choice = s >> 4 * k & 15
            byte = data >> 8 * (choice & 7) & 255
            if choice & 8:
                byte = 255 if byte & 128 else 0
            out |= byte << 8 * k
        return out

    rows = zip(a.tolist(), b.tolist(), selector.tolist(), strict=True)
    result = evaluate("prmt.b32 %d, %a, %b, %c;", "u4", a, b, selector)
    np.testing.assert_array_equal(result, np.array([permuted(*r) for r in rows], "u4"))
    result = evaluate("prmt.b32 %d, %a, %b, 0x3175;", "u4", a, b)
    expected = [permuted(x, y, 0x3175) for x, y in zip(a.tolist(), b.tolist())]
    np.testing.assert_array_equal(result, np.array(expected, "u4"))


@pytest.mark.parametrize("left", ["s32", "u32"])
@pytest.mark.parametrize("right", ["s32", "u32"])
def test_dot_products_of_bytes(evaluate, left, right):
    a, b = operands("u4")
    kind = {"s32": np.int8, "u32": np.uint8}
    signed = "s32" in (left, right)
    c = a[::-1].copy().view("i4" if signed else "u4")
    result = evaluate(f"dp4a.{left}.{right} %d, %a, %b, %c;", c.dtype, a, b, c)
    x = a.view(kind[left]).reshape(-1, 4).astype(int)
    y = b.view(kind[right]).reshape(-1, 4).astype(int)
    expected = wrap((x * y).sum(1) + c.astype(object), c.dtype)
    np.testing.assert_array_equal(result, expected)
    halves = a.view({"s32": "i2", "u32": "u2"}[left]).reshape(-1, 2).astype(int)
    result = evaluate(f"dp2a.hi.{left}.{right} %d, %a, %b, %c;", c.dtype, a, b, c)
    expected = wrap((halves * y[:, 2:]).sum(1) + c.astype(object), c.dtype)
    np.testing.assert_array_equal(result, expected)


def test_finding_the_nth_set_bit(evaluate):
    a, _ = operands("u4", 320)
    base = np.arange(320, dtype="u4") % 32
    offset = (np.arange(320) % 9 - 4).astype("i4")

    def fns(mask, at, n):
        if n == 0:
            return at if mask >> at & 1 else -1
        places = range(at, 32) if n > 0 else range(at, -1, -1)
        found = [k for k in places if mask >> k & 1]
        return found[abs(n) - 1] if len(found) >= abs(n) else -1

    result = evaluate("fns.b32 %d, %a, %b, %c;", "u4", a, base, offset)
    expected = [fns(*r) for r in zip(a.tolist(), base.tolist(), offset.tolist())]
    np.testing.assert_array_equal(result, wrap(expected, "u4"))


def test_comparisons_know_signs(evaluate):
    a, b = operands("i4")
    for how, function in (
        ("lt.s32", np.less), ("le.s32", np.less_equal), ("eq.s32", np.equal),
        ("ne.b32", np.not_equal), ("gt.s32", np.greater),
    ):  # fmt: skip
        code = f"setp.{how} %p1, %a, %b; selp.b32 %d, 1, 0, %p1;"
        np.testing.assert_array_equal(evaluate(code, "i4", a, b), function(a, b), how)
    for how, function in (("lo.u32", np.less), ("hs.u32", np.greater_equal)):
        code = f"setp.{how} %p1, %a, %b; selp.b32 %d, 1, 0, %p1;"
        x, y = a.view("u4"), b.view("u4")
        np.testing.assert_array_equal(evaluate(code, "i4", a, b), function(x, y), how)


def test_predicates_combine(evaluate):
    a, b = operands("i4")
    code = (
        "setp.lt.s32 %p1, %a, 0; setp.gt.and.s32 %p2|%p3, %b, 5, %p1;"
        "selp.b32 %t5, 1, 0, %p2; selp.b32 %t6, 2, 0, %p3; or.b32 %d, %t5, %t6;"
    )
    expected = ((b > 5) & (a < 0)) + 2 * (~(b > 5) & (a < 0))
    np.testing.assert_array_equal(evaluate(code, "i4", a, b), expected)
    code = "set.lt.u32.s32 %d, %a, %b;"
    np.testing.assert_array_equal(evaluate(code, "u4", a, b), np.where(a < b, 2**32 - 1, 0))
    code = "slct.s32.s32 %d, %a, %b, %c;"
    c = np.roll(a, 3)
    np.testing.assert_array_equal(evaluate(code, "i4", a, b, c), np.where(c >= 0, a, b))


def test_guarded_instructions(evaluate):
    a, b = operands("i4")
    code = "setp.lt.s32 %p1, %a, %b; mov.u32 %d, 7; @%p1 add.s32 %d, %a, 1; @!%p1 mov.u32 %d, %b;"
    np.testing.assert_array_equal(evaluate(code, "i4", a, b), np.where(a < b, a + 1, b))


def test_packed_shorts(evaluate):
    a, b = operands("u4")
    x, y = a.view("i2"), b.view("i2")
    result = evaluate("max.s16x2 %d, %a, %b;", "u4", a, b).view("i2")
    np.testing.assert_array_equal(result, np.maximum(x, y))
    result = evaluate("min.u16x2 %d, %a, %b;", "u4", a, b).view("u2")
    np.testing.assert_array_equal(result, np.minimum(a.view("u2"), b.view("u2")))
    result = evaluate("add.u16x2 %d, %a, %b;", "u4", a, b).view("u2")
    np.testing.assert_array_equal(result, a.view("u2") + b.view("u2"))


def test_video_instructions(build):
    source = "".join(
        f'extern "C" __global__ void k_{name}(const unsigned* a, const unsigned* b, unsigned* o)'
        f"{{int i = threadIdx.x; o[i] = {name}(a[i], b[i]);}}\n"
        for name in ("__vadd4", "__vsub4", "__vabsdiffu4", "__vmaxs2", "__vavgu4")
    )
    module = build(source)
    a, b = operands("u4", 256)
    u, v = a.view("u1").astype(int), b.view("u1").astype(int)
    expected = {
        "__vadd4": (u + v).astype("u1").view("u4"),
        "__vsub4": (u - v).astype("u1").view("u4"),
        "__vabsdiffu4": abs(u - v).astype("u1").view("u4"),
        "__vavgu4": ((u + v + 1) >> 1).astype("u1").view("u4"),
        "__vmaxs2": np.maximum(a.view("i2"), b.view("i2")).view("u4"),
    }
    for name, right in expected.items():
        out = np.zeros(256, "u4")
        module.run(f"k_{name}", 1, 256, a, b, out)
        np.testing.assert_array_equal(out, right, name)
