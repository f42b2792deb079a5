"""Random programs of arrays, which have the same results however operations are run.

    python -m tests.fusion.programs --count 100000 --seed 1

A program is a list of statements over a few named arrays: operations, views, changes in place,
reductions, assignments to parts, names that are given up. It runs with NumPy, and with gpuarray
running each operation at once, recording them, and fusing whatever it has recorded. Operations are
among those that IEEE 754 rounds in one way, so that all results are equal bit by bit. The
first arrays have halves, whose sums are exact.
"""

from __future__ import annotations

import argparse
import functools
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SHAPE = (3, 4)
_NAMES = "abcdef"
_UNARY = ("-{0}", "abs({0})", "xp.square({0})", "xp.floor({0})", "xp.sqrt(abs({0}))", "{0} > 1")
_BINARY = (
    "{0} + {1}", "{0} - {1}", "{0} * {1}", "xp.maximum({0}, {1})", "xp.minimum({0}, {1})",
    "xp.where({0} > {1}, {0}, {1})", "{0} < {1}",
)  # fmt: skip
_SCALARS = ("2", "0.5", "-3", "True", "xp.float32(1.5)")
_REDUCTIONS = ("max", "min", "any", "sum")
_DTYPES = ("f8", "i8")
#: Statements of a program.
LENGTH = 12


def statements(source: random.Random) -> list[str]:
    """A random program."""
    known = list(_NAMES[:3])
    made = [
        f"{name} = xp.asarray(data[{i}].astype({source.choice(_DTYPES)!r}))"
        for i, name in enumerate(known)
    ]

    def operand() -> str:
        name = source.choice(known)
        chance = source.random()
        if chance < 0.75:
            return name
        if chance < 0.85:
            return f"{name}[:, ::-1]"
        if chance < 0.92:
            return f"{name}[:1]"
        return source.choice(_SCALARS)

    for _ in range(LENGTH):
        target = source.choice(_NAMES)
        kind = source.random()
        if kind < 0.25:
            made.append(f"{target} = {source.choice(_UNARY).format(source.choice(known))}")
        elif kind < 0.6:
            first, second = source.choice(known), operand()
            made.append(f"{target} = {source.choice(_BINARY).format(first, second)}")
        elif kind < 0.68:
            made.append(f"{source.choice(known)}[...] = {operand()}")
            continue
        elif kind < 0.76:
            made.append(f"{source.choice(known)}[:, 1:] = {source.choice(known)}[:, :-1]")
            continue
        elif kind < 0.84:
            name = source.choice(known)
            made.append(f"xp.add({name}, {operand()}, out={name}, casting='unsafe')")
            continue
        elif kind < 0.9:
            reduction = source.choice(_REDUCTIONS)
            axis = source.choice(("0, keepdims=True", "1, keepdims=True", "None, keepdims=True"))
            name = source.choice(known)
            made.append(f"{target} = {name} * 1 + {name}.{reduction}(axis={axis})")
        elif kind < 0.95:
            made.append(f"{target} = {source.choice(known)}[::-1]")
        else:
            made.append(f"seen.append({source.choice(known)}.astype('f8').tolist())")
            continue
        if target not in known:
            known.append(target)
    made.append(f"seen += [x.tolist() for x in ({', '.join(sorted(known))},)]")
    made.append(f"seen += [str(x.dtype) for x in ({', '.join(sorted(known))},)]")
    return made


def run(program: list[str], xp: Any, data: list[np.ndarray]) -> list[Any]:
    """What a program has seen at its end."""
    names: dict[str, Any] = {"xp": xp, "data": data, "seen": []}
    exec("\n".join(program), names)
    return names["seen"]


def outcome(program: list[str], xp: Any, data: list[np.ndarray]) -> Any:
    """What a program has seen, or the type of what it raised."""
    try:
        with np.errstate(all="ignore"):
            return repr(run(program, xp, data))
    except Exception as error:
        return type(error).__name__


def data_of(seed: int) -> list[np.ndarray]:
    """The elements of a program's first arrays: small integers and halves."""
    rng = np.random.default_rng(seed)
    return [rng.integers(-8, 9, SHAPE) / 2 for _ in range(3)]


def differences(seed: int, modes: dict[str, Callable[[], None]]) -> dict[str, Any]:
    """The outcomes of the program of a seed by mode, if they are not all those of NumPy."""
    import gpuarray as cp

    program, data = statements(random.Random(seed)), data_of(seed)
    found = {}
    for name, enter in modes.items():
        enter()
        found[name] = outcome(program, cp, data)
    # Which zero is the greater one NumPy leaves open.
    signless = {x.replace("-0.0", "0.0") for x in (*found.values(), outcome(program, np, data))}
    if len(set(found.values())) == len(signless) == 1:
        return {}
    return {"numpy": outcome(program, np, data), **found}


def all_modes() -> dict[str, Callable[[], None]]:
    """How operations are run, by name."""
    from gpuarray._fusion import automatic, deferred

    deferred.LEAST_BYTES = 0
    return {
        mode: functools.partial(automatic.set_mode, mode) for mode in ("off", "on", "immediate")
    }


def main() -> int:
    """Run programs until the count is reached; the first difference ends it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    options = parser.parse_args()
    modes, start = all_modes(), time.perf_counter()
    for seed in range(options.seed, options.seed + options.count):
        found = differences(seed, modes)
        if found:
            print("\n".join(statements(random.Random(seed))))
            print(f"seed {seed}: {found}")
            return 1
        if (seed + 1) % 100 == 0:
            print(f"{seed + 1}: {time.perf_counter() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
