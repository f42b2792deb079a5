"""Fourier transforms of arrays of any layout, compared with NumPy's."""

from __future__ import annotations

import re
import threading
import warnings

import numpy as np
import pytest
import scipy.fft
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
import gpuarray.scipy.fft
from gpuarray._libraries import fft_costs
from gpuarray.errors import HostArrayError
from tests.array.arrays import LAYOUTS, launches, raises_alike

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY = ["fftn", "ifftn", "rfftn", "irfftn"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2"]
OF_REALS = {"rfft", "ihfft", "rfftn", "rfft2"}
TO_REAL = {"irfft", "hfft", "irfftn"}
NORMS = [None, "backward", "ortho", "forward"]


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return (10 * x).astype(dtype)


def close(found, expected, single=None):
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if single is None:
        single = expected.dtype in ("f4", "c8")
    scale = max(np.abs(expected).max(initial=0), 1)
    np.testing.assert_allclose(
        found.get(), expected, rtol=0, atol=scale * (2e-6 if single else 1e-13)
    )


def compare(name, x, *args, **kwargs):
    expected = getattr(np.fft, name)(x, *args, **kwargs)
    found = getattr(cp.fft, name)(cp.asarray(x), *args, **kwargs)
    close(found, expected)
    assert found.strides == expected.strides
    return found


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", [*ONE, *MANY])
def test_dtypes(name, dtype):
    if np.dtype(dtype).kind == "c" and name in OF_REALS:
        with pytest.raises(TypeError, match=f"{name}: the transform of reals"):
            getattr(cp.fft, name)(cp.ones((2, 2), dtype))
        return
    compare(name, numbers((3, 6), dtype))


@pytest.mark.parametrize("name", [*ONE, *MANY])
def test_halves_are_computed_in_single_precision(name):
    x = numbers((3, 6), "f2")
    found = getattr(cp.fft, name)(cp.asarray(x))
    assert found.dtype == getattr(np.fft, name)(x).dtype
    expected = getattr(np.fft, name)(x.astype("f4")).astype(found.dtype)
    atol = 0.1 if found.dtype == "f2" else 1e-4
    np.testing.assert_allclose(found.get(), expected, atol=atol)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "fftn", "rfftn", "irfftn"])
def test_layouts(name, layout):
    make = LAYOUTS[layout]
    x = numbers((4, 6), "f4" if name in OF_REALS else "c8")
    host, device = make(np, x), make(cp, cp.asarray(x))
    if not host.ndim or (not host.size and name.endswith("n")):
        if name != "fftn" or host.ndim:
            raises_alike(lambda: getattr(np.fft, name)(host), lambda: getattr(cp.fft, name)(device))
            return
    close(getattr(cp.fft, name)(device), getattr(np.fft, name)(host))


@st.composite
def calls(draw):
    ndim = draw(st.integers(1, 4))
    shape = draw(st.lists(st.integers(1, 6), min_size=ndim, max_size=ndim))
    name = draw(st.sampled_from([*ONE, *MANY]))
    dtype = draw(st.sampled_from(["f4", "f8"] if name in OF_REALS else ["f4", "c8", "c16"]))
    x = numbers(shape, dtype, draw(st.integers(0, 9)))
    order = draw(st.permutations(range(ndim)))
    index = tuple(
        draw(
            st.sampled_from(
                [slice(None), slice(None, None, -1), slice(None, None, 2), slice(1, None)]
            )
        )
        for _ in range(ndim)
    )
    norm = draw(st.sampled_from(NORMS))
    lengths = st.one_of(st.none(), st.integers(1, 9))
    if name in ONE:
        return name, x, order, index, (draw(lengths), draw(st.integers(-ndim, ndim - 1)), norm)
    axes = tuple(draw(st.permutations(range(ndim)))[: draw(st.integers(1, ndim))])
    s = draw(st.one_of(st.none(), st.tuples(*[st.integers(1, 9)] * len(axes))))
    return name, x, order, index, (s, axes, norm)


@settings(max_examples=60, deadline=None)
@given(calls())
def test_any_axes_lengths_norms_and_layouts(call):
    name, x, order, index, arguments = call
    host, device = [a.transpose(order)[index] for a in (x, cp.asarray(x))]
    try:
        expected = getattr(np.fft, name)(host, *arguments)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            getattr(cp.fft, name)(device, *arguments)
        return
    before = device.get()
    if not host.size and name in TO_REAL:
        expected = np.zeros_like(expected)  # NumPy reads memory that nobody has written
    close(getattr(cp.fft, name)(device, *arguments), expected)
    np.testing.assert_array_equal(device.get(), before)  # the operand is left as it was


