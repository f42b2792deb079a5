"""`vectorize` with a signature: a function of arrays, called for each index of the loop dimensions.

The terms are those of NumPy's generalised universal functions:
https://numpy.org/doc/stable/reference/c-api/generalized-ufuncs.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _interchange, _layout

_DIMENSIONS = r"\(\s*(?:\w+(?:\s*,\s*\w+)*\s*,?)?\s*\)"
_OPERANDS = rf"{_DIMENSIONS}(?:\s*,\s*{_DIMENSIONS})*"
_SIGNATURE = re.compile(rf"\s*(?P<inputs>{_OPERANDS})?\s*->\s*(?P<outputs>{_OPERANDS})\s*")

#: The names of the core dimensions of each operand.
Core = tuple[tuple[str, ...], ...]


def parse(signature: str) -> tuple[Core, Core]:
    """The core dimensions of the inputs and of the outputs of ``"(m,n),(n)->(m)"``."""
    if not isinstance(signature, str):
        raise TypeError(f"vectorize: signature={signature!r} is no string such as '(n),(n)->()'")
    found = _SIGNATURE.fullmatch(signature)
    if found is None:
        raise ValueError(f"vectorize: signature={signature!r} is not of the form '(n),(n)->()'")
    inputs, outputs = (
        tuple([tuple(re.findall(r"\w+", one)) for one in re.findall(_DIMENSIONS, side or "")])
        for side in found.group("inputs", "outputs")
    )
    return inputs, outputs


def call(
    function: Callable[..., Any],
    name: str,
    signature: tuple[Core, Core],
    otypes: Sequence[np.dtype] | None,
    args: Sequence[Any],
) -> Any:
    """Call a function for each index of the loop dimensions, and gather what it returns.

    Parameters
    ----------
    function : callable
        Of one array for each input of the signature, with the core dimensions.
    name : str
        Its name, for messages.
    signature : tuple
        What `parse` gives.
    otypes : sequence of dtypes or None
        The dtypes of the outputs; None for those of the first results.
    args : sequence
        Arrays and numbers.
    """
    inputs, outputs = signature
    if len(args) != len(inputs):
        raise TypeError(f"vectorize: {name} takes {len(inputs)} arrays, and {len(args)} were given")
    if otypes is not None and len(otypes) != len(outputs):
        raise ValueError(
            f"vectorize: otypes has {len(otypes)} dtypes, and the signature {len(outputs)} outputs"
        )
    operands = [_interchange.as_operand(x, name, args) for x in args]
    sizes: dict[str, int] = {}
    loops = _loop_dimensions(operands, inputs, sizes, name)
    loop = _broadcasting.broadcast_shapes(loops)
    results: list[Any] = []
    for index in np.ndindex(*loop):
        pairs = zip(operands, loops, strict=True)
        found = function(*[_element(x, index, own) for x, own in pairs])
        values = found if isinstance(found, tuple) else (found,)
        _check_results(values, outputs, sizes, name)
        if not results:
            results = _allocate(loop, sizes, outputs, otypes or [_dtype(x) for x in values])
        for result, value in zip(results, values, strict=True):
            result[index] = value
    if not results:  # no loop index, so that no result tells dtypes and sizes
        if otypes is None:
            raise ValueError(
                f"vectorize: {name} is not called for loop dimensions {loop}; give otypes"
            )
        unknown = [one for core in outputs for one in core if one not in sizes]
        if unknown:
            raise ValueError(
                f"vectorize: {name} is not called for loop dimensions {loop}, so the core "
                f"dimension {unknown[0]} of its output has no size"
            )
        results = _allocate(loop, sizes, outputs, otypes)
    return results[0] if len(results) == 1 else tuple(results)


def _loop_dimensions(
    operands: Sequence[Any], inputs: Core, sizes: dict[str, int], name: str
) -> list[tuple[int, ...]]:
    """The dimensions of each operand before its core dimensions, whose sizes are noted."""
    loops = []
    for i, (x, core) in enumerate(zip(operands, inputs, strict=True)):
        shape = _shape(x)
        split = len(shape) - len(core)
        if split < 0:
            raise ValueError(
                f"vectorize: argument {i} of {name} has {len(shape)} dimensions, but its core "
                f"dimensions are ({', '.join(core)})"
            )
        _set_sizes(sizes, shape[split:], core, f"argument {i} of {name}")
        loops.append(shape[:split])
    return loops


def _check_results(values: Sequence[Any], outputs: Core, sizes: dict[str, int], name: str) -> None:
    if len(values) != len(outputs):
        raise ValueError(
            f"vectorize: {name} returned {len(values)} values, and the signature has "
            f"{len(outputs)} outputs"
        )
    for i, (value, core) in enumerate(zip(values, outputs, strict=True)):
        shape = _shape(value)
        if len(shape) != len(core):
            raise ValueError(
                f"vectorize: {name} returned {len(shape)} dimensions as output {i}, whose "
                f"core dimensions are ({', '.join(core)})"
            )
        _set_sizes(sizes, shape, core, f"output {i} of {name}")


def _shape(x: Any) -> tuple[int, ...]:
    return tuple(x.shape) if hasattr(x, "shape") else np.shape(x)


def _dtype(value: Any) -> np.dtype:
    return value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype


def _set_sizes(sizes: dict[str, int], shape: Sequence[int], core: Sequence[str], what: str) -> None:
    for n, dimension in zip(shape, core, strict=True):
        if sizes.setdefault(dimension, n) != n:
            raise ValueError(
                f"vectorize: the core dimension {dimension} of {what} is {n}, but "
                f"{sizes[dimension]} before"
            )


def _element(x: Any, index: tuple[int, ...], own: tuple[int, ...]) -> Any:
    """What an operand with loop dimensions ``own`` is at an index of the broadcast ones."""
    if not isinstance(x, _array.ArrayBase):
        return x
    ours = index[len(index) - len(own) :]
    return x[tuple([0 if n == 1 else i for i, n in zip(ours, own, strict=True)])]  # type: ignore[index]  # by ndarray


def _allocate(
    loop: tuple[int, ...], sizes: dict[str, int], outputs: Core, dtypes: Sequence[np.dtype]
) -> list[Any]:
    return [
        _array.empty(
            _layout.contiguous(_dtypes.canonical(dtype), (*loop, *(sizes[one] for one in core)))
        )
        for core, dtype in zip(outputs, dtypes, strict=True)
    ]
