"""Functions that are neither ufuncs nor reductions: padding, insertion, coordinates, polynomials."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.fuzz.case import Case
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.values import COMPLEX, DTYPES, FLOATS, INTEGERS

NUMBERS = INTEGERS + FLOATS + COMPLEX
#: Ufuncs whose results depend on the order in which elements are combined, and some that do not.
REDUCED = [
    "add", "subtract", "multiply", "maximum", "fmin", "bitwise_xor", "logical_or", "divide", "hypot",
    "remainder", "arctan2", "copysign", "gcd", "left_shift", "floor_divide", "equal", "greater",
]  # fmt: skip


class Subject(NamedTuple):
    """What a call's text is made of."""

    draw: Draw
    make: CaseMaker
    name: str
    shape: tuple[int, ...]
    axis: int
    dtype: str
    layout: str

    @property
    def size(self) -> int:
        """The number of elements."""
        size = 1
        for n in self.shape:
            size *= n
        return size

    @property
    def length(self) -> int:
        """Along the axis."""
        return self.shape[self.axis] if self.shape else 1

    def array(self, shape: tuple[int, ...], dtype: str = "", kind: str = "small") -> str:
        """Another operand."""
        return self.make.array(shape, dtype or self.dtype, self.draw.pick(LAYOUTS), kind)

    def numbers(self, low: int, high: int, count: int) -> list[int]:
        """Integers of a range."""
        return [self.draw.below(low, high) for _ in range(count)]

    def indices(self, length: int, count: int) -> list[int]:
        """Indices along an axis, from either end."""
        return self.numbers(-length, length, count) if length else []


def _pad(s: Subject) -> str:
    mode = s.draw.pick(
        ["constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect",
         "symmetric", "wrap", "empty"]
    )  # fmt: skip
    pairs = [(s.draw.below(5), s.draw.below(5)) for _ in s.shape]
    width = s.draw.pick([repr(pairs), repr(s.draw.below(6)), f"({s.draw.below(4)}, 2)"])
    options = ""
    if mode == "constant" and s.draw.chance(0.5):
        options = f", constant_values={s.draw.pick(['3', '(1, 2)', '-1'])}"
    if mode == "linear_ramp" and s.draw.chance(0.5):
        options = f", end_values={s.draw.pick(['3', '(1, 2)', '-1'])}"
    if mode in ("maximum", "mean", "median", "minimum") and s.draw.chance(0.5):
        options = f", stat_length={s.draw.pick(['1', '2', '(1, 3)', 'None'])}"
    if mode in ("reflect", "symmetric") and s.draw.chance(0.5):
        options = ", reflect_type='odd'"
    call = f"xp.pad({s.name}, {width}, mode={mode!r}{options})"
    return f"{call}.shape" if mode == "empty" else call


def _insert(s: Subject) -> str:
    length = s.length if s.draw.chance(0.7) else s.size
    axis = f", axis={s.axis}" if length == s.length and s.shape else ""
    if not axis:
        length = s.size
    where = s.draw.pick([
        repr(s.draw.below(-length - 1, length + 2)),
        repr(s.numbers(-length, length + 1, s.draw.below(0, 4))),
        "slice(1, 4, 2)",
        "slice(None, None, -1)",
    ])  # fmt: skip
    return f"xp.insert({s.name}, {where}, {s.draw.pick(['7', '[5]', '-1.5', 'True'])}{axis})"


def _delete(s: Subject) -> str:
    axis = f", axis={s.axis}" if s.shape and s.draw.chance(0.7) else ""
    length = s.length if axis else s.size
    where = s.draw.pick([
        repr(s.draw.below(-length - 1, length + 1)),
        repr(s.indices(length, s.draw.below(0, 5))),
        "slice(1, 4, 2)",
        "slice(None, None, -2)",
        repr([s.draw.chance(0.5) for _ in range(length)]) if length < 60 else "0",
    ])  # fmt: skip
    return f"xp.delete({s.name}, {where}{axis})"


def _append(s: Subject) -> str:
    if s.draw.chance(0.5):
        return f"xp.append({s.name}, {s.array(s.draw.shape(s.draw.ndim()))})"
    return f"xp.append({s.name}, {s.array(s.shape)}, axis={s.axis})"


def _take(s: Subject) -> str:
    mode = s.draw.pick(["raise", "wrap", "clip"])
    axis = f"axis={s.axis}" if s.shape and s.draw.chance(0.7) else "axis=None"
    length = s.size if axis == "axis=None" else s.length
    reach = length + (5 if mode != "raise" else 0)
    many = s.numbers(-reach, reach, s.draw.below(0, 9)) if reach else []
    indices = s.draw.pick([repr(many), repr([many, many]), repr(many[0] if many else 0)])
    return f"xp.take({s.name}, xp.asarray({indices}, dtype=int), {axis}, mode={mode!r})"


