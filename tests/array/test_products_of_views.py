"""Products of random views: shapes, strides, dtypes, orders and outputs, beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.kernels import product
from tests.array.arrays import same

pytestmark = pytest.mark.slow

LENGTHS = [1, 1, 2, 3, 4, 5]
NAMES = [
    x for x in ("matmul", "vecdot", "matvec", "vecmat", "dot", "inner", "vdot") if hasattr(np, x)
]


def _view(rng, shape):
    """A view of random strides of small integers, on the host and on the device."""
    ndim = len(shape)
    order = [int(i) for i in rng.permutation(ndim)]
    steps, more = rng.choice([1, 1, 1, 2], ndim), rng.integers(0, 2, ndim)
    reversed_, broadcast = rng.random((2, ndim)) < 0.12
    full = [1 if broadcast[i] else shape[i] * steps[i] + more[i] for i in range(ndim)]
    dtype = rng.choice(["f8", "f8", "c16", "f4", "i4"])
    host = rng.integers(-4, 5, [full[i] for i in order]).astype(dtype)
    if dtype == "c16":
        host = host + 1j * rng.integers(-4, 5, host.shape)
    views = []
    for xp, x in ((np, host), (cp, cp.asarray(host))):
        x = x.transpose(tuple(int(i) for i in np.argsort(order)))
        parts = zip(shape, steps, broadcast, strict=True)
        x = x[tuple(slice(0, 1 if one else n * step, step) for n, step, one in parts)]
        x = xp.broadcast_to(x, shape)
        views.append(x[tuple(slice(None, None, -1 if back else 1) for back in reversed_)])
    return views


def _shapes(rng, name):
    loop = [int(rng.choice(LENGTHS)) for _ in range(rng.integers(0, 4))]
    m, k, n = [int(rng.choice([0, *LENGTHS * 4])) for _ in range(3)]

    def stack(most=3):
        lengths = [1 if rng.random() < 0.25 else x for x in loop]
        return lengths[max(len(lengths) - int(rng.integers(0, most + 1)), 0) :]

    rows, columns = rng.random(2) > 0.1
    return {
        "matmul": lambda: (
            [*stack(), m, k] if rows else [k], [*stack(), k, n] if columns else [k]
        ),
        "vecdot": lambda: ([*stack(), k], [*stack(), k]),
        "matvec": lambda: ([*stack(), m, k], [*stack(), k]),
        "vecmat": lambda: ([*stack(), k], [*stack(), k, n]),
        "dot": lambda: ([*stack(), k], [*stack(1), k, n]),
        "inner": lambda: ([*stack(), k], [*stack(1), k]),
        "vdot": lambda: ([m, k], [k, m]),
    }[name]()  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("driver", ["cuBLAS", "as chosen"])
def test_random_views(monkeypatch, driver, seed):
    if driver == "cuBLAS":
        monkeypatch.setattr(product.variants, "product_wins", lambda *layouts: False)
        cp.cuda.get_current_stream().drop_plans()
    rng = np.random.default_rng(seed)
    for case in range(60):
        name = NAMES[rng.integers(0, len(NAMES))]
        shapes = _shapes(rng, name)
        (a, x), (b, y) = [_view(rng, shape) for shape in shapes]
        context = (seed, case, name, a.strides, b.strides)
        expected = np.asarray(getattr(np, name)(a, b))
        same(getattr(cp, name)(x, y), expected, context=context)
        if name in ("matmul", "vecdot", "matvec", "vecmat"):
            axes = tuple(int(i) for i in rng.permutation(expected.ndim))
            shape = tuple(expected.shape[i] for i in axes)
            out = cp.zeros(shape, expected.dtype).transpose(tuple(np.argsort(axes).tolist()))
            assert getattr(cp, name)(x, y, out=out) is out
            same(out, expected, context=(*context, out.strides))
    cp.cuda.get_current_stream().drop_plans()
