"""Calls of NumPy's own functions for text and files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function of NumPy's returns.

    Raises
    ------
    TypeError, ValueError
        With the function's name, where NumPy's code fails at an argument without saying so.
    """
    try:
        return function(*args, **kwargs)
    except AttributeError as error:
        raise TypeError(f"{function.__name__}: an argument has a wrong type: {error}") from None
    except UnicodeEncodeError as error:
        raise ValueError(f"{function.__name__}: an argument is no text: {error}") from None
