"""The table of operators is Python's, and arrays follow it."""

from __future__ import annotations

import ast
import inspect
import operator

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ufunc.operator_table import BINARY, COMPARISONS, INPLACE, MATMUL, UNARY

TWO_OPERANDS = [*BINARY, *COMPARISONS]


@pytest.mark.parametrize("row", TWO_OPERANDS, ids=[x.name for x in TWO_OPERANDS])
def test_two_operands_are_pythons(row):
    text = f"x {row.symbol} y" if row.symbol else f"{row.name}(x, y)"
    expected = eval(text, {"x": 7, "y": 3})
    assert getattr(7, row.method)(3) == expected
    assert getattr(np, row.ufunc)(7, 3) == expected
    if row.symbol:
        node = ast.parse(text, mode="eval").body
        sign = node.ops[0] if isinstance(node, ast.Compare) else node.op
        assert type(sign).__name__ == row.node
        assert getattr(operator, row.method)(7, 3) == expected
    if row in BINARY:
        assert getattr(3, row.reflected_method)(7) == expected
    if row in INPLACE:
        assert getattr(operator, row.inplace_method)(7, 3) == expected


@pytest.mark.parametrize("row", UNARY, ids=[x.name for x in UNARY])
def test_one_operand_is_pythons(row):
    text = f"{row.symbol}x" if row.symbol else f"{row.name}(x)"
    expected = eval(text, {"x": -7})
    assert getattr(operator, row.method)(-7) == expected
    assert getattr(np, row.ufunc)(-7) == expected
    if row.symbol:
        assert type(ast.parse(text, mode="eval").body.op).__name__ == row.node


def test_the_operator_of_matrices_is_pythons():
    node = ast.parse(f"x {MATMUL.symbol} y", mode="eval").body
    assert type(node.op).__name__ == MATMUL.node
    for method in (MATMUL.method, MATMUL.reflected_method, MATMUL.inplace_method):
        assert hasattr(np.ndarray, method)
    assert getattr(np, MATMUL.ufunc).__name__ == "matmul"


def test_arrays_have_the_operators_of_the_table():
    """The methods of ndarray are written out, for type checkers; the ufuncs are the table's."""
    expected = {("binary_operator.<locals>.method", x.method): x.ufunc for x in TWO_OPERANDS}
    expected["binary_operator.<locals>.method", MATMUL.method] = MATMUL.ufunc
    for x in (*BINARY, MATMUL):
        expected["binary_operator.<locals>.reflected_method", x.reflected_method] = x.ufunc
    for x in INPLACE:
        expected["inplace_operator.<locals>.method", x.inplace_method] = x.ufunc
    for x in UNARY:
        expected["unary_operator.<locals>.method", x.method] = x.ufunc
    found = {
        (method.__qualname__, name): inspect.getclosurevars(method).nonlocals["function"].__name__
        for name, method in vars(cp.ndarray).items()
        if "_operator.<locals>." in getattr(method, "__qualname__", "")
    }
    assert found == expected
