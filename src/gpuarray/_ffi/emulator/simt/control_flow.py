"""Basic blocks of a function body, their order, and which registers live into each."""

from __future__ import annotations

from collections.abc import Callable

from ..ptx.syntax import (
    Address,
    Arguments,
    CodeLabel,
    Identifier,
    Instruction,
    NegatedPredicate,
    Pair,
    PTXError,
    PTXFunction,
    Register,
    Vector,
    opcode,
)

_BRANCH = opcode("bra")
#: Opcodes whose first operand is not a destination.
_NO_RESULT = frozenset((
    "st", "red", "membar", "fence", "bar", "barrier", "nanosleep", "trap", "brkpt", "cp",
    "pmevent", "prefetch", "prefetchu", "call", "discard", "applypriority", "stmatrix", "exit",
    "ret", "griddepcontrol", "setmaxnreg", "wgmma", "multimem", "sust", "sured",
))  # fmt: skip
#: Warp-wide instructions that wait for all lanes named in a member mask.
_WARP_SYNC = frozenset(("shfl", "vote", "match", "redux", "elect"))


class BasicBlock:
    """A basic block. ``kind`` of its end says which of the other fields count.

    jump: ``successors[0]``. branch: ``successors`` are (if true, if false) of ``guard``.
    switch: ``index`` picks from ``table``. barrier, call: ``instruction``, then
    ``successors[0]``. return: nothing.
    """

    __slots__ = (
        "defined", "guard", "index", "instruction", "instructions", "kind", "line", "live",
        "number", "position", "predecessors", "registers", "successors", "sync", "table", "used",
    )  # fmt: skip

    def __init__(self, position: int):
        self.position = position  # in source order
        self.number = -1  # in execution order
        self.instructions: list[Instruction] = []
        self.kind = ""
        self.successors: list[BasicBlock] = []
        self.predecessors: list[BasicBlock] = []
        self.table: list[BasicBlock] = []
        self.guard: Register | None = None
        self.index: Register | None = None
        self.instruction: Instruction | None = None
        self.line = 0
        #: The warp-synchronous instruction that this block begins with, if it does.
        self.sync: Instruction | None = None
        self.defined: set[str] = set()
        self.used: set[str] = set()
        self.live: set[str] = set()
        self.registers: list[str] = []  # live, in argument order


def is_block_barrier(i: Instruction) -> bool:
    if i.name == "barrier" and "cluster" in i.opcode.flags:
        return "wait" in i.opcode.flags
    return i.name in ("bar", "barrier") and not i.opcode.flags & {"warp", "arrive"}


def is_warp_sync(i: Instruction) -> bool:
    flags = i.opcode.flags
    if i.name in _WARP_SYNC:
        return "sync" in flags
    return i.name == "bar" and "warp" in flags


def member_mask(i: Instruction):
    """The operand that names the lanes of a warp-synchronous instruction."""
    return i.operands[-1]


def blocks_behind(order: list[BasicBlock]) -> dict[int, list[int]]:
    """Of each block that does something: the blocks with member masks that are over there.

    Those lead to it, and it does not lead back to them.
    """
    before: dict[BasicBlock, list[BasicBlock]] = {block: [] for block in order}
    for block in order:
        for following in block.successors:
            before[following].append(block)
    found: dict[int, list[int]] = {}
    for block in order:
        if block.sync is None:
            continue
        behind = _closure(block, lambda b: b.successors) - _closure(block, before.__getitem__)
        for other in behind:
            if other.instructions or other.kind in ("barrier", "call"):
                found.setdefault(other.number, []).append(block.number)
    return found


def _closure(
    block: BasicBlock, following: Callable[[BasicBlock], list[BasicBlock]]
) -> set[BasicBlock]:
    """The block, and all that can be reached from it."""
    seen = {block}
    stack = [block]
    while stack:
        for other in following(stack.pop()):
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return seen


def build_blocks(function: PTXFunction, ends_block) -> list[BasicBlock]:
    """Blocks in execution order. ``ends_block(call)`` says whether a call leaves the function."""
    blocks = _Builder(function, ends_block).blocks
    reachable = _reachable(blocks[0])
    _join_chains(blocks, reachable)
    return weak_topological_order(reachable, blocks[0])


