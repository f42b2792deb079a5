"""Shapes, joins, repetitions and memory orders."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.case import Case
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.values import COMPLEX, DTYPES

FUNCTIONS = [
    "reshape", "reshape", "ravel", "transpose", "moveaxis", "swapaxes", "rollaxis", "expand_dims", "squeeze",
    "broadcast_to", "broadcast_arrays", "concatenate", "concatenate", "stack", "vstack", "hstack",
    "dstack", "column_stack", "split", "array_split", "hsplit", "vsplit", "dsplit", "tile",
    "repeat", "flip", "fliplr", "flipud", "rot90", "roll", "roll", "atleast_1d", "atleast_2d",
    "atleast_3d", "astype", "astype", "copy", "flatten", "view", "real", "imag", "matrix_transpose",
    "clip", "clip", "round", "ascontiguousarray", "asfortranarray", "T", "permute_dims",
    "set shape", "zeros_like", "full_like", "empty_like",
]  # fmt: skip
ORDERS = ["", "'C'", "'F'", "'A'", "'K'"]


def factorisation(draw: Draw, size: int) -> tuple[int, ...]:
    """A shape of a certain size."""
    shape: list[int] = []
    while size > 1 and len(shape) < 4:
        divisors = [n for n in range(1, min(size, 64) + 1) if size % n == 0]
        n = draw.pick(divisors)
        shape.append(n)
        size //= n
    shape.append(size)
    draw.random.shuffle(shape)
    return tuple(shape)


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """A function with dtypes and layouts."""
    function = draw.pick(FUNCTIONS)
    dtype, layout = draw.pick(DTYPES), draw.pick(LAYOUTS)
    if function in ("real", "imag"):
        dtype = draw.pick(COMPLEX + [dtype])
    other, layouts = draw.pick(DTYPES), [draw.pick(LAYOUTS) for _ in range(3)]
    if draw.chance(0.6):
        layouts = [layout] * 3
    others = [dtype if draw.chance(0.6) else draw.pick(DTYPES) for _ in range(3)]
    ndim = draw.ndim()
    order = draw.pick(ORDERS)
    form = draw.below(4)

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = draw.shape(ndim)
        name = make.array(shape, dtype, layout, "small")
        axis = draw.axis(ndim)
        size = 1
        for n in shape:
            size *= n
        text = _CALLS.get(function)
        if text is not None:
            made = text(draw, name, shape, axis, size, order)
        elif function in ("concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"):
            made = _join(draw, make, function, name, shape, axis, others, layouts, form)
        elif function == "broadcast_arrays":
            second = make.array(
                draw.pick([shape[-1:], (1, *shape[1:]), shape, (2,)]), other, layouts[0]
            )
            made = f"xp.broadcast_arrays({name}, {second})"
        elif function == "clip":
            ends = [
                draw.pick(["None", "-1", "2", "0.5"])
                if form
                else make.array(shape[-1:], other, layouts[1])
                for _ in range(2)
            ]
            made = f"xp.clip({name}, {', '.join(ends)})"
        elif function == "astype":
            options = [f"order={order}"] if order else []
            options += [f"casting={draw.pick(['safe', 'same_kind'])!r}"] if form == 0 else []
            options += ["copy=False"] if form == 1 else []
            made = f"{name}.astype({', '.join([repr(other), *options])})"
        else:  # like
            options = [f"dtype={other!r}"] if form < 2 else []
            options += [f"order={order}"] if order else []
            options += [f"shape={factorisation(draw, 12)}"] if form == 0 else []
            value = [draw.pick(["1", "True", "0"])] if function == "full_like" else []
            call = f"xp.{function}({', '.join([name, *value, *options])})"
            made = f"{call} * 0" if function == "empty_like" and other not in "?" else call
            if function == "empty_like":
                made = f"({call}.shape, {call}.size and {call}.strides, {call}.dtype)"
        if "; " in made:
            *statements, made = made.split("; ")
            make.program += statements
        make.program.append(made)
        return make.done(function)

    return function, case


def _join(draw, make, function, name, shape, axis, others, layouts, form) -> str:
    names = [name]
    for other, layout in zip(others[: draw.below(1, 4)], layouts):
        its = list(shape)
        if function != "stack" and its:
            along = {"vstack": 0, "hstack": min(1, len(its) - 1), "dstack": 2}.get(function, axis)
            if function == "column_stack":
                along = 1
            if along < len(its):
                its[along] = draw.pick([its[along], 1, 2, 0, 5])
            if function == "vstack" and len(its) == 1:
                its = list(shape)
        names.append(make.array(tuple(its), other, layout))
    options = []
    if function in ("concatenate", "stack"):
        if function == "stack":
            axis = draw.axis(len(shape) + 1)
        options.append(f"axis={axis if draw.chance(0.9) or function == 'stack' else None}")
    if function not in ("dstack", "column_stack") and form == 0:
        options.append(f"dtype={draw.pick(DTYPES)!r}")
        options.append(f"casting={draw.pick(['same_kind', 'unsafe', 'safe'])!r}")
    return f"xp.{function}([{', '.join(names)}]{''.join(', ' + x for x in options)})"


def _reshape(draw, name, shape, axis, size, order):
    new = list(factorisation(draw, size)) if size else [0, draw.below(1, 4)]
    if draw.chance(0.3):
        new[draw.below(len(new))] = -1
    if draw.chance(0.03):
        new.append(7)
    new_order = f", order={order}" if order in ("'C'", "'F'", "'A'") else ""
    if draw.chance(0.3):
        return f"{name}.reshape({', '.join(map(str, new))}{new_order})"
    return f"xp.reshape({name}, {tuple(new)}{new_order})"


def _split(draw, name, shape, axis, size, order, function="split"):
    length = shape[axis] if shape else 0
    if draw.chance(0.5):
        cuts = repr(sorted(draw.below(-1, length + 2) for _ in range(draw.below(0, 4))))
    else:
        cuts = draw.pick(["1", "2", "3", str(max(length, 1))])
    if function in ("hsplit", "vsplit", "dsplit"):
        return f"xp.{function}({name}, {cuts})"
    return f"xp.{function}({name}, {cuts}, axis={axis})"


def _axes(draw, ndim, count=None):
    order = draw.sample(range(ndim), ndim if count is None else min(count, ndim))
    return tuple(x - ndim if draw.chance(0.2) else x for x in order)


def _transpose(draw, name, shape, axis, size, order):
    return f"xp.transpose({name}, {draw.pick([_axes(draw, len(shape)), None])})"


def _moveaxis(draw, name, shape, axis, size, order):
    count = draw.below(0, 3)
    return (
        f"xp.moveaxis({name}, {_axes(draw, len(shape), count)}, {_axes(draw, len(shape), count)})"
    )


def _expand_dims(draw, name, shape, axis, size, order):
    ndim = len(shape)
    where = draw.pick([str(draw.axis(ndim + 1)), repr(_axes(draw, ndim + 2, 2)), str(ndim + 2)])
    return f"xp.expand_dims({name}, {where})"


def _squeeze(draw, name, shape, axis, size, order):
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return f"xp.squeeze({name}{draw.pick(['', f', {ones}', f', {axis}'])})"


def _broadcast_to(draw, name, shape, axis, size, order):
    new = draw.pick(
        [(2, *shape), shape, (3, 1, *shape), tuple(4 if n == 1 else n for n in shape), (2,)]
    )
    return f"xp.broadcast_to({name}, {new})"


def _tile(draw, name, shape, axis, size, order):
    return f"xp.tile({name}, {draw.pick(['2', '(2, 1)', '(1, 3)', '()', '(2, 1, 2)', '0', '1'])})"


def _repeat(draw, name, shape, axis, size, order):
    axes = draw.pick([f"axis={axis}", f"axis={axis}", "axis=None"])
    length = size if axes == "axis=None" else (shape[axis] if shape else 1)
    many = repr([draw.below(0, 4) for _ in range(length)]) if length < 40 else "2"
    return f"xp.repeat({name}, {draw.pick(['2', '0', '3', many, '[2]'])}, {axes})"


def _flip(draw, name, shape, axis, size, order):
    return f"xp.flip({name}, {draw.axes(len(shape))})"


def _roll(draw, name, shape, axis, size, order):
    ndim = len(shape)
    if draw.chance(0.3) or not ndim:
        return f"xp.roll({name}, {draw.below(-9, 10)})"
    if draw.chance(0.5):
        return f"xp.roll({name}, {draw.below(-9, 10)}, {draw.axis(ndim)})"
    axes = _axes(draw, ndim, 2)
    return f"xp.roll({name}, {tuple(draw.below(-5, 6) for _ in axes)}, {axes})"


def _rot90(draw, name, shape, axis, size, order):
    axes = _axes(draw, len(shape), 2)
    return f"xp.rot90({name}, {draw.below(-5, 6)}, {axes if len(axes) == 2 else (0, 1)})"


def _view(draw, name, shape, axis, size, order):
    return f"{name}.view({draw.pick(DTYPES)!r})"


def _copy(draw, name, shape, axis, size, order):
    text = f"order={order}" if order else ""
    return draw.pick([f"{name}.copy({text})", f"xp.copy({name}{', ' + text if text else ''})"])


def _set_shape(draw, name, shape, axis, size, order):
    new = factorisation(draw, size) if size else (0, 2)
    return f"{name} = {name}[...]; {name}.shape = {new}; {name}"


_CALLS = {
    "reshape": _reshape,
    "ravel": lambda d, a, s, x, n, o: f"xp.ravel({a}{', ' + o if o else ''})",
    "flatten": lambda d, a, s, x, n, o: f"{a}.flatten({o})",
    "transpose": _transpose,
    "permute_dims": lambda d, a, s, x, n, o: f"xp.permute_dims({a}, {_axes(d, len(s))})",
    "moveaxis": _moveaxis,
    "swapaxes": lambda d, a, s, x, n, o: f"xp.swapaxes({a}, {x}, {d.axis(len(s))})",
    "rollaxis": lambda d, a, s, x, n, o: f"xp.rollaxis({a}, {x}, {d.below(-len(s), len(s) + 1)})",
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "broadcast_to": _broadcast_to,
    "split": _split,
    "array_split": lambda *args: _split(*args, function="array_split"),
    "hsplit": lambda *args: _split(*args, function="hsplit"),
    "vsplit": lambda *args: _split(*args, function="vsplit"),
    "dsplit": lambda *args: _split(*args, function="dsplit"),
    "tile": _tile,
    "repeat": _repeat,
    "flip": _flip,
    "fliplr": lambda d, a, s, x, n, o: f"xp.fliplr({a})",
    "flipud": lambda d, a, s, x, n, o: f"xp.flipud({a})",
    "rot90": _rot90,
    "roll": _roll,
    "atleast_1d": lambda d, a, s, x, n, o: f"xp.atleast_1d({a})",
    "atleast_2d": lambda d, a, s, x, n, o: f"xp.atleast_2d({a})",
    "atleast_3d": lambda d, a, s, x, n, o: f"xp.atleast_3d({a})",
    "copy": _copy,
    "view": _view,
    "real": lambda d, a, s, x, n, o: d.pick([f"xp.real({a})", f"{a}.real"]),
    "imag": lambda d, a, s, x, n, o: d.pick([f"xp.imag({a})", f"{a}.imag"]),
    "matrix_transpose": lambda d, a, s, x, n, o: f"xp.matrix_transpose({a})",
    "round": lambda d, a, s, x, n, o: f"xp.round({a}, {d.pick([0, 1, 2, -1])})",
    "ascontiguousarray": lambda d, a, s, x, n, o: f"xp.ascontiguousarray({a})",
    "asfortranarray": lambda d, a, s, x, n, o: f"xp.asfortranarray({a})",
    "T": lambda d, a, s, x, n, o: f"{a}.T",
    "set shape": _set_shape,
}
