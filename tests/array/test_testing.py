"""`gpuarray.testing`: assertions and decorators pass where they should, and fail where they should."""

from __future__ import annotations

import inspect
import random
import unittest
import warnings

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import testing
from tests.faults.programs import run

X = np.arange(6.0).reshape(2, 3)

#: An assertion, arguments that pass, and arguments that fail.
ASSERTIONS = {
    "assert_": ((True,), (False, "no")),
    "assert_allclose": ((X, X + 1e-9, 1e-7, 1e-8), (X, X + 1e-5)),
    "assert_almost_equal": ((X, X + 1e-9), (X, X + 1)),
    "assert_approx_equal": ((X[0, 1], X[0, 1] + 1e-9), (X[0, 1], X[0, 1] + 1)),
    "assert_array_almost_equal": ((X, X + 1e-9), (X, X + 1)),
    "assert_array_almost_equal_nulp": ((X, np.nextafter(X, 9)), (X, X + 1e-9)),
    "assert_array_compare": ((np.less, X, X + 1), (np.less, X, X)),
    "assert_array_equal": ((X, X), (X, X + 1e-15)),
    "assert_array_less": ((X, X + 1), (X, X)),
    "assert_array_list_equal": (([X, X], [X, X]), ([X], [X, X])),
    "assert_array_max_ulp": ((X, np.nextafter(X, 9)), (X, X + 1e-9)),
    "assert_equal": (([X, {"a": X}], [X, {"a": X}]), ({"a": X}, {"a": X + 1})),
    "assert_string_equal": (("a", "a"), ("a", "b")),
}


def _on_device(x):
    if isinstance(x, np.ndarray | np.generic):
        return cp.asarray(x)
    if isinstance(x, list):
        return [_on_device(item) for item in x]
    return {k: _on_device(item) for k, item in x.items()} if isinstance(x, dict) else x


@pytest.mark.parametrize("where", ["host", "device", "first", "second"])
@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions(name, where):
    function = getattr(testing, name)
    passing, failing = ASSERTIONS[name]

    def placed(arguments):
        moved = [_on_device(x) for x in arguments]
        if where == "host":
            return arguments
        if where == "first":
            return (*moved[:-1], arguments[-1])
        return moved if where == "device" else (*arguments[:-1], moved[-1])

    function(*placed(passing))
    with pytest.raises(AssertionError):
        function(*placed(failing))


def test_every_name_of_numpy_and_cupy_is_there():
    theirs = [name for name in dir(np.testing) if name.startswith("assert_")]
    missing = set(theirs) - set(dir(testing)) - {"assert_no_gc_cycles"}
    assert not missing
    assert len(testing.__all__) == len(set(testing.__all__))
    for name in testing.__all__:
        assert inspect.getdoc(getattr(testing, name)), name


def test_signatures_are_those_of_numpy():
    for name in ASSERTIONS:
        theirs = inspect.signature(getattr(np.testing, name, testing.assert_array_list_equal))
        mine = dict(inspect.signature(getattr(testing, name)).parameters)
        mine.pop("strides_check", None)
        assert list(mine) == list(theirs.parameters), name


def test_strides_can_be_compared():
    x = cp.asarray(X)
    testing.assert_array_equal(x.T, X.T, strides_check=True)
    with pytest.raises(AssertionError, match="Strides"):
        testing.assert_array_equal(x.T.copy("C"), X.T, strides_check=True)
    with pytest.raises(AssertionError, match="lists"):
        testing.assert_array_list_equal((x,), [x])


def test_warnings():
    def warn():
        warnings.warn("old", DeprecationWarning, stacklevel=2)
        return 3

    assert testing.assert_warns(DeprecationWarning, warn) == 3
    with testing.assert_warns(DeprecationWarning):
        warn()
    with pytest.raises(AssertionError, match="no UserWarning was issued by warn"):
        testing.assert_warns(UserWarning, warn)
    with pytest.raises(AssertionError), testing.assert_warns(UserWarning):
        pass
    assert testing.assert_no_warnings(lambda: 4) == 4
    with pytest.raises(AssertionError, match="DeprecationWarning: old"):
        testing.assert_no_warnings(warn)
    with pytest.raises(AssertionError), testing.assert_no_warnings():
        warn()
    with testing.assert_raises(ValueError):
        raise ValueError
    testing.assert_raises_regex(ValueError, "a+", lambda: (_ for _ in ()).throw(ValueError("aa")))


