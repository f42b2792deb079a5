"""Arguments that mean nothing: every public function answers with an error of its own.

What comes from below (ctypes, dicts, iterators, codecs, attributes that an object lacks) says
nothing about the call. NumPy's own functions, which the namespace hands on, are not ours to mend.
"""

from __future__ import annotations

import inspect
import itertools
import re
import types
import warnings
import zlib

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import errors


class Nothing:
    """An object that is good for nothing."""


class BadIndex:
    def __index__(self):
        return "x"


class BadInterface:
    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


class BadAttributes:
    dtype, shape, ndim = "x", "y", None


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where functions that write files write them, since a text may be a file's name."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def x():
    return cp.arange(6.0).reshape(2, 3)


GARBAGE = {
    "object": Nothing(),
    "text": "x",
    "surrogate": "\udcff",
    "bytes": b"\xff",
    "dict": {"a": 1},
    "set": {1},
    "texts": ["a", None],
    "ragged": [[1], [1, 2]],
    "host text": np.array(["a"]),
    "host object": np.array([None]),
    "function": lambda *args: None,
    "type": Nothing,
    "module": np,
    "NotImplemented": NotImplemented,
    "bad index": BadIndex(),
    "no interface": BadInterface({}),
    "None as interface": BadInterface(None),
    "attributes": BadAttributes(),
    "date": np.datetime64("2020-01-01"),
    "long double": np.longdouble(1),
    "tuple": (None,),
    "None": None,
}

#: These may be meant for a parameter: what is right of them depends on it.
NUMBERS = {
    "-1": -1,
    "1.5": 1.5,
    "nan": float("nan"),
    "complex": 1j,
    "2**70": 2**70,
    "10**400": 10**400,
    "()": (),
    "[]": [],
    "ellipsis": ...,
    "slice": slice(None),
}

ALLOWED = (
    TypeError, ValueError, IndexError, OverflowError, BufferError, NotImplementedError,
    ZeroDivisionError, MemoryError, OSError, errors.CUDAError,
)  # fmt: skip


ILLEGAL_ADDRESS = 700


def from_below(error: BaseException) -> bool:
    """Whether an error is none of a function that says what is wrong with its arguments."""
    if isinstance(error, KeyError | UnicodeError) or type(error).__module__.endswith("ctypes"):
        return True
    if isinstance(error, AttributeError | RuntimeError) and re.match(r"\w+: ", str(error)):
        return False  # NumPy's type, with the name of the function
    if isinstance(error, errors.DriverError) and error.status == ILLEGAL_ADDRESS:
        return True
    return not isinstance(error, ALLOWED)


def parameters_of(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


#: Arguments that a parameter of the name takes, where others are given garbage.
GOOD = {
    **dict.fromkeys(["axis", "axis1", "axis2", "source", "destination", "k", "start"], 0),
    **dict.fromkeys(["n", "num", "N", "repeats", "indices_or_sections", "kth", "stop"], 2),
    "shape": (2, 3),
    "dtype": "f8",
    "q": 0.5,
    "shift": 1,
    "axes": None,
}


def good(name, x):
    if name in ("arrays", "tup", "seq", "sample"):
        return [x, x]
    if name in ("indices", "ind"):
        return cp.array([0, 1])
    if name in ("condition", "mask", "where"):
        return x > 2
    return GOOD.get(name, x)


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "every"])
def every(request):
    """How much a parameter gets: a third of all, or two that fall on it. All is used somewhere."""
    return request.param


def garbage(every):
    """What a parameter may get: many of the numbers are right somewhere, and something is computed."""
    return GARBAGE | NUMBERS if every else GARBAGE


def calls_of(name, function, garbage, x, every):
    """Calls with a piece of garbage in each place, and in all places together."""

    def chosen(parameter):
        items = list(garbage.items())
        start = zlib.crc32(f"{name} {parameter}".encode())
        if every:
            return items[start % 3 :: 3]
        return [items[(start + 7 * i) % len(items)] for i in range(2)]

    found = parameters_of(function)
    named = [p for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in named if p.default is p.empty]
    right = [good(p.name, x) for p in required]
    wanted = max(len(required), 1)
    for key, value in chosen("all"):
        yield f"{name}(all {key})", [value] * wanted, {}
    for i, p in enumerate(required):
        for key, value in chosen(p.name):
            yield f"{name}({p.name}={key})", [*right[:i], value, *right[i + 1 :]], {}
    for p in found:
        if p.default is not p.empty and p.kind is not p.POSITIONAL_ONLY:
            for key, value in chosen(p.name):
                if value is not None:
                    yield f"{name}(..., {p.name}={key})", right, {p.name: value}
        elif p.kind is p.VAR_POSITIONAL:
            for key, value in chosen(p.name):
                yield f"{name}(..., *{key})", [*right, value], {}
                yield f"{name}(x, {key})", [x, value], {}


