"""What a compilation is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple


class Request(NamedTuple):
    """All that says which image is wanted, but for the compiler and the toolkit's headers.

    Attributes
    ----------
    source : str
        CUDA C++.
    name : str
        What is compiled, for messages and ``cache list``.
    architecture : str
        The target, such as ``sm_90``.
    kind : {'cubin', 'ptx', 'lto'}
        What is wanted.
    headers : mapping of str to str
        In-memory headers by include name; only those that the source reaches count.
    options : sequence of str
        Options of NVRTC. An architecture or standard among them wins over the default.
    name_expressions : sequence of str
        C++ names, such as template instances, whose mangled names are wanted.
    """

    source: str
    name: str
    architecture: str
    kind: str = "cubin"
    headers: Mapping[str, str] = MappingProxyType({})
    options: Sequence[str] = ()
    name_expressions: Sequence[str] = ()
