"""Bit generators by CuPy's names: published numbers, streams in any chunks, states."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy import stats

import gpuarray as cp

NAMES = ["Philox4x3210", "MRG32k3a", "XORWOW"]


def _of_words(name, words):
    """A bit generator in a state."""
    made = getattr(cp.random, name)(0)
    made.state = {"bit_generator": name, "state": dict(zip(made._names, words))}
    return made


def _halves(bit_generator, count):
    words = [int(x) for x in cp.asnumpy(bit_generator.random_raw(count))]
    return [half for word in words for half in (word >> 32, word & 0xFFFFFFFF)]


def test_mrg32k3a_is_the_published_one():
    """The first numbers that L'Ecuyer's program prints for seeds of 12345, and its recurrence."""
    found = _halves(_of_words("MRG32k3a", [12345] * 6), 600)
    published = [0.1270111220, 0.3185275653, 0.3091860155, 0.8258468629]
    assert np.allclose(np.array(found[:4]) / 2**32, published, rtol=0, atol=1e-9)
    a, b, expected = [12345] * 3, [12345] * 3, []
    for _ in range(1200):
        a = [a[1], a[2], (1403580 * a[1] - 810728 * a[0]) % 4294967087]
        b = [b[1], b[2], (527612 * b[2] - 1370589 * b[0]) % 4294944443]
        number = (a[2] - b[2]) % 4294967087 or 4294967087
        expected.append((number - 1) * 2**32 // 4294967087)
    assert np.abs(np.array(found) - np.array(expected)).max() <= 1  # rounded by a double


def test_xorwow_is_the_published_one():
    x, d = [123456789, 362436069, 521288629, 88675123, 5783321], 6615241
    found = _halves(_of_words("XORWOW", [*x, d]), 20)
    expected = []
    for _ in range(40):
        t = x[0] ^ x[0] >> 2
        x = [*x[1:], (x[4] ^ x[4] << 4 ^ t ^ t << 1) & 0xFFFFFFFF]
        d = (d + 362437) & 0xFFFFFFFF
        expected.append((d + x[4]) & 0xFFFFFFFF)
    assert found == expected


def test_philox4x3210_has_the_known_answer():
    words = cp.asnumpy(_of_words("Philox4x3210", [0, 0]).random_raw(2))
    assert [hex(int(x)) for x in words] == ["0xe169c58d6627e8d5", "0x9b00dbd8bc57ac4c"]


@pytest.mark.parametrize("name", NAMES)
def test_streams_do_not_depend_on_chunks(name):
    kind = getattr(cp.random, name)
    whole = cp.asnumpy(kind(5).random_raw(1100))
    parts = kind(5)
    found = np.concatenate([cp.asnumpy(parts.random_raw(n)) for n in (1, 2, 597, 500)])
    assert (found == whole).all()
    assert np.unique(whole).size == whole.size
    assert stats.kstest(whole / 2**64, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(whole[1:] / 2**64, whole[:-1] / 2**64)[0, 1]) < 5 / math.sqrt(1100)


def test_long_jumps():
    """Words far behind: by products of matrices as by counting."""
    one, other = [cp.random.MRG32k3a(3) for _ in range(2)]
    one.random_raw(70_000, output=False)
    for count in (1, 4095, 65_536, 368):
        other.random_raw(count, output=False)
    assert one.state == other.state


@pytest.mark.parametrize("name", NAMES)
def test_states(name):
    kind = getattr(cp.random, name)
    one = kind([1, 2])
    one.random_raw(3)
    other = pickle.loads(pickle.dumps(one))
    kept = one.state
    x = cp.asnumpy(one.random_raw(5)).tolist()
    assert cp.asnumpy(other.random_raw(5)).tolist() == x
    one.state = kept
    assert cp.asnumpy(one.random_raw(5)).tolist() == x
    children = one.spawn(2)
    assert len({str(child.state) for child in (*children, one)}) == 3
    assert isinstance(children[0], kind)
    for bad in ({}, {**kept, "bit_generator": "PCG64"}, {**kept, "state": {}},
                {**kept, "state": dict.fromkeys(one._names, -1)}):  # fmt: skip
        with pytest.raises(ValueError, match="state"):
            one.state = bad
    with pytest.raises(TypeError, match="dict"):
        one.state = 3
    with pytest.raises((TypeError, ValueError)):
        kind(-1)


def test_functions_draw_from_a_bit_generator():
    before = cp.random.get_random_state()
    try:
        cp.random.set_random_state(cp.random.RandomState(0))
        cp.random.set_bit_generator(cp.random.PCG64(3))
        mine = cp.random.get_bit_generator()
        assert isinstance(mine, cp.random.PCG64)
        kept = cp.random.get_state()
        assert kept["bit_generator"] == "PCG64"
        x = cp.asnumpy(cp.random.rand(5))
        y = cp.asnumpy(cp.random.randint(7, size=3000))
        assert stats.chisquare(np.bincount(y)).pvalue > 1e-4
        assert np.unique(cp.asnumpy(cp.random.choice(10**9, 20, replace=False))).size == 20
        cp.random.set_state(kept)
        assert (cp.asnumpy(cp.random.rand(5)) == x).all()
        cp.random.seed(1)
        assert isinstance(cp.random.get_bit_generator(), cp.random.Philox4x3210)
        with pytest.raises(TypeError, match="no bit generator"):
            cp.random.set_bit_generator(3)
    finally:
        cp.random.set_random_state(before)


@pytest.mark.parametrize("name", ["XORWOW", "MRG32k3a", "Philox4x3210"])
def test_orders_and_choices(name):
    generator = cp.random.Generator(getattr(cp.random, name)(3))
    chosen = generator.choice(10**9, 5, replace=False).get()
    assert len(set(chosen)) == 5
    assert chosen.max() < 10**9
    assert sorted(generator.permutation(6).get()) == list(range(6))
