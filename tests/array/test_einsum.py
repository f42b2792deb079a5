"""Einstein's notation, and contractions of two arrays, beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ops import contraction_plans
from gpuarray._ops import einsum as module
from tests.array.arrays import (
    LAYOUTS_3D,
    launches,
    pair,
    raises_alike,
    raises_as_numpy,
    same,
    values,
)

hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

#: The length along each letter.
LENGTHS = {"a": 2, "b": 3, "i": 2, "j": 3, "k": 4, "l": 5, "m": 1, "z": 0}


def operands(subscripts, dtype):
    """Arrays for subscripts without an ellipsis, of small numbers, so that sums are exact."""
    terms = subscripts.partition("->")[0].replace(" ", "").split(",")
    return [values([LENGTHS[x] for x in one], dtype, i) for i, one in enumerate(terms)]


def check(subscripts, hosts, **options):
    expected = np.einsum(subscripts, *hosts, **options)
    same(cp.einsum(subscripts, *map(cp.asarray, hosts), **options), expected, context=subscripts)


# One operand; no sums; sums of two operands' products; matrices and stacks; more operands.
SUBSCRIPTS = [
    "ij->ji", "ii->i", "iji->ij", "ij->", "ij->j", "ii", "iijj->j", "m->m", "zi->i", "iz->i",
    "i,j", "i,j->ji", "ij,ij->ij", "ij,k->kij", "im,mj->ij",
    "ij,ij", "ij,ji->", "ij,j->i", "aij,aj->ai", "ij,k->ik", "ij,kl->k", "ijk,ij->k", "iz,zj",
    "ij,jk", "ij,jk->ki", "ij,kj", "aij,ajk->aik", "aij,ajk->ika", "aij,bjk->abik", "ijk,ljk->li",
    "ikjl,ka->laij", "aibj,jbk->iak", "ijkl,klm->ijm", "ij,ajk->ik", "iij,jk->ik",
    "ij,jk,kl->il", "i,i,i->", "ij,j,i->", "ab,bi,ia->", "ij,jk,kl,lm->im", "ij,ak,b->",
]  # fmt: skip


@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
def test_subscripts(subscripts):
    check(subscripts, operands(subscripts, "f4"))


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f8", "c8"])
@pytest.mark.parametrize("subscripts", ["ij,ij->", "ij,jk->ik", "ij->j", "i,j->ij"])
def test_dtypes(subscripts, dtype):
    check(subscripts, operands(subscripts, dtype))


@pytest.mark.parametrize("dtypes", [("i1", "f4"), ("f2", "i8"), ("f4", "c16"), ("?", "i2")])
def test_mixed_dtypes(dtypes):
    for subscripts in ("ij,jk->ik", "ij,ij->j", "i,j->ij"):
        hosts = [operands(subscripts, dtype)[i] for i, dtype in enumerate(dtypes)]
        check(subscripts, hosts)


@pytest.mark.parametrize("layout", LAYOUTS_3D)
def test_layouts(layout):
    host, device = pair(layout, "f4", shape=(3, 5, 4), layouts=LAYOUTS_3D)
    letters = "ijk"[: host.ndim]
    for subscripts in (f"{letters},{letters}->{letters[:1]}", f"{letters},a{letters[1:]}"):
        if host.ndim < 2 and "a" in subscripts:
            continue
        same(cp.einsum(subscripts, device, device), np.einsum(subscripts, host, host))


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("subscripts", ["aij,bjk->ikab", "ij,kj->ij", "ijk->ki"])
def test_memory_orders(subscripts, order):
    hosts = [x.copy(order="F") for x in operands(subscripts, "f4")]
    devices = [cp.asarray(x) for x in hosts]
    expected = np.einsum(subscripts, *hosts, order=order)
    result = cp.einsum(subscripts, *devices, order=order)
    same(result, expected)
    if order != "K":
        assert result.strides == expected.strides


def test_ellipses():
    x, y = values((2, 3, 4), "i8"), values((1, 4, 5), "i8", 1)
    for subscripts, hosts in {
        "...ij,...jk->...ik": (x, y),
        "...j,jk...": (x, values((4, 2, 3), "i8", 2)),
        "...,...": (x, y[0, :, :1].T),
        "i...->...": (x,),
        "...i->i...": (x,),
        "...ii": (values((2, 3, 3), "i8"),),
        "... , i ->...i": (x, y[0, 0]),
    }.items():
        check(subscripts, hosts)


def test_lists_of_subscripts():
    x, y, z = values((2, 3), "f4"), values((3, 4), "f4", 1), values((3, 2), "f4", 2)
    for hosts in (
        (x, [0, 1], y, [1, 2]), (x, [0, 1], y, [1, 2], [2, 0]), (x, [51, 2]), (x, [2, 1]),
        (x, [Ellipsis, 1], z, [1, Ellipsis], [Ellipsis]), (x, (0, np.int8(1)), ()),
    ):  # fmt: skip
        devices = [cp.asarray(one) if isinstance(one, np.ndarray) else one for one in hosts]
        same(cp.einsum(*devices), np.einsum(*hosts))
        assert cp.einsum_path(*devices) == np.einsum_path(*hosts)


def test_views_are_returned_as_numpy_returns_them():
    host = values((3, 3), "f4")
    for options in ({}, {"order": "C"}, {"dtype": "f8"}, {"optimize": True}):
        for subscripts in ("ii->i", "ij->ji", "ij"):
            x = cp.asarray(host)
            result = cp.einsum(subscripts, x, **options)
            same(result, np.einsum(subscripts, host, **options))
            assert result.base is x
            result[...] = 7
            assert (x.get() == 7).sum() == result.size
    x.flags.writeable = False
    assert not cp.einsum("ii->i", x).flags.writeable
    times = np.array([["2020-01-01", "2021-01-01"]], "M8[D]")
    same(cp.einsum("ij->ji", cp.asarray(times)), np.einsum("ij->ji", times))


@pytest.mark.parametrize("optimize", [
    False, True, "greedy", "optimal", ("greedy", 10), ["einsum_path", (1, 2), (0, 1)],
    ["einsum_path", (0, 1, 2)], ["einsum_path", (0, 2), (0, 1)],
])  # fmt: skip
def test_orders_of_contraction(optimize):
    for subscripts in ("ij,jk,kl->li", "ij,ij,j->"):
        hosts = operands(subscripts, "f4")
        check(subscripts, hosts, optimize=optimize)
        devices = [cp.asarray(x) for x in hosts]
        path = cp.einsum_path(subscripts, *devices, optimize=optimize)
        assert path == np.einsum_path(subscripts, *hosts, optimize=optimize)
        same(cp.einsum(subscripts, *devices, optimize=path[0]), np.einsum(subscripts, *hosts))


def test_without_opt_einsum(monkeypatch):
    monkeypatch.setattr(module, "_opt_einsum", lambda: None)
    hosts = [values(shape, "f4") for shape in ((6, 2), (2, 7), (7, 3), (3, 5))]
    check("ab,bc,cd,de->ea", hosts, optimize=True)
    with pytest.raises(KeyError):
        cp.einsum("ab,bc,cd", *map(cp.asarray, hosts[:3]), optimize="dp")


def test_contractions_as_numpys_own_function_takes_them():
    x = cp.ones((2, 2))
    found, contractions = cp.einsum_path("ij,jk,kl", x, x, x, einsum_call=True)
    host = np.ones((2, 2))
    expected, theirs = np.einsum_path("ij,jk,kl", host, host, host, einsum_call=True)
    assert len(found) == len(expected)
    assert all(one is x for one in found)
    assert [step[2] for step in contractions] == [step[2] for step in theirs]


@pytest.mark.parametrize("subscripts", ["ij->ji", "ij,jk->ki", "ij,ij->j", "i,j->ji", "ij,jk,kl"])
def test_out(subscripts):
    hosts = operands(subscripts, "f4")
    expected = np.einsum(subscripts, *hosts)
    for dtype, options in (
        ("f4", {}), ("f8", {}), ("f2", {"casting": "same_kind"}), ("f8", {"dtype": "f8", "optimize": True})
    ):  # fmt: skip
        base = cp.zeros((*expected.shape[::-1], 2), dtype)
        out = base[..., 1].T
        assert cp.einsum(subscripts, *map(cp.asarray, hosts), out=out, **options) is out
        same(out, expected.astype(dtype))
        assert not base[..., 0].any()


def test_out_may_be_an_operand():
    host = values((3, 3), "f4")
    x = cp.asarray(host)
    cp.einsum("ij,jk->ki", x, x, out=x)
    same(x, np.einsum("ij,jk->ki", host, host))


def test_casts():
    host = values((3, 4), "f8")
    check("ij,ij->i", (host, host), dtype="c16")
    check("ij,ij->i", (host, host), dtype="i4", casting="unsafe")
    with pytest.warns(np.exceptions.ComplexWarning):
        cp.einsum("i->", cp.ones(3, "c8"), dtype="f4", casting="unsafe")


def test_numbers_and_lists():
    same(cp.einsum(",i", 3, [1.5, 2]), np.einsum(",i", 3, [1.5, 2]))
    same(cp.einsum("i,i", [1, 2], [3, 4]), np.einsum("i,i", [1, 2], [3, 4]))


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    host = values((3, 4), "f4")
    x = cp.asarray(host).astype(ml_dtypes.bfloat16)
    result = cp.einsum("ij,kj->ik", x, x)
    assert result.dtype == ml_dtypes.bfloat16
    same(result.astype("f4"), (host @ host.T).astype(ml_dtypes.bfloat16).astype("f4"))


@pytest.mark.single_operations
@pytest.mark.parametrize("subscripts", [
    "ij->", "ii", "ij,ij->", "ij,ij->ij", "i,j->ij", "ij,j->i", "ij,ij,j->i", "ij,jk->ik", "aij,ajk->aik",
    "ijk,jkl->il",
])  # fmt: skip
def test_one_launch(subscripts):
    lengths = dict.fromkeys("aijkl", 3)
    terms = subscripts.partition("->")[0].split(",")
    devices = [cp.ones([lengths[x] for x in one]) for one in terms]
    assert launches(lambda: cp.einsum(subscripts, *devices)) == 1


@pytest.mark.single_operations
def test_a_chain_of_products_is_contracted_in_pairs():
    x, y = cp.ones((40, 40), "f4"), cp.ones((40, 1), "f4")
    assert launches(lambda: cp.einsum("ij,jk,kl->il", x, x, y)) == 2


@pytest.mark.parametrize(
    "j, shapes",
    [(8, [((560, 66), (66, 65))]), (64, [((70, 64, 66), (70, 66, 65))])],
    ids=["copied to one matrix", "a matrix for each i"],
)
def test_rows_that_do_not_join(monkeypatch, j, shapes):
    found, product_call = [], contraction_plans.product_call

    def noted(a, b, *rest):
        found.append((a.shape, b.shape))
        return product_call(a, b, *rest)

    monkeypatch.setattr(contraction_plans, "product_call", noted)
    x, y = values((70, 66, j), "f8"), values((66, 65), "f8")
    result = cp.einsum("ikj,kl->ijl", cp.asarray(x), cp.asarray(y))
    np.testing.assert_allclose(cp.asnumpy(result), np.einsum("ikj,kl->ijl", x, y), rtol=1e-12)
    assert result.flags.c_contiguous
    assert found == shapes


#: Of matrices that are large enough for cuBLAS.
LARGE = {"a": 3, "b": 5, "i": 70, "j": 66, "k": 72, "l": 65}


@pytest.mark.parametrize(
    "subscripts", ["aij,ajk->ika", "aibj,jbk->iak", "jib,kjb->ik", "ij,jk,kl->li"]
)
def test_large_matrices(subscripts):
    terms = subscripts.partition("->")[0].split(",")
    hosts = [values([LARGE[x] for x in one], "f4", i) for i, one in enumerate(terms)]
    expected = np.einsum(subscripts, *hosts, optimize=True)
    for make in (lambda x: x, lambda x: x.T.copy().T, lambda x: x.repeat(2, -1)[..., ::2]):
        devices = [make(cp.asarray(x)) for x in hosts]
        for order in "KCF":
            result = cp.einsum(subscripts, *devices, order=order)
            same(result, expected)
            assert order == "K" or result.flags[order]


def test_elements_at_any_address():
    packed = np.zeros((4, 4), [("gap", "u1"), ("x", "f8")])
    packed["x"] = values((4, 4), "f8")
    host, x = packed["x"], cp.asarray(packed)["x"]
    assert not x.flags.aligned
    for subscripts in ("ij,jk->ik", "ij,ij->i", "i...,k...->ki...", "ij->j", "ii->i"):
        count = subscripts.count(",") + 1
        same(cp.einsum(subscripts, *[x] * count), np.einsum(subscripts, *[host] * count))
    out = cp.zeros_like(cp.asarray(packed))["x"]
    cp.einsum("ij,jk->ik", x, x, out=out)
    same(out, host @ host)


def test_in_a_capture():
    host = values((70, 66), "f4")
    x = cp.asarray(host)
    cp.einsum("ij,kj->ik", x, x)  # opens the library
    with cp.cuda.Stream(non_blocking=True) as stream:
        stream.begin_capture()
        results = [cp.einsum("ij,kj,kl->il", x, x, x), cp.tensordot(x, x, (0, 0))]
        graph = stream.end_capture()
        graph.launch()
        stream.synchronize()
    same(results, [host @ host.T @ host, host.T @ host])


def test_errors_of_lengths():
    x = cp.ones((2, 3))
    with pytest.raises(ValueError, match=r"\(2,3\) \(2,3\) and subscripts 'ij,jk'"):
        cp.einsum("ij,jk", x, x)
    with pytest.raises(ValueError, match=r"collapsing index 'i' don't match \(2 != 3\)"):
        cp.einsum("ii", x)


test_errors = raises_as_numpy(
    lambda xp: xp.einsum(),
    lambda xp: xp.einsum("ij"),
    lambda xp: xp.einsum(xp.ones(2), xp.ones(2)),
    lambda xp: xp.einsum("ij,jk", xp.ones((2, 2))),
    lambda xp: xp.einsum("ij", xp.ones((2, 2)), xp.ones((2, 2))),
    lambda xp: xp.einsum("i", xp.ones((2, 2))),
    lambda xp: xp.einsum("ijk", xp.ones((2, 2))),
    lambda xp: xp.einsum("i.j", xp.ones((2, 2))),
    lambda xp: xp.einsum("i1", xp.ones((2, 2))),
    lambda xp: xp.einsum("ij->iij", xp.ones((2, 2))),
    lambda xp: xp.einsum("ij->ik", xp.ones((2, 2))),
    lambda xp: xp.einsum("...->", xp.ones((2, 2))),
    lambda xp: xp.einsum("ij->ji", xp.ones((2, 3)), out=xp.ones((2, 3))),
    lambda xp: xp.einsum("ij->ji", xp.ones((2, 3)), out=xp.ones(2)),
    lambda xp: xp.einsum("ij->ji", xp.ones((2, 3)), out=xp.ones((3, 2), "i4")),
    lambda xp: xp.einsum("ij->ji", xp.ones((2, 3)), out=3),
    lambda xp: xp.einsum("ij->j", xp.ones((2, 3)), dtype="i4"),
    lambda xp: xp.einsum("ij->j", xp.ones((2, 3)), order="Q"),
    lambda xp: xp.einsum("ij->j", xp.ones((2, 3)), casting="some"),
    lambda xp: xp.einsum("ij->j", xp.ones((2, 3)), axis=1),
    lambda xp: xp.einsum("ij->j", xp.ones((2, 3), "m8[s]")),
    lambda xp: xp.einsum("ij,jk", xp.ones((2, 2)), xp.ones((2, 2)), optimize=[(0, 1)]),
    lambda xp: xp.einsum("ij,jk", xp.ones((2, 2)), xp.ones((2, 2)), optimize=5),
    lambda xp: xp.einsum("i,i,i", *[xp.ones(2)] * 3, optimize=["einsum_path", (0, 1)]),
    lambda xp: xp.einsum("i,i,i", *[xp.ones(2)] * 3, optimize=["einsum_path", (0, 5)]),
    lambda xp: xp.einsum(xp.ones((2, 2)), [0, 52]),
    lambda xp: xp.einsum(xp.ones((2, 2)), [0, "a"]),
    lambda xp: xp.einsum_path("ij,jk", xp.ones((2, 2)), xp.ones((3, 2))),
    lambda xp: xp.einsum_path("ij,jk", xp.ones((2, 2))),
)


# ---- any subscripts ------------------------------------------------------------------------------


@st.composite
def contractions(draw):
    """Subscripts, the shapes of operands, and which axes of each are reversed in memory."""
    letters = "abcd"
    lengths = {x: draw(st.integers(0, 4)) for x in letters}
    terms = draw(st.lists(st.text(letters, max_size=3), min_size=1, max_size=3))
    used = sorted({x for one in terms for x in one})
    output = draw(st.permutations(used))[: draw(st.integers(0, len(used)))]
    shapes, turned = [], []
    for one in terms:
        # An axis of length 1 broadcasts, but for one of a diagonal.
        ones = {x for x in one if one.count(x) == 1 and draw(st.integers(0, 5)) == 0}
        shapes.append([1 if x in ones else lengths[x] for x in one])
        turned.append(draw(st.booleans()))
    text = ",".join(terms)
    if draw(st.booleans()):
        text += "->" + "".join(output)
    return text, shapes, turned


@hypothesis.settings(max_examples=25)
@hypothesis.given(contractions(), st.sampled_from(["f4", "i4"]), st.sampled_from([False, True]))
def test_any_subscripts(found, dtype, optimize):
    text, shapes, turned = found
    hosts = [values(shape, dtype, i) for i, shape in enumerate(shapes)]
    devices = [cp.asarray(x) for x in hosts]
    hosts = [x.T.copy().T if turn else x for x, turn in zip(hosts, turned)]
    devices = [x.T.copy().T if turn else x for x, turn in zip(devices, turned)]
    try:
        expected = np.einsum(text, *hosts, optimize=optimize)
    except Exception:
        raises_alike(
            lambda: np.einsum(text, *hosts, optimize=optimize),
            lambda: cp.einsum(text, *devices, optimize=optimize),
        )
        return
    same(cp.einsum(text, *devices, optimize=optimize), expected, context=text)


# ---- tensordot -----------------------------------------------------------------------------------

PAIRS = [
    ((2, 3), (3, 4), 1),
    ((2, 3, 4), (3, 4), 2),
    ((2, 3), (4,), 0),
    ((3,), (3,), 1),
    ((2, 3, 4), (4, 3, 5), ((1, 2), (1, 0))),
    ((2, 3, 4), (4, 3, 5), ([-1, 1], [0, -2])),
    ((4, 5, 3, 2), (3, 7, 5), ((1, 2), (2, 0))),
    ((2, 3), (4, 2), (0, 1)),
    ((2, 3), (4, 2), (0, (1,))),
    ((0, 3), (3, 4), 1),
    ((2, 0), (0, 3), 1),
    ((1, 3), (3, 1), 1),
    ((3, 3), (3, 3), ((), ())),
]


@pytest.mark.parametrize(("a", "b", "axes"), PAIRS)
def test_tensordot(a, b, axes):
    for dtype in ("f4", "i2"):
        one, other = values(a, dtype), values(b, dtype, 1)
        for turned in (False, True):
            if turned:
                one = one.T.copy().T
            expected = np.tensordot(one, other, axes)
            x, y = cp.asarray(one), cp.asarray(other)
            result = cp.tensordot(x, y, axes)
            same(result, expected)
            assert result.flags.c_contiguous
            same(cp.linalg.tensordot(x, y, axes=axes), expected)


def test_tensordot_of_dtypes():
    for dtypes in (("?", "?"), ("i1", "f4"), ("f2", "f2"), ("c8", "f8")):
        one, other = [values((3, 3), dtype, i) for i, dtype in enumerate(dtypes)]
        same(cp.tensordot(cp.asarray(one), cp.asarray(other)), np.tensordot(one, other))
    same(cp.tensordot([[1, 2]], [3, 4], 1), np.tensordot([[1, 2]], [3, 4], 1))


test_errors_of_tensordot = raises_as_numpy(
    lambda xp: xp.tensordot(xp.ones((2, 3)), xp.ones((2, 3)), 1),
    lambda xp: xp.tensordot(xp.ones((2, 1)), xp.ones((3, 3)), 1),
    lambda xp: xp.tensordot(xp.ones((2, 3)), xp.ones((3, 3)), 3),
    lambda xp: xp.tensordot(xp.ones((3, 3)), xp.ones((3, 3)), (1, 5)),
    lambda xp: xp.tensordot(xp.ones((3, 3)), xp.ones((3, 3)), ((1, 0), 0)),
    lambda xp: xp.tensordot(xp.ones((3, 3)), xp.ones((3, 3)), ((1, 1), (0, 1))),
    lambda xp: xp.tensordot(xp.ones((3, 3)), xp.ones((3, 3)), 1.0),
    lambda xp: xp.tensordot(xp.ones((3, 3)), xp.ones((3, 3)), (1, 2, 3)),
    lambda xp: xp.tensordot(xp.ones((3, 3)), xp.ones((3, 3)), None),
)


def test_times_are_not_multiplied_and_added():
    x = cp.ones(3, "m8[s]")
    with pytest.raises(TypeError, match="tensordot: there are no sums of products of timedelta64"):
        cp.tensordot(x, x, 1)
