"""Where a function's syntax tree assigns to names and reads them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence


def count_assignments(body: Sequence[ast.stmt]) -> dict[str, int]:
    """How often each name is assigned to."""
    return Counter(
        [
            node.id
            for statement in body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
    )


def private_counters(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Variables of for statements that no statement outside of the loops uses."""
    inside: set[str] = set()
    outside: set[str] = set()

    def visit(node: ast.AST, loops: frozenset[str]) -> None:
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            inside.add(node.target.id)
            visit(node.iter, loops)
            for child in (*node.body, *node.orelse):
                visit(child, loops | {node.target.id})
            return
        if isinstance(node, ast.Name) and node.id not in loops:
            outside.add(node.id)
        for inner in ast.iter_child_nodes(node):
            visit(inner, loops)

    for statement in body:
        visit(statement, frozenset())
    return frozenset(inside - outside)
