"""solve, inv, det, slogdet, tensorsolve and tensorinv; matrices of up to 32 rows have kernels."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._libraries.lu import is_batched
from gpuarray._runtime.current_stream import current
from gpuarray.errors import CaptureError
from tests.linalg.matrices import DTYPES, close, conditioned, eps, random, regular

#: One of each path: a kernel of our own, cuSOLVER, a loop of it, batched functions of cuBLAS.
SHAPES = [(3, 3), (33, 33), (2, 33, 33), (2, 3, 33, 33)]
#: Kernels of our own, and dtypes of them, have tests of their own.
CASES = [((3, 3), "f8"), ((33, 33), "f8"), *[(SHAPES[2], x) for x in ("f4", "c16")]]
CASES += [(SHAPES[3], x) for x in DTYPES]


@pytest.mark.parametrize("shape, dtype", CASES, ids=str)
def test_against_numpy(dtype, shape, rng):
    a = regular(rng, dtype, *shape)
    device = cp.asarray(a)
    close(cp.linalg.inv(device), np.linalg.inv(a))
    for b in (random(rng, dtype, shape[-1]), random(rng, dtype, *shape[:-1], 2)):
        close(cp.linalg.solve(device, cp.asarray(b)), np.linalg.solve(a, b))
    scaled = (a / shape[-1]).astype(dtype)
    close(cp.linalg.det(cp.asarray(scaled)), np.linalg.det(scaled))
    found, expected = cp.linalg.slogdet(device), np.linalg.slogdet(a)
    close(found.sign, expected.sign)
    close(found.logabsdet, expected.logabsdet)
    np.testing.assert_array_equal(device.get(), a)  # the operand is as it was


@pytest.mark.parametrize("condition", [1e1, 1e5, 1e10, 1e15])
@pytest.mark.parametrize("n", [5, 34])
def test_residuals_at_conditions(n, condition, rng):
    a = conditioned(rng, "f8", n, condition)
    b = random(rng, "f8", n, 3)
    x = cp.linalg.solve(cp.asarray(a), cp.asarray(b)).get()
    size = np.linalg.norm(a) * np.linalg.norm(x)
    assert np.linalg.norm(a @ x - b) <= 20 * n * eps("f8") * size
    inverse = cp.linalg.inv(cp.asarray(a)).get()
    size = np.linalg.norm(a) * np.linalg.norm(inverse)
    assert np.linalg.norm(a @ inverse - np.eye(n)) <= 20 * n * eps("f8") * size
    logarithm = cp.linalg.slogdet(cp.asarray(a)).logabsdet
    expected = np.log(np.logspace(0, -np.log10(condition), n)).sum()
    assert abs(float(logarithm) - expected) <= 100 * n * eps("f8") * condition


@pytest.mark.parametrize("n", [4, 33])
@pytest.mark.parametrize("dtype", ["?", "u1", "i8"])
def test_integers_are_doubles(dtype, n, rng):
    a = random(rng, dtype, n, n) | np.eye(n, dtype=dtype)
    a = np.triu(a) if dtype == "?" else a
    close(cp.linalg.inv(cp.asarray(a)), np.linalg.inv(a), 1e4)
    b = random(rng, "f4", n)
    close(cp.linalg.solve(cp.asarray(a), cp.asarray(b)), np.linalg.solve(a, b), 1e4)
    assert cp.linalg.det(cp.asarray(a)).dtype == "f8"


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (40, 1, 1), (3, 2, 2, 2)], ids=str)
def test_the_smallest_matrices(shape, rng):
    a, b = regular(rng, "c16", *shape), random(rng, "c16", shape[-1], 1)
    close(cp.linalg.inv(cp.asarray(a)), np.linalg.inv(a))
    close(cp.linalg.det(cp.asarray(a)), np.linalg.det(a))
    close(cp.linalg.solve(cp.asarray(a), cp.asarray(b)), np.linalg.solve(a, b))


def test_operands_of_two_dtypes(rng):
    a, b = regular(rng, "f4", 33, 33), random(rng, "c16", 33, 2)
    close(cp.linalg.solve(cp.asarray(a), cp.asarray(b)), np.linalg.solve(a, b))
    close(cp.linalg.solve(cp.asarray(a.astype("c8")), cp.asarray(b.real.copy())),
          np.linalg.solve(a.astype("c8"), b.real))  # fmt: skip


@pytest.mark.parametrize("n", [4, 33])
def test_right_hand_sides_broadcast(n, rng):
    for stack, right in [((), (3, n, 2)), ((2, 1), (4, n, 1)), ((4,), (n,)), ((1,), (2, n, 3)),
                         ((), (n, 0)), ((3,), (1, n, 1)), ((2, 2), (2, n, 2))]:  # fmt: skip
        a, b = regular(rng, "f8", *stack, n, n), random(rng, "f8", *right)
        close(cp.linalg.solve(cp.asarray(a), cp.asarray(b)), np.linalg.solve(a, b))


_VIEWS = {
    "transposed": lambda x: x.swapaxes(-1, -2),
    "reversed": lambda x: x[:, ::-1, ::-1],
    "every second": lambda x: x[::2],
    "axes exchanged": lambda x: x.transpose(1, 0, 2)[:, :5, :5],
}


@pytest.mark.parametrize("view", _VIEWS)
def test_views(view, rng):
    for n in (5, 33):
        x = regular(rng, "f8", 5, n, n)
        if view == "axes exchanged":
            x = regular(rng, "f8", n, n, n)
        a, device = _VIEWS[view](x), _VIEWS[view](cp.asarray(x))
        a, device = a + np.eye(a.shape[-1]) * 7, device + 7 * cp.eye(a.shape[-1])
        b = random(rng, "f8", 2, a.shape[-1]).T
        close(cp.linalg.inv(device), np.linalg.inv(a))
        close(cp.linalg.solve(device, cp.asarray(b.T).T), np.linalg.solve(a, b))


def test_layouts_without_copies_of_their_own(rng):
    x = regular(rng, "f8", 33, 33)
    device = cp.asarray(x)
    close(cp.linalg.inv(device.T), np.linalg.inv(x.T))
    close(cp.linalg.inv(device[::-1]), np.linalg.inv(x[::-1]))
    many = cp.broadcast_to(device, (5, 33, 33))
    close(cp.linalg.inv(many), np.linalg.inv(np.broadcast_to(x, (5, 33, 33))))
    b = cp.broadcast_to(cp.asarray(x[:, :1]), (33, 2))  # a stride of 0
    close(cp.linalg.solve(device, b), np.linalg.solve(x, b.get()))
    vector = cp.broadcast_to(cp.asarray(2.0), (33,))
    close(cp.linalg.solve(device, vector), np.linalg.solve(x, np.full(33, 2.0)))


@pytest.mark.parametrize("n", [3, 33])
def test_elements_at_any_address(n, rng):
    packed = np.zeros((n, n), np.dtype([("a", "u1"), ("b", "f8")]))
    packed["b"] = regular(rng, "f8", n, n)
    device = cp.asarray(packed)["b"]
    close(cp.linalg.inv(device), np.linalg.inv(packed["b"]))
    close(cp.linalg.solve(device, device[0]), np.linalg.solve(packed["b"], packed["b"][0]))


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3), (0, 40, 40)], ids=str)
def test_nothing(shape):
    a = np.ones(shape)
    device = cp.asarray(a)
    close(cp.linalg.inv(device), np.linalg.inv(a))
    close(cp.linalg.det(device), np.linalg.det(a))
    for found, expected in zip(cp.linalg.slogdet(device), np.linalg.slogdet(a), strict=True):
        close(found, expected)
    for b in (np.ones((shape[-1], 2)), np.ones(shape[-1])):
        close(cp.linalg.solve(device, cp.asarray(b)), np.linalg.solve(a, b))
    with cp.errstate(linalg="ignore"):
        close(cp.linalg.inv(device), np.linalg.inv(a))


@pytest.mark.parametrize("n", [3, 33])
def test_singular_matrices(n, rng):
    good = regular(rng, "f8", n, n)
    bad = good.copy()
    bad[:, 1] = 0
    stack = cp.asarray(np.stack([good, bad, good, good]))
    for a in (cp.asarray(bad), stack[:2], stack):
        for function in (cp.linalg.inv, lambda a: cp.linalg.solve(a, cp.ones(n))):
            with pytest.raises(np.linalg.LinAlgError, match="^Singular matrix$"):
                function(a)
            with cp.errstate(linalg="ignore"):
                found = function(a).get().reshape(a.size // n**2, -1)
            expected = [False, True, False, False] if a.ndim == 3 else [True]
            assert np.isnan(found).all(axis=1).tolist() == expected[: len(found)]
            assert np.isnan(found).any(axis=1).tolist() == expected[: len(found)]
    close(cp.linalg.det(stack), np.linalg.det(stack.get()))
    with np.errstate(divide="ignore"):
        sign, logarithm = cp.linalg.slogdet(stack)
    assert sign.tolist()[1] == 0
    assert logarithm.tolist()[1] == -np.inf


@pytest.mark.parametrize("n", [3, 33])
def test_one_singular_matrix_for_many_right_hand_sides(n):
    with cp.errstate(linalg="ignore"):
        found = cp.linalg.solve(cp.zeros((n, n)), cp.ones((2, n, 3)))
    assert found.shape == (2, n, 3)
    assert cp.isnan(found).all()


@pytest.mark.parametrize("n", [3, 33])
def test_nan_stays_nan(n, rng):
    a = regular(rng, "f8", n, n)
    a[1, 1] = np.nan
    with cp.errstate(linalg="ignore"):
        assert cp.isnan(cp.linalg.solve(cp.asarray(a), cp.ones(n))).all()
    assert cp.isnan(cp.linalg.det(cp.asarray(a)))
    assert cp.isnan(cp.linalg.slogdet(cp.asarray(a)).logabsdet)


def test_determinants_beyond_the_range_of_floats():
    large = cp.diag(cp.full(40, 1e300))
    assert cp.linalg.det(large) == np.inf
    sign, logarithm = cp.linalg.slogdet(-large)
    assert (float(sign), float(logarithm)) == (1, pytest.approx(40 * np.log(1e300)))
    small = cp.diag(cp.full(39, -1e-300))
    assert cp.linalg.det(small) == 0
    sign, logarithm = cp.linalg.slogdet(small)
    assert (float(sign), float(logarithm)) == (-1, pytest.approx(39 * np.log(1e-300)))
    # No product on the way is out of the range.
    assert float(cp.linalg.det(cp.diag(cp.asarray([1e300, 1e-300] * 20)))) == pytest.approx(1)


BAD = {
    "a vector": (lambda x: x.inv(np.ones(3)), np.linalg.LinAlgError, "at least two-dimensional"),
    "no square": (lambda x: x.inv(np.ones((2, 3))), np.linalg.LinAlgError, "must be square"),
    "no square, det": (
        lambda x: x.det(np.ones((4, 2, 3))), np.linalg.LinAlgError, "must be square",
    ),
    "no square, solve": (
        lambda x: x.solve(np.ones((2, 3)), np.ones(2)), np.linalg.LinAlgError, "must be square",
    ),
    "rows": (lambda x: x.solve(np.eye(3), np.ones((4, 2))), ValueError, "core dimension|it has"),
    "a number": (lambda x: x.solve(np.eye(3), np.ones(())), ValueError, "dimensions|it has"),
    "a shorter vector": (lambda x: x.solve(np.eye(3), np.ones(2)), ValueError, "dimension|it has"),
    "stacks": (
        lambda x: x.solve(np.ones((2, 3, 3)), np.ones((3, 3, 1))), ValueError, "broadcast",
    ),
    "half precision": (
        lambda x: x.inv(np.ones((3, 3), "f2")), TypeError, "float16 is unsupported in linalg",
    ),
    "times": (lambda x: x.inv(np.zeros((3, 3), "M8[s]")), TypeError, "linalg|inv"),
    "tensorsolve": (
        lambda x: x.tensorsolve(np.ones((2, 3, 4)), np.ones(2)), np.linalg.LinAlgError,
        "must satisfy the requirement",
    ),
    "tensorinv": (lambda x: x.tensorinv(np.ones((2, 2)), 0), ValueError, "Invalid ind argument"),
    "tensorinv of no square": (
        lambda x: x.tensorinv(np.ones((2, 3)), 1), np.linalg.LinAlgError, "square",
    ),
}  # fmt: skip


class _OnDevice:
    def __getattr__(self, name):
        function = getattr(cp.linalg, name)
        return lambda *args: function(
            *[cp.asarray(x) if isinstance(x, np.ndarray) else x for x in args]
        )


@pytest.mark.parametrize("case", BAD)
def test_errors_are_those_of_numpy(case):
    call, type_, match = BAD[case]
    for library in (np.linalg, _OnDevice()):
        with pytest.raises(type_, match=match):
            call(library)


@pytest.mark.parametrize("n", [3, 33])
def test_captures(n, rng):
    a, b = regular(rng, "f8", n, n), random(rng, "f8", n, 2)
    x, y = cp.asarray(a), cp.asarray(b)
    with cp.cuda.Stream(non_blocking=True) as stream:
        cp.linalg.det(cp.broadcast_to(x, (4, n, n)))  # cuBLAS has its handle
        stream.begin_capture()
        with pytest.raises(CaptureError, match="solve waits for the device"):
            cp.linalg.solve(x, y)
        with cp.errstate(linalg="ignore"):
            found = cp.linalg.solve(x, y)
            inverse = cp.linalg.inv(x)
        determinant = cp.linalg.det(x)
        graph = stream.end_capture()
        x *= 2
        graph.launch(stream)
        close(found, np.linalg.solve(2 * a, b))
        close(inverse, np.linalg.inv(2 * a))
        close(determinant, np.linalg.det(2 * a))


def test_the_functions_for_stacks():
    stream = current.stream
    assert is_batched(64, 100, stream)
    assert not is_batched(64, 1, stream)
    assert not is_batched(1024, 100, stream)


def test_tensors(rng):
    a = rng.standard_normal((2, 3, 6))
    b = rng.standard_normal((2, 3))
    close(cp.linalg.tensorsolve(cp.asarray(a), cp.asarray(b)), np.linalg.tensorsolve(a, b))
    a = rng.standard_normal((6, 2, 3))
    found = cp.linalg.tensorsolve(cp.asarray(a), cp.asarray(b), axes=(0,))
    close(found, np.linalg.tensorsolve(a, b, axes=(0,)))
    a = rng.standard_normal((4, 6, 8, 3))
    close(cp.linalg.tensorinv(cp.asarray(a)), np.linalg.tensorinv(a))
    a = rng.standard_normal((24, 8, 3))
    close(cp.linalg.tensorinv(cp.asarray(a), ind=1), np.linalg.tensorinv(a, ind=1))


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find(rng):
    one, many = [cp.asarray(regular(rng, "f8", *shape)) for shape in ((34, 34), (4, 34, 34))]
    with cp.cuda.check("races=lane", "uninit", "barriers"):
        for a in (one, many):
            cp.linalg.solve(a, cp.ones((34, 2)))
            cp.linalg.inv(a)
            cp.linalg.slogdet(a)
            cp.scipy.linalg.lu(a)
            cp.scipy.linalg.solve_triangular(a, cp.ones((34, 2)))
            cp.linalg.invh(a @ a.swapaxes(-1, -2))
