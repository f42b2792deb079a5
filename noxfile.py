"""The checks of the project, in virtual environments of their own.

``nox`` runs all but the benchmarks; ``nox -s tests`` one of them. What follows ``--`` goes to the
tool: ``nox -s tests -- tests/array -k sum --backend=emulator``.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2024.10"
nox.options.sessions = ["tests", "slow", "lint", "types", "docs"]
nox.options.reuse_venv = "yes"

PROJECT = nox.project.load_toml("pyproject.toml")


def group(name: str) -> list[str]:
    """The requirements of a dependency group of pyproject.toml."""
    return nox.project.dependency_groups(PROJECT, name)


#: Protection against hangs only: a test that takes a second on an idle machine has half an hour on
#: a loaded one. The stacks of all threads are printed before a hung test ends with its process.
HANGS = ["--override-ini=faulthandler_timeout=1740", "--timeout=1800", "--timeout-method=thread"]


def run_tests(session: nox.Session, *arguments: str) -> None:
    """Install the package, and run pytest on it, as a user gets it."""
    session.install(".", *group("test"))
    run_pytest(session, *arguments)


def run_pytest(session: nox.Session, *arguments: str) -> None:
    """Run pytest on the package that is installed in the session's environment."""
    session.run(
        "pytest",
        "--override-ini=pythonpath=.",  # the installed package, not src/
        "--numprocesses=2",
        "--dist=worksteal",
        *HANGS,
        "--ignore=tests/docs",  # has a session of its own
        "--maxfail=50",  # a broken machine shows in fifty failures; the log stays readable
        *arguments,
        *session.posargs,
    )


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests but the slow ones."""
    run_tests(session, "-m", "not slow")


@nox.session(venv_backend="none")
def slow(session: nox.Session) -> None:
    """Run the tests that are marked slow, in the environment of `tests`."""
    # One of its own would take 2.6 GB once more. Of two options -m pytest takes the last.
    arguments = ("--session=tests", "--", "-m", "slow", *session.posargs)
    session.run(sys.executable, "-m", "nox", *arguments, external=True)


#: What records and runs operations, or tests functions that are made of several.
FUSED = [f"tests/{x}" for x in ("array", "fusion", "jit", "kernels", "linalg", "profiler")]


@nox.session
@nox.parametrize("mode", ["on", "immediate"])
def fused(session: nox.Session, mode: str) -> None:
    """Run the tests with every operation recorded: ``nox -s fused``, or ``"fused(mode='on')"``."""
    plugin = ("-p", "tests.clients.fused_everywhere", f"--fused={mode}")
    run_tests(session, *plugin, "-m", "not slow", *([] if session.posargs else FUSED))


#: What shows most faults of another Python or of another NumPy in a few minutes.
CORE = ["tests/ffi", "tests/compiler", "tests/commands", "tests/jit", "tests/array"]


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def pythons(session: nox.Session) -> None:
    """Run the core of the tests on each Python that is there: ``nox -s pythons-3.14``."""
    run_tests(session, "-m", "not slow", *([] if session.posargs else CORE))


@nox.session
def lowest(session: nox.Session) -> None:
    """Run the core of the tests with the lowest versions of the dependencies that are allowed."""
    session.install("uv")
    session.run(
        *("uv", "pip", "install", "--resolution=lowest-direct", ".", "--group=test"),
        f"--python={session.virtualenv.location}",
    )
    run_pytest(session, "-m", "not slow", *([] if session.posargs else CORE))


@nox.session
def package(session: nox.Session) -> None:
    """Build the sdist and the wheel, check them, and run a program with the installed wheel."""
    session.install(*group("package"))
    scratch = Path(session.create_tmp()).resolve()
    built = scratch / "dist"
    shutil.rmtree(built, ignore_errors=True)
    session.run("python", "-m", "build", f"--outdir={built}")
    (wheel,) = built.glob("*.whl")
    session.run("twine", "check", "--strict", *map(str, built.iterdir()))
    session.run("check-wheel-contents", str(wheel))
    # A user's environment, and a folder with nothing of the checkout in it.
    user, empty = scratch / "user", scratch / "empty"
    session.run("python", "-m", "venv", "--clear", str(user))
    python = str(user / "bin" / "python")
    session.run(python, "-m", "pip", "install", "--quiet", str(wheel), external=True)
    shutil.rmtree(empty, ignore_errors=True)
    empty.mkdir()
    program = str(Path("tests/installed/program.py").resolve())
    environment = {"GPUARRAY_BACKEND": "emulator", "GPUARRAY_CACHE_DIR": str(scratch / "kernels")}
    with session.chdir(empty):
        session.run(python, "-I", program, env=environment, external=True)
        session.run(python, "-I", "-m", "gpuarray", "demo", env=environment, external=True)
    assert not list(empty.iterdir()), "a program leaves nothing where it runs"


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting, and that the rooms import downwards only."""
    session.install(*group("lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    # import-linter reads the sources; the package need not be installed.
    session.run("lint-imports", "--no-cache", env={"PYTHONPATH": "src"})


@nox.session
def types(session: nox.Session) -> None:
    """Check the type annotations."""
    session.install(*group("types"), "numpy>=2.0", "cuda-pathfinder>=1.5")
    session.run("mypy", *session.posargs)


@nox.session
def changes(session: nox.Session) -> None:
    """Show what the fragments in changes/ will say in the list of changes."""
    session.install("towncrier>=24.8")
    session.run("towncrier", "build", "--draft", "--version=next", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Run the examples of the documentation and check its links and the docstrings."""
    session.install(*group("kernels"), *group("test"))
    session.run("pytest", "tests/docs", *HANGS, *session.posargs)


@nox.session
def site(session: nox.Session) -> None:
    """Build the documentation site: ``nox -s site``, then open ``docs/_build/index.html``."""
    session.install(*group("kernels"), *group("site"))
    session.run(
        *("sphinx-build", "--builder=html", "--jobs=auto", "--fail-on-warning", "--keep-going"),
        *("docs", "docs/_build", *session.posargs),
        env={"GPUARRAY_BACKEND": "emulator"},
    )


@nox.session
def browser(session: nox.Session) -> None:
    """Look at the built site in headless Chromium, the system's or playwright's own."""
    session.install("pytest>=8.4", "playwright>=1.50")
    session.run("pytest", "tests/site", "--confcutdir=tests/site", *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Compare random calls with NumPy's: ``nox -s fuzz -- --cases 100000 --seed 1 --jobs 8``."""
    session.install(".", *group("test"))
    session.run("python", "-m", "tests.fuzz", *(session.posargs or ["--cases=2000"]))


@nox.session
def conformance(session: nox.Session) -> None:
    """Run the test suite of the array API standard, of which $ARRAY_API_TESTS_DIR is a checkout."""
    checkout = Path(os.environ.get("ARRAY_API_TESTS_DIR", ""))
    if not (checkout / "array_api_tests").is_dir():
        session.error(
            "ARRAY_API_TESTS_DIR must be a checkout of github.com/data-apis/array-api-tests: "
            "git clone --recurse-submodules"
        )
    lists = Path("tests/conformance").resolve()
    session.install(".", *group("test"), "-r", str(checkout / "requirements.txt"))
    session.chdir(checkout)
    session.run(
        "pytest",
        "--numprocesses=2",
        "--disable-deadline",  # the first example compiles kernels
        "--override-ini=xfail_strict=true",
        f"--skips-file={lists / 'skips.txt'}",
        f"--xfails-file={lists / 'xfails.txt'}",
        *(session.posargs or ["array_api_tests"]),
        env={"ARRAY_API_TESTS_MODULE": "gpuarray"},
    )


@nox.session
def clients(session: nox.Session) -> None:
    """Test libraries that take arrays of the standard, and run the suites of two of them.

    Those of array-api-extra and array-api-compat are run from the checkouts that
    $ARRAY_API_EXTRA_DIR and $ARRAY_API_COMPAT_DIR name.
    """
    session.install(".", *group("test"), *group("clients"))
    session.run(
        "pytest", "--override-ini=pythonpath=.", *HANGS, *(session.posargs or ["tests/clients"])
    )
    plugins = Path("tests/clients").resolve()
    for variable, plugin, package, tests in (
        ("ARRAY_API_EXTRA_DIR", "array_api_extra_backend", "array_api_extra", "tests/main"),
        ("ARRAY_API_COMPAT_DIR", "array_api_compat_library", "array_api_compat", "tests"),
    ):
        checkout = Path(os.environ.get(variable, "")).resolve()
        if not (checkout / "src" / package).is_dir():
            session.log(f"{variable} is no checkout of {package}: its suite is not run")
            continue
        paths = os.pathsep.join(map(str, (checkout, checkout / "src", plugins)))
        with session.chdir(checkout):
            session.run("pytest", "-p", plugin, "-k", "gpuarray", tests, env={"PYTHONPATH": paths})


#: SciPy's tests of sparse arrays: those of construction, arithmetic, indexing and reductions.
SPARSE_TESTS = (
    "construct", "base", "csr", "csc", "coo", "extract", "matrix_io", "arithmetic1d", "common1d",
    "indexing1d", "minmax1d",
)  # fmt: skip


@nox.session
def scipy_sparse(session: nox.Session) -> None:
    """Run SciPy's own tests of sparse arrays on gpuarray's.

    docs/sparse.md says what fails, and why. It takes hours without a GPU; some of them:
    ``nox -s scipy_sparse -- scipy.sparse.tests.test_csr``.
    """
    session.install(".", *group("test"))
    modules = session.posargs or [f"scipy.sparse.tests.test_{name}" for name in SPARSE_TESTS]
    session.run(
        "pytest",
        *("-p", "tests.clients.scipy_sparse_library", "--override-ini=pythonpath=.", *HANGS),
        *("--numprocesses=2", "--tb=line", "-rf", "--pyargs", *modules),
        env={"PYTHONPATH": "."},  # where the plugin is found
    )


#: SciPy's tests of special functions; the others are of private functions, tables and Cython.
SPECIAL_TESTS = (
    "basic", "data", "bdtr", "boost_ufuncs", "boxcox", "cdflib", "cdft_asymptotic",
    "cephes_intp_cast", "digamma", "ellip_harm", "erfinv", "exponential_integrals", "faddeeva",
    "gamma", "gammainc", "hyp2f1", "hypergeometric", "kolmogorov", "lambertw", "legendre",
    "loggamma", "logit", "logsumexp", "mpmath", "nan_inputs", "ndtr", "ndtri_exp", "orthogonal",
    "orthogonal_eval", "owens_t", "pcf", "pdtr", "powm1", "sici", "specfun", "spence",
    "spfun_stats", "sph_harm", "spherical_bessel", "wright_bessel", "wrightomega", "zeta",
)  # fmt: skip


@nox.session
def scipy_special(session: nox.Session) -> None:
    """Run SciPy's own tests of special functions on gpuarray's.

    docs/special.md says what fails, and why. Some of them:
    ``nox -s scipy_special -- scipy.special.tests.test_basic``. Without a GPU a test has a minute.
    """
    session.install(".", *group("test"))
    modules = session.posargs or [f"scipy.special.tests.test_{name}" for name in SPECIAL_TESTS]
    session.run(
        "pytest",
        *("-p", "tests.clients.scipy_special_library", "--override-ini=pythonpath=."),
        "--override-ini=xfail_strict=false",  # what SciPy expects to fail may pass
        *("--timeout=60", "--timeout-method=signal"),
        *("--numprocesses=2", "--tb=line", "-rf", "--pyargs", *modules),
        env={"PYTHONPATH": "."},  # where the plugin is found
    )


#: NumPy's and SciPy's tests of random numbers and of Fourier transforms.
RANDOM_FFT_TESTS = (
    "numpy.random.tests.test_direct", "numpy.random.tests.test_generator_mt19937",
    "numpy.random.tests.test_generator_mt19937_regressions", "numpy.random.tests.test_random",
    "numpy.random.tests.test_randomstate", "numpy.random.tests.test_randomstate_regression",
    "numpy.random.tests.test_regression", "numpy.random.tests.test_seed_sequence",
    "numpy.random.tests.test_smoke", "numpy.fft.tests.test_pocketfft",
    "numpy.fft.tests.test_helper", "scipy.fft.tests.test_helper", "scipy.fft.tests.test_fftlog",
    "scipy.fft._pocketfft.tests.test_basic", "scipy.fft._pocketfft.tests.test_real_transforms",
    "scipy.fftpack.tests.test_basic",
)  # fmt: skip


@nox.session
def random_fft(session: nox.Session) -> None:
    """Run NumPy's and SciPy's own tests of random numbers and transforms on gpuarray's.

    docs/random.md and docs/fft.md say what fails, and why. Some of them:
    ``nox -s random_fft -- numpy.fft.tests.test_pocketfft``.
    """
    session.install(".", *group("test"))
    session.run(
        *("pytest", "-p", "tests.clients.random_fft_library", "--override-ini=pythonpath=."),
        *("--timeout=60", "--timeout-method=signal", "--numprocesses=2", "--tb=line", "-rf"),
        *("--pyargs", *(session.posargs or RANDOM_FFT_TESTS)),
        env={"PYTHONPATH": "."},  # where the plugin is found
    )


@nox.session
def bench(session: nox.Session) -> None:
    """Measure beside the peers that are installed: ``nox -s bench -- --list``."""
    session.install(".")
    session.run("python", "benchmarks/peers.py", *session.posargs)


@nox.session(venv_backend="none")
def dev(session: nox.Session) -> None:
    """Install the package in editable form, with every tool, into the current environment."""
    session.run("python", "-m", "pip", "install", "--editable", ".", *group("dev"))
