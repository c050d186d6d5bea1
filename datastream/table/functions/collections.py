"""Arrays, maps and rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from datastream.errors import TypeMismatch, ValidationError, cut
from datastream.table.functions import types
from datastream.table.functions.casts import CAST_NAMES
from datastream.table.functions.coercion import converted
from datastream.table.functions.entry import Entry, Text
from datastream.table.functions.signatures import (
    any_nullable,
    argument,
    common_of,
    constant,
    refuse,
    rule,
    type_of,
    types_of,
)
from datastream.table.functions.types import common_type, string_type, with_nullability
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import (
    ArrayType,
    BooleanType,
    DataType,
    IntType,
    MapType,
    MultisetType,
    NullType,
    is_nullable,
)
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.type_text import summary
from datastream.types.ordering import nan_last

#: The rows of an array, multiset or map.
UNNEST = "UNNEST"
#: The same with the place of each row, from 1, as another column.
NUMBERED = "UNNEST WITH ORDINALITY"

_INT = IntType()


def item(values: tuple[Any, ...], index: int) -> Any:
    """The element at an index, from 1; None beyond the ends."""
    return values[index - 1] if 0 < index <= len(values) else None


def only(values: tuple[Any, ...]) -> Any:
    """The one element of an array; None for the empty one.

    Raises:
        TypeMismatch: there are more.
    """
    if len(values) > 1:
        raise TypeMismatch("", "an array of at most one element for ELEMENT", values)
    return values[0] if values else None


def distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The elements, each once, in their order."""
    try:
        return tuple(dict.fromkeys(values))
    except TypeError:  # maps have no hash
        found: list[Any] = []
        for value in values:
            if value not in found:
                found.append(value)
        return tuple(found)


def position(values: tuple[Any, ...], wanted: Any) -> int:
    """The place of an element, from 1; 0: it is not there."""
    return values.index(wanted) + 1 if wanted in values else 0


def without(values: tuple[Any, ...], unwanted: Any) -> tuple[Any, ...]:
    """The elements that are another value."""
    return tuple(value for value in values if value != unwanted)


def part(values: tuple[Any, ...], start: int, end: int | None = None) -> tuple[Any, ...]:
    """The elements from one place to another, both included, from 1; below zero from the end."""
    size = len(values)
    first = start if start > 0 else size + start + 1 if start < 0 else 1
    last = size if end is None else end if end > 0 else size + end + 1 if end < 0 else 1
    return values[max(first, 1) - 1 : max(last, 0)] if first <= last else ()


def in_order(values: tuple[Any, ...], ascending: bool = True, nulls_first: bool | None = None) -> tuple[Any, ...]:
    """The elements in order; NULL is the least unless it is said where it stands, NaN the greatest."""
    known = sorted((value for value in values if value is not None), key=nan_last, reverse=not ascending)
    nulls = [None] * (len(values) - len(known))
    first = ascending if nulls_first is None else nulls_first
    return tuple(nulls + known if first else known + nulls)


