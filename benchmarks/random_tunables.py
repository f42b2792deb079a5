"""What the kernels of random draws could be tuned to: device time of each choice.

    python benchmarks/random_tunables.py            the table, in less than a minute
    python benchmarks/random_tunables.py --quick    small sizes, to see that it runs

Of draws whose results are put one behind the other: words of a lane in a tile, blocks of a
multiprocessor, threads of a block, words that are made together, and what is left if a part of the
work is left out (then the numbers are wrong, and only the time is of interest). Of draws of a known
number of words: the groups of words of a thread. Kernels are compiled by several threads first.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

import gpuarray as cp  # noqa: E402
from benchmarks import timing  # noqa: E402
from gpuarray import _layout  # noqa: E402
from gpuarray._ffi import driver  # noqa: E402
from gpuarray._runtime.current_stream import current  # noqa: E402
from gpuarray.kernels.generator.headers import cuda_headers  # noqa: E402
from gpuarray.kernels.random import launch, spec  # noqa: E402

_UINT64 = np.dtype(np.uint64)


class Draw(NamedTuple):
    """A draw whose results are put one behind the other."""

    name: str
    draw: str
    dtype: str
    bits: int  # of a unit
    more: float  # units of a result
    high: int = 0  # of integers


DRAWS = (
    Draw("standard_normal f8", "normal", "f8", 64, 1.0225),
    Draw("standard_normal f4", "normal", "f4", 32, 1.0225),
    Draw("standard_exponential f8", "exponential", "f8", 64, 1.034),
    Draw("integers(0, 1000)", "bounded", "i8", 32, 1.001, 1000),
    Draw("integers(0, 3 * 2**30)", "bounded", "i8", 32, 1.334, 3 << 30),
)

#: Words of a lane, blocks of a multiprocessor, threads of a block, words that are made together.
SHAPES = (
    (28, 6, 128, 4), (28, 6, 128, 2), (28, 6, 128, 7), (24, 6, 128, 4), (20, 7, 128, 4),
    (16, 9, 128, 4), (12, 12, 128, 4), (28, 12, 64, 4),
)  # fmt: skip

_COMPACT = "random_compact"
#: What is left out of standard_normal's kernel, and how: text of headers, and what is put there.
WITHOUT = {
    "long draws": [
        (
            _COMPACT,
            "const uint32_t total = __shfl_sync(0xffffffffu, behind, 31);",
            "const uint32_t total = 0 * behind;",
        )
    ],
    "strides": [(_COMPACT, "shared.strides.take(walk, distance);", ";")],
    "waits for what comes before": [
        (_COMPACT, "before = messages.before(tile, lane);", "before = 0;"),
        (_COMPACT, "skipped = knows ? messages.beyond(tile) : 0;", "skipped = 0;"),
        (_COMPACT, "if (!knows) skipped = messages.beyond(tile);", ""),
    ],
    "moves": [(_COMPACT, "move(draw, own, lane);", "if (count == 7) move(draw, own, lane);")],
    "stores": [
        (
            _COMPACT,
            "*reinterpret_cast<Vector*>(at) =",
            "if (from == 12345) *reinterpret_cast<Vector*>(at) =",
        )
    ],
}


def _headers(left_out: str) -> Any:
    headers = dict(cuda_headers())
    for name, old, new in WITHOUT.get(left_out, ()):
        text = headers[f"gpuarray/{name}.cuh"]
        if old not in text:
            raise SystemExit(f"{name}.cuh has changed: it has no {old!r}")
        headers[f"gpuarray/{name}.cuh"] = text.replace(old, new)
    return headers


def _spec(row: Draw, shape: tuple[int, int, int, int], left_out: str) -> spec.DrawSpec:
    """The kernel of a draw; one from which something is left out differs by its list's length."""
    rounds, resident, block, unroll = shape
    return spec.DrawSpec(
        "pcg64", row.draw, row.dtype, "compact", row.bits, row.bits, rounds=rounds,
        resident=resident, block=block, unroll=unroll,
        capacity=64 - [*WITHOUT, ""][::-1].index(left_out),
    )  # fmt: skip


def _compact(
    row: Draw, n: int, shape: tuple[int, int, int, int], left_out: str
) -> Callable[[], Any]:
    """A call with a shape of the kernel, made anew."""
    arguments = (0, row.high, (2**32 - row.high) % row.high) if row.high else ()
    names = ("low", "range", "threshold")[: len(arguments)]
    scalars = {name: (f"x{i + 2}", _UINT64) for i, name in enumerate(names)}
    layout = _layout.contiguous(np.dtype(row.dtype), (n,))
    launch._COMPACT_ROUNDS = shape[:1]
    spec.cuda_headers = lambda: _headers(left_out)
    units = math.ceil(n * row.more) + 1000
    call = launch._call(current.stream, _spec(row, shape, left_out), layout, False, units, scalars)
    source = cp.random.PCG64(5)
    return lambda: source._draw(lambda stream, engine: call, (), *arguments)


def _fill(dtype: str, n: int, most: int) -> Callable[[], Any]:
    bits = 8 * np.dtype(dtype).itemsize
    chosen = spec.DrawSpec("pcg64", "uniform", dtype, "fill", bits, bits)
    launch._MOST_ROUNDS = most
    layout = _layout.contiguous(np.dtype(dtype), (n,))
    call = launch._call(current.stream, chosen, layout, False, n, {})
    source = cp.random.PCG64(5)
    return lambda: source._draw(lambda stream, engine: call, ())


def _compile(kernels: list[tuple[Draw, tuple[int, int, int, int], str]]) -> None:
    """Compile them side by side, so that each call finds its image."""
    from gpuarray.kernels import compiler

    device = current.stream.device

    def build(row: Draw, shape: tuple[int, int, int, int], left_out: str) -> None:
        rendered = spec.render(_spec(row, shape, left_out))
        source = dataclasses.replace(rendered, headers=_headers(left_out))
        compiler.compilation.compile(
            source.source, name=source.name, headers=source.headers, options=source.options,
            architecture=device.architecture, kind=driver.image_kind,
        )  # fmt: skip

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda kernel: build(*kernel), kernels))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    options = parser.parse_args()
    n = 3000 if options.quick else 10**8
    effort = timing.Effort.quick() if options.quick else timing.Effort(3, 7, 0.004)
    shapes = SHAPES[:1] if options.quick else SHAPES
    kernels = [(row, shape, "") for row in DRAWS for shape in shapes]
    kernels += [(DRAWS[0], SHAPES[0], left_out) for left_out in WITHOUT]
    _compile(kernels)

    def report(name: str, work: Callable[[], Any]) -> None:
        works = {"gpuarray": (work, int(cp.cuda.get_current_stream().ptr))}
        times = timing.device_times(works, driver.context_synchronize, effort)
        print(f"{name:60} {1e6 * median(times['gpuarray']):10.1f}", flush=True)

    print(f"device, µs, n={n}:")
    for row, shape, left_out in kernels:
        rounds, resident, block, unroll = shape
        name = f"{row.name}: {rounds} words, {resident} blocks of {block}, {unroll} together"
        name += f", without {left_out}" if left_out else ""
        report(name, _compact(row, n, shape, left_out))
    spec.cuda_headers = cuda_headers
    for dtype in ("f8", "f4"):
        for most in (4, 8, 16, 32, 64, 10**6):
            report(f"random {dtype}: {most} groups at most", _fill(dtype, n, most))
    filled = cp.empty(n)
    report("fill f8 with a number", lambda: filled.fill(1.5))
    return 0


if __name__ == "__main__":
    sys.exit(main())
