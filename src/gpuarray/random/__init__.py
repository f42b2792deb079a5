"""Random numbers in device memory: NumPy's ``numpy.random``.

``default_rng(seed)`` draws the numbers of NumPy's ``default_rng(seed)``. Modules are imported when
a name of theirs is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names as _public_names

if TYPE_CHECKING:
    from gpuarray.random._bit_generators import *  # noqa: F403
    from gpuarray.random._curand_generators import *  # noqa: F403
    from gpuarray.random._device_states import *  # noqa: F403
    from gpuarray.random._generator import *  # noqa: F403
    from gpuarray.random._module_functions import *  # noqa: F403
    from gpuarray.random._random_state import RandomState as RandomState

#: What reads and changes the current device's state.
_STATES = [
    "get_bit_generator", "get_random_state", "get_state", "reset_states", "seed",
    "set_bit_generator", "set_random_state", "set_state",
]  # fmt: skip
#: The functions, which draw from the current device's state.
_FUNCTIONS = [
    "beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma",
    "geometric", "gumbel", "hypergeometric",
    "laplace", "logistic", "lognormal", "logseries", "multinomial", "multivariate_normal",
    "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto", "permutation",
    "poisson", "power", "rand", "randint", "randn", "random", "random_integers", "random_sample",
    "ranf", "rayleigh", "sample",
    "shuffle", "standard_cauchy", "standard_exponential", "standard_gamma",
    "standard_normal", "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull",
    "zipf",
]  # fmt: skip

#: Public names, and the modules that have them.
_MEMBERS = {
    "RandomState": "_random_state",
    "BitGenerator": "_bit_generators",
    "Generator": "_generator",
    "MRG32k3a": "_curand_generators",
    "MT19937": "_bit_generators",
    "PCG64": "_bit_generators",
    "PCG64DXSM": "_bit_generators",
    "Philox": "_bit_generators",
    "Philox4x3210": "_curand_generators",
    "SFC64": "_bit_generators",
    "SeedSequence": "_bit_generators",
    "XORWOW": "_curand_generators",
    "default_rng": "_generator",
}
_MEMBERS |= dict.fromkeys(_STATES, "_device_states")
_MEMBERS |= dict.fromkeys(_FUNCTIONS, "_module_functions")

__all__ = list(_MEMBERS)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _public_names(__name__, (), _MEMBERS)
