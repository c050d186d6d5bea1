"""Plans as JSON: dataclasses of relations and expressions, by the types of their fields.

A relation is written once, with a number; where others read it stands the number. A field that has its default is left
out, so that plans of earlier versions can be read when a field is added. Types are SQL: ``BIGINT NOT NULL``.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints
from typing import Literal as Choice

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.table.plan import expressions, relations, temporal_relations
from datastream.table.plan.expressions import Call, Expression
from datastream.table.plan.relations import Relation, StreamScan
from datastream.table.sql.parser import parse_data_type
from datastream.table.types.logical_types import DataType
from datastream.table.types.type_text import sql

#: Name of a function in plans -> its name in JSON, or the other way round.
Renaming = Callable[[str], str]

#: Values of constants that JSON has no form for: the key of an object -> type, how it is written, how it is read.
_CONSTANTS: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "float": (float, repr, float),
    "decimal": (Decimal, str, Decimal),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
}


class PlanWriter:
    """Writes plans.

    Args:
        function: Gives the name of a function in JSON.

    Attributes:
        nodes: The relations that were written, each after its inputs.
    """

    def __init__(self, function: Renaming) -> None:
        self._function = function
        self._numbers: dict[int, int] = {}
        self._kept: list[Relation] = []
        self.nodes: list[dict[str, Any]] = []

    def write(self, value: Any, hint: Any) -> Any:
        """A value as JSON.

        Args:
            value: The value.
            hint: The type that the field or parameter says.

        Raises:
            UnsupportedOperation: It has no form.
        """
        if value is None:
            return None
        kind = _without_none(hint)
        if kind is Any:
            return _written_constant(value)
        if get_origin(kind) is tuple:
            return [self.write(item, of) for item, of in zip(value, _items(kind, len(value)), strict=True)]
        if isinstance(value, DataType):
            return sql(value)
        if isinstance(value, Relation):
            return self._node(value)
        if isinstance(value, Call):
            value = dataclasses.replace(value, function=self._function(value.function))
        if dataclasses.is_dataclass(value):
            tag = {"node": type(value).__name__} if isinstance(value, Expression) else {}
            return tag | self._fields(value)
        return dict(value) if isinstance(value, Mapping) else value

    def _node(self, relation: Relation) -> int:
        if isinstance(relation, StreamScan):
            raise UnsupportedOperation(
                "a plan that is kept cannot read a stream of the DataStream API, or changes that are given in Python: "
                "read a table that CREATE TABLE declares"
            )
        number = self._numbers.get(id(relation))
        if number is None:
            fields = self._fields(relation)
            number = self._numbers[id(relation)] = len(self.nodes) + 1
            self._kept.append(relation)  # so that no other object gets its id
            self.nodes.append({"id": number, "node": type(relation).__name__, **fields})
        return number

    def _fields(self, value: Any) -> dict[str, Any]:
        given = ((name, hint, getattr(value, name), default) for name, hint, default in _stored(value.__class__))
        return {name: self.write(item, hint) for name, hint, item, default in given if item != default}


class Damaged(Exception):
    """JSON that is no plan; the message says where."""


class PlanReader:
    """Reads what `PlanWriter` has written.

    Args:
        nodes: The relations.
        function: Gives the name of a function in plans.

    Raises:
        Damaged: It is no plan.
    """

    def __init__(self, nodes: Any, function: Renaming) -> None:
        self._function = function
        self._nodes: dict[int, Relation] = {}
        for number, data in enumerate(_expected(nodes, list, "nodes"), 1):
            where = f"node {number}"
            fields = dict(_expected(data, dict, where))
            if fields.pop("id", None) != number:
                raise Damaged(f"{where} has the id {cut(data.get('id'))}")
            self._nodes[number] = self._tagged(fields, (relations, temporal_relations), Relation, where)

    def read(self, data: Any, hint: Any, where: str) -> Any:
        """The value of a JSON.

        Args:
            data: The JSON.
            hint: The type that the field says.
            where: Names the place in an error.
        """
        kind = _without_none(hint)
        if data is None:
            if kind is hint and kind is not Any:
                raise Damaged(f"{where} is null")
            return None
        if kind is Any:
            return _read_constant(data, where)
        origin = get_origin(kind)
        if origin is tuple:
            items = _expected(data, list, where)
            hints = list(_items(kind, len(items)))
            if len(hints) != len(items):
                raise Damaged(f"{where} has {len(items)} items instead of {len(hints)}")
            pairs = zip(items, hints, strict=True)
            return tuple(self.read(item, of, f"{where}[{i}]") for i, (item, of) in enumerate(pairs))
        if origin is Choice:
            if data not in get_args(kind):
                raise Damaged(f"{where} is {cut(data)}, not one of {', '.join(map(str, get_args(kind)))}")
            return data
        if origin is not None:  # a mapping of texts
            entries = _expected(data, dict, where)
            return {key: _expected(value, str, f"{where}.{key}") for key, value in entries.items()}
        if kind is DataType:
            return _read_type(data, where)
        if kind is Relation:
            if data not in self._nodes:
                raise Damaged(f"{where}: there is no node {cut(data)} before it")
            return self._nodes[data]
        if issubclass(kind, Expression):
            return self._tagged(data, (expressions,), kind, where)
        if dataclasses.is_dataclass(kind):
            return self._made(kind, _expected(data, dict, where), where)
        return _expected(data, kind, where)

    def _tagged(self, data: Any, modules: tuple[Any, ...], base: type, where: str) -> Any:
        fields = dict(_expected(data, dict, where))
        name = fields.pop("node", None)
        found = (getattr(module, name, None) for module in modules) if isinstance(name, str) else ()
        kind = next(filter(None, found), None)
        if not isinstance(kind, type) or not issubclass(kind, base):
            raise Damaged(f"{where} is nothing that this version knows: {cut(name)}")
        made = self._made(kind, fields, where)
        return dataclasses.replace(made, function=self._function(made.function)) if isinstance(made, Call) else made

    def _made(self, kind: Any, data: dict[str, Any], where: str) -> Any:
        where = f"{where}, {kind.__name__}"
        given = {}
        for name, hint, default in _stored(kind):
            if name in data:
                given[name] = self.read(data[name], hint, f"{where}.{name}")
            elif default is dataclasses.MISSING:
                raise Damaged(f"{where}.{name} is missing")
        if left := data.keys() - given.keys():
            raise Damaged(f"{where}.{min(left)} is nothing that this version knows")
        return kind(**given)


@cache
def _stored(kind: Any) -> list[tuple[str, Any, Any]]:
    """Name, type and default of a dataclass's fields, but for the place in a text."""
    hints = get_type_hints(kind, localns={"Relation": Relation})
    fields = (each for each in dataclasses.fields(kind) if each.name != "position")
    return [(each.name, hints[each.name], _default(each)) for each in fields]


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _without_none(hint: Any) -> Any:
    left = [each for each in get_args(hint) if each is not NoneType]
    return left[0] if len(left) == 1 and NoneType in get_args(hint) else hint


