"""One launch of recorded operations: what it computes, reads and stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpuarray._fusion.steps import Reduced
from gpuarray._layout import Layout
from gpuarray.kernels.generator.expressions import Expression

if TYPE_CHECKING:
    from gpuarray._fusion.row_programs import RowProgram


class Kernel(NamedTuple):
    """One launch.

    Attributes
    ----------
    name : str
        The names of its operations.
    expressions : tuple of Expression
        One for each result, over the inputs.
    inputs : tuple of Layout or dtype
        What they are.
    takes : tuple of int
        Of each input the number of the operation that it is the result of, or that of a leaf from
        -1 downwards; a scalar's place among all scalars comes as a tuple of one. A part of an array
        is a `Viewed`, and a number that the plan knows a `Constant`. Indices of elements are inputs
        that are not taken.
    gives : tuple of int
        The operations whose results are stored.
    outputs : tuple of Layout
        Theirs.
    targets : tuple of (int or None)
        Of each the array in memory that it is stored to, as in ``takes``; None for a new one.
    computes : tuple of int
        The operations that it does.
    reduction : Reduced, optional
        What reduces elements of the expression: then there is one, and the reduction's own scalars
        are the last that are taken.
    rows : RowProgram, optional
        The steps of a kernel over rows: their expressions are not over the inputs alone.
    """

    name: str
    expressions: tuple[Expression, ...]
    inputs: tuple[Any, ...]
    takes: tuple[Any, ...]
    gives: tuple[int, ...]
    outputs: tuple[Layout, ...]
    targets: tuple[int | None, ...]
    computes: tuple[int, ...]
    reduction: Reduced | None = None
    rows: RowProgram | None = None


class Terms:
    """What expressions of a kernel read, while it is put together.

    Attributes
    ----------
    takes, inputs : list
        As of a `Kernel`; of indices of elements, too.
    computes : set of int
        The operations.
    """

    def __init__(self) -> None:
        self.takes: list[Any] = []
        self.inputs: list[Any] = []
        self.computes: set[int] = set()
        self._places: dict[Any, int] = {}

    def place(self, taken: Any, kind: Any) -> int:
        """The number of an input."""
        found = self._places.get(taken)
        if found is None:
            found = self._places[taken] = len(self.takes)
            self.takes.append(taken)
            self.inputs.append(kind)
        return found
