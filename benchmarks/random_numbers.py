"""Random numbers beside CuPy's, PyTorch's and NumPy's: device time, and the cost of a call.

    python benchmarks/random_numbers.py                  the table, in less than a minute
    python benchmarks/random_numbers.py --json FILE      and the figures as JSON
    python benchmarks/random_numbers.py --only choice

Each row draws the same thing in each library, as far as that has it. NumPy's time is that of one
call on the host, of a hundredth of the elements where there are more than a million. The targets
are for an H200.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, timing  # noqa: E402


class Row(NamedTuple):
    """What is drawn: expressions of a generator ``g`` and a size ``n``.

    In CuPy ``g`` is ``cupy.random.default_rng()``, and ``m`` the module ``random`` of each; PyTorch
    has an expression of its own.
    """

    ours: str
    n: int
    target_us: float | None = None
    cupy: str | None = None  # the same by default; "" for none
    torch: str = ""
    numpy: str | None = None  # likewise


#: Draws whose device time is measured.
ROWS = (
    Row("g.random(n)", 10**8, 220, torch="torch.rand(n, dtype=torch.float64, device='cuda')"),
    Row("g.random(n, 'f4')", 10**8, torch="torch.rand(n, device='cuda')"),
    Row("g.standard_normal(n)", 10**8, 350,
        torch="torch.randn(n, dtype=torch.float64, device='cuda')"),
    Row("g.standard_normal(n, 'f4')", 10**8, torch="torch.randn(n, device='cuda')"),
    Row("g.standard_exponential(n)", 10**8),
    Row("g.normal(1.0, 2.0, n)", 10**8, cupy="m.normal(1.0, 2.0, n)"),
    Row("g.integers(0, 1000, n)", 10**8, torch="torch.randint(0, 1000, (n,), device='cuda')"),
    Row("g.integers(0, 3 * 2**30, n)", 10**8,
        torch="torch.randint(0, 3 * 2**30, (n,), device='cuda')"),
    Row("g.integers(0, 256, n, 'u1')", 10**8,
        torch="torch.randint(0, 256, (n,), dtype=torch.uint8, device='cuda')"),
    Row("g.permutation(n)", 10**7, 400, cupy="m.permutation(n)",
        torch="torch.randperm(n, device='cuda')"),
    Row("g.choice(10**9, n, replace=False)", 1000, 100, cupy=""),
    Row("g.choice(10**9, n, replace=False)", 10**6, cupy=""),
    Row("p.random(n)", 10**8, cupy="", numpy="p.random(n)"),
    # The module's functions.
    Row("m.random_sample(n, dtype='f4')", 10**8, 105, torch="torch.rand(n, device='cuda')",
        numpy="m.random_sample(n)"),
    Row("m.random_sample(n)", 10**8,
        torch="torch.rand(n, dtype=torch.float64, device='cuda')"),
    Row("m.randn(n, dtype='f4')", 10**8, 120, torch="torch.randn(n, device='cuda')",
        numpy="m.randn(n)"),
    Row("m.randn(n)", 10**8, torch="torch.randn(n, dtype=torch.float64, device='cuda')"),
    Row("m.randint(0, 1000, n, 'i4')", 10**8, 130,
        torch="torch.randint(0, 1000, (n,), dtype=torch.int32, device='cuda')"),
    Row("m.randint(0, 1000, n)", 10**8, torch="torch.randint(0, 1000, (n,), device='cuda')"),
    Row("m.permutation(n)", 10**7, torch="torch.randperm(n, device='cuda')"),
    Row("m.choice(10**9, n, replace=False)", 1000, 100, cupy="", numpy=""),
    # Distributions with rejection, and then the others.
    *[
        Row(f"m.{draw}", 10**7)
        for draw in (
            "gamma(2.5, 1.0, n)", "gamma(0.5, 1.0, n)", "beta(2.0, 3.0, n)", "beta(0.5, 0.7, n)",
            "standard_t(5.0, n)", "chisquare(3.0, n)", "noncentral_chisquare(3.0, 2.0, n)",
            "f(5.0, 7.0, n)", "noncentral_f(3.0, 5.0, 2.0, n)", "vonmises(0.0, 2.0, n)",
            "poisson(4.5, n)", "poisson(1000.0, n)", "binomial(10, 0.3, n)",
            "binomial(10**6, 0.3, n)", "negative_binomial(5, 0.4, n)",
            "hypergeometric(500, 600, 400, n)", "zipf(2.5, n)",
            "dirichlet([1.0, 2.0, 3.0], n // 10)", "geometric(0.3, n)", "logseries(0.6, n)",
            "wald(1.0, 2.0, n)", "exponential(2.0, n)", "gumbel(0.0, 1.0, n)",
            "laplace(0.0, 1.0, n)", "logistic(0.0, 1.0, n)", "lognormal(0.0, 1.0, n)",
            "normal(1.0, 2.0, n)", "pareto(3.0, n)", "power(3.0, n)", "rayleigh(1.0, n)",
            "standard_cauchy(n)", "triangular(0.0, 0.4, 1.0, n)", "uniform(1.0, 2.0, n)",
            "weibull(2.0, n)",
        )
    ],
    Row("m.multinomial(100, [0.1, 0.2, 0.3, 0.4], n)", 10**6),
    Row("g.gamma(2.5, 1.0, n)", 10**7),
    Row("g.poisson(1000.0, n)", 10**7),
    Row("g.binomial(10**6, 0.3, n)", 10**7),
)  # fmt: skip

#: Calls whose cost on the host is measured.
CALLS = (
    Row("g.random(n)", 16, 6, torch="torch.rand(n, dtype=torch.float64, device='cuda')"),
    Row("g.standard_normal(n)", 16, torch="torch.randn(n, dtype=torch.float64, device='cuda')"),
    Row("g.integers(0, 100, n)", 16, torch="torch.randint(0, 100, (n,), device='cuda')"),
    Row("g.gamma(2.5, 1.0, n)", 16),
    Row("m.random_sample(n)", 16, torch="torch.rand(n, dtype=torch.float64, device='cuda')"),
    Row("m.randn(n)", 16, torch="torch.randn(n, dtype=torch.float64, device='cuda')"),
    Row("m.randint(0, 100, n)", 16, torch="torch.randint(0, 100, (n,), device='cuda')"),
    Row("m.gamma(2.5, 1.0, n)", 16),
)


def _names(library: str, module: Any, n: int) -> dict[str, Any]:
    if library == "torch":
        return {"torch": module, "n": n}
    random = module.random
    names = {"g": random.default_rng(1), "m": random, "n": n}
    if library != "cupy":
        names["p"] = random.Generator(random.Philox(1))
    return names


def _works(row: Row, found: dict[str, libraries.Library], n: int) -> dict[str, Any]:
    """A call of each library that has the draw, and its stream."""
    works = {}
    for name, library in found.items():
        text = {"gpuarray": row.ours, "cupy": row.cupy, "torch": row.torch}[name]
        text = row.ours if text is None else text
        if not text:
            continue
        code, names = compile(text, text, "eval"), _names(name, library.module, n)

        def work(code: Any = code, names: dict[str, Any] = names) -> Any:
            return eval(code, names)

        try:
            work()
        except Exception as error:  # a peer may lack the draw
            print(f"  {name}: {text}: {type(error).__name__}: {str(error)[:80]}")
            continue
        works[name] = work, library.stream()
    return works


def _numpy_seconds(row: Row, n: int) -> float:
    """The host's time for a call of NumPy's, for as many elements."""
    less = n // 100 if n > 10**6 else n
    names = _names("numpy", np, less)
    code = compile(row.numpy or row.ours, "numpy", "eval")
    before = time.perf_counter()
    eval(code, names)
    return (time.perf_counter() - before) * n / less


def _report(row: Row, n: int, seconds: dict[str, float]) -> dict[str, Any]:
    target = "" if row.target_us is None else f"target {row.target_us:g}"
    listed = "  ".join([f"{name} {1e6 * s:10.1f}" for name, s in seconds.items()])
    print(f"{row.ours:36} n={n:<10} {listed}  {target}")
    microseconds = {name: 1e6 * s for name, s in seconds.items()}
    return {"draw": row.ours, "n": n, "us": microseconds, "target_us": row.target_us}


def _device(found: dict[str, libraries.Library], rows: Any, effort: Any, quick: bool) -> list[Any]:
    from gpuarray._ffi import driver

    figures = []
    for row in rows:
        n = min(row.n, 2000) if quick else row.n
        works = _works(row, found, n)
        times = timing.device_times(works, driver.context_synchronize, effort)
        seconds = {name: median(samples) for name, samples in times.items()}
        if row.numpy != "":
            seconds["numpy"] = _numpy_seconds(row, n)
        figures.append(_report(row, n, seconds))
        for library in found.values():
            library.free()
    return figures


def _calls(found: dict[str, libraries.Library], rows: Any, effort: Any) -> list[Any]:
    from gpuarray._ffi import driver

    figures = []
    for row in rows:
        works: dict[str, Callable[[], Any]] = {
            name: work for name, (work, _) in _works(row, found, row.n).items()
        }
        times = timing.call_costs(works, driver.context_synchronize, effort)
        seconds = {name: median(samples) for name, samples in times.items()}
        seconds["numpy"] = _numpy_seconds(row, row.n)
        figures.append(_report(row, row.n, seconds))
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--only", default="", help="draws with this text")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    effort = timing.Effort.quick() if options.quick else timing.Effort(5, 21, 0.008)
    found, missing = libraries.available()
    for name, reason in missing.items():
        print(f"without {name}: {reason}")
    print("device, µs:")
    rows = [row for row in ROWS if options.only in row.ours]
    figures: dict[str, Any] = {"device": _device(found, rows, effort, options.quick)}
    print("a call on the host, µs:")
    figures["call"] = _calls(found, [x for x in CALLS if options.only in x.ours], effort)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
