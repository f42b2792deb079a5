"""Operations of a sparse array of three dimensions in coordinates, beside PyTorch's.

    python benchmarks/sparse_dimensions.py                the table, in about 20 seconds
    python benchmarks/sparse_dimensions.py --quick        smaller arrays, fewer repetitions
    python benchmarks/sparse_dimensions.py --json FILE    and the figures as JSON

``a`` has its entries in any order, some of them at one place; ``c`` is the same in order. Times are
the device's, medians; a call that waits for the device counts that, too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import numpy as np

from benchmarks import libraries
from benchmarks.timing import DeviceClock

#: The shape and the entries, and those of ``--quick``.
_WHOLE, _QUICK = ((1000, 2000, 500), 10**7), ((10, 20, 30), 500)

Works = dict[str, Callable[[], Any]]


def gpuarray_works(xp: Any, coords: list[Any], data: Any, shape: tuple[int, ...]) -> Works:
    """The operations, by their names in the table."""
    sparse = xp.scipy.sparse
    a = sparse.coo_array((data, coords), shape=shape)
    c = a.copy()
    c.sum_duplicates()
    rows = xp.arange(0, shape[1], max(shape[1] // 100, 1))
    columns = xp.ones((shape[2], 4), data.dtype)

    def ordered() -> Any:
        b = a.transpose((0, 1, 2))  # which shares the entries
        b.sum_duplicates()
        return b

    return {
        "sum_duplicates": ordered,
        "c + c": lambda: c + c,
        "c * c": lambda: c * c,
        "c != c": lambda: c != c,
        "c.sum(axis=2)": lambda: c.sum(axis=2),
        "c.sum(axis=(0, 1))": lambda: c.sum(axis=(0, 1)),
        "c.max(axis=2)": lambda: c.max(axis=2),
        "c[5]": lambda: c[5],
        "c[:, rows]": lambda: c[:, rows],
        "c @ columns": lambda: c @ columns,
        "reshape": lambda: c.reshape(shape[::-1]),
    }


def torch_works(torch: Any, coords: list[Any], data: Any, shape: tuple[int, ...]) -> Works:
    """Those that PyTorch has."""
    a = torch.sparse_coo_tensor(torch.stack(coords), data, shape)
    c = a.coalesce()
    return {
        "sum_duplicates": a.coalesce,
        "c + c": lambda: c + c,
        "c * c": lambda: c * c,
        "c.sum(axis=2)": lambda: torch.sparse.sum(c, 2),
        "c.sum(axis=(0, 1))": lambda: torch.sparse.sum(c, (0, 1)),
        "c[5]": lambda: c[5],
    }


WORKS = {"gpuarray": gpuarray_works, "torch": torch_works}


def measure(shape: tuple[int, ...], count: int, repeats: int) -> dict[str, dict[str, float]]:
    """Microseconds of each operation, by library."""
    random = np.random.default_rng(1)
    coords = [random.integers(0, n, count) for n in shape]
    data = random.random(count, np.float32)
    found: dict[str, dict[str, float]] = {}
    clock: DeviceClock | None = None
    for library in libraries.available(tuple(WORKS))[0].values():
        clock = clock or DeviceClock()
        given = [library.to_device(x) for x in coords]
        works = WORKS[library.name](library.module, given, library.to_device(data), shape)
        for name, work in works.items():
            work()
            times = [clock.seconds(work, 1, library.stream()) for _ in range(repeats)]
            found.setdefault(name, {})[library.name] = 1e6 * median(times)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    shape, count = _QUICK if options.quick else _WHOLE
    figures = measure(shape, count, 2 if options.quick else 7)
    print(f"{count} entries of float32, shape {shape}: microseconds on the device")
    for name, times in figures.items():
        print(f"{name:20}" + "".join([f"  {x} {us:10.1f}" for x, us in times.items()]))
    if options.json:
        Path(options.json).write_text(json.dumps({"us": figures}, indent=1))


if __name__ == "__main__":
    main()
