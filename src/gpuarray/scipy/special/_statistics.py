"""Owen's T function, Kolmogorov's, Smirnov's and Tukey's distributions, Wright's function."""

from __future__ import annotations

from gpuarray._ufunc import create_further as create
from gpuarray.kernels.special import ROWS

__all__ = [
    "besselpoly",
    "kolmogi",
    "kolmogorov",
    "log_wright_bessel",
    "nrdtrimn",
    "nrdtrisd",
    "owens_t",
    "powm1",
    "smirnov",
    "smirnovi",
    "tklmbda",
    "wright_bessel",
]

besselpoly = create(ROWS["besselpoly"])
kolmogi = create(ROWS["kolmogi"])
kolmogorov = create(ROWS["kolmogorov"])
log_wright_bessel = create(ROWS["log_wright_bessel"])
nrdtrimn = create(ROWS["nrdtrimn"])
nrdtrisd = create(ROWS["nrdtrisd"])
owens_t = create(ROWS["owens_t"])
powm1 = create(ROWS["powm1"])
smirnov = create(ROWS["smirnov"])
smirnovi = create(ROWS["smirnovi"])
tklmbda = create(ROWS["tklmbda"])
wright_bessel = create(ROWS["wright_bessel"])
