"""Files of arrays: archives as `load` returns them, and files by name or address.

Examples
--------
>>> import gpuarray as cp
>>> cp.lib.npyio.DataSource is cp.DataSource
True
"""

from __future__ import annotations

from numpy.lib.npyio import DataSource

from gpuarray._namespace.public_names import listing
from gpuarray._ops.binary_files import NpzFile

__all__ = ["DataSource", "NpzFile"]
__dir__ = listing(__name__)
