"""Texture and surface instructions (PTX ISA, "Texture Instructions", "Surface Instructions")."""

from __future__ import annotations

import numpy as np

from ...faults import ILLEGAL_ADDRESS, LAUNCH_FAILED, MISALIGNED_ADDRESS, DeviceFault
from ...ptx.syntax import Address, Vector
from ..emitter import Emitter, UnsupportedForm
from ..images import Image, Sampler
from ..registry import handles, runtime
from ..slots import operands_of
from ..types import SIZES, code_of

nd = np.ndarray
_FORMS = ("1d", "2d", "3d", "a1d", "a2d")
_COMPONENTS = "rgba"
_MODES = ("trap", "clamp", "zero")
_SHIFTS = {1: 0, 2: 1, 4: 2, 8: 3}


def _form(i) -> str:
    """The geometry that an instruction names."""
    form = i.opcode.first_of(*_FORMS)
    if form is None:
        raise UnsupportedForm("cubemaps and multisampled textures are not emulated")
    return form


def _place(e: Emitter, operand, form: str, code: str) -> tuple[str, str, str]:
    """Expressions of the handle, the coordinates and the layer of ``[a, {x, y}]``."""
    if type(operand) is not Vector or len(operand.items) != 2:
        raise UnsupportedForm("a sampler apart from its texture")
    handle, at = operand.items
    if type(handle) is not Address or handle.offset:
        raise UnsupportedForm(f"the handle {handle}")
    given = list(operands_of(at))
    layer = e.value(given.pop(0), "u4") if form[0] == "a" else "None"
    count = int(form[-2])
    coordinates = "".join(e.value(one, code) + "," for one in given[:count])
    return e.value(handle.base, "i8"), f"({coordinates})", layer


@handles("tex", "tld4")
def texture(e: Emitter, i) -> None:
    opcode = i.opcode
    result, at = opcode.types[-2:]
    if result not in ("f32", "s32", "u32") or at not in ("f32", "s32"):
        raise UnsupportedForm(f"results of {result} at coordinates of {at}")
    form = _form(i)
    component = None
    if i.name == "tld4":
        component = _COMPONENTS.index(opcode.first_of(*_COMPONENTS))
        if form != "2d":
            raise UnsupportedForm("texture gather of other textures than those of two dimensions")
    elif type(i.operands[0]) is not Vector:
        raise UnsupportedForm("sparse textures")
    # Without mipmaps there is one level: which one, or the gradients, has no influence.
    handle, coordinates, layer = _place(e, i.operands[1], form, code_of(at))
    found = e.temporary()
    code = code_of(result)
    e.line(
        f"{found}=texture_fetch(S,L,{handle},{form!r},{coordinates},{layer},{code!r},{component})"
    )
    for k, target in enumerate(operands_of(i.operands[0])):
        e.assign(target, f"{found}[{k}]", code)


@handles("suld")
def surface_load_instruction(e: Emitter, i) -> None:
    code, mode, form = _surface(i)
    targets = operands_of(i.operands[0])
    handle, coordinates, layer = _place(e, i.operands[1], form, "i4")
    found = e.temporary()
    e.line(
        f"{found}=surface_load(S,L,{handle},{form!r},{coordinates},{layer},{mode!r},{code!r},"
        f"{len(targets)})"
    )
    for k, target in enumerate(targets):
        e.assign(target, f"{found}[{k}]", code)


@handles("sust")
def surface_store_instruction(e: Emitter, i) -> None:
    code, mode, form = _surface(i)
    handle, coordinates, layer = _place(e, i.operands[0], form, "i4")
    values = "".join(e.value(one, code) + "," for one in operands_of(i.operands[1]))
    e.line(
        f"surface_store(S,L,{handle},{form!r},{coordinates},{layer},{mode!r},{code!r},({values}))"
    )


def _surface(i) -> tuple[str, str, str]:
    """The code of the elements, the boundary mode and the geometry."""
    if "b" not in i.opcode.flags:
        raise UnsupportedForm("formatted accesses")
    code = {"i4": "u4", "i8": "u8"}.get(code_of(i.opcode.types[-1]), code_of(i.opcode.types[-1]))
    return code, i.opcode.first_of(*_MODES) or "trap", _form(i)


@handles("txq", "suq")
def query(e: Emitter, i) -> None:
    """The size of a texture or surface."""
    what = i.opcode.modifiers[0]
    if what not in _QUERIES or (i.name == "suq" and what in _OF_TEXTURES):
        raise UnsupportedForm(f"the query {what}")
    handle = e.value(i.operands[1].base, "i8")
    e.assign(i.operands[0], f"image_query(S,L,{handle},{what!r},{i.name == 'txq'})", "i4")


