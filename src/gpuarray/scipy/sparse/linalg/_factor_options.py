"""Options of SuperLU, which are checked as SciPy does, and not used.

The names are those of the SuperLU Users' Guide (LBNL-44289), section 2.4.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any

from gpuarray.scipy.sparse._arguments import real

__all__ = ["check_options"]

#: Options that are one of some names, or their numbers.
_NAMES = {
    "Fact": {"DOFACT": 0},
    "RowPerm": {"NOROWPERM": 0, "MY_PERMR": 3},
    "ColPerm": {"NATURAL": 0, "MMD_ATA": 1, "MMD_AT_PLUS_A": 2, "COLAMD": 3},
    "Trans": {"NOTRANS": 0, "TRANS": 1, "CONJ": 2},
    "IterRefine": {
        "NOREFINE": 0, "SINGLE": 1, "DOUBLE": 2, "EXTRA": 3, "SLU_SINGLE": 1, "SLU_DOUBLE": 2,
        "SLU_EXTRA": 3,
    },
    "ILU_Norm": {"ONE_NORM": 0, "TWO_NORM": 1, "INF_NORM": 2},
    "ILU_MILU": {"SILU": 0, "SMILU_1": 1, "SMILU_2": 2, "SMILU_3": 3},
}  # fmt: skip
_RULES = ("BASIC", "PROWS", "COLUMN", "AREA", "SECONDARY", "DYNAMIC", "INTERP")
_BOOLS = (
    "Equil", "SymmetricMode", "PivotGrowth", "ConditionNumber", "ReplaceTinyPivot",
    "SolveInitialized", "RefineInitialized", "PrintStat",
)  # fmt: skip
_REALS = ("DiagPivotThresh", "ILU_DropTol", "ILU_FillTol", "ILU_FillFactor")
_INTEGERS = ("PanelSize", "Relax")

#: The arguments that options have as well.
_ARGUMENTS = {
    "ColPerm": "permc_spec",
    "DiagPivotThresh": "diag_pivot_thresh",
    "Relax": "relax",
    "PanelSize": "panel_size",
    "ILU_DropRule": "drop_rule",
}


def check_options(name: str, options: Any = None, **given: Any) -> None:
    """Check options of SuperLU, of which none is used.

    Parameters
    ----------
    name : str
        The function, for messages.
    options : dict, optional
        SciPy's argument of that name, which goes before the others.
    given : object
        Options by SuperLU's names; None is the default.

    Raises
    ------
    ValueError
        If an option has no such value.
    TypeError
        If there is no such option, or its value has no such type.
    """
    found = dict(given)
    if options is not None:
        if isinstance(options, str) or not isinstance(options, Iterable):
            error: type[Exception] = ValueError if isinstance(options, str) else TypeError
            raise error(f"{name}: options is a dict of SuperLU's options, not {options!r}")
        found.update(options)
    for key, value in found.items():
        if value is None and isinstance(key, str) and _is_option(key):
            continue
        _check(name, key, value)


def _is_option(key: str) -> bool:
    return key in _NAMES or key == "ILU_DropRule" or key in (*_BOOLS, *_REALS, *_INTEGERS)


def _check(name: str, key: Any, value: Any) -> None:
    """Check one option."""
    shown = _ARGUMENTS.get(key, f"the option {key!r}")
    if key in _NAMES:
        names = _NAMES[key]
        known = value in names.values() if isinstance(value, int) else _text(value) in names
        if not known:
            raise ValueError(f"{name}: {shown} is one of {', '.join(names)}, not {value!r}")
    elif key == "ILU_DropRule":
        _check_rules(name, shown, value)
    elif key in _BOOLS:
        if not isinstance(value, bool):
            raise ValueError(f"{name}: {shown} is True or False, not {value!r}")
    elif key in _REALS:
        real(name, shown, value)
    elif key in _INTEGERS:
        try:
            index(value)
        except TypeError:
            raise TypeError(f"{name}: {shown} is an integer, not {value!r}") from None
    else:
        names_of_all = ", ".join((*_NAMES, "ILU_DropRule", *_BOOLS, *_REALS, *_INTEGERS))
        raise TypeError(f"{name}: {key!r} is no option of SuperLU; there are {names_of_all}")


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    return value.upper() if isinstance(value, str) else ""


def _check_rules(name: str, shown: str, value: Any) -> None:
    """Check rules for dropping elements: a text with commas, a sequence of texts, or bits."""
    if isinstance(value, int):
        return
    if isinstance(value, (str, bytes)):
        value = _text(value).split(",")
    rules = value if isinstance(value, (list, tuple)) else [""]
    if any(_text(rule).strip() not in _RULES for rule in rules):
        raise ValueError(f"{name}: {shown} has the rules {', '.join(_RULES)}, not {value!r}")
