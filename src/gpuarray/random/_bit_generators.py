"""Bit generators: streams of 64-bit words whose state is in device memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.random import SeedSequence
from numpy.random.bit_generator import ISpawnableSeedSequence

from gpuarray import _arguments, _fork, _layout, _transfers
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.event import Event
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CaptureError, CUDAError
from gpuarray.kernels import random as kernels
from gpuarray.random._parameters import size_of_plan

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["MT19937", "PCG64", "PCG64DXSM", "SFC64", "BitGenerator", "Philox", "SeedSequence"]

_UINT64 = np.dtype(np.uint64)


class BitGenerator:
    """Base of the bit generators.

    A bit generator's state is in device memory. A draw reads it there and writes the next one, so
    that nothing waits for the device, however many words a draw takes. A lock keeps draws of
    several threads apart; on another stream than the last draw's, a draw is queued behind that. To
    another device the state goes by the host, which waits. While a stream is captured nothing can
    be drawn: a graph would repeat its numbers.

    Parameters
    ----------
    seed : None, int, array_like of int, SeedSequence or numpy.random.BitGenerator, optional
        As NumPy takes it; with None, of the system's entropy. A bit generator of NumPy of the same
        name gives its state.

    Examples
    --------
    >>> import gpuarray as cp
    >>> isinstance(cp.random.PCG64(1), cp.random.BitGenerator)
    True
    """

    _numpy: ClassVar[Callable[..., Any]]
    _engine: ClassVar[str]
    _raw: ClassVar[str] = "words"  # what `random_raw` draws

    def __init__(self, seed: Any = None):
        if type(self) is BitGenerator:
            raise NotImplementedError("BitGenerator is a base class and cannot be instantized")
        if isinstance(seed, np.random.BitGenerator) and type(seed).__name__ == type(self).__name__:
            self._set(seed)
        else:
            self._set(self._numpy(seed))

    def _set(self, host: Any) -> None:
        """Begin with a bit generator of NumPy."""
        self._lock = _fork.new_lock()
        self._seed_seq = host.seed_seq
        self._begin(host.state)

    def __repr__(self) -> str:
        entropy = getattr(self._seed_seq, "entropy", None)
        seeded = "" if entropy is None else f", seeded with {entropy}"
        return f"<{type(self).__name__} at 0x{id(self):X}{seeded}>"

    def _begin(self, state: dict[str, Any]) -> None:
        #: The state, as long as it has not been used on a device.
        self._kept: np.ndarray | None = self._words_of(state)
        #: The stream of the last draw, the state there, and memory for the next one.
        self._stream: Stream | None = None
        self._states: tuple[Any, Any] = (None, None)

    # What the engines' own words are in NumPy's dict.
    def _words_of(self, state: dict[str, Any]) -> np.ndarray:
        words = np.zeros(kernels.spec.HEADER_WORDS + kernels.spec.ENGINES[self._engine][0], _UINT64)
        words[0], words[1] = state.get("has_uint32", 0), state.get("uinteger", 0)
        words[kernels.spec.HEADER_WORDS :] = self._engine_words(state)
        return words

    def _engine_words(self, state: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _state_of(self, words: np.ndarray) -> dict[str, Any]:
        found = self._engine_state(words[kernels.spec.HEADER_WORDS :])
        halves = {"has_uint32": int(words[0]), "uinteger": int(words[1])}
        return {"bit_generator": type(self).__name__, **found, **halves}

    def _engine_state(self, words: np.ndarray) -> dict[str, Any]:
        raise NotImplementedError

    # ---- draws ------------------------------------------------------------------------------

    def _draw(self, planner: Callable[..., Any], static: tuple, *arguments: Any) -> Any:
        """Run the call that a planner has for the current stream, and go on to the next state.

        The call takes the state, the memory for the next one, then ``arguments``.
        """
        with self._lock:
            stream = current.stream
            if stream is not self._stream:
                self._go_to(stream)
            state, following = self._states
            result = planner(stream, self._engine, *static)(state, following, *arguments)
            if result._layout.size:  # else nothing was launched
                self._states = following, state
        return result

    def _draw_many(self, draw: str, size: int, dtype: np.dtype) -> Any:
        """What `_draw` does for `sized_call` with an int as the size, in less time."""
        with self._lock:
            stream = current.stream
            if stream is not self._stream:
                self._go_to(stream)
            state, following = self._states
            call = stream.plans.get((sized_call, self._engine, draw, size, dtype))
            if call is None:
                call = sized_call(stream, self._engine, draw, size, dtype)
            result = call(state, following)
            if size:
                self._states = following, state
        return result

    def _go_to(self, stream: Stream) -> None:
        """Have the state where the stream can use it."""
        if stream.ongoing_capture is not None:
            raise CaptureError(
                "random numbers cannot be drawn while a stream is captured: each launch of the "
                "graph would have the same ones; draw before the capture"
            )
        last = self._stream
        if last is None or last.device is not stream.device:
            words = self._fetch()
            layout = _layout.contiguous(_UINT64, words.shape)
            self._states = _transfers.from_host(words, layout), _transfers.from_host(words, layout)
            self._kept = None
        else:
            self._need_state(last)
            event = Event(disable_timing=True)
            event.record(last)
            stream.wait_event(event)
        self._stream = stream

    def _need_state(self, last: Stream) -> None:
        """Refuse to go on after a reset of the device."""
        if last.lost:
            raise CUDAError(
                f"{type(self).__name__}: the device was reset, and the state was lost with it; set "
                "the attribute state, or make a new bit generator"
            )

    def _fetch(self) -> np.ndarray:
        """The state's words; waits for the device if they are there."""
        if self._kept is not None:
            return self._kept
        last = self._stream
        assert last is not None
        self._need_state(last)
        words = np.empty(self._states[0]._layout.shape, _UINT64)
        with last.device, last:
            _transfers.download(self._states[0], words, last, True)
        words[2:4] = 0
        return words

    def _words(self, size: int | tuple[int, ...]) -> ndarray:
        """The next 64-bit words."""
        return self._draw(sized_call, ("words", size, _UINT64))

    # ---- what NumPy's have -------------------------------------------------------------------

    def random_raw(self, size: Any = None, output: bool = True) -> ndarray | None:
        """The next words of the stream: of 64 bits, and of 32 from `MT19937`.

        Parameters
        ----------
        size : int or tuple of int, optional
            The result's shape; one word without dimensions by default.
        output : bool, optional
            With False, the words are passed over and None is returned.

        Returns
        -------
        ndarray or None
            Of uint64. NumPy returns a Python integer without `size`.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.PCG64(1).random_raw(2)
        array([ 9441442522235856127, 17532960557476522086], dtype=uint64)
        """
        words = self._draw(sized_call, (self._raw, size_of_plan(size), _UINT64))
        return words if output else None

    @property
    def lock(self) -> Any:
        """The lock that is held during a draw."""
        return self._lock

    @property
    def seed_seq(self) -> Any:
        """The SeedSequence that the first state was made of."""
        return self._seed_seq

    @property
    def state(self) -> dict[str, Any]:
        """The state, as NumPy's bit generator of the same name has it; reading it waits.

        A dict that NumPy's takes, and as NumPy's gives it.
        """
        with self._lock:
            return self._state_of(self._fetch())

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        host = self._numpy(0)
        host.state = value  # NumPy checks it
        with self._lock:
            self._begin(host.state)

    def _host(self) -> Any:
        """NumPy's bit generator in this state."""
        host = self._numpy(self._seed_seq)
        host.state = self.state
        return host

    @classmethod
    def _of(cls, host: Any) -> Self:
        made = object.__new__(cls)
        made._set(host)
        return made

    def spawn(self, n_children: int) -> list[Self]:
        """New bit generators with independent streams, of seeds that the seed's sequence spawns.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of BitGenerator
            As NumPy's, with the same streams.

        Raises
        ------
        TypeError
            If the seed's sequence cannot spawn.

        Examples
        --------
        >>> import gpuarray as cp
        >>> [type(x).__name__ for x in cp.random.PCG64(1).spawn(2)]
        ['PCG64', 'PCG64']
        """
        if not isinstance(self._seed_seq, ISpawnableSeedSequence):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(seed) for seed in self._seed_seq.spawn(n_children)]

    def __getstate__(self) -> tuple[dict[str, Any], Any]:
        return self.state, self._seed_seq

    def __setstate__(self, state: tuple[dict[str, Any], Any]) -> None:
        self.state, self._seed_seq = state

    def __reduce__(self) -> tuple:
        return _unpickled, (type(self),), self.__getstate__()


