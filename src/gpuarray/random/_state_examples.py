"""The examples of `RandomState`'s methods: a draw each, by its arguments."""

from __future__ import annotations

from gpuarray._namespace.shared_texts import add_sections

#: Arguments of a draw of three variates, without the size.
_DRAWS = {
    "beta": "2.0, 3.0",
    "binomial": "10, 0.5",
    "chisquare": "4.0",
    "exponential": "2.0",
    "f": "4.0, 8.0",
    "gamma": "2.0, 3.0",
    "geometric": "0.5",
    "gumbel": "0.0, 1.0",
    "hypergeometric": "10, 20, 5",
    "laplace": "0.0, 1.0",
    "logistic": "0.0, 1.0",
    "lognormal": "0.0, 1.0",
    "logseries": "0.5",
    "negative_binomial": "4, 0.5",
    "noncentral_chisquare": "4.0, 1.0",
    "noncentral_f": "4.0, 8.0, 1.0",
    "normal": "0.0, 2.0",
    "pareto": "3.0",
    "poisson": "4.5",
    "power": "3.0",
    "randint": "0, 10",
    "rayleigh": "2.0",
    "standard_gamma": "2.0",
    "standard_t": "4.0",
    "triangular": "0.0, 1.0, 4.0",
    "uniform": "-1.0, 1.0",
    "vonmises": "0.0, 2.0",
    "wald": "1.0, 2.0",
    "weibull": "2.0",
    "zipf": "3.0",
    "random_sample": "",
    "standard_cauchy": "",
    "standard_exponential": "",
    "standard_normal": "",
    "tomaxint": "",
}
#: Other calls, and what they show.
_CALLS = {
    "bytes": ("len(state.bytes(5))", "5"),
    "choice": ("state.choice(10, size=3, replace=False).shape", "(3,)"),
    "dirichlet": ("state.dirichlet([1.0, 2.0]).shape", "(2,)"),
    "get_state": ('state.get_state()["bit_generator"]', "'Philox4x32-10'"),
    "multinomial": ("state.multinomial(6, [0.5, 0.5]).sum()", "array(6)"),
    "multivariate_normal": (
        "state.multivariate_normal([0.0, 0.0], [[1, 0], [0, 1]]).shape",
        "(2,)",
    ),
    "permutation": ("sorted(state.permutation(3).tolist())", "[0, 1, 2]"),
    "rand": ("state.rand(3).shape", "(3,)"),
    "randn": ("state.randn(3).shape", "(3,)"),
    "random_integers": ("state.random_integers(6, 6)  # doctest: +SKIP", "array(6)"),
    "seed": ("state.seed(1)", ""),
    "set_state": ("state.set_state(state.get_state())", ""),
    "shuffle": ("state.shuffle(cp.arange(3))", ""),
}


def _example(call: str, shown: str) -> dict[str, str]:
    lines = ["Examples", "--------", ">>> import gpuarray as cp"]
    lines += [">>> state = cp.random.RandomState(1)", f">>> {call}", shown]
    return {"Examples": "\n".join(lines).rstrip()}


def add_examples(cls: type) -> None:
    """Give the methods of the class that draw their examples."""
    for name, arguments in _DRAWS.items():
        given = f"{arguments}, size=3" if arguments else "size=3"
        add_sections(getattr(cls, name), _example(f"state.{name}({given}).shape", "(3,)"))
    for name, (call, shown) in _CALLS.items():
        add_sections(getattr(cls, name), _example(call, shown))
