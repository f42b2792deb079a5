"""Several pieces of compiled device code to one image, through the same cache as compilations."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gpuarray.errors import LinkError
from gpuarray.kernels.compiler import toolchain
from gpuarray.kernels.compiler.cache import FORMAT, Image, Label, default_cache, digest
from gpuarray.kernels.compiler.compilation import find_or_build
from gpuarray.kernels.compiler.images import kind_of
from gpuarray.kernels.compiler.options import checked_options

#: What the linker makes.
KINDS = ("cubin", "ptx")

_KNOWN = "PTX, a cubin, LTO-IR, a fatbin, an object or a library"


def link(
    inputs: Sequence[Image | bytes | str | os.PathLike[str]],
    *,
    name: str,
    options: Sequence[str] = (),
    architecture: str,
    kind: str = "cubin",
) -> Image:
    """Link `inputs`, or find them linked.

    Parameters
    ----------
    inputs : sequence of Image, bytes or path
        PTX, cubins, LTO-IR, fatbins, host objects or host libraries.
    name : str
        What the result is called, for messages and ``cache list``.
    options : sequence of str
        Options of nvJitLink. An architecture among them wins over the default.
    architecture : str
        The target, such as ``sm_90``.
    kind : {'cubin', 'ptx'}
        What is wanted; 'ptx' can be made of LTO-IR only.

    Returns
    -------
    Image
        With the name expressions of all inputs.

    Raises
    ------
    LinkError
        With the linker's log.
    """
    if kind not in KINDS:
        raise ValueError(f"linking makes one of {', '.join(map(repr, KINDS))}, not {kind!r}")
    if isinstance(inputs, (Image, bytes, str, os.PathLike)):
        raise TypeError(f"the inputs of a link are a sequence: write [{type(inputs).__name__}]")
    given = [_input(item, number) for number, item in enumerate(inputs, 1)]
    if not given:
        raise ValueError("there is nothing to link: give at least one input")
    lowered: dict[str, str] = {}
    for item in inputs:
        if isinstance(item, Image):
            lowered.update(item.lowered_names)
    passed = checked_options(options)
    if not any(option.startswith(("-arch=", "-arch ")) for option in passed):
        passed = (f"-arch=sm_{architecture.rpartition('_')[2]}", *passed)
    kinds = [input_kind for input_kind, _, _ in given]
    if kind == "ptx":
        for input_kind, _, label in given:
            if input_kind in ("cubin", "ptx"):
                raise LinkError(
                    f"PTX can be linked of LTO-IR only, and {label} is {_a(input_kind)}: compile "
                    "it with kind='lto' (the emulated device takes nothing but PTX), or link to "
                    "kind='cubin'",
                    options=passed,
                    kernel_name=name,
                )
        passed = (*passed, "-ptx")
    if (kind == "ptx" or "lto" in kinds) and "-lto" not in passed:
        passed = (*passed, "-lto")

    from gpuarray._ffi import nvjitlink

    identity = nvjitlink.identity()

    def build() -> tuple[bytes, Image, Label]:
        try:
            data, _ = nvjitlink.link(given, passed, kind, name)
        except LinkError as error:
            linker, compiler = nvjitlink.version(), toolchain.identity(default_cache()).version
            if linker < compiler:
                error.add_note(
                    f"nvJitLink {linker[0]}.{linker[1]} is older than NVRTC {compiler[0]}."
                    f"{compiler[1]}, whose code it may not understand: update nvidia-nvjitlink"
                )
            raise
        return key, Image(data, lowered, kind), Label(name, architecture, identity)

    # Names in messages do not count; the content does.
    contents = [(input_kind, data) for input_kind, data, _ in given]
    names = [text for pair in lowered.items() for text in pair]
    key = digest(FORMAT, "link", contents, passed, kind, identity, names)
    return find_or_build(key, build, name, architecture)


def _input(item: Image | bytes | str | os.PathLike[str], number: int) -> tuple[str, bytes, str]:
    """Kind, content and name in messages of an input."""
    if isinstance(item, (str, os.PathLike)):
        label = os.fspath(item)
        with open(item, "rb") as file:
            data = file.read()
    elif isinstance(item, (Image, bytes)):
        label, data = f"input {number}", bytes(item)
    else:
        raise TypeError(
            f"input {number} of a link is an Image, bytes or a path, not {type(item).__name__}"
        )
    kind = kind_of(data)
    if not kind:
        raise LinkError(f"{label} is not {_KNOWN} (it begins with {data[:16]!r})")
    return kind, data, label


def _a(kind: str) -> str:
    return {"ptx": "PTX", "cubin": "a cubin"}[kind]