def _unpickled(kind: type[BitGenerator]) -> BitGenerator:
    """A bit generator that takes the state that was pickled."""
    return kind._of(kind._numpy(0))


class _Jumping(BitGenerator):
    """A bit generator that can jump ahead."""

    def jumped(self, jumps: int = 1) -> Self:
        """A new bit generator, so far ahead in the stream that the two do not meet.

        Parameters
        ----------
        jumps : int, optional
            How many jumps ahead.

        Returns
        -------
        BitGenerator
            In the state of NumPy's after `jumped`.

        Examples
        --------
        >>> import gpuarray as cp
        >>> first = cp.random.MT19937(1)
        >>> second = first.jumped()
        """
        return self._of(self._host().jumped(jumps))


class _Advancing(_Jumping):
    def advance(self, delta: int) -> Self:
        """Go on by a number of words, as if they had been drawn.

        Parameters
        ----------
        delta : int
            How many; less than 0 goes back.

        Returns
        -------
        BitGenerator
            Itself.

        Examples
        --------
        >>> import gpuarray as cp
        >>> generator = cp.random.PCG64(1)
        >>> generator.advance(2) is generator
        True
        """
        host = self._host()
        host.advance(delta)
        self.state = host.state
        return self


class PCG64(_Advancing):
    """The bit generator of `default_rng`: PCG XSL-RR 128/64, drawn from by many threads at once.

    The words are those of ``numpy.random.PCG64`` with the same seed.

    Parameters
    ----------
    seed : None, int, array_like of int, SeedSequence or numpy.random.PCG64, optional
        As NumPy takes it.

    Notes
    -----
    A thread begins where it is to read by a jump, since a step of a linear congruential generator
    by any number of words is a product and a sum (O'Neill, "PCG: A Family of Simple Fast
    Space-Efficient Statistically Good Algorithms for Random Number Generation", 2014; Brown,
    "Random Number Generation with Arbitrary Strides", 1994).

    Examples
    --------
    >>> import numpy as np
    >>> import gpuarray as cp
    >>> rng = cp.random.Generator(cp.random.PCG64(7))
    >>> rng.random(3)
    array([0.62509547, 0.8972138 , 0.77568569])
    >>> np.random.Generator(np.random.PCG64(7)).random(3)
    array([0.62509547, 0.8972138 , 0.77568569])
    """

    _numpy: ClassVar[Callable[..., Any]] = np.random.PCG64
    _engine = "pcg64"

    def _engine_words(self, state: dict[str, Any]) -> Any:
        words = []
        for name in ("state", "inc"):
            number = int(state["state"][name])
            words += [number >> 64, number & (1 << 64) - 1]
        return np.array(words, _UINT64)

    def _engine_state(self, words: np.ndarray) -> dict[str, Any]:
        numbers = [int(words[i]) << 64 | int(words[i + 1]) for i in (0, 2)]
        return {"state": dict(zip(("state", "inc"), numbers))}


