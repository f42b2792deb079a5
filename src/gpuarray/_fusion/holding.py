"""Memory that is held for operations that run later.

An operand that nobody has any more is freed later than if its operation had run. That must not be
seen in what is in use at most. Whether it is, is found where a sequence runs: then it runs one by
one, which frees each operand behind its last use, and when the sequence is recorded the next time
the operation with which it held too much looks first. What is new to the trie looks, too, and so
does an operation with a new operand in memory, if nobody has the one any more that was new before.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._fusion.sequences import NOTHING, Node
from gpuarray._fusion.steps import View

if TYPE_CHECKING:
    from gpuarray._fusion.batches import Batch
    from gpuarray._fusion.deferred import Deferred

#: Small operands that nobody has any more do not matter: a share of 2**-6.
_SLACK = 6

_one = [object()]
#: References to what only a log has, as they are counted for an element of it.
_ONLY = sys.getrefcount(_one[0])
#: And to memory that only what is recorded has: the log, and the table of memory.
ONLY_RECORDED = _ONLY + 1


def _owners(node: Node) -> list[int | None]:
    """Of each operation the one whose memory its result is in; None for an array that exists."""
    found: list[int | None] = []
    for i, use in enumerate(node.uses()):
        if isinstance(use.step, View):
            assert use.operands[0] is not None
            found.append(found[use.operands[0]])
        elif use.target is None:
            found.append(i)
        else:
            found.append(found[use.target] if use.target >= 0 else None)
    return found


def _held(
    node: Node, sizes: Sequence[int], dropped: Collection[int], alive: Collection[int]
) -> list[tuple[int, int]]:
    """What is held with each operation, if it runs later, and at least if it runs at once.

    Parameters
    ----------
    node : Node
        The operations.
    sizes : sequence of int
        Bytes of the arrays' memory.
    dropped : collection of int
        Places of memory that nobody has any more.
    alive : collection of int
        Operations whose results somebody has.
    """
    uses, owners = node.uses(), _owners(node)
    #: Memory: place of an array's, or ~operation -> bytes, first and last use.
    nbytes: dict[int, int] = {}
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for i, use in enumerate(uses):
        for x in (*use.operands, use.target, i):
            if x is None:
                continue
            owner = owners[x] if x >= 0 else None
            if owner is not None:
                key, size = ~owner, uses[owner].step.nbytes
            else:
                target = x if x < 0 else uses[x].target
                assert target is not None
                key, size = node.leaves[~target].memory, sizes[~target]
            nbytes[key] = size
            first.setdefault(key, i)
            last[key] = i
    kept = {x for x in nbytes if x >= 0 and x not in dropped}
    kept |= {~owner for i, owner in enumerate(owners) if owner is not None and i in alive}
    found = []
    for i in range(len(uses)):
        there = [x for x in nbytes if first[x] <= i]
        later = sum([nbytes[x] for x in there if x >= 0 or x in kept])
        found.append((later, sum([nbytes[x] for x in there if x in kept or last[x] >= i])))
    return found


def holds_more(
    noted: Deferred, following: Node, log: list[Any], fresh: Sequence[tuple[Any, ...]]
) -> bool:
    """Whether to record an operation would hold more memory than running at once."""
    known = following.leaves[: len(following.leaves) - len(fresh)]
    dropped = {x.memory for x in known if sys.getrefcount(log[x.memory]) <= ONLY_RECORDED}
    if not dropped and not following.checked:
        return False
    sizes = []
    for x in known:
        memory = log[x.memory]  # None: another thread has taken the log, and frees what it used
        if memory is None:
            return False
        sizes.append(memory.size)
    sizes += [x[0].size for x in fresh]
    alive = {
        i
        for i, place in enumerate(following.results)
        if i == following.number - 1 or sys.getrefcount(log[place]) > _ONLY
    }
    held = _held(following, sizes, dropped, alive - following.given_up)
    most = max([noted.most, *[most for _, most in held]])
    if noted.log is log:
        noted.most = most
    return _is_more(held[-1][0], most)


def first_that_holds_more(batch: Batch, dropped: Collection[int]) -> int | None:
    """The first operation up to which running later holds more memory than running at once."""
    node, log = batch.node, batch.log
    sizes = [log[x.memory].size for x in node.leaves]
    alive = {i for i in range(node.number) if batch.is_wanted(i)}
    most = batch.most
    for i, (later, now) in enumerate(_held(node, sizes, dropped, alive)):
        most = max(most, now)
        if i and _is_more(later, most):
            return i
    return None


def _is_more(held: int, most: int) -> bool:
    return held > most + (most >> _SLACK)


def check(node: Node, number: int) -> None:
    """Have the operation of a number look first from now on."""
    found = node.before(number + 1)
    found.checked = True
    assert found.parent is not None
    if found.parent.next is found:
        found.parent.next = NOTHING