def faults(calls, function):
    """The errors of calls that come from below."""
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for label, args, kwargs in calls:
            try:
                function(*args, **kwargs)
            except Exception as error:
                if from_below(error):
                    wrong.append(f"{label}: {type(error).__name__}: {error}")
    return wrong


def check(calls, function):
    wrong = faults(calls, function)
    assert not wrong, "\n".join(wrong)


def check_all(functions, garbage, x, every):
    """Check functions by name; a failure has the calls of all that are wrong."""
    wrong = []
    for name, function in functions.items():
        wrong += faults(calls_of(name, function, garbage, x, every), function)
    assert not wrong, "\n".join(wrong)


def initials(names):
    """The first letters of names: a case has all names with one."""
    return sorted({name.lstrip("_")[0] for name in names})


def public(module, skipped=()):
    """The functions of a module of ours, but for those that are NumPy's."""
    for name in sorted(dir(module)):
        value = getattr(module, name)
        module_name = getattr(value, "__module__", None) or ""
        if (
            not name.startswith("_")
            and name not in skipped
            and callable(value)
            and module_name.startswith("gpuarray")
            and not (isinstance(value, type) and issubclass(value, BaseException))
        ):
            yield name


FUNCTIONS = {name: getattr(cp, name) for name in [*public(cp, {"fuse"}), "fuse"]}


@pytest.mark.parametrize("initial", initials(FUNCTIONS))
def test_functions(initial, x, every):
    functions = {name: value for name, value in FUNCTIONS.items() if name.startswith(initial)}
    check_all(functions, garbage(every), x, every)


def test_functions_of_linalg(every):
    functions = {name: getattr(cp.linalg, name) for name in public(cp.linalg)}
    check_all(functions, garbage(every), cp.eye(3), every)


METHODS = [
    name
    for name in dir(cp.ndarray)
    if callable(getattr(cp.ndarray, name))
    and (name in cp.ndarray.__dict__ or not name.startswith("__"))
    and name not in ("__new__", "__init__", "__hash__", "__class__")
    and name not in ("__array_function__", "__array_ufunc__")  # which NumPy calls
]


@pytest.mark.parametrize("initial", initials(METHODS))
def test_methods(initial, x, every):
    for name in METHODS:
        if name.lstrip("_").startswith(initial):
            for array in (x.copy(), cp.array(1), cp.empty((0, 3))):
                check_all({name: getattr(array, name)}, garbage(every), x, every)


@pytest.mark.parametrize("attribute", ["shape", "real", "imag"])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_attributes(attribute, x):
    y = x.astype("c8")

    def assign(value):
        try:
            setattr(y, attribute, value)
        except AttributeError as error:
            if "incompatible shape" not in str(error):  # NumPy's way to say so
                raise

    values = (GARBAGE | NUMBERS).items()
    check([(f"{attribute} = {key}", [value], {}) for key, value in values], assign)
    with pytest.raises(KeyError, match="Unknown flag"):
        y.flags["\udcff"]


def test_indices(x, every):
    everything = GARBAGE | NUMBERS
    y = x.copy()
    pairs = itertools.product(everything.items(), repeat=2)
    keys = [(f"{a}, {b}", (v, w)) for number, ((a, v), (b, w)) in enumerate(pairs)
            if every or number % 9 == 0]  # fmt: skip
    keys += [(key, value) for key, value in everything.items()]
    check([(f"x[{key}]", [value], {}) for key, value in keys], y.__getitem__)
    check([(f"x[{key}] = 1", [value, 1], {}) for key, value in keys], y.__setitem__)
    for name, index in {"slice": slice(1), "mask": x > 2, "indices": cp.array([0, 1])}.items():
        check(
            [(f"x[{name}] = {key}", [index, value], {}) for key, value in everything.items()],
            y.__setitem__,
        )


