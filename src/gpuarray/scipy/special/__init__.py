"""Special functions: SciPy's ``scipy.special``, on the device.

The ufuncs take SciPy's dtypes to SciPy's dtypes and give its values at poles and limits.

Examples
--------
>>> import gpuarray as cp
>>> import gpuarray.scipy.special
>>> cp.scipy.special.expit(cp.asarray([0.0, 100.0]))
array([0.5, 1. ])
"""

import typing as _typing

from gpuarray._namespace.public_names import public_names as _public_names
from gpuarray._namespace.signatures import without_annotations as _without_annotations
from gpuarray.scipy.special._airy import *
from gpuarray.scipy.special._bessel import *
from gpuarray.scipy.special._bessel_derivatives import *
from gpuarray.scipy.special._bessel_integrals import *
from gpuarray.scipy.special._bessel_orders01 import *
from gpuarray.scipy.special._bessel_sequences import *
from gpuarray.scipy.special._bessel_zeros import *
from gpuarray.scipy.special._combinatorics import *
from gpuarray.scipy.special._convenience import *
from gpuarray.scipy.special._elementary import *
from gpuarray.scipy.special._ellipsoidal import *
from gpuarray.scipy.special._elliptic import *
from gpuarray.scipy.special._error_functions import *
from gpuarray.scipy.special._error_states import *
from gpuarray.scipy.special._factorials import *
from gpuarray.scipy.special._function_zeros import *
from gpuarray.scipy.special._further import *
from gpuarray.scipy.special._gamma_functions import *
from gpuarray.scipy.special._hypergeometric import *
from gpuarray.scipy.special._incomplete_beta import *
from gpuarray.scipy.special._incomplete_gamma import *
from gpuarray.scipy.special._information import *
from gpuarray.scipy.special._integrals import *
from gpuarray.scipy.special._kelvin_zeros import *
from gpuarray.scipy.special._lambert import *
from gpuarray.scipy.special._legendre import *
from gpuarray.scipy.special._legendre_second import *
from gpuarray.scipy.special._logsumexp import *
from gpuarray.scipy.special._mathieu import *
from gpuarray.scipy.special._noncentral import *
from gpuarray.scipy.special._orthogonal import *
from gpuarray.scipy.special._orthopolynomials import *
from gpuarray.scipy.special._parabolic import *
from gpuarray.scipy.special._quadrature import *
from gpuarray.scipy.special._sequences import *
from gpuarray.scipy.special._spherical import *
from gpuarray.scipy.special._spheroidal import *
from gpuarray.scipy.special._statistics import *
from gpuarray.scipy.special._struve import *
from gpuarray.scipy.special._zeta import *

__all__ = [name for name in globals() if not name.startswith("_")]

if not _typing.TYPE_CHECKING:
    __getattr__, __dir__ = _public_names(__name__)

_without_annotations(globals())
