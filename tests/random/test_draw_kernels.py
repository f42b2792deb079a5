"""The kernels of draws, where what happens rarely is made to happen."""

from __future__ import annotations

import numpy as np
import pytest

from gpuarray import _layout
from gpuarray.kernels.random import launch, spec, tables
from tests.random.numpy_streams import same_draw, same_state

FLOAT64 = np.dtype(np.float64)


def _drawn(xp, drawn, count, units):
    """A draw of float64 by a specification with room for so many units, from a state of PCG64."""
    ours = xp.random.PCG64(11)
    layout = _layout.contiguous(FLOAT64, (count,))

    def plan(stream, engine):
        return launch._call(stream, drawn, layout, False, units, {})

    return ours, ours._draw(plan, ()).get()


@pytest.mark.parametrize("draw", ["normal", "exponential"])
@pytest.mark.parametrize("capacity", [3, 64])
def test_tiles_with_too_many_long_draws_are_drawn_again(xp, draw, capacity):
    """A tile of 128 units has 1.5 or 3 long draws on average, so that some have more than 3."""
    small = spec.DrawSpec("pcg64", draw, "f8", "compact", capacity=capacity)
    ours, found = _drawn(xp, small, 1500, 1600)
    theirs = np.random.Generator(np.random.PCG64(11))
    expected = getattr(theirs, f"standard_{draw}")(1500)
    np.testing.assert_array_max_ulp(found, expected, 1)
    same_state(ours.state, theirs.bit_generator.state)
    # What was noted of this draw is no matter of the next ones.
    for _ in range(2):
        np.testing.assert_array_equal(ours.random_raw(5).get(), theirs.bit_generator.random_raw(5))


@pytest.mark.parametrize("draw", ["normal", "open"])
def test_last_block_goes_on_until_there_are_enough(xp, draw):
    few = spec.DrawSpec("pcg64", draw, "f8", "compact")
    ours, found = _drawn(xp, few, 3000, 1)
    theirs = np.random.Generator(np.random.PCG64(11))
    expected = theirs.standard_normal(3000) if draw == "normal" else theirs.random(3000)
    np.testing.assert_array_max_ulp(found, expected, 1)
    same_state(ours.state, theirs.bit_generator.state)


@pytest.mark.parametrize("draw", ["normal", "open"])
@pytest.mark.parametrize("grid", [1, 2])
def test_blocks_take_tile_after_tile(xp, monkeypatch, draw, grid):
    """A warp takes the next ticket as soon as it knows what its tile passes over."""
    monkeypatch.setattr(launch, "grid_for", lambda blocks: (min(blocks, grid), 1, 1))
    several = spec.DrawSpec("pcg64", draw, "f8", "compact")
    theirs = np.random.Generator(np.random.PCG64(11))
    ours, found = _drawn(xp, several, 2900, 3000)
    expected = theirs.standard_normal(2900) if draw == "normal" else theirs.random(2900)
    np.testing.assert_array_max_ulp(found, expected, 1)
    same_state(ours.state, theirs.bit_generator.state)


@pytest.mark.slow
def test_what_tiles_pass_over_is_added_up_on_all_levels(xp, monkeypatch):
    """Of 32 tiles, of 32 * 32, and of 32 * 32 * 32, which are 2**20 words here."""
    monkeypatch.setattr(launch, "_COMPACT_ROUNDS", (1,))
    ours, theirs = xp.random.default_rng(2), np.random.default_rng(2)
    same_draw(ours, theirs, 0, "integers", 2**62 + 2**61, size=810_000, dtype=np.uint64)


@pytest.mark.parametrize(("draw", "layer"), [("normal", 1), ("exponential", 2)])
def test_long_draws_begin_with_a_half_that_is_left(xp, draw, layer):
    """No steps of the layer are accepted alone; those of the layer 0 that end it are the tail's."""
    for half in (layer, 0xFFFFFE00, 0xFFFFFF00 | layer):
        theirs = np.random.Generator(np.random.PCG64(5))
        state = theirs.bit_generator.state | {"has_uint32": 1, "uinteger": half}
        ours = xp.random.default_rng(5)
        theirs.bit_generator.state = ours.bit_generator.state = state
        for size in (1, 700):
            same_draw(ours, theirs, 1, f"standard_{draw}", size, dtype=np.float32)


def test_integers_go_on_behind_a_rejected_one(xp):
    """Two to a word, and stored as pairs: those of the tiles behind begin in the middle of one."""
    ours, theirs = xp.random.default_rng(3), np.random.default_rng(3)
    for high in (3 << 20, 1000):  # one of 4096 is rejected; then none, from a half that is left
        same_draw(ours, theirs, 0, "integers", high, size=3001)
    same_draw(ours, theirs, 0, "integers", 3 << 20, size=3001, dtype=np.int32)


@pytest.mark.parametrize("kind", ["normal", "exponential"])
@pytest.mark.parametrize("single", [False, True])
def test_ziggurats_have_the_layers_of_numpys(kind, single):
    """SFC64 gives any word that one asks for: the scales and limits that NumPy's draws show."""
    layers = tables.ziggurat(kind, single)
    bits = 23 if single else (52 if kind == "normal" else 53)
    shift, index = {
        ("normal", False): (9, 0), ("normal", True): (9, 0),
        ("exponential", False): (11, 3), ("exponential", True): (9, 1),
    }[kind, single]  # fmt: skip
    source = np.random.SFC64(0)
    theirs = np.random.Generator(source)
    state = source.state
    dtype = np.float32 if single else np.float64

    def draw(layer, steps):
        """The draw of a word, and whether it took that word alone."""
        word = steps << shift | layer << index
        state["state"]["state"] = np.array([word, 0, 0, 0], np.uint64)
        state["has_uint32"] = 0
        source.state = state
        value = getattr(theirs, f"standard_{kind}")(dtype=dtype)
        after = source.state
        return value, after["has_uint32"] if single else after["state"]["state"][3] == 1

    for layer in range(256):
        limit = layers.limits[layer]
        if layer == 1:
            assert limit == 0
            continue
        value, alone = draw(layer, limit - 1)
        assert alone
        assert value == dtype(limit - 1) * dtype(layers.scales[layer])
        if not single:
            assert not draw(layer, limit)[1]
        assert limit < 2**bits


def test_jumps_are_steps():
    for multiplier in tables.MULTIPLIERS.values():
        words = tables.jumps(multiplier)
        state, increment, mask = 12345, 2 * 987654321 + 1, 2**128 - 1
        for digit, value in ((0, 1), (0, 15), (1, 3), (2, 2)):
            place = (digit * 16 + value) * 4
            first, second = [words[i] << 64 | words[i + 1] for i in (place, place + 2)]
            expected = state
            for _ in range(value * 16**digit):
                expected = (expected * multiplier + increment) & mask
            assert (first * state + second * increment) & mask == expected


@pytest.mark.emulator
@pytest.mark.parametrize(
    ("name", "size"),
    [("PCG64", 1100), pytest.param("MT19937", 100, marks=pytest.mark.slow)],
)
def test_no_findings_of_the_checkers(xp, name, size):
    ours = xp.random.Generator(getattr(xp.random, name)(11))
    with xp.cuda.check("races", "uninit", "bounds", "barriers"):
        ours.random(size)
        ours.integers(200, size=size, dtype="u1")
        ours.integers(0, [2**31, 5], size=(9, 2))
        ours.standard_normal(size)
        ours.standard_exponential(size, dtype="f4")
        ours.permutation(20)
        ours.choice(1000, 9, replace=False)
        xp.random.default_rng(1).choice(10**6, 3500, replace=False)
