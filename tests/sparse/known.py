"""Differences of random programs that are meant, by patterns of the program and the difference."""

#: Differences that are meant: a pattern of the program and what differs, each with its cause.
KNOWN = {
    r"dia_\w+' object has no attribute '(max|min|arg|nan)": "extremes of diagonals are there",
    r"object has no attribute '(H|mT)'": "so are transposes of matrices and of bsr",
    r"'\w+_(array|matrix)' object has no attribute '_swap'": (
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
    r"^la.(expm_multiply|onenormest).*max\(\) (iterable |)arg(ument|) is( an)? empty": (
        "nothing has an exponential"
    ),
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
    r"^[ab] [-+] [ab].*'\?', (\(\d, \d\)|\(\d,\)), 'repeated'": (
        "SciPy adds bools that are repeated as integers"
    ),
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
    r"^la.expm_multiply.*'nan'": "a norm that is NaN has no end in SciPy, or another",
    r"^la.gmres.*(e\+1\d|\d{7}\.0)": "the matrix is singular",
    r"^la.cg\(.*(\[nan, nan|e\+1\d)": "a matrix that is not definite: how it ends is rounding",
    r"^la.norm.*dtype (float32|int64|int32), SciPy float64": (
        "SciPy 1.18 and later: float64 for all"
    ),
    r"vector::_M_": "SciPy fails in C++",
}

#: Those of solvers.
SOLVERS = {
    r"type not understood|unsupported operand type": "SciPy fails in what it does with them",
    r"la.minres.*dtype float32, SciPy float64": "minres keeps float32",
    r"preconditioner M gives complex": "SciPy fails, or takes the real parts",
    r"la.minres.*rtol=1j": "SciPy compares complex numbers only where it comes to it",
    r"la.lsqr.*dtype complex128, SciPy float64": "SciPy's dtype depends on where it ends",
    r"la.lobpcg.*Y=xp.eye": "SciPy's residuals along Y never become small",
    r"la.eigsh.*(M=.*dtype float64, SciPy float32|shape \(\d,\), SciPy)": (
        "M counts for the dtype; SciPy returns all values of small complex matrices"
    ),
    r"la.eigsh.*k and ncv are integers": "they are looked at first",
    r"la.minres.*has to be real": "minres takes real matrices",
    r"raises ValueError.*no array of numbers": "SciPy takes None for NaN, or fails elsewhere",
    r"la.ls(qr|mr).*(dimension mismatch|no array of numbers)": "SciPy does not look at lengths",
    r"la.lsmr.*accepts.*(same_kind|tuples)": "SciPy's sums are of float64",
    r"la.lsqr.*calc_var=True.*SciPy complex": "variances are real",
    r"la.ls(qr|mr).*rmatvec is not defined": "SciPy has not come to it where b is zero",
    r"(rtol|atol)=(0|-1|np.nan)\b.*, SciPy": "iterations without an end go on in rounding",
    r"eigsh: NaN or infinity|la.eigsh.*UFuncTypeError": "SciPy's results of NaN, and failures",
    r"SciPy raises (UnboundLocalError|SystemError|AttributeError)": "SciPy fails by accident",
    r"la.inv.*(singular|SciPy ndarray|at least one array)": "SciPy fails up to one row",
    r"la.inv.*csc_matrix, SciPy csc_array": "the inverse of a matrix is one",
    r"solve\(.*must be numpy.ndarray": "lists are right-hand sides as well",
    r"solve\(x \* xp.inf": "SuperLU skips zeros of the factors",
    r"la.factorized\(.*must be numpy.ndarray": "the same",
    r"la.(cgs?|bicgstab|gmres)\(.*(e\+1\d|\d{7}\.)": "the matrix is singular",
    r"la.spsolve_triangular.*lower=": "a matrix that is not triangular",
    r"la.eigsh.*(with complex matrix|k >= N - 1|k\+1<ncv)": (
        "complex matrices have what real ones have"
    ),
    r"la.eigsh.*cannot use scipy.linalg.eigh": "nor can SciPy, with other words",
    r"la.svds.*rng='x'": "SciPy looks at it first",
    r"la.spsolve_triangular.*x . xp.inf": "SuperLU skips zeros",
    r"la.svds.*k >= N - 1": "the same",
    r"la.eigsh.*v0 has|la.eigsh.*v0=.*broadcast": "SciPy looks at lengths in Fortran or not at all",
    r"la.eigsh.*accepts.*(infs or NaNs|vector is zero)": "NaN is computed with",
    r"la.eigsh.*known by its products": "SciPy solves by gmres",
    r"la.lobpcg.*the shape .* should be": "SciPy's dense solver of small problems looks at less",
    r"atol='x'": "a text is no number, whatever SciPy makes of it",
    r"la.lobpcg.*(does not support constraints|mismatch in its core)": "small problems with Y",
    r"la.svds.*accepts.*No convergence": "ours converges",
    r"spilu.*(singular|at least [01])": "SuperLU replaces pivots, and takes other numbers",
}

#: Those of graphs.
GRAPHS = {
    r"SciPy raises (AttributeError|OverflowError)": "SciPy fails by accident",
    r"must be lil, csr, or csc": "all formats are graphs",
    r"sp.csc_.*gr.breadth_first.*directed=False": "SciPy takes the columns of csc first",
    r"no vertex of a graph": "SciPy begins outside of the graph",
    r"indices are integers|i_start is an integer": "SciPy truncates numbers",
    r"gr.reconstruct_path.*instances of": "lists are predecessors as well",
    r"directed='x'": "flags are true or false",
    r"have as many predecessors": "SciPy 1.18 takes fewer",
    r"gr.csgraph_to_dense.*nan": "NaN stays",
}
