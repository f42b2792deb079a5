"""cuDSS: its enumerations, as far as they are used."""

from __future__ import annotations

from .library_kinds import Enumeration

__all__ = ["BASE", "CONFIG", "DATA", "LAYOUT", "MATRIX_TYPE", "PHASE", "SOLVE_MODE", "VIEW"]

CONFIG = Enumeration(
    ("cudssConfigParam_t",),
    {
        "CUDSS_CONFIG_SOLVE_MODE": 4,
        "CUDSS_CONFIG_IR_N_STEPS": 5,
        "CUDSS_CONFIG_DETERMINISTIC_MODE": 24,
    },
)
DATA = Enumeration(
    ("cudssDataParam_t",),
    {"CUDSS_DATA_INFO": 0, "CUDSS_DATA_LU_NNZ": 1, "CUDSS_DATA_NPIVOTS": 2},
)
SOLVE_MODE = Enumeration(
    ("cudssSolveMode_t",),
    {
        "CUDSS_SOLVE_MODE_NORMAL": 0,
        "CUDSS_SOLVE_MODE_TRANSPOSE": 1,
        "CUDSS_SOLVE_MODE_CONJUGATE_TRANSPOSE": 2,
    },
)
#: Phases are flags: analysis is two of them, a solution is six.
PHASE = {"analysis": 3, "factorization": 1 << 2, "solve": 0b11_1111 << 4}
MATRIX_TYPE = Enumeration(
    ("cudssMatrixType_t",),
    {
        "CUDSS_MTYPE_GENERAL": 0,
        "CUDSS_MTYPE_SYMMETRIC": 1,
        "CUDSS_MTYPE_HERMITIAN": 2,
        "CUDSS_MTYPE_SPD": 3,
        "CUDSS_MTYPE_HPD": 4,
    },
)
VIEW = Enumeration(
    ("cudssMatrixViewType_t",),
    {"CUDSS_MVIEW_FULL": 0, "CUDSS_MVIEW_LOWER": 1, "CUDSS_MVIEW_UPPER": 2},
)
BASE = Enumeration(("cudssIndexBase_t",), {"CUDSS_BASE_ZERO": 0, "CUDSS_BASE_ONE": 1})
LAYOUT = Enumeration(("cudssLayout_t",), {"CUDSS_LAYOUT_COL_MAJOR": 0, "CUDSS_LAYOUT_ROW_MAJOR": 1})