def _put(s: Subject) -> str:
    # Distinct indices: which of two values stays is not determined.
    count = s.draw.below(0, min(s.size, 6) + 1)
    at = s.draw.sample(range(s.size), count) if s.size else []
    values = s.draw.pick(["7", "[1, 2]", "[3, 1, 4, 1, 5, 9, 2]"])
    s.make.program.append(f"xp.put({s.name}, xp.asarray({at}, dtype=int), {values})")
    return s.name


def _masked(function: str) -> Callable[[Subject], str]:
    def call(s: Subject) -> str:
        mask = s.array(s.shape, "?")
        values = s.draw.pick(["[7]", "[1, 2]", "[3, 1, 4, 1, 5]"])
        s.make.program.append(f"xp.{function}({s.name}, {mask}, {values})")
        return s.name

    return call


def _choose(s: Subject) -> str:
    choices = [s.array(s.draw.pick([s.shape, s.shape[-1:], ()])) for _ in range(s.draw.below(1, 5))]
    mode = s.draw.pick(["wrap", "clip"])
    index = s.make.array(s.shape, s.draw.pick(["i4", "u1", "i8"]), s.layout, "small")
    return f"xp.choose({index}, [{', '.join(choices)}], mode={mode!r})"


def _select(s: Subject) -> str:
    count = s.draw.below(1, 4)
    masks = [s.array(s.draw.pick([s.shape, s.shape[-1:]]), "?") for _ in range(count)]
    choices = [s.name, *(s.array(s.shape, s.draw.pick(DTYPES)) for _ in range(count - 1))]
    default = s.draw.pick(["", ", 3", ", 0.5"])
    return f"xp.select([{', '.join(masks)}], [{', '.join(choices)}]{default})"


def _fill_diagonal(s: Subject) -> str:
    wrap = s.draw.pick(["", ", wrap=True"])
    s.make.program.append(f"xp.fill_diagonal({s.name}, {s.draw.pick(['7', '[1, 2]'])}{wrap})")
    return s.name


def _coordinates(s: Subject) -> str:
    dims = tuple(s.draw.below(1, 9) for _ in range(s.draw.below(1, 4)))
    size = 1
    for n in dims:
        size *= n
    order = s.draw.pick(["'C'", "'F'"])
    if s.draw.chance(0.5):
        at = s.numbers(0, size, s.draw.below(0, 9))
        # NumPy's are columns of one array, with its strides.
        made = f"xp.unravel_index(xp.asarray({at}, dtype=int), {dims}, {order})"
        return f"tuple(x + 0 for x in {made})"
    mode = s.draw.pick(["raise", "wrap", "clip"])
    more = 3 if mode != "raise" else 0
    many = s.draw.below(0, 9)
    at = ", ".join(f"xp.asarray({s.numbers(-more, n + more, many)}, dtype=int)" for n in dims)
    return f"xp.ravel_multi_index(({at},), {dims}, mode={mode!r}, order={order})"


def _triangle(s: Subject) -> str:
    k = s.draw.below(-4, 5)
    n, m = s.draw.below(0, 9), s.draw.below(0, 9)
    return s.draw.pick([
        f"xp.tril({s.name}, {k})", f"xp.triu({s.name}, {k})", f"xp.diagflat({s.name}, {k})",
        f"xp.tri({n}, {m}, {k}, dtype={s.dtype!r})", f"xp.tril_indices({n}, {k}, {m})",
        f"xp.triu_indices({n}, {k}, {m})", f"xp.eye({n}, {m}, {k}, dtype={s.dtype!r})",
    ])  # fmt: skip


def _grid(s: Subject) -> str:
    options = "".join(s.draw.pick(["", f", {x}"]) for x in ("indexing='ij'", "sparse=True"))
    others = [s.array(s.draw.shape(1), s.draw.pick(DTYPES)) for _ in range(s.draw.below(0, 3))]
    return f"xp.meshgrid({', '.join([s.array(s.draw.shape(1)), *others])}{options})"


def _bits(s: Subject) -> str:
    order = s.draw.pick(["", ", bitorder='little'"])
    axis = f", axis={s.axis}" if s.shape and s.draw.chance(0.7) else ""
    # Of no bytes NumPy's bits are undefined.
    if not s.size or s.draw.chance(0.5):
        return f"xp.packbits({s.array(s.shape, s.draw.pick(['?', 'u1', 'i4']))}{axis}{order})"
    count = s.draw.pick(["", ", count=5", ", count=-3"])
    return f"xp.unpackbits({s.array(s.shape, 'u1')}{axis}{count}{order})"


def _reduced(s: Subject) -> str:
    ufunc = f"xp.{s.draw.pick(REDUCED)}"
    form = s.draw.below(4)
    if form == 0:
        starts = s.numbers(0, max(s.length, 1), s.draw.below(1, 6))
        return f"{ufunc}.reduceat({s.name}, {starts}, axis={s.axis})"
    if form == 1:
        return f"{ufunc}.accumulate({s.name}, axis={s.axis})"
    if form == 2:
        return f"{ufunc}.reduce({s.name}, axis={s.axis}{s.draw.pick(['', ', keepdims=True'])})"
    at = s.indices(s.shape[0] if s.shape else 0, s.draw.below(0, 9))
    s.make.program.append(f"{ufunc}.at({s.name}, xp.asarray({at}, dtype=int), {s.draw.below(3)})")
    return s.name


