"""The order of the gallery's programs: from arrays alone to kernels of one's own, then tools."""

from __future__ import annotations

ORDER = (
    "mandelbrot.py",
    "heat.py",
    "life.py",
    "nbody.py",
    "poisson.py",
    "spectrogram.py",
    "cells.py",
    "kmeans.py",
    "patches.py",
    "option_prices.py",
    "pagerank.py",
    "bifurcation.py",
    "tiled_product.py",
    "find_a_race.py",
    "overlap.py",
)


class Order:
    """The sort key of a program by its file's name, as sphinx-gallery asks for it."""

    def __init__(self, folder: str) -> None:
        del folder  # there is only one

    def __call__(self, name: str) -> int:
        return ORDER.index(name)
