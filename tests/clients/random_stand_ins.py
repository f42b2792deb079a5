"""Stand-ins for ``numpy.random`` that draw with gpuarray's."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpuarray as cp
from gpuarray.random import _bit_generators as bit_generators
from gpuarray.random import _generator as generator
from gpuarray.random import _module_functions as functions
from tests.clients.host_calls import host_call, host_class
from tests.clients.replaced_imports import StandInModule

_CHANGED = {"shuffle": ("x",)}

names: dict[str, Any] = {}
for _name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
    names[_name] = host_class(getattr(cp.random, _name), __name__)
    bit_generators.BY_NAME[_name] = names[_name]
names["BitGenerator"] = cp.random.BitGenerator
for _name in ("Generator", "RandomState"):
    names[_name] = host_class(getattr(cp.random, _name), __name__, _CHANGED)
names["RandomState"]._poisson_lam_max = np.random.RandomState._poisson_lam_max
globals().update(names)  # where pickle looks for them

_FUNCTIONS = set(functions.__all__) & set(dir(np.random))
_state = names["RandomState"]()


for _name in _FUNCTIONS:
    names[_name] = host_call(getattr(cp.random, _name), _CHANGED.get(_name, ()))
# What `default_rng` makes is of the stand-ins' classes.
generator.Generator, generator.PCG64 = names["Generator"], names["PCG64"]
names["default_rng"] = cp.random.default_rng

random = StandInModule(np.random, names)
numpy = StandInModule(np, {"random": random})
random.mtrand = StandInModule(np.random.mtrand, {**names, "_rand": _state})

#: What stands for modules in the tests of NumPy's random numbers.
MODULES = {"numpy": numpy, "numpy.random": random}
