"""The name of the function that a user called, for messages of what it is made of."""

from __future__ import annotations

import sys

#: What Python's own functions are called, by the methods behind them.
_SPOKEN = {
    "__float__": "float()",
    "__int__": "int()",
    "__complex__": "complex()",
    "as_bool": "bool() or a condition",
    "as_index": "an index",
    "array_repr": "repr()",
    "array_str": "str()",
    "item": "item",
    "getitem": "indexing",
    "setitem": "assignment to an index",
}


def called_form(name: str) -> str:
    """The public function behind which an error is raised, or what stands for it in Python.

    Parameters
    ----------
    name : str
        The answer where neither is known.

    Returns
    -------
    str
        The name, as `called_name` finds it, or such as ``float()``.
    """
    found = called_name("")
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("gpuarray"):
        found = _SPOKEN.get(frame.f_code.co_name, found)
        frame = frame.f_back  # type: ignore[assignment]
    return found or name


def called_name(name: str) -> str:
    """The public function or method behind which an error is raised.

    Many public functions are made of others: ``mean`` of ``add.reduce``, ``ptp`` of ``max``. Their
    messages name what the user has called. It looks at the stack, so it is for failing calls only.

    Parameters
    ----------
    name : str
        The answer where no public function was called by its name, as for an operator.

    Returns
    -------
    str
        The outermost public function of this package, among the calls that lead here without a
        call of the user's own code in between.
    """
    found = name
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module != "gpuarray" and not module.startswith("gpuarray."):
            break
        function = frame.f_code.co_name
        method = frame.f_code.co_qualname.startswith("ndarray.")
        if (method and not function.startswith("_")) or (
            function in frame.f_globals.get("__all__", ())
        ):
            found = function
        frame = frame.f_back  # type: ignore[assignment]
    return found
