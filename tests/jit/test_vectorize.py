"""vectorize: NumPy's is the oracle, with elements of the arrays' dtypes."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import HostArrayError
from tests.array.arrays import LAYOUTS, pair, same
from tests.slow import slow_except


def relu(x, slope=0):
    """Rectified."""
    if x > 0:
        return x
    return x * slope


def collatz(n):
    count = 0
    while n > 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        count += 1
    return count


@pytest.mark.parametrize(
    ("dtype", "layout"),
    [
        *[("f4", layout) for layout in LAYOUTS],
        ("i1", "contiguous"),
        ("u2", "transposed"),
        ("i8", "contiguous"),
        ("f2", "negative-stride"),
    ],
)
def test_layouts(dtype, layout):
    host, device = pair(layout, dtype)
    same(cp.vectorize(relu)(device), np.where(host > 0, host, host * 0))
    same(cp.vectorize(lambda a, b: a * 2 + b)(device, device), host * 2 + host)


@pytest.mark.parametrize(
    "dtype", slow_except(["?", "i8", "f4", "c16"], ["?", "u1", "i8", "f2", "f4", "c16"])
)
def test_dtypes(dtype):
    x = (np.arange(40) % 5).astype(dtype)
    same(cp.vectorize(lambda a, b: a == b)(cp.asarray(x), cp.asarray(x[::-1].copy())), x == x[::-1])
    same(cp.vectorize(lambda a: a + 1)(cp.asarray(x)), x + 1)
    same(cp.vectorize(lambda a: (a, a))(cp.asarray(x))[1], x)


def test_broadcasting_and_numbers():
    f = cp.vectorize(lambda a, b: a - 2 * b)
    x = np.arange(12.0).reshape(3, 4)
    for a, b in (
        (x, x[0]),
        (x[:, :1], x[0]),
        (x, 2),
        (x, 2.5),
        (3, x),
        (x, np.float32(2)),
        (1, 2),
        (1, 2.5),
    ):
        wanted = np.asarray(a - 2 * b) if not isinstance(b, np.float32) else a - 2 * b
        given = [cp.asarray(y) if isinstance(y, np.ndarray) else y for y in (a, b)]
        for _ in range(2):
            same(f(*given), wanted)
    same(f(cp.ones(3, "f"), 2.5), np.ones(3, "f") - 5)
    same(f(cp.ones(3, "i4"), np.int8(2)), np.full(3, -3, "i4"))
    same(f(cp.ones((0, 3)), 1), np.ones((0, 3)))


def test_loops():
    x = np.arange(1, 200)
    same(cp.vectorize(collatz)(cp.asarray(x)), np.vectorize(collatz)(x))


@pytest.mark.emulator
@pytest.mark.parametrize("function", [collatz, lambda n: n // 2 + 1])
def test_nothing_is_found_by_the_checkers(function):
    host = np.arange(1, 601).reshape(20, 30)
    with cp.cuda.check():
        x = cp.asarray(host)
        for view in (lambda a: a, lambda a: a.T, lambda a: a[1:, 3:], lambda a: a[::-1, ::2]):
            same(cp.vectorize(function)(view(x)), np.vectorize(function)(view(host)))


def test_rounding_is_numpys():
    """A product that is added is rounded in between."""
    rng = np.random.default_rng(1)
    a, b, c = [rng.standard_normal(1000).astype("f") for _ in range(3)]
    found = cp.vectorize(lambda a, b, c: a * b + c)(cp.asarray(a), cp.asarray(b), cp.asarray(c))
    same(found, a * b + c)


def test_arguments_by_name():
    f = cp.vectorize(relu)
    x = np.array([-2.0, 3.0])
    for _ in range(2):
        same(f(cp.asarray(x)), relu_all(x, 0))
        same(f(cp.asarray(x), slope=0.5), relu_all(x, 0.5))
        same(f(slope=0.25, x=cp.asarray(x)), relu_all(x, 0.25))
        same(f(cp.asarray(x), 2), relu_all(x, 2))
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        f()
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        f(cp.asarray(x), y=3)


def relu_all(x, slope):
    return np.where(x > 0, x, x * slope)


def test_otypes():
    x = np.arange(4.0)
    same(cp.vectorize(lambda a: a / 2, otypes="i")(cp.asarray(x)), (x / 2).astype("i"))
    same(
        cp.vectorize(lambda a: (a, a > 1), otypes=[np.float32, "i8"])(cp.asarray(x))[1],
        (x > 1).astype("i8"),
    )
    same(cp.vectorize(lambda a: a, otypes="D")(cp.asarray(x)), x.astype("D"))
    same(cp.vectorize(lambda a: a, otypes=["f2"])(cp.asarray(x)), x.astype("f2"))
    with pytest.raises(ValueError, match="Invalid otype specified"):
        cp.vectorize(relu, otypes="~")
    with pytest.raises(ValueError, match="Invalid otype specification"):
        cp.vectorize(relu, otypes=3)
    with pytest.raises(ValueError, match="otypes has 2 dtypes, but relu returns 1"):
        cp.vectorize(relu, otypes="ff")(cp.asarray(x))


def test_documentation_and_decorators():
    assert cp.vectorize(relu).__doc__ == "Rectified."
    assert cp.vectorize(relu, doc="Mine.").__doc__ == "Mine."
    assert cp.vectorize(relu).__name__ == "relu"
    assert repr(cp.vectorize(relu)) == "<vectorized relu(x, slope=0)>"

    @cp.vectorize(otypes="f", cache=True)
    def half(x):
        return x / 2

    same(half(cp.arange(3)), np.arange(3, dtype="f") / 2)


def test_excluded():
    def polynomial(p, x):
        total = 0
        for k in range(3):
            total = total * x + weight(p, k)
        return total

    import gpuarray.jit as jit

    @jit.rawkernel(device=True)
    def weight(p, k):
        return p[0] if k == 0 else p[1] if k == 1 else p[2]

    f = cp.vectorize(polynomial, excluded={"p"})
    x = np.arange(4.0)
    for p in ((1, 2, 3), (2.5, 0, 1), (1, 2, 3)):
        same(f(p, cp.asarray(x)), np.polyval(p, x))
        same(f(p, x=cp.asarray(x)), np.polyval(p, x))
    g = cp.vectorize(lambda x, n: x**n, excluded=[1])
    same(g(cp.asarray(x), 3), x**3)
    with pytest.raises(NotImplementedError, match="excluded argument n is a ndarray"):
        g(cp.asarray(x), cp.asarray(x))
    with pytest.raises(TypeError, match="excluded has names and positions, not 1.5"):
        cp.vectorize(relu, excluded=[1.5])


def test_refusals():
    x = cp.arange(3.0)
    with pytest.raises(HostArrayError):
        cp.vectorize(relu)(np.arange(3.0))
    with pytest.raises(TypeError, match="not callable"):
        cp.vectorize(3)
    with pytest.raises(TypeError, match="returns nothing, but has to return a number"):
        cp.vectorize(lambda x: None)(x)
    with pytest.raises(TypeError, match="np.sin|a ufunc; kernels are translated from functions"):
        cp.vectorize(np.sin)(x)
    with pytest.raises(ValueError, match=r"could not be broadcast|shape mismatch"):
        cp.vectorize(lambda x, y: x + y)(x, cp.arange(4))

    def threads(x):
        return cp.jit.syncthreads()

    with pytest.raises(TypeError, match="jit.syncthreads is for threads, but vectorize applies"):
        cp.vectorize(threads)(x)

    def place(x):
        return cp.jit.threadIdx.x

    with pytest.raises(TypeError, match="jit.threadIdx is for threads"):
        cp.vectorize(place)(x)


@pytest.mark.parametrize("dtype, value", [("u1", -1), ("u1", 300), ("i4", 2**40), ("i8", 10**400)])
def test_python_integers_that_do_not_fit(dtype, value):
    multiply = cp.vectorize(lambda x, n: x * n)
    x = cp.ones(3, dtype)
    for _ in range(2):
        assert multiply(x, 2).tolist() == [2, 2, 2]
        with pytest.raises(OverflowError, match=f"{np.dtype(dtype).name} x1"):
            multiply(x, value)


@pytest.mark.parametrize(
    ("signature", "function", "shapes"),
    [
        ("(n)->()", lambda x: x.sum(), [(3, 4)]),
        ("(n),(n)->(n)", lambda x, y: x[::-1] * y, [(2, 1, 4), (3, 4)]),
        ("(m,n),(n)->(m)", lambda a, v: (a * v).sum(axis=1), [(2, 3, 4), (4,)]),
        ("(n)->(n,k)", lambda x: x.reshape(-1, 1) + x[:2], [(2, 3)]),
        ("(n)->(),()", lambda x: (x.min(), x.max()), [(2, 3, 4)]),
        (" ( n ) , () -> ( n ) ", lambda x, y: x - y, [(2, 3), (4, 1)]),
        ("(n)->()", lambda x: x.sum(), [(4,)]),
    ],
)
def test_core_dimensions(signature, function, shapes):
    arrays = [
        np.random.default_rng(i).integers(-9, 9, shape) * 0.5 for i, shape in enumerate(shapes)
    ]
    expected = np.vectorize(function, signature=signature)(*arrays)
    found = cp.vectorize(function, signature=signature)(*[cp.asarray(x) for x in arrays])
    if not isinstance(expected, tuple):
        expected, found = (expected,), (found,)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        same(one, other)


def test_core_dimensions_with_keywords_numbers_and_otypes():
    x = np.arange(6.0).reshape(2, 3)
    ours, theirs = (
        module.vectorize(
            lambda a, scale, shift=0.0, *, power: (a.sum() * scale + shift) ** power,
            signature="(n),(),()->()",
            excluded={"power", 1},
            otypes="f",
        )
        for module in (cp, np)
    )
    shifts = np.array([[1.0], [2.0]])
    with pytest.raises(TypeError, match="takes 3 arrays, and 2 were given"):
        ours(cp.asarray(x), 2, shift=cp.asarray(shifts), power=2)
    ours, theirs = (
        module.vectorize(
            lambda a, scale, shift=0.0, *, power: (a.sum() * scale + shift) ** power,
            signature="(n),()->()",
            excluded={"power", 1},
            otypes="f",
        )
        for module in (cp, np)
    )
    same(
        ours(cp.asarray(x), 2, shift=cp.asarray(shifts), power=2),
        theirs(x, 2, shift=shifts, power=2),
    )
    same(ours(cp.asarray(x), 2, shift=1.5, power=1), theirs(x, 2, shift=1.5, power=1))


def test_core_dimensions_without_elements():
    ours = cp.vectorize(lambda x: x, signature="(n)->(n)", otypes="f")
    theirs = np.vectorize(lambda x: x, signature="(n)->(n)", otypes="f")
    same(ours(cp.ones((0, 3))), theirs(np.ones((0, 3))))
    with pytest.raises(ValueError, match="give otypes"):
        cp.vectorize(lambda x: x, signature="(n)->(n)")(cp.ones((0, 3)))
    with pytest.raises(ValueError, match="the core dimension k of its output has no size"):
        cp.vectorize(lambda x: x, signature="(n)->(k)", otypes="f")(cp.ones((0, 3)))


@pytest.mark.parametrize("signature", ["n->()", "(n)", "(n)->", "(n),->()", "(n m)->()", ""])
def test_signatures_that_are_none(signature):
    with pytest.raises(ValueError):
        np.vectorize(relu, signature=signature)(np.ones(3))
    with pytest.raises(ValueError, match="is not of the form"):
        cp.vectorize(relu, signature=signature)


def test_core_dimensions_that_do_not_fit():
    dot = cp.vectorize(lambda x, y: (x * y).sum(), signature="(n),(n)->()")
    with pytest.raises(ValueError, match="the core dimension n of argument 1 .* is 4, but 3"):
        dot(cp.ones(3), cp.ones(4))
    with pytest.raises(ValueError, match="argument 0 .* has 0 dimensions"):
        dot(cp.ones(()), cp.ones(4))
    with pytest.raises(ValueError, match="broadcast|shape mismatch"):
        dot(cp.ones((2, 4)), cp.ones((3, 4)))
    with pytest.raises(ValueError, match="returned 2 values, and the signature has 1"):
        cp.vectorize(lambda x: (x, x), signature="(n)->()")(cp.ones(3))
    with pytest.raises(ValueError, match="returned 1 dimensions as output 0"):
        cp.vectorize(lambda x: x, signature="(n)->()")(cp.ones(3))
    with pytest.raises(ValueError, match="otypes has 2 dtypes"):
        cp.vectorize(lambda x: x, signature="(n)->()", otypes="ff")(cp.ones(3))
    with pytest.raises(HostArrayError):
        dot(np.ones(3), cp.ones(3))
    with pytest.raises(TypeError, match="is no string"):
        cp.vectorize(relu, signature=3)
