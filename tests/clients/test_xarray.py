"""xarray: our arrays as data, which stay on the device."""

import numpy as np
import pytest

import gpuarray as cp
from tests.clients.fetching import agrees

xarray = pytest.importorskip("xarray")

H = np.random.default_rng(0).random((6, 4))


def data(values):
    return xarray.DataArray(values, dims=("a", "b"), coords={"b": [10, 20, 30, 40]})


CALLS = {
    "arithmetic": lambda d: d + d.isel(b=0) * 2,
    "alignment": lambda d: d + d.isel(b=slice(1, 3)),
    "ufunc": lambda d: np.sin(d),
    "sum": lambda d: d.sum(),
    "mean": lambda d: d.mean("a"),
    "std": lambda d: d.std("b"),
    "max": lambda d: d.max("a"),
    "median": lambda d: d.median("b"),
    "quantile": lambda d: d.quantile(0.5, "b"),
    "argmax": lambda d: d.argmax("b"),
    "cumsum": lambda d: d.cumsum("b"),
    "diff": lambda d: d.diff("a"),
    "where": lambda d: d.where(d > 0.5),
    "fillna": lambda d: d.where(d > 0.5).fillna(0),
    "isnull": lambda d: d.where(d > 0.5).isnull(),
    "clip": lambda d: d.clip(0.2, 0.6),
    "sel": lambda d: d.sel(b=[40, 10]),
    "transpose": lambda d: d.transpose("b", "a"),
    "stack": lambda d: d.stack(z=("b", "a")),
    "roll": lambda d: d.roll(a=2),
    "shift": lambda d: d.shift(b=1),
    "pad": lambda d: d.pad(a=1),
    "concat": lambda d: xarray.concat([d, d], "a"),
    "groupby": lambda d: d.groupby("b").mean(),
    "coarsen": lambda d: d.coarsen(a=2).mean(),
    "dataset": lambda d: xarray.Dataset({"v": d, "w": d * 2}).mean("a")["w"],
}


@pytest.mark.parametrize("name", CALLS)
def test_methods(name):
    found, expected = CALLS[name](data(cp.asarray(H))), CALLS[name](data(H))
    assert found.dims == expected.dims
    agrees(found.data, expected.data)


def test_data_are_shown():
    assert repr(data(cp.asarray(H))) == repr(data(H))


@pytest.mark.skipif(not hasattr(cp, "lib"), reason="needs lib.stride_tricks.sliding_window_view")
def test_rolling():
    agrees(data(cp.asarray(H)).rolling(a=2).mean().data, data(H).rolling(a=2).mean().data)
