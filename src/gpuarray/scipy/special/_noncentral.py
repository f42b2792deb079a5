"""The noncentral chi-squared, F and t distributions."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "chndtr", "chndtridf", "chndtrinc", "chndtrix", "ncfdtr", "ncfdtri", "ncfdtridfd",
    "ncfdtridfn", "ncfdtrinc", "nctdtr", "nctdtridf", "nctdtrinc", "nctdtrit",
]  # fmt: skip

chndtr = create(ROWS["chndtr"])
chndtrix = create(ROWS["chndtrix"])
chndtridf = create(ROWS["chndtridf"])
chndtrinc = create(ROWS["chndtrinc"])
ncfdtr = create(ROWS["ncfdtr"])
ncfdtri = create(ROWS["ncfdtri"])
ncfdtridfn = create(ROWS["ncfdtridfn"])
ncfdtridfd = create(ROWS["ncfdtridfd"])
ncfdtrinc = create(ROWS["ncfdtrinc"])
nctdtr = create(ROWS["nctdtr"])
nctdtrit = create(ROWS["nctdtrit"])
nctdtridf = create(ROWS["nctdtridf"])
nctdtrinc = create(ROWS["nctdtrinc"])
