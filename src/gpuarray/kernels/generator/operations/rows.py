"""What a row of the table of operations holds, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray._dtypes import category, info

#: How much code one application compiles to: the more, the fewer elements a thread has, since the
#: code is repeated for each of them.
LIGHT, MEDIUM, HEAVY, HUGE = 0, 1, 2, 3


class Code(NamedTuple):
    """C++ for one output of one category."""

    text: str
    header: str = ""  # include name of the header that defines the functions called
    weight: int = LIGHT
    lean: bool = False  # few registers are enough but where rare arguments are: those may spill


class Extreme:
    """A neutral value that depends on the dtype: its least or its greatest value.

    With ``nan`` it is NaN for dtypes that have NaN.
    """

    __slots__ = ("greatest", "nan")

    def __init__(self, greatest: bool, nan: bool = False):
        self.greatest = greatest
        self.nan = nan

    def value(self, dtype: str) -> object:
        """The value for a dtype."""
        kind = category(dtype)
        bits = 8 * info(dtype).itemsize
        if kind == "bool":
            return self.greatest
        if kind == "unsigned":
            return 2**bits - 1 if self.greatest else 0
        if kind == "time" and (self.nan or not self.greatest):
            return -(2**63) + (0 if self.nan else 1)  # the lowest integer is NaT
        if kind in ("signed", "time"):
            return 2 ** (bits - 1) - 1 if self.greatest else -(2 ** (bits - 1))
        if self.nan:
            return float("nan")
        infinity = float("inf") if self.greatest else -float("inf")
        return complex(infinity, infinity) if kind == "complex" else infinity


class Operation:
    """One row: what an operation is, and what it computes for each dtype category.

    Attributes
    ----------
    name : str
        NumPy's name, or SciPy's.
    nin, nout : int
        Inputs and outputs.
    codes : mapping of str to tuple of Code
        By category: one for each output.
    category_operand : int
        The operand whose dtype chooses the category.
    summary : str
        A line of documentation; rows without one are no ufuncs.
    example : tuple
        Arguments for the example in the documentation, arrays as lists.
    result : str
        What the example prints, where NumPy cannot be asked.
    neutral : number, Extreme or None
        What changes nothing when it is combined with a value.
    associative : bool
        Whether the ufunc has ``reduce`` and ``accumulate``: its loops give the dtype that they
        take, and the order of combinations is free.
    loops : tuple of str
        Where NumPy has no ufunc of this name: its loops in NumPy's notation (``"ff->f"``), the
        narrowest first.
    aliases : tuple of str
        Other names of the ufunc.
    namespace : str
        The public module that has the ufunc.
    """

    # A class by hand: the package makes it when it is imported, and a NamedTuple of so many fields
    # takes longer to make than all the rows.
    __slots__ = (
        "aliases",
        "associative",
        "category_operand",
        "codes",
        "example",
        "loops",
        "name",
        "namespace",
        "neutral",
        "nin",
        "nout",
        "result",
        "summary",
    )

    def __init__(
        self,
        name: str,
        nin: int,
        nout: int,
        codes: Mapping[str, tuple[Code, ...]],
        category_operand: int = 0,
        summary: str = "",
        example: tuple[Any, ...] = (),
        result: str = "",
        neutral: complex | Extreme | None = None,
        associative: bool = False,
        loops: tuple[str, ...] = (),
        aliases: tuple[str, ...] = (),
        namespace: str = "gpuarray",
    ):
        self.name = name
        self.nin = nin
        self.nout = nout
        self.codes = codes
        self.category_operand = category_operand
        self.summary = summary
        self.example = example
        self.result = result
        self.neutral = neutral
        self.associative = associative
        self.loops = loops
        self.aliases = aliases
        self.namespace = namespace

    def __repr__(self) -> str:
        return f"operation({self.name!r})"

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def categories(self) -> frozenset[str]:
        """The dtype categories that the operation has code for."""
        return frozenset(self.codes) - {"half", "mixed", "scaled", "scaling"}

    def code(self, category: str, output: int = 0) -> Code:
        """Return the code for a category, or raise TypeError naming what is supported."""
        found = self.codes.get(category)
        if found is None:
            raise TypeError(
                f"{self.name} has no device code for {category} operands; it supports "
                f"{', '.join(sorted(self.categories))}. Cast the operands to one of these first."
            )
        return found[output]

    @property
    def identity(self) -> complex | None:
        """NumPy's ``ufunc.identity``: the neutral value, if it is the same for all dtypes."""
        return None if isinstance(self.neutral, Extreme) else self.neutral

    def neutral_value(self, dtype: str) -> object:
        """Return the neutral value for a dtype, or raise KeyError where there is none."""
        if self.neutral is None:
            raise KeyError(f"no reduction by an operation named {self.name!r}")
        if isinstance(self.neutral, Extreme):
            return self.neutral.value(dtype)
        if self.neutral == -1 and category(dtype) in ("unsigned", "bool"):
            return Extreme(True).value(dtype)  # all bits
        return self.neutral

    @property
    def types(self) -> list[str]:
        """The loops that gpuarray's dtypes allow, in NumPy's notation."""
        loops = self.loops or getattr(np, self.name).types
        return [loop for loop in loops if not set(loop) & set("gGOSUV")]

    def resolve_dtypes(
        self,
        dtypes: Sequence[Any],
        *,
        signature: Sequence[np.dtype | None] | None = None,
        casting: Any = "same_kind",
        reduction: bool = False,
    ) -> tuple[np.dtype, ...]:
        """Return the dtypes of the loop that operands take, as ``numpy.ufunc.resolve_dtypes`` does.

        Parameters
        ----------
        dtypes : sequence of dtype, type or None
            Of inputs and outputs: ``int``, ``float`` or ``complex`` for Python numbers, None for
            outputs that are to be made.
        signature : sequence of dtype or None, optional
            Dtypes that the loop must have.
        casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
            Which casts of inputs and outputs are allowed.
        reduction : bool, optional
            Resolve for ``reduce``: the first input is the result so far, or None.
        """
        if self.loops:
            from gpuarray.kernels.generator.operations import loops

            return loops.resolve(self, dtypes, signature, casting, reduction)
        if type in [type(x) for x in dtypes]:
            from gpuarray.kernels.generator.operations import loops

            return loops.resolve_numbers(self, dtypes, signature, casting)
        given: dict[str, Any] = {} if signature is None else {"signature": tuple(signature)}
        return getattr(np, self.name).resolve_dtypes(
            tuple(dtypes), casting=casting, reduction=reduction, **given
        )


