"""Functions that plans call and queries do not: maps as arrays of pairs, so that rows with maps can be looked up."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.functions.entry import Entry
from datastream.table.functions.signatures import type_of
from datastream.table.plan.expressions import Call, Expression, Literal
from datastream.table.types.logical_types import ArrayType, DataType, IntType, MapType, MultisetType, is_nullable
from datastream.table.types.row_type import RowField, RowType

#: A value with arrays of pairs in place of its maps.
PAIRS = "$pairs"
#: That value again; the other argument, NULL, has its type.
MAPS = "$maps"


def holds_maps(kind: DataType) -> bool:
    """Whether values are maps or multisets, or hold such."""
    return holds(kind, (MapType, MultisetType))


def holds(kind: DataType, wanted: tuple[type[DataType], ...]) -> bool:
    """Whether a type is one of those that are wanted, or has one in it."""
    match kind:
        case _ if isinstance(kind, wanted):
            return True
        case ArrayType(element_type=element) | MultisetType(element_type=element):
            return holds(element, wanted)
        case MapType(key_type=key, value_type=value):
            return holds(key, wanted) or holds(value, wanted)
        case RowType(fields=fields):
            return any(holds(field.data_type, wanted) for field in fields)
    return False


def as_pairs(value: Expression) -> Expression:
    """A value with pairs for its maps."""
    return Call(PAIRS, (value,), type=_paired(type_of(value)))


def as_maps(pairs: Expression, kind: DataType) -> Expression:
    """A value of a type, made of what `as_pairs` gave."""
    return Call(MAPS, (pairs, Literal(None, type=kind.nullable())), type=kind)


def _paired(kind: DataType) -> DataType:
    nullable = is_nullable(kind)
    match kind:
        case MapType(key_type=key, value_type=value):
            pair = RowType([RowField("key", _paired(key)), RowField("value", _paired(value))], False)
            return ArrayType(pair, nullable)
        case MultisetType(element_type=element):
            return _paired(MapType(element, IntType(), nullable))
        case ArrayType(element_type=element):
            return ArrayType(_paired(element), nullable)
        case RowType(fields=fields):
            return RowType([RowField(field.name, _paired(field.data_type)) for field in fields], nullable)
    return kind


def _converted(kind: DataType, text: str, to_pairs: bool, depth: int = 0) -> str:
    """The text of a value that is made of another one, which may be None."""
    if not holds_maps(kind):
        return text
    each, more = f"_{depth}", depth + 2
    match kind:
        case MapType(key_type=key, value_type=value):
            parts = _converted(key, each, to_pairs, more), _converted(value, f"_{depth + 1}", to_pairs, more)
            items = f"{text}.items()" if to_pairs else text
            plain = not holds_maps(key) and not holds_maps(value)
            pairs = items if plain else f"[({parts[0]}, {parts[1]}) for {each}, _{depth + 1} in {items}]"
            made = f"tuple({pairs})" if to_pairs else f"dict({pairs})"
        case MultisetType(element_type=element):
            return _converted(MapType(element, IntType()), text, to_pairs, depth)
        case ArrayType(element_type=element):
            made = f"tuple([{_converted(element, each, to_pairs, more)} for {each} in {text}])"
        case RowType(fields=fields):
            parts_of_row = (_converted(f.data_type, f"{text}[{i}]", to_pairs, more) for i, f in enumerate(fields))
            made = f"({', '.join(parts_of_row)},)"
    return f"(None if {text} is None else {made})"


def _as_pairs_text(args: Sequence[Expression]) -> str:
    return _converted(type_of(args[0]), "{0}", True)


def _as_maps_text(args: Sequence[Expression]) -> str:
    return _converted(type_of(args[1]), "{0}", False)


ENTRIES: tuple[Entry, ...] = (
    Entry(
        PAIRS,
        (),
        (1, 1),
        lambda args: _paired(type_of(args[0])),
        _as_pairs_text,
        strict=False,
        doc="A value with arrays of pairs in place of its maps.",
    ),
    Entry(
        MAPS,
        (),
        (2, 2),
        lambda args: type_of(args[1]),
        _as_maps_text,
        strict=False,
        doc="A value with its maps again.",
    ),
)
