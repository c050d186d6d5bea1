"""TO_CHANGELOG and FROM_CHANGELOG: changes as rows with a column of their kind, and such rows as changes."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import refused, unknown, wrong
from datastream.table.plan.expressions import Descriptor, Expression, Position
from datastream.table.plan.relations import Column, FromChangelog, Relation, ToChangelog
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import CharType, MapType, VarCharType

from .constants import NotConstant, constant
from .process_arguments import Given, GivenTable
from .resolver import Resolver
from .scope import Scope

TO, FROM = "TO_CHANGELOG", "FROM_CHANGELOG"
#: The kinds by their numbers.
KINDS = ("INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE")
_ARGUMENTS = ("input", "op", "op_mapping")
_OP = "op"


def changelog_function(
    name: str, given: Sequence[Given], functions: FunctionLookup, position: Position | None
) -> Relation | None:
    """The relation of a call; None: the function is another one.

    Args:
        name: Of the function.
        given: The arguments.
        functions: Finds functions; a user's of this name goes before.
        position: Where the call is written.

    Raises:
        ValidationError: An argument is missing or wrong.
        UnsupportedOperation: In batch mode.
    """
    if name.upper() not in (TO, FROM) or functions.find(name) is not None:
        return None
    call = _Call(name.upper(), functions, position)
    if functions.of_batch:
        raise refused(f"{call.name} runs in streaming mode only, as in Flink", position)
    return call.bind(given)


class _Call:
    def __init__(self, name: str, functions: FunctionLookup, position: Position | None) -> None:
        self.name, self._functions, self._position = name, functions, position

    def bind(self, given: Sequence[Given]) -> Relation:
        found = self._matched(given)
        if "input" not in found or not isinstance(found["input"].value, GivenTable):
            raise self._wrong("the argument 'input' expects a table: TABLE t", found.get("input"))
        table = found["input"].value
        if table.partition:
            raise self._wrong("Only tables with set semantics may be partitioned. Invalid PARTITION BY", found["input"])
        op, mapping = self._op(found.get("op")), self._mapping(found.get("op_mapping"))
        if self.name == TO:
            return self._to(table.relation, op, mapping)
        return self._from(table.relation, op, mapping, found.get("op"))

    def _to(self, relation: Relation, op: str, mapping: Sequence[tuple[str, str]] | None) -> Relation:
        codes: list[str | None] = list(KINDS) if mapping is None else [None] * len(KINDS)
        for kinds, code in mapping or ():
            for kind in map(str.strip, kinds.split(",")):
                place = self._kind(kind)
                if codes[place] is not None:
                    raise self._wrong(f"op_mapping: the change operation '{kind}' is there twice")
                codes[place] = code
        if op in relation.names:
            raise self._wrong(f"the table has a column '{op}': give another name, op => DESCRIPTOR(name)")
        columns = (Column(op, VarCharType(2**31 - 1)), *(Column(each.name, each.type) for each in relation.columns))
        return ToChangelog(relation, tuple(codes), columns=columns)

    def _from(
        self, relation: Relation, op: str, mapping: Sequence[tuple[str, str]] | None, given: Given | None
    ) -> Relation:
        if op not in relation.names:
            raise unknown("column", op, relation.names, self._position if given is None else given.position)
        place = relation.names.index(op)
        if not isinstance(relation.columns[place].type, CharType | VarCharType):
            raise self._wrong(f"the column '{op}' has to be a STRING, and it is {relation.columns[place].type}", given)
        kinds: dict[str, int] = {}
        for codes, kind in mapping or zip(KINDS, KINDS, strict=True):
            if self._kind(kind) in kinds.values():
                raise self._wrong(f"op_mapping: '{kind}' is there twice; codes of one kind are one text: 'c, r'")
            for code in map(str.strip, codes.split(",")):
                if code in kinds:
                    raise self._wrong(f"op_mapping: the code '{code}' is there twice")
                kinds[code] = self._kind(kind)
        columns = tuple(Column(each.name, each.type) for i, each in enumerate(relation.columns) if i != place)
        return FromChangelog(relation, place, tuple(kinds.items()), columns=columns)

    # -- arguments -----------------------------------------------------------------------------------

    def _matched(self, given: Sequence[Given]) -> dict[str, Given]:
        """The arguments by their names."""
        found: dict[str, Given] = {}
        for place, each in enumerate(given):
            if each.name is None and (len(found) > place or place >= len(_ARGUMENTS)):
                raise self._wrong(f"takes {', '.join(_ARGUMENTS)}, those by place before those by name", each)
            name = _ARGUMENTS[place] if each.name is None else each.name
            if name not in _ARGUMENTS:
                raise unknown(f"argument of {self.name} has the name", name, _ARGUMENTS, each.position)
            if name in found:
                raise self._wrong(f"the argument '{name}' is given twice", each)
            found[name] = each
        return found

    def _op(self, given: Given | None) -> str:
        if given is None:
            return _OP
        if not isinstance(given.value, Descriptor) or len(given.value.names) != 1:
            raise self._wrong("the argument 'op' expects one column: DESCRIPTOR(op)", given)
        return given.value.names[0]

    def _mapping(self, given: Given | None) -> list[tuple[str, str]] | None:
        """The pairs of a constant map of texts; None: it is not given."""
        if given is None:
            return None
        problem = self._wrong("the argument 'op_mapping' expects a constant map: MAP['INSERT', 'I']", given)
        if not isinstance(given.value, Expression):
            raise problem
        resolved = Resolver(Scope((), ()), self._functions).resolve(given.value)
        kind = type_of(resolved)
        if not isinstance(kind, MapType):
            raise problem
        try:
            pairs = constant(resolved, self._functions)
        except NotConstant:
            raise problem from None
        if not pairs or not all(isinstance(text, str) for pair in pairs.items() for text in pair):
            raise problem
        return list(pairs.items())

    def _kind(self, name: str) -> int:
        if name not in KINDS:
            raise self._wrong(f"op_mapping: '{name}' is no kind of change; there are {', '.join(KINDS)}")
        return KINDS.index(name)

    def _wrong(self, message: str, given: Given | None = None) -> Exception:
        return wrong(f"{self.name}: {message}", self._position if given is None else given.position or self._position)