class PCG64DXSM(PCG64):
    """PCG64 with another output function: the words of ``numpy.random.PCG64DXSM``.

    Drawn from by many threads at once, as `PCG64` is.

    Parameters
    ----------
    seed : None, int, array_like of int, SeedSequence or numpy.random.PCG64DXSM, optional
        As NumPy takes it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> generator = cp.random.Generator(cp.random.PCG64DXSM(1))
    >>> generator.random(2).shape
    (2,)
    """

    _numpy = np.random.PCG64DXSM
    _engine = "pcg64dxsm"


class Philox(_Advancing):
    """Philox4x64-10: the words of ``numpy.random.Philox``, drawn by many threads at once.

    Parameters
    ----------
    seed : None, int, array_like of int, SeedSequence or numpy.random.Philox, optional
        As NumPy takes it.
    counter, key : int or array_like of int, optional
        The counter and the key instead of a seed, as NumPy takes them.

    Notes
    -----
    A word depends on its number and the key alone (Salmon, Moraes, Dror and Shaw, "Parallel Random
    Numbers: As Easy as 1, 2, 3", 2011).

    Examples
    --------
    >>> import gpuarray as cp
    >>> generator = cp.random.Generator(cp.random.Philox(1))
    >>> generator.random(2).shape
    (2,)
    """

    _numpy = np.random.Philox
    _engine = "philox"

    def __init__(self, seed: Any = None, counter: Any = None, key: Any = None):
        if counter is None and key is None:
            super().__init__(seed)
        else:
            self._set(np.random.Philox(seed, counter=counter, key=key))

    def _engine_words(self, state: dict[str, Any]) -> Any:
        found = state["state"]
        buffer = np.asarray(state["buffer"], _UINT64)
        position = np.array([state["buffer_pos"]], _UINT64)
        return np.concatenate([found["counter"], found["key"], buffer, position], dtype=_UINT64)

    def _engine_state(self, words: np.ndarray) -> dict[str, Any]:
        return {
            "state": {"counter": words[:4].copy(), "key": words[4:6].copy()},
            "buffer": words[6:10].copy(),
            "buffer_pos": int(words[10]),
        }


