"""ElementwiseKernel: from a call to a launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._raw import parameters
from gpuarray._raw.parameters import Parameter, Types
from gpuarray._runtime.launch import LaunchPlan, grid_for, load
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, generator
from gpuarray.kernels.elementwise.launch import ELEMENT_INDEX
from gpuarray.kernels.generator.expressions import Constant

#: Threads of a block in CuPy's plain loop.
_CUPY_BLOCK = 128


class ElementwiseDeclaration(NamedTuple):
    """An ElementwiseKernel as its user declared it."""

    name: str
    params: tuple[Parameter, ...]
    nin: int
    operation: str
    preamble: str
    options: tuple[str, ...]
    loop_prep: str
    after_loop: str
    reduce_dims: bool
    safe_preamble: bool  # also on the zeros that are read beyond the end


class CallSignature(NamedTuple):
    """What a call looks like, whatever the arrays' addresses."""

    arguments: list[Any]  # arrays and numbers, in the order of the parameters
    types: Types
    shape: tuple[int, ...]
    outputs: list[Layout]  # of outputs, given and new
    given: bool
    block: int | None


class PlannedLaunch(NamedTuple):
    """A launch, and where its arguments come from."""

    plan: LaunchPlan
    passed: dict[str, int]  # which argument each of the kernel's leading parameters gets
    scalars: dict[str, np.dtype]  # of the parameters that are numbers


