"""Owen's T function, Kolmogorov's distribution, parameters of the normal one, Wright's function."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "kolmogi",
    "kolmogorov",
    "nrdtrimn",
    "nrdtrisd",
    "owens_t",
    "powm1",
    "wright_bessel",
]

kolmogi = create(ROWS["kolmogi"])
kolmogorov = create(ROWS["kolmogorov"])
nrdtrimn = create(ROWS["nrdtrimn"])
nrdtrisd = create(ROWS["nrdtrisd"])
owens_t = create(ROWS["owens_t"])
powm1 = create(ROWS["powm1"])
wright_bessel = create(ROWS["wright_bessel"])
