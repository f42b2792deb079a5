"""Where the shared variables of a function lie.

Under the checkers gaps lie between them, so that an access beyond the end of one is told from an
access to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from gpuarray._integers import round_up

from ..ptx.syntax import Variable

#: A gap is as large as the variable before it, within these limits.
_SMALLEST_GAP, _LARGEST_GAP = 64, 4096
#: The last of the names in a mangled one: that of a variable in a function.
_LOCAL_NAME = re.compile(r"_Z.*E(\d+)([A-Za-z_]\w*)$")


class SharedVariable(NamedTuple):
    """A variable in a layout with gaps, for messages."""

    start: int
    nbytes: int
    #: Where it begins in the layout without gaps, which is that of a GPU.
    plain_start: int
    name: str


def gap_behind(nbytes: int) -> int:
    """The bytes of the gap behind a variable."""
    return round_up(min(max(nbytes, _SMALLEST_GAP), _LARGEST_GAP), 16)


def lay_out_shared(
    variables: Iterable[Variable], offsets: dict[str, int], end: int, gaps: bool
) -> int:
    """Add the offsets of static shared variables, from `end` on; the new end."""
    for variable in variables:
        if variable.space == "shared" and not variable.extern:
            end = round_up(end, variable.align)
            offsets[variable.name] = end
            end += variable.size
            if gaps:
                end += gap_behind(variable.size)
    return end


def source_name(name: str) -> str:
    """What a variable is called in the source, where its mangled name tells."""
    found = _LOCAL_NAME.match(name)
    return found[2][: int(found[1])] if found else name


class SharedBounds:
    """The gaps of a block's shared memory under the checkers.

    Parameters
    ----------
    variables : sequence of SharedVariable
        The static ones, by their start.
    begin : int
        Where the first of them may lie; what is before belongs to the system.
    dynamic, plain_dynamic : int
        Where dynamic shared memory begins, with gaps and without.
    dynamic_bytes : int
        Its size.
    """

    def __init__(
        self,
        variables: list[SharedVariable],
        begin: int,
        dynamic: int,
        plain_dynamic: int,
        dynamic_bytes: int,
    ):
        last = SharedVariable(dynamic, dynamic_bytes, plain_dynamic, "dynamic shared memory")
        self.variables = [*variables, last]
        self.nbytes = round_up(dynamic + dynamic_bytes + gap_behind(dynamic_bytes), 16)
        forbidden = np.zeros(self.nbytes + 1, np.int32)
        forbidden[begin + 1 :] = 1
        for variable in self.variables:
            forbidden[variable.start + 1 : variable.start + variable.nbytes + 1] = 0
        #: How many bytes before an offset belong to no variable.
        self._before = np.cumsum(forbidden, dtype=np.int32)

    def is_inside(self, offset: int, nbytes: int) -> bool:
        """Whether all of these bytes belong to variables."""
        end = offset + nbytes
        return end <= self.nbytes and self._before[end] == self._before[offset]

    def outside(self, offsets: np.ndarray, nbytes: int) -> np.ndarray:
        """Positions of the accesses that touch a gap, or another block's memory."""
        inside = (offsets >= 0) & (offsets + nbytes <= self.nbytes)
        first = np.where(inside, offsets, 0)
        before = self._before[np.where(inside, offsets + nbytes, 0)] - self._before[first]
        return np.flatnonzero(~inside | (before != 0))

    def plain(self, offset: int) -> int:
        """An offset as it is without gaps."""
        variable = self._nearest(offset)
        return offset - variable.start + variable.plain_start

    def describe(self, offset: int) -> str:
        """Where an access that touches a gap lies."""
        if not 0 <= offset < self.nbytes:
            return "in another block's shared memory"
        variable = self._nearest(offset)
        past = offset - variable.start - variable.nbytes
        if offset < variable.start:
            where = f"{variable.start - offset} bytes before"
        else:
            where = f"{past} bytes past the end of" if past >= 0 else "across the end of"
        return f"{where} the {variable.nbytes} bytes of {source_name(variable.name)}"

    def _nearest(self, offset: int) -> SharedVariable:
        """The variable at an offset, or else the nearest one."""

        def distance(variable: SharedVariable) -> int:
            return max(variable.start - offset, offset - variable.start - variable.nbytes + 1, 0)

        return min(self.variables, key=distance)
