"""Airy and Kelvin functions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.scipy.special.cases import Case, against_scipy, linear, powers

LINE = np.concatenate([linear(-30, 15), linear(-2, 2), -powers(0, 2, 20)])
PLANE = powers(-1, 1.4, 8) * np.exp(1j * linear(-3.1, 3.1, 8)[::-1])


def envelope(power):
    """Oscillations are compared relative to half of their amplitude."""
    return lambda x, wanted: np.where(x < 0, 0.3 * np.maximum(np.abs(x), 1) ** power, 0)


ENVELOPES = (envelope(-0.25), envelope(0.25)) * 2


def airy(mp, x):
    """Both functions and their derivatives."""
    return mp.airyai(x), mp.airyai(x, derivative=1), mp.airybi(x), mp.airybi(x, derivative=1)


def airye(mp, x):
    """The same, scaled; SciPy has no number for Ai below zero."""
    if x < 0:
        return mp.nan, mp.nan, *airy(mp, x)[2:]
    zeta = mp.mpf(2) / 3 * x * mp.sqrt(x)
    return tuple(f * mp.exp(s * zeta) for f, s in zip(airy(mp, x), (1, 1, -1, -1)))


def kelvin(name):
    """mpmath's Kelvin functions; the derivatives from modified Bessel functions."""

    def value(mp, x):
        turn = mp.expjpi(mp.mpf(1) / 4)
        z = x * turn
        order = 1 if name.endswith("p") else 0
        found = mp.besseli(order, z) if name[0] == "b" else mp.besselk(order, z)
        if order:
            found = found * turn * (1 if name[0] == "b" else -1)
        return found.real if name[1:3] == "er" else found.imag

    return value


FAR = np.concatenate([powers(-4, 1.9), linear(0.1, 20)])


def amplitude(x, wanted):
    """The four K-like functions pass through zero again and again while they decay."""
    return np.where(
        x > 0, np.exp(-np.abs(x) * np.sqrt(0.5)) * np.sqrt(0.5 / np.maximum(np.abs(x), 0.2)), 0
    )


def growth(x, wanted):
    """The size of ber and bei far away, where their zeros lie."""
    x = np.abs(x)
    return np.where(x > 2, np.exp(x * np.sqrt(0.5)) / np.sqrt(7 * np.maximum(x, 1)), 0)


KELVIN = [
    Case(
        name, FAR, exact=kelvin(name), scale=amplitude if name[0] == "k" else growth, single=2, heavy=True,
        corners=(0.0, 1.0, 2.0, 0.5),
    )
    for name in ("ber", "bei", "ker", "kei", "berp", "beip", "kerp", "keip")
]  # fmt: skip

CASES = [
    Case("airy", LINE, exact=airy, scale=ENVELOPES, complexes=[PLANE], relative=1e-12, heavy=True),
    Case("airye", LINE, exact=airye, scale=ENVELOPES, complexes=[PLANE], relative=1e-12, heavy=True),
    *KELVIN,
]  # fmt: skip

test_values = against_scipy(CASES)


@pytest.mark.slow
def test_kelvin_is_its_parts() -> None:
    """The ufunc with four complex results has the eight real functions in it."""
    import gpuarray as cp
    from gpuarray.scipy import special

    x = cp.asarray(FAR[::40])
    for found, (real, imag) in zip(
        special.kelvin(x), (("ber", "bei"), ("ker", "kei"), ("berp", "beip"), ("kerp", "keip"))
    ):
        assert found.dtype == np.complex128
        assert (found.real == getattr(special, real)(x)).all()
        assert (found.imag == getattr(special, imag)(x)).all()
    assert special.kelvin(x.astype("f"))[0].dtype == np.complex64