#: What would end the device or change the allocator, what pools alone make (under two names), and
#: what is none of the module's functions.
SKIPPED = {
    "deviceReset", "set_allocator", "set_pinned_memory_allocator", "Allocation", "PooledMemory",
    "raise_runtime_errors", "without_annotations",
}  # fmt: skip


MODULES = (
    cp.cuda, cp.cuda.memory, cp.cuda.runtime, cp.cuda.compiler, cp.linalg, cp.scipy.linalg,
    cp.fft, cp.fft.config, cp.scipy.fft, cp.scipy.fftpack, cp.scipy.sparse, cp.cuda.cufft,
    cp.scipy.sparse.linalg, cp.scipy.sparse.csgraph,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_of_modules(module, x, every):
    functions = {name: getattr(module, name) for name in public(module, SKIPPED)}
    check_all(functions, GARBAGE, x, every)


OBJECTS = {
    "Stream": lambda: cp.cuda.Stream(),
    "Event": lambda: cp.cuda.Event(),
    "Device": lambda: cp.cuda.Device(),
    "MemoryPointer": lambda: cp.cuda.alloc(64),
    "MemoryPool": lambda: cp.cuda.MemoryPool(),
    "Generator": lambda: cp.random.default_rng(1),
    "PCG64": lambda: cp.random.PCG64(1),
    "PinnedMemoryPool": lambda: cp.cuda.PinnedMemoryPool(),
    "RawModule": lambda: cp.RawModule(code=RAW),
    "RawKernel": lambda: cp.RawKernel(RAW, "k"),
    "ufunc": lambda: cp.add,
}

RAW = 'extern "C" __global__ void k(float* x) {}'

#: Methods that end or begin something for the whole process; that report what a callback raises;
#: and one whose AttributeError is CuPy's.
NOT_CALLED = (
    "add_callback", "allocate", "arena", "begin_capture", "end_capture", "from_external",
    "launch_host_func", "reset", "use", "when_reset",
)  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
def test_methods_of_objects(name, x, every):
    made = OBJECTS[name]()
    for method in dir(made):
        if method.startswith("_") or method in NOT_CALLED:
            continue
        if isinstance(inspect.getattr_static(made, method), property):
            continue  # such as the handle of a library, which may not be installed
        function = getattr(made, method)
        if isinstance(function, types.MethodType) and function.__module__.startswith("gpuarray"):
            check(calls_of(f"{name}.{method}", function, GARBAGE, x, every), function)


def test_calls_of_kernels(x):
    raw = cp.RawKernel(RAW, "k")
    element = cp.ElementwiseKernel("T x, T y", "T z", "z = x", "garbage_element")
    reduction = cp.ReductionKernel("T x", "T z", "x", "a + b", "z = a", "0", "garbage_reduction")
    one = (1,)
    for key, value in GARBAGE.items():
        places = [(value, one, (x,)), (one, value, (x,)), (one, one, value), (one, one, (value,))]
        check([(f"RawKernel {key}", args, {}) for args in places], raw)
        for name in ("shared_mem", "stream", "cluster"):
            if value is not None:
                check([(f"RawKernel {name}={key}", (one, one, (x,)), {name: value})], raw)
        places = [(value, x), (x, value), (value, value), (x, x, value), (value,)]
        check([(f"ElementwiseKernel {key}", args, {}) for args in places], element)
        check([(f"ReductionKernel {key}", args, {}) for args in [(value,), (x, value)]], reduction)
        for name in ("size", "stream", "block_size"):
            check([(f"ElementwiseKernel {name}={key}", (x, x), {name: value})], element)
        for name in ("axis", "out", "keepdims", "stream"):
            check([(f"ReductionKernel {name}={key}", (x,), {name: value})], reduction)


def test_allocators_are_callable():
    with pytest.raises(TypeError, match="set_allocator"):
        cp.cuda.set_allocator(5)
    assert float(cp.ones(3).sum()) == 3


def test_numbers_are_no_open_files():
    """A path that is a number would be a file that is open, and closed."""
    for open_file in (lambda: cp.warmup(1), lambda: cp.RawModule(path=1)):
        with pytest.raises(TypeError):
            open_file()
    print(end="", flush=True)


def test_a_membership_test_of_what_is_no_number():
    x = cp.arange(6.0).reshape(2, 3)
    assert 2 in x
    for value in (None, "a", Nothing(), 7):
        assert value not in x


def test_differences_of_more_than_there_are(x):
    for n in (3, 2**70, 10**400):
        assert cp.diff(x, n=n).shape == (2, 0)