def united(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """The elements of both, each once."""
    return distinct(one + other)


def excepted(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """The elements of the first that are not in the second, each once."""
    return distinct(tuple(value for value in one if value not in other))


def intersected(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """The elements that are in both, each once."""
    return distinct(tuple(value for value in one if value in other))


def greatest(values: tuple[Any, ...]) -> Any:
    """The greatest element that is not NULL, or None."""
    return max((value for value in values if value is not None), default=None)


def smallest(values: tuple[Any, ...]) -> Any:
    """The least element that is not NULL, or None."""
    return min((value for value in values if value is not None), default=None)


def joined(values: tuple[str | None, ...], separator: str, null: str | None = None) -> str:
    """The elements as one text; those that are NULL are left out or replaced."""
    shown = (null if value is None else value for value in values)
    return separator.join(text for text in shown if text is not None)


def merged(*maps: dict[Any, Any]) -> dict[Any, Any]:
    """The entries of all maps; the last one wins."""
    return {key: value for each in maps for key, value in each.items()}


def map_of(*given: Any) -> dict[Any, Any]:
    """The map of keys and values, one after the other."""
    return dict(zip(given[::2], given[1::2], strict=True))


def map_from(keys: tuple[Any, ...], values: tuple[Any, ...]) -> dict[Any, Any]:
    """The map of an array of keys and one of values.

    Raises:
        TypeMismatch: one has more.
    """
    if len(keys) != len(values):
        raise TypeMismatch("", f"as many values as keys ({len(keys)}) for MAP_FROM_ARRAYS", values)
    return dict(zip(keys, values, strict=True))


NAMES: Mapping[str, Any] = {
    **CAST_NAMES,
    **{
        function.__name__: function
        for function in (
            *(item, only, distinct, position, without, part, in_order, united, excepted, intersected),
            *(greatest, smallest, joined, merged, map_of, map_from),
        )
    },
}


def _element(args: Sequence[Expression], place: int = 0) -> DataType:
    given = type_of(args[place])
    assert isinstance(given, ArrayType)
    return given.element_type


def _array_type(args: Sequence[Expression]) -> DataType:
    return ArrayType(common_of("ARRAY")(args), False) if args else ArrayType(NullType(), False)


def _array_text(args: Sequence[Expression]) -> str:
    if not args:
        return "()"
    element = common_of("ARRAY")(args)
    return f"({', '.join(converted(args, place, element) for place in range(len(args)))},)"


def _map_type(args: Sequence[Expression]) -> DataType:
    if len(args) % 2:
        raise refuse("MAP", args, "a value for each key")
    if not args:
        return MapType(NullType(), NullType(), False)
    return MapType(common_of("MAP", 0, 2)(args), common_of("MAP", 1, 2)(args), False)


def _map_text(args: Sequence[Expression]) -> str:
    if not args:
        return "map_of()"
    key, value = common_of("MAP", 0, 2)(args), common_of("MAP", 1, 2)(args)
    parts = [converted(args, place, value if place % 2 else key) for place in range(len(args))]
    return f"map_of({', '.join(parts)})"


def _row_type(args: Sequence[Expression]) -> DataType:
    return RowType([RowField(f"EXPR${place}", each) for place, each in enumerate(types_of(args))], False)


def row_text(args: Sequence[Expression]) -> str:
    """Python text of a row."""
    return f"({', '.join(f'{{{place}}}' for place in range(len(args)))},)" if args else "()"


def _item_type(args: Sequence[Expression]) -> DataType:
    given, index = types_of(args)
    match given:
        case ArrayType() if isinstance(index, types.WHOLE):
            literal = constant(args[1])
            if isinstance(literal, int) and literal < 1:
                raise ValidationError(f"ITEM: the index of an array begins at 1, got {literal}")
            return with_nullability(given.element_type, True)
        case MapType() if common_type((given.key_type, index)) is not None:
            return with_nullability(given.value_type, True)
        case RowType():
            return _field(args)[1]
    raise refuse("ITEM", args, "an array and an index, a map and a key, or a row and a field")


def _item_text(args: Sequence[Expression]) -> str:
    given = type_of(args[0])
    if isinstance(given, ArrayType):
        return "item({0}, {1})"
    if isinstance(given, MapType):
        return f"{{0}}.get({converted(args, 1, given.key_type)})"
    return f"{{0}}[{_field(args)[0]}]"


def _field(args: Sequence[Expression]) -> tuple[int, DataType]:
    """The place and the type of a field of a row."""
    given, wanted = type_of(args[0]), constant(args[1])
    if not isinstance(given, RowType):
        raise (
            _no_field(args[0], wanted) if isinstance(wanted, str) else refuse("GET", args, "a row and a field's index")
        )
    place = given.names.index(wanted) if wanted in given.names else wanted
    if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(given):
        raise ValidationError(f"{args[0]} has no field {cut(wanted)}; there are {', '.join(given.names)}")
    found = given.field_types()[place]
    return place, with_nullability(found, is_nullable(found) or is_nullable(given))


def _no_field(owner: Expression, name: str) -> ValidationError:
    """The error of ``a.name`` where ``a`` is no row: it may have been meant as a column or as a function."""
    return ValidationError(
        f"{owner} has no field {name!r}, and there is no such function: it is {summary(type_of(owner))}"
    )


def _with_element(name: str) -> Callable[[Sequence[Expression]], DataType]:
    """The type of the array with elements of the second argument's type."""

    def resolve(args: Sequence[Expression]) -> DataType:
        found = common_type((_element(args), type_of(args[1])))
        if found is None:
            raise refuse(name, args, "an array and a value of its element type")
        return ArrayType(found)

    return resolve


def _both(name: str) -> Callable[[Sequence[Expression]], DataType]:
    def resolve(args: Sequence[Expression]) -> DataType:
        return common_of(name)(args)

    return resolve


def _cardinality(args: Sequence[Expression]) -> str:
    return "sum({0}.values())" if isinstance(type_of(args[0]), MultisetType) else "len({0})"


def _entries_type(args: Sequence[Expression]) -> DataType:
    given = type_of(args[0])
    assert isinstance(given, MapType)
    return ArrayType(RowType([RowField("key", given.key_type), RowField("value", given.value_type)]))


def _map_from_type(args: Sequence[Expression]) -> DataType:
    return MapType(_element(args, 0), _element(args, 1))


def _keys_type(args: Sequence[Expression]) -> DataType:
    given = type_of(args[0])
    assert isinstance(given, MapType)
    return ArrayType(given.key_type)


def _values_type(args: Sequence[Expression]) -> DataType:
    given = type_of(args[0])
    assert isinstance(given, MapType)
    return ArrayType(given.value_type)


def _needle(args: Sequence[Expression]) -> str:
    return converted(args, 1, _element(args))


def _entry(name: str, sql: str, takes: str, result: Any, python: Text, doc: str, *, nullable: bool = False) -> Entry:
    parts = takes.split(",")
    least = sum(1 for each in parts if "?" not in each and "*" not in each)
    resolve = rule(sql, takes, result, True if nullable else None)
    return Entry(
        name,
        (sql,),
        (least, None if "*" in takes else len(parts)),
        resolve,
        python,
        nullable=nullable,
        names=NAMES,
        doc=doc,
    )


def _needled(name: str, sql: str, result: Any, python: str, doc: str, strict: bool = False) -> Entry:
    """A function of an array and a value, which may be NULL, or, if `strict`, whose NULL makes the result NULL."""
    families = rule(sql, "array, any", result)

    def resolve(args: Sequence[Expression]) -> DataType:
        if isinstance(type_of(args[0]), NullType):
            return with_nullability(result, True) if isinstance(result, DataType) else NullType()
        families(args)
        if common_type((_element(args), type_of(args[1]))) is None:
            raise refuse(sql, args, "an array and a value of its element type")
        return with_nullability(families(args), any_nullable(args if strict else args[:1]))

    def text(args: Sequence[Expression]) -> str:
        null = "{0} is None or {1} is None" if strict else "{0} is None"
        return f"(None if {null} else {python.replace('{needle}', _needle(args))})"

    return Entry(name, (sql,), (2, 2), resolve, text, strict=False, names=NAMES, doc=doc)


def _all(function: str) -> Text:
    return lambda args: f"{function}({', '.join(f'{{{place}}}' for place in range(len(args)))})"


def _sum_of(args: Sequence[Expression]) -> str:
    return "(" + " + ".join(f"{{{place}}}" for place in range(len(args))) + ")"


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "array",
        ("ARRAY",),
        (0, None),
        _array_type,
        _array_text,
        strict=False,
        names=NAMES,
        doc="The array of the arguments: `ARRAY[1, 2]`.",
    ),
    Entry(
        "map",
        ("MAP",),
        (0, None),
        _map_type,
        _map_text,
        strict=False,
        names=NAMES,
        doc="The map of keys and values: `MAP['a', 1, 'b', 2]`.",
    ),
    Entry("row", ("ROW",), (0, None), _row_type, row_text, strict=False, doc="The row of the arguments."),
    Entry(
        "at",
        ("ITEM",),
        (2, 2),
        _item_type,
        _item_text,
        nullable=True,
        names=NAMES,
        doc="The element of an array at an index, from 1, or the value of a key of a map: `a[1]`.",
    ),
    Entry(
        "get",
        ("GET", "DOT"),
        (2, 2),
        lambda args: _field(args)[1],
        lambda args: f"{{0}}[{_field(args)[0]}]",
        nullable=True,
        doc="A field of a row.",
    ),
    _entry("cardinality", "CARDINALITY", "collection", _INT, _cardinality, "The number of elements or entries."),
    _entry(
        "element",
        "ELEMENT",
        "array",
        _element,
        "only({0})",
        "The one element of an array; NULL for the empty array, an error for a longer one.",
        nullable=True,
    ),
    _needled(
        "ARRAY_CONTAINS",
        "ARRAY_CONTAINS",
        BooleanType(),
        "{needle} in {0}",
        "Whether the value, which may be NULL, is in the array.",
    ),
    _needled(
        "ARRAY_POSITION",
        "ARRAY_POSITION",
        _INT,
        "position({0}, {needle})",
        "The place of a value, from 1; 0 where it is not there.",
        strict=True,
    ),
    _needled("ARRAY_REMOVE", "ARRAY_REMOVE", argument(0), "without({0}, {needle})", "The array without a value."),
    _needled(
        "ARRAY_APPEND",
        "ARRAY_APPEND",
        _with_element("ARRAY_APPEND"),
        "(*{0}, {1})",
        "The array with a value at its end.",
    ),
    _needled(
        "ARRAY_PREPEND",
        "ARRAY_PREPEND",
        _with_element("ARRAY_PREPEND"),
        "({1}, *{0})",
        "The array with a value at its start.",
    ),
    _entry(
        "ARRAY_CONCAT", "ARRAY_CONCAT", "array, array*", _both("ARRAY_CONCAT"), _sum_of, "The elements of all arrays."
    ),
    _entry("ARRAY_DISTINCT", "ARRAY_DISTINCT", "array", argument(0), "distinct({0})", "The elements, each once."),
    _entry("ARRAY_REVERSE", "ARRAY_REVERSE", "array", argument(0), "{0}[::-1]", "The array backwards."),
    _entry(
        "ARRAY_SLICE",
        "ARRAY_SLICE",
        "array, whole, whole?",
        argument(0),
        _all("part"),
        "The elements from one place to another, both included.",
    ),
    _entry(
        "ARRAY_SORT",
        "ARRAY_SORT",
        "array, boolean?, boolean?",
        argument(0),
        _all("in_order"),
        "The elements in order; the arguments: ascending, NULL first.",
    ),
    _entry(
        "ARRAY_UNION",
        "ARRAY_UNION",
        "array, array",
        _both("ARRAY_UNION"),
        "united({0}, {1})",
        "The elements of both arrays, each once.",
    ),
    _entry(
        "ARRAY_EXCEPT",
        "ARRAY_EXCEPT",
        "array, array",
        argument(0),
        "excepted({0}, {1})",
        "The elements of the first array that are not in the second, each once.",
    ),
    _entry(
        "ARRAY_INTERSECT",
        "ARRAY_INTERSECT",
        "array, array",
        _both("ARRAY_INTERSECT"),
        "intersected({0}, {1})",
        "The elements that are in both arrays, each once.",
    ),
    _entry("ARRAY_MAX", "ARRAY_MAX", "array", _element, "greatest({0})", "The greatest element.", nullable=True),
    _entry("ARRAY_MIN", "ARRAY_MIN", "array", _element, "smallest({0})", "The least element.", nullable=True),
    _entry(
        "ARRAY_JOIN",
        "ARRAY_JOIN",
        "array, string, string?",
        string_type(),
        _all("joined"),
        "The elements as one text with a separator; the third argument replaces NULL.",
    ),
    _entry("MAP_KEYS", "MAP_KEYS", "map", _keys_type, "tuple({0})", "The keys."),
    _entry("MAP_VALUES", "MAP_VALUES", "map", _values_type, "tuple({0}.values())", "The values."),
    _entry("MAP_ENTRIES", "MAP_ENTRIES", "map", _entries_type, "tuple({0}.items())", "The rows of keys and values."),
    _entry(
        "MAP_FROM_ARRAYS",
        "MAP_FROM_ARRAYS",
        "array, array",
        _map_from_type,
        "map_from({0}, {1})",
        "The map of an array of keys and one of values.",
    ),
    _entry(
        "MAP_UNION",
        "MAP_UNION",
        "map, map*",
        _both("MAP_UNION"),
        _all("merged"),
        "The entries of all maps; the last map wins.",
    ),
)
