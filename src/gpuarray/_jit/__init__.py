"""Kernels and element-wise functions written in Python, translated to CUDA C++.

A function's syntax tree (`source`) is walked once for each combination of argument types, by
functions of one state (`translation`): `expressions` and below turn nodes into terms (`values`),
`statements`, `loops` and `returns` emit lines. `arithmetic` asks NumPy for dtypes and takes the C++
of an operation from the table of operations. `translator` puts a function together, a
`translation_unit` its source with all functions that it calls; `kernel` launches it, `elements`
makes an element-wise kernel of it for `vectorize`.
"""

from __future__ import annotations

from gpuarray._jit.vectorize import vectorize

__all__ = ["vectorize"]
