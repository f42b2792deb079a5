"""The documentation of ufuncs, made when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from inspect import Signature


class Documentation:
    """``__doc__`` of the class as written, and of a ufunc made from its summary and example."""

    def __get__(self, instance: Any, owner: type) -> str:
        return _CLASS_DOCUMENTATION if instance is None else _document(instance)


class CallSignature:
    """``__signature__`` of a ufunc, for `inspect.signature`: that of a call, with NumPy's names."""

    def __get__(self, instance: Any, owner: type) -> Signature | None:
        if instance is None:
            return None  # the class's own is that of its constructor
        from inspect import Parameter, Signature  # not at import, which it would make longer

        parameters = [Parameter(x, Parameter.POSITIONAL_ONLY) for x in operand_names(instance)]
        out = None if instance.nout == 1 else (None,) * instance.nout
        parameters.append(Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=out))
        parameters += [
            Parameter(name, Parameter.KEYWORD_ONLY, default=value)
            for name, value in OPTIONS.items()
        ]
        return Signature(parameters)


#: The keyword arguments of a call and their defaults.
OPTIONS = {
    "where": True,
    "casting": "same_kind",
    "order": "K",
    "dtype": None,
    "subok": True,
    "signature": None,
}


def operand_names(function: Any) -> list[str]:
    """What NumPy calls the operands of a ufunc."""
    return ["x"] if function.nin == 1 else [f"x{i + 1}" for i in range(function.nin)]


_CLASS_DOCUMENTATION = """A function that works on arrays element by element.

The ufuncs of this package are `add`, `exp` and so on. Calls, ``out=``, ``where=`` and promotion
are NumPy's.

Attributes
----------
nin, nout, nargs : int
    How many inputs, outputs and both there are.
identity : scalar or None
    The reduction's value without elements.
types : list of str
    The loops, as NumPy spells them.
ntypes : int
    How many there are.
signature : None
    The functions work element by element.
"""


def _document(function: Any) -> str:
    inputs = operand_names(function)
    outputs = ["y"] if function.nout == 1 else [f"y{i + 1}" for i in range(function.nout)]
    lines = [
        f"{function.__name__}{function.__signature__}",
        "",
        function.row.summary,
        "",
        "Parameters",
        "----------",
        f"{', '.join(inputs)} : ndarray or scalar",
        "    Operands; they broadcast against each other, and Python numbers take on the dtype",
        "    of the arrays beside them.",
        "out : ndarray or tuple of ndarray, optional",
        "    Where results are stored.",
        "where : bool or ndarray of bool, optional",
        "    Which elements are computed; the others keep what ``out`` holds (without ``out``",
        "    they are undefined).",
        "casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional",
        "    Which casts of inputs and outputs are allowed.",
        "order : {'K', 'C', 'F', 'A'}, optional",
        "    Memory order of new outputs.",
        "dtype : dtype, optional",
        "    The dtype to compute in.",
        "subok : bool, optional",
        "    Ignored: there are no subclasses.",
        "signature : str or tuple of dtype, optional",
        "    The dtypes of the loop's inputs and outputs, such as ``'ff->f'``.",
        "",
        "Returns",
        "-------",
        f"{', '.join(outputs)} : ndarray",
        "    Of the operands' broadcast shape.",
        "",
        f"Differences from {'NumPy' if function.row.namespace == 'gpuarray' else 'SciPy'}",
        "----------------------",
        "Host arrays and lists are refused with a TypeError; a result without dimensions is an",
        "array.",
    ]
    if function.__name__ == "power":
        lines.append(
            "Negative exponents in an integer array give 1 / x truncated; a scalar raises an error."
        )
    example = function.row.example
    if example:
        arguments = [f"cp.asarray({x!r})" if isinstance(x, list) else repr(x) for x in example]
        arguments = [text.replace("np.datetime64", "cp.datetime64") for text in arguments]
        module = function.row.namespace
        imported = [] if module == "gpuarray" else [f">>> import {module}"]
        called = f"{module.replace('gpuarray', 'cp', 1)}.{function.__name__}"
        lines += [
            "",
            "Examples",
            "--------",
            ">>> import gpuarray as cp",
            *imported,
            f">>> {called}({', '.join(arguments)})",
            function.row.result or _result(function.__name__, example),
        ]
    return "\n".join(lines)


def _result(name: str, example: tuple[Any, ...]) -> str:
    """What the example prints, which NumPy is asked for."""
    arguments = [np.asarray(x) if isinstance(x, list) else x for x in example]
    return repr(getattr(np, name)(*arguments))
