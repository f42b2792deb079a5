"""cuSOLVER: the rows of its functions for Cholesky factorisations."""

from __future__ import annotations

from .library_table import Row

__all__ = ["ROWS"]

ROWS: tuple[Row, ...] = ()
