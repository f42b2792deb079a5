"""Algorithms on graphs, against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph as expected
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray.scipy import sparse
from gpuarray.scipy.sparse import csgraph
from gpuarray.scipy.sparse.csgraph import _loopless_paths
from tests.slow import slow_except

RNG = np.random.default_rng(0)
N = 30


def graph(count=N, density=0.06, seed=0, digits=6):
    """Lengths of edges, all of them different if there are many digits."""
    rng = np.random.default_rng(seed)
    return np.round(rng.random((count, count)) * (rng.random((count, count)) < density), digits)


def both(name, dense, *args, form="csr_array", **kwargs):
    """What we and SciPy return, as tuples."""
    results = []
    for module, formats, xp in ((csgraph, sparse, cp), (expected, scipy.sparse, np)):
        given = xp.asarray(dense)
        if form != "dense":
            given = getattr(formats, form)(given)
        found = getattr(module, name)(given, *args, **kwargs)
        results.append(found if isinstance(found, tuple) else (found,))
    return results


def check(found, right, exact=True):
    assert len(found) == len(right)
    for mine, theirs in zip(found, right, strict=True):
        if scipy.sparse.issparse(theirs):
            assert type(mine).__name__ == type(theirs).__name__
            mine, theirs = mine.toarray(), theirs.toarray()
        mine = cp.asnumpy(mine)
        assert mine.dtype == np.asarray(theirs).dtype
        if exact:
            np.testing.assert_array_equal(mine, theirs)
        else:
            np.testing.assert_allclose(mine, theirs, 1e-6 if mine.dtype == "f4" else 1e-13, 1e-14)


@pytest.mark.parametrize(
    "form", slow_except(["csc_matrix"], ["dense", "csr_array", "csc_matrix", "coo_array"])
)
def test_forms(form):
    dense = graph()
    check(*both("breadth_first_order", dense, 2, form=form))
    check(*both("shortest_path", dense, form=form, return_predecessors=True))
    check(*both("minimum_spanning_tree", dense, form=form))
    found, right = both("connected_components", dense, form=form)
    assert found[0] == right[0]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("density", slow_except([0.02], [0.0, 0.02, 0.3]))
def test_components(directed, density):
    for count in (1, N):
        found, right = both("connected_components", graph(count, density), directed=directed)
        assert found[0] == right[0]
        check(found[1:], right[1:])
    found, right = both("connected_components", graph(N, density), return_labels=False)
    assert found == right


def same_parts(mine, theirs):
    """Whether labels are the same but for their numbers."""
    pairs = set(zip(cp.asnumpy(mine).tolist(), theirs.tolist(), strict=True))
    return len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})


@pytest.mark.parametrize("density", slow_except([0.06], [0.0, 0.03, 0.06, 0.3]))
def test_strong_components(density):
    found, right = both("connected_components", graph(N, density), connection="strong")
    assert found[0] == right[0]
    assert found[1].dtype == right[1].dtype
    assert same_parts(found[1], right[1])


@settings(max_examples=4, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=24))
def test_components_and_searches_of_any_graph(edges):
    dense = np.zeros((8, 8))
    for row, column in edges:
        dense[row, column] = 1
    for connection in ("weak", "strong"):
        found, right = both("connected_components", dense, connection=connection)
        assert found[0] == right[0]
        assert same_parts(found[1], right[1])
    for directed in (True, False):
        check(*both("breadth_first_order", dense, 0, directed=directed))


@pytest.mark.parametrize("directed", [True, False])
def test_searches(directed):
    for start in (0, N - 1):
        check(*both("breadth_first_order", graph(), start, directed=directed))
        check(*both("breadth_first_tree", graph(), start, directed=directed))
    (nodes,), _ = both("breadth_first_order", graph(), 0, return_predecessors=False)
    assert nodes.dtype == np.int32
    check(*both("breadth_first_order", np.zeros((3, 3)), 1))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(
    "name", slow_except(["johnson"], ["shortest_path", "dijkstra", "bellman_ford", "johnson"])
)
def test_paths(name, directed):
    dense = graph(12, 0.15)
    check(*both(name, dense, directed=directed), exact=False)
    for indices in (3, -1, [0, 5, 5]):
        check(*both(name, dense, directed=directed, indices=indices), exact=False)
    found, right = both(name, dense, directed=directed, return_predecessors=True, indices=[1, 2])
    check(found[:1], right[:1], exact=False)
    check(found[1:], right[1:])


def test_kinds_of_paths():
    dense = graph(12, 0.2)
    check(*both("floyd_warshall", dense), exact=False)
    check(*both("shortest_path", dense, unweighted=True))
    check(*both("dijkstra", dense, limit=0.7), exact=False)
    check(*both("dijkstra", dense, indices=[1, 4], min_only=True), exact=False)
    options = {"indices": [1, 4], "min_only": True, "return_predecessors": True}
    found, right = both("dijkstra", dense, **options)
    check(found[:1], right[:1], exact=False)
    check(found[1:], right[1:])


def test_paths_with_negative_and_no_lengths():
    dense = np.array([[0, 3.0, 0, 0], [0, 0, -2, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    for name in ("johnson", "bellman_ford"):
        check(*both(name, dense, return_predecessors=True))
    dense[3, 1] = 0.5
    for name in ("johnson", "bellman_ford", "shortest_path"):
        for module, xp in ((csgraph, cp), (expected, np)):
            with pytest.raises(module.NegativeCycleError):
                getattr(module, name)(xp.asarray(dense))
    # Edges without a length, in a circle.
    entries = np.zeros(4), (np.array([0, 1, 2, 0]), np.array([1, 2, 1, 2]))
    zeros = scipy.sparse.csr_array(entries, shape=(3, 3))
    lengths, before = csgraph.shortest_path(sparse.csr_array(zeros), return_predecessors=True)
    np.testing.assert_array_equal(cp.asnumpy(lengths), expected.shortest_path(zeros))
    assert before[0].tolist() == [-9999, 0, 0]
    with pytest.warns(UserWarning, match="negative weights"):
        csgraph.dijkstra(cp.asarray(np.triu(-np.ones((3, 3)), 1)))


def test_lengths_that_are_not_finite():
    """An edge of infinite length, or of none that is known, is on no path."""
    entries = [np.inf, 1, 2, np.nan], (np.array([0, 0, 2, 1]), np.array([1, 2, 3, 3]))
    given = scipy.sparse.csr_array((np.array(entries[0]), entries[1]), shape=(4, 4))
    check(
        csgraph.shortest_path(sparse.csr_array(given), return_predecessors=True),
        expected.shortest_path(given, method="BF", return_predecessors=True),
    )


def test_indices_of_64_bits():
    dense = graph(12, 0.15)
    wide = scipy.sparse.csr_array(dense)
    wide.indices, wide.indptr = wide.indices.astype("i8"), wide.indptr.astype("i8")
    mine = sparse.csr_array(
        tuple(map(cp.asarray, (wide.data, wide.indices, wide.indptr))), shape=wide.shape
    )
    assert mine.indices.dtype == np.int64
    for name, args, options in (
        ("connected_components", (), {}),
        ("breadth_first_order", (0,), {}),
        ("breadth_first_order", (0, False), {}),
        ("shortest_path", (), {"return_predecessors": True}),
        ("minimum_spanning_tree", (), {}),
    ):
        found = getattr(csgraph, name)(mine, *args, **options)
        right = getattr(expected, name)(scipy.sparse.csr_array(dense), *args, **options)
        one = isinstance(right, tuple)
        check(found if one else (found,), right if one else (right,), exact=False)
    found = csgraph.connected_components(mine, connection="strong")[1]
    assert same_parts(found, expected.connected_components(dense, connection="strong")[1])


def test_spanning_trees():
    for density, form in ((0.02, "csr_matrix"), (0.5, "csr_array")):
        check(*both("minimum_spanning_tree", graph(N, density), form=form))
    # Of equal lengths any tree has the same length.
    found, right = both("minimum_spanning_tree", np.round(graph(N, 0.3, digits=1), 1))
    assert np.isclose(float(found[0].toarray().sum()), right[0].toarray().sum())
    check(*both("minimum_spanning_tree", np.zeros((3, 3))))


@pytest.mark.parametrize("form", slow_except(["coo_matrix"], ["dense", "csr_array", "coo_matrix"]))
@pytest.mark.parametrize(
    "options",
    [
        {}, {"normed": True}, {"use_out_degree": True}, {"symmetrized": True},
        {"normed": True, "symmetrized": True, "use_out_degree": True}, {"dtype": np.float32},
    ],
    ids=str,
)  # fmt: skip
def test_laplacians(form, options):
    dense = graph(9, 0.3) + np.diag(np.arange(9.0) % 2)
    check(*both("laplacian", dense, form=form, return_diag=True, **options), exact=False)


@pytest.mark.parametrize("form", ["function", "lo"])
@pytest.mark.parametrize("normed", [True, False])
def test_laplacians_as_functions(form, normed):
    dense, x = graph(9, 0.3), RNG.random((9, 2))
    for symmetrized in (True, False):
        options = {"form": form, "normed": normed, "symmetrized": symmetrized}
        product = csgraph.laplacian(sparse.csr_array(cp.asarray(dense)), **options)
        right = expected.laplacian(scipy.sparse.csr_array(dense), **options)
        multiply = (lambda f, v: f(v)) if form == "function" else (lambda f, v: f @ v)
        found = multiply(product, cp.asarray(x))
        np.testing.assert_allclose(cp.asnumpy(found), multiply(right, x), 1e-12)
    if form == "lo":
        np.testing.assert_allclose(
            cp.asnumpy(product @ cp.asarray(x[:, 0])), right.matmat(x)[:, 0], 1e-12
        )


def test_dense_graphs():
    dense = graph(6, 0.4)
    dense[0, 1], dense[2, 3] = np.nan, np.inf
    check((csgraph.csgraph_from_dense(cp.asarray(dense)),), (expected.csgraph_from_dense(dense),))
    mine = csgraph.csgraph_from_dense(cp.asarray(dense), null_value=dense.max())
    theirs = expected.csgraph_from_dense(dense, null_value=dense.max())
    check((mine,), (theirs,))
    check((csgraph.csgraph_to_dense(mine, -1.0),), (expected.csgraph_to_dense(theirs, -1.0),))


WRONG = [
    ("connected_components", (), {"connection": "none"}),
    ("breadth_first_order", (N,), {}),
    ("breadth_first_order", (-1,), {}),
    ("shortest_path", (), {"method": "X"}),
    ("shortest_path", (), {"indices": [0, N]}),
    ("shortest_path", (), {"method": "FW", "indices": [0]}),
    ("dijkstra", (), {"indices": -N - 1}),
    ("dijkstra", (), {"limit": -1}),
    ("laplacian", (), {"form": "none"}),
]


@pytest.mark.parametrize("name, args, options", WRONG)
def test_errors(name, args, options):
    with pytest.raises(ValueError, match=r"\w"):
        getattr(csgraph, name)(cp.asarray(graph()), *args, **options)


@pytest.mark.parametrize(
    "name",
    sorted({*csgraph.__all__} - {"NegativeCycleError", "csgraph_from_dense", "csgraph_to_dense"}),
)
def test_matrices_that_are_not_square(name):
    first = {"breadth_first_order": (0,), "breadth_first_tree": (0,), "yen": (0, 1, 2)}
    args = first.get(name, ())
    if name == "reconstruct_path":
        args = (cp.zeros(2, "i4"),)
    with pytest.raises(ValueError, match="shape"):
        getattr(csgraph, name)(sparse.csr_array(cp.ones((2, 3))), *args)


@pytest.mark.parametrize("directed", [True, False])
def test_loopless_paths(directed, monkeypatch):
    options = {"directed": directed, "return_predecessors": True}
    dense = graph(14, 0.3)
    for form, other, sink in (("csr_array", dense, 9), ("dense", graph(14, 0.05), 3)):
        check(*both("yen", other, 0, sink, 5, form=form, **options), exact=False)
    # In several parts, the same.
    monkeypatch.setattr(_loopless_paths, "_EDGES", 3 * np.count_nonzero(dense))
    check(*both("yen", dense, 0, 9, 5, **options), exact=False)


def test_loopless_paths_of_other_kinds():
    dense = graph(14, 0.3)
    for source, sink, wanted in ((3, 3, 4), (0, 9, 1)):
        check(*both("yen", dense, source, sink, wanted, return_predecessors=True), exact=False)
    # Of no path at all SciPy's writes behind its results, of which a process may die (1.17).
    lengths, before = csgraph.yen(cp.asarray(dense), 0, 9, 0, return_predecessors=True)
    assert (lengths.shape, before.shape) == ((0,), (0, 14))
    check(*both("yen", dense, 0, 9, 9, unweighted=True), exact=False)
    less = np.triu(dense, 1) - np.triu(np.full((14, 14), 0.3), 1) * (np.triu(dense, 1) > 0)
    check(*both("yen", less, 0, 13, 6), exact=False)  # negative lengths, without cycles
    lengths, before = csgraph.yen(cp.asarray(np.ones((4, 4))), 0, 3, 9, return_predecessors=True)
    np.testing.assert_array_equal(lengths.get(), [1, 2, 2, 3, 3])  # all paths that there are
    np.testing.assert_array_equal(before.get()[:, 3], [0, 1, 2, 2, 1])
    for module, xp in ((csgraph, cp), (expected, np)):
        for source, sink, wanted in ((0, 99, 2), (-1, 3, 2), (0, 3, -1)):
            with pytest.raises(ValueError, match=r"must have 0 <=|number of paths|negative"):
                module.yen(xp.asarray(dense), source, sink, wanted)
        cycle = xp.asarray(np.array([[0.0, -1, 0], [-1, 0, 1], [0, 0, 0]]))
        with pytest.raises(module.NegativeCycleError):
            module.yen(cycle, 0, 2, 2)


def test_where_searches_begin():
    dense = cp.asarray(graph())
    want = csgraph.breadth_first_order(dense, 1)
    for start in (True, np.int8(1), cp.array(1)):  # a bool is the integer, and no mask
        for x, y in zip(csgraph.breadth_first_order(dense, start), want, strict=True):
            np.testing.assert_array_equal(x.get(), y.get())
    for start in (1.5, "a", None):
        with pytest.raises(TypeError, match="integer"):
            csgraph.breadth_first_tree(dense, start)
    for module, xp in ((csgraph, cp), (expected, np)):
        with pytest.raises(ValueError, match="could not convert string to float"):
            module.csgraph_from_dense(xp.asarray(graph()), null_value="a")


@pytest.mark.slow
def test_more_vertices_than_a_block():
    dense = graph(700, 0.002)
    for connection in ("weak", "strong"):
        found, right = both("connected_components", dense, connection=connection)
        assert found[0] == right[0]
        assert same_parts(found[1], right[1])
    check(*both("breadth_first_order", dense, 5, directed=False))
    check(*both("minimum_spanning_tree", dense))
    check(*both("shortest_path", dense, indices=[0, 300]), exact=False)


@pytest.mark.slow
def test_a_chain():
    """As many rounds as vertices."""
    dense = np.diag(np.ones(40), 1)[::-1, ::-1]
    check(*both("shortest_path", dense, indices=40))
    check(*both("breadth_first_order", dense, 40))
    found, right = both("connected_components", dense)
    check(found[1:], right[1:])
    pairs = np.kron(np.eye(8), [[0, 1], [1, 0]]) + np.diag(np.ones(15), 1)
    for strong in (dense, dense.T, pairs):
        found, right = both("connected_components", strong, connection="strong")
        assert found[0] == right[0]
        assert same_parts(found[1], right[1])


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find():
    dense = cp.asarray(graph(12, 0.15))
    with cp.cuda.check("races", "uninit", "barriers"):
        csgraph.connected_components(dense)
        csgraph.connected_components(dense, connection="strong")
        csgraph.breadth_first_order(dense, 0)
        csgraph.shortest_path(dense, return_predecessors=True)
        csgraph.minimum_spanning_tree(dense)