@pytest.mark.parametrize("name", TWO)
def test_two_axes(name):
    x = numbers((3, 4, 6), "f8")
    compare(name, x)
    compare(name, x, (5, 4), (0, 2), "ortho")
    compare(name, x, (5, -1), (0, 2))


@pytest.mark.parametrize("n", [1, 2, 31, 64, 5999])
@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
def test_lengths(name, n):
    """Executed twice: a size such as 5999 once was wrong the second time, in another library."""
    x = numbers((2, n), "f8")
    arguments = (n,) if name == "irfft" else ()
    first = compare(name, x, *arguments)
    second = getattr(cp.fft, name)(cp.asarray(x), *arguments)
    np.testing.assert_array_equal(first.get(), second.get())


@pytest.mark.parametrize("n", [6, 7])
@pytest.mark.parametrize("name", ["irfft", "hfft"])
def test_spectra_that_are_not_hermitian(name, n):
    """Imaginary parts at frequency 0 and at half of the points are ignored."""
    compare(name, numbers((5, 4), "c16"), n)
    compare("irfftn", numbers((4, 3, 4), "c16"), (4, 3, n), (0, 1, 2))


def test_views_that_begin_anywhere():
    x = numbers(17, "f8")
    d = cp.asarray(x)
    close(cp.fft.rfft(d[1:]), np.fft.rfft(x[1:]))  # 8 bytes behind a multiple of 16
    close(cp.fft.rfft(d[2:]), np.fft.rfft(x[2:]))
    close(cp.fft.rfftn(d[1:].reshape(2, 8)), np.fft.rfftn(x[1:].reshape(2, 8)))
    packed = np.zeros(5, [("a", "u1"), ("b", "c16")])
    packed["b"] = numbers(5, "c16")
    close(cp.fft.fft(cp.asarray(packed)["b"]), np.fft.fft(packed["b"]))


def test_middle_axes_with_many_calls_go_through_copies():
    x = numbers((40, 5, 3), "c8")
    compare("fft", x, None, 1)
    x = numbers((40, 6, 3), "f4")
    compare("rfft", x, None, 1)
    compare("irfft", x, None, 1)
    compare("irfft", x, 7, 1)
    compare("rfftn", numbers((7, 5, 3, 5), "f8"), None, (3, 1))


def test_more_than_three_axes():
    x = numbers((2, 3, 4, 3, 2), "f8")
    for name in MANY:
        compare(name, x)
    compare("fftn", x, None, (0, 2, 4, 1))


def test_an_axis_twice():
    x = numbers((4, 6), "f8")
    for name in MANY:
        compare(name, x, None, (1, 0, 1))


@pytest.mark.single_operations
def test_no_transpose_and_no_copy():
    x = cp.ones((32, 32, 16), "c8")
    cp.fft.fftn(x, axes=(0, 1))
    assert launches(lambda: cp.fft.fftn(x, axes=(0, 1))) == 1
    assert launches(lambda: cp.fft.fft(x)) == 1
    assert launches(lambda: cp.fft.ifft(x)) == 2  # the norm's factor
    assert launches(lambda: cp.fft.ifft(x, 40)) == 2  # it is multiplied where zeros are filled in
    assert launches(lambda: cp.fft.irfft(x)) == 2
    assert launches(lambda: cp.fft.irfft(x, 40, norm="ortho")) == 2
    halves = x.real.astype("f2")
    assert launches(lambda: cp.fft.rfft(halves)) == 2  # cast once
    assert launches(lambda: cp.fft.fft(halves)) == 3  # and mirrored


# ---- arguments -----------------------------------------------------------------------------------


