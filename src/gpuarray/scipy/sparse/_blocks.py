"""Rows in blocks: their number, a size for them, and where entries are in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuarray._ops.casts import astype
from gpuarray._ops.creation import zeros
from gpuarray._ops.unique import unique
from gpuarray.kernels.sparse_format.launch import line_pointers, pack_keys
from gpuarray.scipy.sparse import _shapes
from gpuarray.scipy.sparse._index_dtype import INT64, index_dtype

if TYPE_CHECKING:
    from gpuarray.scipy.sparse._bsr import BsrBase
    from gpuarray.scipy.sparse._csr import CsrBase

__all__ = ["block_counts", "blocks_of"]

#: Which part of a block's elements must be stored for blocks of that size to be chosen.
_FILLED = 0.7


def block_counts(shape: Any, block: Any, message: str) -> tuple[int, int]:
    """How many rows and columns of blocks a shape has."""
    fits = len(block) == 2 and all(_shapes.is_integer(x) for x in block) and min(block) > 0
    if not fits or shape[0] % block[0] or shape[1] % block[1]:
        raise ValueError(message)
    return shape[0] // block[0], shape[1] // block[1]


def blocks_of(a: CsrBase, blocksize: tuple[int, int] | None) -> BsrBase:
    """Rows in blocks. Waits for the device to know how many there are."""
    if a.ndim != 2:
        raise ValueError("Cannot convert a 1d sparse array to bsr format")
    block = _usual_size(a) if blocksize is None else tuple(blocksize)
    rows, columns = block_counts(a._shape_2d, block, f"invalid blocksize {block}")
    height, width = block
    container = a._class_of("bsr")
    if (height, width) == (1, 1):
        made: BsrBase = container._from_parts(
            a.data.reshape(-1, 1, 1), a.indices, a.indptr, a.shape,
            sorted=a._sorted, canonical=a._canonical,
        )  # fmt: skip
        return made
    if not a.has_canonical_format:
        a = a.copy()
        a.sum_duplicates()
    major = a._major()
    keys = _block_keys(a, major, height, width)
    found, which = unique(keys, return_inverse=True)
    index = index_dtype((a.indices, a.indptr), max(columns, found.size))
    data = zeros(found.size * height * width, a.dtype)
    place = which * (height * width) + astype(major % height, INT64) * width + a.indices % width
    data[place] = a.data
    made = container._from_parts(
        data.reshape(-1, height, width),
        astype(found % max(columns, 1), index),
        line_pointers(found, rows, max(columns, 1), index),
        a.shape,
        canonical=True,
    )
    return made


def _block_keys(a: CsrBase, major: Any, height: int, width: int) -> Any:
    rows, columns = a._shape_2d
    return pack_keys(major // height, a.indices // width, rows // height, max(columns // width, 1))


def _usual_size(a: CsrBase) -> tuple[int, int]:
    """The largest square blocks, of 1, 2, 3, 4 or 6 rows, that are filled well."""
    if not a.nnz:
        return 1, 1
    major = a._major()

    def filled(size: int) -> float:
        if a._shape_2d[0] % size or a._shape_2d[1] % size:
            return 0.0
        blocks: Any = unique(_block_keys(a, major, size, size))
        return a.nnz / (size * size * blocks.size)

    high = (1 + _FILLED) / 2
    threes = filled(3)
    if threes > high and filled(2) > high:
        return (6, 6) if filled(6) > _FILLED else (3, 3)
    if filled(4) > _FILLED:
        return 4, 4
    if threes > _FILLED:
        return 3, 3
    return (2, 2) if filled(2) > _FILLED else (1, 1)
