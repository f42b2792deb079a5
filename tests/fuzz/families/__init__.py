"""The families of calls: each module draws recipes, and a recipe makes cases."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.case import Case
from tests.fuzz.drawing import CaseMaker, Draw
from tests.fuzz.families import (
    breakdowns,
    creation,
    functions,
    garbage,
    indexing,
    manipulation,
    products,
    reductions,
    scalars,
    sorting,
    stateful,
    ufuncs,
)

Recipe = tuple[str, Callable[[Draw, CaseMaker], Case]]

#: By name: what draws a recipe, and how many of a hundred recipes are drawn by it.
FAMILIES: dict[str, tuple[Callable[[Draw], Recipe], int]] = {
    "ufuncs": (ufuncs.recipe, 26),
    "reductions": (reductions.recipe, 15),
    "indexing": (indexing.recipe, 14),
    "manipulation": (manipulation.recipe, 12),
    "functions": (functions.recipe, 12),
    "sorting": (sorting.recipe, 9),
    "creation": (creation.recipe, 6),
    "products": (products.recipe, 6),
    "scalars": (scalars.recipe, 7),
    "garbage": (garbage.recipe, 6),
    "stateful": (stateful.recipe, 3),
    "breakdowns": (breakdowns.recipe, 0),
}


def cases_of(
    seed: int, recipe: int, numbers: range, sizes: str, families: tuple[str, ...] = ()
) -> list[Case]:
    """Cases of one recipe, each the same whichever others are made.

    Parameters
    ----------
    seed, recipe : int
        What the recipe depends on.
    numbers : range
        Which of its cases.
    sizes : {'small', 'full'}
        How long the longest axes are.
    families : tuple of str, optional
        The families to draw from; all by default.
    """
    draw = Draw(f"{seed}/{recipe}", sizes)
    chosen = families or [name for name, (_recipe, weight) in FAMILIES.items() if weight]
    family = draw.random.choices(chosen, [FAMILIES[name][1] or 1 for name in chosen])[0]
    _function, make = FAMILIES[family][0](draw)
    cases = []
    for number in numbers:
        id = f"{seed}/{recipe}/{number}"
        its = Draw(id, sizes)
        cases.append(make(its, CaseMaker(its, id, family)))
    return cases
