"""Products of matrices and vectors, in any layouts."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.case import Case
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.values import COMPLEX, DTYPES, FLOATS, INTEGERS

FUNCTIONS = [
    "matmul",
    "matmul",
    "dot",
    "inner",
    "vdot",
    "vecdot",
    "matvec",
    "vecmat",
    "tensordot",
    "einsum",
]
#: The dimensions that operands have at least, where a function has a signature.
_CORE = {"matmul": (1, 1), "vecdot": (1, 1), "matvec": (2, 1), "vecmat": (1, 2)}
_LENGTHS = [0, 1, 2, 3, 4, 5, 8, 17, 33]
_SUBSCRIPTS = [
    "ij,jk->ik", "ij,kj->ik", "ij,ij->", "ij,ij->j", "i,j->ij", "bij,bjk->bik", "ij,j->i", "ij->ji", "ii->i",
    "ij->", "bi,bi->b", "ij,jk", "bij,jk->bik",
]  # fmt: skip


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """A product of two dtypes and layouts."""
    function = draw.pick(FUNCTIONS)
    dtype = draw.pick(["?", *INTEGERS, *FLOATS, *FLOATS, *COMPLEX, *COMPLEX])
    other = dtype if draw.chance(0.8) else draw.pick(DTYPES)
    layouts = [draw.pick(LAYOUTS) for _ in range(2)]
    dimensions = [draw.pick([1, 2, 2, 2, 3]) for _ in range(2)]
    if function in _CORE:
        dimensions = [max(pair) for pair in zip(dimensions, _CORE[function])]
    subscripts = draw.pick(_SUBSCRIPTS)

    def case(draw: Draw, make: CaseMaker) -> Case:
        if function == "einsum":
            shapes = _shapes_of(draw, subscripts)
            options = repr(subscripts) + ", "
        else:
            shapes = _shapes(draw, function, dimensions)
            options = ""
        names = [
            make.array(shape, one, layout, "small")
            for shape, one, layout in zip(shapes, (dtype, other), layouts)
        ]
        axes = ", axes=1" if function == "tensordot" else ""
        make.program.append(f"xp.{function}({options}{', '.join(names)}{axes})")
        return make.done(function, tolerance="products")

    return function, case


def _shapes_of(draw: Draw, subscripts: str) -> list[tuple[int, ...]]:
    lengths = {letter: draw.pick(_LENGTHS) for letter in "bijk"}
    operands = subscripts.partition("->")[0].split(",")
    return [tuple(lengths[letter] for letter in one) for one in operands]


def _shapes(draw: Draw, function: str, dimensions: list[int]) -> list[tuple[int, ...]]:
    """Shapes whose inner lengths fit, but for a few."""
    first, second = [[draw.pick(_LENGTHS) for _ in range(n)] for n in dimensions]
    inner = -1
    if function == "vdot":
        second = first
    elif function in ("matmul", "dot", "vecmat") and len(second) > 1:
        inner = -2
    elif function == "tensordot":
        inner = 0
    if not draw.chance(0.04):
        second[inner] = first[-1]
    core = (1, 1) if function == "vecdot" else tuple(min(n, 2) for n in dimensions)
    if (
        function in ("matmul", "vecdot", "matvec", "vecmat")
        and len(first) > core[0]
        and len(second) > core[1]
    ):
        # Stacks broadcast.
        length = draw.pick([1, 2, 3])
        first[0], second[0] = length, draw.pick([1, length])
    return [tuple(first), tuple(second)]
