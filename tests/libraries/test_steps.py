"""Plans of several steps: copies, stacks as loops of one function, infos that are checked."""

from __future__ import annotations

import numpy as np
import pytest

from gpuarray import _layout
from gpuarray._libraries.checks import check, fill_failed, info_of, refuse_capture
from gpuarray._libraries.steps import Stack, Steps
from gpuarray._runtime.current_stream import current
from gpuarray.errors import CaptureError


def _factors(x, raises=True):
    """tau of the QR factorisations of a stack, and the info, by one function for each matrix."""
    layout = x._layout
    count, n, _ = layout.shape
    steps = Steps(current.stream, layout)
    matrices = steps.scratch(_layout.contiguous(np.dtype("f8"), layout.shape))
    steps.copy(steps.inputs[0], matrices)
    tau = steps.output(_layout.contiguous(np.dtype("f8"), (count, n)))
    info = info_of(steps, (count,), raises)
    values = {"m": n, "n": n, "lda": n, "dataTypeA": "f8", "dataTypeTau": "f8", "computeType": "f8"}
    steps.solver(
        "cusolverDnXgeqrf",
        values,
        {"A": matrices, "tau": tau, "info": info},
        Stack(count, {"A": n * n * 8, "tau": n * 8, "info": 4}),
    )
    if not raises:
        fill_failed(steps, info, tau)
    return steps.make()


@pytest.mark.parametrize("dtype", ["f8", "i4"])
def test_stacks_are_loops(xp, rng, dtype):
    matrices = (9 * rng.standard_normal((3, 4, 4))).astype(dtype)
    expected = [np.linalg.qr(m, mode="raw")[1] for m in matrices]
    x = xp.asarray(matrices)
    run = _factors(x)
    for _ in range(2):  # the addresses are stored anew
        tau, info = run(x)
        assert info.tolist() == [0, 0, 0]
        # A row-major matrix is the transpose.
        np.testing.assert_allclose(tau.get(), [np.linalg.qr(m.T, mode="raw")[1] for m in matrices])
    np.testing.assert_allclose(
        _factors(x.swapaxes(1, 2))(x.swapaxes(1, 2))[0].get(), expected, rtol=1e-12
    )
    np.testing.assert_array_equal(x.get(), matrices)


def test_unaligned_inputs_are_copied(xp):
    packed = np.zeros((2, 3, 3), np.dtype([("a", "u1"), ("b", "f8")]))
    packed["b"] = np.arange(18).reshape(2, 3, 3) ** 2
    x = xp.asarray(packed)["b"]
    tau, _ = _factors(x)(x)
    np.testing.assert_allclose(
        tau.get(), [np.linalg.qr(m.T, mode="raw")[1] for m in packed["b"]], rtol=1e-12
    )


def test_what_failed_is_filled(xp):
    steps = Steps(current.stream, xp.zeros((2,), "i4")._layout)
    result = steps.output(_layout.contiguous(np.dtype("c8"), (2, 2, 3)))
    steps.copy(steps.inputs[0].seen_as(_layout.contiguous(np.dtype("i4"), (2, 1, 1))), result)
    fill_failed(steps, steps.inputs[0], result)
    found = steps.make()(xp.asarray([0, 3], "i4")).get()
    assert not found[0].any()
    assert np.isnan(found[1].real).all()
    assert np.isnan(found[1].imag).all()


def test_an_info_is_checked(xp):
    check(xp.zeros((3,), "i4"), "fine")
    check(xp.zeros((0,), "i4"), "fine")
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        check(xp.asarray([0, 2], "i4"), "Singular matrix")


def test_captures_have_no_value_to_check(xp):
    with xp.cuda.Stream(non_blocking=True) as stream:
        refuse_capture(current.stream, "inv")
        stream.begin_capture()
        try:
            with pytest.raises(CaptureError, match=r'inv waits.*errstate\(linalg="ignore"\)'):
                refuse_capture(current.stream, "inv")
        finally:
            stream.end_capture()