# ---- pytest.approx -----------------------------------------------------------------------------


def test_approx():
    x, y = cp.array(1.0), cp.arange(3.0)
    for one, other in [(x, 1.0), (y, [0, 1, 2]), (y, np.arange(3.0)), (y[1], 1), (y.sum(), 3)]:
        assert one == pytest.approx(other)
        assert pytest.approx(other) == one
        assert one + 1 != pytest.approx(other)
    assert pytest.approx(x) == 1.0 + 1e-9
    assert pytest.approx(y) == y * (1 + 1e-9)
    assert pytest.approx(y) == np.arange(3.0)
    assert pytest.approx(y) != y + 1
    with pytest.raises(TypeError, match="implicitly"):
        np.asarray(y)


# ---- decorators --------------------------------------------------------------------------------


def _different(ours, theirs):
    return lambda xp: ours(xp) if xp is cp else theirs(xp)


COMPARISONS = {
    "numpy_cupy_allclose": lambda xp: xp.full(3, 1e-9) + (1 if xp is cp else 1 + 1e-9),
    "numpy_cupy_array_almost_equal": lambda xp: xp.ones(3) + (1e-9 if xp is cp else 0),
    "numpy_cupy_array_almost_equal_nulp": lambda xp: xp.ones(3) + (2e-16 if xp is cp else 0),
    "numpy_cupy_array_max_ulp": lambda xp: xp.ones(3) + (2e-16 if xp is cp else 0),
    "numpy_cupy_array_equal": lambda xp: (xp.ones(3), [1, 2][0]),
    "numpy_cupy_array_less": lambda xp: xp.zeros(3) + (0 if xp is cp else 1),
    "numpy_cupy_equal": lambda xp: xp.ones(3).shape,
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name):
    decorator = getattr(testing, name)
    decorator()(COMPARISONS[name])()
    wrong = [
        _different(lambda xp: xp.full(3, 7.0), lambda xp: xp.full(3, 6.0)),
        _different(lambda xp: 1 / 0, lambda xp: xp.ones(3)),
        _different(lambda xp: xp.ones(3), lambda xp: 1 / 0),
        lambda xp: 1 / 0,  # both, and no error was to be expected
    ]
    if name == "numpy_cupy_equal":
        wrong[0] = _different(lambda xp: (1, 2), lambda xp: [1, 2])
    else:
        wrong += [
            _different(lambda xp: xp.zeros(3, "f4"), lambda xp: xp.ones(3)),
            _different(lambda xp: xp.zeros((3, 1)), lambda xp: xp.ones(3)),
            _different(lambda xp: [xp.zeros(3)] * 2, lambda xp: xp.ones(3)),
            _different(lambda xp: "text", lambda xp: xp.ones(3)),
            lambda xp: None,
        ]
    for test in wrong:
        with pytest.raises(AssertionError):
            decorator()(test)()


def test_bounds_by_dtype():
    def test(xp, dtype):
        return xp.ones(3, dtype) + xp.asarray(1e-3 if xp is cp else 0, dtype)

    bounds = {np.float32: 1e-2, "default": 1e-6}
    testing.numpy_cupy_allclose(rtol=bounds)(test)(dtype=np.float32)
    with pytest.raises(AssertionError):
        testing.numpy_cupy_allclose(rtol=bounds)(test)(dtype=np.float64)
    with pytest.raises(TypeError, match="no bound for float64"):
        testing.numpy_cupy_allclose(atol={np.float32: 1})(test)(dtype=np.float64)
    with pytest.raises(TypeError, match="type_check"):
        testing.numpy_cupy_allclose(rtol=bounds, type_check=False)
    with pytest.raises(TypeError, match="'f4'"):
        testing.numpy_cupy_allclose(rtol={"f4": 1})


def test_contiguity_and_types():
    test = _different(lambda xp: xp.ones((2, 3)).T, lambda xp: xp.ones((3, 2)))
    with pytest.raises(AssertionError, match="c_contiguous"):
        testing.numpy_cupy_allclose()(test)()
    testing.numpy_cupy_allclose(contiguous_check=False)(test)()
    narrow = _different(lambda xp: xp.ones(3, "f4"), lambda xp: xp.ones(3))
    testing.numpy_cupy_allclose(type_check=False)(narrow)()


