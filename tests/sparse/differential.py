"""Random programs on sparse arrays that SciPy and the package both run.

``python -m tests.sparse.differential 0 500`` runs the programs of these seeds and prints what
differs; with ``solvers`` or ``graphs`` as a third argument, those of `solver_programs` or
`graph_programs`.
"""

import re
import sys
import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg

import gpuarray as cp
from gpuarray.scipy import sparse
from gpuarray.scipy.sparse import csgraph, linalg
from tests.sparse.graph_programs import GraphDrawing
from tests.sparse.known import GRAPHS, KNOWN, SOLVERS
from tests.sparse.programs import Drawing, Operand, Program, values
from tests.sparse.solver_programs import SolverDrawing


def host_operand(x: Any) -> Any:
    """An operand as SciPy has it."""
    if not isinstance(x, Operand):
        return x.copy()
    rng = np.random.default_rng(x.seed)
    dense = values(x.seed, x.shape, x.dtype) * (rng.random(x.shape) < 0.5).astype(x.dtype)
    made = scipy.sparse.coo_array(dense.astype(x.dtype))
    if x.order in ("unsorted", "repeated") and made.nnz:
        order = rng.permutation(made.nnz)
        if x.order == "repeated":
            order = np.concatenate([order, order[:2]])
        places = tuple(c[order] for c in made.coords)
        made = scipy.sparse.coo_array((made.data[order], places), shape=x.shape)
    if x.order == "nan" and made.nnz and np.dtype(x.dtype).kind in "fc":
        made.data[0] = np.nan
        made.data[-1] = 0
    if x.order == "wide":
        made.coords = tuple(c.astype(np.int64) for c in made.coords)
    name = f"{x.format}_{x.kind}"
    if x.format in ("csr", "csc") and x.order in ("unsorted", "repeated") and len(x.shape) == 2:
        made = compressed_as_it_is(made, x.format)
    return getattr(scipy.sparse, name)(made)


def compressed_as_it_is(coo: Any, format: str) -> Any:
    """Entries in rows or columns, without a sort within these."""
    major, minor = coo.coords if format == "csr" else coo.coords[::-1]
    order = np.argsort(major, kind="stable")
    pointers = np.searchsorted(major[order], np.arange(coo.shape[format == "csc"] + 1))
    parts = coo.data[order], minor[order], pointers
    return getattr(scipy.sparse, f"{format}_array")(parts, shape=coo.shape)


def on_device(x: Any) -> Any:
    """An operand of the package's."""
    if scipy.sparse.issparse(x):
        return getattr(sparse, type(x).__name__)(x)
    return cp.asarray(x)


class Outcome(NamedTuple):
    """What a program did."""

    #: The value of the last line, or what was raised.
    result: Any
    #: The line that raised, or -1.
    line: int
    #: The operands behind it.
    operands: dict[str, Any]


def run(program: Program, operands: dict[str, Any], names: dict[str, Any]) -> Outcome:
    """Run a program with one library."""
    names = {"np": np, **names, **operands}
    result, line = None, -1
    for line, text in enumerate(program.lines):
        try:
            if line + 1 == len(program.lines):
                result = eval(text, names)
            else:
                exec(text, names)
        except Exception as error:
            result = error.with_traceback(None)
            break
    else:
        line = -1
    return Outcome(result, line, operands)


def outcomes(program: Program) -> tuple[Outcome, Outcome]:
    """What SciPy and the package do."""
    operands = {name: host_operand(x) for name, x in program.operands.items()}
    ours = {name: on_device(x) for name, x in operands.items()}
    for name, x in operands.items():
        found = unlike_entries(x, ours[name])
        assert not found, f"operand {name}: {found}"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = run(
            program,
            operands,
            {
                "sp": scipy.sparse,
                "xp": np,
                "la": scipy.sparse.linalg,
                "gr": scipy.sparse.csgraph,
            },
        )
        got = run(program, ours, {"sp": sparse, "xp": cp, "la": linalg, "gr": csgraph})
    return want, got


def difference(program: Program) -> str:
    """What differs, or nothing."""
    want, got = outcomes(program)
    found = unlike(want.result, got.result)
    if found:
        return found
    for name, x in want.operands.items():
        if name in got.operands:
            found = unlike(x, got.operands[name])
            if found:
                return f"operand {name}: {found}"
    return ""


