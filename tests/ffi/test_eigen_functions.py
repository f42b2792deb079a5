"""cuSOLVER's functions for eigenvalues: each row's own result, on either backend."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ffi.column_major import Call

DTYPES = ["f4", "f8", "c8", "c16"]
COUNT, N = 3, 5


@pytest.fixture
def solver(xp):
    return Call(xp, True)


def _random(rng, dtype, *shape):
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def _small(values, dtype):
    assert np.abs(values).max() <= 500 * np.finfo(dtype).eps


#: For the lower triangle of complex matrices cuSOLVER has returned NaN; nothing asks for it.
TRIANGLES = [(dtype, "UPPER") for dtype in DTYPES] + [("f4", "LOWER"), ("f8", "LOWER")]


@pytest.mark.parametrize("dtype, uplo", TRIANGLES)
def test_hermitian_matrices(solver, rng, dtype, uplo):
    a = _random(rng, dtype, COUNT, N, N)
    a = a + a.conj().swapaxes(-1, -2)
    expected = np.linalg.eigvalsh(a)
    given = a.copy()
    # The other triangle is not read.
    rows, columns = np.tril_indices(N, -1) if uplo == "UPPER" else np.triu_indices(N, 1)
    given[:, rows, columns] = np.nan
    real = a.real.dtype
    values = {
        "uplo": f"CUBLAS_FILL_MODE_{uplo}", "n": N, "lda": N, "dataTypeA": dtype,
        "dataTypeW": real, "computeType": dtype,
    }  # fmt: skip
    for job in ("VECTOR", "NOVECTOR"):
        values["jobz"] = f"CUSOLVER_EIG_MODE_{job}"
        one = {"A": given[0], "W": np.zeros(N, real), "info": np.full(1, 7, "i4")}
        found = solver("cusolverDnXsyevd", values, one)
        assert found["info"].tolist() == [0]
        _small(found["W"] - expected[0], dtype)
        if job == "VECTOR":
            v = found["A"]
            _small(a[0] @ v - v * found["W"], dtype)
            _small(v.conj().T @ v - np.eye(N), dtype)
        all_ = {"A": given, "W": np.zeros(COUNT * N, real), "info": np.full(COUNT, 7, "i4")}
        found = solver("cusolverDnXsyevBatched", {**values, "batchSize": COUNT}, all_)
        assert found["info"].tolist() == [0] * COUNT
        w = found["W"].reshape(COUNT, N)
        _small(w - expected, dtype)
        if job == "VECTOR":
            v = found["A"]
            _small(a @ v - v * w[:, None], dtype)
            _small(v.conj().swapaxes(-1, -2) @ v - np.eye(N), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_general_matrices(solver, rng, dtype):
    a = _random(rng, dtype, 7, 7)
    kind = np.result_type(dtype, "c8")
    arrays = {
        "A": a, "W": np.zeros(7, kind), "VR": np.zeros((7, 7), dtype), "info": np.full(1, 7, "i4")
    }  # fmt: skip
    values = {
        "jobvl": "CUSOLVER_EIG_MODE_NOVECTOR", "jobvr": "CUSOLVER_EIG_MODE_VECTOR", "n": 7,
        "lda": 7, "ldvl": 7, "ldvr": 7, "VL": None, "dataTypeA": dtype, "dataTypeW": kind,
        "dataTypeVL": dtype, "dataTypeVR": dtype, "computeType": dtype,
    }  # fmt: skip
    found = solver("cusolverDnXgeev", values, arrays)
    assert found["info"].tolist() == [0]
    w, v = found["W"], found["VR"]
    if np.dtype(dtype).kind == "f":
        assert (w.imag != 0).any()
        stored, v, at = v, np.zeros((7, 7), kind), 0
        while at < 7:
            if w[at].imag:
                # The pair stands side by side, and the positive imaginary part is first.
                assert w[at].imag > 0
                assert w[at + 1] == w[at].conj()
                v[:, at] = stored[:, at] + 1j * stored[:, at + 1]
                v[:, at + 1] = v[:, at].conj()
            else:
                v[:, at] = stored[:, at]
            at += 2 if w[at].imag else 1
    _small(a @ v - v * w, dtype)
    _small(np.linalg.norm(v, axis=0) - 1, dtype)
    values |= {"jobvr": "CUSOLVER_EIG_MODE_NOVECTOR", "VR": None}
    del arrays["VR"]
    alone = solver("cusolverDnXgeev", values, arrays)["W"]
    _small(np.sort_complex(alone.round(4)) - np.sort_complex(w.round(4)), "f4")
