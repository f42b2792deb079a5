"""Struve functions."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "struve", 2, "Struve function H of real order.", [0.0, 1.5], 2.0,
        loops="dd->d ff->f", header="special_struve",
        floats="special::struve(double(in0), double(in1))",
        result="array([0.79085885, 0.45066109])",
    ),
    special(
        "modstruve", 2, "Modified Struve function L of real order.", [0.0, 1.5], 2.0,
        loops="dd->d ff->f", header="special_struve",
        floats="special::modstruve(double(in0), double(in1))",
        result="array([1.93743376, 0.70284626])",
    ),
)
