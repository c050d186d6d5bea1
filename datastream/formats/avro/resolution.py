"""Which of a writer's types can be read as which of a reader's."""

from __future__ import annotations

from datastream.formats.avro.nodes import Array, Enumeration, Fixed, Map, Named, Node, Primitive, Record, Union

_PROMOTIONS = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}


def fits(writer: Node, reader: Node) -> bool:
    """Whether a value of the writer's type may be read as the reader's, as far as the outermost types show."""
    if isinstance(reader, Union):
        return any(fits(writer, branch) for branch in reader.branches)
    if isinstance(writer, Union):
        return any(fits(branch, reader) for branch in writer.branches)
    if isinstance(writer, Primitive) and isinstance(reader, Primitive):
        same = writer.kind == reader.kind or reader.kind in _PROMOTIONS.get(writer.kind, ())
        return same and _same_logical(writer, reader)
    if isinstance(writer, Fixed) and isinstance(reader, Fixed):
        return writer.size == reader.size and _same_logical(writer, reader)
    return type(writer) is type(reader)


def branch_for(writer: Node, reader: Union) -> Node | None:
    """The branch of a reader's union for a type: of the same name, else the same type, else the first that fits."""
    found = [branch for branch in reader.branches if fits(writer, branch)]
    if isinstance(writer, Named):
        named = [b for b in found if isinstance(b, Named) and _same_name(writer, b)]
        if named:
            return named[0]
    same = [b for b in found if isinstance(b, Primitive) and isinstance(writer, Primitive) and b.kind == writer.kind]
    return (same or found or [None])[0]


def describes(schema: Node) -> bool:
    """Whether values are made of others."""
    return isinstance(schema, (Array, Map, Record, Union))


def symbols_for(writer: Enumeration, reader: Enumeration) -> tuple[str | None, ...]:
    """By the writer's positions, the reader's symbols; None: it has no such symbol, and no default."""
    return tuple(symbol if symbol in reader.symbols else reader.default for symbol in writer.symbols)


def _same_name(writer: Named, reader: Named) -> bool:
    short = writer.name.rpartition(".")[2]
    return writer.name == reader.name or writer.name in reader.aliases or short == reader.name.rpartition(".")[2]


def _same_logical(writer: Primitive | Fixed, reader: Primitive | Fixed) -> bool:
    """Numbers of milliseconds must not be read as such of microseconds, nor decimals with another point."""
    if writer.logical is None or reader.logical is None:
        return True
    return writer.logical == reader.logical and writer.scale == reader.scale
