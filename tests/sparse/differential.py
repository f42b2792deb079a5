"""Random programs on sparse arrays that SciPy and the package both run.

``python -m tests.sparse.differential 0 500`` runs the programs of these seeds and prints what
differs.
"""

import re
import sys
import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import gpuarray as cp
from gpuarray.scipy import sparse
from gpuarray.scipy.sparse import linalg
from tests.sparse.programs import Drawing, Operand, Program, values


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
        want = run(program, operands, {"sp": scipy.sparse, "xp": np, "la": scipy.sparse.linalg})
        got = run(program, ours, {"sp": sparse, "xp": cp, "la": linalg})
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


#: Differences that are meant: a pattern of the program and what differs, each with its cause.
KNOWN = {
    r"dia_\w+' object has no attribute '(max|min|arg|nan)": "extremes of diagonals are there",
    r"object has no attribute '(H|mT)'": "so are transposes of matrices and of bsr",
    r"'\w+_(array|matrix)' object has no attribute '_swap'|setdiag: not of the format bsr": (
        "SciPy's bsr has no assignment to diagonals but where there is nothing to assign"
    ),
    r"count_nonzero\(axis=.*implemented for BSR": "blocks are counted along axes, as by SciPy 1.18",
    r"count_nonzero\(axis=.*tuple index out of range": "SciPy fails for one dimension",
    r"^sp.hstack\(\[\]\)": "SciPy raises IndexError by accident",
    r"^sp.find.*dtype int64, SciPy int32": "wide indices stay wide",
    r"^sp.(coo|csr)_array\(None\)": "SciPy stumbles over what is none",
    r"^list\(a\).*'(dia|bsr|coo)'": "all formats have rows to iterate over",
    r"^a.*= sp.csr_array.*more dimensions than allowed": "leading dimensions of one are dropped",
    r"^([ab] / [ab]|a /= b).*(inf|nan)": "SciPy's quotients of complex numbers and zero are NaN",
    r"^a.dot\(x\).*Scalar operands": "arrays without dimensions are numbers",
    r"^a \*\* 0; .*SciPy dia_array": "the identity has the format of the matrix",
    r"^sp.expand_dims.*SciPy coo_matrix": "SciPy makes a matrix of three dimensions",
    r"^sp.permute_dims.*operand a": "SciPy changes the operand",
    r"^a = sp.csc_\w+\(\(.*Got 1D": "SciPy makes csc of one dimension, which does nothing",
    r"^a.(maximum|minimum).*nan": "NaN stays",
    r"^la.minres.*has to be real": "minres takes real matrices",
    r"^la.minres.*dtype float32, SciPy float64": "minres keeps float32",
    r"^la.lsqr.*dimension mismatch": "SciPy does not look at the length",
    r"^la.inv.*(singular|SciPy ndarray|at least one array)": "SciPy fails up to one row",
    r"^la.(expm_multiply|onenormest).*max\(\) .* empty": "nothing has an exponential",
    r"^a \*\* \d; .*dtype complex64, SciPy float64": "SciPy's identity has its own dtype",
    r"^a.setdiag.*dtype \w+, SciPy (complex128|float64|int64)": "assignment keeps the dtype",
    r"^a.setdiag.*(operand a|BROKEN)": "SciPy changes what it refuses",
    r"^a.setdiag.*have one dimension": "SciPy looks at values only where there is an element",
    r"^a\[.*\] = .*'coo', .*\[\[\(": "of several values at one place the last one stays",
    r"^\w+(.T @ |.dot\(| @ )\w.*coo_array, SciPy csr_array": "as SciPy's but of what is empty",
    r"\(0, \d\).*csr_\w+, SciPy bsr_": "SciPy's blocks of nothing",
    r"^a % b|^b % a|^a // b": "SciPy makes an array of objects",
    r"^sp.kron\w*\(.*'\?', \(.*'repeated'": "SciPy does not add what is repeated",
    r"^a\[.*csr_array, SciPy coo_array": "SciPy's format depends on what is stored",
    r"^a\[.*csr_array, SciPy ndarray array\(\[\]": "SciPy's rows of none are dense",
    r"^a\[.*\] = .*more dimensions than allowed": "leading dimensions of one are dropped",
    r"^a\[.*accepts, .*cannot reshape array": "SciPy fails where slices go backwards",
    r"'(coo|csr)', 'array'.*\(\d,\), 'repeated'.*operand": "SciPy's conversion adds them twice",
    r"^sp.csr_matrix\(a\).*\(\d,\).*shape must have": "SciPy makes a matrix of one dimension",
    r"^[ab] [-+] [ab].*UFuncTypeError": "SciPy's diagonals have the dtype of the first operand",
    r"^a [-+] b.*'\?', \(\d, \d\), 'repeated'": "SciPy adds bools that are repeated as integers",
    r"(dtype='i'|astype\('[a-zA-Z]'\)).*'nan'": "what NaN becomes as an integer is the device's",
    r"^([ab] \* [ab]|a.multiply).*dtype \w+, SciPy (float|complex)": "SciPy adds up one element",
    r"^([ab] \* [ab]|a.multiply).*c\w\w_\w+, SciPy bsr_": "products of broadcast blocks are rows",
    r"^([ab] [*@] [ab]|a.multiply).*dia_\w+, SciPy csr_": "diagonals times a number stay so",
    r"^([ab] \* [ab]|a.multiply).*\(1, \d\), SciPy \(\d,\)": "shapes are broadcast as NumPy's",
    r"^a.getcol.*csr_matrix, SciPy bsr_matrix": "columns of blocks are rows",
    r"^a.count_nonzero\(axis.*dtype int64, SciPy int32": "SciPy's dtype depends on what is stored",
    r"dtype float16": "no sparse array is of float16",
    r"^la.inv.*csc_matrix, SciPy csc_array": "the inverse of a matrix is one",
    r"^(la.matrix_power|a @ b|a \*\* 2).*'dia'.*0.*SciPy float64": "SciPy's nothing is float64",
    r"^la.matrix_power.*'dia'.*nan": "SciPy multiplies what diagonals have beside the matrix",
    r"^(a.dot\(b\)|[ab](.T)? @ [ab]).*accepts, .*(unpack|constructor)": "SciPy fails by accident",
    r"^la.splu.*'nan'.*exactly singular": "SciPy's pivots that are NaN count as zeros",
    r"^la.expm_multiply.*'nan'": "a norm that is NaN has no end in SciPy, or another",
    r"^la.gmres.*(e\+1\d|\d{7}\.0)": "the matrix is singular",
    r"^la.cg\(.*\[nan, nan": "a matrix that is not definite: how it ends is rounding",
    r"^la.norm.*dtype (float32|int64|int32), SciPy float64": "SciPy 1.18: float64 for all",
    r"vector::_M_": "SciPy fails in C++",
}


def meant(program: Program, found: str) -> bool:
    """Whether a difference is one of those."""
    return any(re.search(pattern, f"{text_of(program)}: {found}") for pattern in KNOWN)


def main() -> None:
    """Run the programs of a range of seeds and print what differs."""
    first, stop = map(int, sys.argv[1:3])
    for seed in range(first, stop):
        program = Drawing(seed).program()
        try:
            found = difference(program)
        except Exception as error:  # the operands could not be made, or the result not be read
            found = f"BROKEN {type(error).__name__}: {error}"
        if found and not meant(program, found):
            print(f"{seed}: {text_of(program)}\n    {found}", flush=True)


if __name__ == "__main__":
    main()