def unlike(want: Any, got: Any) -> str:
    """How a result differs from SciPy's."""
    if isinstance(want, Exception) or isinstance(got, Exception):
        return unlike_errors(want, got)
    if isinstance(want, (tuple, list)):
        if not isinstance(got, (tuple, list)) or len(want) != len(got):
            return f"{got!r}, SciPy {want!r}"
        return next(filter(None, map(unlike, want, got)), "")
    if scipy.sparse.issparse(want):
        if not sparse.issparse(got):
            return f"{type(got).__name__}, SciPy {type(want).__name__}"
        return unlike_sparse(want, got)
    if sparse.issparse(got):
        return f"{type(got).__name__}, SciPy {type(want).__name__} {want!r:.80}"
    if want is NotImplemented or want is None or isinstance(want, str):
        return "" if want is got or want == got else f"{got!r}, SciPy {want!r}"
    return unlike_dense(np.asarray(want), got)


def unlike_errors(want: Any, got: Any) -> str:
    """How exceptions differ: ours may be of a class that derives from SciPy's."""
    if not isinstance(got, Exception):
        return f"accepts, SciPy raises {want!r:.150}"
    text = f"raises {type(got).__name__}: {got!s:.150}"
    if not isinstance(want, Exception):
        return f"{text}; SciPy gives {type(want).__name__} {want!r:.80}"
    public = next(x for x in type(want).__mro__ if x.__module__ in ("builtins", "numpy.exceptions"))
    return "" if isinstance(got, public) else f"{text}; SciPy raises {want!r:.150}"


def unlike_dense(want: np.ndarray, got: Any) -> str:
    """How a dense result differs."""
    got = np.asarray(got.get() if isinstance(got, cp.ndarray) else got)
    if got.dtype != want.dtype and not (want.dtype.char in "lq" and got.dtype.char in "lq"):
        return f"dtype {got.dtype}, SciPy {want.dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape}, SciPy {want.shape}"
    rtol = 1e-3 if want.dtype.char in "fF" else 1e-6
    with np.errstate(all="ignore"):
        if not np.allclose(got, want, rtol=rtol, atol=1e-6, equal_nan=True):
            return f"{got.tolist()!s:.200}, SciPy {want.tolist()!s:.200}"
    return ""


def unlike_entries(want: Any, got: Any) -> str:
    """How the storage of an operand differs: how many entries, and how wide their indices are."""
    if not scipy.sparse.issparse(want):
        return ""
    if index_dtype(got) != index_dtype(want):
        return f"indices of {index_dtype(got)}, SciPy {index_dtype(want)}"
    return "" if got.nnz == want.nnz else f"{got.nnz} entries, SciPy {want.nnz}"


def unlike_sparse(want: Any, got: Any) -> str:
    """How a sparse result differs: its class, shape, dtype and elements."""
    if type(want).__name__ != type(got).__name__:
        return f"{type(got).__name__}, SciPy {type(want).__name__}"
    if got.shape != want.shape:
        return f"shape {got.shape}, SciPy {want.shape}"
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, SciPy {want.dtype}"
    if got.format == "bsr" and got.blocksize != want.blocksize:
        return f"blocks of {got.blocksize}, SciPy {want.blocksize}"
    host = got.get()
    if host.format in ("csr", "csc", "bsr"):
        host.check_format(full_check=True)
    return unlike_dense(want.toarray(), host.toarray())


def index_dtype(x: Any) -> np.dtype:
    """The dtype of index arrays."""
    return {"coo": lambda: x.coords[0], "dia": lambda: x.offsets}.get(
        x.format, lambda: x.indices
    )().dtype


def text_of(program: Program) -> str:
    """A program in one line."""
    listed = [
        f"{name}={tuple(x)}" if isinstance(x, Operand) else f"{name}={x.dtype}{x.tolist()!s:.60}"
        for name, x in program.operands.items()
        if any(name in line for line in program.lines)
    ]
    return "; ".join((*program.lines, *listed))


def meant(program: Program, found: str) -> bool:
    """Whether a difference is one of those."""
    text = f"{text_of(program)}: {found}"
    known = KNOWN
    if "m" in program.operands:
        known = GRAPHS if any("gr." in line for line in program.lines) else SOLVERS
    return any(re.search(pattern, text) for pattern in known)


def main() -> None:
    """Run the programs of a range of seeds and print what differs."""
    first, stop = map(int, sys.argv[1:3])
    kinds = {"solvers": SolverDrawing, "graphs": GraphDrawing}
    drawing = kinds[sys.argv[3]] if len(sys.argv) > 3 else Drawing
    for seed in range(first, stop):
        program = drawing(seed).program()
        try:
            found = difference(program)
        except Exception as error:  # the operands could not be made, or the result not be read
            found = f"BROKEN {type(error).__name__}: {error}"
        if found and not meant(program, found):
            print(f"{seed}: {text_of(program)}\n    {found}", flush=True)


if __name__ == "__main__":
    main()
