"""errstate, seterr and geterr: what becomes of a decomposition that fails."""

from __future__ import annotations

import threading

import numpy as np
import pytest


def test_states_are_nested(xp):
    assert xp.geterr() == {
        "divide": "ignore", "over": "ignore", "under": "ignore", "invalid": "ignore",
        "linalg": "raise",
    }  # fmt: skip
    state = xp.errstate(linalg="ignore")
    with state:
        assert xp.geterr()["linalg"] == "ignore"
        with xp.errstate(linalg="raise"), xp.errstate(divide="ignore"), state:
            assert xp.geterr()["linalg"] == "ignore"
        assert xp.geterr()["linalg"] == "ignore"
    assert xp.geterr()["linalg"] == "raise"


def test_states_end_with_an_exception(xp):
    with pytest.raises(KeyError), xp.errstate(linalg="ignore"):
        raise KeyError
    assert xp.geterr()["linalg"] == "raise"


def test_states_decorate(xp):
    assert xp.errstate(linalg="ignore")(xp.geterr)()["linalg"] == "ignore"
    assert xp.geterr()["linalg"] == "raise"


def test_what_was_set_comes_back(xp):
    before = xp.seterr(linalg="ignore", all="ignore")
    try:
        assert before["linalg"] == "raise"
        assert xp.seterr()["linalg"] == "ignore"  # nothing given, nothing changed
    finally:
        assert xp.seterr(**before)["linalg"] == "ignore"
    assert xp.geterr() == before


def test_threads_have_states_of_their_own(xp):
    found = []
    with xp.errstate(linalg="ignore"):
        thread = threading.Thread(target=lambda: found.append(xp.geterr()["linalg"]))
        thread.start()
        thread.join()
    assert found == ["raise"]


def test_threads_share_a_context(xp):
    shared = xp.errstate(linalg="ignore")
    other = []

    def work():
        with xp.errstate(linalg="raise"), shared:
            other.append(xp.geterr()["linalg"])
            entered.set()
            left.wait()
        other.append(xp.geterr()["linalg"])

    entered, left = threading.Event(), threading.Event()
    thread = threading.Thread(target=work)
    with xp.errstate(linalg="ignore"):
        with shared:
            thread.start()
            entered.wait()
        assert xp.geterr()["linalg"] == "ignore"
        left.set()
        thread.join()
    assert other == ["ignore", "raise"]


def test_what_cannot_be_set(xp):
    for name in ("all", "divide", "over", "under", "invalid"):
        with pytest.raises(NotImplementedError, match=f"seterr: {name}='warn'.*isfinite"):
            xp.seterr(**{name: "warn"})
    with pytest.raises(ValueError, match="linalg must be 'raise' or 'ignore'; got 'warn'"):
        xp.seterr(linalg="warn")
    for value in (np.array([None]), np.array(["ignore"])):  # equal to what can be set
        with pytest.raises(ValueError, match="linalg must be"):
            xp.seterr(linalg=value)
        with pytest.raises(NotImplementedError, match="divide"):
            xp.seterr(divide=value)
    assert xp.geterr()["linalg"] == "raise"
    with pytest.raises(TypeError), xp.errstate("ignore"):
        pass
