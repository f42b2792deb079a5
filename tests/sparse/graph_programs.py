"""Random programs on graphs, as text.

As in `programs`, ``sp`` and ``xp`` are libraries, and ``gr`` is one of graphs; ``m`` is a dense
matrix of lengths, which are real numbers, so that no two paths are equally long.
"""

import numpy as np

from tests.sparse.programs import Drawing, Program


class GraphDrawing(Drawing):
    """Draws programs of one seed."""

    def program(self) -> Program:
        """A program of any kind."""
        kinds = (
            *(self.paths,) * 6, *(self.searches,) * 3, self.components, self.trees,
            *(self.laplacian,) * 2, *(self.dense,) * 2,
        )  # fmt: skip
        return self.pick(*kinds)()

    def graph(self, *kinds: str) -> tuple[np.ndarray, str]:
        """A matrix of lengths, and what it is given as."""
        n = self.pick(0, 1, 2, 4, 5, 7)
        rng = np.random.default_rng(self.rng.randrange(1000))
        lengths = np.round(rng.random((n, n)) * 9 + 0.01, 6) * (rng.random((n, n)) < 0.4)
        kind = self.pick("plain", "plain", *kinds)
        if kind == "negative" and n:
            lengths[0, -1] = -0.5
        if kind in ("nan", "inf") and n:
            lengths[0, -1] = np.nan if kind == "nan" else np.inf
        if kind == "symmetric":
            lengths = np.maximum(lengths, lengths.T)
        if kind == "acyclic":
            lengths = np.triu(lengths, 1) * rng.choice([-1, 1], (n, n))
        if kind == "integer":
            lengths = np.ceil(lengths).astype("i")
        name = f"sp.{self.pick('csr', 'csr', 'csc', 'coo', 'bsr', 'dia')}"
        form = self.pick(
            *(f"{name}_array(m)", f"{name}_matrix(m)", f"{name}_array(m)", "m", "m", "wide"),
        )
        if form == "wide":
            form = "sp.csr_array((w.data, w.indices.astype('q'), w.indptr.astype('q')), w.shape)"
        if self.pick(*range(12)) == 0:
            form = self.pick(
                "m[:1]", "None", "'abc'", "3", "m.tolist()", "m.astype('f')", "m > 0",
                "sp.csr_array(m)[:, :1]", "m + 0j", "m[None]", "sp.coo_array(m[0])", "[]",
            )  # fmt: skip
        return lengths, form

    def made(self, m: np.ndarray, form: str, call: str, shown: str = "r") -> Program:
        """A program of a call."""
        lines = ("w = sp.csr_array(m)", f"g = {form}", f"r = {call}", shown)
        return Program({"m": m}, lines)

    def options(self, **choices: tuple[str, ...]) -> str:
        """Some of the options; the values behind the first three are odd."""
        if self.pick(True, False, False):
            name = self.pick(*sorted(choices))
            return f", {name}={self.pick(*choices[name])}"
        chosen = self.rng.sample(sorted(choices), self.rng.randrange(min(3, len(choices)) + 1))
        return "".join(f", {name}={self.pick(*choices[name][:3])}" for name in chosen)

    def paths(self) -> Program:
        """Shortest paths."""
        m, form = self.graph("negative", "acyclic", "nan", "inf", "symmetric", "integer")
        indices = (
            "0", "[0, 1]", "[-1]", "None", "[]", "[5]", "100", "xp.array([0, 0])",
            "[[0, 1], [1, 0]]",
            "xp.array([1], 'B')", "1.5", "'x'", "[0.5]", "-8", "True", "xp.array(0)", "[None]",
        )  # fmt: skip
        flags = ("True", "False", "True", "None", "'x'")
        predecessors = ("True", "False", "True")
        name = self.pick("shortest_path", "dijkstra", "dijkstra", "dijkstra", "bellman_ford",
                         "johnson", "floyd_warshall")  # fmt: skip
        choices: dict[str, tuple[str, ...]] = {
            "directed": flags, "return_predecessors": predecessors, "unweighted": flags,
        }  # fmt: skip
        if name != "floyd_warshall":
            choices["indices"] = indices
        if name == "dijkstra":
            choices["limit"] = ("5", "0", "2.5", "-1", "xp.nan", "'x'", "None", "xp.inf", "1j")
            choices["min_only"] = flags
        if name == "shortest_path":
            choices["method"] = ("'D'", "'BF'", "'J'", "'FW'", "'auto'", "'x'", "None", "3", "'fw'")
            choices["overwrite"] = flags
        options = self.options(**choices)
        # Of equally long paths another one may be found.
        shown = "r[0] if isinstance(r, tuple) else r" if "unweighted=True" in options else "r"
        if "unweighted='x'" in options or form in ("m > 0",) or m.dtype.kind == "i":
            shown = "r[0] if isinstance(r, tuple) else r"
        return self.made(m, form, f"gr.{name}(g{options})", shown)

    def searches(self) -> Program:
        """Searches in breadth, and paths from their results."""
        m, form = self.graph("symmetric", "inf", "nan")
        begin = self.pick("0", "len(m) - 1", "0", "0", "-1", "100", "1.5", "'x'", "None", "[0]")
        options = self.options(
            directed=("True", "False", "True", "None"), return_predecessors=("True", "False")
        )
        call = self.pick(
            f"gr.breadth_first_order(g, {begin}{options})",
            f"gr.breadth_first_order(g, {begin}{options})",
            f"gr.breadth_first_tree(g, {begin})",
            f"gr.breadth_first_tree(g, {begin}, directed=False)",
            "gr.reconstruct_path(g, gr.breadth_first_order(w, 0)[1])",
            "gr.reconstruct_path(g, xp.array([-9999] * len(m), 'i'))",
            "gr.reconstruct_path(g, [-9999] * len(m), directed=False)",
            "gr.reconstruct_path(g, [0])", "gr.reconstruct_path(g, None)",
        )  # fmt: skip
        return self.made(m, form, call)

    def components(self) -> Program:
        """Components. Strong ones have other numbers."""
        m, form = self.graph("symmetric", "negative", "nan", "inf")
        options = self.options(
            directed=("True", "False", "True", "None"),
            connection=("'weak'", "'strong'", "'weak'", "'x'", "None", "'WEAK'", "3"),
            return_labels=("True", "False", "True", "None"),
        )
        shown = "(r[0], len(r[1])) if isinstance(r, tuple) else r"
        return self.made(m, form, f"gr.connected_components(g{options})", shown)

    def trees(self) -> Program:
        """Spanning trees."""
        m, form = self.graph("symmetric", "negative", "inf", "nan")
        options = self.options(overwrite=("True", "False"))
        return self.made(m, form, f"gr.minimum_spanning_tree(g{options})")

    def laplacian(self) -> Program:
        """Laplacians, as matrices and as functions."""
        m, form = self.graph("symmetric", "negative", "integer")
        flags = ("True", "False", "True", "None")
        options = self.options(
            normed=flags, return_diag=flags, use_out_degree=flags, copy=flags, symmetrized=flags,
            form=("'array'", "'lo'", "'function'", "'x'", "None", "3"),
            dtype=("None", "'d'", "'D'", "'i'", "'x'", "'f'", "bool"),
        )  # fmt: skip
        shown = (
            "[v @ xp.eye(len(m)) if hasattr(v, 'matvec') else v(xp.eye(len(m))) if callable(v) "
            "else v for v in (r if isinstance(r, tuple) else (r,))]"
        )
        return self.made(m, form, f"gr.laplacian(g{options})", shown)

    def dense(self) -> Program:
        """Dense graphs made sparse, and the other way round."""
        m, form = self.graph("nan", "inf", "negative", "integer")
        null = ("0", "xp.nan", "xp.inf", "None", "-1", "-xp.inf", "'x'", "1j", "[0]", "True")
        flags = ("True", "False", "True", "None")
        call = self.pick(
            f"gr.csgraph_to_dense(g{self.options(null_value=null)})",
            "gr.csgraph_from_dense(g"
            f"{self.options(null_value=null, nan_null=flags, infinity_null=flags)})",
        )
        return self.made(m, form, call)
