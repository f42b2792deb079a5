"""Traces of allocations: what programs ask a memory pool for, and in which order they free it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

#: ``size`` allocates so many bytes; ``-1 - place`` frees what is at that place among all that is
#: allocated, in the order of its allocation.
Trace = Iterator[int]


def random_sizes(
    count: int, *, seed: int, mean: float, sigma: float, living: int, most: int
) -> Trace:
    """Lognormal sizes with lifetimes that have nothing to do with them."""
    rng = np.random.default_rng(seed)
    for place, size in enumerate(np.clip(rng.lognormal(mean, sigma, count), 64, most)):
        yield int(size)
        if place >= living:
            yield -1 - int(rng.integers(living + 1))


def training(steps: int, *, seed: int) -> Trace:
    """Layers of a network forwards and backwards, with batches of three sizes."""
    rng = np.random.default_rng(seed)
    widths = [int(width) for width in rng.integers(100, 3000, 12)]
    for _ in range(steps):
        batch = int(rng.choice([32, 48, 64]))
        for layer, width in enumerate(widths):
            yield batch * width * 16  # kept for the way back
            yield batch * 4096  # of the layer only
            yield -1 - (layer + 1)
        for layer in range(len(widths) - 1, -1, -1):
            yield widths[layer] * 4096
            yield -1 - (layer + 1)
            yield -1 - layer


def growing(count: int) -> Trace:
    """Arrays a little larger than the one before, as of a list that grows, again and again."""
    size, living = 4096, 0
    for number in range(count):
        size = int(size * 1.05) if number % 150 else 4096
        yield size
        living += 1
        if living > 2:
            yield -1
            living -= 1


def repeated(steps: int) -> Trace:
    """The same few sizes in each step, as most programs ask for them."""
    for _ in range(steps):
        yield from (4096, 1 << 20, 4096, 3 << 20, -1, -1, -1, -1)


#: By name, with a factor for how long.
TRACES: dict[str, Callable[[int], Trace]] = {
    "random, up to 4 MiB": lambda n: random_sizes(
        500 * n, seed=1, mean=10, sigma=2, living=200, most=4 << 20
    ),
    "random, up to 32 MiB": lambda n: random_sizes(
        500 * n, seed=2, mean=12, sigma=2, living=300, most=32 << 20
    ),
    "random, up to 64 MiB": lambda n: random_sizes(
        300 * n, seed=3, mean=14, sigma=1.5, living=100, most=64 << 20
    ),
    "random, about 700 KiB": lambda n: random_sizes(
        400 * n, seed=4, mean=13.5, sigma=0.6, living=150, most=64 << 20
    ),
    "training": lambda n: training(5 * n, seed=5),
    "growing": lambda n: growing(50 * n),
    "the same sizes": lambda n: repeated(100 * n),
}
