"""The emulated functions of cuSOLVER: what they refuse, and what they say of a failure."""

from __future__ import annotations

import numpy as np
import pytest

from gpuarray._ffi import cusolver
from gpuarray._libraries.handles import SOLVER
from gpuarray._libraries.svd import svd_call
from gpuarray._runtime.current_stream import current
from gpuarray.errors import LibraryError


@pytest.fixture
def values(xp):
    """Arguments of a singular value decomposition and of eigenvalues that are right."""
    none = "CUSOLVER_EIG_MODE_NOVECTOR"
    return {
        "handle": SOLVER.on(xp.cuda.get_current_stream()).handle, "params": 0,
        "m": 4, "n": 3, "lda": 4, "ldu": 4, "ldvt": 3, "jobu": ord("S"), "jobvt": ord("S"),
        "jobvl": none, "jobvr": none, "ldvl": 4, "ldvr": 4,
        "jobz": none, "uplo": "CUBLAS_FILL_MODE_UPPER", "batchSize": 2,
        "dataTypeA": "f8", "dataTypeS": "f8", "dataTypeU": "f8", "dataTypeVT": "f8",
        "dataTypeW": "c16", "dataTypeVL": "f8", "dataTypeVR": "f8", "dataTypeTau": "f8",
        "computeType": "f8", "econ": 1, "dataTypeV": "f8", "ldv": 3,
        "k": 2, "side": "CUBLAS_SIDE_LEFT", "trans": "CUBLAS_OP_N", "ldc": 4,
    }  # fmt: skip


def _bytes(name, values):
    needed = {kind.name for kind in cusolver.library.rows[name].query.inputs}
    given = {key: value for key, value in values.items() if key in needed}
    return cusolver.library.workspace_bytes(name, given)


def test_workspaces_have_a_size(values):
    for name in ("Xgeqrf", "Xgesvd", "Xgeev", "Xsyevd", "XsyevBatched"):
        device, host = _bytes(
            f"cusolverDn{name}", values | {"dataTypeW": "c16" if name == "Xgeev" else "f8"}
        )
        assert device > 0
        assert host >= 0


@pytest.mark.emulator  # a GPU's library has no words for it
@pytest.mark.parametrize(
    "name, changes, status, match",
    [
        ("Xgesvd", {"m": 2, "lda": 4}, "INVALID_VALUE", "m must not be less than n"),
        ("Xgesvd", {"jobu": ord("Q")}, "INVALID_VALUE", "jobu is 81"),
        ("Xgesvd", {"dataTypeS": "f4"}, "NOT_SUPPORTED", "dataTypeS"),
        ("Xgeqrf", {"dataTypeTau": "f4"}, "NOT_SUPPORTED", "dataTypeTau"),
        ("Xgesvdp", {"jobz": "CUSOLVER_EIG_MODE_NOVECTOR"}, "INVALID_VALUE", "econ is 1"),
        ("Xgesvdp", {"dataTypeV": "f4"}, "NOT_SUPPORTED", "dataTypeV"),
        ("Dorgqr", {"n": 5, "lda": 5}, "INVALID_VALUE", "k <= n <= m must hold"),
        ("Dormqr", {"k": 5}, "INVALID_VALUE", "k is 5"),
        ("Zunmqr", {"trans": "CUBLAS_OP_T"}, "INVALID_VALUE", "trans is CUBLAS_OP_T"),
        ("Xgeev", {"dataTypeW": "f8"}, "NOT_SUPPORTED", "dataTypeW"),
        ("Xsyevd", {"dataTypeW": "c16"}, "NOT_SUPPORTED", "dataTypeW"),
        ("XsyevBatched", {"dataTypeW": "f8", "batchSize": 32769}, "INVALID_VALUE", "batchSize"),
        ("Xgeev", {"jobvl": "CUSOLVER_EIG_MODE_VECTOR"}, "INVALID_VALUE", "jobvl"),
        ("Xgeev", {"dataTypeA": "i4"}, "NOT_SUPPORTED", "dataTypeA int32"),
        ("Xgeev", {"n": -1}, "INVALID_VALUE", "n is -1"),
        ("Xgeev", {"params": 5}, "NOT_INITIALIZED", "0x5"),
    ],
)
def test_refusals(values, name, changes, status, match):
    with pytest.raises(LibraryError, match=match) as caught:
        _bytes(f"cusolverDn{name}", values | changes)
    assert caught.value.status_name == f"CUSOLVER_STATUS_{status}"


@pytest.mark.emulator  # LAPACK's limit of iterations is beyond any matrix that a test could have
def test_what_does_not_converge_says_so(xp):
    x = xp.full((3, 3), np.nan)
    away = np.zeros(())
    for name, given in (("gesvd", ()), ("gesvdp", (away.ctypes.data,))):
        run = svd_call(current.stream, x._layout, x.dtype, name, False, False)
        assert int(run(x, *given)[-1]) == 1


@pytest.mark.emulator  # a GPU's library has no words for it
def test_workspaces_of_elements_and_numbers_on_the_host(xp):
    """A workspace that is too small, and a null pointer to the host's memory, are refused."""
    library = cusolver.library
    handle = SOLVER.on(xp.cuda.get_current_stream()).handle
    a, tau, info = xp.ones((3, 4)), xp.ones(3), xp.zeros((), "i4")
    needed = library.cusolverDnDorgqr_bufferSize(handle, 4, 3, 3, a.data.ptr, 4, tau.data.ptr)
    work = xp.empty(needed)
    arguments = [handle, 4, 3, 3, a.data.ptr, 4, tau.data.ptr, work.data.ptr, needed, info.data.ptr]
    library.cusolverDnDorgqr(*arguments)
    arguments[8] -= 1
    with pytest.raises(LibraryError, match=f"work has {needed - 1} elements of 8 bytes"):
        library.cusolverDnDorgqr(*arguments)
    run = svd_call(current.stream, a[:, :3]._layout, a.dtype, "gesvdp", False, False)
    with pytest.raises(LibraryError, match="h_err_sigma is null"):
        run(a[:, :3], 0)