class _Builder:
    def __init__(self, function: PTXFunction, ends_block):
        self.function = function
        self.ends_block = ends_block
        self.blocks: list[BasicBlock] = []
        self.labels: dict[str, BasicBlock] = {}
        self.pending: list[tuple[BasicBlock, list[str], bool]] = []
        self.current = self._new()
        self.synced: object = None
        self.skips = 0
        for item in function.body:
            if type(item) is CodeLabel:
                self._label(item.name)
            elif item.guard is not None and item.name != "bra":
                self._guarded(item)
            else:
                self._add(item)
        if not self.current.kind:
            self.current.kind = "return"
        for block, names, is_table in self.pending:
            targets = [self._target(name) for name in names]
            if is_table:
                block.table = targets
                block.successors = list(dict.fromkeys(targets))
            elif block.kind == "jump":
                block.successors = targets
            else:  # a branch knows one successor already: the fall-through
                block.successors[block.successors.index(None)] = targets[0]

    def _target(self, name: str) -> BasicBlock:
        if name not in self.labels:
            raise PTXError(f"{self.function.name} branches to an unknown label {name}")
        return self.labels[name]

    def _new(self) -> BasicBlock:
        block = BasicBlock(len(self.blocks))
        self.blocks.append(block)
        self.synced = None
        return block

    def _fall_into_new(self) -> BasicBlock:
        """End the current block (if it has not ended) where a new one begins."""
        block = self._new()
        if not self.current.kind:
            self.current.kind = "jump"
            self.current.successors = [block]
        self.current = block
        return block

    def _label(self, name: str) -> None:
        if self.current.instructions or self.current.kind or self.current.sync:
            self._fall_into_new()
        self.labels[name] = self.current
        self.synced = None

    def _guarded(self, i: Instruction) -> None:
        """Turn a predicated instruction into a branch around it."""
        self.skips += 1
        skip = f"(skip {self.skips})"
        self._add(Instruction(_BRANCH, (Identifier(skip),), i.line, i.guard, not i.negated))
        self._add(Instruction(i.opcode, i.operands, i.line))
        self._label(skip)

    def _add(self, i: Instruction) -> None:
        if self.current.kind:
            self.current = self._new()
        block = self.current
        name = i.name
        if is_block_barrier(i):
            self._end("barrier", i)
        elif name == "call" and self.ends_block(i):
            self._end("call", i)
        elif name == "bra":
            if i.guard is None:
                block.kind = "jump"
                self.pending.append((block, [i.operands[0].name], False))
            else:
                block.kind, block.guard, block.line = "branch", i.guard, i.line
                following = self._new()
                block.successors = [following, None] if i.negated else [None, following]
                self.pending.append((block, [i.operands[0].name], False))
                self.current = following
        elif name == "brx":
            block.kind, block.index, block.line = "switch", i.operands[0], i.line
            self.pending.append((block, self.function.tables[i.operands[1].name], True))
        elif name in ("ret", "exit"):
            block.kind, block.line = name.replace("ret", "return"), i.line
        elif name == "trap":
            block.instructions.append(i)
            block.kind = "exit"
        else:
            if is_warp_sync(i):
                # One wait serves all later instructions of the block with the same mask.
                mask = member_mask(i)
                if self.synced != mask:
                    if block.instructions or block.sync:
                        block = self._fall_into_new()
                    block.sync = i
                    self.synced = mask
            block.instructions.append(i)
            if type(self.synced) is Register and self.synced in registers_in(i.operands[:1]):
                self.synced = None

    def _end(self, kind: str, i: Instruction) -> None:
        block = self.current
        block.kind, block.instruction, block.line = kind, i, i.line
        self.current = self._new()
        block.successors = [self.current]


def _reachable(entry: BasicBlock) -> set[BasicBlock]:
    seen: set[BasicBlock] = set()
    stack = [entry]
    while stack:
        block = stack.pop()
        if block not in seen:
            seen.add(block)
            stack += block.successors
    for block in seen:
        for successor in block.successors:
            successor.predecessors.append(block)
    return seen


def _join_chains(blocks: list[BasicBlock], reachable: set[BasicBlock]) -> None:
    """Append a block to its only predecessor where that only jumps to it."""
    for block in blocks:
        if block not in reachable:
            continue
        while block.kind == "jump":
            following = block.successors[0]
            if len(following.predecessors) != 1 or following is block or following.sync:
                break
            block.instructions += following.instructions
            for field in ("kind", "successors", "table", "guard", "index", "instruction", "line"):
                setattr(block, field, getattr(following, field))
            for successor in following.successors:
                successor.predecessors = [
                    block if p is following else p for p in successor.predecessors
                ]
            reachable.discard(following)


