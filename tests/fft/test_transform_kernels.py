"""The kernels before and behind transforms: rules, padding, index widths, checkers."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
import gpuarray.scipy.fft
from gpuarray import _calls, _layout
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import transform
from gpuarray.kernels.transform.spec import TransformSpec, render


def run(rule, x, shape, dtype, axis, **options):
    """A target of a shape that a rule makes of an array."""
    stream = current.stream
    target = _layout.contiguous(np.dtype(dtype), shape)
    bound = transform.launch.bound(rule, x._layout, target, axis, stream, **options)
    passed = {"target": "y0", "source": "x0"}
    return _calls.make_call(stream, "a", [target], [(bound, passed)])(x).get()


def numbers(shape, dtype):
    rng = np.random.default_rng(0)
    x = 9 * rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 9j * rng.standard_normal(shape)
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "f8", "c8", "c16"])
def test_copies_cast_fill_and_multiply(dtype):
    x = numbers((3, 4), dtype)
    target = "c8" if dtype in ("f4", "c8") else "c16"
    found = run("copy", cp.asarray(x), (5, 6), target, 1, factor=0.5)
    expected = np.zeros((5, 6), target)
    expected[:3, :4] = x * 0.5
    np.testing.assert_array_equal(found, expected)


def test_the_source_may_be_longer_and_backwards():
    x = numbers((5, 6), "f4")
    d = cp.asarray(x)
    np.testing.assert_array_equal(
        run("copy", d[::-1, ::-2], (3, 2), "f4", 1), x[::-1, ::-2][:3, :2]
    )
    np.testing.assert_array_equal(
        run("copy", d.T, (4, 7), "f4", 0), np.pad(x.T[:4], ((0, 0), (0, 2)))
    )


@pytest.mark.parametrize("n", [6, 7])
def test_half_of_a_spectrum_becomes_hermitian(n):
    x = numbers((3, 2), "c16")
    for rule, source in (("hermitian", x), ("hermitian_conjugate", x.conj())):
        found = run(rule, cp.asarray(x), (n // 2 + 1, 2), "c16", 0, n=n, factor=2.0)
        expected = np.zeros((n // 2 + 1, 2), complex)
        expected[:3] = 2 * source
        expected[0] = expected[0].real
        if n % 2 == 0:
            expected[-1] = expected[-1].real
        np.testing.assert_array_equal(found, expected)


def test_indices_are_as_wide_as_they_must_be(monkeypatch):
    """Beyond 2^31 elements, or points of a transform of which four times as many are counted."""
    specs = []

    def load(spec, render, device):
        specs.append(spec)
        raise LookupError

    monkeypatch.setattr(transform.launch, "load", load)
    cases = [
        ((2**31 - 2**20 - 1,), "f4", 0, "int32"),
        ((2**31,), "f4", 0, "int64"),
        ((2**16, 2**15), "f4", 0, "int64"),
        ((100,), "f4", 2**29 - 1, "int32"),
        ((100,), "f4", 2**29, "int64"),
    ]
    for shape, dtype, n, index in cases:
        layout = _layout.contiguous(np.dtype(dtype), shape)
        rule = "copy" if not n else "unfold"
        with pytest.raises(LookupError):
            transform.launch.bound(rule, layout, layout, 0, current.stream, n=n)
        assert specs[-1].index == index, (shape, n)


def test_both_widths_of_indices_give_the_same(monkeypatch):
    x = cp.asarray(numbers((3, 5), "f8"))
    narrow = run("copy", x, (4, 7), "c16", 1), run("uncosine", x, (3, 4), "c16", 1, n=7)
    monkeypatch.setattr(_layout, "needs_int64", lambda size, layouts: True)
    wide = run("copy", x, (4, 7), "c16", 1), run("uncosine", x, (3, 4), "c16", 1, n=7)
    for one, other in zip(narrow, wide, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "spec",
    [
        {"rule": "copy", "source": "c8", "target": "f4"},
        {"rule": "fold", "source": "f4", "target": "f8"},
        {"rule": "hermitian", "source": "f8", "target": "c16"},
        {"rule": "fold", "source": "i4", "target": "f4"},
        {"rule": "no such", "source": "f4", "target": "f4"},
        {"rule": "copy", "source": "f4", "target": "f4", "axis": 1},
    ],
)
def test_specifications_that_make_no_sense(spec):
    with pytest.raises(ValueError):
        TransformSpec(**{"ndim": 1, "axis": 0, **spec})


def test_names_tell_kernels_apart():
    specs = [
        TransformSpec("copy", "f4", "c8", 2, axis, sine, padded, index)
        for axis in (0, 1)
        for sine in (False, True)
        for padded in (False, True)
        for index in ("int32", "int64")
    ]
    assert len({render(spec).name for spec in specs}) == len(specs)


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find():
    x = cp.asarray(numbers((3, 6), "f8"))
    z = cp.asarray(numbers((3, 6), "c8"))
    with cp.cuda.check("races=lane", "uninit", "barriers"):
        cp.fft.ifft(z[:, 1:], 9)
        cp.fft.fft(z, 4, 0)
        cp.fft.rfft(x, 9)
        cp.fft.rfft(x[:, 1:])
        cp.fft.irfft(z, 13)
        cp.fft.irfftn(z, (4, 5), (0, 1))
        cp.fft.ihfft(x)
        cp.fft.fft(cp.asarray(numbers((40, 5, 3), "c8")), axis=1)
        for kind in (1, 2, 3, 4):
            for n in (4, 6, 9):
                cp.scipy.fft.dct(x, kind, n)
                cp.scipy.fft.dst(x, kind, n)
