"""Texts that docstrings share."""

from __future__ import annotations

import re

import pytest

from gpuarray._namespace.shared_texts import sharing
from gpuarray._ops.fourier_texts import TEXTS
from tests.docs.public import things


def test_a_line_stands_for_a_text():
    @sharing({"n": "n : int\n    How many."})
    def f(n):
        """Do it.

        Parameters
        ----------
        {n}

        Of a set {n} nothing is filled in.
        """

    lines = [line.strip() for line in f.__doc__.splitlines()]
    assert lines[4:6] == ["n : int", "How many."]
    assert lines[7] == "Of a set {n} nothing is filled in."
    depths = [len(line) - len(line.lstrip()) for line in f.__doc__.splitlines() if line.strip()]
    assert depths[4] == depths[3] + 4


def test_a_text_that_there_is_not():
    def f():
        """{x}"""

    with pytest.raises(KeyError, match="x"):
        sharing({})(f)


def test_functions_without_documentation():
    def f():
        pass

    assert sharing({})(f) is f


def test_nothing_is_left_to_fill_in():
    used = ""
    for name, thing, _ in things():
        text = getattr(thing, "__doc__", None) or ""
        assert not re.search(r"^ *\{\w+\}$", text, re.MULTILINE), name
        if "fft" in name:
            used += re.sub(r"^ +", "", text, flags=re.MULTILINE)
    for name, text in TEXTS.items():
        assert re.sub(r"^ +", "", text.strip("\n"), flags=re.MULTILINE) in used, name
