"""Which loop operands take, for ufuncs that NumPy does not have.

The rules are those by which NumPy finds a loop of a ufunc of SciPy's: the one that has the inputs'
dtypes, or the first one to which all inputs can be cast safely, where Python's numbers take on the
dtypes of the arrays beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpuarray.kernels.generator.operations.rows import Operation

#: How numbers widen; those that are none come behind all loops.
_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3, "m": 4, "M": 4, "V": 4, "S": 4, "U": 4}

_COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}

#: The dtypes of Python's numbers where they are not weak.
_PYTHON = {int: np.dtype("int64"), float: np.dtype("float64"), complex: np.dtype("complex128")}


def resolve(
    row: Operation,
    dtypes: Sequence[Any],
    signature: Sequence[np.dtype | None] | None,
    casting: Any,
    reduction: bool,
) -> tuple[np.dtype, ...]:
    """Return the dtypes of the loop that operands take: see `Operation.resolve_dtypes`."""
    nin = row.nin
    inputs, outputs = list(dtypes[:nin]), dtypes[nin:]
    if reduction and inputs[0] is None:
        inputs[0] = inputs[1]
    compared = _with_strong_numbers(inputs)
    loops = [_parsed(loop) for loop in row.loops]
    if signature is not None:
        loops = [
            loop for loop in loops if all(x is None or x == y for x, y in zip(signature, loop))
        ]
    # Casts of inputs are safe, and what else `casting` forbids is refused below.
    found = next((x for x in loops if _has_dtypes(x, compared)), None)
    if found is None:
        found = next((x for x in loops if _takes(x, compared)), None)
    if found is None and signature is None:
        raise TypeError(
            f"ufunc '{row.name}' not supported for the input types "
            f"{', '.join([_name(x) for x in inputs])}, and the inputs could not be safely coerced "
            "to any supported types according to the casting rule 'safe'"
        )
    if found is None:
        # Where the dtype of the result is asked for, inputs may be cast to it.
        found = next((x for x in loops if len(set(x)) == 1), None)
    if found is None:
        raise TypeError(
            "No loop matching the specified signature and casting was found for ufunc "
            f"{row.name}; it has {', '.join(row.loops)}"
        )
    for i, (x, to) in enumerate(zip(inputs, found)):
        if not _can_cast(x, to, casting):
            raise TypeError(
                f"Cannot cast ufunc '{row.name}' input {i} from {_name(x)} to {to!r} with casting "
                f"rule '{casting}'"
            )
    for x, to in zip(outputs, found[nin:]):
        if x is not None and not np.can_cast(to, x, casting):
            raise TypeError(
                f"Cannot cast ufunc '{row.name}' output from {to!r} to {x!r} with casting rule "
                f"'{casting}'"
            )
    return found


def resolve_numbers(
    row: Operation,
    dtypes: Sequence[Any],
    signature: Sequence[np.dtype | None] | None,
    casting: Any,
) -> tuple[np.dtype, ...]:
    """Return the dtypes of NumPy's loop for operands with Python's numbers among them.

    NumPy's ``resolve_dtypes`` crashes on Python's numbers under the casting rule 'equiv', so it is
    asked for 'no', which allows the same: dtypes of the device have one byte order.
    """
    inputs = dtypes[: row.nin]
    compares = row.name in _COMPARISONS
    if len(set(inputs)) == 1 and (compares or row.nin == 1):
        # NumPy would compare two Python integers as objects.
        dtypes = [_PYTHON[x] for x in inputs] + list(dtypes[row.nin :])
    given: dict[str, Any] = {} if signature is None else {"signature": tuple(signature)}
    found = getattr(np, row.name).resolve_dtypes(
        tuple(dtypes), casting="no" if casting == "equiv" else casting, **given
    )
    if casting == "equiv":
        for x, to in zip(inputs, found):
            # Integers are compared, and truth is tested, without a cast.
            exempt = to.kind == "b" or (compares and x is int and to.kind in "iu")
            if isinstance(x, type) and _PYTHON[x] != to and not exempt:
                raise TypeError(
                    f"{row.name}: cannot cast Python {x.__name__} to {to} under the casting "
                    "rule 'equiv'"
                )
    return found


def _with_strong_numbers(inputs: list[Any]) -> list[Any]:
    """Inputs, where Python's numbers have dtypes of their own if they are of a greater kind.

    For this floats and complex numbers are one kind.
    """
    strong = [min(_KINDS[x.kind], 2) for x in inputs if isinstance(x, np.dtype)]
    weak = [min(_KINDS[_PYTHON[x].kind], 2) for x in inputs if not isinstance(x, np.dtype)]
    if not weak or max(weak) <= max(strong, default=-1):
        return inputs
    return [x if isinstance(x, np.dtype) else _PYTHON[x] for x in inputs]


def _parsed(loop: str) -> tuple[np.dtype, ...]:
    return tuple([np.dtype(x) for x in loop.replace("->", "")])


def _has_dtypes(loop: tuple[np.dtype, ...], inputs: Sequence[Any]) -> bool:
    return all(isinstance(x, np.dtype) and x == to for x, to in zip(inputs, loop))


def _takes(loop: tuple[np.dtype, ...], inputs: Sequence[Any]) -> bool:
    return all(_can_cast(x, to, "safe") for x, to in zip(inputs, loop))


def _can_cast(x: Any, to: np.dtype, casting: Any) -> bool:
    if isinstance(x, np.dtype):
        return np.can_cast(x, to, casting)
    # A weak number becomes any dtype of its kind or a greater one.
    return casting == "unsafe" or _KINDS[_PYTHON[x].kind] <= _KINDS[to.kind]


def _name(x: Any) -> str:
    return repr(x) if isinstance(x, np.dtype) else f"Python's {x.__name__}"