def test_shapes_without_elements():
    for name in ("fft", "rfft", "irfft"):
        found = getattr(cp.fft, name)(cp.ones((0, 4)))
        assert found.shape == getattr(np.fft, name)(np.ones((0, 4))).shape
        found = getattr(cp.fft, name)(cp.ones((3, 0)), 4)
        # NumPy's irfft reads memory here that nobody has written.
        close(found, np.zeros_like(getattr(np.fft, name)(np.ones((3, 0)), 4)))
    close(
        cp.fft.fftn(cp.ones((0, 2)), (3, 2), (0, 1)), np.fft.fftn(np.ones((0, 2)), (3, 2), (0, 1))
    )
    x = cp.ones(())
    assert cp.fft.fftn(x) is x
    assert cp.fft.fftn(x, norm="other") is x  # NumPy does not look at it here, either
    out = cp.zeros((), "c8")
    assert cp.fft.ifftn(x, out=out) is out
    assert out == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: xp.fft.fft(x, 0),
        lambda xp, x: xp.fft.fft(x, -3),
        lambda xp, x: xp.fft.fft(x[:, :0]),
        lambda xp, x: xp.fft.irfft(x[:, :1]),
        lambda xp, x: xp.fft.fft(x, 1.5),
        lambda xp, x: xp.fft.fft(x, "a"),
        lambda xp, x: xp.fft.fft(x, None, 2),
        lambda xp, x: xp.fft.fft(x, 4, -3),
        lambda xp, x: xp.fft.fft(x, None, 0.0),
        lambda xp, x: xp.fft.fft(x, norm="other"),
        lambda xp, x: xp.fft.hfft(x, norm=3),
        lambda xp, x: xp.fft.fft(x[0, 0]),
        lambda xp, x: xp.fft.fftn(x, (2, 2), (0,)),
        lambda xp, x: xp.fft.fftn(x, None, (0, 5)),
        lambda xp, x: xp.fft.fft2(x[0]),
        lambda xp, x: xp.fft.rfftn(x, None, ()),
        lambda xp, x: xp.fft.fftn(x, (0, 2), (0, 1)),
        lambda xp, x: xp.fft.fft(x, out=xp.empty((2, 3), "c16")),
        lambda xp, x: xp.fft.fft(x, out=xp.empty((3, 4), "f8")),
        lambda xp, x: xp.fft.fft(x, out=3),
        lambda xp, x: xp.fft.rfft(x + 1j),
        # Of two faults the type is that of the one which NumPy finds first.
        lambda xp, x: xp.fft.rfft(x + 1j, 0),
        lambda xp, x: xp.fft.ihfft(x + 1j, 2.5, -3),
        lambda xp, x: xp.fft.fft(x, 2.5, norm="other"),
        lambda xp, x: xp.fft.hfft(x, "a", norm="other"),
        lambda xp, x: xp.fft.fft(x, 2.5, -3),
        lambda xp, x: xp.fft.rfftn(x + 1j, axes=()),
        lambda xp, x: xp.fft.rfftn(x + 1j, (0, 2), (0, 1)),
        lambda xp, x: xp.fft.rfftn(x + 1j, (2, 0), (0, 1)),
        lambda xp, x: xp.fft.fftfreq(2.5),
        lambda xp, x: xp.fft.fftfreq(0),
        lambda xp, x: xp.fft.fftfreq(4, 0),
        lambda xp, x: xp.fft.fftshift(x, 2),
    ],
)
def test_errors_are_numpys(call):
    x = np.ones((3, 4))
    with pytest.raises(Exception) as theirs:  # whatever NumPy raises
        call(np, x)
    kinds = (ValueError, TypeError, IndexError, ZeroDivisionError)
    kind = next(k for k in kinds if isinstance(theirs.value, k))
    with pytest.raises(kind):
        call(cp, cp.asarray(x))


def test_messages():
    x = cp.ones((3, 4))
    with pytest.raises(
        ValueError, match=re.escape("Invalid number of FFT data points (0) specified.")
    ):
        cp.fft.fft(x, 0)
    with pytest.raises(ValueError, match="Invalid norm value other; should be"):
        cp.fft.fft(x, norm="other")
    with pytest.raises(ValueError, match="Shape and axes have different lengths"):
        cp.fft.fftn(x, (2,), (0, 1))
    with pytest.raises(ValueError, match="output array has wrong shape"):
        cp.fft.fft(x, out=cp.empty(4, "c16"))
    with pytest.raises(HostArrayError, match="fft: out is a numpy.ndarray"):
        cp.fft.fft(x, out=np.empty((3, 4), "c16"))
    with pytest.raises(HostArrayError):
        cp.fft.fft(np.ones(4))
    with pytest.raises(TypeError, match="fft: there is no transform of datetime64"):
        cp.fft.fft(cp.zeros(3, "M8[s]"))


