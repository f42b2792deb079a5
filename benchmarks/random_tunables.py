"""What the kernels of random draws could be tuned to: device time of each choice.

    python benchmarks/random_tunables.py            the table, in less than a minute
    python benchmarks/random_tunables.py --quick    small sizes, to see that it runs

Of draws whose results are put one behind the other: words of a thread in a tile, blocks of a
multiprocessor, threads of a block, and what is left if a part of the work is left out (then the
numbers are wrong, and only the time is of interest). Of draws of a known number of words: the
groups of words of a thread. Kernels are compiled by several threads first.
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
from gpuarray._runtime.device import current  # noqa: E402
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

#: Words of a thread, blocks of a multiprocessor, threads of a block.
SHAPES = (
    (32, 4, 128), (32, 5, 128), (24, 5, 128), (24, 6, 128), (16, 6, 128), (16, 8, 128),
    (16, 3, 256), (16, 4, 256), (12, 4, 256), (8, 4, 256), (32, 2, 256),
)  # fmt: skip

#: What is left out of standard_normal's kernel, and how: text of a header, and what is put there.
WITHOUT = {
    "look-back": (
        "random_compact",
        "base = of_half + look_back<CountSum>(lookback, tile, int64_t(results), lane).value;",
        "base = of_half + int64_t(tile) * OWN;",
    ),
    "long draws": ("random_long", "if (full) total = 0;", "total = 0;"),
    "jumps of blocks": ("random_compact", "engine.jump(tile * OWN);", "engine.state.low += tile;"),
    "bounds' table": (
        "random_draws",
        "return uint32_t(steps(word) >> SHIFT) < layers.bounds[word & 255];",
        "return (word >> 9 & 127) != 0;",
    ),
    "scales' table": ("random_draws", "* layers.scales[word & 255];", "* 1.00000001;"),
    "stores": ("random_compact", "if (stored && (!ENDS || rank < left))", "if (stored && !bit)"),
}


def _headers(left_out: str) -> Any:
    headers = dict(cuda_headers())
    if left_out:
        name, old, new = WITHOUT[left_out]
        text = headers[f"gpuarray/{name}.cuh"]
        if old not in text:
            raise SystemExit(f"{name}.cuh has changed: it has no {old!r}")
        headers[f"gpuarray/{name}.cuh"] = text.replace(old, new)
    return headers


def _compact(row: Draw, n: int, shape: tuple[int, int, int], left_out: str) -> Callable[[], Any]:
    """A call with a shape of the kernel, made anew."""
    rounds, resident, block = shape
    chosen = spec.DrawSpec("pcg64", row.draw, row.dtype, "compact", row.bits, row.bits)
    capacity = 512 + 8 * [*WITHOUT, ""].index(left_out)  # kernels are kept by their specification
    chosen = dataclasses.replace(chosen, resident=resident, block=block, capacity=capacity)
    arguments = (0, row.high, (2**32 - row.high) % row.high) if row.high else ()
    names = ("low", "range", "threshold")[: len(arguments)]
    scalars = {name: (f"x{i + 2}", _UINT64) for i, name in enumerate(names)}
    layout = _layout.contiguous(np.dtype(row.dtype), (n,))
    launch._COMPACT_ROUNDS = (rounds,)
    spec.cuda_headers = lambda: _headers(left_out)
    units = math.ceil(n * row.more) + 1000
    call = launch._call(current.stream, chosen, layout, False, units, scalars)
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


def _compile(kernels: list[tuple[Draw, tuple[int, int, int], str]]) -> None:
    """Compile them side by side, so that each call finds its image."""
    from gpuarray.kernels import compiler

    device = current.stream.device

    def build(row: Draw, shape: tuple[int, int, int], left_out: str) -> None:
        rounds, resident, block = shape
        chosen = spec.DrawSpec("pcg64", row.draw, row.dtype, "compact", row.bits, row.bits)
        capacity = 512 + 8 * [*WITHOUT, ""].index(left_out)
        chosen = dataclasses.replace(
            chosen, rounds=rounds, resident=resident, block=block, capacity=capacity
        )
        source = dataclasses.replace(spec.render(chosen), headers=_headers(left_out))
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
        rounds, resident, block = shape
        name = f"{row.name}: {rounds} words, {resident} blocks of {block}"
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
