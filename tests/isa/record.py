"""Record the results of every row on the current backend.

    GPUARRAY_BACKEND=cuda PYTHONPATH=src python tests/isa/record.py --out tests/isa/h200.npz

makes the file that the emulator is compared with. ``--everything`` keeps all results, for
``compare.py`` to show values; ``--seed`` draws other operands.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.isa.execution import FAMILIES, run
from tests.isa.recording import Recording


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--everything", action="store_true", help="keep all results")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", action="append", choices=FAMILIES, help="only these")
    options = parser.parse_args()
    recording = Recording()
    for family in options.family or FAMILIES:
        start = time.perf_counter()
        try:
            outcome = run(family, options.seed)
        except Exception as error:  # the others are worth recording all the same
            print(f"{family}: {type(error).__name__}: {error}")
            continue
        recording.add(family, outcome)
        seconds = time.perf_counter() - start
        print(
            f"{family}: {len(outcome.results)} rows, {len(outcome.errors)} failed, {seconds:.1f} s"
        )
        for name, reason in outcome.errors.items():
            print(f"    {name}: {reason}")
    recording.about = _about(options.seed)
    recording.save(options.out, options.everything)
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.2f} MB; {recording.about}")
    return 0


def _about(seed: int) -> dict:
    from gpuarray._ffi import driver

    device = driver.device_get(0)
    return {
        "backend": driver.backend, "device": driver.device_name(device),
        "driver": driver.driver_version(), "seed": seed,
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
