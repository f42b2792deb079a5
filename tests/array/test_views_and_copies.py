"""Which results share memory with their operand: as NumPy's, in every layout."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_as_numpy, same

#: A view of an array of shape (4, 6).
LAYOUTS = {
    "C": lambda xp, a: a,
    "F": lambda xp, a: xp.asfortranarray(a),
    "transposed": lambda xp, a: a.T,
    "row": lambda xp, a: a[1],
    "column": lambda xp, a: a[:, 1],
    "every-second": lambda xp, a: a.reshape(24)[::2],
    "reversed": lambda xp, a: a[0, ::-1],
    "both-reversed": lambda xp, a: a[::-1, ::-1],
    "rows-apart": lambda xp, a: a[::2],
    "part-of-rows": lambda xp, a: a[:, :3],
    "one-column": lambda xp, a: a[:, 2:3],
    "one-element": lambda xp, a: a[2:3, 3:4],
    "gapless-rows": lambda xp, a: a[1:3],
    "permuted": lambda xp, a: a.reshape(2, 2, 6).transpose(2, 0, 1),
    "broadcast-row": lambda xp, a: xp.broadcast_to(a[0], (3, 6)),
    "0-d": lambda xp, a: a[1:2, 2].reshape(()),
}

FUNCTIONS = {
    "ravel": lambda xp, x: xp.ravel(x),
    "ravel F": lambda xp, x: xp.ravel(x, "F"),
    "ravel A": lambda xp, x: x.ravel("A"),
    "ravel K": lambda xp, x: x.ravel("K"),
    "flatten": lambda xp, x: x.flatten(),
    "flatten K": lambda xp, x: x.flatten("K"),
    "reshape": lambda xp, x: x.reshape(-1),
    "reshape F": lambda xp, x: x.reshape(-1, order="F"),
    "squeeze": lambda xp, x: xp.squeeze(x),
    "expand_dims": lambda xp, x: xp.expand_dims(x, 0),
    "flip": lambda xp, x: xp.flip(x),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, -1) if x.ndim else x[...],
    "atleast_3d": lambda xp, x: xp.atleast_3d(x),
    "ascontiguousarray": lambda xp, x: xp.ascontiguousarray(x),
    "asfortranarray": lambda xp, x: xp.asfortranarray(x),
    "astype": lambda xp, x: x.astype(x.dtype, copy=False),
    "real": lambda xp, x: xp.real(x),
    "take": lambda xp, x: x.take(0),
    "take along an axis": lambda xp, x: x.take(0, axis=0) if x.ndim else x.take(0),
    "take a list": lambda xp, x: x.take([0]),
    "compress": lambda xp, x: xp.compress([True], x),
    "extract": lambda xp, x: xp.extract(x == x, x),
    "round": lambda xp, x: xp.round(x, 2),
    "conj": lambda xp, x: x.conj(),
    "sort": lambda xp, x: xp.sort(x, None),
    "concatenate": lambda xp, x: xp.concatenate([x], None),
    "repeat": lambda xp, x: xp.repeat(x, 1),
    "tile": lambda xp, x: xp.tile(x, 1),
    "roll": lambda xp, x: xp.roll(x, 0),
    "split": lambda xp, x: xp.split(x, 1)[0] if x.ndim else x[...],
    "x[...]": lambda xp, x: x[...],
    "x[None]": lambda xp, x: x[None],
}


def shares(x, result) -> bool:
    """Whether memory is shared: a store to one is seen in the other."""
    before = result[(0,) * result.ndim].copy()
    x.flags.writeable = True
    (x[0] if x.ndim and x.strides[0] == 0 else x).fill(-7)
    return float(before) != float(result[(0,) * result.ndim])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_numpys(function):
    for layout in LAYOUTS:
        check(layout, function)


def check(layout, function):
    def made(xp):
        x = LAYOUTS[layout](
            xp,
            xp.arange(24.0).reshape(4, 6)
            if xp is np
            else cp.asarray(np.arange(24.0).reshape(4, 6)),
        )
        return x, FUNCTIONS[function](xp, x)

    (host, expected), (device, actual) = made(np), made(cp)
    same(actual, expected, context=layout)
    if function.startswith("ravel"):
        assert actual.flags.c_contiguous, layout
    if layout == "0-d" and function == "flip":
        return  # NumPy returns a number
    assert shares(device, actual) is shares(host, np.asarray(expected)), layout


test_orders_that_there_are_not = raises_as_numpy(
    lambda xp: xp.ones(3).ravel("X"),
    lambda xp: xp.ones((2, 3)).flatten("X"),
)