class Planner:
    """Decides how a kernel is launched for a call."""

    def __init__(self, kernel: ElementwiseDeclaration, call: CallSignature, stream: Stream):
        self.kernel = kernel
        self.call = call
        self.stream = stream

    def launch(self) -> PlannedLaunch:
        """The launch."""
        return self._vector_plan() or self._direct_plan()

    def _layouts(self) -> list[Any]:
        """Of every parameter: the layout of its array, or the dtype of a number."""
        found: list[Any] = [
            x._layout if isinstance(x, _array.ArrayBase) else dtype
            for x, dtype in zip(self.call.arguments, self.call.types.inputs)
        ]
        return found + self.call.outputs

    def _arguments(self, layouts: Sequence[Any]) -> tuple[Any, ...]:
        """The parameters for the kernel's source."""
        found = []
        for k, (parameter, layout) in enumerate(zip(self.kernel.params, layouts)):
            output = k >= self.kernel.nin
            if not isinstance(layout, Layout):
                code = _dtypes.code(layout)
                found.append(
                    generator.user_code.UserParameter(
                        parameter.name, code, "scalar", constant=parameter.is_const
                    )
                )
            elif parameter.raw:
                found.append(parameters.raw_argument(parameter, layout, output))
            else:
                code = _dtypes.code(layout.dtype)
                found.append(
                    generator.user_code.UserParameter(
                        parameter.name, code, "array", output, parameter.is_const
                    )
                )
        return tuple(found)

    def _code(self, arguments: tuple[Any, ...]) -> Any:
        return generator.user_code.UserCode(
            self.kernel.name,
            arguments,
            parameters.code_types(self.call.types),
            self.kernel.preamble,
            self.kernel.options,
            parameters.included(
                self.kernel.options,
                self.kernel.preamble,
                self.kernel.operation,
                self.kernel.loop_prep,
                self.kernel.after_loop,
            ),
        )

    def _vector_plan(self) -> PlannedLaunch | None:
        """The launch in the element-wise family, where the code allows it."""
        user = generator.user_code
        layouts = self._layouts()
        text = self.kernel.operation
        if "define" in self.kernel.preamble:
            text += self.kernel.preamble
        words = user.words(text)
        outputs = [
            (self.kernel.nin + i, x)
            for i, x in enumerate(self.kernel.params[self.kernel.nin :])
            if not x.raw
        ]
        if (
            not outputs
            or self.call.block is not None
            or self.kernel.loop_prep
            or self.kernel.after_loop
            or user.names_threads(text)
            or any(user.takes_address(text, x.name) for _, x in outputs)
        ):
            return None
        size = int(np.prod(self.call.shape, dtype=np.int64))
        numbered = "i" in words
        asked = user.plain(text).replace(" ", "")
        if asked.count("_ind") != asked.count("_ind.size()"):
            return None
        arrays = [
            x for parameter, x in zip(self.kernel.params, layouts)
            if isinstance(x, Layout) and not parameter.raw
        ]  # fmt: skip
        if numbered:
            # Numbers are in C order, and only one run of memory is counted.
            for x in arrays:
                if not (x.c_contiguous and x.shape == self.call.shape) and x.size != 1:
                    return None
        raw = [
            k for k, x in enumerate(layouts) if isinstance(x, Layout) and self.kernel.params[k].raw
        ]
        inputs = [k for k in range(self.kernel.nin) if k not in raw]
        kept = [k for k, x in outputs if self.call.given and not user.always_assigned(text, x.name)]
        read: list[Any] = [layouts[k] for k in [*inputs, *kept]]
        stored = [layouts[k] for k, _ in outputs]
        placeholder = [Constant(0, _dtypes.code(x.dtype)) for x in stored]
        spec, dims, strides = elementwise.launch.arrange(
            self.kernel.name, placeholder, read, stored
        )
        guarded = False
        if raw or not self.kernel.safe_preamble or not user.is_safe_anywhere(text):
            if spec.variant not in ("contiguous", "strided"):
                return None
            guarded = spec.variant == "contiguous"
        if numbered or guarded:
            read.append(ELEMENT_INDEX)
            spec, dims, strides = elementwise.launch.arrange(
                self.kernel.name, placeholder, read, stored
            )
        if spec.index == "int32" and _layout.needs_int64(size, [layouts[k] for k in raw]):
            return None
        counted = bool(words & {"n", "_ind"})
        arguments = self._arguments(layouts)
        vector = elementwise.user.VectorSpec(
            self._code(arguments),
            self.kernel.operation,
            spec,
            tuple([self.kernel.params[k].name for k in kept]),
            numbered,
            counted,
            guarded,
        )
        plan = elementwise.launch.launch_plan(
            spec, vector, elementwise.user.render_vector, dims, strides, self.stream.device
        )
        passed = {f"out{i}": k for i, (k, _) in enumerate(outputs)}
        passed |= {f"in{i}": k for i, k in enumerate([*inputs, *kept])}
        scalars = {
            name: layouts[k] for name, k in passed.items() if not isinstance(layouts[k], Layout)
        }
        for k in raw:
            name = f"array_{self.kernel.params[k].name}"
            plan.constants[name] = user.array_constant(layouts[k])
            passed[name] = k
        if counted or guarded:
            plan.constants["count"] = size
        return PlannedLaunch(plan, passed, scalars)

    def _direct_plan(self) -> PlannedLaunch:
        """The launch of a plain loop over the elements in C order."""
        user = generator.user_code
        layouts = self._layouts()
        shape: Sequence[int] = self.call.shape
        looped = [
            k
            for k, x in enumerate(layouts)
            if isinstance(x, Layout) and not self.kernel.params[k].raw
        ]
        strides = [_broadcasting.broadcast_strides(layouts[k], self.call.shape) for k in looped]
        if self.kernel.reduce_dims:
            shape, strides = _merge(shape, strides)
        arguments = list(self._arguments(layouts))
        views = dict(enumerate(layouts))
        for k, steps in zip(looped, strides):
            view = views[k] = _layout.layout_of(layouts[k].dtype, tuple(shape), tuple(steps))
            x = arguments[k]
            arguments[k] = user.UserParameter(
                x.name, x.dtype, x.kind, x.output, x.constant, len(shape), view.c_contiguous
            )
        size = int(np.prod(shape, dtype=np.int64))
        arrays = [x for x in views.values() if isinstance(x, Layout)]
        narrow = not _layout.needs_int64(size, arrays)
        spec = elementwise.user.DirectSpec(
            self._code(tuple(arguments)),
            self.kernel.operation,
            self.kernel.loop_prep,
            self.kernel.after_loop,
            len(shape),
            narrow,
        )
        function, _ = load(spec, elementwise.user.render_direct, self.stream.device)
        block = self.call.block or _CUPY_BLOCK
        names = [x.name if x.kind != "array" else f"_raw_{x.name}" for x in arguments]
        constants: dict[str, Any] = {
            names[k]: user.array_constant(x) for k, x in views.items() if isinstance(x, Layout)
        }
        lengths = tuple(shape) or (0,)
        constants["_ind"] = {"size_": size, "shape_": lengths, "index_": [0] * len(lengths)}
        plan = LaunchPlan(function, grid_for(ceil_div(size, block)), (block, 1, 1), constants)
        scalars = {names[k]: x for k, x in enumerate(layouts) if not isinstance(x, Layout)}
        return PlannedLaunch(plan, {name: k for k, name in enumerate(names)}, scalars)


def _merge(
    shape: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Merge neighbouring dimensions that every operand walks without a gap, in C order."""
    dims: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        if dims and all(one[-1] == s[axis] * length for one, s in zip(steps, strides)):
            dims[-1] *= length
            for one, s in zip(steps, strides):
                one[-1] = s[axis]
        else:
            dims.append(length)
            for one, s in zip(steps, strides):
                one.append(s[axis])
    if not dims:
        return (1,), [(0,) for _ in strides]
    return tuple(dims), [tuple(one) for one in steps]