def test_unsigned_numbers_that_were_negative_are_left_out():
    @testing.for_dtypes_combination([np.float64, np.uint8], names=("source", "target"), full=True)
    @testing.numpy_cupy_array_equal()
    def check(xp, source, target):
        if np.dtype(source).kind == "u":
            return xp.arange(4, dtype=source).astype(target)
        with np.errstate(invalid="ignore"):
            return xp.asarray([-300.5, -1.5, 2.5, 3.0], source).astype(target)

    check()


def _raising(ours, theirs):
    def test(xp):
        raise ours if xp is cp else theirs

    return test


def test_errors():
    for decorator in (testing.numpy_cupy_raises(), testing.numpy_cupy_allclose(accept_error=True)):
        decorator(_raising(ValueError(), ValueError()))()
        with pytest.raises(AssertionError, match="different classes"):
            decorator(_raising(ValueError(), TypeError()))()
        with pytest.raises(AssertionError, match="different classes"):
            decorator(_raising(ValueError(), np.exceptions.AxisError("x")))()
    accepting = testing.numpy_cupy_allclose(accept_error=ValueError)
    accepting(_raising(ValueError(), ValueError()))()
    with pytest.raises(AssertionError, match="raise errors"):
        accepting(_raising(TypeError(), TypeError()))()
    with pytest.raises(AssertionError, match="neither"):
        testing.numpy_cupy_raises()(lambda xp: None)()
    with pytest.raises(AssertionError, match="only NumPy"):
        testing.numpy_cupy_raises()(_different(lambda xp: None, lambda xp: 1 / 0))()
    with pytest.raises(TypeError, match="nosuch"):
        testing.numpy_cupy_raises()(lambda xp: None)(nosuch=3)


@pytest.mark.parametrize("skip", [unittest.SkipTest, pytest.skip.Exception])
def test_a_test_that_is_skipped_with_both_is_skipped(skip):
    with pytest.raises(skip):
        testing.numpy_cupy_allclose()(_raising(skip("no"), skip("no")))()
    with pytest.raises((AssertionError, skip)):
        testing.numpy_cupy_allclose()(_raising(skip("no"), ValueError()))()


def test_the_list_form_is_deprecated():
    with pytest.warns(DeprecationWarning, match="numpy_cupy_array_equal"):
        decorator = testing.numpy_cupy_array_list_equal()
    decorator(lambda xp: [xp.ones(3), xp.zeros(2)])()


def test_decorated_functions_look_like_tests():
    @testing.for_all_dtypes()
    @testing.numpy_cupy_allclose(name="lib")
    def test_something(self, tmp_path, lib, dtype=None):
        """What it is about."""

    assert list(inspect.signature(test_something).parameters) == ["self", "tmp_path"]
    assert test_something.__name__ == "test_something"
    assert test_something.__doc__ == "What it is about."


LOOPS = {
    "for_all_dtypes": (14, {}),
    "for_all_dtypes no": (10, {"no_float16": True, "no_bool": True, "no_complex": True}),
    "for_float_dtypes": (3, {}),
    "for_float_dtypes no": (2, {"no_float16": True}),
    "for_signed_dtypes": (4, {}),
    "for_unsigned_dtypes": (4, {}),
    "for_int_dtypes": (9, {}),
    "for_int_dtypes no": (8, {"no_bool": True}),
    "for_complex_dtypes": (2, {}),
}


@pytest.mark.parametrize("case", LOOPS)
def test_loops_over_dtypes(case):
    count, options = LOOPS[case]
    seen = []
    getattr(testing, case.split()[0])(name="kind", **options)(lambda kind: seen.append(kind))()
    assert len({np.dtype(x) for x in seen}) == count
    assert all(issubclass(x, np.generic) for x in seen)


