"""array-api-compat knows nothing of gpuarray: arrays take the way of the standard."""

import pytest

import gpuarray as cp

compat = pytest.importorskip("array_api_compat")

X = cp.arange(6.0).reshape(2, 3)


def test_the_namespace_is_ours():
    assert compat.is_array_api_obj(X)
    assert compat.array_namespace(X, X[0], 1.0, None) is cp
    assert compat.array_namespace(X, api_version="2024.12") is cp
    others = [
        name for name in dir(compat) if name.startswith("is_") and name.endswith("_namespace")
    ]
    assert len(others) > 5
    assert not any(getattr(compat, name)(cp) for name in others)


def test_what_arrays_are():
    others = ("numpy", "cupy", "torch", "jax", "dask", "ndonnx", "pydata_sparse")
    assert not any(getattr(compat, f"is_{name}_array")(X) for name in others)
    assert compat.is_writeable_array(X)
    assert not compat.is_lazy_array(X)
    assert compat.size(X) == 6


def test_devices():
    device = compat.device(X)
    assert device == cp.cuda.Device(0)
    assert compat.to_device(X, device) is X
    with pytest.raises(ValueError, match="asnumpy"):
        compat.to_device(X, "cpu")
