"""Parse the body of one PTX function."""

from __future__ import annotations

from .declarations import parse_variables
from .syntax import (
    TYPE_SIZES,
    Address,
    Arguments,
    CodeLabel,
    Discard,
    Identifier,
    Immediate,
    Instruction,
    NegatedPredicate,
    Opcode,
    Pair,
    PTXError,
    PTXFunction,
    Register,
    SpecialRegister,
    Vector,
    opcode,
)
from .tokens import literal, tokens_with_lines
from .vocabulary import is_special_register, unknown_word

_AFTER_OPERAND = frozenset(",;")
_DISCARD = Discard()
_DECLARATIONS = frozenset((".local", ".shared", ".param", ".const", ".global"))


def parse_body(function: PTXFunction, text: str, line: int) -> None:
    """Fill ``function`` from the text between its braces, which begins on ``line``."""
    _BodyParser(function, text, line).parse()


class _BodyParser:
    """Recursive descent over a token list.

    Operands repeat a lot, so simple ones are cached by their token; the cache is cleared
    whenever a ``{...}`` scope (of inline assembly, or of a call) changes the meaning of names.
    """

    def __init__(self, function: PTXFunction, text: str, line: int):
        self.function = function
        self.tokens, self.lines = tokens_with_lines(text, line)
        self.scopes: list[dict[str, str]] = [{}]
        self.scope_count = 0
        self.scope_ids = [0]
        self.ranges: dict[str, tuple[str, int]] = {}
        self.cache: dict[str, object] = {}
        self.labels: set[str] = set()
        self.k = 0

    def parse(self) -> None:
        tokens, count = self.tokens, len(self.tokens)
        try:
            while self.k < count:
                self._statement(tokens[self.k])
        except IndexError:
            raise self._error(min(self.k, count - 1), "a statement without its ';'") from None
        except (ValueError, KeyError, AttributeError, TypeError, PTXError) as error:
            raise self._error(min(self.k, count - 1), str(error)) from None
        self._link_labels()

    def _error(self, at: int, message: str) -> PTXError:
        line = self.lines[at]
        return PTXError(f"line {line} of {self.function.name}: {message}", line)

    def _statement(self, token: str) -> None:
        if token == "{":
            self.scope_count += 1
            self.scopes.append({})
            self.scope_ids.append(self.scope_count)
            self.k += 1
        elif token == "}":
            if self.scopes.pop():
                self.cache.clear()
            self.scope_ids.pop()
            self.k += 1
        elif token == ";":
            self.k += 1
        elif token[0] == ".":
            self._directive(token)
        elif self.k + 1 < len(self.tokens) and self.tokens[self.k + 1] == ":":
            self._label(token)
        else:
            self._instruction()

    # -------------------------------------------------------------- directives

    def _directive(self, token: str) -> None:
        if token == ".reg" or token.startswith(".reg."):
            self._registers(token)
        elif token in _DECLARATIONS:
            end = self.tokens.index(";", self.k)
            for variable in parse_variables(self.tokens[self.k : end]):
                if len(self.scopes) > 1 and variable.name in self.function.variables:
                    self._rename(variable.name)
                    variable.name = self.scopes[-1][variable.name]
                self.function.variables[variable.name] = variable
            self.k = end + 1
        elif token == ".loc":
            line = self.lines[self.k]
            while self.k < len(self.tokens) and self.lines[self.k] == line:
                self.k += 1
        else:  # .pragma and other directives
            self.k = self.tokens.index(";", self.k) + 1

    def _registers(self, token: str) -> None:
        tokens = self.tokens
        if token == ".reg":
            type_ = tokens[self.k + 1][1:]
            self.k += 2
        else:
            type_ = token[5:]
            self.k += 1
        if type_ not in TYPE_SIZES:
            raise ValueError(f"unknown register type .{type_}")
        while True:
            name = tokens[self.k]
            self.k += 1
            if tokens[self.k] == "<":
                self.ranges[name] = (type_, int(tokens[self.k + 1]))
                self.k += 3
            else:
                if len(self.scopes) > 1:
                    name = self._rename(name)
                self.function.registers[name] = type_
            if tokens[self.k] != ",":
                break
            self.k += 1
        self.k += 1

    def _rename(self, name: str) -> str:
        """Give a name declared in an inner scope a unique name."""
        scoped = f"{name}@{self.scope_ids[-1]}"
        self.scopes[-1][name] = scoped
        self.cache.clear()
        return scoped

    # -------------------------------------------------------------- labels

    def _label(self, name: str) -> None:
        # With -lineinfo the body ends in a label.
        following = self.tokens[self.k + 2] if self.k + 2 < len(self.tokens) else ""
        if following in (".branchtargets", ".callprototype", ".calltargets"):
            end = self.tokens.index(";", self.k)
            if following == ".branchtargets":
                self.function.tables[name] = [t for t in self.tokens[self.k + 3 : end] if t != ","]
            self.k = end + 1
            return
        if len(self.scopes) > 1 and name in self.labels:
            name = f"{name}@{self.scope_ids[-1]}"
        self.labels.add(name)
        self.function.body.append(CodeLabel(name))
        self.k += 2

    def _link_labels(self) -> None:
        """Resolve labels: a branch inside a ``{...}`` scope means the label of that scope."""
        scope_of: dict[str, list[int]] = {}
        for index, item in enumerate(self.function.body):
            if type(item) is CodeLabel and "@" in item.name:
                scope_of.setdefault(item.name.split("@")[0], []).append(index)
        for index, item in enumerate(self.function.body):
            if type(item) is not Instruction or item.name != "bra":
                continue
            target = item.operands[0] if item.operands else None
            if type(target) is not Identifier or target.name not in self.labels:
                where = f"line {item.line} of {self.function.name}"
                raise PTXError(f"{where}: a branch to a label that is nowhere", item.line)
            positions = scope_of.get(target.name)
            if positions:
                base = next(
                    i
                    for i, x in enumerate(self.function.body)
                    if type(x) is CodeLabel and x.name == target.name
                )
                nearest = min([*positions, base], key=lambda position: abs(position - index))
                item.operands = (Identifier(self.function.body[nearest].name), *item.operands[1:])

    # -------------------------------------------------------------- instructions

    def _instruction(self) -> None:
        tokens = self.tokens
        line = self.lines[self.k]
        guard = None
        negated = False
        if tokens[self.k] == "@":
            self.k += 1
            if tokens[self.k] == "!":
                negated = True
                self.k += 1
            guard = self._operand()
        parsed = opcode(tokens[self.k])
        if parsed.checked is not True:
            self._check(parsed)
        k = self.k + 1
        operands = []
        lookup = self.cache.get
        token = tokens[k]
        while token != ";":
            operand = lookup(token)
            if operand is not None and tokens[k + 1] in _AFTER_OPERAND:  # as nearly all are
                operands.append(operand)
                k += 1
            elif token == ",":
                k += 1
            else:
                self.k = k
                operands.append(self._operand())
                k = self.k
                if tokens[k] not in _AFTER_OPERAND:
                    raise ValueError(f"expected ',' or ';' before {tokens[k]!r}")
            token = tokens[k]
        self.k = k + 1
        self.function.body.append(Instruction(parsed, tuple(operands), line, guard, negated))

    def _check(self, parsed: Opcode) -> None:
        """Refuse words that PTX does not have; done once for each opcode."""
        unknown = unknown_word(parsed.name, parsed.modifiers)
        if unknown:
            raise ValueError(f"PTX has no {unknown}")
        parsed.checked = True

    def _operand(self):
        token = self.tokens[self.k]
        cached = self.cache.get(token)
        if cached is not None:
            self.k += 1
            following = self.tokens[self.k]
            if following == "|":
                self.k += 1
                return Pair(cached, self._operand())
            if following in "+-" and type(cached) is Identifier:
                return self._with_offset(cached)
            return cached
        if token == "[":
            return self._address()
        if token == "{":
            return Vector(self._list("}"))
        if token == "(":
            return Arguments(self._list(")"))
        if token == "!":
            self.k += 1
            return NegatedPredicate(self._operand())
        if token == "-":
            self.k += 1
            operand = self._operand()
            return Immediate("int", -operand.value)
        if token[0].isdigit():
            operand = literal(token)
        elif token == "_":
            operand = _DISCARD
        else:
            operand = self._name(token)
        self.cache[token] = operand
        return self._operand()

    def _list(self, close: str) -> tuple:
        self.k += 1
        items = []
        while self.tokens[self.k] != close:
            if self.tokens[self.k] == ",":
                self.k += 1
            else:
                items.append(self._operand())
        self.k += 1
        return tuple(items)

    def _address(self) -> Address:
        self.k += 1
        base = self._operand()
        offset = 0
        if type(base) is Identifier:
            base, offset = Identifier(base.name), base.offset
        while self.tokens[self.k] in "+-":
            sign = 1 if self.tokens[self.k] == "+" else -1
            self.k += 1
            if self.tokens[self.k] == "-":
                sign = -sign
                self.k += 1
            offset += sign * literal(self.tokens[self.k]).value
            self.k += 1
        if self.tokens[self.k] == ",":  # tensors and textures have coordinates as well
            return Vector((Address(base, offset), *self._list("]")))
        if self.tokens[self.k] != "]":
            raise ValueError(f"expected ']' and found {self.tokens[self.k]!r}")
        self.k += 1
        return Address(base, offset)

    def _with_offset(self, symbol: Identifier) -> Identifier:
        sign = 1 if self.tokens[self.k] == "+" else -1
        number = literal(self.tokens[self.k + 1])
        self.k += 2
        return Identifier(symbol.name, symbol.offset + sign * number.value)

    def _is_register(self, name: str) -> bool:
        """Whether a register is declared: by its name, or as one of a range of them."""
        if name in self.function.registers:
            return True
        prefix = name.rstrip("0123456789")
        declared = self.ranges.get(prefix)
        if declared is None or prefix == name or int(name[len(prefix) :]) >= declared[1]:
            return False
        self.function.registers[name] = declared[0]
        return True

    def _name(self, token: str):
        for scope in reversed(self.scopes):
            if token in scope:
                name = scope[token]
                return Register(name) if name in self.function.registers else Identifier(name)
        if self._is_register(token):
            return Register(token)
        if token[0] == "%":
            # Selectors such as %r1.b0, of the video instructions, are left to the instruction.
            if not (is_special_register(token[1:]) or self._is_register(token.split(".")[0])):
                raise ValueError(f"the register {token} is not declared")
            return SpecialRegister(token[1:])
        if token == "WARP_SZ":
            return Immediate("int", 32)
        if not (token[0].isalpha() or token[0] in "_$"):
            raise ValueError(f"expected an operand, and found {token!r}")
        return Identifier(token)