def test_combinations():
    for full, count in ((True, 16), (False, None)):
        pairs = []
        testing.for_dtypes_combination("bhil", names=("a", "b"), full=full)(
            lambda a, b, pairs=pairs: pairs.append((a, b))
        )()
        assert len(set(pairs)) == len(pairs)
        assert {a for a, _ in pairs} == {b for _, b in pairs}
        assert count is None or len(pairs) == count
    for name in ("all", "signed", "unsigned", "int"):
        seen = []
        decorator = getattr(testing, f"for_{name}_dtypes_combination")
        decorator(names=("a", "b"))(lambda a, b, seen=seen: seen.append(a))()
        assert len(seen) > len(set(seen)) > 3
    single = []
    testing.for_dtypes_combination("bh", names=["a"])(lambda a: single.append(a))()
    assert single == [np.int8, np.int16]


def test_orders_and_axes():
    seen = []
    testing.for_CF_orders()(lambda order: seen.append(order))()
    testing.for_orders("AK", "o")(lambda o: seen.append(o))()
    assert seen == [None, "C", "F", "c", "f", "A", "K"]
    axes = []
    testing.for_contiguous_axes()(lambda self, shape, order, axis: axes.append(axis))(
        None, shape=(1, 2, 3), order="C"
    )
    assert axes == [(0, 1, 2), (1, 2), (2,)]
    testing.for_contiguous_axes("which")(lambda self, shape, order, which: axes.append(which))(
        None, shape=(1, 2), order="f"
    )
    assert axes[3:] == [(0,), (0, 1)]
    with pytest.raises(ValueError, match="order"):
        testing.for_contiguous_axes()(lambda self, shape, order, axis: 0)(0, shape=(1,), order="A")


def test_a_loop_says_where_it_failed():
    def test(dtype):
        if dtype is np.int16:
            pytest.skip("not this one")
        assert dtype is not np.float32

    with pytest.raises(AssertionError) as caught:
        testing.for_all_dtypes()(test)()
    assert caught.value.__notes__ == ["with dtype = float32"]
    testing.for_dtypes("hl")(test)()
    with pytest.raises(pytest.skip.Exception):
        testing.for_dtypes("h")(test)()


@testing.parameterize(*testing.product({"n": [1, 2], "function": [abs, len]}))
class TestParameterized:
    """Runs four times."""

    def test_attributes(self, request):
        assert self.n in (1, 2)
        assert self.function in (abs, len)
        assert f"n={self.n}" in request.node.name

    @testing.numpy_cupy_array_equal()
    def test_with_a_comparison(self, xp):
        return xp.ones(self.n)


@testing.parameterize({"n": 3, "function": lambda x: x + 1}, {"n": 4, "function": abs})
class TestCaseParameterized(unittest.TestCase):
    def test_attributes(self):
        assert self.n in (3, 4)
        assert self.function(1) in (1, 2)


def test_parameterized_classes():
    assert TestCaseParameterized is None
    made = [name for name in globals() if name.startswith("TestCaseParameterized_param_")]
    assert len(made) == 2
    assert "n=4" in made[1]
    with pytest.raises(RuntimeError, match="product_dict"):
        testing.parameterize({"m": 1})(TestParameterized)
    assert testing.product_dict([{"a": 1}, {"a": 2}], [{"b": 3}]) == [
        {"a": 1, "b": 3}, {"a": 2, "b": 3},
    ]  # fmt: skip


# ---- operands ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["?", "i2", "u4", "f2", "f8", "c8"])
def test_operands(dtype):
    for make in (
        lambda xp: testing.shaped_arange((2, 3), xp, dtype, order="F"),
        lambda xp: testing.shaped_reverse_arange((2, 3), xp, dtype),
        lambda xp: testing.shaped_random((2, 3), xp, dtype, scale=5, seed=3),
        lambda xp: testing.shaped_linspace(-2, 3, (2, 3), xp, dtype),
    ):
        host, device = make(np), make(cp)
        assert isinstance(host, np.ndarray)
        assert isinstance(device, cp.ndarray)
        assert host.dtype == device.dtype == np.dtype(dtype)
        testing.assert_array_equal(device, host)
    assert isinstance(testing.shaped_arange((2,)), cp.ndarray)
    assert testing.shaped_arange((2, 3), order="F").flags.f_contiguous