def test_deprecations_are_numpys():
    x = np.ones((3, 4))
    for arguments in [((3, 4),), ((3, None), (0, 1))]:
        for xp in (np, cp):
            with pytest.warns(DeprecationWarning, match=r"(?i)deprecated\s+in NumPy 2.0") as caught:
                xp.fft.fftn(xp.asarray(x), *arguments)
            if xp is cp:
                assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        close(cp.fft.fftn(cp.asarray(x), (2, None), (0, 1)), np.fft.fftn(x, (2, 4), (0, 1)))
        close(cp.fft.irfftn(cp.asarray(x), (5,)), np.fft.irfftn(x, (5,)))


def test_arguments_of_other_types_are_not_taken_for_those_of_the_last_call():
    x = cp.asarray(numbers((3, 4), "f8"))
    cp.fft.fft(x, 1, 1)
    with pytest.raises(TypeError):
        cp.fft.fft(x, 1.0, 1)
    with pytest.raises(TypeError):
        cp.fft.fft(x, 1, 1.0)
    with pytest.raises(ValueError, match="norm"):
        cp.fft.fft(x, 1, 1, [])


# ---- out -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ONE, *MANY])
def test_out(name):
    x = numbers((4, 6), "f4")
    expected = getattr(np.fft, name)(x)
    d = cp.asarray(x)
    for dtype in (expected.dtype, "c16"):
        out = cp.empty(expected.shape, dtype)
        assert getattr(cp.fft, name)(d, out=out) is out
        close(out, expected.astype(dtype), single=True)
    # One that is a view, backwards and with gaps.
    for index in [(slice(None), slice(None, None, 2)), (slice(None), slice(None, None, -2))]:
        wide = cp.zeros((expected.shape[0], 2 * expected.shape[1]), expected.dtype)
        getattr(cp.fft, name)(d, out=wide[index])
        close(wide[index], expected)


def test_out_that_is_the_operand_or_a_part_of_it():
    x = numbers((4, 6), "c16")
    d = cp.asarray(x)
    assert cp.fft.fft(d, out=d) is d
    close(d, np.fft.fft(x))
    d = cp.asarray(x)
    cp.fft.ifftn(d, out=d)
    close(d, np.fft.ifftn(x))
    d = cp.asarray(x)
    cp.fft.fft(d[:3], out=d[1:])
    close(d[1:], np.fft.fft(x[:3]))
    d = cp.asarray(x[:, :4])
    cp.fft.fft(d.T, out=d)
    close(d, np.fft.fft(x[:, :4].T))
    line = cp.asarray(numbers(8, "f8"))
    whole = cp.fft.irfft(line.view("c16"), 8, out=line)
    close(whole, np.fft.irfft(numbers(8, "f8").view("c16"), 8))


def test_out_that_cannot_be_written():
    out = cp.broadcast_to(cp.zeros(1, "c16"), (4,))
    with pytest.raises(ValueError, match="read-only"):
        cp.fft.fft(cp.ones(4), out=out)


# ---- frequencies ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies(n):
    for name in ("fftfreq", "rfftfreq"):
        for d in (1, 0.1, -3):
            expected = getattr(np.fft, name)(n, d)
            np.testing.assert_array_equal(getattr(cp.fft, name)(n, d).get(), expected)
        found = getattr(cp.fft, name)(n, 0.5, "f4", cp.cuda.Device(0))
        assert found.dtype == "f4"
    with pytest.raises(ValueError, match="dtype must be real"):
        cp.fft.fftfreq(n, dtype="i4")


def test_shifts():
    x = numbers((3, 4, 5), "f8")
    for axes in (None, 0, (0, 2), (-1,), ()):
        for name in ("fftshift", "ifftshift"):
            expected = getattr(np.fft, name)(x, axes)
            np.testing.assert_array_equal(
                getattr(cp.fft, name)(cp.asarray(x), axes).get(), expected
            )


def test_numpys_functions_are_dispatched():
    x = cp.ones(4)
    assert isinstance(np.fft.fft(x), cp.ndarray)
    assert isinstance(np.fft.fftshift(x), cp.ndarray)


# ---- streams, captures, threads -----------------------------------------------------------------