def _along(s: Subject) -> str:
    function = s.draw.pick(["x.sum()", "x[::-1]", "x[:2] * 2", "xp.cumsum(x)"])
    return f"xp.apply_along_axis(lambda x: {function}, {s.axis}, {s.name})"


def _products(s: Subject) -> str:
    second = s.array(s.draw.shape(s.draw.ndim()))
    n = s.draw.pick([2, 3, 3])
    return s.draw.pick([
        f"xp.outer({s.name}, {second})", f"xp.kron({s.name}, {second})",
        f"xp.cross({s.array((4, 3))}, {s.array((s.draw.pick([1, 4]), 3))})",
        f"xp.cross({s.array((n, 5))}, {s.array((n, 5))}, axis=0)",
        f"xp.trace({s.name}, {s.draw.below(-3, 4)})",
    ])  # fmt: skip


def _coefficients(s: Subject) -> str:
    first, second = s.array((s.draw.below(1, 7),)), s.array((s.draw.below(1, 5),))
    return s.draw.pick([
        f"xp.polyadd({first}, {second})", f"xp.polysub({first}, {second})",
        f"xp.polymul({first}, {second})", f"xp.polyder({first}, {s.draw.below(0, 3)})",
        f"xp.polyint({first})", f"xp.polyval({first}, {s.name})",
        f"xp.vander({first}, {s.draw.below(0, 6)})",
        f"xp.polynomial.polynomial.polyval({s.name}, {first})",
        f"xp.polynomial.chebyshev.chebval({s.name}, {first})",
    ])  # fmt: skip


def _elements(s: Subject) -> str:
    return s.draw.pick([
        f"xp.nan_to_num({s.name})", f"xp.nan_to_num({s.name}, nan=2, posinf=7, neginf=-7)",
        f"xp.iscomplex({s.name})", f"xp.isreal({s.name})", f"xp.isposinf({s.name})",
        f"xp.isneginf({s.name})", f"xp.fix({s.name})", f"xp.trim_zeros({s.name})",
        f"xp.ediff1d({s.name}, to_end=[1, 2])", f"xp.resize({s.name}, {s.draw.pick([5, (2, 7)])})",
        f"xp.unstack({s.name}, axis={s.axis})", f"xp.isfortran({s.name})",
        f"xp.compress({[s.draw.chance(0.5) for _ in range(min(s.length, 9))]}, {s.name}, {s.axis})",
        f"xp.extract({s.name} > 0, {s.name})", f"xp.block([[{s.name}, {s.name}]])",
        f"xp.lib.stride_tricks.sliding_window_view({s.name}, 2, axis={s.axis})",
        f"tuple({s.name}.flat[{s.draw.pick(['::2', '1:4', '[0, 0]'])}].tolist())",
    ])  # fmt: skip


#: By name: what makes the text, the dtypes, the least dimensions, and whether memory is written.
FUNCTIONS: dict[str, tuple[Callable[[Subject], str], list[str], int, bool]] = {
    "pad": (_pad, DTYPES, 0, False),
    "insert": (_insert, DTYPES, 0, False),
    "delete": (_delete, DTYPES, 0, False),
    "append": (_append, DTYPES, 0, False),
    "take": (_take, DTYPES, 0, False),
    "put": (_put, DTYPES, 0, True),
    "place": (_masked("place"), DTYPES, 0, True),
    "putmask": (_masked("putmask"), DTYPES, 0, True),
    "choose": (_choose, DTYPES, 0, False),
    "select": (_select, DTYPES, 0, False),
    "fill_diagonal": (_fill_diagonal, DTYPES, 2, True),
    "coordinates": (_coordinates, ["i8"], 1, False),
    "triangles": (_triangle, DTYPES, 1, False),
    "meshgrid": (_grid, DTYPES, 1, False),
    "bits": (_bits, ["u1"], 0, False),
    "methods of ufuncs": (_reduced, DTYPES, 0, True),
    "apply_along_axis": (_along, INTEGERS, 1, False),
    "products": (_products, NUMBERS, 0, False),
    "polynomials": (_coefficients, NUMBERS, 0, False),
    "elements": (_elements, DTYPES, 0, False),
}


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """A function with dtypes and layouts."""
    function = draw.pick(list(FUNCTIONS))
    text, dtypes, least, written = FUNCTIONS[function]
    dtype, layout = draw.pick(dtypes), draw.pick(LAYOUTS)
    kind = draw.pick(["small", "corners"]) if function == "elements" else "small"
    ndim = draw.ndim(least)

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = draw.shape(ndim)
        name = make.array(shape, dtype, layout, kind, written=written)
        made = text(Subject(draw, make, name, shape, draw.axis(ndim), dtype, layout))
        make.program.append(made)
        return make.done(function)

    return function, case
