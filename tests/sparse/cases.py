"""Sparse arrays of SciPy and of the package side by side."""

import warnings

import numpy as np
import scipy.sparse

import gpuarray as cp
from gpuarray.scipy import sparse


def random(shape, dtype="f8", density=0.4, format="csr", kind="array", seed=0):
    """A SciPy array of small numbers; one of the stored ones is zero."""
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random(shape) < density, rng.integers(1, 5, shape), 0)
    if np.dtype(dtype).kind in "fci":
        dense = dense * rng.choice([-1, 1], shape)
    dense = dense.astype(dtype) * (1 + 0.5j if np.dtype(dtype).kind == "c" else 1)
    found = getattr(scipy.sparse, f"{format}_{kind}")(dense.astype(dtype))
    found.data[: found.nnz > 2] = 0
    return found


def on_device(x):
    if scipy.sparse.issparse(x):
        return getattr(sparse, type(x).__name__)(x)
    return cp.asarray(x) if isinstance(x, np.ndarray) else x


def outcome(function, *args):
    """What a function returns or raises, and whether it warned about efficiency."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except Exception as error:
            result = error
    return result, [x for x in caught if x.category.__name__ == "SparseEfficiencyWarning"]


def same(got, want):
    if isinstance(want, Exception):
        assert isinstance(got, Exception), f"no {want!r} but {got!r}"
        if type(want) is not type(got):
            assert type(want) in type(got).__mro__, repr(got)
        return
    if isinstance(got, Exception):
        raise got
    if not scipy.sparse.issparse(want):
        assert not sparse.issparse(got)
        dense = np.asarray(got.get() if hasattr(got, "get") else got)
        np.testing.assert_allclose(dense, np.asarray(want))
        assert dense.dtype == np.asarray(want).dtype
        assert dense.shape == np.shape(want)
        return
    assert type(got).__name__ == type(want).__name__
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    host = got.get()
    np.testing.assert_allclose(host.toarray(), want.toarray())
    if host.format in ("csr", "csc"):
        host.check_format()
        if got.has_canonical_format:
            assert host.has_canonical_format
    elif host.format == "coo" and got.has_canonical_format:
        host.sum_duplicates()
        assert host.nnz == got.nnz


def against_scipy(function, *args):
    """Compare a function of arrays with itself on the device: result, exception, warnings."""
    want, warned = outcome(function, *[x.copy() if hasattr(x, "copy") else x for x in args])
    got, warned_here = outcome(function, *[on_device(x) for x in args])
    same(got, want)
    assert len(warned) == len(warned_here)
    return got