# ------------------------------------------------------------------ execution order


def weak_topological_order(nodes: set[BasicBlock], entry: BasicBlock) -> list[BasicBlock]:
    """Number blocks so that loops are contiguous, and what follows a loop comes after it.

    The scheduler always runs the lowest pending block, so lanes that left a loop early wait for
    the others and continue together.
    """
    order: list[BasicBlock] = []
    work: list[tuple[set[BasicBlock], BasicBlock]] = [(nodes, entry)]
    while work:
        members, first = work.pop()
        components = _components(members, first)
        later: list[tuple[set[BasicBlock], BasicBlock]] = []
        for component in components:
            if len(component) == 1:
                later.append((component, next(iter(component))))
                continue
            head = next((b for b in component if b is first), None) or min(
                (b for b in component if any(p not in component for p in b.predecessors)),
                key=lambda b: b.position,
            )
            rest = component - {head}
            follower = next((s for s in head.successors if s in rest), None)
            later.append(({head}, head))
            later.append((rest, follower or min(rest, key=lambda b: b.position)))
        if len(later) == 1 and len(later[0][0]) == 1:
            order.append(later[0][1])
        else:
            work += reversed(later)
    for number, block in enumerate(order):
        block.number = number
    return order


def _components(members: set[BasicBlock], first: BasicBlock) -> list[set[BasicBlock]]:
    """Strongly connected components in topological order (Tarjan, without recursion)."""
    index: dict[BasicBlock, int] = {}
    low: dict[BasicBlock, int] = {}
    stack: list[BasicBlock] = []
    on_stack: set[BasicBlock] = set()
    found: list[set[BasicBlock]] = []
    roots = [first, *sorted(members - {first}, key=lambda b: b.position)]
    for root in roots:
        if root in index:
            continue
        work = [(root, iter(root.successors))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            block, successors = work[-1]
            for successor in successors:
                if successor not in members:
                    continue
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(successor.successors)))
                    break
                if successor in on_stack:
                    low[block] = min(low[block], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[block])
                if low[block] == index[block]:
                    component: set[BasicBlock] = set()
                    while block not in component:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.add(member)
                    found.append(component)
    found.reverse()
    return found


# ------------------------------------------------------------------ registers


def registers_in(operands) -> list[Register]:
    """All registers named by operands."""
    found: list[Register] = []
    for operand in operands:
        kind = type(operand)
        if kind is Register:
            found.append(operand)
        elif kind is Address:
            if type(operand.base) is Register:
                found.append(operand.base)
        elif kind is NegatedPredicate:
            found.append(operand.operand)
        elif kind is Vector or kind is Arguments:
            found += registers_in(operand.items)
        elif kind is Pair:
            found += registers_in(operand)
    return found


def defines_and_uses(i: Instruction) -> tuple[list[str], list[str]]:
    """Names of registers that an instruction writes and reads (parameter slots aside)."""
    found = i.effects
    if found is None:
        operands = i.operands
        if i.name in _NO_RESULT or not operands or type(operands[0]) is Address:
            found = [], [r.name for r in registers_in(operands)]
        else:
            found = (
                [r.name for r in registers_in(operands[:1])],
                [r.name for r in registers_in(operands[1:])],
            )
        i.effects = found
    return found


def solve_liveness(order: list[BasicBlock], effects) -> None:
    """Fill ``live`` and ``registers``; ``effects(block)`` yields (defines, uses) in order."""
    for block in order:
        defined, used = block.defined, block.used
        for defines, uses in effects(block):
            for name in uses:
                if name not in defined:
                    used.add(name)
            defined.update(defines)
        block.live = set(used)
    pending = dict.fromkeys(reversed(order))
    while pending:
        block = next(iter(pending))
        del pending[block]
        out: set[str] = set()
        for successor in block.successors:
            out |= successor.live
        live = block.used | (out - block.defined)
        if live != block.live:
            block.live = live
            for predecessor in block.predecessors:
                pending[predecessor] = None
    for block in order:
        block.registers = sorted(block.live)
