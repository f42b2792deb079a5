"""``python -m tests.fuzz``: run the fuzzer from the root of the checkout."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Compare random calls with NumPy's."
    )
    parser.add_argument("--cases", type=int, default=20_000, help="how many (default: 20,000)")
    parser.add_argument(
        "--seed", type=int, default=0, help="another seed, other cases (default: 0)"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--backend", choices=("emulator", "cuda"), default="emulator")
    parser.add_argument(
        "--repeat", type=int, default=0,
        help="cases with the same function, dtypes and layouts, which share their kernels "
        "(default: 8 on the emulator, 128 on a GPU)",
    )  # fmt: skip
    parser.add_argument(
        "--sizes", choices=("small", "full"), default="",
        help="the longest axes (default: small on the emulator, full on a GPU)",
    )  # fmt: skip
    parser.add_argument("--families", default="", help="of these only, with commas between them")
    parser.add_argument("--case", action="append", default=[], metavar="ID",
                        help="run a case of a report again, with its seed and sizes")  # fmt: skip
    parser.add_argument(
        "--kernel-cache", metavar="PATH", default="", help="keep compiled kernels here"
    )
    parser.add_argument("--report", metavar="FILE", default="", help="write a report as JSON")
    parser.add_argument("--shrink", type=int, default=40, help="how many causes are shortened")
    parser.add_argument("--seconds", type=float, default=0, help="begin nothing after this time")
    parser.add_argument("--hang-seconds", type=float, default=120, help="how long a case may take")
    return parser.parse_args()


def main() -> int:
    """Run the campaign; the status says whether anything was found."""
    asked = arguments()
    os.environ["GPUARRAY_BACKEND"] = asked.backend
    # Each process has few arrays: threads of the host's mathematics only compete.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    on_gpu = asked.backend == "cuda"
    from tests.fuzz.campaign import Campaign, Settings

    settings = Settings(
        cases=asked.cases,
        seed=int(asked.case[0].split("/")[0]) if asked.case else asked.seed,
        jobs=1 if asked.case else asked.jobs,
        repeat=asked.repeat or (128 if on_gpu else 8),
        sizes=asked.sizes or ("full" if on_gpu else "small"),
        families=tuple(filter(None, asked.families.split(","))),
        only=tuple(asked.case),
        hang_seconds=asked.hang_seconds,
        seconds=asked.seconds,
        shrink=asked.shrink,
    )
    with tempfile.TemporaryDirectory(prefix="gpuarray-fuzz-cache-") as directory:
        os.environ.setdefault("GPUARRAY_CACHE_SIZE", "16G")
        os.environ["GPUARRAY_CACHE_DIR"] = os.path.abspath(asked.kernel_cache or directory)
        report = Campaign(settings).run()
    print(report.text())
    if asked.report:
        report.write(Path(asked.report))
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
