"""Sets of threads that run together, and how they split and join.

A chunk of blocks has ``T`` threads a block; its lanes are numbered ``block * T + thread``. A
lane set is a rectangle (all of some threads of some consecutive blocks), a range of lane
numbers, or a sorted array of them. Registers of a lane set are scalars, affine values, or
arrays in the order of its lanes.
"""

from __future__ import annotations

import numpy as np

from gpuarray._integers import round_up

from .affine import Affine

nd = np.ndarray
RECTANGLE, RANGE, INDICES = 0, 1, 2
_CACHE_LIMIT = 48


class LaneSet:
    """A set of lanes; ``t_low`` to ``b_high`` bound their threads and blocks."""

    __slots__ = (
        "T", "_arrays", "_ids", "_selection", "_thread_block", "_warps", "b0", "b_high", "b_low",
        "kind", "n", "nb", "origins", "parent", "spinning", "state", "t0", "t_high", "t_low",
    )  # fmt: skip

    def __init__(self, state, kind: int, n: int, b0=0, nb=0, t0=0, T=0, ids=None, ends=None):
        self.state = state
        self.kind = kind
        self.n = n
        self.b0 = b0
        self.nb = nb
        self.t0 = t0
        self.T = T
        self._ids = ids
        self._thread_block = None
        self._warps = None
        self._arrays = {}
        #: The set that was split to give this one, and the mask or positions of these lanes in it.
        self.parent: LaneSet | None = None
        self._selection: np.ndarray | None = None
        #: Registers of these lanes, and those of the parent that they were selected from.
        self.origins: dict[int, tuple] | None = None
        #: Whether what they polled last was what they had read there before.
        self.spinning = False
        if kind == RECTANGLE:
            self.t_low, self.t_high = t0, t0 + T - 1
            self.b_low, self.b_high = b0, b0 + nb - 1
        else:
            first, last = (b0, b0 + n - 1) if kind == RANGE else ends or (int(ids[0]), int(ids[-1]))
            self.b_low, self.b_high = first // state.T, last // state.T
            self.t_low, self.t_high = 0, state.T - 1
            if self.b_low == self.b_high:
                self.t_low, self.t_high = first % state.T, last % state.T

    @property
    def ids(self) -> np.ndarray:
        """Lane numbers, ascending."""
        ids = self._ids
        if ids is None:
            if self.kind == RANGE:
                ids = np.arange(self.b0, self.b0 + self.n)
            elif self.kind == INDICES:
                ids = self.parent.ids[self._selection]
            else:
                blocks = np.arange(self.b0, self.b0 + self.nb)[:, None] * self.state.T
                ids = (blocks + np.arange(self.t0, self.t0 + self.T)).reshape(-1)
            self._ids = ids
        return ids

    @property
    def thread_block(self) -> tuple[np.ndarray, np.ndarray]:
        """Thread number within its block, and block number within the chunk, of each lane."""
        pair = self._thread_block
        if pair is None:
            block = self.ids // self.state.T
            pair = self._thread_block = (self.ids - block * self.state.T, block)
        return pair

    @property
    def warps(self):
        """Positions of the lanes in warps; None if they are whole warps in order.

        A position is ``warp * 32 + lane``; a block of ``T`` threads has ``ceil(T / 32)`` warps.
        """
        found = self._warps
        if found is None:
            T = self.state.T
            if self.kind == RECTANGLE:
                whole = self.T % 32 == 0 == self.t0 % 32
            else:
                whole = self.kind == RANGE and self.n % 32 == 0 == self.b0 % 32 and T % 32 == 0
            if whole:
                found = ()
            else:
                thread, block = self.thread_block
                found = block * round_up(T, 32) + thread
            self._warps = found
        return None if type(found) is tuple else found

    @property
    def key(self) -> tuple:
        """Equal keys mean equal sets (of one chunk)."""
        if self.kind == RECTANGLE:
            return self.b0, self.nb, self.t0, self.T
        if self.kind == RANGE:
            return self.b0, self.n
        return self.n, self.ids.tobytes()

    def first_of_run(self, st: int, sb: int) -> int | None:
        """``st * thread + sb * block`` of the first lane, if each next one has ``st`` more."""
        T = self.state.T
        even = sb == st * T
        if self.kind == RECTANGLE:
            if self.nb == 1 or (even and self.T == T):
                return st * self.t0 + sb * self.b0
        elif self.kind == RANGE:
            block, thread = divmod(self.b0, T)
            if even or self.b_low == self.b_high:
                return st * thread + sb * block
        return None

    def array_of(self, value: Affine) -> np.ndarray:
        """An affine value as an array."""
        key = (value.c, value.st, value.sb, value.dt)
        found = self._arrays.get(key)
        if found is None:
            c, st, sb, dt = key
            if self.kind == RECTANGLE:
                # Intermediate values wrap around, which is harmless since the results fit.
                columns = (np.arange(self.t0, self.t0 + self.T) * st + c).astype(dt)
                if self.nb == 1:
                    found = columns + np.array(sb * self.b0).astype(dt)
                else:
                    rows = (np.arange(self.b0, self.b0 + self.nb) * sb).astype(dt)
                    found = np.add.outer(rows, columns).reshape(-1)
            elif self.kind == RANGE and sb == st * self.state.T:
                found = c + np.arange(self.b0, self.b0 + self.n, dtype=np.int64) * st
            else:
                thread, block = self.thread_block
                found = thread * st + block * sb + c
            found = found.astype(dt, copy=False)
            if len(self._arrays) >= _CACHE_LIMIT:
                self._arrays.clear()
            found.flags.writeable = False
            self._arrays[key] = found
        return found

    def filled(self, value) -> np.ndarray:
        """A register of any kind as an array with one element per lane."""
        if type(value) is nd:
            return value
        if type(value) is Affine:
            return self.array_of(value)
        return np.full(self.n, value)

    def split(self, mask: np.ndarray):
        """(lanes where mask, selector, other lanes, selector); a selector takes their values."""
        parts = self._split(mask)
        parts[0].parent = parts[2].parent = self
        return parts

    def _split(self, mask: np.ndarray):
        state = self.state
        if self.kind == RECTANGLE and self.nb > 1:
            rows = mask.reshape(self.nb, self.T)
            first = rows[0]
            head = bool(first[0])
            k = int(first.argmin()) if head else int(first.argmax())
            if k > 0 and (rows[:, :k] == head).all() and (rows[:, k:] != head).all():
                nb, T, b0, t0 = self.nb, self.T, self.b0, self.t0
                low = LaneSet(state, RECTANGLE, nb * k, b0, nb, t0, k)
                high = LaneSet(state, RECTANGLE, nb * (T - k), b0, nb, t0 + k, T - k)

                def select_low(x):
                    return x.reshape(nb, T)[:, :k].reshape(-1)

                def select_high(x):
                    return x.reshape(nb, T)[:, k:].reshape(-1)

                parts = (low, select_low, high, select_high)
                return parts if head else parts[2:] + parts[:2]
        contiguous = self.kind == RANGE or (
            self.kind == RECTANGLE and (self.nb == 1 or self.T == state.T)
        )
        if contiguous:
            head = bool(mask[0])
            k = int(mask.argmin()) if head else int(mask.argmax())
            if (mask[k:] != head).all():
                n = self.n
                start = self.b0 if self.kind == RANGE else self.b0 * state.T + self.t0
                low, high = state.lane_range(start, k), state.lane_range(start + k, n - k)

                def select_low(x):
                    return x[:k]

                def select_high(x):
                    return x[k:]

                parts = (low, select_low, high, select_high)
                return parts if head else parts[2:] + parts[:2]
        if _is_incoherent(mask):
            return *self._at(np.flatnonzero(mask)), *self._at(np.flatnonzero(~mask))
        taken = np.count_nonzero(mask)
        return *self._masked(mask, taken), *self._masked(~mask, self.n - taken)

    def _masked(self, mask: np.ndarray, n: int):
        """(the lanes where mask, selector); lane numbers are computed on demand."""
        last = self.n - 1 - int(mask[::-1].argmax())
        ends = self._lane_at(int(mask.argmax())), self._lane_at(last)
        part = LaneSet(self.state, INDICES, n, ends=ends)
        part._selection = mask
        return part, lambda x: x[mask]

    def _at(self, positions: np.ndarray):
        """(the lanes at ascending positions, selector); lane numbers are computed on demand."""
        ends = self._lane_at(int(positions[0])), self._lane_at(int(positions[-1]))
        part = LaneSet(self.state, INDICES, len(positions), ends=ends)
        part._selection = positions
        return part, lambda x: x.take(positions)

    def _lane_at(self, position: int) -> int:
        """The number of one lane."""
        if self.kind == RECTANGLE:
            block, thread = divmod(position, self.T)
            return (self.b0 + block) * self.state.T + self.t0 + thread
        return self.b0 + position if self.kind == RANGE else int(self.ids[position])

    def origin(self, value):
        """The register of the parent from which one of these lanes was selected, or None."""
        found = self.origins.get(id(value)) if self.origins else None
        return found[1]() if found is not None and found[0]() is value else None

    def pick(self, positions: np.ndarray):
        """(the lanes at these positions, selector)."""
        ids = self.ids[positions]
        return LaneSet(self.state, INDICES, len(ids), ids=ids), lambda x: x[positions]

    def positions_in(self, superset: LaneSet):
        """The positions of this set's lanes within a superset."""
        if superset is self.parent and self._selection is not None:
            return self._selection
        if superset is self.state.full:
            if self.kind == RANGE:
                return slice(self.b0, self.b0 + self.n)
            if self.kind == RECTANGLE and (self.nb == 1 or self.T == self.state.T):
                start = self.b0 * self.state.T + self.t0
                return slice(start, start + self.n)
            return self.ids
        if superset.kind != INDICES and self.kind != INDICES and superset.kind == RANGE:
            if self.kind == RANGE:
                return slice(self.b0 - superset.b0, self.b0 - superset.b0 + self.n)
            return self.ids - superset.b0
        return np.searchsorted(superset.ids, self.ids)