def test_generated_matrices():
    for dtype in ("f4", "c16"):
        x = testing.generate_matrix((2, 4, 3), dtype=dtype, singular_values=cp.array([3, 2, 1]))
        assert x.shape == (2, 4, 3)
        assert x.dtype == dtype
        found = np.linalg.svd(x.get(), compute_uv=False)
        np.testing.assert_allclose(found, [[3, 2, 1]] * 2, rtol=1e-5)
    for options, error in [
        ({"shape": (3,), "singular_values": [1]}, ValueError),
        ({"shape": (3, 3)}, TypeError),
        ({"shape": (3, 3), "dtype": int, "singular_values": 1}, TypeError),
        ({"shape": (3, 3), "singular_values": 1j}, TypeError),
        ({"shape": (3, 3), "singular_values": -1}, ValueError),
    ]:
        with pytest.raises(error, match="generate_matrix"):
            testing.generate_matrix(**options)


# ---- requirements, random numbers, classes -----------------------------------------------------


def test_requirements():
    pytest.importorskip("packaging")
    assert testing.installed("numpy>=2.0", "pytest")
    assert not testing.installed("numpy>=99")
    assert not testing.installed("numpy", "nosuchpackage")
    assert testing.numpy_satisfies(">=2")
    ran = []

    @testing.with_requires("nosuchpackage")
    def test_skipped():
        ran.append(1)

    (mark,) = test_skipped.pytestmark
    assert mark.name == "skipif"
    assert mark.args == (True,)
    assert "nosuchpackage" in mark.kwargs["reason"]
    assert testing.multi_gpu(64)(test_skipped).pytestmark[0].args == (True,)
    with pytest.raises(ValueError, match="multi_gpu"):
        testing.multi_gpu(1)

    @testing.slow
    def test_long():
        pass

    assert test_long.pytestmark[0].name == "slow"


def test_random_numbers_are_fixed():
    @testing.fix_random()
    def test_numbers():
        return random.random(), np.random.rand(), testing.generate_seed()  # noqa: NPY002

    state = random.getstate()
    assert test_numbers() == test_numbers()
    assert random.getstate() == state
    with pytest.raises(AssertionError, match="fix_random"):
        testing.generate_seed()
    with pytest.raises(ValueError, match="fix_random"):
        testing.fix_random()(3)
    seen = []

    @testing.fix_random()
    class Case(unittest.TestCase):
        def setUp(self):
            seen.append(random.random())

        def test_a(self):
            seen.append(testing.generate_seed())

        test_b = test_a

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert result.wasSuccessful(), result.errors
    assert seen[:2] == seen[2:]


class TestBaseRepr(testing.NumpyAliasBasicTestBase, testing.NumpyAliasValuesTestBase):
    func = "shape"
    args = ([1, 2],)


class TestBaseValues(testing.NumpyAliasValuesTestBase):
    func = "base_repr"
    args = (5, 3)


def test_calls_are_counted():
    with testing.AssertFunctionIsCalled("gpuarray.sum", times_called=2):
        cp.sum(1)
        cp.sum(2)
    with pytest.raises(AssertionError, match="0 times"), testing.AssertFunctionIsCalled("math.sin"):
        pass


# ---- memoize, older names ----------------------------------------------------------------------


def test_memoize():
    calls = []

    @cp.memoize(for_each_device=True)
    def made(*args, **kwargs):
        """What it makes."""
        calls.append((args, kwargs))
        return cp.ones(3)

    assert made(1) is made(1)
    assert made(1, a=2) is made(1, a=2) is not made(1)
    assert made.__doc__ == "What it makes."
    assert len(calls) == 2
    cp.clear_memo()
    made(1)
    assert len(calls) == 3
    with pytest.raises(TypeError):
        made([1])

    @cp.memoize()
    def of_none():
        calls.append(None)

    assert of_none() is of_none() is None
    assert calls.count(None) == 1


def test_memoized_results_are_forgotten_with_the_device():
    run(
        """
        @cp.memoize(for_each_device=True)
        def made():
            return object()

        before = made()
        assert made() is before
        cp.cuda.Device().reset()
        assert made() is not before
        """
    )


def test_older_names():
    assert cp.Inf == cp.inf
    assert cp.NINF == -np.inf
    assert np.signbit(cp.NZERO)
    assert cp.sometrue is cp.any
    assert cp.AxisError is np.exceptions.AxisError
    assert cp.DataSource is np.lib.npyio.DataSource
    assert cp.disable_experimental_feature_warning is False
    assert cp.is_available() is cp.cuda.is_available()
    assert {"memoize", "show_config", "testing"} <= set(dir(cp))
    assert "Inf" not in dir(cp)
    for name, remedy in [("disp", "print"), ("safe_eval", "literal_eval")]:
        with pytest.raises(AttributeError, match=f"NumPy 2 removed it; use .*{remedy}"):
            getattr(cp, name)


