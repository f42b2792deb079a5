"""Python's and NumPy's numbers as text of arguments."""

from __future__ import annotations

import numpy as np

from tests.fuzz.drawing import Draw

#: What fits some dtypes and not others.
_ANY = [
    "0", "1", "-1", "2", "3", "-7", "127", "128", "-128", "-129", "255", "256", "300", "32768", "65536",
    "2**31", "2**32", "-2**31 - 1", "2**53 + 1", "2**63 - 1", "2**63", "2**64 - 1", "2**64", "-2**63",
    "-2**63 - 1", "10**30", "10**400", "-10**400", "0.0", "-0.0", "0.5", "-1.5", "1e300", "-1e39",
    "65520.0", "nan", "inf", "-inf", "1j", "2 - 3j", "complex(nan, 1)", "True", "False",
    "np.int8(100)", "np.uint8(200)", "np.int64(2**40)", "np.uint64(2**63)", "np.float16(2)",
    "np.float32(0.1)", "np.float64(0.1)", "np.float64(nan)", "np.complex64(1j)", "np.bool_(True)",
]  # fmt: skip


def number(draw: Draw, dtype: str) -> str:
    """Any number, whether a dtype has it or not."""
    if np.dtype(dtype).kind in "iu" and draw.chance(0.3):
        info = np.iinfo(dtype)
        return draw.pick([str(info.max), str(info.max + 1), str(info.min), str(info.min - 1)])
    return draw.pick(_ANY)


def number_in_range(draw: Draw, dtype: str) -> str:
    """A number that the dtype has, as a Python number of its kind or a narrower one."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return draw.pick(["True", "False", "np.bool_(True)"])
    if kind == "u":
        return draw.pick(["0", "1", "2", "3", "7", "100", "True"])
    integers = ["0", "1", "-1", "2", "3", "-7", "100", "True"]
    if kind == "i":
        return draw.pick(integers)
    reals = [*integers, "0.5", "-1.5", "2.0", "-0.0", "nan", "inf", "-inf", "1e-3"]
    if kind == "f":
        return draw.pick(reals)
    return draw.pick([*reals, "1j", "0.5 - 2j"])
