"""Random programs of solvers of equations and eigenvalue problems, as text.

As in `programs`, ``sp``, ``la`` and ``xp`` are libraries; ``m`` is a dense matrix, ``x`` a vector.
"""

import numpy as np

from tests.sparse.programs import Drawing, Program


def matrix(kind: str, shape: tuple[int, int], dtype: str, seed: int) -> np.ndarray:
    """A dense matrix of a kind: ``dominant`` and ``definite`` are far from singular."""
    rng = np.random.default_rng(seed)
    found = rng.integers(-3, 4, shape) * (rng.random(shape) < 0.6)
    if np.dtype(dtype).kind == "c":
        found = found + 0.5j * rng.integers(-2, 3, shape)
    if kind == "spectrum":  # eigenvalues that lie apart, so that vectors are theirs
        found = found + rng.standard_normal(shape)
    if kind in ("definite", "spectrum", "indefinite"):
        found = found + found.conj().T
    rows = np.arange(min(shape))
    if kind in ("dominant", "definite", "nan", "inf"):
        found[rows, rows] = np.abs(found).sum(axis=1)[rows] + 1 + rows
    if kind == "zero":
        found = found * 0
    if kind == "singular":
        found[:1] = 0
    if kind == "turned":  # the first product is orthogonal to what it is of
        found = np.roll(np.eye(*shape), 1, axis=0).astype(found.dtype)
    found = found.astype(dtype)
    if kind in ("nan", "inf") and found.size and found.dtype.kind in "fc":
        found[-1, -1] = np.nan if kind == "nan" else np.inf
    return found


#: Values of an option that make sense, and others.
Values = tuple[tuple[str, ...], tuple[str, ...]]

FORMATS = ("csr", "csr", "csr", "csc", "csc", "coo", "bsr", "dia")
FLAGS: Values = (("True", "False"), ())


