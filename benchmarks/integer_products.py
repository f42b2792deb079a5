"""Matrix products by our own kernels: integers and bools beside CuPy, tiles, small floats.

    python benchmarks/integer_products.py                  integers and bools, in half a minute
    python benchmarks/integer_products.py --tiles          and the time by each tile that there is
    python benchmarks/integer_products.py --small          and small floats, beside cuBLAS
    python benchmarks/integer_products.py --json FILE      and the figures as JSON, after each table

cuBLAS has no products of integers; CuPy computes them with a kernel of its own. A rate counts a
multiplication and an addition as two operations. `--tiles` checks the estimates in
`kernels/product/variants.py`: a row has the time for what is chosen, and for each tile with whole
sums. `--small` has the device's time and the cost of a call for stacks of small matrices, from
which follows when `product_wins`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402

DTYPES = ("i1", "u1", "i2", "i4", "i8", "?")

#: Shapes of the left and the right operands.
SHAPES = (
    ((512, 512), (512, 512)),
    ((2048, 2048), (2048, 2048)),
    ((2047, 2047), (2047, 2047)),
    ((8192, 8192), (8192, 8192)),
    ((1000, 64, 64), (1000, 64, 64)),
    ((100_000, 4, 4), (100_000, 4, 4)),
    ((64, 1_000_000), (1_000_000, 64)),
    ((1_000_000, 16), (16, 16)),
    ((8192, 8192), (8192, 1)),
    ((8192, 1), (1, 8192)),
)
QUICK = (((40, 70), (70, 20)), ((3, 5, 4), (3, 4, 5)))

#: A call that takes so many seconds is measured once.
_SLOW = 0.05

SMALL_SIDES, SMALL_STACKS = (2, 4, 8, 16, 32, 64), (1, 100, 10_000)


def _name(left: tuple[int, ...], right: tuple[int, ...]) -> str:
    return " @ ".join(["x".join(map(str, shape)) for shape in (left, right)])


def _numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    count = min(int(np.prod(shape)), 1 << 20)  # more of them repeat, so that they are made quickly
    if dtype == "?":
        flat = rng.random(count) < 0.1
    elif np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        flat = rng.integers(limits.min, limits.max, count, dtype, endpoint=True)
    else:
        flat = rng.standard_normal(count).astype(dtype)
    return np.resize(flat, shape)


def _operations(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    return 2 * int(np.prod(left)) * right[-1]


def _seconds(works: dict[str, tuple[timing.Work, int]], effort: timing.Effort) -> dict[str, float]:
    from gpuarray._ffi import driver

    times = timing.device_times(works, driver.context_synchronize, effort)
    return {name: median(samples) for name, samples in times.items()}


def integers(found: dict[str, libraries.Library], shapes: Any, effort: timing.Effort) -> list[dict]:
    """Device seconds of each library by dtype and shapes."""
    rows, clock = [], timing.DeviceClock()
    for left, right in shapes:
        for dtype in DTYPES:
            host = _numbers(left, dtype, 1), _numbers(right, dtype, 2)
            works: dict[str, tuple[timing.Work, int]] = {}
            seconds, faults = {}, {}
            for name, library in found.items():
                a, b = [library.to_device(x) for x in host]
                try:
                    library.module.matmul(a, b)
                except Exception as error:  # a peer may lack the dtype
                    faults[name] = f"{type(error).__name__}: {error}"
                    continue
                work = lambda f=library.module.matmul, a=a, b=b: f(a, b)  # noqa: E731
                once = clock.seconds(work, 1, library.stream())
                if once < _SLOW:
                    works[name] = work, library.stream()
                else:
                    seconds[name] = once
            seconds |= _seconds(works, effort)
            row = {"dtype": dtype, "shapes": [left, right], "seconds": seconds, "faults": faults}
            rows.append(row)
            ours = seconds["gpuarray"]
            rate = _operations(left, right) / ours / 1e12
            peers = [
                f"{name} {1e6 * one:11.1f} µs ({one / ours:5.2f}x)"
                for name, one in seconds.items()
                if name != "gpuarray"
            ]
            print(
                f"{_name(left, right):34} {dtype:3} {1e6 * ours:11.1f} µs {rate:7.2f} Tops  "
                + "  ".join(peers + [f"{name}: {text[:60]}" for name, text in faults.items()])
            )
            for library in found.values():
                library.free()
    return rows


def layouts(found: dict[str, libraries.Library], side: int, effort: timing.Effort) -> list[dict]:
    """Device seconds of operands whose rows, or whose columns, are gapless."""
    rows = []
    for dtype in ("i1", "i4"):
        for first in ("rows", "columns"):
            for second in ("rows", "columns"):
                works: dict[str, tuple[timing.Work, int]] = {}
                for name, library in found.items():
                    a, b = [library.to_device(_numbers((side, side), dtype, i)) for i in (1, 2)]
                    left, right = a if first == "rows" else a.T, b if second == "rows" else b.T
                    matmul = library.module.matmul
                    works[name] = (lambda f=matmul, x=left, y=right: f(x, y)), library.stream()
                seconds = _seconds(works, effort)
                rows.append({"dtype": dtype, "gapless": [first, second], "seconds": seconds})
                listed = "  ".join([f"{name} {1e6 * s:.1f} µs" for name, s in seconds.items()])
                print(f"{side} x {side} {dtype}, gapless {first} @ {second}: {listed}")
    return rows


def _own(xp: Any, a: Any, b: Any) -> timing.Work:
    """The product by our kernels, without `matmul`'s choice between them and cuBLAS."""
    from gpuarray import _layout
    from gpuarray.kernels import product

    target = _layout.contiguous(a.dtype, (*a.shape[:-1], b.shape[-1]))
    run = product.launch.product_call(a._layout, b._layout, target, xp.cuda.get_current_stream())
    return lambda: run(a, b)


