"""Transforms of float16 in half precision, which users ask for."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi.library_kinds import COMPLEX_HALF
from gpuarray._libraries.fft_plans import Geometry, Plan
from gpuarray._runtime.current_stream import current
from gpuarray.cuda import cufft
from gpuarray.errors import CuFFTError
from gpuarray.fft import config

#: Of half precision: 2**-11 for each of at most 5 stages, and for what is stored.
BOUND = 6 * 2.0**-11


@pytest.fixture(autouse=True)
def half_precision():
    config.set_half_precision(True)
    config.clear_plan_cache()
    yield
    config.set_half_precision(False)


def numbers(shape):
    return np.random.default_rng(3).standard_normal(shape).astype("f2")


def close(found, wanted):
    assert found.shape == wanted.shape
    assert found.dtype == "c8"
    np.testing.assert_allclose(found.get(), wanted, rtol=0, atol=BOUND * np.abs(wanted).max())


def is_half():
    """Whether all plans that were made are of half precision."""
    text = str(config.get_plan_cache()).splitlines()[5:]
    return all("float16 to complex of float16" in line for line in text) and len(text) > 0


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "ihfft"])
@pytest.mark.parametrize("shape", [(1,), (16,), (3, 8), (4, 2, 8)])
def test_one_axis(name, shape):
    x = numbers(shape)
    for axis, norm in [(-1, None), (0, "ortho"), (len(shape) // 2, "forward")]:
        for n in (None, 4, 32):
            if n is None and x.shape[axis] == 3:
                continue
            found = getattr(cp.fft, name)(cp.asarray(x), n, axis, norm)
            close(found, getattr(np.fft, name)(x.astype("f8"), n, axis, norm))
    assert is_half()


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn"])
def test_several_axes(name):
    x = numbers((4, 3, 8, 2))
    for s, axes in [(None, (0, 2)), (None, (2, 0, 3)), ((8, 4), (1, 0)), ((1, 16), (2, 3))]:
        found = getattr(cp.fft, name)(cp.asarray(x), s, axes)
        close(found, getattr(np.fft, name)(x.astype("f8"), s, axes))
    assert is_half()


def test_layouts_and_out():
    x = numbers((4, 6, 16))
    host = np.zeros((8, 8, 16), "c8")
    out = cp.asarray(host)[::2, 2:]
    for view in (np.s_[:, 1:5], np.s_[::-1], np.s_[:, :, 1:9], np.s_[:, ::2, ::2]):
        a = cp.asarray(x)[view]
        close(cp.fft.rfft(a), np.fft.rfft(x[view].astype("f8")))
        close(cp.fft.fft(a.T, axis=0), np.fft.fft(x[view].astype("f8").T, axis=0))
    assert cp.fft.fft(cp.asarray(x), out=out) is out
    close(out, np.fft.fft(x.astype("f8")))
    assert is_half()


def test_others_are_computed_as_always():
    x = numbers((4, 6, 2, 2))
    for found, wanted in (
        (cp.fft.fft(cp.asarray(x), axis=1), np.fft.fft(x.astype("f8"), axis=1)),
        (cp.fft.rfftn(cp.asarray(x[:, :2])), np.fft.rfftn(x[:, :2].astype("f8"))),
        (cp.fft.fft(cp.asarray(x.astype("f4"))), np.fft.fft(x.astype("f8"))),
    ):
        np.testing.assert_allclose(found.get(), wanted, atol=1e-5)
    assert "complex of" not in str(config.get_plan_cache())
    assert cp.fft.fft(cp.zeros((0, 4), "f2")).shape == (0, 4)
    with pytest.raises(ValueError, match="data points"):
        cp.fft.fft(cp.zeros((4, 0), "f2"))


def test_greatest_number():
    x = cp.full(4, 40000, "f2")
    assert np.isinf(cp.fft.rfft(x, norm="forward")[0].real.get())
    config.set_half_precision(False)
    assert cp.fft.rfft(x)[0].real == 160000
    config.set_half_precision(True)
    assert np.isinf(cp.fft.rfft(x)[0].real.get())


def test_the_choice():
    assert config.get_half_precision() is True
    with pytest.raises(TypeError, match="True or False, got 'yes'"):
        config.set_half_precision("yes")
    assert config.get_half_precision() is True


def pairs(found):
    return found.get().astype("f4").view("c8")


def test_plans_of_dtypes():
    x = numbers((3, 16))
    z = x.astype("f4").view("c8")
    a = cp.asarray(x)
    plan = cufft.XtPlanNd((8,), None, 1, 8, "E", None, 1, 8, "E", 3, "E")
    out = plan.get_output_array(a)
    with plan:
        assert cufft.get_current_plan() is plan
        for direction, wanted in ((-1, np.fft.fft(z)), (1, np.fft.ifft(z, norm="forward"))):
            plan.fft(a, out, direction)
            np.testing.assert_allclose(pairs(out), wanted, atol=BOUND * np.abs(wanted).max())
    plan = cufft.XtPlanNd((16,), None, 1, 16, "e", None, 1, 9, "E", 3, "E")
    out = plan.get_output_array(a)
    assert out.shape == (3, 18)
    plan.check_output_array(a, out)
    plan.fft(a, out, -1)
    wanted = np.fft.rfft(x.astype("f8"))
    np.testing.assert_allclose(pairs(out), wanted, atol=BOUND * np.abs(wanted).max())
    back = cufft.XtPlanNd((16,), None, 1, 9, "E", None, 1, 16, "e", 3, "E", last_size=16)
    result = back.get_output_array(out)
    assert (result.shape, result.dtype) == ((3, 16), np.float16)
    back.fft(out, result, 1)
    np.testing.assert_allclose(result.get() / 16, x, atol=BOUND * 4)


def test_errors_of_plans():
    with pytest.raises(ValueError, match=r"powers of two, got \(6,\); fill with zeros"):
        cufft.XtPlanNd((6,), None, 1, 6, "E", None, 1, 6, "E", 1, "E")
    with pytest.raises(ValueError, match="behind one another"):
        cufft.XtPlanNd((8,), None, 2, 16, "e", None, 1, 5, "E", 1, "E")
    with pytest.raises(ValueError, match="no transforms from E to E by c8"):
        cufft.XtPlanNd((8,), None, 1, 8, "E", None, 1, 8, "E", 1, "c8")
    plan = cufft.XtPlanNd((8,), None, 1, 8, "E", None, 1, 8, "E", 1, "E")
    with pytest.raises(ValueError, match="has 8 elements of float16, and the plan is for 16"):
        plan.fft(cp.ones(8, "f2"), cp.ones(16, "f2"), -1)


def test_what_the_library_takes():
    """Plans of strided reals are made, though transforms of them are not promised: we copy."""
    reals, spectrum = (np.dtype("f2"), COMPLEX_HALF)
    device = current.stream.device
    Plan(Geometry((8,), (8,), 2, 16, reals, (5,), 1, 5, spectrum, 1), device)
    with pytest.raises(CuFFTError, match="NOT_SUPPORTED"):
        Plan(Geometry((6,), *((6,), 1, 6, spectrum) * 2, 1), device)
    x = numbers((4, 16))
    close(cp.fft.rfft(cp.asarray(x)[:, ::2]), np.fft.rfft(x[:, ::2].astype("f8")))