def test_older_functions(capsys):
    testing.assert_array_equal(cp.asfarray([1, 2], int), np.array([1.0, 2.0]))
    assert cp.asfarray(cp.ones(2, "f4"), "f4").dtype == np.float32
    x = cp.zeros((4, 6))
    low, high = cp.byte_bounds(x[::-1, 1:])
    assert (low - x.data.ptr, high - x.data.ptr) == (8, x.nbytes)
    with pytest.warns(DeprecationWarning, match="sort"):
        testing.assert_array_equal(cp.msort(cp.array([[3, 1], [1, 2]])), [[1, 1], [3, 2]])
    assert cp.issubclass_(int, object)
    assert not cp.issubclass_(3, object)
    assert cp.obj2sctype(x) is cp.obj2sctype(np.float64) is cp.obj2sctype("f8") is np.float64
    assert cp.obj2sctype(object(), 3) == 3
    assert cp.issubsctype("i4", np.integer)
    assert cp.sctype2char(x) == "d"
    with pytest.raises(ValueError, match="sctype2char"):
        cp.sctype2char(object())
    assert cp.issctype(np.int32)
    assert not any(map(cp.issctype, [x, 3, object, np.dtype("O")]))
    cp.who({"x": x, "y": x, "z": 3})
    assert capsys.readouterr().out.splitlines() == [
        "Name   Shape  Bytes  Type", "x      4 x 6  192    float64", "y (x)  4 x 6  192    float64",
        "", "Upper bound on total bytes: 192",
    ]  # fmt: skip


def test_aligned_dtypes():
    made = cp.make_aligned_dtype([("a", "i1"), ("b", [("c", "i2"), ("d", "c16")])])
    assert made.fields["b"][1] == 16
    assert made["b"].fields["d"][1] == 16
    assert made.itemsize == 48
    wide = cp.make_aligned_dtype([("a", "f4", 3)], alignment=16)
    assert wide.itemsize == 16
    assert cp.make_aligned_dtype([("x", "i1"), ("y", wide)]).fields["y"][1] == 16
    for dtype, options in [
        ("f4", {}),
        ([("a", "f8")], {"alignment": 4}),
        ([("a", "f8")], {"alignment": 24}),
        ({"names": ["a", "b"], "formats": ["f4", "f4"], "offsets": [4, 0]}, {}),
    ]:
        with pytest.raises(ValueError, match="make_aligned_dtype"):
            cp.make_aligned_dtype(dtype, **options)


def test_show_config(capsys):
    cp.show_config()
    assert cp.__version__ in capsys.readouterr().out
    assert cp.show_config("dicts")["NumPy"] == np.__version__
    info = cp.get_runtime_info(full=False)
    assert ["NumPy", np.__version__] in [line.split() for line in str(info).splitlines()]
    assert {name for name, _ in info.rows} < {name for name, _ in cp.get_runtime_info().rows}
    with pytest.raises(AttributeError, match="mode"):
        cp.show_config("nosuch")


def test_text_of_numbers():
    x = cp.array(1234.5678, "f4")
    assert cp.format_float_positional(x, 2) == np.format_float_positional(np.float32(1234.5678), 2)
    assert cp.format_float_scientific(x) == np.format_float_scientific(np.float32(1234.5678))
    assert cp.base_repr(5, 2) == "101"
    assert cp.binary_repr(-3, 4) == "1101"
    with cp.printoptions(precision=2):
        assert repr(cp.array([1 / 3])) == "array([0.33])"
        assert cp.get_printoptions()["precision"] == np.get_printoptions()["precision"] == 2


def test_types_for_annotations():
    assert cp.typing.NDArray[np.float32].__origin__ is cp.ndarray
    assert isinstance(cp.ones(3), cp.typing.ArrayLike.__args__[0])
    assert cp.typing.DTypeLike is np.typing.DTypeLike
    assert cp.typing.NBitBase is np.typing.NBitBase
    assert cp.exceptions.DTypePromotionError is np.exceptions.DTypePromotionError
