"""Kernels with declared parameters: what ElementwiseKernel and ReductionKernel share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _array
from gpuarray._raw import parameters
from gpuarray._raw.parameters import Parameter
from gpuarray._runtime import plans as plan_cache
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find
from gpuarray._runtime.stream import Stream


class DeclaredKernel:
    """A kernel whose parameters are declared with dtypes: ``'float32 x, T y'``."""

    name: str
    in_params: tuple[Parameter, ...]
    out_params: tuple[Parameter, ...]
    params: tuple[Parameter, ...]
    nin: int
    nout: int
    nargs: int

    def _declare(self, name: str, in_params: str, out_params: str) -> None:
        self.name = name
        self.in_params = parameters.parse(in_params, name, False)
        self.out_params = parameters.parse(out_params, name, True)
        self.params = self.in_params + self.out_params
        self.nin = len(self.in_params)
        self.nout = len(self.out_params)
        self.nargs = self.nin + self.nout

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def _plan(self, arguments: list[Any], static: tuple, stream: Stream) -> Callable[..., Any]:
        """A function that takes the arguments of a call with these static arguments."""
        raise NotImplementedError

    def _run(self, args: Sequence[Any], static: tuple) -> Any:
        """Run the kernel on the current stream.

        ``static`` are the arguments that a plan is made for beside layouts and dtypes, with the
        types that the public call has checked.
        """
        name = self.name
        arguments = parameters.operands(args, self.in_params, self.out_params, name)
        layouts = [x._layout if isinstance(x, _array.ArrayBase) else type(x) for x in arguments]
        # A bool is what the public call has made of a flag, and needs no type beside it.
        known = [x if type(x) is bool else plan_cache.static(x) for x in static]
        stream = current.stream
        run = find(stream, (self, *known, *layouts), self._plan, arguments, static, stream)
        try:
            return run(*arguments)
        except (TypeError, ValueError, OverflowError):
            if all(isinstance(x, _array.ArrayBase) for x in arguments):
                raise
            # A number that its parameter's slot does not take as it is.
            types = parameters.resolve(name, self.in_params, self.out_params, arguments)
            return run(*parameters.converted(name, self.in_params, types, arguments))
