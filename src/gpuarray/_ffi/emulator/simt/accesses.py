"""An access to memory as the checkers see it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .affine import Affine
from .lanes import LaneSet
from .shadow import Shadow


class Access(NamedTuple):
    """One access of a lane set to one allocation.

    Attributes
    ----------
    where : int or ndarray
        The address of the first lane, where neighbouring lanes access neighbouring memory; else
        the addresses of `lanes`.
    lanes : ndarray, optional
        Positions in the lane set of the lanes that have these addresses; None means all.
    selection : ndarray, optional
        Positions of these lanes in an array of values; None means all.
    value : object
        What is written, a tuple for a vector; None for a read.
    sync : int
        1 for a synchronising access, else 0.
    """

    shadow: Shadow
    L: LaneSet
    where: int | np.ndarray
    size: int
    lanes: np.ndarray | None
    selection: np.ndarray | None
    reads: bool
    value: object
    sync: int

    @property
    def is_run(self) -> bool:
        return type(self.where) is int

    @property
    def writes(self) -> bool:
        return self.value is not None

    def address(self, position: int) -> int:
        if self.is_run:
            return self.where + position * self.size
        return int(self.where[position])

    def lane(self, position: int) -> int:
        return int(self.L.ids[position if self.lanes is None else self.lanes[position]])

    def elements(self):
        """The written value, as one scalar or array for each element of a vector."""
        for element in self.value if type(self.value) is tuple else (self.value,):
            element = self.L.array_of(element) if type(element) is Affine else np.asarray(element)
            if self.selection is not None and element.ndim:
                element = element[self.selection]
            yield element
