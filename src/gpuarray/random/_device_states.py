"""The state of each device that the functions of the package draw from."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray import _fork
from gpuarray._namespace.shared_texts import add_sections, texts_of
from gpuarray._namespace.signatures import without_annotations as _without_annotations
from gpuarray._runtime.current_stream import current
from gpuarray.random._bit_generators import BitGenerator
from gpuarray.random._curand_generators import Philox4x3210
from gpuarray.random._random_state import RandomState

__all__ = [
    "get_bit_generator", "get_random_state", "get_state", "reset_states", "seed",
    "set_bit_generator", "set_random_state", "set_state",
]  # fmt: skip

#: By the number of a device: what the functions draw from there.
_states: dict[int, RandomState] = {}
_lock = _fork.new_lock()


def get_random_state() -> RandomState:
    """The state that the functions draw from on the current device.

    Returns
    -------
    RandomState
        One for each device, of the system's entropy until it is seeded.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.random.get_random_state()
    RandomState(Philox4x32-10) at 0x...
    """
    number = current.stream.device.id
    found = _states.get(number)
    if found is None:
        with _lock:
            found = _states.setdefault(number, RandomState())
    return found


def set_random_state(rs: RandomState) -> None:
    """Let the functions draw from a state on the current device.

    Parameters
    ----------
    rs : RandomState
        The state.

    Raises
    ------
    TypeError
        If it is none.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.random.set_random_state(cp.random.RandomState(1))
    """
    if not isinstance(rs, RandomState):
        raise TypeError(
            f"Random state must be an instance of RandomState. Actual: {type(rs).__name__}"
        )
    with _lock:
        _states[current.stream.device.id] = rs


def reset_states() -> None:
    """Forget the states of all devices: what is drawn next is of the system's entropy.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.random.reset_states()
    """
    with _lock:
        _states.clear()


def seed(seed: Any = None) -> None:
    """Begin the current device's state anew.

    Parameters
    ----------
    seed : int, sequence of int or BitGenerator, optional
        As `RandomState` takes it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.random.seed(3)
    >>> first = cp.random.randint(0, 100, 4)
    >>> cp.random.seed(3)
    >>> bool((cp.random.randint(0, 100, 4) == first).all())
    True
    """
    get_random_state().seed(seed)


def get_state(legacy: bool = False) -> dict[str, Any]:
    """The current device's state; see `RandomState.get_state`."""
    return get_random_state().get_state(legacy)


def set_state(state: dict[str, Any]) -> None:
    """Let the current device go on at a state; see `RandomState.set_state`."""
    get_random_state().set_state(state)


def get_bit_generator() -> BitGenerator:
    """The bit generator that the functions draw from on the current device.

    Returns
    -------
    BitGenerator
        That of `set_bit_generator`; else a new `Philox4x3210` of the state's key and place,
        which the functions draw from as of now.

    Examples
    --------
    >>> import gpuarray as cp
    >>> generator = cp.random.get_bit_generator()
    >>> cp.random.reset_states()
    """
    state = get_random_state()
    if state._bit_generator is None:
        found = state.get_state()["state"]
        set_bit_generator(Philox4x3210([found["key"], found["place"]]))
    return state._bit_generator


def set_bit_generator(bitgen: BitGenerator) -> None:
    """Let the functions draw from a bit generator on the current device.

    Parameters
    ----------
    bitgen : BitGenerator
        The bit generator; of NumPy's, the present state is copied. `seed` ends its use.

    Raises
    ------
    TypeError
        If it is none.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.random.set_bit_generator(cp.random.PCG64(1))
    >>> cp.random.reset_states()
    """
    if not isinstance(bitgen, BitGenerator | np.random.BitGenerator):
        raise TypeError(f"set_bit_generator: {type(bitgen).__name__} is no bit generator")
    get_random_state().seed(bitgen)


# What they take and return is what the methods of their names do.
for _function in (get_state, set_state):
    add_sections(_function, texts_of(getattr(RandomState, _function.__name__)))

_without_annotations(globals())
