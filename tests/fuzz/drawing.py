"""Drawing of shapes, layouts and arguments, and the making of cases."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from tests.fuzz.case import Case, Operand

T = TypeVar("T")

#: Lengths of the axes of arrays of one, two, ... dimensions: none, one, odd ones, more than a warp
#: has threads and more than a block has.
_LENGTHS = {
    1: [0, 1, 2, 3, 5, 7, 16, 31, 33, 64, 100, 257],
    2: [0, 1, 2, 3, 4, 5, 7, 8, 17, 33],
    3: [1, 1, 2, 3, 4, 5, 7, 9],
    4: [1, 2, 3, 4],
    5: [1, 2, 3],
}
_LONG = {"small": [130, 515, 1025], "full": [515, 1025, 2049, 4099]}

#: How a view lies in memory.
LAYOUTS = [
    "contiguous", "transposed", "permuted", "negative", "strided", "offset", "broadcast", "mixed",
    "padded",
]  # fmt: skip


class Draw:
    """Random choices.

    Parameters
    ----------
    seed : str
        What they depend on.
    sizes : {'small', 'full'}
        How long the longest axes are.
    """

    def __init__(self, seed: str, sizes: str = "small"):
        self.random = random.Random(seed)
        self.sizes = sizes
        self.below = self.random.randrange

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.random.randrange(len(options))]

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.random.random() < probability

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Distinct options."""
        return self.random.sample(options, count)

    def ndim(self, least: int = 0) -> int:
        """A number of dimensions."""
        return max(least, self.pick([0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4]))

    def shape(self, ndim: int, *, empty: bool = True) -> tuple[int, ...]:
        """Lengths of axes; none of them 0 unless that is allowed."""
        if ndim == 0:
            return ()
        lengths = [self.pick(_LENGTHS[min(ndim, 5)]) for _ in range(ndim)]
        if ndim <= 2 and self.chance(0.06):
            lengths[self.below(ndim)] = self.pick(_LONG[self.sizes])
            lengths = [min(x, 5) if x not in _LONG[self.sizes] else x for x in lengths]
        if ndim > 2 and self.chance(0.04):
            lengths[self.below(ndim)] = 0
        if not empty:
            lengths = [x or 2 for x in lengths]
        return tuple(lengths)

    def axis(self, ndim: int) -> int:
        """An axis, counted from either end."""
        return self.below(-ndim, ndim) if ndim else 0

    def axes(self, ndim: int) -> str:
        """Text of an argument ``axis``: None, a number or a tuple of them; rarely a wrong one."""
        roll = self.random.random()
        if roll < 0.04:
            return self.pick([str(ndim), str(-ndim - 1), f"({ndim},)", "(0, 0)", "()"])
        if ndim == 0 or roll < 0.25:
            return "None"
        if roll < 0.7 or ndim == 1:
            return str(self.axis(ndim))
        chosen = self.sample(range(ndim), self.below(1, ndim + 1))
        return repr(tuple(x - ndim if self.chance(0.3) else x for x in chosen))


class CaseMaker:
    """Collects the operands and statements of a case."""

    def __init__(self, draw: Draw, id: str, family: str):
        self.draw = draw
        self._id = id
        #: Which of its recipe's cases it is.
        self.number = int(id.rpartition("/")[2])
        self._family = family
        self.operands: list[Operand] = []
        self.program: list[str] = []
        self.watched: list[str] = []
        self.notes: set[str] = set()

    def array(
        self,
        shape: tuple[int, ...],
        dtype: str,
        layout: str = "contiguous",
        kind: str = "small",
        *,
        written: bool = False,
    ) -> str:
        """Add an operand; return its name.

        Where it is `written`, its memory is compared, too.
        """
        name = "abcdefghijklmnopqrstuvw"[len(self.operands)]
        if written and layout == "broadcast":
            layout = "strided"
        memory, view = self._layout(shape, layout, name + "_")
        seed = self.draw.below(1 << 30)
        self.operands.append(Operand(name, dtype, memory, kind, seed, view))
        if written or self.draw.chance(0.1):
            self.watched.append(name)
        return name

    def _layout(self, shape: tuple[int, ...], layout: str, base: str) -> tuple[tuple, str]:
        """The shape of memory, and the text of a view of it that has a shape."""
        draw, ndim = self.draw, len(shape)
        if ndim == 0:
            return ((), base) if layout == "contiguous" else ((3,), f"{base}[1:2].reshape(())")
        if layout == "transposed":
            return shape[::-1], f"{base}.T"
        if layout == "permuted":
            order = draw.sample(range(ndim), ndim)
            memory = [0] * ndim
            for axis, source in enumerate(order):
                memory[source] = shape[axis]
            return tuple(memory), f"{base}.transpose({', '.join(map(str, order))})"
        if layout == "broadcast":
            axes = set(draw.sample(range(ndim), draw.below(1, ndim + 1)))
            memory = [1 if axis in axes else n for axis, n in enumerate(shape)]
            return tuple(memory), f"xp.broadcast_to({base}, {shape})"
        if layout in ("negative", "strided", "offset", "padded", "mixed"):
            memory, parts = [], []
            for axis, n in enumerate(shape):
                how = draw.pick(["negative", "strided", "offset"]) if layout == "mixed" else layout
                if how == "padded":
                    memory.append(n + 3 if axis == ndim - 1 else n)
                    parts.append(f":{n}")
                elif how == "negative":
                    memory.append(n)
                    parts.append("::-1")
                elif how == "offset":
                    memory.append(n + 1)
                    parts.append("1:")
                else:
                    memory.append(2 * n + 1)
                    parts.append("1::2")
            view = f"{base}[{', '.join(parts)}]"
            if layout == "mixed" and ndim > 1:
                return tuple(memory[::-1]), f"{base}.T[{', '.join(parts)}]"
            return tuple(memory), view
        return shape, base

    def done(
        self, function: str, *, tolerance: str = "", stateful: bool = False, garbage: bool = False
    ) -> Case:
        """The case."""
        return Case(
            self._id, self._family, function, tuple(self.operands), tuple(self.program),
            tuple(self.watched), stateful, tolerance or function, garbage, frozenset(self.notes),
        )  # fmt: skip
