"""dask.array: our arrays as chunks. It has tables of functions that are not found by dispatch."""

import numpy as np
import pytest

import gpuarray as cp
from tests.clients.fetching import agrees

dask_array = pytest.importorskip("dask.array")

H = np.random.default_rng(0).random((30, 4))


@pytest.fixture(scope="module", autouse=True)
def registered():
    """What docs/interoperability.md tells users to register."""
    from dask.array import dispatch

    dispatch.numel_lookup.register(cp.ndarray, lambda x, **kwargs: cp.ones_like(x).sum(**kwargs))
    dispatch.nannumel_lookup.register(cp.ndarray, lambda x, **kwargs: (~cp.isnan(x)).sum(**kwargs))
    dispatch.to_numpy_dispatch.register(cp.ndarray, lambda x, **kwargs: cp.asnumpy(x))


@pytest.fixture(autouse=True)
def one_thread():
    import dask

    with dask.config.set(scheduler="synchronous"):
        yield


CALLS = {
    "arithmetic": lambda q: q * 2 + q[0],
    "ufunc": lambda q: np.sin(q),
    "sum": lambda q: q.sum(),
    "mean": lambda q: q.mean(axis=0),
    "mean of all": lambda q: q.mean(),
    "var": lambda q: q.var(axis=1),
    "std": lambda q: q.std(),
    "max": lambda q: q.max(axis=1, keepdims=True),
    "argmax": lambda q: q.argmax(axis=0),
    "any": lambda q: (q > 0.99).any(axis=0),
    "nanmean": lambda q: dask_array.nanmean(dask_array.where(q > 0.5, q, np.nan), axis=0),
    "nansum": lambda q: dask_array.nansum(dask_array.where(q > 0.5, q, np.nan)),
    "cumsum": lambda q: q.cumsum(axis=0),
    "transpose": lambda q: q.T[:3],
    "index": lambda q: q[::-2, 1],
    "mask": lambda q: q[q > 0.5],
    "reshape": lambda q: q.reshape(-1),
    "rechunk": lambda q: q.rechunk((5, 4)) + 1,
    "concatenate": lambda q: dask_array.concatenate([q, q], axis=1),
    "stack": lambda q: dask_array.stack([q, q]),
    "pad": lambda q: dask_array.pad(q, 1),
    "where": lambda q: dask_array.where(q > 0.5, q, 0),
    "map_blocks": lambda q: q.map_blocks(lambda block: block * 2),
    "map_overlap": lambda q: q.map_overlap(lambda block: block + 1, depth=1),
    "histogram": lambda q: dask_array.histogram(q, bins=4, range=(0, 1))[0],
    "topk": lambda q: dask_array.topk(q[:, 0], 3),
    "zeros_like": lambda q: dask_array.zeros_like(q),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions(name):
    found, expected = (
        CALLS[name](dask_array.from_array(x, chunks=(10, 2), asarray=False))
        for x in (cp.asarray(H), H)
    )
    agrees(found.compute(), expected.compute())


def test_collections_know_what_their_chunks_are():
    q = dask_array.from_array(cp.asarray(H), chunks=(10, 2), asarray=False)
    for collection in (q, q + 1, q.sum(axis=0), q.T, np.sin(q), dask_array.zeros_like(q)):
        assert isinstance(collection._meta, cp.ndarray)


def test_to_the_host():
    q = dask_array.from_array(cp.asarray(H), chunks=(10, 2), asarray=False)
    x = q.map_blocks(cp.asnumpy).compute()
    assert isinstance(x, np.ndarray)
    assert (x == H).all()
