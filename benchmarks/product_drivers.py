"""Matrix products by each driver that there is: own kernels, cuBLAS, cuBLASLt.

    python benchmarks/product_drivers.py                     every table
    python benchmarks/product_drivers.py --json FILE         and the figures, after each table
    python benchmarks/product_drivers.py --only bytes        one of products, bytes
    python benchmarks/product_drivers.py --quick             small and short: does it run at all?

* products: our own kernels for small matrices, `cublasGemmStridedBatchedEx`, which looks for an
  algorithm in each call, and `cublasLtMatmul` with the first algorithms of its heuristic. For each
  the device time within a graph, where no product has to wait for the host, and the host's time
  for a call. `product_wins` follows from it.
* bytes: int8 by our own kernel (dp4a), and by cuBLAS, which has the factors in an order that it
  multiplies on tensor cores; both include the copies and casts that they need.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

from benchmarks import libraries, timing  # noqa: E402
from benchmarks.products import operand  # noqa: E402

#: dtype, matrices, rows, columns, inner dimension.
PRODUCTS = [
    *[("f4", 1, n, n, n) for n in (64, 96, 128, 192, 256, 512, 1024, 4096)],
    *[("f8", 1, n, n, n) for n in (64, 96, 128, 256, 1024)],
    *[("c8", 1, n, n, n) for n in (64, 96, 128, 256, 1024)],
    *[("c16", 1, n, n, n) for n in (64, 256)],
    *[("f2", 1, n, n, n) for n in (48, 64, 96, 128, 256, 512, 1024, 2048, 4096)],
    *[("bf2", 1, n, n, n) for n in (512, 1024, 2048, 4096, 8192)],
    *[(dtype, 32, n, n, n) for dtype in ("f4", "f8", "c8", "f2") for n in (48, 64, 96, 128)],
    *[(dtype, 1000, n, n, n) for dtype in ("f4", "f8", "c8", "f2") for n in (16, 32, 48, 64)],
    ("f8", 10000, 16, 16, 16),
    ("f2", 64, 512, 512, 512),
    ("f4", 1, 1_000_000, 32, 32),
    ("f4", 1, 32, 32, 1_000_000),
    ("f4", 1, 8192, 4, 8192),
    ("f4", 1, 8192, 1, 8192),
    ("f2", 1, 8192, 1, 8192),
    ("f8", 1, 1, 8192, 8192),
]
BYTES = [(n, n, n) for n in (256, 512, 1024, 2048, 4096, 8192)] + [(4096, 64, 4096)]

#: How many algorithms of the heuristic are run.
_ALGORITHMS = 2

#: How many calls a graph has in which device time is measured.
_IN_A_GRAPH = 10


def _timed(works: dict[str, Any], stream: Any, options: Any) -> dict[str, list[float]]:
    """µs on the device, in a graph where no launch has to wait for the host, and of the host."""
    from gpuarray._ffi import driver

    graphs = {}
    for name, work in works.items():
        work()
        with stream.capture() as graph:
            for _ in range(_IN_A_GRAPH):
                work()
        graphs[name] = graph.launch, stream.ptr
    on_device = timing.device_times(graphs, driver.context_synchronize, options.effort)
    on_host = timing.call_costs(works, driver.context_synchronize, options.effort, 30)
    return {x: [1e6 * median(on_device[x]) / _IN_A_GRAPH, 1e6 * median(on_host[x])] for x in works}


def _line(label: str, row: dict[str, list[float]], operations: float, unit: str) -> None:
    cells = "".join(f"{name:>7}{device:9.2f}{host:7.2f}" for name, (device, host) in row.items())
    best = min(device for device, _ in row.values())
    print(f"{label:26}{cells}{operations / best / 1e6:7.1f} {unit}", flush=True)


def _products(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    import gpuarray as xp
    from gpuarray import _layout
    from gpuarray._libraries import blas
    from gpuarray.kernels import product

    print("\nµs on the device, and of the host for a call")
    figures: dict[str, Any] = {}
    stream = xp.cuda.get_current_stream()
    for dtype, count, m, n, k in PRODUCTS[:: 12 if options.quick else 1]:
        if options.quick:
            count, m, n, k = [min(x, 8) for x in (count, m, n, k)]
        a, b = [
            operand(found["gpuarray"], dtype, (count, *shape), i)
            for i, shape in enumerate([(m, k), (k, n)])
        ]
        layouts = a._layout, b._layout, _layout.contiguous(a.dtype, (count, m, n))
        works = {}
        if max(m, n, k) <= 256:
            works["own"] = partial(product.launch.product_call(*layouts, stream), a, b)
        routes = {"cuBLAS": blas.Route(light=False)}
        routes |= {f"Lt {i}": blas.Route(light=True, choice=i) for i in range(_ALGORITHMS)}
        for name, route in routes.items():
            run = blas.product_call(*layouts, stream, route=route)
            if run is not None:
                works[name] = partial(run, a, b)
        row = _timed(works, stream, options)
        label = f"{dtype} {count} of {m} x {k} x {n}"
        figures[label] = row
        _line(label, row, (8 if dtype[0] == "c" else 2) * count * m * n * k, "TFLOP/s")
    return figures


def _bytes(found: dict[str, libraries.Library], options: Any) -> dict[str, Any]:
    import gpuarray as xp
    from gpuarray import _layout
    from gpuarray._libraries import blas
    from gpuarray._ufunc import matrix_products
    from gpuarray.kernels import product

    print("\nint8: µs on the device, and of the host for a call")
    stream = xp.cuda.get_current_stream()
    figures: dict[str, Any] = {}
    for m, n, k in BYTES if not options.quick else [(16, 32, 16)]:
        a, b = [
            operand(found["gpuarray"], "i1", shape, i) for i, shape in enumerate([(m, k), (k, n)])
        ]
        c = xp.asfortranarray(b)
        target = _layout.contiguous(a.dtype, (m, n))
        own = product.launch.product_call(a._layout, b._layout, target, stream)
        works = {"own": partial(own, a, b)}
        for name, second, light in (("NN", b, False), ("TN", c, False), ("Lt TN", c, True)):
            try:
                run = blas.product_call(
                    a._layout, second._layout, target, stream, route=blas.Route(light)
                )
                run(a, second)
                works[name] = partial(run, a, second)
            except Exception as error:  # the table shows a gap
                print(f"    {name}: {type(error).__name__}: {error}".splitlines()[0])
        whole = matrix_products.byte_call(a._layout, b._layout, target, stream, False, None)
        works["a @ b"] = partial(whole, a, b)
        assert (whole(a, b) == own(a, b)).all()
        row = _timed(works, stream, options)
        figures[f"{m} x {k} x {n}"] = row
        _line(f"{m} x {k} x {n}", row, 2 * m * n * k, "Tops")
    return figures


_TABLES = {"products": _products, "bytes": _bytes}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=_TABLES, default=list(_TABLES))
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()
    options.effort = timing.Effort.quick() if options.quick else timing.Effort(5, 5, 0.002)

    from gpuarray._ffi import driver

    found, _ = libraries.available(["gpuarray"])
    found["gpuarray"].module.cuda.Stream(non_blocking=True).use()  # the default one has no graphs
    print(driver.describe())
    report: dict[str, Any] = {"device": driver.describe()}
    for name in options.only:
        report[name] = _TABLES[name](found, options)
        if options.json:
            Path(options.json).write_text(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
