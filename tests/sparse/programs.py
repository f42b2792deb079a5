"""Random programs on sparse arrays, as text.

``sp`` is a library of sparse arrays, ``la`` its linear algebra, ``xp`` a library of dense arrays,
and ``a``, ``b``, ``x`` are operands.
"""

import random
from typing import Any, NamedTuple

import numpy as np

FORMATS = ("coo", "csr", "csc", "dia", "bsr")
DTYPES = ("?", "b", "B", "h", "H", "i", "I", "q", "Q", "f", "d", "F", "D")
SHAPES = (
    *((0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (4, 1), (3, 3), (4, 4), (4, 6), (6, 4), (5, 5)),
    *((3,), (0,), (1,), (6,)),
)


class Operand(NamedTuple):
    """What a sparse operand is made of."""

    format: str
    kind: str
    dtype: str
    shape: tuple[int, ...]
    order: str
    seed: int


class Program(NamedTuple):
    """Operands by their names, and statements; the last one has the result."""

    operands: dict[str, Any]
    lines: tuple[str, ...]


class Drawing:
    """Draws programs of one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def pick(self, *choices: Any) -> Any:
        """One of some choices."""
        return self.rng.choice(choices)

    def operand(self, shape: Any = None, **fixed: Any) -> Operand:
        """A sparse operand."""
        shape = shape if shape is not None else self.pick(*SHAPES)
        formats = FORMATS if len(shape) == 2 else ("coo", "csr")
        kind = self.pick("array", "array", "matrix") if len(shape) == 2 else "array"
        drawn = {
            "format": self.pick(*formats),
            "kind": kind,
            "dtype": self.pick(*DTYPES, "d", "d", "F"),
            "order": self.pick("sorted", "sorted", "unsorted", "repeated", "wide", "nan"),
            "seed": self.rng.randrange(1000),
        }
        return Operand(**(drawn | {"shape": shape} | fixed))

    def dense(self, shape: Any) -> np.ndarray:
        """A dense operand."""
        return values(self.rng.randrange(1000), shape, self.pick("?", "b", "i", "f", "d", "D"))

    def program(self) -> Program:
        """A program of any kind."""
        kinds = (
            *(self.unary, self.binary, self.reduction, self.getting, self.setting, self.changing),
            *(self.compressed, self.coordinates, self.diagonals, self.stacking, self.products),
            *(self.converting, self.making, self.systems),
        )
        return self.pick(*kinds)()

    def unary(self) -> Program:
        """Functions of elements, and attributes."""
        names = "sin tan arcsin sinh tanh sqrt expm1 log1p rint floor ceil trunc sign deg2rad"
        call = self.pick(
            *(f"a.{name}()" for name in names.split()),
            *("abs(a)", "-a", "+a", "a.conj()", "a.conjugate()", "a.real", "a.imag", "a.T"),
            *("a.power(2)", "a.power(0)", "a.power(0.5)", "a.power(-1)", "a ** 2", "a ** 3"),
            *("a.power(2, dtype='d')", "a.copy()", "a.transpose()", "a.transpose(axes=(1, 0))"),
            *("a.mT", "a.H", "a.nnz", "a.count_nonzero()", "a.getnnz(axis=0)", "a.nonzero()"),
            *("a.count_nonzero(axis=1)", "a.getnnz(axis=2)", "a.size", "a.ndim", "bool(a)"),
            *("round(a, 1)", "round(a)", "a.getformat()", "a.shape", "a.has_canonical_format"),
            *("a ** -1", "a ** 0", "a ** 1.5", "a ** b", "len(a)", "a.get_shape()", "a // 2"),
            *("a.maximum(0)", "a.minimum(0)", "a.maximum(-1)", "a.minimum(2)", "list(a)[-1]"),
        )
        return Program({"a": self.operand(), "b": self.operand()}, (call,))

    def scalar(self) -> str:
        """A number."""
        return self.pick(
            *("0", "2", "-1", "2.5", "1j", "True", "np.nan", "np.inf", "np.float32(1.5)", "300"),
            *("np.int8(3)", "np.array(2.0)", "None", "'x'", "[1, 2]"),
        )

    def binary(self) -> Program:
        """Arithmetic and comparisons."""
        a = self.operand()
        other = self.pick("sparse", "sparse", "sparse", "unlike", "dense", "scalar", "rows")
        operands: dict[str, Any] = {"a": a}
        right = "b"
        if other == "scalar":
            right = self.scalar()
        elif other == "dense":
            operands["b"] = self.dense(a.shape)
        elif other == "rows":
            shape = self.pick((1, a.shape[-1]), (a.shape[0], 1), (1, 1), a.shape[-1:])
            operands["b"] = self.operand(shape) if self.pick(0, 1) else self.dense(shape)
        else:
            operands["b"] = self.operand(a.shape if other == "sparse" else None)
        operator = self.pick(
            *("+", "-", "*", "/", "==", "!=", "<", ">", "<=", ">="), *("+", "-", "*"), "//", "%"
        )
        left, right = self.pick(("a", right), ("a", right), (right, "a"))
        method = self.pick("multiply", "maximum", "minimum")
        if self.pick(0, 0, 1) and left == "a":
            return Program(operands, (f"a.{method}({right})",))
        if self.pick(0, 0, 0, 1) and left == "a" and operator in "+-*/":
            return Program(operands, (f"a {operator}= {right}", "a"))
        return Program(operands, (f"{left} {operator} {right}",))

    def reduction(self) -> Program:
        """Sums and extremes."""
        name = self.pick(
            *("sum", "sum", "mean", "max", "min", "argmax", "argmin", "nanmax", "nanmin"),
            *("trace", "diagonal", "count_nonzero", "getnnz"),
        )
        axis = self.pick("", "axis=0", "axis=1", "axis=-1", "axis=2", "axis=(0, 1)", "axis=None")
        if name in ("trace", "diagonal"):
            axis = self.pick("", "k=1", "k=-1", "k=10", "k=-4")
        elif name in ("sum", "mean") and self.pick(0, 0, 1):
            axis += ", " * bool(axis) + self.pick("dtype='f'", "dtype='i'", "dtype='D'")
        elif name.startswith(("max", "min", "arg")) and self.pick(0, 0, 1):
            axis += ", " * bool(axis) + "explicit=True"
        return Program({"a": self.operand()}, (f"a.{name}({axis})",))

    def index(self, extent: int) -> str:
        """An index into one dimension."""
        e = max(extent, 1)
        draw = lambda: self.rng.randrange(-e, e)  # noqa: E731
        kind = self.pick(*("integer",) * 2, *("slice",) * 3, *("array",) * 2, "mask", "beyond")
        if kind == "integer":
            return str(draw())
        if kind == "slice":
            parts = [self.pick("", "", str(draw())) for _ in range(2)]
            step = self.pick(
                "", "", ":1", ":2", ":-1", ":-2", ":0" if self.pick(*range(9)) == 0 else ""
            )
            return ":".join(parts) + step
        if kind == "array":
            found = [draw() for _ in range(self.pick(0, 1, 2, 3, e))]
            return self.pick(f"np.array({found}, dtype=int)", str(found), f"xp.array({found}, 'i')")
        if kind == "mask":
            found = [self.pick(True, False) for _ in range(extent + self.pick(0, 0, 0, 0, 1))]
            return self.pick(f"np.array({found}, bool)", f"xp.array({found}, bool)", str(found))
        return self.pick(
            str(e), str(-e - 1), f"[0, {e}]", "1.5", "'a'", "None", "...", "[[0], [0]]", "10:20"
        )

    def subscript(self, shape: Any) -> str:
        """What is within the brackets."""
        kind = self.pick("full", "full", "full", "full", "one", "many", "grid", "sparse")
        if kind == "one":
            return self.index(shape[0])
        if kind == "many":
            return ", ".join(self.index(n) for n in (*shape, 2))
        if kind == "grid" and len(shape) == 2:
            rows = [[self.rng.randrange(max(n, 1))] for n in (shape[0],) * 2]
            return f"np.array({rows}), np.array([[0, {max(shape[1], 1) - 1}]])"
        if kind == "sparse":
            return "b"
        return ", ".join(self.index(n) for n in shape)

    def mask(self, shape: Any) -> Operand:
        """A sparse mask."""
        return self.operand(shape, dtype="?", order="sorted")

    def getting(self) -> Program:
        """Indexing."""
        a = self.operand()
        call = f"a[{self.subscript(a.shape)}]"
        if self.pick(*range(8)) == 0:
            call = self.pick("a.getrow(0)", "a.getcol(-1)", "a.getrow(7)", "a.getcol(1)")
        return Program({"a": a, "b": self.mask(a.shape)}, (call,))

    def setting(self) -> Program:
        """Assignment: what is assigned fits now and then."""
        a = self.operand()
        value = self.pick(
            *("1", "2.5", "0", "1j", "np.nan", "[1, 2]", "np.ones((2, 2))", "[[1], [2]]"),
            *("b", "x", "x", "None", "sp.csr_array([[1.0, 0.0]])"),
        )
        line = f"a[{self.subscript(a.shape)}] = {value}"
        operands = {"a": a, "b": self.mask(a.shape), "x": self.dense(a.shape[-1:])}
        return Program(operands, (line, "a"))

    def changing(self) -> Program:
        """What changes an array in place, or its shape."""
        a = self.operand()
        m, n = (1, *a.shape)[-2:]
        line = self.pick(
            *("a.sum_duplicates()", "a.sort_indices()", "a.eliminate_zeros()", "a.prune()"),
            *("a.setdiag(3)", "a.setdiag([1, 2])", "a.setdiag([1, 2, 3, 4], k=1)"),
            *("a.setdiag(2.5, k=-1)", "a.setdiag([], k=1)", "a.setdiag(1, k=9)"),
            *("a.resize(2, 3)", "a.resize((7, 2))", "a.resize(-1, 2)", "a.resize(3)"),
            *("a.data *= 2", "a.data[:1] = 0", "a.shape = (2, 3)", "a.setdiag([[1, 2]])"),
            *(f"a = a.reshape({n}, {m})", "a = a.reshape(-1)", "a = a.reshape((2, -1))"),
            *("a = a.reshape(4, 9)", f"a = a.reshape({n}, {m}, order='F')", "a.check_format()"),
            *("a = a.reshape((-1, -1))", f"a = a.reshape({m * n})", "a.sorted_indices()"),
        )
        return Program({"a": a}, (line, "a"))

    def numbers(self, length: int, low: int, high: int) -> str:
        """An index array, or nearly one."""
        found = [self.rng.randrange(low, max(high, low + 1)) for _ in range(length)]
        dtype = self.pick("'i'", "'q'", "'i'", "'q'", "'h'", "'B'", "'d'")
        return self.pick(f"xp.array({found}, {dtype})", f"np.array({found}, {dtype})", str(found))

    def options(self, shape: Any) -> str:
        """Further arguments of a constructor."""
        return self.pick(
            "", f", shape={shape}", f", shape={shape}", f", shape={shape}, dtype='f'",
            f", shape={shape}, copy=True", f", shape=({shape[0]},)", ", shape=(-1, 2)",
        )  # fmt: skip

    def constructed(self, name: str, arguments: str, shape: Any) -> Program:
        """A call of a class, whose result is checked."""
        kind = self.pick("array", "array", "matrix")
        call = f"a = sp.{name}_{kind}({arguments}{self.options(shape)})"
        check = "a.check_format(full_check=True)" if name in ("csr", "csc", "bsr") else "None"
        return Program({}, (call, check, "a"))

    def compressed(self) -> Program:
        """Three arrays, which fit now and then."""
        name = self.pick("csr", "csr", "csc", "bsr")
        m, n, count = self.rng.randrange(4), self.rng.randrange(1, 4), self.rng.randrange(5)
        pointers = sorted(self.rng.randrange(count + 1) for _ in range(m + 1))
        pointers[0], pointers[-1] = 0, count if m else 0
        count = pointers[-1]
        fault = self.pick(*("",) * 4, "high", "low", "pointers", "first", "last", "short", "deep")
        low, high = -2 * (fault == "low"), n + 2 * (fault == "high")
        if fault == "pointers":
            self.rng.shuffle(pointers)
        pointers[0] += fault == "first"
        pointers[-1] += 3 * (fault == "last")
        count -= fault == "short"
        indices = self.numbers(max(count, 0), low, high)
        dtype = self.pick("'q'", "'i'", "'i'", "'d'")
        pointed = f"{self.pick('np', 'xp')}.array({pointers}, {dtype})"
        if fault == "deep":
            indices = f"[{indices}]"
        size = pointers[-1] if fault not in ("last",) else pointers[-1] - 3
        block = f"({max(size, 0)}, 1, 2)" if name == "bsr" else f"({max(size, 0)},)"
        data = f"{self.pick('np', 'xp')}.ones({block}, '{self.pick(*DTYPES)}')"
        shape = (n, m) if name == "csc" else (m, 2 * n) if name == "bsr" else (m, n)
        return self.constructed(name, f"({data}, {indices}, {pointed})", shape)

    def coordinates(self) -> Program:
        """Values and their places, which fit now and then."""
        m, n, count = self.rng.randrange(4), self.rng.randrange(4), self.rng.randrange(5)
        low, over = self.pick(0, 0, 0, -1), self.pick(0, 0, 0, 2)
        rows = self.numbers(count, low, m + over)
        columns = self.numbers(count + self.pick(0, 0, 0, 1), 0, n)
        data = f"np.arange({count}, dtype='{self.pick(*DTYPES)}')"
        places = self.pick(f"({rows}, {columns})", f"({rows}, {columns})", f"({rows},)")
        name = self.pick("coo", "coo", "csr", "csc", "bsr", "dia")
        return self.constructed(name, f"({data}, {places})", (m, n))

    def diagonals(self) -> Program:
        """Diagonals, which fit now and then."""
        count, width = self.rng.randrange(4), self.rng.randrange(5)
        offsets = [self.rng.randrange(-3, 4) for _ in range(count + self.pick(0, 0, 0, 1))]
        data = f"np.ones(({count}, {width}), '{self.pick(*DTYPES)}')"
        offset = self.pick(f"{offsets}", f"np.array({offsets}, 'q')", f"xp.array({offsets}, 'i')")
        shape = (self.rng.randrange(1, 5), self.rng.randrange(1, 5))
        return self.constructed("dia", f"({data}, {offset})", shape)

    def stacking(self) -> Program:
        """Functions that make an array of others."""
        a = self.operand()
        like = (*a.shape[:-1], self.rng.randrange(4))
        b = self.operand(self.pick(a.shape, a.shape, a.shape, like, None))
        call = self.pick(
            *("sp.vstack([a, b])", "sp.hstack([a, b])", "sp.hstack([a, b], format='csr')"),
            *("sp.vstack([a, b], dtype='f')", "sp.block_array([[a, None], [None, b]])"),
            *("sp.bmat([[a, b]])", "sp.block_diag([a, b])", "sp.kron(a, b)", "sp.kronsum(a, b)"),
            *("sp.tril(a)", "sp.triu(a, k=1)", "sp.tril(a, k=-1, format='csc')", "sp.find(a)"),
            *(
                "sp.block_diag([a, 3, [[1, 2]]])",
                "sp.bmat([[None, a], [b, None]])",
                "sp.vstack([])",
            ),
            *("sp.kron(a, b, format='bsr')", "sp.block_array([[a, None]])", "sp.vstack([a, x])"),
            *("sp.bmat([a, b])", "sp.hstack([])", "sp.vstack([a])", "sp.block_array([[None]])"),
            *("sp.swapaxes(a, 0, 1)", "sp.expand_dims(a)", "sp.permute_dims(a, (1, 0))"),
        )
        return Program({"a": a, "b": b, "x": self.dense(a.shape)}, (call,))

    def products(self) -> Program:
        """Matrix products."""
        a = self.operand()
        n = a.shape[-1]
        b = self.operand(self.pick((n, 3), (n, 1), (n, n), (n,), None))
        shape = self.pick((n,), (n, 1), (n, 2), (2, n), (2, n, 3), (n + 1,), ())
        call = self.pick(
            *("a @ b", "a @ b", "a.dot(b)", "a @ x", "a @ x", "a.dot(x)", "x @ a", "a.T @ x"),
            *("a @ 2", "2 @ a", "a @ None", "b @ a", "a.T @ b", "a.dot(3)", "a @ [1, 2, 3]"),
        )
        return Program({"a": a, "b": b, "x": self.dense(shape)}, (call,))

    def converting(self) -> Program:
        """Other formats and dtypes."""
        call = self.pick(
            *(f"a.to{name}()" for name in FORMATS),
            *(f"sp.{name}_{self.pick('array', 'matrix')}(a)" for name in FORMATS),
            *(f"sp.{name}_array(a, dtype='{self.pick(*DTYPES)}')" for name in FORMATS),
            # SciPy does not look whether indices of csr and csc fit, and writes beyond memory.
            *(f"sp.{name}_array(a, shape=(2, 3))" for name in ("coo", "dia", "bsr")),
            *("a.toarray()", "a.toarray(order='F')", "a.todense()", "a.asformat('csc')"),
            *("a.asformat('abc')", "a.toarray(order='X')", "a.tobsr(blocksize=(2, 2))"),
            *("a.tobsr((3, 1))", "a.tobsr((1, 0))", "a.asfptype()", "a.toarray(out=x)"),
            *(f"a.astype('{self.pick(*DTYPES, 'e', 'U')}')", "a.astype('d', casting='no')"),
            *(f"sp.{name}_array(x)" for name in FORMATS),
            *(f"sp.{name}_matrix(x, copy=True)" for name in FORMATS),
        )
        a = self.operand()
        return Program({"a": a, "x": self.dense(a.shape)}, (call,))

    def making(self) -> Program:
        """Functions that make arrays of nothing else."""
        name, kind = self.pick(*FORMATS), self.pick("array", "matrix")
        m, n, k = self.rng.randrange(-1, 5), self.rng.randrange(5), self.rng.randrange(-4, 5)
        numbers = [self.rng.randrange(5) for _ in range(self.rng.randrange(5))]
        call = self.pick(
            *(f"sp.{name}_{kind}(({m}, {n}))", f"sp.{name}_{kind}(({m}, {n}), dtype='i')"),
            *(f"sp.{name}_{kind}(3)", f"sp.{name}_{kind}(({m},))", f"sp.{name}_{kind}(None)"),
            *(f"sp.{name}_{kind}([1, 2])", f"sp.{name}_{kind}([[1], [2.5]])"),
            *(f"sp.{name}_{kind}('abc')", f"sp.{name}_{kind}([])", f"sp.{name}_{kind}([[]])"),
            *(f"sp.eye({m}, {n}, {k})", f"sp.eye_array({m}, {n}, k={k})", f"sp.eye({n})"),
            *(f"sp.identity({n})", f"sp.diags({numbers})", f"sp.diags_array({numbers})"),
            *(f"sp.diags({numbers}, {k})", f"sp.diags([{numbers}, [1]], [0, {k}])"),
            *(f"sp.diags_array([{numbers}], offsets=[{k}], shape=({m}, {n}))",),
            *(f"sp.diags_array([{numbers}, {numbers}], offsets=[0, {k}], dtype='f')",),
            *(f"sp.spdiags([{numbers}], [{k}], {m}, {n})", f"sp.spdiags({numbers}, {k}, 3, 4)"),
            *(f"sp.coo_array(({m}, {n}, 2))", "sp.csr_array((2, 3, 4))", "sp.coo_array(())"),
            *(f"sp.random_array(({n}, 3), density=2)", f"sp.random({m}, 3, density=-1)"),
            *(
                f"sp.{self.pick('coo', 'dia')}_{kind}([[1.0, 2.0]], shape=(2, 2))",
                "sp.eye_array(3, format='abc')",
            ),
            *(f"sp.{name}_{kind}(np.ones((2, 2, 2)))", f"sp.{name}_{kind}(np.float16(2))"),
            *(f"sp.{name}_{kind}(np.ones((2, 2), 'e'))", f"sp.{name}_{kind}((1, 2, 3, 4))"),
        )
        return Program({}, (call,))

    def systems(self) -> Program:
        """Equations, singular ones too."""
        n = self.pick(0, 1, 3, 4)
        shape = self.pick((n, n), (n, n), (n, n), (3, 4))
        dtype = self.pick("d", "f", "D", "i", "d")
        a = self.operand(shape, dtype=dtype, format=self.pick("csr", "csc", *FORMATS))
        call = self.pick(
            *("la.spsolve(a, x)", "la.splu(a.tocsc()).solve(x)", "la.inv(a)", "la.norm(a, 1)"),
            *("la.norm(a)", "la.norm(a, axis=0)", "la.norm(a, 3)", "la.cg(a, x)", "la.norm(a, 2)"),
            *("la.gmres(a, x)", "la.spsolve_triangular(a.tocsr(), x)", "la.expm_multiply(a, x)"),
            *("la.spsolve(a, b)", "la.minres(a, x)", "la.matrix_power(a, 2)", "la.lsqr(a, x)[0]"),
            *("la.factorized(a)(x)", "la.matrix_power(a, -1)", "la.onenormest(a)"),
            *("la.spilu(a.tocsc()).shape", "la.norm(a, 'fro')", "la.norm(a, -1, axis=(0, 1))"),
            *("la.aslinearoperator(a) @ x", "la.svds(a, k=0)", "la.eigsh(a, k=0)"),
        )
        length = self.pick(n, n, n, n + 1)
        x = values(self.rng.randrange(1000), self.pick((length,), (length, 2)), dtype)
        return Program(
            {"a": a, "b": self.operand((n, 1), dtype=dtype, format="csc"), "x": x}, (call,)
        )


def values(seed: int, shape: Any, dtype: str) -> np.ndarray:
    """Small numbers of a dtype."""
    rng = np.random.default_rng(seed)
    found = rng.integers(0, 5, shape).astype(dtype)
    if np.dtype(dtype).kind in "fci":
        found = found * rng.choice([-1, 1], shape).astype(dtype)
    if np.dtype(dtype).kind == "c":
        found = found * dtype_of(dtype)(1 + 0.5j)
    return np.asarray(found, dtype)


def dtype_of(char: str) -> type:
    """The class of a dtype's scalars."""
    return np.dtype(char).type
