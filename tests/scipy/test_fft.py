"""scipy.fft and scipy.fftpack on the device, compared with SciPy's."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import scipy.fft
import scipy.fftpack
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
import gpuarray.scipy.fft
import gpuarray.scipy.fftpack
from gpuarray.cuda import cufft
from tests.array.arrays import launches

ours = cp.scipy.fft
OF_REALS = {"rfft", "ihfft", "rfftn", "rfft2", "ihfftn", "ihfft2"}
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY = [f"{name}{end}" for name in ONE for end in ("n", "2")]


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = 4 * rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 4j * rng.standard_normal(shape)
    return x.astype(dtype)


def close(found, expected):
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    single = expected.dtype in ("f4", "c8")
    scale = max(np.abs(expected).max(initial=0), 1)
    np.testing.assert_allclose(
        found.get(), expected, rtol=0, atol=scale * (3e-6 if single else 1e-13)
    )


@pytest.mark.parametrize("dtype", ["f2", "f4", "i4", "c8"])
@pytest.mark.parametrize("name", [*ONE, *MANY])
def test_transforms(name, dtype):
    x = numbers((3, 4, 6), dtype)
    if np.dtype(dtype).kind == "c" and name in OF_REALS:
        with pytest.raises(TypeError):
            getattr(ours, name)(cp.asarray(x))
        return
    for arguments in (
        [(), (None, 1), (5, 0, "ortho")] if name in ONE else [(), ((5, 4), (0, 2), "forward")]
    ):
        expected = getattr(scipy.fft, name)(x, *arguments)
        close(getattr(ours, name)(cp.asarray(x), *arguments, overwrite_x=True, workers=2), expected)


def test_errors_of_axes():
    x = cp.ones((3, 4))
    with pytest.raises(ValueError, match="all axes must be unique"):
        ours.fftn(x, axes=(0, 0))
    with pytest.raises(ValueError, match="different lengths"):
        ours.fftn(x, (2,), (0, 1))
    with pytest.raises(ValueError):
        ours.fftn(x, axes=(2,))
    close(ours.fftn(x, 2), scipy.fft.fftn(np.ones((3, 4)), 2))


# ---- cosine and sine transforms


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
def test_cosine_and_sine_transforms(name, kind):
    for n in (1, 2, 5, 8):
        if kind == 1 and n == 1 and "c" in name:
            continue
        x = numbers((2, n), "f8")
        for norm in (None, "ortho", "forward"):
            for orthogonalize in (None, True, False):
                expected = getattr(scipy.fft, name)(x, kind, norm=norm, orthogonalize=orthogonalize)
                close(
                    getattr(ours, name)(
                        cp.asarray(x), kind, norm=norm, orthogonalize=orthogonalize
                    ),
                    expected,
                )


@pytest.mark.parametrize("dtype", ["f2", "f4", "?", "i2", "c16"])
def test_dtypes_of_cosine_transforms(dtype):
    x = numbers((3, 6), dtype)
    close(ours.dct(cp.asarray(x)), scipy.fft.dct(x))
    close(ours.idst(cp.asarray(x), 4, axis=0), scipy.fft.idst(x, 4, axis=0))


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["dctn", "idctn", "dstn", "idstn"]),
    st.integers(1, 4),
    st.lists(st.integers(2, 6), min_size=1, max_size=3),
    st.data(),
)
def test_cosine_transforms_along_any_axes(name, kind, shape, data):
    x = numbers(shape, "f8")
    order = data.draw(st.permutations(range(len(shape))))
    axes = tuple(
        data.draw(st.permutations(range(len(shape))))[: data.draw(st.integers(1, len(shape)))]
    )
    s = data.draw(st.one_of(st.none(), st.tuples(*[st.integers(2, 7)] * len(axes))))
    host, device = [a.transpose(order)[::-1] for a in (x, cp.asarray(x))]
    expected = getattr(scipy.fft, name)(host, kind, s, axes, "ortho")
    close(getattr(ours, name)(device, kind, s, axes, "ortho"), expected)
    np.testing.assert_array_equal(device.get(), host)


def test_two_kernels_and_one_transform():
    x = cp.ones((4, 64), "f4")
    for kind in (1, 2, 3, 4):
        ours.dct(x, kind)
        assert launches(lambda: ours.dct(x, kind)) == 3  # noqa: B023  # it is called here
    assert launches(lambda: ours.dct(x, n=80)) == 3


def test_what_has_no_cosine_transform():
    x = cp.ones(4)
    for kind in (0, 5):
        with pytest.raises(ValueError, match=f"dct: type is 1, 2, 3 or 4, got {kind}"):
            ours.dct(x, kind)
    with pytest.raises(TypeError, match="type is 1, 2, 3 or 4"):
        ours.dct(x, "two")
    with pytest.raises(ValueError, match="invalid number of data points"):
        ours.dct(x, 1, 1)
    with pytest.raises(ValueError, match="invalid number of data points"):
        ours.dst(x[:0])
    with pytest.raises(ValueError, match="Invalid norm"):
        ours.dct(x, norm="x")
    with pytest.raises(TypeError, match="there is no transform of datetime64"):
        ours.dct(cp.zeros(3, "M8[s]"))
    assert ours.dctn(x, axes=()) is x


# --- Hankel transforms


@pytest.mark.parametrize("n", [5, 64])
@pytest.mark.parametrize(
    "mu, offset, bias", [(0.0, 0.0, 0.0), (1.5, 0.3, 0.25), (-0.75, 0.1, -0.5), (40.0, 0, 2)]
)
def test_hankel_transforms(n, mu, offset, bias):
    x = numbers((2, n), "f8")
    for name in ("fht", "ifht"):
        expected = getattr(scipy.fft, name)(x, 0.1, mu, offset, bias)
        found = getattr(ours, name)(cp.asarray(x), 0.1, mu, offset, bias)
        np.testing.assert_allclose(
            found.get(), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max()
        )
    assert np.isclose(
        ours.fhtoffset(0.1, mu, offset, bias), scipy.fft.fhtoffset(0.1, mu, offset, bias)
    )


def test_singular_hankel_transforms():
    x = numbers(8, "f8")
    with pytest.warns(UserWarning, match="singular transform"):
        scipy.fft.fht(x, 0.1, 0.0, 0.0, -1.0)
    with pytest.warns(UserWarning, match="singular transform"):
        found = ours.fht(cp.asarray(x), 0.1, 0.0, 0.0, -1.0)
    with pytest.warns(UserWarning, match="singular"):
        np.testing.assert_allclose(
            found.get(), scipy.fft.fht(x, 0.1, 0.0, 0.0, -1.0), rtol=1e-9, atol=1e-9
        )
    with pytest.warns(UserWarning, match="singular inverse transform"):
        found = ours.ifht(cp.asarray(x), 0.1, 0.0, 0.0, 1.0)
    with pytest.warns(UserWarning, match="singular"):
        np.testing.assert_allclose(
            found.get(), scipy.fft.ifht(x, 0.1, 0.0, 0.0, 1.0), rtol=1e-9, atol=1e-9
        )
    with pytest.raises(TypeError, match="fht: takes real numbers"):
        ours.fht(cp.ones(3, "c16"), 0.1, 0.0)


# --- lengths, plans, backends


def test_lengths_that_are_fast():
    def smooth(n):
        for prime in (2, 3, 5, 7):
            while n % prime == 0:
                n //= prime
        return n == 1

    for n in range(1, 400):
        above, below = ours.next_fast_len(n), ours.prev_fast_len(n, real=True)
        assert smooth(above)
        assert smooth(below)
        assert not any(smooth(k) for k in [*range(n, above), *range(below + 1, n + 1)])
    assert ours.next_fast_len(2**61 + 1) > 2**61
    for wrong, kind in [(0, ValueError), (-1, ValueError), (1.5, TypeError), (2**70, ValueError)]:
        with pytest.raises(kind):
            ours.next_fast_len(wrong)


def test_plans():
    x = cp.asarray(numbers((4, 6), "c8"))
    plan = ours.get_fft_plan(x, axes=1)
    assert isinstance(plan, cufft.Plan1d)
    assert (plan.nx, plan.batch, plan.fft_type) == (6, 4, cufft.CUFFT_C2C)
    close(ours.fft(x, plan=plan), scipy.fft.fft(x.get()))
    out = plan.get_output_array(x)
    plan.check_output_array(x, out)
    plan.fft(x, out, cufft.CUFFT_FORWARD)
    close(out, scipy.fft.fft(x.get()))
    with plan:
        assert cufft.get_current_plan() is plan
        close(ours.ifft(x), scipy.fft.ifft(x.get()))
    assert cufft.get_current_plan() is None
    with pytest.raises(ValueError, match="the plan is for transforms of 6 points"):
        ours.fft(x, 5, plan=plan)
    with pytest.raises(ValueError, match="another type"):
        ours.fft(x.astype("c16"), plan=plan)
    with pytest.raises(TypeError, match="get_fft_plan"):
        ours.fft(x, plan=3)
    with pytest.raises(ValueError, match="shape"):
        plan.check_output_array(x, cp.empty(3, "c8"))


@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (0, 1, 2)])
def test_plans_of_several_axes(axes):
    x = cp.asarray(numbers((3, 4, 5), "f8"))
    plan = ours.get_fft_plan(x, axes=axes, value_type="R2C")
    expected = scipy.fft.rfftn(x.get(), axes=axes)
    close(ours.rfftn(x, axes=axes, plan=plan), expected)
    out = plan.get_output_array(x)
    assert out.shape == expected.shape
    plan.fft(x, out, cufft.CUFFT_FORWARD)
    close(out, expected)
    back = ours.get_fft_plan(
        out, x.shape if len(axes) == 3 else [x.shape[a] for a in axes], axes, "C2R"
    )
    assert back.fft_type == cufft.CUFFT_Z2D
    target = cp.empty_like(x)
    back.fft(out, target, cufft.CUFFT_INVERSE)
    np.testing.assert_allclose(
        target.get() / np.prod([x.shape[a] for a in axes]), x.get(), atol=1e-12
    )


def test_what_has_no_plan():
    x = cp.ones((2, 3, 4, 5), "c8")
    with pytest.raises(ValueError, match="side by side"):
        ours.get_fft_plan(x, axes=(0, 2))
    with pytest.raises(ValueError, match="value_type"):
        ours.get_fft_plan(x, value_type="R2R")
    with pytest.raises(ValueError, match="fft_type"):
        cufft.Plan1d(4, 3, 1)
    with pytest.raises(ValueError, match="nx must be positive"):
        cufft.Plan1d(0, cufft.CUFFT_C2C, 1)
    with pytest.raises(NotImplementedError, match="one GPU"):
        cufft.Plan1d(4, cufft.CUFFT_C2C, 1, devices=[0, 1])
    with pytest.raises(ValueError, match="one to three"):
        cufft.PlanNd((2, 2, 2, 2), cufft.CUFFT_C2C, 1)
    with pytest.raises(ValueError, match="in memory"):
        cufft.PlanNd((4, 4), cufft.CUFFT_C2C, 1, inembed=(4, 3))
    plan = cufft.Plan1d(4, cufft.CUFFT_C2C, 3)
    with pytest.raises(ValueError, match="the operand has 4 elements"):
        plan.fft(cp.ones(4, "c8"), cp.ones(12, "c8"), -1)
    with pytest.raises(ValueError, match="out has 12 elements of complex128"):
        plan.fft(cp.ones(12, "c8"), cp.ones(12, "c16"), -1)
    with pytest.raises(ValueError, match="direction"):
        plan.fft(cp.ones(12, "c8"), cp.ones(12, "c8"), 0)
    with pytest.raises(ValueError, match="no transforms from"):
        cufft.XtPlanNd((4,), None, 1, 4, "f2", None, 1, 4, "f2", 1, "c8")


def test_plans_by_dtypes():
    x = cp.asarray(numbers((2, 4), "c16"))
    plan = cufft.XtPlanNd((4,), None, 1, 4, "c16", None, 1, 4, "c16", 2, "c16")
    out = cp.empty_like(x)
    plan.fft(x, out, cufft.CUFFT_INVERSE)
    close(out, scipy.fft.ifft(x.get(), norm="forward"))


def test_the_module_is_a_backend_of_scipys():
    x = cp.asarray(numbers((4, 6), "f8"))
    with scipy.fft.set_backend(ours):
        for name in ("fft", "rfft2", "irfftn", "dct", "idstn"):
            found = getattr(scipy.fft, name)(x)
            assert isinstance(found, cp.ndarray)
            close(found, getattr(ours, name)(x).get())
    assert ours.__ua_function__(np.add, (), {}) is NotImplemented


def test_names():
    for name in scipy.fft.__all__:
        if not name.endswith(("_backend", "_workers")):
            assert hasattr(ours, name), name


# --- scipy.fftpack


@pytest.mark.parametrize("n", [None, 1, 2, 5, 6, 9])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ["rfft", "irfft"])
def test_packed_spectra(name, axis, n):
    for dtype in ("f4", "f8", "i4"):
        x = numbers((5, 6), dtype)
        expected = getattr(scipy.fftpack, name)(x, n, axis)
        found = getattr(cp.scipy.fftpack, name)(cp.asarray(x), n, axis)
        close(found, expected)


def test_fftpack():
    x = numbers((4, 6), "c16")
    d = cp.asarray(x)
    pack = importlib.import_module("gpuarray.scipy.fftpack")
    for name in ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn"):
        close(getattr(pack, name)(d), getattr(scipy.fftpack, name)(x))
    close(pack.fft(d, 4, 0, plan=pack.get_fft_plan(d, 4, 0)), scipy.fftpack.fft(x, 4, 0))
    close(pack.fftn(d, (3, 3)), scipy.fftpack.fftn(x, (3, 3)))
    with pytest.raises(TypeError):
        pack.rfft(d)
    with pytest.raises(TypeError):
        pack.irfft(d)
    with pytest.raises(ValueError):
        pack.irfft(d.real, 0)
