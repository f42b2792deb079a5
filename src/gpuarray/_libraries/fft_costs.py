"""What transforms take on a device, about: estimates that choose among the ways to make one.

Rates are those of an H200. Our own kernels of lines are used where they are faster by more than
these estimates err.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuarray._libraries.fft_layouts import Pass
from gpuarray._libraries.line_layouts import LinePass

__all__ = [
    "LEAST_LINE_BYTES",
    "copy_seconds",
    "factor_seconds",
    "is_slow",
    "lines_pay",
    "pass_seconds",
]

#: What a call of cuFFT takes on the host.
_CALL_SECONDS = 4e-6
#: Bytes a second of copies to another layout, of multiplications in place, and of transforms of
#: gapless lines.
_BANDWIDTH = 3e12
_FACTOR_BANDWIDTH = 4e12
_GAPLESS_BANDWIDTH = 3.5e12
#: Of transforms along one axis that is not the fastest, and along several whose elements are
#: further apart than a sector of memory: (512, 512, 16) complex64 along the first two takes 272 µs.
_STRIDED_BANDWIDTH = 1.9e12
_SCATTERED_BANDWIDTH = 0.5e12
_SECTOR = 32
#: Up to so many points cuFFT reads and writes each element once; then twice, then as if 3.5 times.
_ONCE, _TWICE = 1 << 12, 1 << 20

#: Of our own kernels, in proportion less where they access fewer bytes at a place; how much less
#: than cuFFT they must take by these estimates. (An H200 has 3.1 to 3.8 TB/s, and 2.1 of sectors.)
_LINE_BANDWIDTH = 3.4e12
_LINE_BYTES = 48
_MARGIN = 0.9
#: Their instructions for each point: before and in the first stage, and in each further one of a
#: power of two, or of another radix; and what a device does a second, if it has five of eight that
#: could be issued. On an H200 lines of 360 to 1000 points take 0.95 to 1.2 times as long.
_FIRST_STAGE, _STAGE, _ODD_STAGE = 30, 38, 45
_INSTRUCTIONS = 2.2e13
#: The bytes of arrays whose transforms take much longer than launches. For smaller ones our kernels
#: would have to be compiled, and cuFFT has its own.
LEAST_LINE_BYTES = 1 << 24


def copy_seconds(nbytes: int) -> float:
    """A pass over memory that reads and writes an array."""
    return 2 * nbytes / _BANDWIDTH


def factor_seconds(nbytes: int) -> float:
    """A pass that multiplies in place by a factor."""
    return 2 * nbytes / _FACTOR_BANDWIDTH


def is_slow(one: Pass, nbytes: int, itemsize: int, odd: bool = False) -> bool:
    """Whether copies to another layout and back are faster than the calls where things are.

    `nbytes` and `itemsize` are the target's. `odd` is whether calls would begin where cuFFT does
    not read.
    """
    if one.calls == 1:
        if len(one.n) == 1 or not _is_far(one, itemsize):
            return False
        accesses = 2 * len(one.n)
        copied = 2 * _CALL_SECONDS + (4 + accesses) * nbytes / _BANDWIDTH
        return accesses * nbytes / _SCATTERED_BANDWIDTH > copied
    return odd or one.calls * _CALL_SECONDS > 2 * _CALL_SECONDS + 2 * copy_seconds(nbytes)


def pass_seconds(one: Pass, nbytes: int, itemsize: int) -> float:
    """A pass of cuFFT, with copies there and back where these are faster."""
    copies, bandwidth = 0.0, _GAPLESS_BANDWIDTH
    if is_slow(one, nbytes, itemsize):
        copies = 2 * copy_seconds(nbytes)
    elif _is_far(one, itemsize):
        bandwidth = _STRIDED_BANDWIDTH if len(one.n) == 1 else _SCATTERED_BANDWIDTH
    accesses = sum([1 if n <= _ONCE else 2 if n <= _TWICE else 3.5 for n in one.n])
    return copies + 2 * accesses * nbytes / bandwidth


def lines_pay(
    parts: Sequence[tuple[LinePass, tuple[int, tuple[int, ...]]]],
    nbytes: int,
    itemsize: int,
    seconds: float,
) -> bool:
    """Whether passes of our own take less than cuFFT would.

    Parameters
    ----------
    parts : sequence of tuple
        What the passes are; for each how many lines a block has, and the radices.
    nbytes, itemsize : int
        Of the target.
    seconds : float
        What cuFFT takes.
    """
    total = 0.0
    for one, (lines, radices) in parts:
        near = min([_near(one, side, lines) for side in (1, 2)]) * itemsize
        moving = 2 * nbytes / (_LINE_BANDWIDTH * min(1.0, near / _LINE_BYTES))
        stages = [_STAGE if radix & (radix - 1) == 0 else _ODD_STAGE for radix in radices[1:]]
        working = (_FIRST_STAGE + sum(stages)) * nbytes / itemsize / _INSTRUCTIONS
        total += max(moving, working)
    return total < _MARGIN * seconds


def _is_far(one: Pass, itemsize: int) -> bool:
    return one.target.stride * itemsize > _SECTOR


def _near(one: LinePass, side: int, lines: int) -> int:
    """How many elements behind one another a block accesses on a side."""
    if one.line[side] == 1:
        return one.line[0]
    last = one.others[-1] if one.others else (1, 0, 0)
    return min(last[0], lines) if abs(last[side]) == 1 else 1
