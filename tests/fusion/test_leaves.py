"""Arrays that follow from the indices of their elements: computed where they are read."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._fusion import running


@pytest.fixture
def kernels(monkeypatch):
    """What the kernels that run are called, and how many arrays and numbers they take."""
    found = []

    def fused_of(plan, *where):
        found.extend([(x.name, len(x.takes)) for x in plan.kernels])
        return make(plan, *where)

    make = running._fused
    monkeypatch.setattr(running, "_fused", fused_of)
    return found


def x(shape):
    return cp.asarray(np.random.default_rng(3).standard_normal(shape).astype("f4"))


LEAVES = {
    "linspace": lambda: cp.linspace(-1, 2, 60).reshape(4, 15),
    "linspace of ints": lambda: cp.linspace(0, 50, 60, endpoint=False, dtype=int).reshape(4, 15),
    "logspace": lambda: cp.logspace(0, 1, 60).reshape(4, 15),
    "eye": lambda: cp.eye(4, 15, 2),
    "eye in Fortran's order": lambda: cp.eye(4, 15, -1, "f4", "F"),
    "tri": lambda: cp.tri(4, 15, 3, bool),
    "tril": lambda: cp.tril(x((4, 15)) * 2),
    "triu": lambda: cp.triu(x((15, 4)).T + 1, 5),
    "ogrid": lambda: cp.ogrid[0:4, 0:15:15j][1] + cp.ogrid[3:7, 0:15][0],
}
CONSUMERS = {
    "whole": lambda leaf: leaf * x((4, 15)),
    "views": lambda leaf: (leaf * 2)[1:, ::-2] + leaf[:3, 1::2][:, ::-1][:, :1],
    "transposed": lambda leaf: leaf.T + x((15, 4)),
    "broadcast": lambda leaf: x((3, 4, 15)) * leaf,
    "reduced": lambda leaf: (leaf + 1).sum(axis=1),
    "cumulative": lambda leaf: cp.cumsum(leaf, axis=0),
    "alive": lambda leaf: [leaf, leaf + 1][0],
}


@pytest.mark.slow
@pytest.mark.parametrize("leaf", LEAVES)
def test_the_same_bits(leaf):
    for name, consumer in CONSUMERS.items():
        with cp.fusion("off"):
            expected = consumer(LEAVES[leaf]())
        for _ in range(2):
            found = consumer(LEAVES[leaf]())
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
        assert found.strides == expected.strides, name
        assert found.get().tobytes() == expected.get().tobytes(), name


def test_they_are_not_stored(kernels):
    host = x((6, 6))
    for _ in range(2):  # what is planned first runs what is recorded
        made = [cp.exp(cp.linspace(0, 1, 36)), host + cp.eye(6), cp.triu(host * 2, 1) - 1]
        del kernels[:]
        for one in made:
            one.get()
    assert kernels == [("linspace_exp", 3), ("eye_add_multiply_triu_subtract", 5)]
