"""cuSPARSE's handles and constants, by CuPy's names.

Examples
--------
>>> import gpuarray as cp
>>> cp.cuda.cusparse.CUSPARSE_POINTER_MODE_HOST
0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._ffi import cusparse
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import need_context
from gpuarray.errors import CuSparseError

__all__ = [
    "CuSparseError", "check_status", "getVersion", "get_build_version", "create", "destroy",
    "setStream", "getStream", "setPointerMode", "CUSPARSE_POINTER_MODE_HOST",
    "CUSPARSE_POINTER_MODE_DEVICE", "CUSPARSE_ACTION_SYMBOLIC", "CUSPARSE_ACTION_NUMERIC",
    "CUSPARSE_INDEX_BASE_ZERO", "CUSPARSE_INDEX_BASE_ONE", "CUSPARSE_MATRIX_TYPE_GENERAL",
    "CUSPARSE_MATRIX_TYPE_SYMMETRIC", "CUSPARSE_MATRIX_TYPE_HERMITIAN",
    "CUSPARSE_MATRIX_TYPE_TRIANGULAR", "CUSPARSE_FILL_MODE_LOWER", "CUSPARSE_FILL_MODE_UPPER",
    "CUSPARSE_DIAG_TYPE_NON_UNIT", "CUSPARSE_DIAG_TYPE_UNIT",
    "CUSPARSE_OPERATION_NON_TRANSPOSE", "CUSPARSE_OPERATION_TRANSPOSE",
    "CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE", "CUSPARSE_DIRECTION_ROW",
    "CUSPARSE_DIRECTION_COLUMN", "CUSPARSE_SOLVE_POLICY_NO_LEVEL",
    "CUSPARSE_SOLVE_POLICY_USE_LEVEL", "CUSPARSE_FORMAT_CSR", "CUSPARSE_FORMAT_CSC",
    "CUSPARSE_FORMAT_COO", "CUSPARSE_ORDER_COL", "CUSPARSE_ORDER_ROW", "CUSPARSE_INDEX_16U",
    "CUSPARSE_INDEX_32I", "CUSPARSE_INDEX_64I", "CUSPARSE_SPMAT_FILL_MODE",
    "CUSPARSE_SPMAT_DIAG_TYPE", "CUSPARSE_CSR2CSC_ALG1", "CUSPARSE_CSR2CSC_ALG2",
    "CUSPARSE_SPSM_ALG_DEFAULT",
    "CUSPARSE_SPGEMM_DEFAULT", "CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC",
    "CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC", "CUSPARSE_SPGEMM_ALG1", "CUSPARSE_SPGEMM_ALG2",
    "CUSPARSE_SPGEMM_ALG3", "CUSPARSE_SPGEAM_ALG_DEFAULT", "CUSPARSE_SPGEAM_ALG1",
    "CUSPARSE_SPARSETODENSE_ALG_DEFAULT",
    "CUSPARSE_DENSETOSPARSE_ALG_DEFAULT",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

CUSPARSE_POINTER_MODE_HOST = 0
CUSPARSE_POINTER_MODE_DEVICE = 1
CUSPARSE_ACTION_SYMBOLIC = 0
CUSPARSE_ACTION_NUMERIC = 1
CUSPARSE_INDEX_BASE_ZERO = 0
CUSPARSE_INDEX_BASE_ONE = 1
CUSPARSE_MATRIX_TYPE_GENERAL = 0
CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1
CUSPARSE_MATRIX_TYPE_HERMITIAN = 2
CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
CUSPARSE_FILL_MODE_LOWER = 0
CUSPARSE_FILL_MODE_UPPER = 1
CUSPARSE_DIAG_TYPE_NON_UNIT = 0
CUSPARSE_DIAG_TYPE_UNIT = 1
CUSPARSE_OPERATION_NON_TRANSPOSE = 0
CUSPARSE_OPERATION_TRANSPOSE = 1
CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
CUSPARSE_DIRECTION_ROW = 0
CUSPARSE_DIRECTION_COLUMN = 1
CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0
CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1
CUSPARSE_FORMAT_CSR = 1
CUSPARSE_FORMAT_CSC = 2
CUSPARSE_FORMAT_COO = 3
CUSPARSE_ORDER_COL = 1
CUSPARSE_ORDER_ROW = 2
CUSPARSE_INDEX_16U = 1
CUSPARSE_INDEX_32I = 2
CUSPARSE_INDEX_64I = 3
CUSPARSE_SPMAT_FILL_MODE = 0
CUSPARSE_SPMAT_DIAG_TYPE = 1
CUSPARSE_CSR2CSC_ALG1 = 1
CUSPARSE_CSR2CSC_ALG2 = 2
CUSPARSE_SPSM_ALG_DEFAULT = 0
CUSPARSE_SPGEMM_DEFAULT = 0
CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1
CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2
CUSPARSE_SPGEMM_ALG1 = 3
CUSPARSE_SPGEMM_ALG2 = 4
CUSPARSE_SPGEMM_ALG3 = 5
CUSPARSE_SPGEAM_ALG_DEFAULT = 0
CUSPARSE_SPGEAM_ALG1 = 1
CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0
CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0


def check_status(status: int) -> None:
    """Raise the error for a status of cuSPARSE; 0 is none.

    Parameters
    ----------
    status : int
        A status.

    Raises
    ------
    CuSparseError
        The status is not 0.
    """
    if status:
        raise CuSparseError("a call of cuSPARSE", status, cusparse.library.status_name(status))


def getVersion(handle: int) -> int:
    """The version of cuSPARSE, 12510 for 12.5.10.

    Parameters
    ----------
    handle : int
        A handle of `create`.

    Returns
    -------
    int
        The version.
    """
    return cusparse.library.cusparseGetVersion(handle)


def get_build_version() -> int:
    """The version of cuSPARSE, without a device, 12510 for 12.5.10.

    Returns
    -------
    int
        The version: this package is not built for one.
    """
    major, minor, patch = [cusparse.library.cusparseGetProperty(part) for part in range(3)]
    return 1000 * major + 100 * minor + patch


def create() -> int:
    """Make a handle.

    Returns
    -------
    int
        A handle, for the current device.
    """
    need_context()
    return cusparse.library.cusparseCreate()


def destroy(handle: int) -> None:
    """Free a handle.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    """
    cusparse.library.cusparseDestroy(handle)


def setStream(handle: int, stream: int) -> None:
    """Set the stream of a handle's work.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    stream : int
        A stream's handle, such as `Stream.ptr`.
    """
    cusparse.library.cusparseSetStream(handle, stream)


def getStream(handle: int) -> int:
    """The stream of a handle's work.

    Parameters
    ----------
    handle : int
        A handle of `create`.

    Returns
    -------
    int
        The stream's handle.
    """
    return cusparse.library.cusparseGetStream(handle)


def setPointerMode(handle: int, mode: int) -> None:
    """Set where scalars are.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    mode : int
        `CUSPARSE_POINTER_MODE_HOST` or `CUSPARSE_POINTER_MODE_DEVICE`.
    """
    cusparse.library.cusparseSetPointerMode(handle, mode)


without_annotations(globals())
