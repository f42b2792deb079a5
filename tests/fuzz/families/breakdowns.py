"""Programs that break down: the campaign has to survive them. Only its own tests draw them."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.case import Case
from tests.fuzz.drawing import CaseMaker, Draw

_WRONG_STORE = 'extern "C" __global__ void store(int *p) { *p = 1; }'
#: In turn, with NumPy as with gpuarray.
PROGRAMS = {
    "works": "xp.add(1, 1)",
    "wrong": "xp.ones(2) if xp is np else xp.zeros(2)",
    "abort": "np if xp is np else __import__('os').abort()",
    "works again": "xp.ones(3)",
    "endless": "while xp is not np: pass",
    "fault": f"None if xp is np else xp.RawKernel({_WRONG_STORE!r}, 'store')((1,), (1,), (np.uint64(8),))",
    "works at last": "xp.zeros(3)",
}


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """All the programs, one after the other."""

    def case(draw: Draw, make: CaseMaker) -> Case:
        name = list(PROGRAMS)[make.number % len(PROGRAMS)]
        make.program.append(PROGRAMS[name])
        return make.done(name)

    return "breakdown", case
