"""opt_einsum: contractions of our arrays, whose backend it finds by the name of their module."""

import numpy as np
import pytest

import gpuarray as cp
from tests.clients.fetching import agrees

opt_einsum = pytest.importorskip("opt_einsum")

A, B, C = np.random.default_rng(0).random((3, 4, 4))


def test_paths_need_shapes_only():
    x = cp.asarray(A)
    path, _ = opt_einsum.contract_path("ij,jk,kl->il", x, x, x)
    assert path == opt_einsum.contract_path("ij,jk,kl->il", A, A, A)[0]


@pytest.mark.parametrize("text", ["ij,jk,kl->il", "ij,ij,ij->", "ij,jk,ik->ik", "ii,jk,kl->jl"])
def test_contractions(text):
    agrees(opt_einsum.contract(text, *map(cp.asarray, (A, B, C))), np.einsum(text, A, B, C))