def test_captures():
    """A plan that is new in the capture, one that is not, work areas, and copies."""
    x = numbers((6, 30), "c16")
    d = cp.asarray(x)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        cp.fft.fft(d)
        stream.begin_capture()
        first = cp.fft.fft(d)
        second = cp.fft.ifftn(d)
        third = cp.fft.irfft(d, 31)
        graph = stream.end_capture()
        cp.fft.config.clear_plan_cache()
        for scale in (1, 2):
            d[...] = cp.asarray(scale * x)
            graph.launch()
            stream.synchronize()
            close(first, np.fft.fft(scale * x))
            close(second, np.fft.ifftn(scale * x))
            close(third, np.fft.irfft(scale * x, 31))


def test_threads_share_no_plan():
    x = [numbers((3, 60), "c16", seed) for seed in range(4)]
    expected = [np.fft.ifft(one, axis=0) for one in x]
    failures = []

    def work(i):
        try:
            with cp.cuda.Stream(non_blocking=True) as stream:
                for _ in range(5):
                    found = cp.fft.ifft(cp.asarray(x[i]), axis=0)
                stream.synchronize()
                close(found, expected[i])
        except BaseException as error:  # the main thread raises it
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_hooks_see_calls():
    calls = []

    class Calls(cp.cuda.FunctionHook):
        name = "Calls"

        def call_preprocess(self, *, name, **kwargs):
            calls.append(name)

    x = numbers((2, 4, 5), "c16")
    d = cp.asarray(x)
    with Calls():
        close(cp.fft.fft(d, axis=1), np.fft.fft(x, axis=1))
    assert calls == ["cufftXtExec"] * 2  # a call for each of the first axis


def test_no_kernel_is_for_one_length_alone():
    from gpuarray.kernels import transform

    stream = cp.cuda.get_current_stream()
    for n in (20, 21):
        cp.fft.ifft(cp.ones(n, "c8"))
        cp.fft.ifft(cp.ones(10, "c8"), n)
        cp.fft.irfft(cp.ones(n, "c8"))
        cp.scipy.fft.dct(cp.ones(2 * n, "f4"))
        if n == 20:
            kernels = set(stream.device.functions)
    assert set(stream.device.functions) == kernels
    assert any(isinstance(spec, transform.spec.TransformSpec) for spec in kernels)


@pytest.mark.parametrize(
    "shape, s, axes",
    [
        ((5, 6, 4), None, (0, 1, 2)),
        ((5, 6, 4), (3, 8, 7), (0, 1, 2)),
        ((5, 6, 4), (7, 2, 12), (2, 0, 1)),
        ((3, 5, 6, 4), (4, 6), (1, 3)),
        ((3, 1, 6, 4), (3, 1, 6, 5), (0, 1, 2, 3)),
    ],
)
def test_spectra_of_several_axes_that_are_not_hermitian(shape, s, axes):
    """cuFFT takes a spectrum of several axes for Hermitian along all of them."""
    x = numbers(shape, "c16")
    compare("irfftn", x, s, axes)
    expected = scipy.fft.hfftn(x, s, axes, norm="ortho")
    close(gpuarray.scipy.fft.hfftn(cp.asarray(x), s, axes, norm="ortho"), expected)


@pytest.mark.parametrize("name, dtype", [("fftn", "c8"), ("rfftn", "f4"), ("irfftn", "c8")])
def test_transforms_of_several_axes_that_are_far_apart(monkeypatch, name, dtype):
    x = numbers((6, 5, 20), dtype)
    before = launches(lambda: compare(name, x, axes=(0, 1)))
    monkeypatch.setattr(fft_costs, "_CALL_SECONDS", 0)
    x = numbers((6, 5, 21), dtype)
    after = launches(lambda: compare(name, x, axes=(0, 1)))
    assert after == before + 2  # copies there and back


@pytest.mark.parametrize("name", ["fftn", "ifftn"])
def test_complex_transforms_of_reals_compute_half(name):
    x = numbers((4, 5, 6), "f4")
    d = cp.asarray(x)
    call = getattr(cp.fft, name)
    assert launches(lambda: call(d)) == 2  # the transform, and the mirror image with the factor
    compare(name, x, axes=(2, 0), norm="ortho")
    compare(name, x, (3, 7), (1, 0))
    compare(name, x.T[::-1], axes=(0, 1))
    found = call(d, axes=(1,), out=cp.empty((4, 5, 6), "c16", order="F"))
    close(found, getattr(np.fft, name)(x, axes=(1,)).astype("c16"), single=True)
    # In the mirror image no part that is 0 has a sign, as NumPy has it.
    assert not cp.signbit(call(cp.asarray([[1.0, 0, 0, 0]])).imag[0, 3])
