"""Expressions that nobody thought of: kernels give what Python gives for NumPy's scalars."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gpuarray as cp
from tests.jit.oracle import function_of, kernel_of

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u4", "u8", "f4", "f8", "?"]
LEAVES = st.sampled_from(["a", "b", "1", "2", "-3", "0.5", "True", "np.int16(7)", "np.float32(2)"])


def _combine(inner):
    infix = st.sampled_from(["+", "-", "*", "//", "%", "&", "|", "^", "<", ">=", "==", "!="])
    return st.one_of(
        st.tuples(inner, infix, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["-", "~", "not "]), inner).map(lambda t: f"({t[0]}{t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda t: f"({' '.join(t)})"),
        st.tuples(inner, inner).map(lambda t: f"np.minimum({t[0]}, {t[1]})"),
        inner.map(lambda t: f"abs({t})"),
    )


EXPRESSIONS = st.recursive(LEAVES, _combine, max_leaves=5)


@pytest.mark.slow
@hypothesis.example("(-(not a))", "i1", "i1")
@hypothesis.example("(~(not a))", "i1", "i1")
@hypothesis.given(EXPRESSIONS, st.sampled_from(DTYPES), st.sampled_from(DTYPES))
def test_expressions(expression, first, second):
    a = np.array([0, 1, 3, 5, 100, 7], first)
    b = np.array([2, 0, 1, 9, 3, 101], second)
    # In a kernel `not` gives NumPy's bool and not Python's, whose negative is an int.
    oracle = expression.replace("(not ", "np.logical_not(")
    reference = function_of(f"def f(a, b):\n    return {oracle}\n")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = [reference(x, y) for x, y in zip(a, b, strict=True)]
        except (TypeError, OverflowError, ZeroDivisionError):
            hypothesis.assume(False)  # what kernels refuse is tested elsewhere
    # A decision between two dtypes is not one that a kernel can leave open.
    kinds = {np.asarray(x).dtype for x in found}
    hypothesis.assume(len(kinds) == 1)
    wanted = np.array(found)
    decides = any(word in expression for word in (" if ", " and ", " or "))
    out = cp.empty(6, np.float64 if wanted.dtype.kind == "f" else wanted.dtype)
    try:
        kernel_of(expression, 2)[1, 6](cp.asarray(a), cp.asarray(b), out)
    except ZeroDivisionError:
        hypothesis.assume(False)  # of Python's numbers, which the oracle has made NumPy's
    except (TypeError, OverflowError):
        # Branches that these numbers do not take are translated, too.
        if not decides:
            raise
        return
    if decides:
        # The branches' common dtype may be wider than what the branches that are taken have.
        np.testing.assert_allclose(out.get().astype("f8"), wanted.astype("f8"), rtol=1e-6)
    else:
        np.testing.assert_array_equal(out.get(), wanted.astype(out.dtype))