#: A mask whose runs of equal values are shorter than this on average is incoherent.
_COHERENT_RUN = 16
#: Longer masks are judged by so many windows of so many lanes.
_WINDOWS, _WINDOW = 16, 256


def _is_incoherent(mask: np.ndarray) -> bool:
    """Whether positions select lanes faster than this mask.

    NumPy's selection by a mask mispredicts a branch at each change of its value: of random values
    it takes 15 times as long as ``take``. For long runs it is the faster one, as it needs no
    positions.
    """
    n = len(mask)
    if n > _WINDOWS * _WINDOW:
        rows = n // _WINDOW
        mask = mask[: rows * _WINDOW].reshape(rows, _WINDOW)[:: rows // _WINDOWS]
    changes = np.count_nonzero(mask[..., 1:] != mask[..., :-1])
    return bool(changes * _COHERENT_RUN > mask.size)


def rectangle(state, ids: np.ndarray) -> LaneSet | None:
    """Sorted lane numbers as a rectangle, if they are the same threads of consecutive blocks."""
    T, n = state.T, len(ids)
    b0, t0 = divmod(int(ids[0]), T)
    nb = int(ids[-1]) // T - b0 + 1
    width = n // nb
    if width * nb != n or t0 + width > T or int(ids[-1]) % T != t0 + width - 1:
        return None
    rows = ids.reshape(nb, width)
    if (rows[:, -1] - rows[:, 0] != width - 1).any() or (np.diff(rows[:, 0]) != T).any():
        return None
    return LaneSet(state, RECTANGLE, n, b0, nb, t0, width)
