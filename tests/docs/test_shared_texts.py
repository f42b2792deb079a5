"""Texts that docstrings share."""

from __future__ import annotations

import re

import pytest

from gpuarray._namespace.shared_texts import add_sections, sharing, texts_of
from gpuarray._ops import fourier_texts
from gpuarray.random import _texts as random_texts
from tests.docs.public import members, things

#: Tables of texts by what the names of those who use them contain.
TABLES = {"fft": fourier_texts.TEXTS, "random": random_texts.TEXTS}


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


def test_methods_of_a_class():
    @sharing({"n": "n : int"})
    class C:
        """{n}"""

        def f(self, n):
            """{n}"""

        @classmethod
        def g(cls, n):
            """{n}"""

    assert C.__doc__ == C.f.__doc__ == C.g.__doc__ == "n : int"


def test_the_texts_of_a_docstring():
    def f(a, *args, b):
        """Do it.

        Parameters
        ----------
        a, b : int
            Numbers.
        *args : str
            Words.

            More of them.

        Returns
        -------
        int
            It.

        Notes
        -----
        Not without reason.
        """

    texts = texts_of(f)
    assert texts["a"] == texts["b"] == "a, b : int\n    Numbers."
    assert texts["args"] == "*args : str\n    Words.\n\n    More of them."
    assert texts["Returns"] == "Returns\n-------\nint\n    It."

    def g(a, *args, b):
        """Do it, too."""

    add_sections(g, texts)
    assert g.__doc__ == "\n\n".join(["Do it, too.", texts["Parameters"], texts["Returns"]])


def _flush(text):
    return re.sub(r"^ +", "", text, flags=re.MULTILINE)


def test_nothing_is_left_to_fill_in():
    found = {x.name: getattr(x.thing, "__doc__", None) or "" for x in (*things(), *members())}
    for name, text in found.items():
        assert not re.search(r"^ *\{\w+\}$", text, re.MULTILINE), name
    for area, texts in TABLES.items():
        used = _flush("\n".join(text for name, text in found.items() if area in name))
        for name, text in texts.items():
            assert _flush(text.strip("\n")) in used, (area, name)