class SFC64(BitGenerator):
    """The words of ``numpy.random.SFC64``, drawn one after another by one thread.

    The generator cannot jump, so that only one thread can draw from it: this is for the numbers of
    a certain stream, not for many of them. `PCG64` and `Philox` are hundreds of times as fast.

    Parameters
    ----------
    seed : None, int, array_like of int, SeedSequence or numpy.random.SFC64, optional
        As NumPy takes it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> generator = cp.random.Generator(cp.random.SFC64(1))
    >>> generator.random(2).shape
    (2,)
    """

    _numpy = np.random.SFC64
    _engine = "sfc64"

    def _engine_words(self, state: dict[str, Any]) -> Any:
        return state["state"]["state"]

    def _engine_state(self, words: np.ndarray) -> dict[str, Any]:
        return {"state": {"state": words.copy()}}


class MT19937(_Jumping):
    """The words of ``numpy.random.MT19937``, drawn one after another by one thread.

    This is for the numbers of a certain stream, not for many of them: `PCG64` and `Philox`, which
    many threads draw from at once, are hundreds of times as fast.

    Parameters
    ----------
    seed : None, int, array_like of int, SeedSequence or numpy.random.MT19937, optional
        As NumPy takes it.

    Examples
    --------
    >>> import gpuarray as cp
    >>> generator = cp.random.Generator(cp.random.MT19937(1))
    >>> generator.random(2).shape
    (2,)
    """

    _numpy = np.random.MT19937
    _engine = "mt19937"
    _raw = "halves"

    def _engine_words(self, state: dict[str, Any]) -> Any:
        key = np.ascontiguousarray(state["state"]["key"], np.uint32).view(_UINT64)
        return np.append(key, _UINT64.type(state["state"]["pos"]))

    def _engine_state(self, words: np.ndarray) -> dict[str, Any]:
        return {"state": {"key": words[:-1].view(np.uint32).copy(), "pos": int(words[-1])}}

    def _state_of(self, words: np.ndarray) -> dict[str, Any]:
        state = super()._state_of(words)
        return {name: state[name] for name in ("bit_generator", "state")}


@planned
def sized_call(stream: Stream, engine: str, draw: str, size: Any, dtype: np.dtype) -> Any:
    """A call of a draw with a new result of shape ``size``: see `draw_call`."""
    layout = _layout.contiguous(dtype, _arguments.check_shape(size))
    return kernels.launch.draw_call(stream, engine, draw, layout, False)


@planned
def scaled_call(stream: Stream, engine: str, draw: str, shape: tuple[int, ...]) -> Any:
    """A call of a draw of float64 whose numbers are scaled and moved: see `draw_call`."""
    layout = _layout.contiguous(np.dtype(np.float64), shape)
    return kernels.launch.draw_call(stream, engine, draw, layout, False, True)


#: The classes by their names, which are those of NumPy's.
BY_NAME = {kind.__name__: kind for kind in (PCG64, PCG64DXSM, Philox, SFC64, MT19937)}
