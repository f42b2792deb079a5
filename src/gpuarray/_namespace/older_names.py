"""Names that NumPy 1 had and CuPy still has.

A name here stands for another one of the public module, for an object of NumPy's, or for nothing
any more; `_ops/older_functions.py` has the functions among them that stand for no other. The names
are found when they are asked for: what lists the public module shows today's.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

#: Other names of what the public module has.
ALIASES = {
    "Inf": "inf",
    "Infinity": "inf",
    "NAN": "nan",
    "NaN": "nan",
    "PINF": "inf",
    "alltrue": "all",
    "cfloat": "complex128",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "fromDlpack": "from_dlpack",
    "infty": "inf",
    "product": "prod",
    "round_": "round",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "trapz": "trapezoid",
}

#: Values.
CONSTANTS = {
    "NINF": float("-inf"),
    "NZERO": -0.0,
    "PZERO": 0.0,
    # CuPy looks at it before it warns of an experimental feature. There are none here.
    "disable_experimental_feature_warning": False,
}

#: Objects of other modules.
ELSEWHERE = {
    "AxisError": "numpy.exceptions",
    "ComplexWarning": "numpy.exceptions",
    "DataSource": "numpy.lib.npyio",
    "ModuleDeprecationWarning": "numpy.exceptions",
    "RankWarning": "numpy.exceptions",
    "TooHardError": "numpy.exceptions",
    "VisibleDeprecationWarning": "numpy.exceptions",
    "format_parser": "numpy.rec",
    "is_available": "gpuarray.cuda",
} | dict.fromkeys(
    [
        "asfarray", "byte_bounds", "issctype", "issubclass_", "issubsctype", "make_aligned_dtype",
        "msort", "obj2sctype", "sctype2char", "who",
    ],
    "gpuarray._ops.older_functions",
)  # fmt: skip

#: What NumPy 2 removed (in CuPy, a call raises), and what to use.
REMOVED = {
    "disp": "print",
    "find_common_type": "gpuarray.promote_types or gpuarray.result_type",
    "get_array_wrap": "nothing: results are arrays in device memory",
    "safe_eval": "ast.literal_eval",
    "set_string_function": "gpuarray.set_printoptions",
}


def find(module: ModuleType, name: str) -> Any:
    """What an older name stands for in the public module.

    Raises
    ------
    KeyError
        If it is no older name.
    AttributeError
        If it was removed; the message says what to use.
    """
    if name in ALIASES:
        return getattr(module, ALIASES[name])
    if name in ELSEWHERE:
        return getattr(importlib.import_module(ELSEWHERE[name]), name)
    if name in REMOVED:
        raise AttributeError(
            f"module {module.__name__!r} has no attribute {name!r}: NumPy 2 removed it; use "
            f"{REMOVED[name]}",
            name=name,
        )
    return CONSTANTS[name]