_QUERIES = {
    "width": lambda image: image.sizes[0],
    "height": lambda image: image.sizes[1] if image.dimensions > 1 else 0,
    "depth": lambda image: image.sizes[2] if image.dimensions > 2 else 0,
    "array_size": lambda image: image.sizes[2] if image.layered else 0,
    "num_mipmap_levels": lambda image: 1,
    "normalized_coords": lambda image: int(image.reading.normalized),
}
_OF_TEXTURES = ("num_mipmap_levels", "normalized_coords")


# ------------------------------------------------------------------ what generated code calls


def _image(S, L, handle, of_texture: bool) -> Image:
    """The texture or surface of a handle."""
    number = int(handle) & (1 << 64) - 1
    image = S.arena.images.get(number)
    noun = "texture" if of_texture else "surface"
    if image is None or (image.reading is not None) != of_texture:
        raise DeviceFault(
            ILLEGAL_ADDRESS,
            f"0x{number:x} is no {noun} object: it was destroyed, or is something else",
            int(L.ids[0]),
        )
    if not S.arena.holds(image.address, image.address + image.nbytes):
        raise DeviceFault(
            ILLEGAL_ADDRESS,
            f"the memory of the {noun} object 0x{number:x} was freed, or is another device's "
            f"({S.arena.describe(image.address)})",
            int(L.ids[0]),
        )
    return image


def _check_form(L, image: Image, form: str, instruction: str) -> None:
    """Refuse an instruction for a texture or surface of another geometry."""
    if int(form[-2]) != image.dimensions or (form[0] == "a") != image.layered:
        layers = " in layers" if image.layered else ""
        raise DeviceFault(
            LAUNCH_FAILED,
            f"{instruction}.{form} on an object of {image.dimensions} dimension"
            f"{'s' * (image.dimensions > 1)}{layers}",
            int(L.ids[0]),
        )


def _handles(L, handle) -> list[tuple[int, nd | None]]:
    """The handles that lanes use, and the positions of those that use each; None for all."""
    if type(handle) is not nd:
        return [(int(handle), None)]
    different = np.unique(handle).tolist()
    if len(different) == 1:
        return [(different[0], None)]
    return [(one, np.flatnonzero(handle == one)) for one in different]


def _selected(values: tuple, positions: nd) -> tuple:
    return tuple(v[positions] if type(v) is nd else v for v in values)


@runtime
def texture_fetch(S, L, handle, form: str, coordinates: tuple, layer, code: str, component) -> list:
    """Four registers of a texture fetch, or of a gather of one component."""
    groups = _handles(L, handle)
    if groups[0][1] is not None:
        found = [np.empty(L.n, code) for _ in range(4)]
        for one, positions in groups:
            part, _ = L.pick(positions)
            *at, of_layer = _selected((*coordinates, layer), positions)
            for target, values in zip(
                found,
                texture_fetch(S, part, one, form, tuple(at), of_layer, code, component),
                strict=True,
            ):
                target[positions] = values
        return found
    image = _image(S, L, groups[0][0], True)
    _check_form(L, image, form, "tex" if component is None else "tld4")
    if image.linear and coordinates[0].dtype.kind == "f":
        raise DeviceFault(
            LAUNCH_FAILED,
            "a texture of linear memory has integer coordinates: it is read by tex1Dfetch",
            int(L.ids[0]),
        )
    if component is not None and not image.gather:
        raise DeviceFault(
            LAUNCH_FAILED,
            "texture gather needs a CUDA array made with cudaArrayTextureGather",
            int(L.ids[0]),
        )
    given = [*coordinates] if layer is None else [*coordinates, layer]
    uniform = not any(type(one) is nd for one in given)
    arrays = [np.atleast_1d(one) if uniform else L.filled(one) for one in given]
    of_layer = None if layer is None else arrays.pop()
    sampler = Sampler(image, lambda addresses, lanes: _elements(S, L, image, addresses, lanes))
    if component is None:
        values = sampler.sample(arrays, of_layer)
    else:
        values = sampler.gather(arrays, of_layer, component)
    registers = [value.view(code) for value in values]
    return [register[0] for register in registers] if uniform else registers


def _elements(S, L, image: Image, addresses: nd, lanes: nd | None) -> list[nd]:
    """Elements of a texture: an array for each channel."""
    if S.checks is not None:
        part = L if lanes is None or len(addresses) == 1 else L.pick(lanes)[0]
        S.checks.touch(part, addresses, 0, image.element, reads=True)
    view = S.arena.views[image.dtype]
    first = (addresses - S.arena.base) >> _SHIFTS[int(image.dtype[1])]
    return [view.take(first + k if k else first) for k in range(image.channels)]


