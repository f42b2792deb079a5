"""Making a case that differs shorter, as long as it differs in the same way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from tests.fuzz.case import Case, Interpreter, Operand
from tests.fuzz.comparison import Difference
from tests.fuzz.worker import Runner

#: Variants that are tried at most.
ATTEMPTS = 150


def shrink(case: Case, runner: Runner) -> tuple[Case, Difference | None]:
    """The shortest variant found, and its difference (None if the case itself has none)."""
    found = runner.differences([case], batch=1)
    if not found:
        return case, None
    difference = found[0][1]
    attempts = 0
    again = True
    while again:
        again = False
        for variant in _variants(case):
            attempts += 1
            if attempts > ATTEMPTS:
                return case, difference
            found = runner.differences([variant], batch=1)
            if found and found[0][1].kind == difference.kind:
                case, difference = variant, found[0][1]
                again = True
                break
    return case, difference


def _variants(case: Case) -> Iterator[Case]:
    yield from _with_fewer_statements(case)
    yield from _with_fewer_arguments(case)
    yield from _with_plain_operands(case)
    yield from _with_shorter_operands(case)
    yield from _with_simpler_values(case)
    unused = {x.name for x in case.operands if not _uses(case, x)}
    if unused:
        yield case._replace(
            operands=tuple(x for x in case.operands if x.name not in unused),
            watched=tuple(x for x in case.watched if x not in unused),
        )


def _uses(case: Case, operand: Operand) -> bool:
    names = {
        node.id
        for text in case.program
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name)
    }
    return bool(names & {operand.name, operand.base})


def _with_fewer_statements(case: Case) -> Iterator[Case]:
    count = len(case.program)
    if count < 2:
        return
    size = count // 2
    while size:
        for start in range(0, count - size + (1 if case.stateful else 0), size):
            program = case.program[:start] + case.program[start + size :]
            if program:
                yield case._replace(program=program)
        size //= 2


def _with_fewer_arguments(case: Case) -> Iterator[Case]:
    for number, text in enumerate(case.program):
        tree = ast.parse(text)
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for call in calls:
            for position in range(len(call.keywords)):
                kept = call.keywords
                call.keywords = kept[:position] + kept[position + 1 :]
                program = list(case.program)
                program[number] = ast.unparse(tree)
                yield case._replace(program=tuple(program))
                call.keywords = kept


def _with_plain_operands(case: Case) -> Iterator[Case]:
    """One operand contiguous instead of a view."""
    for number, operand in enumerate(case.operands):
        if operand.view == operand.base:
            continue
        try:
            view = np.array(Interpreter(np).names(case)[operand.name], order="C")
        except Exception:
            return
        yield _with(case, number, operand._replace(shape=view.shape, view=operand.base, given=view))


def _with_shorter_operands(case: Case) -> Iterator[Case]:
    """All operands of contiguous memory with an axis of one length halved, or one shorter."""
    memories = [operand.memory() for operand in case.operands]
    lengths = sorted({n for memory in memories for n in memory.shape if n > 1}, reverse=True)
    for length in lengths:
        for shorter in sorted({1, length // 2, length - 1}):
            operands = []
            for operand, memory in zip(case.operands, memories):
                cut = memory[tuple(slice(0, shorter if n == length else n) for n in memory.shape)]
                shape = tuple(shorter if n == length else n for n in operand.shape)
                operands.append(operand._replace(given=cut.copy(), shape=shape))
            yield case._replace(operands=tuple(operands))


def _with_simpler_values(case: Case) -> Iterator[Case]:
    for number, operand in enumerate(case.operands):
        memory = operand.memory()
        if not memory.size or (memory == 0).all():
            continue
        yield _with(case, number, operand._replace(given=np.zeros_like(memory)))
        if (memory != 1).any():
            yield _with(case, number, operand._replace(given=np.ones_like(memory)))


def _with(case: Case, number: int, operand: Operand) -> Case:
    operands = list(case.operands)
    operands[number] = operand
    return case._replace(operands=tuple(operands))