def _items(hint: Any, length: int) -> Iterator[Any]:
    """The types of a tuple's items."""
    args = get_args(hint)
    yield from (args[:1] * length if args[-1] is Ellipsis else args)


def _expected(data: Any, kind: type, where: str) -> Any:
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        raise Damaged(f"{where} is {cut(data)}, expected {kind.__name__}")
    return data


def _read_type(data: Any, where: str) -> DataType:
    try:
        return parse_data_type(_expected(data, str, where))
    except ValidationError as error:
        raise Damaged(f"{where}: {error}") from error


def text_of(data: Any, width: int = 100, indent: int = 0) -> str:
    """JSON for people: what is short stands on one line."""
    short = json.dumps(data, ensure_ascii=False)
    if indent + len(short) <= width or not isinstance(data, dict | list) or not data:
        return short
    blank = " " * (indent + 2)
    if isinstance(data, list):
        return "[\n" + ",\n".join(blank + text_of(each, width, indent + 2) for each in data) + f"\n{blank[:-2]}]"
    names = ((json.dumps(name, ensure_ascii=False), value) for name, value in data.items())
    items = (f"{blank}{name}: {text_of(value, width, indent + 2)}" for name, value in names)
    return "{\n" + ",\n".join(items) + f"\n{blank[:-2]}}}"


def _written_constant(value: Any) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case tuple():
            return [_written_constant(item) for item in value]
        case dict():
            return {"map": [[_written_constant(key), _written_constant(item)] for key, item in value.items()]}
    for name, (kind, write, _) in _CONSTANTS.items():
        if isinstance(value, kind):
            return {name: write(value)}
    raise UnsupportedOperation(f"a plan that is kept cannot hold the constant {cut(value)}, a {type(value).__name__}")


def _read_constant(data: Any, where: str) -> Any:
    match data:
        case None | bool() | int() | str():
            return data
        case list():
            return tuple(_read_constant(item, where) for item in data)
        case {"map": list(entries)}:
            return {_read_constant(key, where): _read_constant(item, where) for key, item in entries}
        case dict() if len(data) == 1 and (name := next(iter(data))) in _CONSTANTS:
            try:
                return _CONSTANTS[name][2](data[name])
            except (ValueError, TypeError, ArithmeticError) as error:
                raise Damaged(f"{where}: {cut(data)} is no constant") from error
    raise Damaged(f"{where}: {cut(data)} is no constant")