def _locate(S, L, image: Image, coordinates: tuple, layer, mode: str, size: int, verb: str):
    """The addresses of an access to a surface, and where they are in it; None if all are."""
    arrays = [L.filled(one).astype(np.int64) for one in coordinates]
    if layer is not None:
        arrays += [np.zeros(L.n, np.int64)] * (2 - len(arrays)) + [L.filled(layer).astype(np.int64)]
    x, y, z = [*arrays, *[np.zeros(L.n, np.int64)] * (3 - len(arrays))]
    width, height, depth = image.sizes
    limits = (width * image.element - size, height - 1, depth - 1)
    inside = np.ones(L.n, bool)
    for coordinate, most in zip((x, y, z), limits, strict=True):
        inside &= (coordinate >= 0) & (coordinate <= most)
    if not inside.all():
        if mode == "trap":
            k = int(inside.argmin())
            raise DeviceFault(
                LAUNCH_FAILED,
                f"a {size}-byte surface {verb} at byte {int(x[k])} of row {int(y[k])}, plane "
                f"{int(z[k])} is outside of rows of {width * image.element} bytes, {height} rows, "
                f"{depth} planes ({int((~inside).sum())} of {L.n} threads here)",
                int(L.ids[k]),
            )
        x, y, z = (np.clip(c, 0, most) for c, most in zip((x, y, z), limits, strict=True))
    misaligned = x & (size - 1)
    if misaligned.any():
        k = int((misaligned != 0).argmax())
        raise DeviceFault(
            MISALIGNED_ADDRESS,
            f"misaligned {size}-byte surface {verb} at byte {int(x[k])} of a row: the first "
            "coordinate counts bytes",
            int(L.ids[k]),
        )
    addresses = image.address + (z * height + y) * image.pitch + x
    return addresses, None if mode != "zero" or inside.all() else inside


@runtime
def surface_load(
    S, L, handle, form: str, coordinates: tuple, layer, mode: str, code: str, width: int
) -> list:
    """The registers of a surface load."""
    groups = _handles(L, handle)
    if groups[0][1] is not None:
        found = [np.empty(L.n, code) for _ in range(width)]
        for one, positions in groups:
            part, _ = L.pick(positions)
            *at, of_layer = _selected((*coordinates, layer), positions)
            parts = surface_load(S, part, one, form, tuple(at), of_layer, mode, code, width)
            for target, values in zip(found, parts, strict=True):
                target[positions] = values
        return found
    image = _image(S, L, groups[0][0], False)
    _check_form(L, image, form, "suld.b")
    size = SIZES[code]
    addresses, inside = _locate(S, L, image, coordinates, layer, mode, size * width, "load")
    if S.checks is not None:
        _touch(S, L, addresses, inside, size * width, reads=True)
    first = (addresses - S.arena.base) >> _SHIFTS[size]
    view = S.arena.views[code]
    found = [view[first + k] for k in range(width)]
    if inside is not None:
        found = [np.where(inside, one, one.dtype.type(0)) for one in found]
    return found


@runtime
def surface_store(
    S, L, handle, form: str, coordinates: tuple, layer, mode: str, code: str, values: tuple
) -> None:
    """Store registers to a surface; of lanes that share an element the last one wins."""
    groups = _handles(L, handle)
    if groups[0][1] is not None:
        for one, positions in groups:
            part, _ = L.pick(positions)
            *at, of_layer = _selected((*coordinates, layer), positions)
            chosen = _selected(values, positions)
            surface_store(S, part, one, form, tuple(at), of_layer, mode, code, chosen)
        return
    image = _image(S, L, groups[0][0], False)
    _check_form(L, image, form, "sust.b")
    size = SIZES[code]
    addresses, inside = _locate(S, L, image, coordinates, layer, mode, size * len(values), "store")
    filled = tuple(L.filled(value) for value in values)
    if S.checks is not None:
        _touch(S, L, addresses, inside, size * len(values), value=filled)
    S.arena.writes += 1
    first = (addresses - S.arena.base) >> _SHIFTS[size]
    if inside is not None:
        first, filled = first[inside], tuple(value[inside] for value in filled)
    view = S.arena.views[code]
    for k, value in enumerate(filled):
        view[first + k] = value


def _touch(S, L, addresses: nd, inside: nd | None, size: int, *, reads=False, value=None) -> None:
    """Let the checkers see an access of the lanes that are inside."""
    if inside is not None:
        lanes = np.flatnonzero(inside)
        if not len(lanes):
            return
        L, addresses = L.pick(lanes)[0], addresses[lanes]
        value = None if value is None else tuple(one[lanes] for one in value)
    S.checks.touch(L, addresses, 0, size, reads=reads, value=value)


@runtime
def image_query(S, L, handle, what: str, of_texture: bool):
    """A property of a texture or surface."""
    groups = _handles(L, handle)
    read = _QUERIES[what]
    if groups[0][1] is None:
        return np.int32(read(_image(S, L, groups[0][0], of_texture)))
    found = np.empty(L.n, np.int32)
    for one, positions in groups:
        found[positions] = read(_image(S, L, one, of_texture))
    return found
