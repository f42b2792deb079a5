"""einops: its functions for the array API standard take arrays that it does not know."""

import numpy as np
import pytest

import gpuarray as cp
from tests.clients.fetching import agrees

einops = pytest.importorskip("einops.array_api")

H = np.random.default_rng(0).random((4, 6, 5))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: einops.rearrange(x, "a (b c) d -> c (a d) b", b=2),
        lambda x: einops.rearrange(x, "a b c -> (c b a)"),
        lambda x: einops.rearrange(x, "a b c -> b 1 a c"),
        lambda x: einops.repeat(x, "a b c -> a (b n) c", n=3),
        lambda x: einops.pack([x, x[:, 0]], "a * c")[0],
        *[
            lambda x, how=how: einops.reduce(x, "a (b c) d -> c a", how, b=2)
            for how in ("min", "max", "sum", "mean", "prod")
        ],
    ],
)
def test_functions(call):
    agrees(call(cp.asarray(H)), call(H))


def test_unpack():
    packed, shapes = einops.pack([cp.asarray(H), cp.asarray(H[:, 0])], "a * c")
    x, y = einops.unpack(packed, shapes, "a * c")
    agrees(x, H)
    agrees(y, H[:, 0])
