"""The tile for products of given sizes."""

from __future__ import annotations

from gpuarray.kernels.product.spec import Tile


def tile_for(rows: int, columns: int, itemsize: int) -> Tile:
    """The tile for matrices of results of this size, of elements of so many bytes."""
    depth = 16 if itemsize <= 4 else 8
    if rows <= 16 and columns <= 16:
        return Tile(16, 16, 16, 2, 2)
    return Tile(64, 64, depth, 4, 4)