def tiles(found: dict[str, libraries.Library], shapes: Any, effort: timing.Effort) -> list[dict]:
    """Device seconds by the tile."""
    from gpuarray.kernels import product

    library, rows = found["gpuarray"], []
    variants, rates = product.variants, product.variants.RATES
    multiprocessors = library.module.cuda.get_current_stream().device.multiprocessors
    for left, right in shapes:
        for dtype in ("i1", "i4", "i8", "f4"):
            if 1 in (left[-2], right[-1], left[-1]):  # a reduction, or nothing to add up
                continue
            a, b = [library.to_device(_numbers(x, dtype, 1)) for x in (left, right)]
            works = {"chosen": (_own(library.module, a, b), library.stream())}
            size = a.dtype.itemsize
            members = int(np.prod(left[:-2]))
            chosen = variants.share(left[-2], right[-1], left[-1], members, size, multiprocessors)
            for tile in rates:
                if size > 4 and tile.tall == 8:
                    continue
                variants.RATES = {tile: rates[tile]}
                share = variants.share
                variants.share = _unsplit(share)
                try:
                    work = _own(library.module, a, b)
                finally:
                    variants.RATES, variants.share = rates, share
                works[f"{tile.rows}x{tile.columns}"] = work, library.stream()
            seconds = _seconds(works, effort)
            rows.append({"dtype": dtype, "shapes": [left, right], "seconds": seconds})
            listed = "  ".join([f"{name} {1e6 * s:.1f}" for name, s in seconds.items()])
            tile = chosen.tile
            how = "single" if tile is None else f"{tile.rows}x{tile.columns}/{chosen.splits}"
            print(f"{_name(left, right):34} {dtype:3} {how:12} {listed}")
            library.free()
    return rows


def _unsplit(share: Callable[..., Any]) -> Callable[..., Any]:
    def decide(rows: int, columns: int, inner: int, *rest: Any) -> Any:
        # So long an inner dimension is not left to single threads.
        found = share(rows, columns, max(inner, 65), *rest)
        return found._replace(splits=1, split_length=inner)

    return decide


def small(found: dict[str, libraries.Library], effort: timing.Effort, quick: bool) -> list[dict]:
    """Device seconds, and those of a call, of our kernels and of cuBLAS."""
    from gpuarray._libraries.blas import gemm

    library, rows = found["gpuarray"], []
    xp = library.module
    synchronize = xp.cuda.get_current_stream().synchronize
    for dtype in ("f4", "f8", "c8"):
        for side in SMALL_SIDES[: 2 if quick else None]:
            for stack in SMALL_STACKS[: 1 if quick else None]:
                shape = (stack, side, side)
                a, b = [library.to_device(_numbers(shape, dtype, seed)) for seed in (1, 2)]
                calls = {"own": _own(xp, a, b), "cuBLAS": lambda a=a, b=b: gemm(a, b)}
                stream = library.stream()
                device = _seconds({name: (work, stream) for name, work in calls.items()}, effort)
                host = {
                    name: median(times)
                    for name, times in timing.call_costs(calls, synchronize, effort).items()
                }
                rows.append({"dtype": dtype, "shape": shape, "device": device, "call": host})
                listed = "  ".join(
                    f"{name} {1e6 * device[name]:8.2f} ({1e6 * host[name]:.2f})" for name in calls
                )
                print(f"{stack:6} x {side:2} x {side:2} {dtype} device (call), µs: {listed}")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, fewer repetitions")
    parser.add_argument("--tiles", action="store_true", help="the time by each tile")
    parser.add_argument("--small", action="store_true", help="small floats, beside cuBLAS")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    effort = timing.Effort.quick() if options.quick else timing.Effort(5, 21, 0.008)
    shapes = QUICK if options.quick else SHAPES
    found, missing = libraries.available(("gpuarray", "cupy"))
    for name, reason in missing.items():
        print(f"without {name}: {reason}")
    tables: dict[str, Callable[[], Any]] = {
        "integers": lambda: integers(found, shapes, effort),
        "layouts": lambda: layouts(found, 40 if options.quick else 4096, effort),
    }
    if options.tiles:
        tables["tiles"] = lambda: tiles(found, shapes, effort)
    if options.small:
        tables["small"] = lambda: small(found, effort, options.quick)
    figures = {}
    for name, table in tables.items():
        figures[name] = table()
        if options.json:
            Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