INTEGER = "gpuarray/integer.cuh"
FLOATING = "gpuarray/floating.cuh"
HALF = "gpuarray/float16.cuh"
DATETIME = "gpuarray/datetime.cuh"
COMPLEX = "gpuarray/complex.cuh"
COMPLEX_MATH = "gpuarray/complex_math.cuh"

# Functions are found by category: a row names a header only where that is not enough.
_HEADERS = {
    "signed": INTEGER,
    "unsigned": INTEGER,
    "mixed": INTEGER,
    "float": FLOATING,
    "half": HALF,
    "complex": COMPLEX,
    "time": DATETIME,
    "scaled": DATETIME,
    "scaling": DATETIME,
}

# Functions of our own headers; others are NVRTC's.
_OURS = re.compile(r"\b(gpuarray|integer|floating|datetime)::")

_Text = str | tuple[str, ...] | None


def row(
    name: str,
    nin: int,
    summary: str = "",
    *example: Any,
    bools: _Text = None,
    integers: _Text = None,
    signed: _Text = None,
    unsigned: _Text = None,
    floats: _Text = None,
    half: _Text = None,
    complexes: _Text = None,
    mixed: _Text = None,
    times: _Text = None,
    scaled: _Text = None,
    scaling: _Text = None,
    raw: _Text = None,
    everything: _Text = None,
    nout: int = 1,
    category_operand: int = 0,
    weight: int | Mapping[str, int] = LIGHT,
    lean: bool = False,
    headers: Mapping[str, str] | None = None,
    result: str = "",
    neutral: complex | Extreme | None = None,
    associative: bool = False,
    loops: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    namespace: str = "gpuarray",
) -> Operation:
    """Make a row. `everything` and `integers` fill the categories that are not given."""
    texts = {
        "bool": bools or everything,
        "signed": signed or integers or everything,
        "unsigned": unsigned or integers or everything,
        "float": floats or everything,
        "complex": complexes or everything,
        "half": half,
        "mixed": mixed,
        "time": times or everything,
        "scaled": scaled,
        "scaling": scaling,
        "raw": raw,
    }
    codes = {}
    for kind, text in texts.items():
        if text is None:
            continue
        outputs = (text,) if isinstance(text, str) else text
        load = weight if isinstance(weight, int) else weight.get(kind, LIGHT)
        # An infix expression or a function that NVRTC has built in needs no header.
        header = _HEADERS.get(kind, "")
        if headers is not None and kind in headers:
            header = headers[kind]
        elif not any(_OURS.search(output) for output in outputs):
            header = ""
        codes[kind] = tuple([Code(output, header, load, lean) for output in outputs])
    return Operation(
        name, nin, nout, codes, category_operand, summary, example, result, neutral, associative,
        loops, aliases, namespace,
    )  # fmt: skip
