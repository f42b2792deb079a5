"""Bit generators: NumPy's words and states, wherever and however they are drawn."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

from gpuarray.errors import CaptureError
from tests.random.numpy_streams import same_draw, same_state

NAMES = ["PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937"]


def _pair(xp, name, seed=12345):
    return getattr(xp.random, name)(seed), getattr(np.random, name)(seed)


@pytest.mark.parametrize("name", NAMES)
def test_words_and_state_are_numpys(xp, name):
    ours, theirs = _pair(xp, name)
    same_state(ours.state, theirs.state)
    for size in (1, 3, (2, 300), None):
        found = ours.random_raw(size).get()
        np.testing.assert_array_equal(found, theirs.random_raw(size))
        same_state(ours.state, theirs.state)
    assert ours.random_raw(5, output=False) is None
    theirs.random_raw(5)
    same_state(ours.state, theirs.state)


@pytest.mark.parametrize("name", NAMES)
def test_state_moves_to_and_from_numpy(xp, name):
    ours, theirs = _pair(xp, name)
    np.random.Generator(theirs).integers(9, size=3, dtype="i4")  # keeps an upper half
    ours.state = theirs.state
    same_state(ours.state, theirs.state)
    np.testing.assert_array_equal(ours.random_raw(70).get(), theirs.random_raw(70))
    theirs.state = ours.state
    np.testing.assert_array_equal(theirs.random_raw(7), ours.random_raw(7).get())
    with pytest.raises(ValueError, match="state must be for"):
        ours.state = {"bit_generator": "another"}


@pytest.mark.parametrize("name", NAMES)
def test_copies_and_pickles_go_on_with_the_stream(xp, name):
    ours, theirs = _pair(xp, name)
    ours.random_raw(5)
    theirs.random_raw(5)
    expected = theirs.random_raw(4)
    same_state(type(ours)(theirs).state, theirs.state)
    for other in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        np.testing.assert_array_equal(other.random_raw(4).get(), expected)
        assert other.seed_seq.entropy == ours.seed_seq.entropy
    np.testing.assert_array_equal(ours.random_raw(4).get(), expected)


@pytest.mark.parametrize("name", NAMES)
def test_spawned_bit_generators_are_numpys(xp, name):
    ours, theirs = _pair(xp, name)
    for found, expected in zip(ours.spawn(2), theirs.spawn(2)):
        same_state(found.state, expected.state)
    same_state(ours.spawn(1)[0].state, theirs.spawn(1)[0].state)


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "Philox", "MT19937"])
def test_jumps_are_numpys(xp, name):
    ours, theirs = _pair(xp, name)
    same_state(ours.jumped(3).state, theirs.jumped(3).state)
    if name == "MT19937":
        return
    for delta in (1, 10**20, -5):
        assert ours.advance(delta) is ours
        theirs.advance(delta)
        same_state(ours.state, theirs.state)


def test_philox_goes_on_within_a_block(xp):
    """A thread makes the four words of a block, some of which may have been read before."""
    ours = xp.random.default_rng(xp.random.Philox(3))
    theirs = np.random.Generator(np.random.Philox(3))
    for read in range(1, 6):
        same_draw(ours, theirs, 0, "random", read)
        same_draw(ours, theirs, 0, "random", 2 * read, dtype=np.float32)
    same_draw(ours, theirs, 0, "random", 2100)


def test_philox_has_the_known_answers(xp):
    """Random123's known answers for Philox4x64-10."""
    ones = 2**64 - 1
    digits = [
        0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89,
        0x452821E638D01377, 0xBE5466CF34E90C6C,
    ]  # fmt: skip
    answers = [
        ([0] * 6,
         [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]),
        ([ones] * 6,
         [0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0]),
        (digits,
         [0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6]),
    ]  # fmt: skip
    for words, expected in answers:
        # The counter is increased before a block is made.
        number = sum(word << 64 * i for i, word in enumerate(words[:4]))
        key = words[4] | words[5] << 64
        ours = xp.random.Philox(counter=(number - 1) % 2**256, key=key)
        assert [hex(x) for x in ours.random_raw(4).get()] == [hex(x) for x in expected]


def test_draws_of_several_streams_follow_one_another(xp):
    ours, theirs = _pair(xp, "PCG64")
    first = ours.random_raw(1000)
    with xp.cuda.Stream(non_blocking=True) as stream:
        second = ours.random_raw(1000)
        stream.synchronize()
    third = ours.random_raw(1000)
    expected = theirs.random_raw(3000)
    found = np.concatenate([x.get() for x in (first, second, third)])
    np.testing.assert_array_equal(found, expected)


def test_threads_share_a_stream_of_words(xp):
    ours, theirs = _pair(xp, "PCG64")
    ours.random_raw(1)
    theirs.random_raw(1)
    found = []

    def draw():
        for _ in range(5):
            words = ours.random_raw(40)
            xp.cuda.get_current_stream().synchronize()
            found.append(words.get())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = theirs.random_raw(800).reshape(20, 40)
    np.testing.assert_array_equal(np.sort([x[0] for x in found]), np.sort(expected[:, 0]))
    np.testing.assert_array_equal(np.sort(np.ravel(found)), np.sort(expected, axis=None))


def test_captures_are_refused(xp):
    ours, theirs = _pair(xp, "PCG64")
    stream = xp.cuda.Stream(non_blocking=True)
    with stream:
        ours.random_raw(3)
        with stream.capture(), pytest.raises(CaptureError, match="draw before the capture"):
            ours.random_raw(3)
        found = ours.random_raw(3).get()
    np.testing.assert_array_equal(found, theirs.random_raw(6)[3:])


def test_base_class_makes_nothing(xp):
    with pytest.raises(NotImplementedError):
        xp.random.BitGenerator()
    assert issubclass(xp.random.PCG64, xp.random.BitGenerator)
    assert xp.random.SeedSequence is np.random.SeedSequence


def test_seeds_are_refused_as_numpy_does(xp):
    for seed in (-1, 2.5, "text"):
        with pytest.raises((ValueError, TypeError)) as expected:
            np.random.PCG64(seed)
        with pytest.raises(expected.type) as found:
            xp.random.PCG64(seed)
        assert str(found.value) == str(expected.value)


def test_a_reset_of_the_device_loses_the_state():
    script = """
import gpuarray as cp
from gpuarray.errors import CUDAError

ours = cp.random.PCG64(1)
kept = ours.state
ours.random_raw(3)
cp.cuda.Device().reset()
for use in (lambda: ours.random_raw(3), lambda: ours.state):
    try:
        use()
    except CUDAError as error:
        assert "the state was lost with it" in str(error)
    else:
        raise AssertionError("no error")
ours.state = kept
assert ours.random_raw(2).tolist() == cp.random.PCG64(1).random_raw(2).tolist()
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
