"""What rows of the table of operations say of ufuncs: identities, neutral values, loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gpuarray._dtypes import CODES, dtype_of
from gpuarray.kernels.generator.operations import OPERATIONS, Operation, row
from tests.kernels.samples import corners

UFUNCS = [x for x in OPERATIONS.values() if isinstance(getattr(np, x.name, None), np.ufunc)]
UFUNCS = [x for x in UFUNCS if x.name != "clip"]  # NumPy's own is private

#: NumPy chooses loops of these by rules of their own.
OWN_RULES = {
    "subtract", "divide", "negative", "positive", "sign", "gcd", "lcm", "logical_and",
    "logical_or", "logical_xor", "equal", "not_equal", "less", "less_equal", "greater",
    "greater_equal", "isnat",
}  # fmt: skip


def ids(x):
    return x.name


@pytest.mark.parametrize("op", UFUNCS, ids=ids)
def test_a_row_is_numpys_ufunc(op):
    ufunc = getattr(np, op.name)
    assert (op.nin, op.nout) == (ufunc.nin, ufunc.nout)
    assert op.identity == ufunc.identity
    assert type(op.identity) is type(ufunc.identity)
    assert op.summary.endswith(".")
    assert len(op.example) == op.nin
    assert set(op.types) <= set(ufunc.types)


@pytest.mark.parametrize("op", [x for x in UFUNCS if x.associative], ids=ids)
def test_neutral_values_change_nothing(op):
    """Compared with NumPy's function over corner values of each dtype that it has a loop for."""
    ufunc = getattr(np, op.name)
    checked = 0
    for code in CODES:
        dtype = dtype_of(code)
        if f"{dtype.char * 2}->{dtype.char}" not in ufunc.types:
            continue
        checked += 1
        x = corners(code)
        if op.name == "multiply" and dtype.kind == "c":
            x = x[np.isfinite(x)]  # infinity times 0 is NaN
        if op.name in ("gcd", "hypot"):
            x = abs(x)  # they give the magnitude of a single value, too
        neutral = np.array(op.neutral_value(code), dtype)
        for found in (ufunc(neutral, x), ufunc(x, neutral)):
            np.testing.assert_array_equal(found, x)
    assert checked


def test_an_operation_without_a_neutral_value_says_so():
    with pytest.raises(KeyError, match="no reduction by an operation named 'subtract'"):
        OPERATIONS["subtract"].neutral_value("f4")


#: One of those with the same loops.
PLAIN = list({tuple(x.types): x for x in UFUNCS if x.name not in OWN_RULES}.values())


@pytest.mark.parametrize("op", PLAIN, ids=ids)
def test_own_loops_are_chosen_as_numpy_chooses(op):
    """NumPy's ufuncs with their loops written out, over all dtypes and Python's numbers."""
    ufunc = getattr(np, op.name)
    loops = tuple([x for x in op.types if not set(x) & set("mM")])  # whose rules are NumPy's own
    own = row(op.name, op.nin, nout=op.nout, loops=loops)
    outputs = (None,) * op.nout
    options: list[dict] = [{}, {"casting": "no"}, {"casting": "safe"}, {"casting": "unsafe"}]
    for code, casting in (("f4", "same_kind"), ("f8", "unsafe")):
        signature = (None,) * op.nin + (dtype_of(code),) * op.nout
        options.append({"signature": signature, "casting": casting})
    kinds = [*map(dtype_of, CODES), int, float, complex]
    for given in itertools.product(kinds, repeat=op.nin):
        for chosen in options:
            expected = _resolved(ufunc, (*given, *outputs), chosen)
            if expected is not TypeError and any(x.char in "gG" for x in expected):
                continue  # long double is no dtype of a device
            assert _resolved(own, (*given, *outputs), chosen) == expected, (given, chosen)


def _resolved(ufunc, given, options):
    try:
        return tuple([np.dtype(x) for x in ufunc.resolve_dtypes(given, **options)])
    except TypeError:
        return TypeError


def test_own_loops_of_reductions():
    own = row("hypot", 2, loops=("ff->f", "dd->d"))
    f4, f8, i4 = np.dtype("f4"), np.dtype("f8"), np.dtype("i4")
    assert own.resolve_dtypes((None, f4, None), reduction=True) == (f4, f4, f4)
    assert own.resolve_dtypes((None, i4, None), reduction=True) == (f8, f8, f8)
    assert own.resolve_dtypes(
        (None, f8, None), reduction=True, casting="unsafe", signature=(f4, None, None)
    ) == (f4, f4, f4)


def test_errors_of_own_loops_name_the_ufunc_and_its_loops():
    own = row("expit", 1, loops=("f->f", "d->d"))
    f8, c8 = np.dtype("f8"), np.dtype("c8")
    with pytest.raises(TypeError, match="'expit' not supported for the input types .*complex64"):
        own.resolve_dtypes((c8, None))
    with pytest.raises(TypeError, match="input types Python's complex"):
        own.resolve_dtypes((complex, None))
    with pytest.raises(TypeError, match="No loop matching .* expit; it has f->f, d->d"):
        own.resolve_dtypes((f8, None), signature=(None, np.dtype("i4")))
    with pytest.raises(TypeError, match="Cannot cast ufunc 'expit' input 0 from .*float64"):
        own.resolve_dtypes((f8, None), signature=(None, np.dtype("f4")), casting="safe")
    with pytest.raises(TypeError, match="output from .*float64.* to .*int32.*'same_kind'"):
        own.resolve_dtypes((f8, np.dtype("i4")))
    assert isinstance(own, Operation)
    assert own.types == ["f->f", "d->d"]