class SolverDrawing(Drawing):
    """Draws programs of one seed: at most one argument of each makes no sense."""

    def program(self) -> Program:
        """A program of any kind."""
        kinds = (
            *(self.iterative,) * 6, *(self.least,) * 2, *(self.direct,) * 4,
            *(self.eigenvalues,) * 3, *(self.blocks,) * 2, *(self.singular_values,) * 2,
        )  # fmt: skip
        return self.pick(*kinds)()

    def matrix(self, kind: str, shape: tuple[int, int], dtype: str | None = None) -> np.ndarray:
        """A dense matrix."""
        dtype = dtype or self.pick(*"ddddfDFi")
        return matrix(kind, shape, dtype, self.rng.randrange(1000))

    def form(self, sparse_only: bool = False) -> str:
        """What a matrix is given as."""
        name = f"sp.{self.pick(*FORMATS)}_{self.pick('array', 'matrix')}(m)"
        if sparse_only:
            return self.pick(*(name,) * 30, "m", "sp.csc_array(m[:, :1])")
        return self.pick(
            *(name,) * 16, *("m",) * 6, "la.aslinearoperator(m)", "m[:, :1]",
            "la.LinearOperator(m.shape, lambda v: m @ v, rmatvec=lambda v: m.conj().T @ v)",
        )  # fmt: skip

    def vector(self, n: int, dtype: str | None = None) -> np.ndarray:
        """A vector of a few numbers."""
        rng = np.random.default_rng(self.rng.randrange(1000))
        dtype = dtype or self.pick(*"dddfDi")
        found = rng.integers(-4, 5, n) + (0.5j if np.dtype(dtype).kind == "c" else 0)
        return found.astype(dtype)

    def odd_right(self) -> str:
        """A right-hand side of another kind."""
        return self.pick(
            "None", "'abc'", "x[:-1]", "x[None]", "xp.stack([x, x], 1)", "3", "[]", "x * 0",
            "x + 1j", "x.astype('i')", "x > 0", "x.astype('F')", "sp.coo_array(x[:, None])",
            "x * xp.nan", "x * xp.inf", "xp.zeros_like(x, dtype='i')", "[None] * len(x)",
            "['a'] * len(x)", "x.astype('f')", "xp.stack([x])[..., None]", "b'ab'",
        )  # fmt: skip

    def options(self, choices: dict[str, Values]) -> str:
        """One of the options with any value, or some with values that make sense."""
        names = sorted(choices)
        if self.pick(True, False):
            name = self.pick(*names)
            return f", {name}={self.pick(*choices[name][0], *choices[name][1])}"
        chosen = self.rng.sample(names, self.rng.randrange(min(3, len(names)) + 1))
        return "".join(f", {name}={self.pick(*choices[name][0])}" for name in chosen)

    def arguments(self, choices: dict[str, Values]) -> str:
        """A right-hand side and options."""
        if self.pick(True, True, False):
            return self.pick("x", "x", "x", "x[:, None]", "x.tolist()") + self.options(choices)
        return self.odd_right()

    def iterative(self) -> Program:
        """Iterations for equations."""
        name = self.pick(*("bicgstab", "cgs") * 3, "cg", "gmres", "minres")
        n = self.pick(0, 1, 2, 4, 5, 7)
        kinds = ("definite", "definite", "turned", "singular", "zero", "nan", "inf", "dominant")
        kind = self.pick(*kinds[:2], *kinds)
        if name == "cg":  # of other matrices the end is rounding
            kind = self.pick("definite", "definite", "zero", "nan")
        elif name != "minres":
            kind = self.pick("dominant", "dominant", "dominant", kind)
        choices: dict[str, Values] = {
            "x0": (
                ("x", "xp.ones(m.shape[0])", "'Mb'", "[1.0] * len(m)", "x.astype('i')", "x * 0",
                 "x[:, None]"),
                ("'abc'", "x * 1j", "x[:-1]", "0", "x[None]", "x.astype('F')", "x * xp.nan",
                 "xp.linalg.inv(m) @ x", "[None] * len(m)", "b'ab'"),
            ),
            "rtol": (("1e-12", "1e-2", "0", "1"), ("np.nan", "np.inf", "-1", "None", "'x'", "1j")),
            "maxiter": (("0", "1", "2", "3", "np.int32(2)"), ("-1", "1.5", "'x'", "True")),
            "M": (
                ("xp.linalg.inv(m)", "sp.csr_array(xp.diag(1 / xp.diag(m)))", "None",
                 "xp.eye(len(m)) * 0.5", "la.aslinearoperator(xp.diag(1 / xp.diag(m)))",
                 "la.LinearOperator(m.shape, lambda v: v / 2)"),
                ("'abc'", "3", "m[:1]", "m * 0", "m * xp.nan", "xp.eye(len(m)) * (1 + 1j)"),
            ),
            "callback": (("lambda v: h.append(xp.array(v))",), ("3",)),
        }  # fmt: skip
        if name == "minres":
            choices["shift"] = (("0.5", "-1"), ("None", "'x'", "np.nan"))
            choices["check"] = FLAGS
        else:
            choices["atol"] = (("0", "1", "1e3"), ("-1", "np.nan", "None", "'x'", "np.inf", "1j"))
        if name == "gmres":
            choices["restart"] = (("1", "2", "None", "50"), ("0", "-1", "1.5", "'x'"))
            choices["callback_type"] = (("'x'", "'pr_norm'", "'legacy'"), ("'abc'", "3"))
        call = f"la.{name}(a, {self.arguments(choices)})"
        lines = ("h = []", f"a = {self.form()}", f"r = {call}", "(r, len(h), h[:2])")
        # How a breakdown goes on is rounding in other dtypes.
        dtype = "d" if kind == "turned" else None
        operands = {"m": self.matrix(kind, (n, n), dtype), "x": self.vector(n, dtype)}
        return Program(operands, lines)

    def least(self) -> Program:
        """Least squares."""
        shape = self.pick((3, 3), (4, 2), (2, 4), (1, 1), (5, 3), (0, 0))
        name = self.pick("lsqr", "lsmr")
        kind = self.pick("dominant", "dominant", "dominant", "zero", "singular", "nan")
        odd = ("np.nan", "-1", "'x'", "None", "np.inf")
        numbers: Values = (("0", "1e-12", "0.5"), odd)
        choices: dict[str, Values] = {
            "damp": numbers, "atol": numbers, "btol": numbers, "conlim": (("1e3", "0"), odd),
            "iter_lim" if name == "lsqr" else "maxiter": (("1", "2", "100"), ("0", "-1", "'x'")),
            "x0": (("xp.ones(m.shape[1])",), ("x", "'abc'", "[1.0] * m.shape[1]", "x[:-1]")),
        }  # fmt: skip
        if name == "lsqr":
            choices["calc_var"] = FLAGS
        call = f"la.{name}(a, {self.arguments(choices)})"
        # SciPy's numbers are integers where it has not come to them.
        shown = "(r[0], [round(float(v), 4) for v in r[1:9]], r[9:])"
        operands = {"m": self.matrix(kind, shape), "x": self.vector(shape[0])}
        return Program(operands, (f"a = {self.form()}", f"r = {call}", shown))

    def direct(self) -> Program:
        """Factors and what is solved by them. SuperLU crashes for sizes of panels below 1."""
        n = self.pick(0, 1, 2, 3, 5)
        ordering: Values = (
            ("'NATURAL'", "'MMD_ATA'", "'COLAMD'", "None", "'natural'", "b'NATURAL'"),
            ("'abc'", "3", "-1", "1.5", "True", "[]", "'METIS_ATA'"),
        )
        integer: Values = (("1", "None"), ("'x'", "1.5", "[]"))
        choices: dict[str, Values] = {
            "permc_spec": ordering,
            "diag_pivot_thresh": (("0", "1", "None"), ("-1", "2", "'x'", "np.nan", "1j")),
            "relax": integer,
            "panel_size": integer,
            "options": (
                ("dict(SymmetricMode=True)", "None", "{}", "dict(Equil=False)"),
                ("dict(abc=1)", "3", "'x'", "dict(Equil='abc')", "dict(ColPerm='NATURAL')", "[]",
                 "dict(Trans='abc')", "dict(DiagPivotThresh=0.1)", "{1: 2}", "dict(abc=None)",
                 "dict(Equil=1)", "dict(ILU_Norm=3)", "dict(ILU_DropRule='BASIC')",
                 "[('Relax', 1)]", "dict(Fact='DOFACT')", "dict(ColPerm='x')"),
            ),
        }  # fmt: skip
        incomplete = choices | {
            "drop_tol": (("0", "0.5", "None"), ("'x'", "1j")),
            "fill_factor": (("1", "20", "None"), ("'x'", "[]")),
            "drop_rule": (
                ("'basic'", "'basic,area'", "None"),
                ("'abc'", "3", "['basic']", "'dynamic, INTERP'", "''", "[]", "['abc']"),
            ),
        }
        solving = {"permc_spec": ordering, "use_umfpack": FLAGS}
        flags: Values = (("True", "False", "None"), ())
        triangle = dict.fromkeys(("lower", "unit_diagonal", "overwrite_b", "overwrite_A"), flags)
        trans = self.pick("'T'", "'H'", "'x'", "None", "3")
        half = self.pick("tril(a, format='csr')", "triu(a, format='csc')")
        call = self.pick(
            f"la.spsolve(a, {self.arguments(solving)})",
            f"la.spsolve(a, {self.arguments(solving)})",
            f"la.splu(a{self.options(choices)}).solve(xp.ones(len(x), a.dtype))",
            f"la.splu(a).solve({self.odd_right()})",
            f"la.splu(a).solve(xp.ones(len(x), a.dtype), {trans})",
            f"la.spilu(a{self.options(incomplete)}).shape",
            f"la.spilu(a{self.options(incomplete)}).shape",
            f"la.factorized(a)({self.pick('x', 'x.tolist()', self.odd_right())})",
            f"la.spsolve_triangular(sp.tril(a, format='csr'), {self.arguments(triangle)})",
            f"la.spsolve_triangular(sp.{half}, {self.odd_right()}, lower={half[3] == 'l'})",
            "la.inv(a)",
        )
        kind = self.pick(*("dominant",) * 4, "singular", "zero", "turned", "nan")
        operands = {"m": self.matrix(kind, (n, n), self.pick(*"dddfDFi?")), "x": self.vector(n)}
        return Program(operands, (f"a = {self.form(True)}", f"r = {call}", "r"))

    def eigenvalues(self) -> Program:
        """Eigenvalues of symmetric matrices. SciPy's of complex ones are in no order."""
        n = self.pick(1, 2, 3, 5, 8, 12, 25, 25, 25)
        choices: dict[str, Values] = {
            "M": (("xp.diag(xp.arange(1.0, len(m) + 1))", "sp.csr_array(2 * xp.eye(len(m)))",
                   "None", "la.aslinearoperator(2 * xp.eye(len(m)))"), ("m[:1]", "'abc'")),
            "sigma": (("0.0", "1.3", "-2", "None"), ("'x'", "1j", "np.nan", "np.float32(0.5)")),
            "which": (("'LM'", "'LA'", "'SA'", "'BE'"), ("'SM'", "'LR'", "'x'", "None", "'sm'",
                                                        "3")),
            # Of another dtype or length SciPy reads what lies behind it.
            "v0": (("m[0] * 0 + 1.5", "m[0] * 0 + 0.25"), ("'abc'", "m[0] * xp.nan")),
            "ncv": (("len(m)", "20", "None"), ("4", "100", "0", "-1", "'x'")),
            "tol": (("1e-9", "0"), ("-1", "'x'")),
            "return_eigenvectors": FLAGS,
            "mode": (("'normal'", "'buckling'", "'cayley'"), ("'x'", "None")),
            "maxiter": (("1000", "None"), ("0", "-1", "'x'")),
            "Minv": (("None",), ("m", "xp.eye(len(m))")),
            "OPinv": (("None",), ("xp.linalg.inv(m)", "m")),
        }  # fmt: skip
        options, k = self.options(choices), self.pick("1", "2", "3", "3", "3", "6", "3", "3")
        if not options:
            k = self.pick("0", "-1", "len(m)", "len(m) - 1", "'x'", "None", "np.int64(2)")
        kind = self.pick("definite", "spectrum", "spectrum")
        shown = (
            "(xp.sort(r[0]), abs(r[1])[:, xp.argsort(r[0])]) if isinstance(r, tuple) "
            "else xp.sort(r)"
        )
        lines = (f"a = {self.form()}", f"r = la.eigsh(a, {k}{options})", shown)
        return Program({"m": self.matrix(kind, (n, n)), "x": self.vector(n)}, lines)

    def blocks(self) -> Program:
        """Eigenvalues by blocks. SciPy writes to those that it begins with."""
        n, size = self.pick(3, 6, 12, 20), self.pick(1, 1, 2, 3)
        choices: dict[str, Values] = {
            "B": (("xp.diag(xp.arange(1.0, len(m) + 1))", "2 * sp.eye_array(len(m), format='csr')",
                   "None", "lambda v: 2 * v"), ("m[:1]",)),
            "M": (("xp.eye(len(m)) / 2", "None", "lambda v: v"), ("m[:1]",)),
            "Y": (("xp.eye(len(m))[:, :1]", "xp.eye(len(m))[:, 1:3]", "None"),
                  ("xp.ones(len(m))", "'abc'", "xp.zeros((len(m), 1))", "xp.ones((2, 1))")),
            "tol": (("1e-4", "None", "1e-8"), ("-1", "'x'", "np.nan", "1e3")),
            "maxiter": (("200", "1", "None"), ("0", "-1", "'x'")),
            "largest": (("True", "False", "None"), ()),
            "retLambdaHistory": (("True",), ()),
        }  # fmt: skip
        options, start = self.options(choices), "y * 1"
        if "maxiter" not in options:  # steps differ by rounding until they have converged
            options += ", maxiter=300"
        if options == ", maxiter=300":
            start = self.pick("None", "'abc'", "y[:, 0]", "y[:-1] * 1", "y * 0", "y * xp.nan",
                              "y[:, :0]", "xp.ones((len(m), 2))")  # fmt: skip
        rng = np.random.default_rng(self.rng.randrange(1000))
        operands = {
            "m": self.matrix("spectrum", (n, n), self.pick(*"dddD")),
            "y": rng.standard_normal((n, size)),
        }
        call = f"la.lobpcg(a, {start}{options})"
        lines = (f"a = {self.form()}", f"r = {call}", "(r[0], abs(r[1]), len(r))")
        return Program(operands, lines)

    def singular_values(self) -> Program:
        """Singular values."""
        shape = self.pick((1, 1), (3, 3), (5, 4), (4, 6), (12, 9), (9, 12), (0, 3))
        choices: dict[str, Values] = {
            "ncv": (("None", "min(m.shape) - 1"), ("8", "100", "0", "3.5", "'x'")),
            "tol": (("1e-8", "0"), ("-1", "np.nan", "'x'", "None", "np.inf")),
            "which": (("'LM'", "'SM'"), ("'LA'", "'sm'", "3", "None")),
            "v0": (("None",), ("'abc'", "[1] * len(m)")),
            "maxiter": (("100", "None"), ("0", "1.5", "'x'", "-1")),
            "return_singular_vectors": (("True", "False", "'u'", "'vh'"), ("'x'", "None")),
            "solver": (("'arpack'", "'lobpcg'", "'propack'", "'PROPACK'"), ("'x'", "None", "3")),
            "rng": (("0", "np.random.default_rng(0)"), ("'x'", "-1")),
            "options": (("{}", "None"), ("dict(a=1)", "3")),
        }  # fmt: skip
        k, options = self.pick("1", "1", "2", "2", "2", "3"), self.options(choices)
        if not options:
            k = self.pick("0", "-1", "min(m.shape)", "1.5", "2.0", "'x'", "None")
        kind = "spectrum" if shape[0] == shape[1] else "dominant"
        shown = "[None if v is None else abs(v) for v in (r if isinstance(r, tuple) else (r,))]"
        operands = {"m": self.matrix(kind, shape), "x": self.vector(shape[0])}
        lines = (f"a = {self.form()}", f"r = la.svds(a, {k}{options})", shown)
        return Program(operands, lines)
